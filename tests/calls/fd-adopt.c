/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Eventfds, epoll instances and other endpoints without a kernel name are the same objects in a process
 * that gets them through a socket, as long as a traced process still holds them. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

enum { EVENTFD, TIMERFD, EPOLL, NR_FDS };

union room {
	struct cmsghdr c;
	char room[CMSG_SPACE(NR_FDS * sizeof(int))];
};

static void send_fds(int s, const int *fds, unsigned nr)
{
	union room u = {.c = {.cmsg_len = CMSG_LEN(nr * sizeof(int)),
	                      .cmsg_level = SOL_SOCKET,
	                      .cmsg_type = SCM_RIGHTS}};
	char b = 'x';
	struct iovec v = {&b, 1};
	struct msghdr m = {.msg_iov = &v,
	                   .msg_iovlen = 1,
	                   .msg_control = &u,
	                   .msg_controllen = CMSG_SPACE(nr * sizeof(int))};

	memcpy(CMSG_DATA(&u.c), fds, nr * sizeof(int));
	CHECK(sendmsg(s, &m, 0) == 1);
}

static void receive_fds(int s, int *fds, unsigned nr)
{
	union room u;
	char b;
	struct iovec v = {&b, 1};
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &u, .msg_controllen = sizeof(u)};

	CHECK(recvmsg(s, &m, 0) == 1 && u.c.cmsg_len == CMSG_LEN(nr * sizeof(int)));
	memcpy(fds, CMSG_DATA(&u.c), nr * sizeof(int));
}

static void await(int s)
{
	char b;

	CHECK(recv(s, &b, 1, 0) == 1);
}

static void reap(pid_t pid)
{
	int status;

	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

/*
 * Image P receives descriptors that the parent holds, then descriptors that the parent has closed
 * meanwhile.
 */
static int receiver(int s, int gate, const char *p, int offset)
{
	struct epoll_event event;
	uint64_t v = 1;
	int fds[NR_FDS], lost;

	receive_fds(s, fds, NR_FDS);
	EXPECT(write(fds[EVENTFD], &v, 8), 8,
	       "%s.0 write eventfd:$eventfd2 8 bytes=1 offset=%d flags=", p, offset);
	EXPECT(read(fds[TIMERFD], &v, 8), 8, "%s.0 read timerfd:$timerfd2 8", p);
	EXPECT(epoll_wait(fds[EPOLL], &event, 1, 0), 0, "%s.0 epoll_wait epoll:$epoll2 0", p);
	CHECK(send(s, "", 1, 0) == 1);
	await(gate);
	receive_fds(s, &lost, 1);
	EXPECT(write(lost, &v, 8), 8, "%s.0 write eventfd:$unknown%s 8 bytes=%d flags=nooffset", p,
	       p, (int)v);
	CHECK(send(s, "", 1, 0) == 1);
	return 0;
}

static int new_timer(void)
{
	struct itimerspec at = {{0, 1000000}, {0, 1000000}};
	int t = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	CHECK(t >= 0 && timerfd_settime(t, 0, &at, NULL) == 0);
	return t;
}

/* There are several endpoints of each kind, and the second one goes to the other process. */
static void serve(int s, int gate, int round)
{
	static int fds[NR_FDS], lost;
	uint64_t v = 5;

	if (round == 0) {
		for (int i = 1; i <= 3; i++) {
			int e = eventfd(0, EFD_CLOEXEC), t = new_timer(),
			    ep = epoll_create1(EPOLL_CLOEXEC);

			EXPECT(write(e, &v, 8), 8,
			       "0.0 write eventfd:$eventfd%d 8 bytes=5 offset=0 flags=", i);
			EXPECT(epoll_wait(ep, &(struct epoll_event){0}, 1, 0), 0,
			       "0.0 epoll_wait epoll:$epoll%d 0", i);
			EXPECT(read(t, &v, 8), 8, "0.0 read timerfd:$timerfd%d 8", i);
			v = 5;
			if (i != 2)
				continue;
			fds[EVENTFD] = e;
			fds[TIMERFD] = t;
			fds[EPOLL] = ep;
		}
	}
	send_fds(s, fds, NR_FDS);
	await(s);
	lost = eventfd(0, EFD_CLOEXEC);
	send_fds(s, &lost, 1);
	CHECK(close(lost) == 0 && send(gate, "", 1, 0) == 1);
	await(s);
}

/*
 * The recorder recognizes an endpoint whose descriptor the parent has closed by the child's copy, and
 * by a copy with another number.
 */
static void others(void)
{
	int s[2], e, copy, back;
	uint64_t v = 1;
	pid_t pid;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
	e = eventfd(0, 0);
	EXPECT(write(e, &v, 8), 8, "0.0 write eventfd:$eventfd4 8 bytes=1 offset=0 flags=");
	pid = fork();
	if (pid == 0) {
		copy = dup(e);
		CHECK(close(e) == 0 && eventfd(0, 0) == e);
		EXPECT(write(e, &v, 8), 8, "4.0 write eventfd:$eventfd5 8 bytes=1 offset=0 flags=");
		await(s[1]);
		send_fds(s[1], &copy, 1);
		await(s[1]);
		_exit(0);
	}
	CHECK(close(e) == 0 && eventfd(0, 0) == e);
	EXPECT(write(e, &v, 8), 8, "0.0 write eventfd:$eventfd6 8 bytes=1 offset=0 flags=");
	CHECK(send(s[0], "", 1, 0) == 1);
	receive_fds(s[0], &back, 1);
	EXPECT(write(back, &v, 8), 8, "0.0 write eventfd:$eventfd4 8 bytes=1 offset=1 flags=");
	CHECK(send(s[0], "", 1, 0) == 1);
	reap(pid);
}

int main(int argc, char **argv)
{
	char numbers[2][16];
	int s[2], gate[2];
	pid_t pid;

	if (argc > 1)
		return receiver(atoi(argv[1]), atoi(argv[2]), "3", 6);
	expect("only read write epoll_wait");
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, gate) == 0);
	pid = fork();
	if (pid == 0)
		_exit(receiver(s[1], gate[1], "1", 5));
	serve(s[0], gate[0], 0);
	reap(pid);
	snprintf(numbers[0], sizeof(numbers[0]), "%d", s[1]);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", gate[1]);
	pid = fork();
	if (pid == 0) {
		execl(argv[0], argv[0], numbers[0], numbers[1], NULL);
		_exit(1);
	}
	serve(s[0], gate[0], 1);
	reap(pid);
	others();
	return 0;
}
