/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A server with two threads: an event loop reads the kinds of requests from a pipe, and answers them, some with the help of
 * a worker. Most requests are of kind 0. Each of the 20 rare kinds occurs once; it takes a lock in a function of its own.
 *
 * sampling REQUESTS
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, work_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int nr_waiting;
static volatile unsigned long sum;

/* clang-format off */
#define KINDS(KIND) \
	KIND(1) KIND(2) KIND(3) KIND(4) KIND(5) KIND(6) KIND(7) KIND(8) KIND(9) KIND(10) \
	KIND(11) KIND(12) KIND(13) KIND(14) KIND(15) KIND(16) KIND(17) KIND(18) KIND(19) KIND(20)
/* clang-format on */

#define RARE(n_)                                                                                   \
	NOINLINE static void answer_##n_(void)                                                     \
	{                                                                                          \
		pthread_mutex_lock(&lock);                                                         \
		for (int i = 0; i < 2000 * (n_); i++)                                              \
			sum += (unsigned long)i;                                                   \
		pthread_mutex_unlock(&lock);                                                       \
	}
#define ADDRESS(n_) answer_##n_,

KINDS(RARE)
static void (*const rare[])(void) = {KINDS(ADDRESS)};
#define NR_RARE (sizeof(rare) / sizeof(*rare))

NOINLINE static void answer_often(void)
{
	pthread_mutex_lock(&lock);
	sum++;
	pthread_mutex_unlock(&lock);
}

NOINLINE static void hand_over(void)
{
	pthread_mutex_lock(&work_lock);
	nr_waiting++;
	pthread_cond_signal(&arrived);
	pthread_mutex_unlock(&work_lock);
}

static void *work(void *unused)
{
	for (int nr = 1; nr;) {
		pthread_mutex_lock(&work_lock);
		while (!nr_waiting)
			pthread_cond_wait(&arrived, &work_lock);
		nr = nr_waiting < 0 ? 0 : nr_waiting;
		nr_waiting = 0;
		pthread_mutex_unlock(&work_lock);
		answer_often();
	}
	return unused;
}

static void serve(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	unsigned char kind;

	for (unsigned n = 0; poll(&p, 1, -1) == 1 && read(fd, &kind, 1) == 1; n++) {
		if (kind)
			rare[kind - 1]();
		else if (n % 10)
			answer_often();
		else
			hand_over();
	}
}

/* The client. Each turn of its loop is one request. */
static void ask(int fd, unsigned nr)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	const unsigned distance = nr / NR_RARE;

	for (unsigned i = 0; i < nr; i++) {
		unsigned char kind = (unsigned char)(i % distance == 7 ? 1 + i / distance : 0);

		if (poll(&p, 1, -1) != 1 || write(fd, &kind, 1) != 1)
			_exit(1);
	}
}

int main(int argc, char **argv)
{
	unsigned nr = argc > 1 ? (unsigned)atoi(argv[1]) : 4000;
	pthread_t worker;
	int fds[2];

	if (pipe(fds) || pthread_create(&worker, NULL, work, NULL))
		return 1;
	if (!fork()) {
		close(fds[0]);
		ask(fds[1], nr);
		_exit(0);
	}
	close(fds[1]);
	serve(fds[0]);
	pthread_mutex_lock(&work_lock);
	nr_waiting = -1;
	pthread_cond_signal(&arrived);
	pthread_mutex_unlock(&work_lock);
	pthread_join(worker, NULL);
	return 0;
}
