/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Calls every wrapped function of the OpenMP runtime like compiled code. Teams of one thread have ordered events.
 * In a team of two threads, one thread must wait. */
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/calls/expect.h"

typedef void body(void *data);
#define LOOP_ARGUMENTS (body *, void *, unsigned, long, long, long, long, unsigned)
#define LOOP_RUNTIME_ARGUMENTS (body *, void *, unsigned, long, long, long, unsigned)
void GOMP_parallel(body *, void *, unsigned, unsigned);
void GOMP_parallel_loop_static LOOP_ARGUMENTS;
void GOMP_parallel_loop_dynamic LOOP_ARGUMENTS;
void GOMP_parallel_loop_guided LOOP_ARGUMENTS;
void GOMP_parallel_loop_nonmonotonic_dynamic LOOP_ARGUMENTS;
void GOMP_parallel_loop_nonmonotonic_guided LOOP_ARGUMENTS;
void GOMP_parallel_loop_runtime LOOP_RUNTIME_ARGUMENTS;
void GOMP_parallel_loop_nonmonotonic_runtime LOOP_RUNTIME_ARGUMENTS;
void GOMP_parallel_loop_maybe_nonmonotonic_runtime LOOP_RUNTIME_ARGUMENTS;
void GOMP_parallel_sections(body *, void *, unsigned, unsigned, unsigned);
unsigned GOMP_parallel_reductions(body *, void *, unsigned, unsigned);
bool GOMP_loop_static_start(long, long, long, long, long *, long *);
void GOMP_loop_end(void);
bool GOMP_loop_end_cancel(void);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_start(unsigned);
void GOMP_sections_end(void);
bool GOMP_sections_end_cancel(void);
void GOMP_sections_end_nowait(void);
void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *);
void GOMP_task(body *, void *, void (*)(void *, void *), long, long, bool, unsigned, void **, int,
               void *);
void GOMP_taskwait(void);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **);
void GOMP_critical_name_end(void **);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

/* Regions are numbered from 1, together with their shares: n, n + 1, ... */
static unsigned long number;

static void expect_begin(void)
{
	expect("0.0 omp_begin team:$team 0 arg=%lu", number + 1);
	expect("0.0 omp_enter team:$team 0 arg=%lu within=%lu", number + 1, number + 2);
	number += 2;
}

static void expect_end(const char *name, unsigned long region)
{
	expect("0.0 omp_leave team:$team 0 arg=%lu within=%lu", region, region + 1);
	expect("0.0 %s team:$team 0 arg=%lu", name, region);
}

static int data_seen;

static void plain(void *data)
{
	CHECK(*(int *)data == 7);
	data_seen++;
}

static void loop(void *data)
{
	plain(data);
	GOMP_loop_end_nowait();
}

static void sections(void *data)
{
	plain(data);
	GOMP_sections_end_nowait();
}

#define REGION(name_, ...)                                                                         \
	do {                                                                                       \
		int data = 7;                                                                      \
		data_seen = 0;                                                                     \
		name_(__VA_ARGS__);                                                                \
		CHECK(data_seen == 1);                                                             \
		expect_begin();                                                                    \
		expect_end(#name_, number - 1);                                                    \
	} while (0)

static void regions(void)
{
	REGION(GOMP_parallel, plain, &data, 1, 0);
	REGION(GOMP_parallel_loop_static, loop, &data, 1, 0, 4, 1, 0, 0);
	REGION(GOMP_parallel_loop_dynamic, loop, &data, 1, 0, 4, 1, 1, 0);
	REGION(GOMP_parallel_loop_guided, loop, &data, 1, 0, 4, 1, 1, 0);
	REGION(GOMP_parallel_loop_nonmonotonic_dynamic, loop, &data, 1, 0, 4, 1, 1, 0);
	REGION(GOMP_parallel_loop_nonmonotonic_guided, loop, &data, 1, 0, 4, 1, 1, 0);
	REGION(GOMP_parallel_loop_runtime, loop, &data, 1, 0, 4, 1, 0);
	REGION(GOMP_parallel_loop_nonmonotonic_runtime, loop, &data, 1, 0, 4, 1, 0);
	REGION(GOMP_parallel_loop_maybe_nonmonotonic_runtime, loop, &data, 1, 0, 4, 1, 0);
	REGION(GOMP_parallel_sections, sections, &data, 1, 3, 0);
}

/* ---- barriers ---- */

#define BARRIER(name_, nth_)                                                                       \
	do {                                                                                       \
		name_();                                                                           \
		expect("0.0 " #name_ " team:$team 0 arg=%lu barriers=%s within=%lu", number - 1,   \
		       nth_, number);                                                              \
	} while (0)

static void barriers(void *data)
{
	long from, to;

	(void)data;
	expect_begin();
	BARRIER(GOMP_barrier, "-");
	CHECK(!GOMP_barrier_cancel());
	expect("0.0 GOMP_barrier_cancel team:$team 0 barriers=1");
	CHECK(GOMP_loop_static_start(0, 4, 1, 0, &from, &to) && to == 4);
	BARRIER(GOMP_loop_end, "2");
	CHECK(GOMP_loop_static_start(0, 4, 1, 0, &from, &to));
	CHECK(!GOMP_loop_end_cancel());
	expect("0.0 GOMP_loop_end_cancel team:$team 0 barriers=3");
	CHECK(GOMP_sections_start(1) == 1);
	BARRIER(GOMP_sections_end, "4");
	CHECK(GOMP_sections_start(1) == 1);
	CHECK(!GOMP_sections_end_cancel());
	expect("0.0 GOMP_sections_end_cancel team:$team 0 barriers=5");
	CHECK(!GOMP_single_copy_start()); /* this thread executes the single region, so there is no barrier yet */
	expect("0.0 GOMP_single_copy_start team:$team 0 arg=- barriers=-");
	GOMP_single_copy_end(&from);
	expect("0.0 GOMP_single_copy_end team:$team 0 barriers=6");
}

/* ---- tasks ---- */

struct task_data {
	char bytes[24];
	int value;
};

static void task(void *data)
{
	const struct task_data *d = data;

	CHECK(d->value == 42 && ((uintptr_t)data & 63) == 0);
	data_seen++;
}

static void task_copy(void *to, void *from)
{
	*(struct task_data *)to = *(struct task_data *)from;
	((struct task_data *)to)->value++;
}

/* In a team of one thread, a task runs at its creation or at a taskwait. */
static void tasks(void *data)
{
	_Alignas(64) struct task_data d = {.value = 42};
	unsigned long share;

	(void)data;
	expect_begin();
	share = number;
	data_seen = 0;
	GOMP_task(task, &d, NULL, sizeof(d), 64, false, 0, NULL, 0, NULL);
	d.value = 41;
	GOMP_task(task, &d, task_copy, sizeof(d), 64, false, 0, NULL, 0, NULL);
	CHECK(data_seen == 2);
	for (unsigned i = 1; i <= 2; i++) {
		expect("0.0 GOMP_task team:$team 0 arg=%lu within=%lu", share + i, share);
		expect("0.0 omp_task_enter team:$team 0 arg=%lu within=%lu", share + i, share + i);
		expect("0.0 omp_task_leave team:$team 0 arg=%lu within=%lu", share + i, share + i);
	}
	GOMP_taskwait();
	expect("0.0 GOMP_taskwait team:$team 0 within=%lu", share);
	GOMP_taskgroup_start();
	expect("0.0 GOMP_taskgroup_start team:$team 0 within=%lu", share);
	GOMP_taskgroup_end();
	expect("0.0 GOMP_taskgroup_end team:$team 0 within=%lu", share);
	number += 2;
}

/* ---- locks ---- */

static void locks(void)
{
	static omp_lock_t lock;
	static omp_nest_lock_t nest;
	static void *critical;

	errno = 0xbeef;
	GOMP_critical_start();
	GOMP_critical_end();
	expect("0.0 GOMP_critical_start mutex:$critical 0");
	expect("0.0 GOMP_critical_end mutex:$critical 0");
	GOMP_critical_name_start(&critical);
	GOMP_critical_name_end(&critical);
	expect("0.0 GOMP_critical_name_start mutex:%p 0", (void *)&critical);
	expect("0.0 GOMP_critical_name_end mutex:%p 0", (void *)&critical);
	GOMP_atomic_start();
	GOMP_atomic_end();
	expect("0.0 GOMP_atomic_start mutex:$atomic 0");
	expect("0.0 GOMP_atomic_end mutex:$atomic 0");
	omp_init_lock(&lock);
	omp_set_lock(&lock);
	CHECK(!omp_test_lock(&lock));
	omp_unset_lock(&lock);
	CHECK(omp_test_lock(&lock));
	omp_unset_lock(&lock);
	omp_destroy_lock(&lock);
	expect("0.0 omp_init_lock mutex:%p 0", (void *)&lock);
	expect("0.0 omp_set_lock mutex:%p 0", (void *)&lock);
	expect("0.0 omp_test_lock mutex:%p %d", (void *)&lock, EBUSY);
	expect("0.0 omp_unset_lock mutex:%p 0", (void *)&lock);
	expect("0.0 omp_test_lock mutex:%p 0", (void *)&lock);
	expect("0.0 omp_unset_lock mutex:%p 0", (void *)&lock);
	expect("0.0 omp_destroy_lock mutex:%p 0", (void *)&lock);
	omp_init_nest_lock(&nest);
	omp_set_nest_lock(&nest);
	CHECK(omp_test_nest_lock(&nest) == 2);
	omp_unset_nest_lock(&nest);
	omp_unset_nest_lock(&nest);
	omp_destroy_nest_lock(&nest);
	expect("0.0 omp_init_nest_lock mutex:%p 0", (void *)&nest);
	expect("0.0 omp_set_nest_lock mutex:%p 0", (void *)&nest);
	expect("0.0 omp_test_nest_lock mutex:%p 0", (void *)&nest);
	expect("0.0 omp_unset_nest_lock mutex:%p 0", (void *)&nest);
	expect("0.0 omp_unset_nest_lock mutex:%p 0", (void *)&nest);
	expect("0.0 omp_destroy_nest_lock mutex:%p 0", (void *)&nest);
	CHECK(errno == 0xbeef);
}

int main(void)
{
	int sum = 0;

	expect("ignore pthread_create");
	regions();
	GOMP_parallel(barriers, NULL, 1, 0);
	expect_end("GOMP_parallel", number - 1);
	GOMP_parallel(tasks, NULL, 1, 0);
	expect_end("GOMP_parallel", number - 3);
	locks();
	GOMP_barrier(); /* a barrier outside of a team of threads */
	expect("0.0 GOMP_barrier team:$team 0 arg=- barriers=- within=-");
	/* the compiler emits GOMP_parallel_reductions, whose data begins with a word for libgomp */
#pragma omp parallel num_threads(1) reduction(task, + : sum)
	{
		expect_begin();
		number++;
		expect("0.0 GOMP_task team:$team 0 arg=%lu within=%lu", number, number - 1);
#pragma omp task in_reduction(+ : sum)
		sum += 42;
	}
	expect("0.0 omp_leave team:$team 0 arg=%lu", number - 2);
	expect("0.0 omp_task_enter team:$team 0 arg=%lu", number);
	expect("0.0 omp_task_leave team:$team 0 arg=%lu", number);
	expect("0.0 GOMP_parallel_reductions team:$team 0 arg=%lu", number - 2);
	CHECK(sum == 42);
	return 0;
}
