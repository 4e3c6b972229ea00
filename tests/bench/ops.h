/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The operations whose cost under a tracer is measured. The main thread sets up an operation, runs batches of it,
 * and frees its objects. A batch of N performs N operations. */
#ifndef SYT_BENCH_OPS_H
#define SYT_BENCH_OPS_H

struct op {
	const char *name;
	const char *what;         /* description of one operation, for the printed table */
	unsigned batch;           /* number of operations in one batch */
	void (*setup)(void);      /* may be NULL */
	void (*run)(unsigned nr); /* one batch */
	void (*teardown)(void);   /* may be NULL */
};

/* Depth of the call stack, including the innermost frame, at which the lock operations run. */
#define NR_FRAMES 16

#define NR_BATCHES 12 /* number of batches; one more batch runs first and is not measured */

/* CPUs to which threads are pinned; equal if only one is given; -1: not pinned */
extern int bench_cpus[2];
/* CPU of the other thread of an operation in op-pairs.c; -1: the CPU of the main thread */
extern int bench_other_cpu;

extern const struct op ops_locks[], ops_pairs[],
	ops_processes[]; /* end with a row without a name */

/* Prints WHAT and the text of errno, and exits with status 1. */
_Noreturn void die(const char *what);

/* Pins the calling thread to CPU, unless CPU is -1. */
void pin(int cpu);

#endif
