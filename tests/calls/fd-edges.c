/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests endpoints whose peers are hard to find. The argument selects a kind of endpoint. tests/calls/fd-edges.sh
 * contains the expected happens-before edges. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK(condition_)                                                                          \
	do {                                                                                       \
		if (!(condition_)) {                                                               \
			fprintf(stderr, "line %d: not true: %s\n", __LINE__, #condition_);         \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)
#define UDP_SEGMENT 103
#define UDP_GRO 104
#define NR_WAITERS 3

/* ---- one thing to do in another thread, waited for ---- */

struct job {
	int fd, flags;
	size_t bytes;
	const struct sockaddr_in *to;
};

static void *send_it(void *arg)
{
	struct job *j = arg;
	static char b[1000];

	CHECK(j->to ? sendto(j->fd, b, j->bytes, j->flags, (const void *)j->to, sizeof(*j->to)) ==
	                      (ssize_t)j->bytes
	      : j->flags ? send(j->fd, b, j->bytes, j->flags) == (ssize_t)j->bytes
	                 : write(j->fd, b, j->bytes) == (ssize_t)j->bytes);
	return NULL;
}

static void elsewhere(void *(*run)(void *), void *arg)
{
	pthread_t t;

	CHECK(pthread_create(&t, NULL, run, arg) == 0 && pthread_join(t, NULL) == 0);
}

static void put(int fd, size_t bytes, int flags)
{
	elsewhere(send_it, &(struct job){fd, flags, bytes, NULL});
}

/* ---- sockets ---- */

static struct sockaddr_in loopback(in_port_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = port, .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static struct sockaddr_in bound(int fd, in_port_t port)
{
	struct sockaddr_in a = loopback(port);
	socklen_t bytes = sizeof(a);
	int on = 1;

	CHECK(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0);
	CHECK(bind(fd, (struct sockaddr *)&a, bytes) == 0);
	CHECK(getsockname(fd, (struct sockaddr *)&a, &bytes) == 0);
	return a;
}

static void itself(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = bound(s, 0);
	char b[8];

	CHECK(connect(s, (struct sockaddr *)&a, sizeof(a)) == 0);
	put(s, 3, 0);
	CHECK(recv(s, b, 8, 0) == 3);
}

/* Two connections have the same pair of addresses. */
static void reuse(void)
{
	int l = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = bound(l, 0);
	struct linger reset = {1, 0};
	in_port_t port = 0;
	char b[8];

	CHECK(listen(l, 1) == 0);
	for (int i = 0; i < 2; i++) {
		int c = socket(AF_INET, SOCK_STREAM, 0), s;

		port = bound(c, port).sin_port;
		CHECK(connect(c, (struct sockaddr *)&a, sizeof(a)) == 0);
		CHECK((s = accept(l, NULL, NULL)) >= 0);
		put(c, (size_t)(3 + i), 0);
		CHECK(recv(s, b, 8, 0) == 3 + i);
		CHECK(setsockopt(c, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) == 0);
		close(c);
		close(s);
	}
}

static void mapped(void)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6};
	socklen_t bytes = sizeof(a);
	int l = socket(AF_INET6, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), s;
	struct sockaddr_in to;
	char b[8];

	if (l < 0 || bind(l, (struct sockaddr *)&a, bytes))
		_exit(77);
	CHECK(listen(l, 1) == 0 && getsockname(l, (struct sockaddr *)&a, &bytes) == 0);
	to = loopback(a.sin6_port);
	CHECK(connect(c, (struct sockaddr *)&to, sizeof(to)) == 0);
	CHECK((s = accept(l, NULL, NULL)) >= 0);
	put(c, 4, 0);
	CHECK(recv(s, b, 8, 0) == 4);
	put(s, 5, 0);
	CHECK(recv(c, b, 8, 0) == 5);
}

/* A connection to port 7000 is redirected to 7001 (tests/calls/fd-edges.sh). */
static void redirected(void)
{
	int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), s;
	struct sockaddr_in to = loopback(htons(7000));
	char b[8];

	bound(l, htons(7001));
	CHECK(listen(l, 1) == 0);
	CHECK(connect(c, (struct sockaddr *)&to, sizeof(to)) == 0);
	CHECK((s = accept(l, NULL, NULL)) >= 0);
	put(c, 4, 0);
	CHECK(recv(s, b, 8, 0) == 4);
	put(s, 5, 0);
	CHECK(recv(c, b, 8, 0) == 5);
}

/* The position of the urgent byte in the stream depends on the receiver's options. */
static void urgent(int is_inline)
{
	int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), s;
	struct sockaddr_in a = bound(l, 0);
	char b[8];

	CHECK(listen(l, 1) == 0 && connect(c, (struct sockaddr *)&a, sizeof(a)) == 0);
	CHECK((s = accept(l, NULL, NULL)) >= 0);
	CHECK(setsockopt(s, SOL_SOCKET, SO_OOBINLINE, &is_inline, sizeof(is_inline)) == 0);
	put(c, 2, 0);
	CHECK(recv(s, b, 2, MSG_WAITALL) == 2);
	put(c, 3, MSG_OOB);
	put(c, 4, 0);
	for (int left = is_inline ? 7 : 6; left > 0;) {
		ssize_t nr = recv(s, b, (size_t)left, 0);

		CHECK(nr > 0);
		left -= (int)nr;
	}
}

/* Tests one send that the kernel splits into three datagrams of 100 bytes, then datagrams of 100 and of
 * 77 bytes. */
static void segments(int is_joined)
{
	int r = socket(AF_INET, SOCK_DGRAM, 0), s = socket(AF_INET, SOCK_DGRAM, 0), bytes = 100,
	    on = 1, none = 0, nr = 0;
	struct sockaddr_in a = bound(r, 0);
	char b[1000];

	bound(s, 0);
	if (setsockopt(s, IPPROTO_UDP, UDP_SEGMENT, &bytes, sizeof(bytes)))
		_exit(77);
	CHECK(!is_joined || setsockopt(r, IPPROTO_UDP, UDP_GRO, &on, sizeof(on)) == 0);
	elsewhere(send_it, &(struct job){s, 0, 300, &a});
	CHECK(setsockopt(s, IPPROTO_UDP, UDP_SEGMENT, &none, sizeof(none)) == 0);
	elsewhere(send_it, &(struct job){s, 0, 100, &a});
	elsewhere(send_it, &(struct job){s, 0, 77, &a});
	while (nr < 477) {
		ssize_t got = recv(r, b, sizeof(b), 0);

		CHECK(got > 0);
		nr += (int)got;
	}
}

/* When all fds of a FIFO are closed, the bytes left in it are lost. */
static void fifo(void)
{
	char b[8];
	int f;

	CHECK(mkfifo("fifo", 0600) == 0);
	CHECK((f = open("fifo", O_RDWR)) >= 0);
	put(f, 5, 0);
	CHECK(read(f, b, 2) == 2);
	close(f);
	CHECK((f = open("fifo", O_RDWR)) >= 0);
	put(f, 4, 0);
	CHECK(read(f, b, 8) == 4);
}

/* ---- several that wait for one eventfd ---- */

static int event, epolls[NR_WAITERS];
static unsigned nr_returned;

static void *wait_for(void *arg)
{
	struct epoll_event e;

	if (epoll_wait(*(int *)arg, &e, 1, 2000) == 1)
		__atomic_add_fetch(&nr_returned, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void watch(int epoll, int op, uint32_t how)
{
	struct epoll_event e = {.events = EPOLLIN | how};

	CHECK(epoll_ctl(epoll, op, event, &e) == 0);
}

static void waiters(int are_apart, uint32_t how, int is_again)
{
	pthread_t t[NR_WAITERS];

	event = eventfd(0, 0);
	for (int i = 0; i < NR_WAITERS; i++) {
		epolls[i] = i && !are_apart ? epolls[0] : epoll_create1(0);
		if (!i || are_apart)
			watch(epolls[i], EPOLL_CTL_ADD, how);
	}
	for (int i = 0; i < NR_WAITERS; i++)
		CHECK(pthread_create(&t[i], NULL, wait_for, &epolls[i]) == 0);
	usleep(50000);
	CHECK(eventfd_write(event, 1) == 0);
	if (is_again) {
		CHECK(pthread_join(t[0], NULL) == 0 && pthread_join(t[1], NULL) == 0 &&
		      pthread_join(t[2], NULL) == 0);
		CHECK(nr_returned == 1);
		CHECK(pthread_create(&t[0], NULL, wait_for, &epolls[0]) == 0);
		usleep(50000);
		watch(epolls[0], EPOLL_CTL_MOD, how);
		CHECK(pthread_join(t[0], NULL) == 0);
		CHECK(nr_returned == 2);
	} else {
		for (int i = 0; i < NR_WAITERS; i++)
			CHECK(pthread_join(t[i], NULL) == 0);
	}
	CHECK(nr_returned);
	printf("%u\n", nr_returned);
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	if (!strcmp(part, "itself"))
		itself();
	else if (!strcmp(part, "reuse"))
		reuse();
	else if (!strcmp(part, "mapped"))
		mapped();
	else if (!strcmp(part, "redirected"))
		redirected();
	else if (!strcmp(part, "urgent"))
		urgent(0);
	else if (!strcmp(part, "inline"))
		urgent(1);
	else if (!strcmp(part, "split"))
		segments(0);
	else if (!strcmp(part, "joined"))
		segments(1);
	else if (!strcmp(part, "fifo"))
		fifo();
	else if (!strcmp(part, "level"))
		waiters(0, 0, 0);
	else if (!strcmp(part, "edge"))
		waiters(0, EPOLLET, 0);
	else if (!strcmp(part, "oneshot"))
		waiters(0, EPOLLONESHOT, 1);
	else if (!strcmp(part, "apart"))
		waiters(1, 0, 0);
	else if (!strcmp(part, "exclusive"))
		waiters(1, EPOLLEXCLUSIVE, 0);
	else
		return 99;
	return 0;
}
