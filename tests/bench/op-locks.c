/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Operations on locks: the cheapest calls that a tracer intercepts, so the tracer's own cost shows
 * most. A second thread exists all the time, because glibc takes short cuts in a process that has only
 * one.
 */
#define _GNU_SOURCE
#include "ops.h"

#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stddef.h>

#define NR_LEVELS 11 /* levels of the call tree, which has 2^11 leaves */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t parked = PTHREAD_MUTEX_INITIALIZER;
static pthread_t other;
static volatile unsigned long counter;

static void pair(void)
{
	pthread_mutex_lock(&mutex);
	counter++;
	pthread_mutex_unlock(&mutex);
}

static void *park(void *unused)
{
	pthread_mutex_lock(&parked);
	pthread_mutex_unlock(&parked);
	return unused;
}

static void start_other(void)
{
	pthread_mutex_lock(&parked);
	if ((errno = pthread_create(&other, NULL, park, NULL)))
		die("pthread_create");
}

static void stop_other(void)
{
	pthread_mutex_unlock(&parked);
	pthread_join(other, NULL);
}

static __attribute__((noinline)) void pairs_at(unsigned depth, unsigned nr)
{
	if (depth > 1)
		pairs_at(depth - 1, nr);
	else
		for (unsigned i = 0; i < nr; i++)
			pair();
	/* prevents a tail call, so that each call has a stack frame */
	__asm__ volatile("" ::: "memory");
}

static void run_mutex(unsigned nr)
{
	void *frames[2 * NR_FRAMES];
	int here = backtrace(frames, 2 * NR_FRAMES);

	pairs_at(here < NR_FRAMES ? (unsigned)(NR_FRAMES - here) : 1, nr);
}

/* Visits the leaves of a call tree, as nested functions do: 2^LEVELS different stacks in turn. */
static __attribute__((noinline)) void walk(unsigned levels)
{
	if (levels) {
		walk(levels - 1);
		walk(levels - 1);
	} else {
		pair();
	}
	__asm__ volatile("" ::: "memory");
}

static void run_stacks(unsigned nr)
{
	for (; nr >= 1u << NR_LEVELS; nr -= 1u << NR_LEVELS)
		walk(NR_LEVELS);
}

static pthread_barrier_t go, done;
static unsigned share;

static void *contend(void *unused)
{
	pin(bench_cpus[1]);
	for (;;) {
		pthread_barrier_wait(&go);
		if (!share)
			return unused;
		for (unsigned i = 0; i < share; i++)
			pair();
		pthread_barrier_wait(&done);
	}
}

static void setup_contend(void)
{
	pthread_barrier_init(&go, NULL, 2);
	pthread_barrier_init(&done, NULL, 2);
	if ((errno = pthread_create(&other, NULL, contend, NULL)))
		die("pthread_create");
}

static void run_contend(unsigned nr)
{
	share = nr / 2;
	pthread_barrier_wait(&go);
	for (unsigned i = 0; i < nr / 2; i++)
		pair();
	pthread_barrier_wait(&done);
}

static void teardown_contend(void)
{
	share = 0;
	pthread_barrier_wait(&go);
	pthread_join(other, NULL);
}

const struct op ops_locks[] = {
	{"mutex", "uncontended mutex pair, 16 frames", 100000, start_other, run_mutex, stop_other},
	{"stacks", "the same, 2048 stacks in turn", 49 << NR_LEVELS, start_other, run_stacks,
         stop_other},
	{"contend", "mutex pair, 2 threads contending", 100000, setup_contend, run_contend,
         teardown_contend},
	{0},
};
