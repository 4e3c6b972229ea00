/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * An OpenMP program that prints the order of its own actions. It marks instants by posting a semaphore
 * on which no thread waits, with a new semaphore for each mark. It prints `before A B` for each pair of
 * marks that OpenMP orders; tests/real/verify.py finds a path of edges between them. It also prints its
 * results.
 */
#include <omp.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define NR_THREADS 4
#define NR_MARKS 20000

static sem_t marks[NR_MARKS];
static int nr_marks;

static int mark(void)
{
	int n;

#pragma omp atomic capture
	n = nr_marks++;
	if (n >= NR_MARKS)
		abort();
	sem_post(&marks[n]);
	return n;
}

#define BEFORE(a_, b_)                                                                             \
	do {                                                                                       \
		_Pragma("omp critical(output)")                                                    \
			printf("before %p %p\n", (void *)&marks[a_], (void *)&marks[b_]);          \
	} while (0)

/* order: begin of a parallel region -> threads' shares -> barrier -> threads' shares -> end of the
 * region */
static void regions(int round)
{
	int first[NR_THREADS] = {0}, second[NR_THREADS] = {0}, begin = mark(), end;

#pragma omp parallel num_threads(NR_THREADS)
	{
		int me = omp_get_thread_num();

		first[me] = mark();
		BEFORE(begin, first[me]);
		if (round & 1) {
#pragma omp barrier
		} else {
#pragma omp for schedule(dynamic)
			for (int i = 0; i < 8; i++)
				(void)i;
		}
		second[me] = mark();
	}
	end = mark();
	for (int a = 0; a < NR_THREADS; a++) {
		BEFORE(second[a], end);
		for (int b = 0; b < NR_THREADS; b++)
			BEFORE(first[a], second[b]);
	}
}

/* a tree of tasks: creation of a task -> the task -> the taskwait of its creator */
static void tree(int depth)
{
	for (int i = 0; i < 2 && depth; i++) {
		int made = mark();
#pragma omp task firstprivate(made, depth)
		{
			BEFORE(made, mark());
			tree(depth - 1);
		}
	}
	if (depth & 1) {
#pragma omp taskwait
	}
}

/* taskwait waits for the child tasks, taskgroup for all descendants, a barrier for all tasks */
static void tasks(void)
{
	int done[16], group[16], left[16], last;

#pragma omp parallel num_threads(NR_THREADS)
	{
#pragma omp single nowait
		{
			for (int i = 0; i < 16; i++) {
#pragma omp task shared(done) firstprivate(i)
				done[i] = mark();
			}
#pragma omp taskwait
			last = mark();
			for (int i = 0; i < 16; i++)
				BEFORE(done[i], last);
#pragma omp taskgroup
			for (int i = 0; i < 4; i++) {
#pragma omp task shared(group) firstprivate(i)
				for (int k = 0; k < 4; k++) {
#pragma omp task shared(group) firstprivate(i, k)
					group[4 * i + k] = mark();
				}
			}
			last = mark();
			for (int i = 0; i < 16; i++)
				BEFORE(group[i], last);
			tree(4);
			for (int i = 0; i < 16; i++) {
#pragma omp task shared(left) firstprivate(i)
				left[i] = mark();
			}
		}
#pragma omp barrier
		int after = mark();

		for (int i = 0; i < 16; i++)
			BEFORE(left[i], after);
	}
}

static long locks(void)
{
	omp_lock_t lock;
	omp_nest_lock_t nest;
	long sum = 0;

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(NR_THREADS) reduction(+ : sum)
	for (int i = 0; i < 50; i++) {
		omp_set_lock(&lock);
		sum++;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
#pragma omp critical
		sum++;
	}
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	return sum;
}

static int nested(void)
{
	int sum = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp parallel num_threads(2) reduction(+ : sum)
	sum += omp_get_level();
	return sum;
}

static int shared_value(void)
{
	int value = 0, sum = 0;

#pragma omp parallel num_threads(NR_THREADS) firstprivate(value) reduction(+ : sum)
	{
#pragma omp single copyprivate(value)
		value = 5;
		sum += value;
	}
	return sum;
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		regions(i);
		tasks();
	}
	printf("locks %ld\n", locks());
	printf("nested %d\n", nested());
	printf("copyprivate %d\n", shared_value());
	return 0;
}
