/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Threads with the smallest stack that libc allows, and a main thread that ends by pthread_exit. */
#include <limits.h>
#include <semaphore.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t b;
static sem_t s;
static int go;

static void initialize(void)
{
}

/* A traced thread with 16 KiB of stack can do the same as untraced; no event is expected here. */
static void *calls(void *arg)
{
	struct timespec t = {0, 1000000};
	int status;
	pid_t pid;

	for (int i = 0; i < 1000; i++) {
		CHECK(pthread_mutex_lock(&m) == 0);
		CHECK(pthread_mutex_unlock(&m) == 0);
	}
	CHECK(pthread_mutex_lock(&m) == 0);
	while (!go)
		CHECK(pthread_cond_wait(&c, &m) == 0);
	CHECK(pthread_cond_timedwait(&c, &m, &t) == ETIMEDOUT);
	CHECK(pthread_mutex_unlock(&m) == 0);
	CHECK(pthread_once(&once, initialize) == 0);
	pthread_barrier_wait(&b);
	CHECK(sem_post(&s) == 0 && sem_wait(&s) == 0);
	pid = fork();
	if (pid == 0)
		_exit(2);
	CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 2);
	pid = vfork();
	if (pid == 0) {
		char *const argv[] = {"true", NULL};

		execv("/bin/true", argv);
		_exit(1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	return arg;
}

static void *last(void *arg)
{
	pthread_t main_thread = *(pthread_t *)arg;

	CHECK(pthread_join(main_thread, NULL) == 0);
	expect("0.3 pthread_join - 0 thread=0.0");
	return arg; /* ends the process */
}

int main(void)
{
	static pthread_t self;
	pthread_attr_t a;
	pthread_t t[2];

	expect("only pthread_exit pthread_join");
	self = pthread_self();
	CHECK(pthread_barrier_init(&b, NULL, 2) == 0 && sem_init(&s, 0, 0) == 0);
	pthread_attr_init(&a);
	CHECK(pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN) == 0);
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&t[i], &a, calls, NULL) == 0);
	CHECK(pthread_mutex_lock(&m) == 0);
	go = 1;
	CHECK(pthread_cond_broadcast(&c) == 0);
	CHECK(pthread_mutex_unlock(&m) == 0);
	for (int i = 0; i < 2; i++) {
		CHECK(pthread_join(t[i], NULL) == 0);
		expect("0.0 pthread_join - 0 thread=0.%d", i + 1);
	}
	CHECK(pthread_create(&t[0], NULL, last, &self) == 0);
	expect("0.0 pthread_exit - 0");
	pthread_exit(NULL);
}
