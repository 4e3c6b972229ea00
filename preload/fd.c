/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Creation, duplication and closing of file descriptors.
 *
 * The kernel may reuse a descriptor's number before close returns, so the descriptor's entry in the
 * recorder's table is removed before the real call. libc closes some descriptors internally (fclose).
 * Wrappers of such functions only remove the table entry. open and related functions remove an old entry of
 * the returned number. An open has an event only if it was long, because it orders no threads: a file is
 * registered at its first use. Until an open returns, the dump shows it.
 */
#include "preload/io.h"

#include <stdarg.h>

#include "preload/filelock.h"
#include "preload/syscall.h"
#include "runtime/description.h"

/* ---- creation ---- */

static int opened_pipe(struct syt_io *x, int rv, const int fds[2])
{
	syt_io_stamp_out(x);
	if (rv == 0) {
		syt_endpoint_open_pipe(fds, &x->endpoint);
		x->event.object = x->endpoint.object;
	}
	return syt_io_leave_out_int(x, rv);
}

SYT_EXPORT int pipe(int fds[2])
{
	SYT_IO_ENTER_OR_FORWARD(x, pipe, (fds));
	return opened_pipe(&x, SYT_REAL(pipe)(fds), fds);
}

SYT_EXPORT int pipe2(int fds[2], int flags)
{
	SYT_IO_ENTER_OR_FORWARD(x, pipe2, (fds, flags));
	return opened_pipe(&x, SYT_REAL(pipe2)(fds, flags), fds);
}

static int opened(struct syt_io *x, int rv, enum syt_kind kind, uint64_t initial, unsigned flags)
{
	syt_io_stamp_out(x);
	if (rv >= 0) {
		syt_endpoint_open_anon(rv, kind, initial, flags, &x->endpoint);
		x->event.object = x->endpoint.object;
	}
	return syt_io_leave_out_int(x, rv);
}

#define OPENED(name_, params_, args_, kind_, initial_, flags_)                                     \
	SYT_EXPORT int name_ params_                                                               \
	{                                                                                          \
		SYT_IO_ENTER_OR_FORWARD(x, name_, args_);                                          \
		return opened(&x, SYT_REAL(name_) args_, SYT_KIND_##kind_, (initial_), (flags_));  \
	}

/* clang-format off */
OPENED(eventfd, (unsigned initial, int flags), (initial, flags), EVENTFD, initial,
       flags & EFD_SEMAPHORE ? SYT_ENDPOINT_SEMAPHORE : 0)
OPENED(timerfd_create, (clockid_t clock, int flags), (clock, flags), TIMERFD, 0, 0)
OPENED(epoll_create, (int size), (size), EPOLL, 0, 0)
OPENED(epoll_create1, (int flags), (flags), EPOLL, 0, 0)
/* clang-format on */

SYT_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	SYT_IO_ENTER_OR_FORWARD(x, signalfd, (fd, set, flags));
	int rv = SYT_REAL(signalfd)(fd, set, flags);
	if (fd == -1)
		return opened(&x, rv, SYT_KIND_SIGNALFD, 0, 0);
	syt_endpoint_get(fd, &x.endpoint); /* the set of an existing signalfd has changed */
	x.event.object = x.endpoint.object;
	return syt_io_leave_out_int(&x, rv);
}

static int fresh(int fd)
{
	if (fd >= 0) {
		syt_endpoint_forget(fd);
		syt_description_open(fd);
	}
	return fd;
}

/* A short open has no event, so an unselected one is no call that is left out. */
static bool enter_open(struct syt_io *x, const void *fp, uint32_t call)
{
	return syt_control() == SYT_CONTROL_SAMPLED ? syt_io_enter(x, fp, call)
	                                            : syt_io_enter_idle(x, fp, call);
}

static void begin_open(struct syt_io *x)
{
	if (!x->is_recorded)
		return;
	syt_capture(&x->frame);
	syt_stamp_wait(&x->frame, &x->event);
}

static int opened_file(struct syt_io *x, int fd)
{
	fresh(fd);
	if (!x->is_recorded)
		return fd;
	syt_stamp_out(&x->frame);
	if (!syt_was_long(&x->frame)) {
		syt_leave_unrecorded(&x->frame);
		return fd;
	}
	if (fd >= 0) {
		x->fd = fd;
		syt_endpoint_get(fd, &x->endpoint);
		x->event.object = x->endpoint.object;
	}
	return syt_io_leave_out_int(x, fd);
}

#define OPENED_FILE(name_, args_)                                                                  \
	struct syt_io x;                                                                           \
                                                                                                   \
	if (!enter_open(&x, SYT_FP, SYT_CALL_##name_))                                             \
		return fresh(SYT_REAL(name_) args_);                                               \
	begin_open(&x);                                                                            \
	return opened_file(&x, SYT_REAL(name_) args_)

/* The argument `mode` of open exists only if the call may create a file. */
#define OPEN(name_, params_, args_, last_, flags_)                                                 \
	SYT_EXPORT int name_ params_                                                               \
	{                                                                                          \
		mode_t mode = 0;                                                                   \
                                                                                                   \
		if ((flags_)&O_CREAT || ((flags_)&O_TMPFILE) == O_TMPFILE) {                       \
			va_list rest;                                                              \
                                                                                                   \
			va_start(rest, last_);                                                     \
			mode = va_arg(rest, mode_t);                                               \
			va_end(rest);                                                              \
		}                                                                                  \
		OPENED_FILE(name_, args_);                                                         \
	}
#define OPEN_2(name_, params_, args_)                                                              \
	SYT_EXPORT int name_ params_                                                               \
	{                                                                                          \
		OPENED_FILE(name_, args_);                                                         \
	}

/* clang-format off */
OPEN(open, (const char *path, int flags, ...), (path, flags, mode), flags, flags)
OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode), flags, flags)
OPEN_2(__open_2, (const char *path, int flags), (path, flags))
OPEN_2(__openat_2, (int dir, const char *path, int flags), (dir, path, flags))
OPEN_2(creat, (const char *path, mode_t mode), (path, mode))
/* clang-format on */

SYT_EXPORT int memfd_create(const char *name, unsigned flags)
{
	return fresh(SYT_REAL(memfd_create)(name, flags));
}

/* ---- duplication ---- */

/* Stores how much was sent and received through the endpoint that is closed, for a sampled trace. */
static void put_totals(struct syt_event *e, const struct syt_endpoint *closed)
{
	bool is_sent_known, is_received_known;

	if (closed->kind != SYT_KIND_STREAM && closed->kind != SYT_KIND_PIPE &&
	    closed->kind != SYT_KIND_EVENTFD)
		return;
	e->offset = syt_endpoint_count(closed, true, 0, &is_sent_known);
	e->offset2 = syt_endpoint_count(closed, false, 0, &is_received_known);
	if (!is_sent_known || !is_received_known) {
		e->offset = e->offset2 = 0;
		e->flags |= SYT_EVENT_NOOFFSET;
	}
}

/* The state that a dup2 replaces: the table's word of the new fd, and the file locks that its close
 * releases. */
struct replaced {
	uint64_t word;
	struct syt_unlocked locks;
};

static int duplicated(struct syt_io *x, int rv, int fd, const struct replaced *old, int wanted)
{
	syt_io_stamp_out(x);
	if (rv < 0) {
		if (old)
			syt_endpoint_reattach(wanted, old->word);
		x->event.object2 = 0;
		x->event.flags = 0;
		x->event.offset = x->event.offset2 = 0;
	} else {
		x->event.arg = old && syt_endpoint_release(old->word);
		syt_endpoint_dup(&x->endpoint, rv);
		syt_description_dup(fd, rv);
	}
	syt_io_leave_out(x, rv);
	if (old && rv >= 0)
		syt_filelock_end_close(x, &old->locks);
	return rv;
}

SYT_EXPORT int dup(int fd)
{
	SYT_IO_ENTER_OR_FORWARD(x, dup, (fd));
	syt_io_begin_out(&x, fd);
	return duplicated(&x, SYT_REAL(dup)(fd), fd, NULL, -1);
}

/* Prepares a dup2 of FD onto TO, which closes the old file or socket of TO. */
static void begin_onto(struct syt_io *x, struct replaced *old, int fd, int to)
{
	struct syt_endpoint was;

	syt_io_begin_out(x, fd);
	if (fd == to)
		return;
	old->word = syt_endpoint_detach(to, &was);
	syt_filelock_begin_close(&old->locks, to);
	x->event.object2 = was.object;
	if (was.flags & SYT_ENDPOINT_WRITER)
		x->event.flags |= SYT_EVENT_WRITER;
	if (__builtin_expect(x->is_sampled, 0))
		put_totals(&x->event, &was);
}

SYT_EXPORT int dup2(int fd, int to)
{
	SYT_IO_ENTER_OR_FORWARD(x, dup2, (fd, to));
	struct replaced old = {0};
	begin_onto(&x, &old, fd, to);
	int rv = SYT_REAL(dup2)(fd, to);
	if (fd == to) {
		return syt_io_leave_out_int(&x, rv);
	}
	return duplicated(&x, rv, fd, &old, to);
}

SYT_EXPORT int dup3(int fd, int to, int flags)
{
	SYT_IO_ENTER_OR_FORWARD(x, dup3, (fd, to, flags));
	struct replaced old = {0};
	begin_onto(&x, &old, fd, to);
	return duplicated(&x, SYT_REAL(dup3)(fd, to, flags), fd, &old, to);
}

/* Records only the fcntl commands for duplication and locks. Forwards the optional argument as one register. */
SYT_EXPORT int fcntl(int fd, int command, ...)
{
	struct syt_io x;
	va_list rest;

	va_start(rest, command);
	void *argument = va_arg(rest, void *);
	va_end(rest);
	if (syt_filelock_is_command(command))
		return syt_filelock_fcntl(fd, command, argument, __builtin_frame_address(0));
	if ((command != F_DUPFD && command != F_DUPFD_CLOEXEC) || !SYT_IO_ENTER(&x, fcntl))
		return SYT_REAL(fcntl)(fd, command, argument);
	syt_io_begin_out(&x, fd);
	return duplicated(&x, SYT_REAL(fcntl)(fd, command, argument), fd, NULL, -1);
}

/* ---- closing ---- */

static void begin_close(struct syt_io *x, struct syt_unlocked *u, int fd)
{
	syt_filelock_begin_close(u, fd);
	syt_description_close(fd);
	x->event.arg = syt_endpoint_close(fd, &x->endpoint);
	x->event.object = x->endpoint.object;
	if (x->endpoint.flags & SYT_ENDPOINT_WRITER)
		x->event.flags |= SYT_EVENT_WRITER;
	if (__builtin_expect(x->is_sampled, 0) && x->event.arg)
		put_totals(&x->event, &x->endpoint);
	if (x->is_recorded && !x->frame.in)
		syt_stamp_in(&x->frame);
}

static void end_close(struct syt_io *x, const struct syt_unlocked *u, int rv)
{
	if (rv == 0)
		syt_filelock_end_close(x, u);
}

SYT_EXPORT int close(int fd)
{
	struct syt_unlocked u;

	SYT_IO_ENTER_OR_FORWARD(x, close, (fd));
	begin_close(&x, &u, fd);
	int rv = SYT_REAL(close)(fd);
	syt_io_leave_in(&x, rv);
	end_close(&x, &u, rv);
	return rv;
}

/* Records the number of messages left in the queue, by which the decoder detects untraced users of the
 * queue. */
SYT_EXPORT int mq_close(mqd_t queue)
{
	SYT_IO_ENTER_OR_FORWARD(x, mq_close, (queue));
	struct syt_endpoint e;
	syt_endpoint_get(queue, &e);
	syt_io_stamp_in(&x);
	x.event.count = syt_endpoint_waiting(&e, queue);
	begin_close(&x, &(struct syt_unlocked){0}, queue);
	return syt_io_leave_in_int(&x, SYT_REAL(mq_close)(queue));
}

/* Returns true if the closed endpoint can create happens-before edges, and false for a regular file. */
static bool is_ordered(const struct syt_endpoint *e)
{
	return e->object && e->kind != SYT_KIND_FILE;
}

/* Returns the fd of a stream, which fclose and freopen close inside libc, or -1. */
static int fd_of(const FILE *f)
{
	return f ? f->_fileno : -1;
}

SYT_EXPORT int fclose(FILE *f)
{
	struct syt_unlocked u;

	SYT_IO_ENTER_OR_FORWARD(x, fclose, (f));
	begin_close(&x, &u, fd_of(f));
	syt_object_end(SYT_KIND_STDIO, f); /* the lock object of the stream ends with the stream */
	int rv = SYT_REAL(fclose)(f);
	if (is_ordered(&x.endpoint))
		syt_io_leave_in(&x, rv);
	end_close(&x, &u, 0); /* fclose closes the fd even if writing the buffered data failed */
	return rv;
}

SYT_EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
	struct syt_io x;
	FILE *rv;

	if (!SYT_IO_ENTER_IDLE(&x, fopen)) {
		rv = SYT_REAL(fopen)(path, mode);
		fresh(fd_of(rv));
		return rv;
	}
	begin_open(&x);
	rv = SYT_REAL(fopen)(path, mode);
	opened_file(&x, fd_of(rv));
	return rv;
}

/* Of freopen, only the release of file locks by closing the stream's old fd is recorded. */
#define FREOPEN(name_)                                                                             \
	SYT_EXPORT FILE *name_(const char *path, const char *mode, FILE *f)                        \
	{                                                                                          \
		struct syt_unlocked u;                                                             \
		SYT_IO_ENTER_OR_FORWARD(x, name_, (path, mode, f));                                \
		begin_close(&x, &u, fd_of(f));                                                     \
		FILE *rv = SYT_REAL(name_)(path, mode, f);                                         \
		fresh(fd_of(rv));                                                                  \
		end_close(&x, &u, 0);                                                              \
		return rv;                                                                         \
	}

FREOPEN(freopen)
FREOPEN(freopen64)

/* libc closes the directory's fd internally. libc accepts NULL although its header declares the
 * argument nonnull. The empty asm keeps the compiler from removing the test. */
SYT_EXPORT int closedir(DIR *d)
{
	DIR *given = d;

	__asm__("" : "+r"(given));
	if (given)
		syt_endpoint_forget(dirfd(given));
	return SYT_REAL(closedir)(d);
}

/* libc duplicates FD to 0, 1 and 2 and then closes FD. */
SYT_EXPORT int login_tty(int fd)
{
	int rv = SYT_REAL(login_tty)(fd);

	for (int i = 0; rv == 0 && i < 3; i++)
		syt_endpoint_forget(i);
	if (rv == 0)
		syt_endpoint_forget(fd);
	return rv;
}

#define NR_CLOSED 32u
#define NR_UNLOCKED 8u

/* The known file descriptors that a close_range closes. The first NR_CLOSED descriptors get one event each,
 * with the same time stamps. File locks after the first NR_UNLOCKED appear to stay held; the decoder
 * detects this. */
struct closed {
	struct syt_io io;
	uint32_t nr, nr_unlocked;
	struct syt_unlocked unlocked[NR_UNLOCKED];
	struct {
		uint32_t object;
		bool is_last, is_writer;
	} of[NR_CLOSED];
};

static void begin_close_range(struct closed *c, unsigned first, unsigned last)
{
	struct syt_endpoint e;

	c->nr = 0;
	for (int fd = syt_endpoint_next((int)first, last); fd >= 0;
	     fd = syt_endpoint_next(fd + 1, last)) {
		bool is_last = syt_endpoint_close(fd, &e);

		if (c->nr == NR_CLOSED || !is_ordered(&e))
			continue;
		c->of[c->nr].object = e.object;
		c->of[c->nr].is_last = is_last;
		c->of[c->nr++].is_writer = e.flags & SYT_ENDPOINT_WRITER;
	}
	c->nr_unlocked = 0;
	for (int fd = syt_description_next((int)first, last); fd >= 0;
	     fd = syt_description_next(fd + 1, last)) {
		struct syt_unlocked u;

		syt_filelock_begin_close(&u, fd);
		syt_description_close(fd);
		if ((u.flock || u.record) && c->nr_unlocked < NR_UNLOCKED)
			c->unlocked[c->nr_unlocked++] = u;
	}
	if (c->io.is_recorded)
		syt_stamp_in(&c->io.frame);
}

static void end_close_range(struct closed *c, int rv)
{
	struct syt_event e = c->io.event;

	if (!c->nr)
		syt_io_leave_in(&c->io, rv);
	for (uint32_t i = 0; i < c->nr; i++) {
		c->io.event = e;
		c->io.event.object = c->of[i].object;
		c->io.event.arg = c->of[i].is_last;
		c->io.event.flags = c->of[i].is_writer ? SYT_EVENT_WRITER : 0;
		syt_io_leave_in(&c->io, rv);
	}
	for (uint32_t i = 0; i < c->nr_unlocked; i++)
		end_close(&c->io, &c->unlocked[i], rv);
}

SYT_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	struct closed c;

	if (first > last || flags & ~CLOSE_RANGE_UNSHARE || first > INT32_MAX ||
	    !SYT_IO_ENTER(&c.io, close_range))
		return SYT_REAL(close_range)(first, last, flags);
	begin_close_range(&c, first, last);
	int rv = SYT_REAL(close_range)(first, last, flags);
	end_close_range(&c, rv);
	return rv;
}

SYT_EXPORT void closefrom(int first)
{
	struct closed c;

	if (!SYT_IO_ENTER(&c.io, closefrom)) {
		SYT_REAL(closefrom)(first);
		return;
	}
	begin_close_range(&c, first < 0 ? 0 : (unsigned)first, ~0u);
	SYT_REAL(closefrom)(first);
	end_close_range(&c, 0);
}

/* ---- through syscall() ---- */

/* Begins a wrapper: declares the struct syt_io X_ and begins the recording of NAME_, or only forwards the
 * system call R_. */
#define ENTER_SYSCALL(x_, r_, name_)                                                               \
	struct syt_io x_;                                                                          \
	if (!syt_io_enter(&x_, (r_)->fp, SYT_CALL_##name_)) {                                      \
		return syt_syscall_forward(r_);                                                    \
	}

long syt_syscall_close(const struct syt_syscall *r)
{
	ENTER_SYSCALL(x, r, close);
	struct syt_unlocked u;
	begin_close(&x, &u, (int)r->a[0]);
	int rv = (int)syt_syscall_forward(r);
	syt_io_leave_in(&x, rv);
	end_close(&x, &u, rv);
	return rv;
}

long syt_syscall_dup(const struct syt_syscall *r)
{
	ENTER_SYSCALL(x, r, dup);
	syt_io_begin_out(&x, (int)r->a[0]);
	return duplicated(&x, (int)syt_syscall_forward(r), (int)r->a[0], NULL, -1);
}

long syt_syscall_dup2(const struct syt_syscall *r)
{
	ENTER_SYSCALL(x, r, dup2);
	int fd = (int)r->a[0], to = (int)r->a[1];
	struct replaced old = {0};
	begin_onto(&x, &old, fd, to);
	int rv = (int)syt_syscall_forward(r);
	if (fd != to)
		return duplicated(&x, rv, fd, &old, to);
	return syt_io_leave_out_int(&x, rv);
}

long syt_syscall_dup3(const struct syt_syscall *r)
{
	ENTER_SYSCALL(x, r, dup3);
	int fd = (int)r->a[0], to = (int)r->a[1];
	struct replaced old = {0};
	begin_onto(&x, &old, fd, to);
	return duplicated(&x, (int)syt_syscall_forward(r), fd, &old, to);
}

long syt_syscall_pipe(const struct syt_syscall *r)
{
	ENTER_SYSCALL(x, r, pipe2);
	return opened_pipe(&x, (int)syt_syscall_forward(r), (const int *)r->a[0]);
}

/* SYS_eventfd, the older call, has no flags. */
long syt_syscall_eventfd(const struct syt_syscall *r)
{
	ENTER_SYSCALL(x, r, eventfd);
	unsigned flags = r->nr == SYS_eventfd2 ? (unsigned)r->a[1] : 0;
	return opened(&x, (int)syt_syscall_forward(r), SYT_KIND_EVENTFD, (unsigned)r->a[0],
	              flags & EFD_SEMAPHORE ? SYT_ENDPOINT_SEMAPHORE : 0);
}

long syt_syscall_timerfd_create(const struct syt_syscall *r)
{
	ENTER_SYSCALL(x, r, timerfd_create);
	return opened(&x, (int)syt_syscall_forward(r), SYT_KIND_TIMERFD, 0, 0);
}

long syt_syscall_epoll_create(const struct syt_syscall *r)
{
	ENTER_SYSCALL(x, r, epoll_create1);
	return opened(&x, (int)syt_syscall_forward(r), SYT_KIND_EPOLL, 0, 0);
}

long syt_syscall_fcntl(const struct syt_syscall *r)
{
	struct syt_io x;
	int command = (int)r->a[1];

	if ((command != F_DUPFD && command != F_DUPFD_CLOEXEC) ||
	    !syt_io_enter(&x, r->fp, SYT_CALL_fcntl))
		return syt_syscall_forward(r);
	syt_io_begin_out(&x, (int)r->a[0]);
	return duplicated(&x, (int)syt_syscall_forward(r), (int)r->a[0], NULL, -1);
}

long syt_syscall_close_range(const struct syt_syscall *r)
{
	unsigned first = (unsigned)r->a[0], last = (unsigned)r->a[1];
	struct closed c;

	if (first > last || (unsigned)r->a[2] & ~(unsigned)CLOSE_RANGE_UNSHARE ||
	    first > INT32_MAX || !syt_io_enter(&c.io, r->fp, SYT_CALL_close_range))
		return syt_syscall_forward(r);
	begin_close_range(&c, first, last);
	long rv = syt_syscall_forward(r);
	end_close_range(&c, (int)rv);
	return rv;
}

long syt_syscall_fresh(const struct syt_syscall *r)
{
	return fresh((int)syt_syscall_forward(r));
}
