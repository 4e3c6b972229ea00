/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests stream sockets: byte offsets in both directions, calls that consume no bytes, and end of file. */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/calls/expect.h"

ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags);

static void pair(void)
{
	char b[64];
	struct iovec v[2] = {{b, 2}, {b + 2, 3}};
	struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
	int s[2];

	EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0,
	       "0.0 socketpair stream:$stream1 0 object2=stream:$stream2 flags=");
	EXPECT(send(s[0], "0123456789", 10, 0), 10,
	       "0.0 send stream:$stream1 10 bytes=10 offset=0 flags=");
	EXPECT(recv(s[1], b, 3, MSG_PEEK), 3,
	       "0.0 recv stream:$stream2 3 bytes=3 offset=0 flags=peek");
	EXPECT(recv(s[1], b, 4, 0), 4, "0.0 recv stream:$stream2 4 bytes=4 offset=0 flags=");
	EXPECT(sendmsg(s[0], &m, 0), 5, "0.0 sendmsg stream:$stream1 5 bytes=5 offset=10 flags=");
	EXPECT(recvmsg(s[1], &m, MSG_PEEK), 5,
	       "0.0 recvmsg stream:$stream2 5 bytes=5 offset=4 flags=peek");
	EXPECT(recvmsg(s[1], &m, 0), 5, "0.0 recvmsg stream:$stream2 5 bytes=5 offset=4 flags=");
	EXPECT(recvfrom(s[1], b, 64, MSG_DONTWAIT, NULL, NULL), 6,
	       "0.0 recvfrom stream:$stream2 6 bytes=6 offset=9 flags=");
	EXPECT(__recv_chk(s[1], b, 64, 64, MSG_DONTWAIT), -1,
	       "0.0 __recv_chk stream:$stream2 -1 errno=EAGAIN flags=");
	/* each direction has its own byte offsets */
	EXPECT(write(s[1], "back", 4), 4, "0.0 write stream:$stream2 4 bytes=4 offset=0 flags=");
	EXPECT(sendto(s[1], "s", 1, 0, NULL, 0), 1,
	       "0.0 sendto stream:$stream2 1 bytes=1 offset=4 flags=");
	EXPECT(recv(s[0], b, 5, MSG_WAITALL), 5,
	       "0.0 recv stream:$stream1 5 bytes=5 offset=0 flags=");
	EXPECT(shutdown(s[0], SHUT_WR), 0, "0.0 shutdown stream:$stream1 0 arg=1 flags=");
	EXPECT(read(s[1], b, 9), 0, "0.0 read stream:$stream2 0 bytes=0 offset=15 flags=eof");
	EXPECT(close(s[1]), 0, "0.0 close stream:$stream2 0 arg=1 flags=");
	EXPECT(send(s[0], "x", 1, MSG_NOSIGNAL), -1,
	       "0.0 send stream:$stream1 -1 errno=EPIPE flags=");
	EXPECT(close(s[0]), 0, "0.0 close stream:$stream1 0 arg=1 flags=");
}

static int listening(struct sockaddr_in *a)
{
	socklen_t bytes = sizeof(*a);
	int l;

	*a = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	EXPECT((l = socket(AF_INET, SOCK_STREAM, 0)) >= 0, 1,
	       "0.0 socket stream:$stream3 %d flags=", l);
	EXPECT(bind(l, (struct sockaddr *)a, bytes), 0, "0.0 bind stream:$stream3 0 flags=");
	EXPECT(listen(l, 3), 0, "0.0 listen listen:$listen1 0 flags=");
	if (getsockname(l, (struct sockaddr *)a, &bytes))
		abort();
	return l;
}

static void tcp(void)
{
	char b[64];
	struct sockaddr_in a;
	int l = listening(&a), c, s, n, e, on = 1, file;

	EXPECT((c = socket(AF_INET, SOCK_STREAM, 0)) >= 0, 1,
	       "0.0 socket stream:$stream4 %d flags=", c);
	EXPECT(connect(c, (struct sockaddr *)&a, sizeof(a)), 0,
	       "0.0 connect stream:$stream4 0 flags=");
	EXPECT((s = accept(l, NULL, NULL)) >= 0, 1,
	       "0.0 accept stream:$stream5 %d object2=listen:$listen1 flags=", s);
	EXPECT((n = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) >= 0, 1,
	       "0.0 socket stream:$stream6 %d flags=", n);
	/* on loopback, the nonblocking connect may succeed at once or not */
	EXPECT((e = connect(n, (struct sockaddr *)&a, sizeof(a))) ? errno == EINPROGRESS : 1, 1,
	       e ? "0.0 connect stream:$stream6 -1 errno=EINPROGRESS flags="
	         : "0.0 connect stream:$stream6 0 flags=");
	EXPECT((e = accept4(l, NULL, NULL, SOCK_CLOEXEC)) >= 0, 1,
	       "0.0 accept4 stream:$stream7 %d object2=listen:$listen1 flags=", e);
	EXPECT(close(n), 0, "0.0 close stream:$stream6 0 arg=1 flags=");
	EXPECT(close(e), 0, "0.0 close stream:$stream7 0 arg=1 flags=");

	setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	EXPECT(write(c, "0123456789", 10), 10,
	       "0.0 write stream:$stream4 10 bytes=10 offset=0 flags=");
	/* consumes without copying */
	EXPECT(recv(s, b, 4, MSG_TRUNC), 4, "0.0 recv stream:$stream5 4 bytes=4 offset=0 flags=");
	EXPECT(recv(s, b, 64, 0), 6, "0.0 recv stream:$stream5 6 bytes=6 offset=4 flags=");
	/* the urgent byte is not part of the stream */
	EXPECT(send(c, "abU", 3, MSG_OOB), 3,
	       "0.0 send stream:$stream4 3 bytes=2 offset=10 flags=urgent");
	EXPECT(send(c, "cd", 2, 0), 2, "0.0 send stream:$stream4 2 bytes=2 offset=12 flags=");
	EXPECT(recv(s, b, 64, 0), 2, "0.0 recv stream:$stream5 2 bytes=2 offset=10 flags=");
	EXPECT(recv(s, b, 1, MSG_OOB), 1, "0.0 recv stream:$stream5 1 flags=nooffset,urgent");
	EXPECT(recv(s, b, 64, 0), 2, "0.0 recv stream:$stream5 2 bytes=2 offset=12 flags=");

	file = memfd_create("test", 0);
	EXPECT(pwrite(file, "hello", 5, 0), 5, "0.0 pwrite file:$file1 5 bytes=5 flags=nooffset");
	EXPECT(sendfile(c, file, NULL, 64), 5,
	       "0.0 sendfile stream:$stream4 5 object2=file:$file1 bytes=5 offset=14 offset2=0 "
	       "flags=");
	EXPECT(recv(s, b, 64, 0), 5, "0.0 recv stream:$stream5 5 bytes=5 offset=14 flags=");
	EXPECT(close(file), 0, "0.0 close file:$file1 0 arg=1 flags=");

	EXPECT(close(c), 0, "0.0 close stream:$stream4 0 arg=1 flags=");
	EXPECT(recv(s, b, 64, 0), 0, "0.0 recv stream:$stream5 0 bytes=0 offset=19 flags=eof");
	EXPECT(close(s), 0, "0.0 close stream:$stream5 0 arg=1 flags=");
	EXPECT(fcntl(l, F_SETFL, O_NONBLOCK) == 0 ? accept(l, NULL, NULL) : 0, -1,
	       "0.0 accept - -1 errno=EAGAIN object2=listen:$listen1 flags=");
	EXPECT(close(l), 0, "0.0 close listen:$listen1 0 arg=1 flags=");
	EXPECT(connect(99, (struct sockaddr *)&a, sizeof(a)), -1,
	       "0.0 connect - -1 errno=EBADF flags=");
}

int main(void)
{
	pair();
	tcp();
	return 0;
}
