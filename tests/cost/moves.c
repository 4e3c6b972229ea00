/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * tests/cost/moves: makes calls on descriptors that move bytes or wait for descriptors, each kind 1024 times. Before and
 * after these calls of one kind it calls mark(), where callgrind begins a new file. Prints a line "NAME CALLS" for each
 * kind. No call waits, so the recorder does the same work in each run.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define WARM 64
#define MANY 1024

static int pair[2], udp[2], pipes[2], event, file, empty, ready, epoll, idle_epoll;
static struct sockaddr_in to;
static char bytes[32];
static struct iovec vector[2] = {{bytes, 16}, {bytes + 16, 16}};

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(9);
}

/* callgrind knows this function by its name. */
void mark(void);
__attribute__((noinline)) void mark(void)
{
	__asm__ volatile("");
}

static void stream(void)
{
	need(send(pair[0], bytes, 32, 0) == 32 && recv(pair[1], bytes, 32, 0) == 32, "stream");
}

static void words(void)
{
	need(write(pair[0], bytes, 32) == 32 && read(pair[1], bytes, 32) == 32, "words");
}

static void vectors(void)
{
	need(writev(pair[0], vector, 2) == 32 && readv(pair[1], vector, 2) == 32, "vectors");
}

static void messages(void)
{
	struct msghdr m = {.msg_iov = vector, .msg_iovlen = 2};

	need(sendmsg(pair[0], &m, 0) == 32 && recvmsg(pair[1], &m, 0) == 32, "messages");
}

static void datagrams(void)
{
	struct sockaddr_in from;
	socklen_t length = sizeof(from);

	need(sendto(udp[0], bytes, 32, 0, (struct sockaddr *)&to, sizeof(to)) == 32 &&
	             recvfrom(udp[1], bytes, 32, 0, (struct sockaddr *)&from, &length) == 32,
	     "datagrams");
}

static void pipe_words(void)
{
	need(write(pipes[1], bytes, 32) == 32 && read(pipes[0], bytes, 32) == 32, "pipe");
}

static void event_words(void)
{
	uint64_t one = 1;

	need(write(event, &one, 8) == 8 && read(event, &one, 8) == 8, "eventfd");
}

static void event_calls(void)
{
	eventfd_t one = 1;

	need(!eventfd_write(event, one) && !eventfd_read(event, &one), "eventfd_write");
}

static void file_words(void)
{
	need(pwrite(file, bytes, 32, 0) == 32 && pread(file, bytes, 32, 0) == 32, "file");
}

static void would_wait(void)
{
	need(recv(empty, bytes, 32, MSG_DONTWAIT) < 0 && errno == EAGAIN &&
	             read(empty, bytes, 32) < 0 && errno == EAGAIN,
	     "EAGAIN");
}

static void polls(void)
{
	struct pollfd p = {.fd = ready, .events = POLLIN};
	fd_set in;

	FD_ZERO(&in);
	FD_SET(ready, &in);
	need(poll(&p, 1, -1) == 1 && select(ready + 1, &in, NULL, NULL, NULL) == 1, "poll");
}

static void epolls(void)
{
	struct epoll_event e[4];

	need(epoll_wait(epoll, e, 4, -1) == 2 && epoll_wait(idle_epoll, e, 4, 0) == 0, "epoll");
}

static void watch(int in, int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};

	need(!epoll_ctl(in, EPOLL_CTL_ADD, fd, &e), "epoll_ctl");
}

static void set_up(void)
{
	socklen_t length = sizeof(to);
	int others[2], more[2];
	char name[] = "/tmp/moves.XXXXXX";

	to.sin_family = AF_INET;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	udp[0] = socket(AF_INET, SOCK_DGRAM, 0);
	udp[1] = socket(AF_INET, SOCK_DGRAM, 0);
	event = eventfd(0, 0);
	epoll = epoll_create1(0);
	idle_epoll = epoll_create1(0);
	file = mkstemp(name);
	unlink(name);
	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair) &&
	             !socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, others) &&
	             !socketpair(AF_UNIX, SOCK_STREAM, 0, more) && !pipe(pipes) &&
	             !bind(udp[1], (struct sockaddr *)&to, sizeof(to)) &&
	             !getsockname(udp[1], (struct sockaddr *)&to, &length) && event >= 0 &&
	             epoll >= 0 && file >= 0 && send(more[0], bytes, 1, 0) == 1 &&
	             send(more[1], bytes, 1, 0) == 1,
	     "set up");
	empty = others[0];
	ready = more[0];
	watch(epoll, more[0]);
	watch(epoll, more[1]);
	watch(idle_epoll, others[0]);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*calls)(void);
	} kinds[] = {
		{"send-recv", stream},     {"read-write", words},
		{"readv-writev", vectors}, {"sendmsg-recvmsg", messages},
		{"datagram", datagrams},   {"pipe", pipe_words},
		{"eventfd", event_words},  {"eventfd-call", event_calls},
		{"file", file_words},      {"eagain", would_wait},
		{"poll-select", polls},    {"epoll-none-two", epolls},
	};

	set_up();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		for (int n = 0; n < WARM; n++)
			kinds[i].calls();
		mark();
		for (int n = 0; n < MANY; n++)
			kinds[i].calls();
		mark();
		printf("%s %d\n", kinds[i].name, 2 * MANY);
	}
	return 0;
}
