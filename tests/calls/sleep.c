/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Every way to let time pass: to its end, interrupted, refused, cancelled; and giving up the
 * processor. */
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <threads.h>

#include "tests/calls/expect.h"

static const struct timespec soon = {0, 1000000}, bad = {0, -1}, long_time = {50, 0};
static volatile sig_atomic_t nr_handled;

static void handle(int signal)
{
	(void)signal;
	nr_handled = nr_handled + 1;
}

/* The timer's signal, every 20 ms. A signal before the sleep begins does no harm. */
static void alarms(long us)
{
	struct itimerval t = {{0, us}, {0, us}};

	CHECK(setitimer(ITIMER_REAL, &t, NULL) == 0);
}

static void to_the_end(void)
{
	struct timespec t;

	errno = 0xbeef;
	EXPECT(nanosleep(&soon, NULL), 0, "0.0 nanosleep - 0 flags=blocked");
	EXPECT(clock_nanosleep(CLOCK_MONOTONIC, 0, &soon, NULL), 0,
	       "0.0 clock_nanosleep - 0 flags=blocked");
	t = deadline(CLOCK_MONOTONIC, 2);
	EXPECT(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL), 0,
	       "0.0 clock_nanosleep - 0 flags=blocked");
	EXPECT(usleep(1000), 0, "0.0 usleep - 0 flags=blocked");
	EXPECT(sleep(0), 0, "0.0 sleep - 0 flags=blocked");
	EXPECT(thrd_sleep(&soon, NULL), 0, "0.0 thrd_sleep - 0 flags=blocked");
	CHECK(errno == 0xbeef);
}

static void refused(void)
{
	EXPECT(nanosleep(&bad, NULL), -1, "0.0 nanosleep - -1 errno=EINVAL flags=");
	EXPECT(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL), EINVAL,
	       "0.0 clock_nanosleep - %d flags=", EINVAL);
	EXPECT(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &soon, NULL), EINVAL,
	       "0.0 clock_nanosleep - %d flags=", EINVAL);
	EXPECT(thrd_sleep(&bad, NULL), -2, "0.0 thrd_sleep - -2 flags=");
}

static void interrupted(void)
{
	struct sigaction a = {.sa_handler = handle, .sa_flags = SA_RESTART};
	struct timespec left = {0};
	sigset_t none, alarm;

	sigemptyset(&none);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	CHECK(sigaction(SIGALRM, &a, NULL) == 0);
	alarms(20000);
	EXPECT(nanosleep(&long_time, &left), -1, "0.0 nanosleep - -1 errno=EINTR flags=blocked");
	CHECK(left.tv_sec >= 40 && left.tv_sec < 50);
	left.tv_sec = 0;
	EXPECT(clock_nanosleep(CLOCK_REALTIME, 0, &long_time, &left), EINTR,
	       "0.0 clock_nanosleep - %d flags=blocked", EINTR);
	CHECK(left.tv_sec >= 40);
	EXPECT(usleep(900000), -1, "0.0 usleep - -1 errno=EINTR flags=blocked");
	unsigned rest = sleep(50);
	CHECK(rest > 40);
	expect("0.0 sleep - %u flags=blocked", rest);
	left.tv_sec = 0;
	EXPECT(thrd_sleep(&long_time, &left), -1, "0.0 thrd_sleep - -1 errno=EINTR flags=blocked");
	CHECK(left.tv_sec >= 40);
	EXPECT(pause(), -1, "0.0 pause - -1 errno=EINTR flags=blocked");
	CHECK(sigprocmask(SIG_BLOCK, &alarm, NULL) == 0);
	EXPECT(sigsuspend(&none), -1, "0.0 sigsuspend - -1 errno=EINTR flags=blocked");
	CHECK(nr_handled >= 7);
	alarms(0);
}

static sem_t begun;

static void *cancelled(void *arg)
{
	sem_post(&begun);
	for (;;)
		nanosleep(&long_time, NULL); /* no event: the call does not return */
	return arg;
}

static int cancelled_c11(void *arg)
{
	sem_post(&begun);
	for (;;)
		thrd_sleep(arg, NULL);
	return 0;
}

static void yields(void)
{
	for (int i = 1; i <= 9; i++)
		CHECK(sched_yield() == 0);
	for (int i = 1; i <= 8; i *= 2)
		expect("0.0 sched_yield - 0 count=%d flags=", i);
	EXPECT(nanosleep(&soon, NULL), 0, "0.0 nanosleep - 0 flags=blocked");
	CHECK(sched_yield() == 0);
	expect("0.0 sched_yield - 0 count=1");
	thrd_yield();
	expect("0.0 thrd_yield - 0 count=2"); /* counted with the previous call */
}

int main(void)
{
	pthread_t t;
	thrd_t c;
	void *rv;

	expect("ignore pthread_create pthread_join pthread_cancel thrd_create thrd_join");
	expect("ignore sem_init sem_post sem_wait pthread_once");
	to_the_end();
	refused();
	interrupted();
	CHECK(sem_init(&begun, 0, 0) == 0);
	CHECK(pthread_create(&t, NULL, cancelled, NULL) == 0 && sem_wait(&begun) == 0);
	CHECK(pthread_cancel(t) == 0 && pthread_join(t, &rv) == 0 && rv == PTHREAD_CANCELED);
	CHECK(thrd_create(&c, cancelled_c11, (void *)&long_time) == thrd_success &&
	      sem_wait(&begun) == 0);
	CHECK(pthread_cancel(c) == 0 && thrd_join(c, NULL) == thrd_success);
	yields();
	return 0;
}
