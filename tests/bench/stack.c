/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Measures the cost of one captured stack: with the thread's memory (the same stack again; two call
 * sites in turn; many stacks in turn), by a full walk, and by the reference unwinder. The printed
 * figures are the 25th percentile of short batches, because the machine is shared.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unwind.h>

#include "runtime/stack.h"
#include "tests/stack/oracle.h"

#define NOINLINE __attribute__((noinline))
#define NR_BATCHES 201
#define BATCH 256
#define USE(p_) __asm__ volatile("" : : "r"(p_) : "memory")

static struct syt_stack_state *state;
static uintptr_t top;
static double samples[NR_BATCHES];

enum how { STITCHED, PLAIN, REFERENCE, NR_HOW };

static _Unwind_Reason_Code nothing(struct _Unwind_Context *c, void *arg)
{
	*(uintptr_t *)arg += _Unwind_GetIP(c);
	return _URC_NO_REASON;
}

/* Captures the call stack as a wrapper of the recorder does. */
static NOINLINE void capture(enum how how)
{
	const uintptr_t *fp = __builtin_frame_address(0);
	struct syt_stack_regs regs = {.pc = fp[1], .sp = (uintptr_t)(fp + 2), .bp = fp[0]};
	uintptr_t sum = 0;

	if (how == REFERENCE)
		_Unwind_Backtrace(nothing, &sum);
	else
		syt_stack_capture(how == STITCHED ? state : NULL, &regs, top);
	USE(sum);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double percentile(void)
{
	qsort(samples, NR_BATCHES, sizeof(*samples), by_value);
	return samples[NR_BATCHES / 4];
}

static NOINLINE double same(enum how how)
{
	for (int b = -3; b < NR_BATCHES; b++) {
		double t = now_ns();

		for (int i = 0; i < BATCH; i++) {
			capture(how);
			USE(&i);
		}
		if (b >= 0)
			samples[b] = (now_ns() - t) / BATCH;
	}
	return percentile();
}

static NOINLINE double two_sites(enum how how)
{
	for (int b = -3; b < NR_BATCHES; b++) {
		double t = now_ns();

		for (int i = 0; i < BATCH; i += 2) {
			capture(how);
			USE(&i);
			capture(how);
			USE(&i);
		}
		if (b >= 0)
			samples[b] = (now_ns() - t) / BATCH;
	}
	return percentile();
}

/* A request's call tree: four functions deep, two callees at each level, a capture at each leaf and
 * between calls: 31 captures, 16 + 15 stacks. */
#define LEVEL(n_, callee_)                                                                         \
	static NOINLINE void level##n_##a(enum how how)                                            \
	{                                                                                          \
		callee_(how);                                                                      \
		capture(how);                                                                      \
		USE(&how);                                                                         \
	}                                                                                          \
	static NOINLINE void level##n_##b(enum how how)                                            \
	{                                                                                          \
		char local[40];                                                                    \
		USE(local);                                                                        \
		callee_(how);                                                                      \
		capture(how);                                                                      \
		USE(&how);                                                                         \
	}                                                                                          \
	static NOINLINE void both##n_(enum how how)                                                \
	{                                                                                          \
		level##n_##a(how);                                                                 \
		level##n_##b(how);                                                                 \
		USE(&how);                                                                         \
	}
LEVEL(1, capture)
LEVEL(2, both1)
LEVEL(3, both2)
LEVEL(4, both3)
LEVEL(5, both4)
#define NR_TREE 94 /* number of captures in one call of both5() */

static NOINLINE double tree(enum how how)
{
	for (int b = -3; b < NR_BATCHES; b++) {
		double t = now_ns();

		both5(how);
		both5(how);
		if (b >= 0)
			samples[b] = (now_ns() - t) / (2 * NR_TREE);
	}
	return percentile();
}

static NOINLINE void measure(int depth)
{
	static const char *const names[NR_HOW] = {"stitched", "full walk", "_Unwind_Backtrace"};

	for (enum how how = STITCHED; how < NR_HOW; how++) {
		double s = same(how), t = two_sites(how), v = tree(how);

		printf("%5d  %-18s %8.1f %10.1f %8.1f\n", depth, names[how], s, t, v);
	}
}

static NOINLINE void down(int left, int depth)
{
	char local[24];

	USE(local);
	if (left > 0)
		down(left - 1, depth);
	else
		measure(depth);
	USE(&local);
}

static void *run(void *arg)
{
	static const int depths[] = {8, 16, 32, 64};
	size_t bytes = (syt_stack_state_bytes() + 4095) & ~(size_t)4095;

	state = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	top = (uintptr_t)pthread_self();
	if (state == MAP_FAILED)
		exit(1);
	printf("depth  ns per capture     same  two sites     tree\n");
	/* the frames of clone, start_thread, run, measure and its helper also count */
	for (unsigned i = 0; i < 4; i++)
		down(depths[i] - 7, depths[i]);
	return arg;
}

int main(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, run, NULL) || pthread_join(t, NULL) || oracle_nr_lost();
}
