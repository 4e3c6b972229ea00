/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A thundering herd: for each job, submit() wakes all workers.  One worker finds the job, and
 * the others go back to sleep.
 *
 *	SYNTRACE_DIR=herd.data LD_PRELOAD=libsyntrace.so ./herd
 *	syntrace-decode contention herd.data
 *
 * Look for the broadcasts of submit(), and for the number of threads that they woke in vain.
 * `./herd healthy` wakes one worker for each job.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define NR_WORKERS 8
#define NR_JOBS 25
#define NOINLINE __attribute__((noinline))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int nr_jobs, nr_done, nr_ready, is_over, is_healthy;

/* Returns how often a worker has begun to wait, because main() submits the next job only when all
 * workers wait. */
static int ready(void)
{
	pthread_mutex_lock(&mutex);
	int nr = nr_ready;

	pthread_mutex_unlock(&mutex);
	return nr;
}

NOINLINE static void submit(void)
{
	pthread_mutex_lock(&mutex);
	nr_jobs++;
	if (is_healthy)
		pthread_cond_signal(&filled);
	else
		pthread_cond_broadcast(&filled);
	pthread_mutex_unlock(&mutex);
}

NOINLINE static void *work(void *nothing)
{
	pthread_mutex_lock(&mutex);
	for (;;) {
		while (!nr_jobs && !is_over) {
			nr_ready++;
			pthread_cond_wait(&filled, &mutex);
		}
		if (!nr_jobs)
			break;
		nr_jobs--;
		nr_done++;
	}
	pthread_mutex_unlock(&mutex);
	return nothing;
}

int main(int argc, char **argv)
{
	pthread_t workers[NR_WORKERS];
	int expected = NR_WORKERS;

	is_healthy = argc > 1 && !strcmp(argv[1], "healthy");
	for (int i = 0; i < NR_WORKERS; i++)
		if (pthread_create(&workers[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < NR_JOBS; i++) {
		while (ready() < expected)
			usleep(500);
		submit();
		expected += is_healthy ? 1 : NR_WORKERS;
	}
	while (ready() < expected)
		usleep(500);
	pthread_mutex_lock(&mutex);
	is_over = 1;
	pthread_cond_broadcast(&filled);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < NR_WORKERS; i++)
		pthread_join(workers[i], NULL);
	return nr_done != NR_JOBS;
}
