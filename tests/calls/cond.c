/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Every call on a condition variable. The makefile compiles this file again with OLD_ABI. Then the
 * calls use libc's older layout, like the calls of programs that were linked long ago.
 */
#include <threads.h>

#include "tests/calls/expect.h"

#if defined(OLD_ABI)
#if !defined(__x86_64__)
int main(void)
{
	return 77;
}
#else
__asm__(".symver pthread_cond_init, pthread_cond_init@GLIBC_2.2.5");
__asm__(".symver pthread_cond_destroy, pthread_cond_destroy@GLIBC_2.2.5");
__asm__(".symver pthread_cond_wait, pthread_cond_wait@GLIBC_2.2.5");
__asm__(".symver pthread_cond_timedwait, pthread_cond_timedwait@GLIBC_2.2.5");
__asm__(".symver pthread_cond_signal, pthread_cond_signal@GLIBC_2.2.5");
__asm__(".symver pthread_cond_broadcast, pthread_cond_broadcast@GLIBC_2.2.5");
#define HAS_MAIN 1
#endif
#else
#define HAS_MAIN 1
#endif

#if defined(HAS_MAIN)
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static int round_now;

static void *wake(void *arg)
{
	for (int i = 0; i < 2; i++) {
		CHECK(pthread_mutex_lock(&m) == 0);
		round_now++;
		if (i == 0) {
			CHECK(pthread_cond_signal(&c) == 0);
			expect("0.1 pthread_cond_signal cond:%p 0", (void *)&c);
		} else {
			CHECK(pthread_cond_broadcast(&c) == 0);
			expect("0.1 pthread_cond_broadcast cond:%p 0", (void *)&c);
		}
		CHECK(pthread_mutex_unlock(&m) == 0);
		await_others_asleep();
	}
	return arg;
}

static void timeouts(void)
{
	struct timespec t = deadline(CLOCK_REALTIME, 5);

	CHECK(pthread_cond_timedwait(&c, &m, &t) == ETIMEDOUT);
	expect("0.0 pthread_cond_timedwait cond:%p %d object2=mutex:%p flags=blocked", (void *)&c,
	       ETIMEDOUT, (void *)&m);
#if !defined(OLD_ABI)
	t = deadline(CLOCK_MONOTONIC, 5);
	CHECK(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
	expect("0.0 pthread_cond_clockwait cond:%p %d object2=mutex:%p flags=blocked", (void *)&c,
	       ETIMEDOUT, (void *)&m);
#endif
}

#if !defined(OLD_ABI)
static void c11_calls(void)
{
	struct timespec t = deadline(CLOCK_REALTIME, 5);
	static mtx_t m11;
	static cnd_t c11;

	CHECK(mtx_init(&m11, mtx_plain) == thrd_success);
	CHECK(cnd_init(&c11) == thrd_success);
	CHECK(mtx_lock(&m11) == thrd_success);
	CHECK(cnd_timedwait(&c11, &m11, &t) == thrd_timedout);
	CHECK(cnd_signal(&c11) == thrd_success);
	CHECK(cnd_broadcast(&c11) == thrd_success);
	cnd_destroy(&c11);
	expect("0.0 cnd_init cond:%p#0 0", (void *)&c11);
	expect("0.0 cnd_timedwait cond:%p %d object2=mutex:%p", (void *)&c11, thrd_timedout,
	       (void *)&m11);
	expect("0.0 cnd_signal cond:%p 0", (void *)&c11);
	expect("0.0 cnd_broadcast cond:%p 0", (void *)&c11);
	expect("0.0 cnd_destroy cond:%p 0", (void *)&c11);
}

static cnd_t c11_go;
static mtx_t c11_lock;
static int c11_done;

static int c11_wake(void *arg)
{
	(void)arg;
	mtx_lock(&c11_lock);
	c11_done = 1;
	CHECK(cnd_signal(&c11_go) == thrd_success);
	expect("0.2 cnd_signal cond:%p 0", (void *)&c11_go);
	mtx_unlock(&c11_lock);
	return 5;
}

static void c11_wait(void)
{
	thrd_t thread;
	int rv;

	CHECK(mtx_init(&c11_lock, mtx_plain) == thrd_success);
	CHECK(cnd_init(&c11_go) == thrd_success);
	expect("0.0 cnd_init cond:%p 0", (void *)&c11_go);
	mtx_lock(&c11_lock);
	CHECK(thrd_create(&thread, c11_wake, NULL) == thrd_success);
	while (!c11_done) {
		CHECK(cnd_wait(&c11_go, &c11_lock) == thrd_success);
		expect("0.0 cnd_wait cond:%p 0 object2=mutex:%p flags=blocked", (void *)&c11_go,
		       (void *)&c11_lock);
	}
	mtx_unlock(&c11_lock);
	CHECK(thrd_join(thread, &rv) == thrd_success && rv == 5);
}
#endif

int main(void)
{
	pthread_t thread;

	expect("ignore pthread_create pthread_join pthread_mutex_lock pthread_mutex_unlock");
	expect("ignore thrd_create thrd_join mtx_init mtx_lock mtx_unlock");
	CHECK(pthread_cond_init(&c, NULL) == 0);
	expect("0.0 pthread_cond_init cond:%p 0", (void *)&c);
	CHECK(pthread_mutex_lock(&m) == 0);
	timeouts();
	CHECK(pthread_create(&thread, NULL, wake, NULL) == 0);
	for (int i = 1; i <= 2; i++)
		while (round_now < i) {
			CHECK(pthread_cond_wait(&c, &m) == 0);
			expect("0.0 pthread_cond_wait cond:%p 0 object2=mutex:%p flags=blocked",
			       (void *)&c, (void *)&m);
		}
	CHECK(pthread_mutex_unlock(&m) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(pthread_cond_destroy(&c) == 0);
	expect("0.0 pthread_cond_destroy cond:%p 0", (void *)&c);
#if !defined(OLD_ABI)
	c11_calls();
	c11_wait();
#endif
	return 0;
}
#endif
