/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* many-locks ROUNDS [SECONDS]: four threads each lock and unlock mutexes ROUNDS times. Then the threads lock more
 * slowly for SECONDS, after the line "ready". */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NR_THREADS 4
#define NR_LOCKS 16

static pthread_mutex_t locks[NR_LOCKS];
static pthread_barrier_t all;
static long rounds, seconds;

static void use(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	pthread_mutex_lock(&locks[(*seed >> 16) % NR_LOCKS]);
	pthread_mutex_unlock(&locks[(*seed >> 16) % NR_LOCKS]);
}

static void *run(void *argument)
{
	unsigned seed = (unsigned)(long)argument;

	for (long n = 0; n < rounds; n++)
		use(&seed);
	pthread_barrier_wait(&all);
	while (seconds) {
		for (int n = 0; n < 100; n++)
			use(&seed);
		usleep(1000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[NR_THREADS];

	rounds = argc > 1 ? atol(argv[1]) : 1000;
	seconds = argc > 2 ? atol(argv[2]) : 0;
	pthread_barrier_init(&all, NULL, NR_THREADS + 1);
	for (int n = 0; n < NR_LOCKS; n++)
		pthread_mutex_init(&locks[n], NULL);
	for (long n = 0; n < NR_THREADS; n++)
		pthread_create(&threads[n], NULL, run, (void *)n);
	pthread_barrier_wait(&all);
	puts("ready");
	fflush(stdout);
	if (seconds) {
		sleep((unsigned)seconds);
		exit(0);
	}
	for (int n = 0; n < NR_THREADS; n++)
		pthread_join(threads[n], NULL);
	return 0;
}
