/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The interface between the program and its modules: a lock and an unlock, with the times before and
 * after each call. */
#ifndef SYT_BENCH_WORST_H
#define SYT_BENCH_WORST_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

struct clocked {
	pthread_mutex_t *mutex;
	uint64_t ns[3]; /* times before the lock, between lock and unlock, and after the unlock */
};

void bench_pair_here(struct clocked *c);

static inline uint64_t clocked_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline __attribute__((always_inline)) void clocked_pair(struct clocked *c)
{
	c->ns[0] = clocked_ns();
	pthread_mutex_lock(c->mutex);
	c->ns[1] = clocked_ns();
	pthread_mutex_unlock(c->mutex);
	c->ns[2] = clocked_ns();
}

#endif
