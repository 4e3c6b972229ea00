/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests datagrams: the recorder counts them one by one, with their lengths and the peer's address. */
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/calls/expect.h"

ssize_t __recvfrom_chk(int fd, void *buffer, size_t bytes, size_t room, int flags,
                       struct sockaddr *from, socklen_t *from_bytes);

/*
 * Passes a buffer at the end of mapped memory with space for two bytes of the address; the kernel still
 * returns the full length of the address.
 */
static void short_of_room(int r, int s)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sockaddr *name = (struct sockaddr *)(page + 4094);
	char b[8];
	struct iovec v = {b, sizeof(b)};
	struct msghdr m = {.msg_name = name, .msg_namelen = 2, .msg_iov = &v, .msg_iovlen = 1};
	socklen_t bytes = 2;

	CHECK(page != MAP_FAILED && munmap(page + 4096, 4096) == 0);
	for (int i = 7; i < 9; i++)
		EXPECT(send(s, "short", 5, 0), 5,
		       "0.0 send dgram:$dgram2 5 bytes=5 offset=%d flags=", i);
	EXPECT(recvfrom(r, b, 8, 0, name, &bytes), 5,
	       "0.0 recvfrom dgram:$dgram1 5 bytes=5 offset=7 flags=");
	CHECK(bytes == sizeof(struct sockaddr_in) && name->sa_family == AF_INET);
	EXPECT(recvmsg(r, &m, 0), 5, "0.0 recvmsg dgram:$dgram1 5 bytes=5 offset=8 flags=");
	CHECK(m.msg_namelen == sizeof(struct sockaddr_in));
	munmap(page, 4096);
}

static void udp(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}}, from;
	socklen_t bytes = sizeof(a);
	char b[64];
	struct iovec v = {b, 8};
	struct mmsghdr m[3] = {{.msg_hdr = {.msg_iov = &v, .msg_iovlen = 1}},
	                       {.msg_hdr = {.msg_iov = &v, .msg_iovlen = 1}},
	                       {.msg_hdr = {.msg_iov = &v, .msg_iovlen = 1}}};
	int r, s;

	EXPECT((r = socket(AF_INET, SOCK_DGRAM, 0)) >= 0, 1,
	       "0.0 socket dgram:$dgram1 %d flags=", r);
	EXPECT(bind(r, (struct sockaddr *)&a, bytes), 0, "0.0 bind dgram:$dgram1 0 flags=");
	if (getsockname(r, (struct sockaddr *)&a, &bytes))
		abort();
	EXPECT((s = socket(AF_INET, SOCK_DGRAM, 0)) >= 0, 1,
	       "0.0 socket dgram:$dgram2 %d flags=", s);
	EXPECT(sendto(s, "first", 5, 0, (struct sockaddr *)&a, bytes), 5,
	       "0.0 sendto dgram:$dgram2 5 bytes=5 offset=0 flags=");
	EXPECT(sendto(s, "0123456789", 10, 0, (struct sockaddr *)&a, bytes), 10,
	       "0.0 sendto dgram:$dgram2 10 bytes=10 offset=1 flags=");
	EXPECT(sendto(s, "", 0, 0, (struct sockaddr *)&a, bytes), 0,
	       "0.0 sendto dgram:$dgram2 0 bytes=0 offset=2 flags=");
	EXPECT(connect(s, (struct sockaddr *)&a, bytes), 0, "0.0 connect dgram:$dgram2 0 flags=");
	EXPECT(send(s, "last", 4, 0), 4, "0.0 send dgram:$dgram2 4 bytes=4 offset=3 flags=");
	EXPECT(recvfrom(r, b, 64, MSG_PEEK, (struct sockaddr *)&from, &bytes), 5,
	       "0.0 recvfrom dgram:$dgram1 5 bytes=5 offset=0 flags=peek");
	EXPECT(recvfrom(r, b, 64, 0, (struct sockaddr *)&from, &bytes), 5,
	       "0.0 recvfrom dgram:$dgram1 5 bytes=5 offset=0 flags=");
	EXPECT(__recvfrom_chk(r, b, 4, 64, MSG_TRUNC, (struct sockaddr *)&from, &bytes), 10,
	       "0.0 __recvfrom_chk dgram:$dgram1 10 bytes=10 offset=1 flags=");
	EXPECT(recv(r, b, 64, 0), 0, "0.0 recv dgram:$dgram1 0 bytes=0 offset=2 flags=");
	EXPECT(read(r, b, 64), 4, "0.0 read dgram:$dgram1 4 bytes=4 offset=3 flags=");
	EXPECT(sendmmsg(s, m, 3, 0), 3,
	       "0.0 sendmmsg dgram:$dgram2 3 bytes=24 offset=4 count=3 flags=");
	EXPECT(recvmmsg(r, m, 3, MSG_WAITFORONE, NULL), 3,
	       "0.0 recvmmsg dgram:$dgram1 3 bytes=24 offset=4 count=3 flags=");
	EXPECT(recvmmsg(r, m, 3, MSG_DONTWAIT, NULL), -1,
	       "0.0 recvmmsg dgram:$dgram1 -1 errno=EAGAIN flags=");
	short_of_room(r, s);
	EXPECT(close(r), 0, "0.0 close dgram:$dgram1 0 arg=1 flags=");
	EXPECT(close(s), 0, "0.0 close dgram:$dgram2 0 arg=1 flags=");
}

static void packets(void)
{
	char b[64];
	struct iovec to = {b, 3};
	int s[2];

	EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s), 0,
	       "0.0 socketpair dgram:$dgram3 0 object2=dgram:$dgram4 flags=");
	EXPECT(write(s[0], "packet", 6), 6, "0.0 write dgram:$dgram3 6 bytes=6 offset=0 flags=");
	EXPECT(read(s[1], b, 2), 2, "0.0 read dgram:$dgram4 2 bytes=2 offset=0 flags=full");
	EXPECT(write(s[0], "more", 4), 4, "0.0 write dgram:$dgram3 4 bytes=4 offset=1 flags=");
	EXPECT(syscall(SYS_read, s[1], b, 2), 2,
	       "0.0 read dgram:$dgram4 2 bytes=2 offset=1 flags=full");
	EXPECT(write(s[0], "again", 5), 5, "0.0 write dgram:$dgram3 5 bytes=5 offset=2 flags=");
	EXPECT(syscall(SYS_readv, s[1], &to, 1), 3,
	       "0.0 readv dgram:$dgram4 3 bytes=3 offset=2 flags=full");
	EXPECT(write(s[0], "last", 4), 4, "0.0 write dgram:$dgram3 4 bytes=4 offset=3 flags=");
	EXPECT(read(s[1], b, 64), 4, "0.0 read dgram:$dgram4 4 bytes=4 offset=3 flags=");
	EXPECT(close(s[0]), 0, "0.0 close dgram:$dgram3 0 arg=1 flags=");
	EXPECT(read(s[1], b, 64), 0, "0.0 read dgram:$dgram4 0 bytes=0 offset=4 flags=eof");
	EXPECT(close(s[1]), 0, "0.0 close dgram:$dgram4 0 arg=1 flags=");
}

int main(void)
{
	udp();
	packets();
	return 0;
}
