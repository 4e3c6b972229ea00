/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests receives that move no bytes, and other unusual calls on fds. */
#include <fcntl.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

#define SEGMENT 103 /* UDP_SEGMENT */

static struct sockaddr_in bound(int fd)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t bytes = sizeof(a);

	CHECK(bind(fd, (struct sockaddr *)&a, bytes) == 0);
	CHECK(getsockname(fd, (struct sockaddr *)&a, &bytes) == 0);
	return a;
}

/* A receive with MSG_PEEK consumes no bytes, at any peek offset. */
static void peek(void)
{
	int s[2], from = 0;
	char b[16];

	EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0,
	       "0.0 socketpair stream:$stream1 0 object2=stream:$stream2");
	CHECK(setsockopt(s[1], SOL_SOCKET, SO_PEEK_OFF, &from, sizeof(from)) == 0);
	EXPECT(send(s[0], "0123456789", 10, 0), 10,
	       "0.0 send stream:$stream1 10 bytes=10 offset=0");
	EXPECT(recv(s[1], b, 3, MSG_PEEK), 3,
	       "0.0 recv stream:$stream2 3 bytes=3 offset=0 flags=peek");
	EXPECT(recv(s[1], b, 3, MSG_PEEK), 3,
	       "0.0 recv stream:$stream2 3 bytes=3 offset=0 flags=peek");
	EXPECT(b[0], '3', "0.0 recv stream:$stream2 10 bytes=10 offset=0 flags=");
	CHECK(recv(s[1], b, 16, 0) == 10);
	close(s[0]);
	close(s[1]);
}

/* An empty datagram is a datagram, and no end of file. */
static void nothing(void)
{
	int s[2];
	char b[16];

	EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, s), 0,
	       "0.0 socketpair dgram:$dgram1 0 object2=dgram:$dgram2");
	EXPECT(send(s[0], b, 0, 0), 0, "0.0 send dgram:$dgram1 0 bytes=0 offset=0 flags=");
	EXPECT(send(s[0], "ab", 2, 0), 2, "0.0 send dgram:$dgram1 2 bytes=2 offset=1 flags=");
	EXPECT(recv(s[1], b, 16, 0), 0, "0.0 recv dgram:$dgram2 0 bytes=0 offset=0 flags=");
	EXPECT(recv(s[1], b, 1, MSG_TRUNC), 2, "0.0 recv dgram:$dgram2 2 bytes=2 offset=1 flags=");
	close(s[0]);
	close(s[1]);
}

/* The kernel splits one send into three datagrams. */
static void segments(void)
{
	int r = socket(AF_INET, SOCK_DGRAM, 0), s = socket(AF_INET, SOCK_DGRAM, 0), bytes = 100;
	struct sockaddr_in a = bound(r);
	char b[300] = "";

	expect("0.0 socket dgram:$dgram3 %d", r);
	expect("0.0 socket dgram:$dgram4 %d", s);
	if (setsockopt(s, IPPROTO_UDP, SEGMENT, &bytes, sizeof(bytes)) == 0) {
		EXPECT(sendto(s, b, 300, 0, (struct sockaddr *)&a, sizeof(a)), 300,
		       "0.0 sendto dgram:$dgram4 300 bytes=300 offset=0");
		for (int i = 0; i < 3; i++)
			EXPECT(recv(r, b, 300, 0), 100,
			       "0.0 recv dgram:$dgram3 100 bytes=100 offset=%d flags=", i);
	}
	close(r);
	close(s);
}

/* A socket that is connected to itself is both ends of the connection. */
static void itself(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = bound(s);
	char b[4];

	expect("0.0 socket stream:$stream3 %d", s);
	CHECK(connect(s, (struct sockaddr *)&a, sizeof(a)) == 0);
	EXPECT(send(s, "abc", 3, 0), 3, "0.0 send stream:$stream3 3 bytes=3 offset=0");
	EXPECT(recv(s, b, 4, 0), 3, "0.0 recv stream:$stream3 3 bytes=3 offset=0");
	close(s);
}

/* A connection that completes later; the content of the error queue is no data. */
static void later(void)
{
	int l = socket(AF_INET, SOCK_STREAM, 0),
	    c = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct sockaddr_in a = bound(l);
	struct pollfd p = {c, POLLOUT, 0};
	int s, error = 1, on = 1;
	socklen_t bytes = sizeof(error);
	char b[64], control[128];
	struct iovec v = {b, sizeof(b)};
	struct msghdr m = {.msg_iov = &v,
	                   .msg_iovlen = 1,
	                   .msg_control = control,
	                   .msg_controllen = sizeof(control)};

	expect("0.0 socket stream:$stream4 %d", l);
	expect("0.0 socket stream:$stream5 %d", c);
	CHECK(listen(l, 1) == 0);
	CHECK(connect(c, (struct sockaddr *)&a, sizeof(a)) == 0 || errno == EINPROGRESS);
	EXPECT(poll(&p, 1, 60000), 1, "0.0 poll - 1 ready=stream:$stream5:out");
	CHECK(getsockopt(c, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error == 0);
	s = accept(l, NULL, NULL);
	if (setsockopt(c, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)) == 0) {
		EXPECT(send(c, b, 64, MSG_ZEROCOPY), 64,
		       "0.0 send stream:$stream5 64 bytes=64 offset=0");
		EXPECT(recv(s, b, 64, MSG_WAITALL), 64,
		       "0.0 recv stream:* 64 bytes=64 offset=0 flags=");
		p.events = 0; /* poll() reports POLLERR when the notice has arrived */
		EXPECT(poll(&p, 1, 60000), 1, "0.0 poll - 1 ready=stream:$stream5:err");
		EXPECT(recvmsg(c, &m, MSG_ERRQUEUE), 0,
		       "0.0 recvmsg stream:$stream5 0 bytes=0 flags=nooffset");
		EXPECT(recv(c, b, 1, 0), -1, "0.0 recv stream:$stream5 -1 errno=EAGAIN");
	}
	close(l);
	close(c);
	close(s);
}

/* Descriptors that the kernel itself makes readable. */
static void others(void)
{
	int in = inotify_init1(0), status;
	pid_t child = fork();
	char b[512];

	if (child == 0)
		_exit(0);
	int fd = pidfd_open(child, 0);
	struct pollfd p[2] = {{fd, POLLIN, 0}, {in, POLLIN, 0}};

	if (fd >= 0)
		EXPECT(poll(p, 1, 60000), 1, "0.0 poll - 1 ready=other:*:in");
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(inotify_add_watch(in, ".", IN_CREATE) >= 0);
	close(open("made", O_CREAT | O_WRONLY, 0600));
	EXPECT(poll(p + 1, 1, 60000), 1, "0.0 poll - 1 ready=other:*:in");
	EXPECT(read(in, b, sizeof(b)) > 0, 1, "0.0 read other:* * flags=nooffset");
	CHECK(unlink("made") == 0);
	close(in);
	close(fd);
}

int main(void)
{
	expect("only socketpair socket send sendto recv recvmsg read poll");
	peek();
	nothing();
	segments();
	itself();
	later();
	others();
	return 0;
}
