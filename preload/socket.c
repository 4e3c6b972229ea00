/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Sockets: creation, addresses, connections, sending and receiving. The program's buffers are read only after a
 * successful call, when the kernel has read or written them. */
#include "preload/io.h"

#include <netinet/in.h>
#include <string.h>

#include "format/address.h"
#include "runtime/peek.h"

#define UDP_SEGMENT 103 /* from linux/udp.h; older headers lack it */

/* Does syt_address_hash() for a datagram to (WAY 0) or from (1) ADDRESS. The thread remembers its last peers, because the
 * hash takes 50 instructions. */
static uint64_t peer_hash(const void *address, socklen_t bytes, unsigned way)
{
	struct syt_self *s = syt_self_now();
	uint64_t key, hash;

	if (bytes < sizeof(key) || !s)
		return syt_address_hash(address, bytes);
	memcpy(&key, address, sizeof(key));
	if ((uint16_t)key != AF_INET)
		return syt_address_hash(address, bytes);
	hash = s->peers[way].hash;
	if (__builtin_expect((s->peers[way].check ^ hash) != key, 0)) {
		/* of the copy, because another thread of the program may change the address meanwhile */
		hash = syt_address_hash(&key, sizeof(key));
		s->peers[way].hash = hash;
		s->peers[way].check = hash ^ key;
	}
	return hash;
}

/* Returns the hash of an address that the kernel has just read or written. BYTES is the address's full
 * length and may exceed the program's buffer. The page behind the buffer may not exist, so the function
 * tests whether the bytes can be read. */
static uint64_t hash_of(const void *address, socklen_t bytes, unsigned way)
{
	uintptr_t first = (uintptr_t)address, last;

	if (!address || !bytes)
		return 0;
	if (bytes > SYT_ADDRESS_BYTES)
		bytes = SYT_ADDRESS_BYTES;
	last = first + bytes - 1;
	if (__builtin_expect((first ^ last) >= SYT_PAGE_BYTES, 0) && !syt_peek_can_byte(last))
		return 0;
	return peer_hash(address, bytes, way);
}

static uint64_t peer_of(const void *address, const socklen_t *bytes, unsigned way)
{
	return bytes ? hash_of(address, *bytes, way) : 0;
}

/* ---- creation and addresses ---- */

SYT_EXPORT int socket(int domain, int type, int protocol)
{
	SYT_IO_ENTER_OR_FORWARD(x, socket, (domain, type, protocol));
	int rv = SYT_REAL(socket)(domain, type, protocol);
	syt_io_stamp_out(&x);
	if (rv >= 0) {
		syt_endpoint_open_socket(rv, domain, type, &x.endpoint);
		x.event.object = x.endpoint.object;
	}
	return syt_io_leave_out_int(&x, rv);
}

SYT_EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
	struct syt_endpoint e[2];

	SYT_IO_ENTER_OR_FORWARD(x, socketpair, (domain, type, protocol, fds));
	int rv = SYT_REAL(socketpair)(domain, type, protocol, fds);
	syt_io_stamp_out(&x);
	if (rv == 0) {
		syt_endpoint_open_pair(fds, e);
		x.event.object = e[0].object;
		x.event.object2 = e[1].object;
	}
	return syt_io_leave_out_int(&x, rv);
}

SYT_EXPORT int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)
{
	SYT_IO_ENTER_OR_FORWARD(x, bind, (fd, address, bytes));
	syt_io_begin_out(&x, fd);
	int rv = SYT_REAL(bind)(fd, address, bytes);
	syt_io_stamp_out(&x);
	if (rv == 0)
		syt_endpoint_named(fd, NULL, 0, &x.endpoint);
	return syt_io_leave_out_int(&x, rv);
}

SYT_EXPORT int listen(int fd, int backlog)
{
	SYT_IO_ENTER_OR_FORWARD(x, listen, (fd, backlog));
	syt_io_begin_in(&x, fd);
	int rv = SYT_REAL(listen)(fd, backlog);
	syt_io_stamp_out(&x);
	if (rv == 0) {
		syt_endpoint_listen(fd, &x.endpoint);
		x.event.object = x.endpoint.object;
	}
	return syt_io_leave_in_int(&x, rv);
}

/* Only the option UDP_SEGMENT, which splits sent data into datagrams, is recorded. */
SYT_EXPORT int setsockopt(int fd, int level, int name, const void *value, socklen_t bytes)
{
	struct syt_io x;

	if (level != IPPROTO_UDP || name != UDP_SEGMENT || !SYT_IO_ENTER(&x, setsockopt))
		return SYT_REAL(setsockopt)(fd, level, name, value, bytes);
	int rv = SYT_REAL(setsockopt)(fd, level, name, value, bytes);
	if (rv == 0)
		syt_endpoint_split(fd, (uint16_t) * (const int *)value);
	return rv;
}

/* ---- connections ---- */

SYT_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)
{
	SYT_IO_ENTER_OR_FORWARD(x, connect, (fd, address, bytes));
	syt_io_begin_out(&x, fd);
	int rv = SYT_REAL(connect)(fd, address, bytes);
	syt_io_stamp_out(&x);
	if (rv == 0 || errno == EINPROGRESS)
		syt_endpoint_named(fd, address.__sockaddr__, bytes, &x.endpoint);
	return syt_io_leave_in_int(&x, rv);
}

/* The buffer of the program for the peer's address. */
struct told {
	const void *address;
	const socklen_t *bytes;
	/* size of the buffer; 0 if there is no buffer, or if reading its size would need a system call */
	socklen_t room;
};

static struct told begin_accept(struct syt_io *x, int fd, const void *address,
                                const socklen_t *bytes)
{
	bool is_near = address && bytes && syt_peek_is_near(bytes, sizeof(*bytes));

	syt_io_begin_out(x, fd);
	x->event.object = 0;
	x->event.object2 = x->endpoint.object;
	return (struct told){address, bytes, is_near ? *bytes : 0};
}

static void end_accept(struct syt_io *x, int rv, const struct told *told)
{
	syt_io_stamp_out(x);
	if (rv >= 0) {
		/* the kernel returns the full length of the address even if the buffer is shorter */
		bool is_whole = told->room && *told->bytes <= told->room;
		struct syt_endpoint listener = x->endpoint;

		syt_endpoint_accepted(rv, &listener, is_whole ? told->address : NULL,
		                      is_whole ? *told->bytes : 0, &x->endpoint);
		x->event.object = x->endpoint.object;
		/* the call began before a deep pause */
		if (x->is_recorded && !x->event.object)
			x->event.object = syt_endpoint_object(x->endpoint.word);
	}
	syt_io_leave_out(x, rv);
}

SYT_EXPORT int accept(int fd, __SOCKADDR_ARG address, socklen_t *bytes)
{
	SYT_IO_ENTER_OR_FORWARD(x, accept, (fd, address, bytes));
	struct told told = begin_accept(&x, fd, address.__sockaddr__, bytes);
	int rv = SYT_REAL(accept)(fd, address, bytes);
	end_accept(&x, rv, &told);
	return rv;
}

SYT_EXPORT int accept4(int fd, __SOCKADDR_ARG address, socklen_t *bytes, int flags)
{
	SYT_IO_ENTER_OR_FORWARD(x, accept4, (fd, address, bytes, flags));
	struct told told = begin_accept(&x, fd, address.__sockaddr__, bytes);
	int rv = SYT_REAL(accept4)(fd, address, bytes, flags);
	end_accept(&x, rv, &told);
	return rv;
}

SYT_EXPORT int shutdown(int fd, int how)
{
	SYT_IO_ENTER_OR_FORWARD(x, shutdown, (fd, how));
	syt_io_begin_in(&x, fd);
	x.event.arg = (uint64_t)how;
	return syt_io_leave_in_int(&x, SYT_REAL(shutdown)(fd, how));
}

/* ---- one buffer ---- */

/* clang-format off */
SYT_IO_SEND(send, (int fd, const void *buffer, size_t bytes, int flags), (fd, buffer, bytes, flags),
	    fd, flags, SYT_IO_QUICK_DATAGRAM(send, flags, true, false, 0))
SYT_IO_SEND(sendto, (int fd, const void *buffer, size_t bytes, int flags, __CONST_SOCKADDR_ARG to, socklen_t to_bytes),
	    (fd, buffer, bytes, flags, to, to_bytes), fd, flags,
	    SYT_IO_QUICK_DATAGRAM(sendto, flags, true, false, peer_of(to.__sockaddr__, &to_bytes, 0)),
	    .peer = rv >= 0 ? peer_of(to.__sockaddr__, &to_bytes, 0) : 0)

SYT_IO_RECV(recv, (int fd, void *buffer, size_t bytes, int flags), (fd, buffer, bytes, flags),
	    fd, flags, SYT_IO_QUICK_DATAGRAM(recv, flags, false, (size_t)rv == bytes, 0),
	    .is_empty = !bytes, .is_full = (size_t)rv == bytes)
SYT_IO_RECV(__recv_chk, (int fd, void *buffer, size_t bytes, size_t room, int flags), (fd, buffer, bytes, room, flags),
	    fd, flags, SYT_IO_QUICK_DATAGRAM(__recv_chk, flags, false, (size_t)rv == bytes, 0),
	    .is_empty = !bytes, .is_full = (size_t)rv == bytes)
SYT_IO_RECV(recvfrom, (int fd, void *buffer, size_t bytes, int flags, __SOCKADDR_ARG from, socklen_t *from_bytes),
	    (fd, buffer, bytes, flags, from, from_bytes), fd, flags,
	    SYT_IO_QUICK_DATAGRAM(recvfrom, flags, false, (size_t)rv == bytes, peer_of(from.__sockaddr__, from_bytes, 1)),
	    .is_empty = !bytes, .is_full = (size_t)rv == bytes,
	    .peer = rv >= 0 ? peer_of(from.__sockaddr__, from_bytes, 1) : 0)
SYT_IO_RECV(__recvfrom_chk, (int fd, void *buffer, size_t bytes, size_t room, int flags, __SOCKADDR_ARG from, socklen_t *from_bytes),
	    (fd, buffer, bytes, room, flags, from, from_bytes), fd, flags,
	    SYT_IO_QUICK_DATAGRAM(__recvfrom_chk, flags, false, (size_t)rv == bytes, peer_of(from.__sockaddr__, from_bytes, 1)),
	    .is_empty = !bytes, .is_full = (size_t)rv == bytes,
	    .peer = rv >= 0 ? peer_of(from.__sockaddr__, from_bytes, 1) : 0)
/* clang-format on */

/* ---- messages ---- */

static uint64_t message_peer(const struct msghdr *m, unsigned way)
{
	return hash_of(m->msg_name, m->msg_namelen, way);
}

static bool is_empty_message(const struct msghdr *m)
{
	for (size_t i = 0; i < m->msg_iovlen; i++)
		if (m->msg_iov[i].iov_len)
			return false;
	return true;
}

/* Registers fds that arrived with a message (SCM_RIGHTS), and removes older table entries of their numbers. */
static void meet_arrivals(const struct msghdr *m)
{
	const char *p = m->msg_control;
	size_t left = p ? m->msg_controllen : 0;
	struct syt_endpoint e;

	while (left >= sizeof(struct cmsghdr)) {
		const struct cmsghdr *c = (const struct cmsghdr *)p;
		const int *fds = (const int *)(c + 1);

		if (c->cmsg_len < sizeof(*c) || c->cmsg_len > left)
			return;
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			for (size_t i = 0; i < (c->cmsg_len - sizeof(*c)) / sizeof(*fds); i++) {
				syt_endpoint_forget(fds[i]);
				syt_endpoint_get(fds[i], &e);
			}
		if (CMSG_ALIGN(c->cmsg_len) >= left)
			return;
		left -= CMSG_ALIGN(c->cmsg_len);
		p += CMSG_ALIGN(c->cmsg_len);
	}
}

/* Returns the segment size in the message's first control header, or 0. */
static uint16_t message_segment(const struct msghdr *m)
{
	const struct cmsghdr *c = m->msg_control;

	if (!c || m->msg_controllen < CMSG_LEN(sizeof(uint16_t)) || c->cmsg_level != IPPROTO_UDP ||
	    c->cmsg_type != UDP_SEGMENT)
		return 0;
	return *(const uint16_t *)(c + 1);
}

SYT_IO_SEND(sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags), fd, flags,
            !message_segment(m) &&
                    SYT_IO_QUICK_DATAGRAM(sendmsg, flags, true, false, message_peer(m, 0)),
            .segment = rv > 0 ? message_segment(m) : 0, .peer = rv >= 0 ? message_peer(m, 0) : 0)

SYT_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	SYT_IO_MOVE(SYT_FP, SYT_CALL_recvmsg, fd, rv, flags, false, SYT_REAL(recvmsg)(fd, m, flags),
	            if (rv >= 0) meet_arrivals(m),
	            SYT_IO_QUICK_DATAGRAM(recvmsg, flags, false, (m->msg_flags & MSG_TRUNC) != 0,
	                                  message_peer(m, 1)),
	            {
			    .result = rv,
			    .bytes = (uint64_t)rv,
			    .flags = flags,
			    .is_empty = rv == 0 && is_empty_message(m),
			    .is_full = rv >= 0 && m->msg_flags & MSG_TRUNC,
			    .peer = rv >= 0 ? message_peer(m, 1) : 0,
		    });
}

/* Sums up the first NR messages of a *mmsg call. Sets the peer only if all messages have the same peer. */
static struct syt_moved moved_by(const struct mmsghdr *v, int nr, int flags)
{
	struct syt_moved m = {.result = nr, .flags = flags, .is_empty = true};

	for (int i = 0; i < nr; i++) {
		uint64_t peer = message_peer(&v[i].msg_hdr, 0);

		m.bytes += v[i].msg_len;
		m.messages++;
		if (m.is_empty && !is_empty_message(&v[i].msg_hdr))
			m.is_empty = false;
		m.is_full |= v[i].msg_hdr.msg_flags & MSG_TRUNC;
		m.peer = i == 0 || m.peer == peer ? peer : 0;
	}
	return m;
}

SYT_EXPORT int sendmmsg(int fd, struct mmsghdr *v, unsigned nr, int flags)
{
	SYT_IO_MOVE(SYT_FP, SYT_CALL_sendmmsg, fd, 0, flags, true,
	            SYT_REAL(sendmmsg)(fd, v, nr, flags), , false, moved_by(v, (int)rv, flags));
}

static void meet_all_arrivals(const struct mmsghdr *v, ssize_t nr)
{
	for (ssize_t i = 0; i < nr; i++)
		meet_arrivals(&v[i].msg_hdr);
}

SYT_EXPORT int recvmmsg(int fd, struct mmsghdr *v, unsigned nr, int flags, struct timespec *limit)
{
	SYT_IO_MOVE(SYT_FP, SYT_CALL_recvmmsg, fd, 0, flags, false,
	            SYT_REAL(recvmmsg)(fd, v, nr, flags, limit), meet_all_arrivals(v, rv), false,
	            moved_by(v, (int)rv, flags));
}
