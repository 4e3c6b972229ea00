/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-bench-ops [-c CPU,CPU...] [-a] [-b BATCHES] [-s FILE] [-n N] OP: runs one operation in
 * batches (12) and prints
 *
 *     OP <ns per operation, lower quartile of the batches> <operations done> <ns, mean of all>
 *
 * A batch is long enough to contain a tracer's occasional work (sealing, flushing, waking its
 * writer), so the price of any batch includes it. The lower quartile leaves out batches in which
 * another process had the CPU. The mean is the time of the whole run, as a user sees it, and also
 * contains the first batch. The program pins itself, so that a tracer's own processes stay free to
 * run elsewhere. With -a, the other thread of an operation in op-pairs.c runs on the second CPU.
 * Without arguments the program lists the operations, except the operations of op-processes.c,
 * which run.sh measures on two file systems.
 *
 * With -s FILE it also samples its position, and writes to FILE how often each instruction was
 * about to be executed: lines "COUNT ADDRESS ADDRESS-1 OBJECT" (addresses within the object,
 * hexadecimal).
 *
 * With -n N it does N operations, once, and prints no result: for tools that count
 * (instructions.sh).
 */
#define _GNU_SOURCE
#include "ops.h"
#include "sample.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Noreturn void die(const char *what)
{
	fprintf(stderr, "syntrace-bench-ops: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int bench_cpus[2] = {-1, -1}, bench_other_cpu = -1;

void pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("cannot pin to a CPU given with -c");
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const struct op *op, unsigned nr_batches, const char *samples)
{
	double ns[NR_BATCHES], begin, all;

	if (op->setup)
		op->setup();
	begin = now_ns();
	op->run(op->batch);
	all = now_ns() - begin;
	if (samples) {
		sample_init();
		sample_switch(true);
	}
	for (unsigned i = 0; i < nr_batches; i++) {
		begin = now_ns();
		op->run(op->batch);
		ns[i] = now_ns() - begin;
		all += ns[i];
		ns[i] /= op->batch;
	}
	if (samples) {
		sample_switch(false);
		sample_write(samples);
	}
	if (op->teardown)
		op->teardown();
	qsort(ns, nr_batches, sizeof(*ns), by_value);
	printf("%s %.2f %u %.2f\n", op->name, ns[nr_batches / 4], op->batch * (nr_batches + 1),
	       all / (op->batch * (nr_batches + 1.0)));
}

static void run_once(const struct op *op, unsigned nr)
{
	if (op->setup)
		op->setup();
	op->run(nr);
	if (op->teardown)
		op->teardown();
}

static const struct op *find(const struct op *table, const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

static void list(const struct op *table)
{
	for (; table->name; table++)
		printf("%-8s %s\n", table->name, table->what);
}

int main(int argc, char **argv)
{
	unsigned count = 0, nr_batches = NR_BATCHES;
	const char *samples = NULL;
	bool is_apart = false;
	int c;

	while ((c = getopt(argc, argv, "ab:c:n:s:")) != -1) {
		if (c == 'a') {
			is_apart = true;
			continue;
		}
		if (c == 's') {
			samples = optarg;
			continue;
		}
		if (c == 'b') {
			nr_batches = (unsigned)atoi(optarg);
			if (!nr_batches || nr_batches > NR_BATCHES)
				return 2;
			continue;
		}
		if (c == 'n') {
			count = (unsigned)atoi(optarg);
			continue;
		}
		if (c != 'c')
			return 2;
		switch (sscanf(optarg, "%d,%d", &bench_cpus[0], &bench_cpus[1])) {
		case 0:
			return 2;
		case 1:
			bench_cpus[1] = bench_cpus[0];
		}
	}
	if (optind == argc) {
		list(ops_locks);
		list(ops_pairs);
		return 0;
	}

	const struct op *op = find(ops_locks, argv[optind]);

	if (!op)
		op = find(ops_pairs, argv[optind]);
	if (!op)
		op = find(ops_processes, argv[optind]);
	if (!op) {
		fprintf(stderr, "syntrace-bench-ops: no operation '%s'; run it bare for a list\n",
		        argv[optind]);
		return 2;
	}
	pin(bench_cpus[0]);
	if (is_apart)
		bench_other_cpu = bench_cpus[1];
	if (count)
		run_once(op, count);
	else
		measure(op, nr_batches, samples);
	return 0;
}
