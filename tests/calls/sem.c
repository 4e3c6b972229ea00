/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Every call on a semaphore, unnamed and named. */
#include <fcntl.h>
#include <semaphore.h>

#include "tests/calls/expect.h"

static sem_t s;

#define CALLED(t_, name_, rv_, fields_, ...)                                                       \
	do {                                                                                       \
		CHECK(name_(&s, ##__VA_ARGS__) == (rv_));                                          \
		expect("0.%d " #name_ " sem:%p %d " fields_, t_, (void *)&s, rv_);                 \
	} while (0)

#define FAILED(name_, err_, fields_, ...)                                                          \
	do {                                                                                       \
		CHECK(name_(&s, ##__VA_ARGS__) == -1 && errno == (err_));                          \
		expect("0.0 " #name_ " sem:%p -1 errno=%d " fields_, (void *)&s, err_);            \
	} while (0)

static void *poster(void *arg)
{
	await_others_asleep();
	CALLED(1, sem_post, 0, "");
	return arg;
}

static void named(void)
{
	char name[64];
	sem_t *n;

	snprintf(name, sizeof(name), "/syntrace-test-%d", (int)getpid());
	n = sem_open(name, O_CREAT | O_EXCL, 0600, 3);
	CHECK(n != SEM_FAILED);
	expect("0.0 sem_open sem:$n 0 arg=3");
	CHECK(sem_wait(n) == 0);
	expect("0.0 sem_wait sem:$n 0");
	CHECK(sem_open(name, O_CREAT | O_EXCL, 0600, 3) == SEM_FAILED && errno == EEXIST);
	expect("0.0 sem_open - -1 errno=%d", EEXIST);
	/* a second sem_open of the same semaphore returns the same address */
	CHECK(sem_open(name, 0) == n);
	expect("0.0 sem_open sem:$n 0 arg=2");
	CHECK(sem_close(n) == 0);
	expect("0.0 sem_close sem:$n 0");
	CHECK(sem_unlink(name) == 0);
	expect("0.0 sem_unlink - 0");
	CHECK(sem_unlink(name) == -1 && errno == ENOENT);
	expect("0.0 sem_unlink - -1 errno=%d", ENOENT);
}

int main(void)
{
	struct timespec t = deadline(CLOCK_REALTIME, 5), bad = {0, -1};
	pthread_t thread;
	int value = 1;

	expect("ignore pthread_create pthread_join");
	CALLED(0, sem_init, 0, "arg=4", 0, 4);
	errno = 0xbeef;
	CALLED(0, sem_wait, 0, "flags=");
	CALLED(0, sem_trywait, 0, "");
	CALLED(0, sem_timedwait, 0, "flags=", &t);
	t = deadline(CLOCK_MONOTONIC, 5);
	CALLED(0, sem_clockwait, 0, "flags=", CLOCK_MONOTONIC, &t);
	CHECK(errno == 0xbeef);
	FAILED(sem_trywait, EAGAIN, "");
	t = deadline(CLOCK_REALTIME, 5);
	FAILED(sem_timedwait, ETIMEDOUT, "flags=blocked", &t);
	t = deadline(CLOCK_MONOTONIC, 5);
	FAILED(sem_clockwait, ETIMEDOUT, "flags=blocked", CLOCK_MONOTONIC, &t);
	FAILED(sem_timedwait, EINVAL, "", &bad);
	FAILED(sem_clockwait, EINVAL, "", CLOCK_PROCESS_CPUTIME_ID, &t);
	CHECK(sem_getvalue(&s, &value) == 0 && value == 0);
	expect("0.0 sem_getvalue sem:%p 0", (void *)&s);
	CHECK(pthread_create(&thread, NULL, poster, NULL) == 0);
	errno = 0xbeef;
	CALLED(0, sem_wait, 0, "flags=blocked");
	CHECK(errno == 0xbeef);
	CHECK(pthread_join(thread, NULL) == 0);
	CALLED(0, sem_destroy, 0, "");
	named();
	return 0;
}
