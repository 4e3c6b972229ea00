/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests barriers and pthread_once: each thread that passes has one event, and the thread that ran the
 * initializer is marked. */
#include <threads.h>

#include "tests/calls/expect.h"

static pthread_barrier_t b;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static volatile int nr_run;

static void initializer(void)
{
	nr_run++;
	await_others_asleep();
}

static void inner(void)
{
	nr_run++;
}

/* The initializer of this pthread_once_t calls pthread_once for another pthread_once_t. */
static pthread_once_t nested = PTHREAD_ONCE_INIT;
static void outer(void)
{
	static pthread_once_t deeper = PTHREAD_ONCE_INIT;

	CHECK(pthread_once(&deeper, inner) == 0);
	expect("0.0 pthread_once once:%p 0 arg=1", (void *)&deeper);
	nr_run++;
}

/* Starts when the initializer has finished, and passes the pthread_once_t twice. */
static void *late(void *arg)
{
	for (int i = 0; i < 2; i++) {
		CHECK(pthread_once(&once, initializer) == 0);
		call_once(&flag, inner);
	}
	expect("0.2 pthread_once once:%p 0 arg=-", (void *)&once);
	expect("0.2 call_once once:%p 0 arg=-", (void *)&flag);
	return arg;
}

/* Initializes another pthread_once_t in the same memory. */
static void *renew(void *arg)
{
	once = (pthread_once_t)PTHREAD_ONCE_INIT;
	CHECK(pthread_once(&once, inner) == 0);
	expect("0.3 pthread_once once:%p 0 arg=1", (void *)&once);
	return arg;
}

static void *other(void *arg)
{
	int rv = pthread_barrier_wait(&b);

	CHECK(rv == 0);
	expect("0.1 pthread_barrier_wait barrier:%p 0 count=2 flags=blocked", (void *)&b);
	CHECK(pthread_once(&once, initializer) == 0);
	expect("0.1 pthread_once once:%p 0 arg=1", (void *)&once);
	return arg;
}

int main(void)
{
	pthread_t thread;

	expect("ignore pthread_create pthread_join");
	CHECK(pthread_barrier_init(&b, NULL, 0) == EINVAL);
	expect("0.0 pthread_barrier_init - %d", EINVAL);
	CHECK(pthread_barrier_init(&b, NULL, 2) == 0);
	expect("0.0 pthread_barrier_init barrier:%p 0 count=2", (void *)&b);
	CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
	await_others_asleep();
	CHECK(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);
	expect("0.0 pthread_barrier_wait barrier:%p -1 count=2 flags=", (void *)&b);
	while (!nr_run)
		sleep_ms(1);
	/* waits for the initializer that the other thread runs */
	CHECK(pthread_once(&once, initializer) == 0);
	expect("0.0 pthread_once once:%p 0 arg=-", (void *)&once);
	CHECK(pthread_once(&once, initializer) == 0); /* again: not recorded */
	CHECK(pthread_join(thread, NULL) == 0);
	call_once(&flag, inner);
	expect("0.0 call_once once:%p 0 arg=1", (void *)&flag);
	call_once(&flag, inner);
	CHECK(pthread_create(&thread, NULL, late, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(pthread_once(&nested, outer) == 0);
	expect("0.0 pthread_once once:%p 0 arg=1", (void *)&nested);
	CHECK(pthread_create(&thread, NULL, renew, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(pthread_once(&once, inner) == 0);
	expect("0.0 pthread_once once:%p 0 arg=-", (void *)&once);
	CHECK(nr_run == 5);
	CHECK(pthread_barrier_destroy(&b) == 0);
	expect("0.0 pthread_barrier_destroy barrier:%p 0", (void *)&b);
	return 0;
}
