/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Operations of two threads that hand each other the turn: round trips over condition variables,
 * semaphores, a socket pair under epoll, a TCP connection; and the creation of a thread. Both threads
 * run on one CPU, because the cost of waking a second CPU hides all other costs; with the option -a
 * each thread has a CPU, as in most servers.
 */
#define _GNU_SOURCE
#include "ops.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_t other;

static void start(void *(*body)(void *))
{
	pthread_attr_t attr;
	cpu_set_t set;

	pthread_attr_init(&attr);
	if (bench_other_cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET((unsigned)bench_other_cpu, &set);
		pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	}
	if ((errno = pthread_create(&other, &attr, body, NULL)))
		die("pthread_create");
	pthread_attr_destroy(&attr);
}

/* ---- condition variables ---- */

enum { MINE, YOURS, OVER };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t to_me = PTHREAD_COND_INITIALIZER, to_you = PTHREAD_COND_INITIALIZER;
static int turn;

static void *cond_other(void *unused)
{
	pthread_mutex_lock(&mutex);
	for (;;) {
		while (turn == MINE)
			pthread_cond_wait(&to_you, &mutex);
		if (turn == OVER)
			break;
		turn = MINE;
		pthread_cond_signal(&to_me);
	}
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void setup_cond(void)
{
	start(cond_other);
}

static void run_cond(unsigned nr)
{
	pthread_mutex_lock(&mutex);
	while (nr--) {
		turn = YOURS;
		pthread_cond_signal(&to_you);
		while (turn == YOURS)
			pthread_cond_wait(&to_me, &mutex);
	}
	pthread_mutex_unlock(&mutex);
}

static void teardown_cond(void)
{
	pthread_mutex_lock(&mutex);
	turn = OVER;
	pthread_cond_signal(&to_you);
	pthread_mutex_unlock(&mutex);
	pthread_join(other, NULL);
}

/* ---- semaphores ---- */

static sem_t sem_me, sem_you;
static volatile int is_over;

static void *sem_other(void *unused)
{
	while (!sem_wait(&sem_you) && !is_over)
		sem_post(&sem_me);
	return unused;
}

static void setup_sem(void)
{
	sem_init(&sem_me, 0, 0);
	sem_init(&sem_you, 0, 0);
	start(sem_other);
}

static void run_sem(unsigned nr)
{
	while (nr--) {
		sem_post(&sem_you);
		sem_wait(&sem_me);
	}
}

static void teardown_sem(void)
{
	is_over = 1;
	sem_post(&sem_you);
	pthread_join(other, NULL);
}

/* ---- a socket pair under epoll ---- */

static int mine, yours, epoll_me, epoll_you;

static int watch(int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e))
		die("epoll");
	return epoll;
}

/* Waits until the fd in the epoll instance EPOLL is readable, and reads from it. Returns 0 at end of
 * file. */
static int take(int epoll)
{
	struct epoll_event e;
	char byte;

	while (epoll_wait(epoll, &e, 1, -1) != 1)
		if (errno != EINTR)
			die("epoll_wait");
	return read(e.data.fd, &byte, 1) == 1;
}

static void give(int fd)
{
	if (write(fd, "x", 1) != 1)
		die("write");
}

static void *sock_other(void *unused)
{
	while (take(epoll_you))
		give(yours);
	return unused;
}

static void setup_sock(void)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		die("socketpair");
	mine = fds[0];
	yours = fds[1];
	epoll_me = watch(mine);
	epoll_you = watch(yours);
	start(sock_other);
}

static void run_sock(unsigned nr)
{
	while (nr--) {
		give(mine);
		take(epoll_me);
	}
}

static void hang_up(void)
{
	close(mine);
	pthread_join(other, NULL);
	close(yours);
}

static void teardown_sock(void)
{
	hang_up();
	close(epoll_me);
	close(epoll_you);
}

/* ---- a TCP echo over loopback ---- */

static void *tcp_other(void *unused)
{
	char bytes[64];
	ssize_t nr;

	while ((nr = recv(yours, bytes, sizeof(bytes), 0)) > 0)
		if (send(yours, bytes, (size_t)nr, MSG_NOSIGNAL) != nr)
			die("send");
	return unused;
}

static void setup_tcp(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (listener < 0 || bind(listener, (struct sockaddr *)&a, len) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&a, &len))
		die("cannot listen on loopback");
	mine = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (mine < 0 || connect(mine, (struct sockaddr *)&a, len))
		die("connect");
	yours = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (yours < 0)
		die("accept");
	close(listener);
	setsockopt(mine, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(yours, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	start(tcp_other);
}

static void run_tcp(unsigned nr)
{
	char bytes[64] = "a request of a plausible size";

	while (nr--)
		if (send(mine, bytes, sizeof(bytes), MSG_NOSIGNAL) != sizeof(bytes) ||
		    recv(mine, bytes, sizeof(bytes), MSG_WAITALL) != sizeof(bytes))
			die("echo");
}

/* ---- threads ---- */

static void *nothing(void *unused)
{
	return unused;
}

static void run_thread(unsigned nr)
{
	while (nr--) {
		start(nothing);
		pthread_join(other, NULL);
	}
}

const struct op ops_pairs[] = {
	{"cond", "condvar round trip", 4000, setup_cond, run_cond, teardown_cond},
	{"sem", "semaphore round trip", 6000, setup_sem, run_sem, teardown_sem},
	{"sock", "socketpair + epoll round trip", 3000, setup_sock, run_sock, teardown_sock},
	{"tcp", "TCP echo round trip", 1500, setup_tcp, run_tcp, hang_up},
	{"thread", "thread create + join", 500, NULL, run_thread, NULL},
	{0},
};
