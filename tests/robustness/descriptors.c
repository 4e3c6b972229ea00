/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Effects of the wrappers around calls on file descriptors that a program could notice: errno,
 * EINTR, cancellation, descriptor numbers, the next number while other threads are at work. The
 * output must be the same traced and untraced.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

static int pair[2], pipes[2], listener, idle_epoll;
static struct sockaddr_in address;
/* volatile, so that the compiler does not know the invalid address */
static void *volatile nowhere = (void *)8;

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "descriptors: %s: %s\n", what, strerror(errno));
	_exit(9);
}

/* ---- errno after success and after failure ---- */

#define SHOW(call_)                                                                                \
	do {                                                                                       \
		errno = 0xBEEF;                                                                    \
		long rv_ = (long)(call_);                                                          \
		int errno_ = errno;                                                                \
		printf("%s: %ld %d\n", #call_, rv_, errno_);                                       \
	} while (0)

static void show_errno(void)
{
	char b[64] = "";
	struct iovec v = {b, 4};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	struct mmsghdr mm = {.msg_hdr = m};
	struct epoll_event e = {.events = EPOLLIN}, *bad = nowhere;
	struct pollfd p = {.fd = pair[0], .events = POLLOUT};
	int fds[2], fd;
	fd_set set;

	SHOW(write(pair[0], "0123456789abcdefghijklmnopqrstuvwxyz", 36));
	SHOW(read(pair[1], b, 4));
	SHOW(recv(pair[1], b, 4, MSG_PEEK));
	SHOW(recvfrom(pair[1], b, 4, 0, NULL, NULL));
	SHOW(readv(pair[1], &v, 1));
	SHOW(recvmsg(pair[1], &m, 0));
	SHOW(recvmmsg(pair[1], &mm, 1, 0, NULL));
	SHOW(writev(pair[0], &v, 1));
	SHOW(sendmsg(pair[0], &m, 0));
	SHOW(sendmmsg(pair[0], &mm, 1, 0));
	SHOW(poll(&p, 1, 0));
	SHOW(pipe(fds));
	SHOW(close(fds[0]));
	SHOW(dup2(fds[1], 40));
	SHOW(fcntl(40, F_DUPFD, 41));
	SHOW(fcntl(40, F_GETFD));
	SHOW(close(40));
	SHOW(close_range(41, 45, 0));
	SHOW(close(fds[1]));
	SHOW(eventfd(1, 0));
	fd = epoll_create1(0);
	SHOW(epoll_ctl(fd, EPOLL_CTL_ADD, pair[1], &e));
	SHOW(epoll_wait(fd, &e, 1, 0));
	SHOW(epoll_ctl(fd, EPOLL_CTL_MOD, pair[1], bad));
	SHOW(epoll_wait(fd, bad, 1, 0));
	FD_ZERO(&set);
	FD_SET(pair[1], &set);
	SHOW(select(pair[1] + 1, &set, NULL, NULL, NULL));
	SHOW(socket(AF_INET, SOCK_STREAM, 0));
	SHOW(socket(-1, 0, 0));
	SHOW(bind(pair[0], NULL, 0));
	SHOW(bind(-1, nowhere, 16));
	SHOW(connect(pair[0], nowhere, 16));
	SHOW(accept(pair[0], NULL, NULL));
	SHOW(send(pair[0], nowhere, 16, 0));
	SHOW(recv(pair[1], nowhere, 16, MSG_DONTWAIT));
	SHOW(recvmsg(pair[1], nowhere, MSG_DONTWAIT));
	SHOW(sendmmsg(pair[0], nowhere, 2, 0));
	SHOW(writev(pair[0], nowhere, 2));
	SHOW(poll(nowhere, 2, 0));
	SHOW(pipe(nowhere));
	SHOW(read(-1, b, 1));
	SHOW(close(-1));
	SHOW(dup(1000000));
	SHOW(dup2(0, -1));
	SHOW(listen(-1, 1));
	SHOW(shutdown(fd, 0));
	SHOW(close_range(5, 4, 0));
	SHOW(open("/nonexistent", O_RDONLY));
	SHOW(recv(pair[1], b, 64, 0));
	SHOW(recv(pair[1], b, 64, MSG_DONTWAIT));
}

/* ---- EINTR ---- */

static void on_signal(int number)
{
	(void)number;
}

#define INTERRUPTED(call_)                                                                         \
	do {                                                                                       \
		struct itimerval soon_ = {.it_value = {.tv_usec = 5000}};                          \
		setitimer(ITIMER_REAL, &soon_, NULL);                                              \
		SHOW(call_);                                                                       \
	} while (0)

static void show_eintr(void)
{
	struct sigaction a = {.sa_handler = on_signal};
	struct pollfd p = {.fd = pipes[0], .events = POLLIN};
	struct epoll_event e;
	char b[8];

	sigaction(SIGALRM, &a, NULL);
	INTERRUPTED(read(pipes[0], b, 8));
	INTERRUPTED(recv(pair[1], b, 8, 0));
	INTERRUPTED(poll(&p, 1, -1));
	INTERRUPTED(epoll_wait(idle_epoll, &e, 1, -1));
	INTERRUPTED(select(0, NULL, NULL, NULL, NULL));
	INTERRUPTED(accept(listener, NULL, NULL));
	a.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &a, NULL);
	INTERRUPTED(poll(&p, 1, -1));
}

/* ---- cancellation ---- */

static int nr_cleaned;

static void on_cancel(void *arg)
{
	(void)arg;
	nr_cleaned++;
}

static void *block(void *arg)
{
	struct pollfd p = {.fd = pipes[0], .events = POLLIN};
	struct epoll_event e;
	struct msghdr m = {0};
	struct iovec v;
	char b[8];

	v = (struct iovec){b, 8};
	m.msg_iov = &v;
	m.msg_iovlen = 1;
	pthread_cleanup_push(on_cancel, NULL);
	switch ((int)(long)arg) {
	case 0:
		read(pipes[0], b, 8);
		break;
	case 1:
		recv(pair[1], b, 8, 0);
		break;
	case 2:
		recvmsg(pair[1], &m, 0);
		break;
	case 3:
		poll(&p, 1, -1);
		break;
	case 4:
		epoll_wait(idle_epoll, &e, 1, -1);
		break;
	case 5:
		select(0, NULL, NULL, NULL, NULL);
		break;
	case 6:
		accept(listener, NULL, NULL);
		break;
	case 7:
		readv(pipes[0], &v, 1);
		break;
	}
	pthread_cleanup_pop(0);
	return NULL;
}

static void show_cancellation(void)
{
	pthread_t thread;
	void *result;

	for (long i = 0; i < 8; i++) {
		need(!pthread_create(&thread, NULL, block, (void *)i), "pthread_create");
		usleep(2000);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		printf("cancelled in %ld: %d, cleaned %d\n", i, result == PTHREAD_CANCELED,
		       nr_cleaned);
	}
}

/* ---- the lowest free number is always the same, while other threads open and close ---- */

static volatile int is_over;

static void *busy(void *arg)
{
	struct epoll_event e = {.events = EPOLLOUT};
	struct pollfd p = {.fd = pair[0], .events = POLLOUT};
	int adopted = (int)(long)arg;
	char b[8];

	while (!is_over) {
		poll(&p, 1, 0);
		epoll_ctl(idle_epoll, EPOLL_CTL_ADD, pair[0], &e);
		epoll_wait(idle_epoll, &e, 1, 0);
		epoll_ctl(idle_epoll, EPOLL_CTL_DEL, pair[0], &e);
		send(pair[0], "x", 1, MSG_DONTWAIT);
		recv(pair[1], b, 8, MSG_DONTWAIT);
		write(adopted, "x", 1);
		listen(listener, 5);
	}
	return NULL;
}

static void show_numbers(void)
{
	pthread_t thread;
	int first = dup(0), nr_other = 0, p[2];
	struct sockaddr_in a = address;

	close(first);
	pthread_create(&thread, NULL, busy, (void *)(long)pipes[1]);
	for (int i = 0; i < 20000; i++) {
		int fd = i % 4 == 0   ? dup(0)
		         : i % 4 == 1 ? eventfd(0, 0)
		         : i % 4 == 2 ? open("/dev/null", O_RDONLY)
		                      : socket(AF_INET, SOCK_STREAM, 0);

		nr_other += fd != first;
		if (i % 40 == 3)
			nr_other += connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0;
		close(fd);
		need(!pipe(p), "pipe");
		nr_other += p[0] != first || p[1] != first + 1;
		close(p[0]);
		close(p[1]);
		if (i % 40 == 3) {
			fd = accept(listener, NULL, NULL);
			nr_other += fd != first;
			close(fd);
		}
	}
	is_over = 1;
	pthread_join(thread, NULL);
	printf("other numbers than %d: %d\n", first, nr_other);
}

int main(void)
{
	socklen_t bytes = sizeof(address);

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	need(!pipe(pipes), "pipe");
	fcntl(pipes[1], F_SETFL, O_NONBLOCK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	need(!bind(listener, (struct sockaddr *)&address, bytes), "bind");
	need(!listen(listener, 5), "listen");
	need(!getsockname(listener, (struct sockaddr *)&address, &bytes), "getsockname");
	idle_epoll = epoll_create1(0);
	signal(SIGPIPE, SIG_IGN);
	show_errno();
	show_eintr();
	show_cancellation();
	show_numbers();
	return 0;
}
