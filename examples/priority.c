/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A priority inversion: report() has the highest priority and needs a lock that log_sample(),
 * with the lowest priority, holds.  log_sample() would release it soon, but crunch(), with a
 * priority between the two, keeps it off the processor.  Real priorities need privileges.  This
 * program therefore simulates one processor: a thread asks its scheduler for the processor, and
 * the waiting thread with the highest priority gets it next.
 *
 *	SYNTRACE_DIR=priority.data LD_PRELOAD=libsyntrace.so ./priority
 *	syntrace-decode contention priority.data
 *	syntrace-decode why priority.data
 *
 * Look for report(), which waits for the lock.  log_sample() holds the lock and waits for
 * crunch(), which does not use the lock.  `./priority healthy` takes the lock only while it has
 * the processor, and keeps the processor until it has released the lock.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_ROUNDS 10
#define NOINLINE __attribute__((noinline))

enum priority { LOW, MIDDLE, HIGH, NR_PRIORITIES };

static pthread_mutex_t scheduler = PTHREAD_MUTEX_INITIALIZER, bus = PTHREAD_MUTEX_INITIALIZER;
static sem_t runs[NR_PRIORITIES]; /* a post gives the processor to the thread of this priority */
static int wants[NR_PRIORITIES], is_busy, is_healthy, nr_samples, last_sample;
static sem_t start[NR_PRIORITIES], others_come, is_crunching, done;

static void get_processor(enum priority mine)
{
	pthread_mutex_lock(&scheduler);
	int has_it = !is_busy;

	is_busy = 1;
	wants[mine] = !has_it;
	pthread_mutex_unlock(&scheduler);
	if (!has_it)
		sem_wait(&runs[mine]);
}

static void give_processor(void)
{
	int next = NR_PRIORITIES - 1;

	pthread_mutex_lock(&scheduler);
	while (next >= 0 && !wants[next])
		next--;
	is_busy = next >= 0;
	if (next >= 0)
		wants[next] = 0;
	pthread_mutex_unlock(&scheduler);
	if (next >= 0)
		sem_post(&runs[next]);
}

NOINLINE static void log_sample(void)
{
	if (is_healthy)
		get_processor(LOW);
	pthread_mutex_lock(&bus);
	if (!is_healthy) {
		sem_post(&others_come);
		sem_wait(&is_crunching); /* log_sample() loses the processor here */
		get_processor(LOW);
	}
	nr_samples++;
	pthread_mutex_unlock(&bus);
	give_processor();
	if (is_healthy)
		sem_post(&others_come);
}

NOINLINE static void crunch(void)
{
	get_processor(MIDDLE);
	sem_post(&is_crunching);
	usleep(10000); /* stands for work */
	give_processor();
}

NOINLINE static void report(void)
{
	pthread_mutex_lock(&bus);
	last_sample = nr_samples;
	pthread_mutex_unlock(&bus);
}

static void *low(void *nothing)
{
	for (int i = 0; i < NR_ROUNDS; i++) {
		sem_wait(&start[LOW]);
		log_sample();
		sem_post(&done);
	}
	return nothing;
}

static void *middle(void *nothing)
{
	for (int i = 0; i < NR_ROUNDS; i++) {
		sem_wait(&start[MIDDLE]);
		crunch();
		sem_post(&done);
	}
	return nothing;
}

static void *high(void *nothing)
{
	for (int i = 0; i < NR_ROUNDS; i++) {
		sem_wait(&start[HIGH]);
		report();
		sem_post(&done);
	}
	return nothing;
}

int main(int argc, char **argv)
{
	static void *(*const routines[])(void *) = {low, middle, high};
	pthread_t threads[NR_PRIORITIES];

	is_healthy = argc > 1 && !strcmp(argv[1], "healthy");
	sem_init(&others_come, 0, 0);
	sem_init(&is_crunching, 0, 0);
	sem_init(&done, 0, 0);
	for (int i = 0; i < NR_PRIORITIES; i++) {
		sem_init(&runs[i], 0, 0);
		sem_init(&start[i], 0, 0);
		if (pthread_create(&threads[i], NULL, routines[i], NULL))
			return 1;
	}
	for (int i = 0; i < NR_ROUNDS; i++) {
		sem_post(&start[LOW]);
		sem_wait(&others_come);
		sem_post(&start[MIDDLE]);
		sem_post(&start[HIGH]);
		for (int n = 0; n < NR_PRIORITIES; n++)
			sem_wait(&done);
	}
	for (int i = 0; i < NR_PRIORITIES; i++)
		pthread_join(threads[i], NULL);
	return nr_samples != NR_ROUNDS;
}
