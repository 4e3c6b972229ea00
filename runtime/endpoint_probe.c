/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE /* struct ucred, AT_EMPTY_PATH */
#include "runtime/endpoint_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "runtime/sys.h"
#include "runtime/text.h"

#define PIPEFS_MAGIC 0x50495045 /* linux/magic.h */
#define MQUEUE_MAGIC 0x19800202
#define MQUEUE_BYTES 80 /* stat reports this size for every message queue */

#define UDP_SEGMENT 103 /* linux/udp.h, missing in older headers */

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

/* A socket cookie (SO_COOKIE) has 64 bits, but it counts sockets, so 61 bits are enough for it in a key. */
#define IDENTITY_BITS 61

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t v = (a ^ (b << 32 | b >> 32)) * UINT64_C(0x9e3779b97f4a7c15);

	v = (v ^ v >> 32 ^ b) * UINT64_C(0xd6e8feb86659fd93);
	return v ^ v >> 32;
}

/* Returns the integer socket option NAME of FD, or 0 if the kernel does not know the option. */
static uint64_t option(int fd, int name)
{
	uint64_t value = 0;
	uint32_t bytes = sizeof(value);

	/* getsockopt of an int fills the low half of VALUE, because both architectures are little-endian */
	return SYT_SYS_5(SYS_getsockopt, fd, SOL_SOCKET, name, &value, &bytes) ? 0 : value;
}

static uint16_t udp_segment(int fd)
{
	int value = 0;
	uint32_t bytes = sizeof(value);

	if (SYT_SYS_5(SYS_getsockopt, fd, IPPROTO_UDP, UDP_SEGMENT, &value, &bytes))
		return 0;
	return (uint16_t)value;
}

static uint32_t peer_pid(int fd)
{
	struct ucred cred = {0};
	uint32_t bytes = sizeof(cred);

	if (SYT_SYS_5(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &cred, &bytes))
		return 0;
	return (uint32_t)cred.pid;
}

static bool is_inet(unsigned domain)
{
	return domain == AF_INET || domain == AF_INET6;
}

/* Fills in the properties that follow from the socket's type, domain and cookie. */
static void name_socket(struct syt_probe *p)
{
	const struct syt_meta_endpoint *m = &p->meta;

	p->kind = m->type == SOCK_STREAM ? SYT_KIND_STREAM : SYT_KIND_DGRAM;
	p->is_inet = is_inet(m->domain);
	p->class = SYT_CLASS_SOCKET;
	p->identity = m->cookie ? m->cookie : m->inode | UINT64_C(1) << (IDENTITY_BITS - 1);
}

static void probe_socket(int fd, struct syt_probe *p)
{
	struct syt_meta_endpoint *m = &p->meta;

	m->type = (uint16_t)option(fd, SO_TYPE);
	m->domain = (uint16_t)option(fd, SO_DOMAIN);
	m->protocol = (uint16_t)option(fd, SO_PROTOCOL);
	m->cookie = option(fd, SO_COOKIE);
	name_socket(p);
	if ((m->type == SOCK_STREAM || m->type == SOCK_SEQPACKET) && option(fd, SO_ACCEPTCONN))
		p->kind = SYT_KIND_LISTEN;
	if (p->is_inet)
		m->netns = option(fd, SO_NETNS_COOKIE);
	if (p->is_inet && m->protocol == IPPROTO_UDP)
		p->segment = udp_segment(fd);
}

/* Returns a hash of A and B that differs from all socket cookies. */
static uint64_t hashed(uint64_t a, uint64_t b)
{
	return mix(a, b) >> (64 - IDENTITY_BITS) | UINT64_C(1) << (IDENTITY_BITS - 1);
}

static uint64_t birth_time(int fd)
{
	struct statx x;

	if (SYT_SYS_5(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BTIME, &x) ||
	    !(x.stx_mask & STATX_BTIME))
		return 0;
	return (uint64_t)x.stx_btime.tv_sec * 1000000000u + x.stx_btime.tv_nsec;
}

static void probe_pipe(int fd, struct syt_probe *p)
{
	struct statfs fs;
	long mode = SYT_SYS_3(SYS_fcntl, fd, F_GETFL, 0);

	p->kind = SYT_KIND_PIPE;
	p->is_writer = mode >= 0 && (mode & O_ACCMODE) != O_RDONLY;
	p->class = SYT_CLASS_PIPE;
	p->identity = p->meta.inode;
	if (SYT_SYS_2(SYS_fstatfs, fd, &fs) == 0 && fs.f_type == PIPEFS_MAGIC)
		return;
	/* The kernel reuses the inode's number after the FIFO is gone, so the inode's time of birth is part
	 * of the identity. */
	p->class = SYT_CLASS_FIFO;
	p->identity = hashed(mix(p->meta.dev, p->meta.inode), birth_time(fd));
}

/* Checks only the size of a file first, because most files are not queues. */
static bool may_be_queue(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_size == MQUEUE_BYTES;
}

static bool is_queue(int fd, const struct stat *st)
{
	struct statfs fs;

	return may_be_queue(st) && SYT_SYS_2(SYS_fstatfs, fd, &fs) == 0 &&
	       fs.f_type == MQUEUE_MAGIC;
}

static void probe_queue(struct syt_probe *p)
{
	p->kind = SYT_KIND_QUEUE;
	p->class = SYT_CLASS_FIFO;
	p->identity = hashed(p->meta.dev, p->meta.inode);
}

int syt_probe_sysv_queue(int id, struct syt_probe *p)
{
	struct msqid_ds info;
	struct stat ns;
	long rv = SYT_SYS_3(SYS_msgctl, id, IPC_STAT, &info);

	if (rv < 0 && rv != -EACCES)
		return (int)rv;
	if (SYT_SYS_4(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/ipc", &ns, 0))
		ns.st_ino = 0;
	*p = (struct syt_probe){.id = id, .kind = SYT_KIND_QUEUE, .class = SYT_CLASS_SYSV};
	p->identity = hashed(ns.st_ino, (uint64_t)id);
	return 0;
}

/* All eventfds, timerfds etc. have the same anonymous inode; only the text of the link /proc/self/fd/N
 * distinguishes their kinds. */
static int probe_anon(int fd, struct syt_probe *p)
{
	static const struct {
		char text[sizeof("anon_inode:[eventpoll]")];
		uint8_t kind;
	} kinds[] = {{"anon_inode:[eventfd]", SYT_KIND_EVENTFD},
	             {"anon_inode:[eventpoll]", SYT_KIND_EPOLL},
	             {"anon_inode:[timerfd]", SYT_KIND_TIMERFD},
	             {"anon_inode:[signalfd]", SYT_KIND_SIGNALFD}};
	char path[32] = "", text[32] = "";
	struct syt_text_buffer b = {.text = path, .capacity = sizeof(path)};
	long n;

	syt_text_add(&b, "/proc/self/fd/");
	syt_text_add_number(&b, (unsigned)fd, 1);
	n = SYT_SYS_4(SYS_readlinkat, AT_FDCWD, path, text, sizeof(text) - 1);
	if (n < 0)
		return (int)n; /* another thread closed the fd */
	p->kind = SYT_KIND_OTHER;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(text, kinds[i].text))
			p->kind = kinds[i].kind;
	return 0;
}

/* Returns true if the program's seccomp filter allows all system calls of a probe. With only some of the
 * results, the byte offsets would be wrong. */
static bool may_probe(void)
{
	return !(syt_sys_is_denied(SYS_fcntl) || syt_sys_is_denied(SYS_fstatfs) ||
	         syt_sys_is_denied(SYS_getsockopt) || syt_sys_is_denied(SYS_ioctl) ||
	         syt_sys_is_denied(SYS_statx));
}

static void clear(int fd, struct syt_probe *p)
{
	p->identity = 0;
	p->id = fd;
	p->class = 0;
	p->segment = 0;
	p->is_writer = p->is_inet = false;
	p->meta = (struct syt_meta_endpoint){0};
}

int syt_probe_inet(int fd, const struct syt_inet *known, struct syt_probe *p)
{
	uint64_t cookie = known->domain && may_probe() ? option(fd, SO_COOKIE) : 0;

	if (!cookie)
		return syt_probe(fd, p);
	clear(fd, p);
	p->meta.domain = known->domain;
	p->meta.type = known->type;
	p->meta.protocol = known->protocol;
	p->meta.netns = known->netns;
	p->meta.cookie = cookie;
	name_socket(p);
	return 0;
}

struct syt_inet syt_probe_birth(int fd, int domain, int type)
{
	struct syt_inet known = {.domain = (uint16_t)domain,
	                         .type = (uint16_t)(type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC))};

	if (!is_inet((unsigned)domain) || (known.type != SOCK_STREAM && known.type != SOCK_DGRAM) ||
	    !may_probe())
		return (struct syt_inet){0};
	/* The protocol can differ from the request: the system may turn TCP into multipath TCP. */
	known.protocol = (uint16_t)option(fd, SO_PROTOCOL);
	known.netns = option(fd, SO_NETNS_COOKIE);
	return known.protocol ? known : (struct syt_inet){0};
}

static void name_file(struct syt_probe *p)
{
	p->kind = SYT_KIND_FILE;
	p->identity = p->meta.dev << 48 ^ p->meta.inode;
}

int syt_probe(int fd, struct syt_probe *p)
{
	struct stat st;
	long rv;

	if (!may_probe())
		return (int)SYT_SYS_DENIED;
	rv = SYT_SYS_2(SYS_fstat, fd, &st);
	if (rv)
		return (int)rv;
	clear(fd, p);
	p->meta.dev = st.st_dev;
	p->meta.inode = st.st_ino;
	switch (st.st_mode & S_IFMT) {
	case S_IFSOCK:
		probe_socket(fd, p);
		break;
	case S_IFIFO:
		probe_pipe(fd, p);
		break;
	case 0:
		return probe_anon(fd, p);
	case S_IFREG:
		if (is_queue(fd, &st)) {
			probe_queue(p);
			break;
		}
		/* fall through */
	default:
		name_file(p);
	}
	return 0;
}

bool syt_probe_file(int fd, const struct stat *st, struct syt_probe *p)
{
	if (!S_ISREG(st->st_mode) || may_be_queue(st))
		return false;
	clear(fd, p);
	p->meta.dev = st->st_dev;
	p->meta.inode = st->st_ino;
	name_file(p);
	return true;
}

static uint16_t address(long call, int fd, uint8_t *where)
{
	uint32_t bytes = SYT_ADDRESS_BYTES;

	if (SYT_SYS_3(call, fd, where, &bytes))
		return 0;
	return (uint16_t)(bytes < SYT_ADDRESS_BYTES ? bytes : SYT_ADDRESS_BYTES);
}

void syt_probe_addresses(int fd, struct syt_probe *p)
{
	if (p->class != SYT_CLASS_SOCKET)
		return;
	p->meta.local_bytes = address(SYS_getsockname, fd, p->local);
	p->meta.remote_bytes = address(SYS_getpeername, fd, p->remote);
	if (p->meta.domain == AF_UNIX) {
		p->meta.peer_pid = peer_pid(fd);
		p->meta.netns = option(fd, SO_NETNS_COOKIE);
	}
}

void syt_probe_local(int fd, const void *remote, uint32_t remote_bytes, struct syt_probe *p)
{
	p->meta.local_bytes = address(SYS_getsockname, fd, p->local);
	memcpy(p->remote, remote, remote_bytes);
	p->meta.remote_bytes = (uint16_t)remote_bytes;
}

bool syt_probe_pending(const struct syt_probe *p, uint64_t *nr)
{
	struct msqid_ds info;
	struct mq_attr attr;
	int bytes = 0;

	if (p->class == SYT_CLASS_SYSV) {
		if (SYT_SYS_3(SYS_msgctl, p->id, IPC_STAT, &info) < 0)
			return false;
		*nr = info.msg_qnum;
	} else if (p->kind == SYT_KIND_QUEUE) {
		if (SYT_SYS_3(SYS_mq_getsetattr, p->id, NULL, &attr))
			return false;
		*nr = (uint64_t)attr.mq_curmsgs;
	} else {
		if (p->kind != SYT_KIND_PIPE || SYT_SYS_3(SYS_ioctl, p->id, FIONREAD, &bytes) ||
		    bytes < 0)
			return false;
		*nr = (uint64_t)bytes;
	}
	return true;
}
