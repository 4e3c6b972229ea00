/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Cancellation goes through the wrappers as it goes through libc: handlers run in their order, a
 * cancelled condition wait holds its mutex in its handlers, and pending requests take effect at the
 * same calls as in libc.
 */
#include <semaphore.h>
#include <threads.h>

#include "tests/calls/expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t ready, token;
static int nr_handlers;

static void first(void *arg)
{
	CHECK(++nr_handlers == 1);
	CHECK(pthread_mutex_unlock(arg) == 0); /* this thread holds the mutex */
	expect("0.1 pthread_mutex_unlock mutex:%p 0", arg);
}

static void second(void *arg)
{
	(void)arg;
	CHECK(++nr_handlers == 2);
}

static void *waits(void *arg)
{
	pthread_cleanup_push(second, NULL);
	CHECK(pthread_mutex_lock(&m) == 0);
	expect("0.1 pthread_mutex_lock mutex:%p 0", (void *)&m);
	pthread_cleanup_push(first, &m);
	CHECK(sem_post(&ready) == 0);
	expect("0.1 sem_post sem:%p 0", (void *)&ready);
	expect("0.1 cond_cancelled cond:%p 0 object2=mutex:%p flags=blocked", (void *)&c,
	       (void *)&m);
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return arg;
}

/* The semaphore has a token, but a cancellation is pending: libc cancels the thread, and the token
 * stays. */
static void *pending(void *arg)
{
	expect("0.2 pthread_cancel - 0 thread=0.2");
	pthread_cancel(pthread_self());
	sem_wait(&token);
	CHECK(!"cancelled");
	return arg;
}

static void *pending_read(void *arg)
{
	char byte;

	expect("0.3 pthread_cancel - 0 thread=0.3");
	pthread_cancel(pthread_self());
	CHECK(read(*(int *)arg, &byte, 1) < 0 && !"cancelled");
	return arg;
}

/* Tests cancellation in an initializer of call_once: the next caller runs the initializer again. */
static once_flag once = ONCE_FLAG_INIT;
static int nr_initialized;

static void initializer(void)
{
	if (++nr_initialized == 1) {
		expect("0.4 pthread_cancel - 0 thread=0.4");
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
}

static void *cancelled_once(void *arg)
{
	call_once(&once, initializer);
	CHECK(!"cancelled");
	return arg;
}

/* Tests a cancellation that arrives while the thread waits for a child or another thread. */
static void *joins(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL);
	CHECK(!"cancelled");
	return arg;
}

static pthread_t start(void *(*routine)(void *), void *arg)
{
	pthread_t t;

	CHECK(pthread_create(&t, NULL, routine, arg) == 0);
	return t;
}

static void join_cancelled(pthread_t t)
{
	void *rv;

	CHECK(pthread_join(t, &rv) == 0 && rv == PTHREAD_CANCELED);
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t, self = pthread_self();
	int ends[2], value;

	expect("ignore pthread_create pthread_join pipe read close sem_init pthread_mutex_init");
	/* libgcc makes these calls when it unwinds a thread */
	expect("ignore pthread_once sem_getvalue");
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	CHECK(pthread_mutex_init(&m, &a) == 0 && pipe(ends) == 0);
	CHECK(sem_init(&ready, 0, 0) == 0 && sem_init(&token, 0, 1) == 0);

	t = start(waits, NULL);
	CHECK(sem_wait(&ready) == 0);
	expect("0.0 sem_wait sem:%p 0", (void *)&ready);
	CHECK(pthread_mutex_lock(&m) == 0); /* the other thread now waits */
	expect("0.0 pthread_mutex_lock mutex:%p 0", (void *)&m);
	CHECK(pthread_mutex_unlock(&m) == 0);
	expect("0.0 pthread_mutex_unlock mutex:%p 0", (void *)&m);
	CHECK(pthread_cancel(t) == 0);
	expect("0.0 pthread_cancel - 0 thread=0.1");
	join_cancelled(t);
	CHECK(nr_handlers == 2);

	join_cancelled(start(pending, NULL));
	CHECK(sem_getvalue(&token, &value) == 0 && value == 1);
	join_cancelled(start(pending_read, &ends[0]));
	join_cancelled(start(cancelled_once, NULL));
	call_once(&once, initializer);
	expect("0.0 call_once once:%p 0 arg=1", (void *)&once);
	CHECK(nr_initialized == 2);

	t = start(joins, &self);
	await_others_asleep();
	CHECK(pthread_cancel(t) == 0);
	expect("0.0 pthread_cancel - 0 thread=0.5");
	join_cancelled(t);
	return 0;
}
