/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests every way to create, end and join threads; a new thread has the number that its creator
 * announced. */
#include <threads.h>

#include "tests/calls/expect.h"

static void *returns(void *arg)
{
	return arg;
}

static void *exits(void *arg)
{
	expect("0.2 thread_start - 0 thread=0.0");
	expect("0.2 pthread_exit - 0");
	expect("0.2 thread_end - 0 thread=0.2 arg=-");
	pthread_exit(arg);
}

static int seven(void *arg)
{
	(void)arg;
	return 7;
}

static int c11_exits(void *arg)
{
	(void)arg;
	expect("0.4 thread_start - 0 thread=0.0");
	expect("0.4 thrd_exit - 8");
	expect("0.4 thread_end - 0 thread=0.4 arg=-");
	thrd_exit(8);
}

static volatile bool may_end;

static void *sleeps(void *arg)
{
	while (!may_end)
		sleep_ms(1);
	await_others_asleep();
	return arg;
}

static void *waits_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void expect_run_and(int t, const char *end)
{
	expect("0.%d thread_start - 0 thread=0.0", t);
	expect("0.%d thread_end - 0 thread=0.%d arg=%s", t, t, end);
}

static void expect_run(int t)
{
	expect_run_and(t, "-");
}

static void posix(void)
{
	int value;
	pthread_t t;
	void *rv;

	CHECK(pthread_create(&t, NULL, returns, &value) == 0);
	expect("0.0 pthread_create - 0 thread=0.1");
	expect_run(1);
	CHECK(pthread_join(t, &rv) == 0 && rv == &value);
	expect("0.0 pthread_join - 0 thread=0.1");
	CHECK(pthread_create(&t, NULL, exits, &value) == 0);
	expect("0.0 pthread_create - 0 thread=0.2");
	CHECK(pthread_join(t, &rv) == 0 && rv == &value);
	expect("0.0 pthread_join - 0 thread=0.2");
}

static void c11(void)
{
	thrd_t t;
	int rv;

	CHECK(thrd_create(&t, seven, NULL) == thrd_success);
	expect("0.0 thrd_create - 0 thread=0.3");
	expect_run(3);
	CHECK(thrd_join(t, &rv) == thrd_success && rv == 7);
	expect("0.0 thrd_join - 0 thread=0.3");
	CHECK(thrd_create(&t, c11_exits, NULL) == thrd_success);
	expect("0.0 thrd_create - 0 thread=0.4");
	CHECK(thrd_join(t, &rv) == thrd_success && rv == 8);
	expect("0.0 thrd_join - 0 thread=0.4");
	CHECK(thrd_create(&t, seven, NULL) == thrd_success);
	expect("0.0 thrd_create - 0 thread=0.5");
	expect_run(5);
	CHECK(thrd_detach(t) == thrd_success);
	expect("0.0 thrd_detach - 0 thread=0.5");
}

static void joins(void)
{
	struct timespec at = deadline(CLOCK_REALTIME, 5);
	pthread_t t;

	CHECK(pthread_create(&t, NULL, sleeps, NULL) == 0);
	expect("0.0 pthread_create - 0 thread=0.6");
	expect_run(6);
	CHECK(pthread_tryjoin_np(t, NULL) == EBUSY);
	expect("0.0 pthread_tryjoin_np - %d thread=0.6", EBUSY);
	CHECK(pthread_timedjoin_np(t, NULL, &at) == ETIMEDOUT);
	expect("0.0 pthread_timedjoin_np - %d thread=0.6", ETIMEDOUT);
	may_end = true;
	at = deadline(CLOCK_MONOTONIC, 60000);
	CHECK(pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &at) == 0);
	expect("0.0 pthread_clockjoin_np - 0 thread=0.6 flags=blocked");
	CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
	expect("0.0 pthread_join - %d thread=0.0", EDEADLK);
}

static void others(void)
{
	pthread_attr_t a;
	pthread_t t;
	void *rv;

	CHECK(pthread_create(&t, NULL, waits_for_ever, NULL) == 0);
	expect("0.0 pthread_create - 0 thread=0.7");
	expect_run_and(7, "1"); /* cancelled */
	CHECK(pthread_setname_np(t, "a-name") == 0);
	expect("0.0 pthread_setname_np - 0 thread=0.7");
	CHECK(pthread_cancel(t) == 0);
	expect("0.0 pthread_cancel - 0 thread=0.7");
	CHECK(pthread_join(t, &rv) == 0 && rv == PTHREAD_CANCELED);
	expect("0.0 pthread_join - 0 thread=0.7");
	CHECK(pthread_create(&t, NULL, returns, NULL) == 0);
	expect("0.0 pthread_create - 0 thread=0.8");
	expect_run(8);
	CHECK(pthread_detach(t) == 0);
	expect("0.0 pthread_detach - 0 thread=0.8");
	sleep_ms(30);
	pthread_attr_init(&a);
	CHECK(pthread_attr_setstacksize(&a, 16384) == 0);
	CHECK(pthread_create(&t, &a, returns, NULL) == 0);
	expect("0.0 pthread_create - 0 thread=0.9");
	expect_run(9);
	CHECK(pthread_join(t, NULL) == 0);
	expect("0.0 pthread_join - 0 thread=0.9");
}

int main(void)
{
	expect("ignore pthread_once"); /* libgcc makes these calls when it unwinds a thread */
	expect("0.0 process_start - 0");
	posix();
	c11();
	joins();
	others();
	expect("0.0 process_end - 0");
	return 0;
}
