/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests every call on a mutex, without and with another thread that uses it. */
#include <threads.h>

#include "tests/calls/expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, born;
static mtx_t c11;

/* Locks a mutex in every way while the main thread holds it. */
static void *other(void *arg)
{
	struct timespec t = deadline(CLOCK_REALTIME, 5), bad = {0, -1};

	CHECK(pthread_mutex_trylock(&m) == EBUSY);
	expect("0.1 pthread_mutex_trylock mutex:%p %d flags=", (void *)&m, EBUSY);
	CHECK(pthread_mutex_timedlock(&m, &t) == ETIMEDOUT);
	expect("0.1 pthread_mutex_timedlock mutex:%p %d flags=blocked", (void *)&m, ETIMEDOUT);
	t = deadline(CLOCK_MONOTONIC, 5);
	CHECK(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
	expect("0.1 pthread_mutex_clocklock mutex:%p %d flags=blocked", (void *)&m, ETIMEDOUT);
	CHECK(pthread_mutex_timedlock(&m, &bad) == EINVAL);
	expect("0.1 pthread_mutex_timedlock mutex:%p %d flags=blocked", (void *)&m, EINVAL);
	return arg;
}

static void *waiter(void *arg)
{
	CHECK(pthread_mutex_lock(&m) == 0);
	expect("0.2 pthread_mutex_lock mutex:%p 0 flags=blocked", (void *)&m);
	CHECK(pthread_mutex_unlock(&m) == 0);
	expect("0.2 pthread_mutex_unlock mutex:%p 0", (void *)&m);
	return arg;
}

static void posix(void)
{
	struct timespec t = deadline(CLOCK_REALTIME, 1000), bad = {0, -1};
	pthread_mutex_t *p = &m;

	CHECK(pthread_mutex_lock(p) == 0);
	CHECK(pthread_mutex_unlock(p) == 0);
	CHECK(pthread_mutex_trylock(p) == 0);
	CHECK(pthread_mutex_unlock(p) == 0);
	/* the mutex is free, so libc does not read the invalid deadline */
	CHECK(pthread_mutex_timedlock(p, &bad) == 0);
	CHECK(pthread_mutex_unlock(p) == 0);
	CHECK(pthread_mutex_clocklock(p, CLOCK_REALTIME, &t) == 0);
	CHECK(pthread_mutex_unlock(p) == 0);
	CHECK(pthread_mutex_clocklock(p, CLOCK_PROCESS_CPUTIME_ID, &t) == EINVAL);
	expect("0.0 pthread_mutex_lock mutex:%p 0 flags=", (void *)p);
	expect("0.0 pthread_mutex_unlock mutex:%p 0", (void *)p);
	expect("0.0 pthread_mutex_trylock mutex:%p 0", (void *)p);
	expect("0.0 pthread_mutex_unlock mutex:%p 0", (void *)p);
	expect("0.0 pthread_mutex_timedlock mutex:%p 0 flags=", (void *)p);
	expect("0.0 pthread_mutex_unlock mutex:%p 0", (void *)p);
	expect("0.0 pthread_mutex_clocklock mutex:%p 0 flags=", (void *)p);
	expect("0.0 pthread_mutex_unlock mutex:%p 0", (void *)p);
	expect("0.0 pthread_mutex_clocklock mutex:%p %d", (void *)p, EINVAL);
}

/* Tests two mutexes that exist one after the other at one address (two objects), a robust mutex, and a
 * misuse that libc reports. */
static void lives(void)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	for (int life = 0; life < 2; life++) {
		CHECK(pthread_mutex_init(&born, &a) == 0);
		expect("0.0 pthread_mutex_init mutex:%p#%d 0", (void *)&born, life);
		CHECK(pthread_mutex_unlock(&born) == EPERM);
		expect("0.0 pthread_mutex_unlock mutex:%p#%d %d", (void *)&born, life, EPERM);
		CHECK(pthread_mutex_lock(&born) == 0);
		expect("0.0 pthread_mutex_lock mutex:%p#%d 0", (void *)&born, life);
		CHECK(pthread_mutex_lock(&born) == EDEADLK);
		expect("0.0 pthread_mutex_lock mutex:%p#%d %d", (void *)&born, life, EDEADLK);
		CHECK(pthread_mutex_consistent(&born) == EINVAL);
		expect("0.0 pthread_mutex_consistent mutex:%p#%d %d", (void *)&born, life, EINVAL);
		CHECK(pthread_mutex_unlock(&born) == 0);
		expect("0.0 pthread_mutex_unlock mutex:%p#%d 0", (void *)&born, life);
		CHECK(pthread_mutex_destroy(&born) == 0);
		expect("0.0 pthread_mutex_destroy mutex:%p#%d 0", (void *)&born, life);
	}
}

static void c11_calls(void)
{
	struct timespec t = deadline(CLOCK_REALTIME, 1000);

	CHECK(mtx_init(&c11, mtx_timed) == thrd_success);
	CHECK(mtx_lock(&c11) == thrd_success);
	CHECK(mtx_trylock(&c11) == thrd_busy);
	CHECK(mtx_unlock(&c11) == thrd_success);
	CHECK(mtx_timedlock(&c11, &t) == thrd_success);
	CHECK(mtx_unlock(&c11) == thrd_success);
	mtx_destroy(&c11);
	expect("0.0 mtx_init mutex:%p 0", (void *)&c11);
	expect("0.0 mtx_lock mutex:%p 0", (void *)&c11);
	expect("0.0 mtx_trylock mutex:%p %d", (void *)&c11, thrd_busy);
	expect("0.0 mtx_unlock mutex:%p 0", (void *)&c11);
	expect("0.0 mtx_timedlock mutex:%p 0", (void *)&c11);
	expect("0.0 mtx_unlock mutex:%p 0", (void *)&c11);
	expect("0.0 mtx_destroy mutex:%p 0", (void *)&c11);
}

/* libc would lock and unlock the mutex in this call, but this mutex has no priority ceiling. */
static void ceiling(void)
{
	int was;

	CHECK(pthread_mutex_setprioceiling(&m, 1, &was) == EINVAL);
	expect("0.0 pthread_mutex_setprioceiling mutex:%p %d", (void *)&m, EINVAL);
}

int main(void)
{
	pthread_t thread;

	posix();
	lives();
	c11_calls();
	ceiling();
	CHECK(pthread_mutex_lock(&m) == 0);
	expect("0.0 pthread_mutex_lock mutex:%p 0", (void *)&m);
	CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
	expect("0.0 pthread_create - 0 thread=0.1");
	CHECK(pthread_join(thread, NULL) == 0);
	expect("0.0 pthread_join - 0 thread=0.1");
	CHECK(pthread_create(&thread, NULL, waiter, NULL) == 0);
	expect("0.0 pthread_create - 0 thread=0.2");
	await_others_asleep();
	CHECK(pthread_mutex_unlock(&m) == 0);
	expect("0.0 pthread_mutex_unlock mutex:%p 0", (void *)&m);
	CHECK(pthread_join(thread, NULL) == 0);
	expect("0.0 pthread_join - 0 thread=0.2");
	return 0;
}
