/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests the shared tables of the recorder: many threads with the smallest stacks call new code with new call stacks
 * at the same time. Equal stacks must have equal ids in all threads. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/stack/oracle.h"

#define NOINLINE __attribute__((noinline))
#define NR_THREADS 8
#define NR_ROUNDS 40

static pthread_barrier_t barrier;

static NOINLINE unsigned down(unsigned path, unsigned depth);

#define BRANCH(n_)                                                                                 \
	static NOINLINE unsigned branch##n_(unsigned path, unsigned depth)                         \
	{                                                                                          \
		volatile char local[n_ * 24 + 8];                                                  \
                                                                                                   \
		local[0] = 1;                                                                      \
		return down(path / 4, depth - 1) + (unsigned)local[0];                             \
	}
BRANCH(0)
BRANCH(1)
BRANCH(2)
BRANCH(3)

static NOINLINE unsigned down(unsigned path, unsigned depth)
{
	unsigned rv = 1;

	if (!depth)
		oracle_check();
	else if (path % 4 == 0)
		rv += branch0(path, depth);
	else if (path % 4 == 1)
		rv += branch1(path, depth);
	else if (path % 4 == 2)
		rv += branch2(path, depth);
	else
		rv += branch3(path, depth);
	return rv;
}

static void *run(void *arg)
{
	for (unsigned i = 0; i < NR_ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		for (unsigned path = 0; path < 256; path++)
			down(path * (i + 1), 2 + i % 5);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[NR_THREADS];
	pthread_attr_t attr;

	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	for (unsigned i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], &attr, run, NULL))
			return 1;
	for (unsigned i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("threads: %lu stacks compared, %u modules\n", oracle_nr_checks(),
	       oracle_nr_modules());
	return oracle_nr_lost() != 0;
}
