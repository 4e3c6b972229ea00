/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* In each round, two threads write more than fits into a pipe, so both wait for the reader, and their calls overlap. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define NR_THREADS 2
#define NR_ROUNDS 60
#define PAGE 4096

static int ends[2];
static atomic_int nr_begun;
static pthread_barrier_t round_end;

static void *send_all(void *arg)
{
	static const char bytes[2 * PAGE];

	(void)arg;
	for (int n = 0; n < NR_ROUNDS; n++) {
		nr_begun++;
		if (write(ends[1], bytes, sizeof(bytes)) != sizeof(bytes))
			return NULL;
		pthread_barrier_wait(&round_end);
	}
	return NULL;
}

int main(void)
{
	pthread_t all[NR_THREADS];
	char bytes[PAGE];

	if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, PAGE) < 0 ||
	    pthread_barrier_init(&round_end, NULL, NR_THREADS + 1))
		return 1;
	for (unsigned n = 0; n < NR_THREADS; n++)
		if (pthread_create(&all[n], NULL, send_all, NULL))
			return 1;
	for (int n = 1; n <= NR_ROUNDS; n++) {
		while (nr_begun < n * NR_THREADS)
			usleep(100);
		usleep(500); /* in nearly all rounds, both threads are in the call then */
		for (int k = 0; k < 2 * NR_THREADS; k++)
			if (read(ends[0], bytes, sizeof(bytes)) != sizeof(bytes))
				return 1;
		pthread_barrier_wait(&round_end);
	}
	for (unsigned n = 0; n < NR_THREADS; n++)
		pthread_join(all[n], NULL);
	close(ends[1]);
	close(ends[0]);
	return 0;
}
