/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A netlink socket belongs to the network namespace of its creation. For another network namespace, a child
 * process enters the namespace, creates a socket and sends the socket to this process. */
#define _GNU_SOURCE
#include "tool/diag.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

#define NR_SPACES 16u /* sockets are kept for the first 16 network namespaces */

struct syt_diag {
	unsigned nr;
	uint32_t sequence;
	struct space {
		uint64_t netns;
		int fd; /* netlink socket; -1: this tool may not enter the namespace */
	} spaces[NR_SPACES];
};

static uint64_t netns_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t bytes = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &bytes) ? 0 : cookie;
}

static int open_here(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
}

static bool enter(unsigned pid, const char *what, int type)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/ns/%s", pid, what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_in = fd >= 0 && !setns(fd, type);

	if (fd >= 0)
		close(fd);
	return is_in;
}

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

/* Creates a socket in the child process and sends the socket to the parent process. */
static void send_socket(int to, unsigned pid)
{
	union control c = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
	                              .cmsg_level = SOL_SOCKET,
	                              .cmsg_type = SCM_RIGHTS}};
	char byte = 0;
	struct iovec v = {&byte, 1};
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof(c)};

	/* A process may need the rights in the user namespace of PID to enter the network namespace of PID. */
	if (!enter(pid, "net", CLONE_NEWNET) &&
	    !(enter(pid, "user", CLONE_NEWUSER) && enter(pid, "net", CLONE_NEWNET)))
		_exit(1);
	int fd = open_here();

	if (fd < 0)
		_exit(1);
	memcpy(CMSG_DATA(&c.header), &fd, sizeof(fd));
	_exit(sendmsg(to, &m, MSG_NOSIGNAL) != 1);
}

static int receive_socket(int from)
{
	union control c;
	char byte;
	struct iovec v = {&byte, 1};
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof(c)};
	int fd = -1;

	if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) == 1 && m.msg_controllen >= CMSG_LEN(sizeof(fd)) &&
	    c.header.cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(&c.header), sizeof(fd));
	return fd;
}

static int open_there(unsigned pid)
{
	int pair[2], fd = -1;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	pid_t child = fork();

	if (!child)
		send_socket(pair[1], pid);
	close(pair[1]);
	if (child > 0) {
		fd = receive_socket(pair[0]);
		waitpid(child, NULL, 0);
	}
	close(pair[0]);
	return fd;
}

/* Returns a netlink socket in the network namespace NETNS, or -1. PID is or was a process in NETNS. */
static int space_of(struct syt_diag *d, uint64_t netns, unsigned pid)
{
	struct timeval limit = {.tv_sec = 1};

	for (unsigned i = 0; i < d->nr; i++)
		if (d->spaces[i].netns == netns)
			return d->spaces[i].fd;
	if (d->nr == NR_SPACES)
		return -1;
	int fd = d->nr ? open_there(pid) : open_here();

	if (fd >= 0 && d->nr && netns_of(fd) != netns) {
		/* the process PID has left the network namespace */
		close(fd);
		fd = -1;
	}
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	d->spaces[d->nr++] = (struct space){netns, fd};
	return fd;
}

struct syt_diag *syt_diag_create(void)
{
	struct syt_diag *d = syt_calloc(1, sizeof(*d));
	int fd = open_here();
	uint64_t netns = fd >= 0 ? netns_of(fd) : 0;

	if (fd >= 0)
		close(fd);
	space_of(d, netns, 0); /* adds the network namespace of this tool first */
	return d;
}

void syt_diag_destroy(struct syt_diag *d)
{
	for (unsigned i = 0; i < d->nr; i++)
		if (d->spaces[i].fd >= 0)
			close(d->spaces[i].fd);
	free(d);
}

struct answer {
	uint64_t cookie;
	uint32_t peer_inode;
};

static bool parse(const struct nlmsghdr *h, struct answer *a)
{
	struct unix_diag_msg m;
	size_t left;

	if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY || h->nlmsg_len < NLMSG_LENGTH(sizeof(m)))
		return false;
	memcpy(&m, NLMSG_DATA(h), sizeof(m));
	a->cookie = (uint64_t)m.udiag_cookie[1] << 32 | m.udiag_cookie[0];
	a->peer_inode = 0;
	left = h->nlmsg_len - NLMSG_LENGTH(sizeof(m));
	const struct rtattr *r =
		(const struct rtattr *)((const char *)NLMSG_DATA(h) + NLMSG_ALIGN(sizeof(m)));

	for (; RTA_OK(r, left); r = RTA_NEXT(r, left))
		if (r->rta_type == UNIX_DIAG_PEER && RTA_PAYLOAD(r) >= sizeof(a->peer_inode))
			memcpy(&a->peer_inode, RTA_DATA(r), sizeof(a->peer_inode));
	return true;
}

/* Asks the kernel for the peer of the socket INODE. The socket must also have COOKIE, unless COOKIE is ~0. */
static bool ask(struct syt_diag *d, int fd, uint32_t inode, uint64_t cookie, struct answer *a)
{
	struct {
		struct nlmsghdr h;
		struct unix_diag_req r;
	} q = {
		.h = {.nlmsg_len = sizeof(q),
	              .nlmsg_type = SOCK_DIAG_BY_FAMILY,
	              .nlmsg_flags = NLM_F_REQUEST,
	              .nlmsg_seq = ++d->sequence},
		.r = {.sdiag_family = AF_UNIX,
	              .udiag_states = ~0u,
	              .udiag_ino = inode,
	              .udiag_show = UDIAG_SHOW_PEER,
	              .udiag_cookie = {(uint32_t)cookie, (uint32_t)(cookie >> 32)}},
	};
	union {
		struct nlmsghdr h;
		char room[4096];
	} reply;

	if (send(fd, &q, sizeof(q), 0) != (ssize_t)sizeof(q))
		return false;
	for (;;) {
		ssize_t n = recv(fd, &reply, sizeof(reply), 0);

		if (n < (ssize_t)sizeof(reply.h) || reply.h.nlmsg_len > (size_t)n)
			return false;
		/* Replies with another sequence number belong to earlier requests. */
		if (reply.h.nlmsg_seq == d->sequence)
			return parse(&reply.h, a);
	}
}

bool syt_diag_peer(struct syt_diag *d, const struct syt_request *request, struct syt_peer *peer)
{
	int fd = space_of(d, request->netns, request->pid);
	struct answer a, b;

	if (fd < 0 || !ask(d, fd, (uint32_t)request->inode, request->cookie, &a) || !a.peer_inode)
		return false;
	*peer = (struct syt_peer){
		.cookie = a.cookie,
		.inode = request->inode,
		.peer_inode = a.peer_inode,
		.netns = request->netns,
	};
	/* The peer's inode number may belong to a new socket by now, but then that socket's peer differs
	 * from the requested socket. */
	if (ask(d, fd, a.peer_inode, UINT64_MAX, &b) && b.peer_inode == (uint32_t)request->inode)
		peer->peer_cookie = b.cookie;
	return true;
}
