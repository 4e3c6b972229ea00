/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Helpers of the five programs of tests/report/ci.sh. */
#ifndef SYT_TESTS_CI_H
#define SYT_TESTS_CI_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The number of the change that this build contains; 0: none. */
#ifndef CHANGE
#define CHANGE 0
#endif

/* not inlined, so that the function is visible on the call stack */
#define APART __attribute__((noinline))

#define MUST(condition_)                                                                           \
	do {                                                                                       \
		if (!(condition_)) {                                                               \
			perror(#condition_);                                                       \
			exit(2);                                                                   \
		}                                                                                  \
	} while (0)

/* Returns the load, which is the program's only argument. */
static inline int load_of(int argc, char **argv)
{
	int load = argc == 2 ? atoi(argv[1]) : 0;

	if (load < 1) {
		fputs("usage: PROGRAM LOAD\n", stderr);
		exit(2);
	}
	return load;
}

static __attribute__((noinline, unused)) void locked_add(pthread_mutex_t *lock, long *sum,
                                                         long value)
{
	pthread_mutex_lock(lock);
	*sum += value;
	pthread_mutex_unlock(lock);
}

static inline void start(pthread_t *thread, void *(*run)(void *), void *of)
{
	MUST(pthread_create(thread, NULL, run, of) == 0);
}

#endif
