/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A lock convoy: all threads write to one log and hold its lock while they write a line, so they
 * queue up at the lock most of the time.
 *
 *	SYNTRACE_DIR=convoy.data LD_PRELOAD=libsyntrace.so ./convoy
 *	syntrace-decode contention convoy.data
 *
 * Look for write_line(), which holds the lock that the other threads wait for, and for the
 * number of waiters at each release.  `./convoy healthy` gives each thread its own log.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define NR_THREADS 6
#define NR_LINES 30
#define NOINLINE __attribute__((noinline))

static struct log {
	pthread_mutex_t mutex;
	unsigned nr_lines;
} logs[NR_THREADS];
static int is_healthy;

/* Writes a line to the log, which is on a simulated slow medium. */
NOINLINE static void write_line(struct log *log)
{
	pthread_mutex_lock(&log->mutex);
	usleep(500);
	log->nr_lines++;
	pthread_mutex_unlock(&log->mutex);
}

static void *work(void *number)
{
	struct log *log = is_healthy ? &logs[*(int *)number] : &logs[0];

	for (unsigned i = 0; i < NR_LINES; i++)
		write_line(log);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[NR_THREADS];
	int numbers[NR_THREADS];

	is_healthy = argc > 1 && !strcmp(argv[1], "healthy");
	for (int i = 0; i < NR_THREADS; i++)
		pthread_mutex_init(&logs[i].mutex, NULL);
	for (int i = 0; i < NR_THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, work, &numbers[i]))
			return 1;
	}
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
