/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Counts the bytes, units and messages that calls on file descriptors move. Defines the wrappers of calls that
 * are not specific to sockets: read, write, their vectored, positioned and _chk variants, eventfd, and copying
 * between descriptors. */
#include <sys/signalfd.h>

#include "preload/io.h"

#include "preload/syscall.h"

static bool enter(struct syt_io *x, uint32_t call)
{
	if (!x->is_recorded && !syt_is_recording())
		return false;
	x->event = (struct syt_event){.call = call};
	x->endpoint.kind = SYT_KIND_OTHER;
	x->fd = -1;
	x->in_flight = SYT_NR_IN_FLIGHT;
	x->is_short = false;
	return true;
}

bool syt_io_enter(struct syt_io *x, const void *fp, uint32_t call)
{
	x->frame.alive = 0;
	x->is_recorded = syt_enter_use(&x->frame, fp);
	return enter(x, call);
}

bool syt_io_enter_idle(struct syt_io *x, const void *fp, uint32_t call)
{
	x->is_recorded = syt_enter_idle(&x->frame, fp);
	return enter(x, call);
}

static void begin(struct syt_io *x, int fd)
{
	x->fd = fd;
	syt_endpoint_get(fd, &x->endpoint);
	x->event.object = x->endpoint.object;
}

void syt_io_begin_in(struct syt_io *x, int fd)
{
	begin(x, fd);
	syt_io_stamp_in(x);
}

void syt_io_begin_out(struct syt_io *x, int fd)
{
	begin(x, fd);
	if (!x->is_recorded)
		return;
	syt_capture(&x->frame);
	syt_stamp_wait(&x->frame, &x->event);
}

static void begin_moving(struct syt_io *x, int fd, bool is_out)
{
	begin(x, fd);
	if (x->is_recorded)
		syt_capture(&x->frame);
	x->in_flight = syt_in_flight_begin(&x->frame, &x->endpoint, is_out);
	if (x->is_recorded)
		syt_stamp_wait(&x->frame, &x->event);
}

bool syt_io_begin_unusual(struct syt_io *x, const void *fp, uint32_t call, int fd, bool is_out)
{
	if (!syt_io_enter(x, fp, call))
		return false;
	begin_moving(x, fd, is_out);
	return true;
}

void syt_io_continue(struct syt_io *x, const void *fp, uint32_t call, int fd,
                     const struct syt_moving *m)
{
	struct syt_event *e = &x->event;

	x->frame = syt_move_frame(m, fp);
	e->call = call;
	e->object = m->endpoint.object;
	e->object2 = 0;
	e->offset = e->bytes = e->count = e->flags = e->peer = 0;
	e->nr_ready = 0;
	x->is_short = true;
	x->endpoint = m->endpoint;
	syt_endpoint_mark_writer(&x->endpoint);
	x->fd = fd;
	x->is_recorded = true;
	x->in_flight = syt_move_note(m);
}

bool syt_io_begin_move(struct syt_io *x, const void *fp, uint32_t call, int fd, bool is_out)
{
	struct syt_moving m;

	if (!syt_move_begin(&m, fp, call, fd, is_out))
		return syt_io_begin_unusual(x, fp, call, fd, is_out);
	syt_io_continue(x, fp, call, fd, &m);
	return true;
}

/* Writes the name of the file to the dump after a long call. The name of a file costs a system call, and
 * files of quick calls do not need one. */
static void name_file(struct syt_io *x)
{
	if (__builtin_expect(x->endpoint.kind == SYT_KIND_FILE && syt_was_long(&x->frame), 0))
		syt_endpoint_name_file(x->fd, &x->endpoint);
}

/* Records the event of a call that the short form began. In the usual case returns true; otherwise sets the other members of
 * the event. */
static bool leave_short(struct syt_io *x, bool is_release)
{
	struct syt_event *e = &x->event;

	if (__builtin_expect(syt_leave_usual(&x->frame, e, is_release), 1))
		return true;
	e->offset2 = e->cpu = e->thread = e->pid = e->arg = e->status = 0;
	e->err = e->result < 0 ? e->err : 0;
	e->reserved = 0;
	return false;
}

void syt_io_leave_in(struct syt_io *x, int64_t rv)
{
	if (!x->is_recorded)
		return;
	if (!x->frame.out)
		syt_stamp_out(&x->frame);
	syt_result(&x->event, rv);
	if (x->is_short && leave_short(x, true))
		return;
	syt_leave_in(&x->frame, &x->event);
	name_file(x);
}

void syt_io_leave_out(struct syt_io *x, int64_t rv)
{
	if (!x->is_recorded)
		return;
	syt_result(&x->event, rv);
	if (x->is_short) {
		if (!x->frame.out)
			syt_stamp_out(&x->frame);
		if (leave_short(x, false))
			return;
	}
	syt_leave_out(&x->frame, &x->event);
	name_file(x);
}

bool syt_io_end_without_offset(const struct syt_moving *m, const void *fp, uint32_t call,
                               int64_t rv, bool is_out)
{
	struct syt_frame f = syt_move_frame(m, fp);
	struct syt_event e;

	syt_stamp_out(&f);
	e.call = call;
	e.object = m->endpoint.object;
	e.bytes = rv < 0 ? 0 : (uint64_t)rv;
	e.flags = rv < 0 ? 0 : SYT_EVENT_NOOFFSET;
	e.object2 = 0;
	e.offset = e.count = e.peer = 0;
	e.nr_ready = 0;
	syt_result(&e, rv);
	if (!syt_leave_usual(&f, &e, is_out))
		return false;
	syt_in_flight_end(&f, &m->endpoint, syt_move_note(m));
	return true;
}

static void put_offset(struct syt_event *e, uint64_t *where, uint64_t offset, bool is_known)
{
	if (is_known)
		*where = offset;
	else
		e->flags |= SYT_EVENT_NOOFFSET;
}

/* Returns the amount of moved data in the unit of the endpoint's counter: bytes, messages or units. */
static uint64_t units_of(const struct syt_endpoint *e, const struct syt_moved *m)
{
	switch (e->kind) {
	case SYT_KIND_DGRAM:
		return m->messages ? m->messages : 1;
	case SYT_KIND_EVENTFD:
		return m->units;
	case SYT_KIND_QUEUE: /* read() of a POSIX message queue's fd takes no message */
		return m->messages;
	default:
		return m->bytes;
	}
}

/* Returns the number of datagrams that the kernel made of the sent data. */
static uint64_t messages_of(const struct syt_endpoint *e, const struct syt_moved *m)
{
	uint64_t segment = m->segment ? m->segment : e->segment;

	if (e->kind != SYT_KIND_DGRAM || !segment || m->bytes <= segment)
		return m->messages;
	return (m->bytes + segment - 1) / segment;
}

static bool is_end(const struct syt_endpoint *e, const struct syt_moved *m)
{
	if (m->bytes || m->is_empty)
		return false;
	return e->kind == SYT_KIND_STREAM || e->kind == SYT_KIND_PIPE ||
	       e->flags & SYT_ENDPOINT_PACKETS;
}

static void count_received(struct syt_io *x, const struct syt_moved *m)
{
	struct syt_endpoint *p = &x->endpoint;
	struct syt_event *e = &x->event;
	uint64_t units = units_of(p, m), offset;
	bool is_known;

	if (m->flags & (MSG_ERRQUEUE | MSG_OOB)) {
		/* error-queue and urgent bytes are not part of the stream */
		if (m->flags & MSG_OOB)
			syt_endpoint_urgent(p);
		e->flags |= SYT_EVENT_NOOFFSET | (m->flags & MSG_OOB ? SYT_EVENT_URGENT : 0);
		return;
	}
	if (is_end(p, m)) {
		e->flags |= SYT_EVENT_EOF;
		units = 0;
	}
	if (m->flags & MSG_PEEK)
		e->flags |= SYT_EVENT_PEEK;
	offset = syt_endpoint_received(p, m->flags & MSG_PEEK ? 0 : units, &is_known);
	put_offset(e, &e->offset, offset, is_known);
	e->bytes = p->kind == SYT_KIND_EVENTFD ? units : m->bytes;
	e->count = m->messages;
	if (p->kind == SYT_KIND_DGRAM) {
		e->peer = m->peer ? m->peer : p->remote;
		/* with MSG_TRUNC, the result of recv is the datagram's true length */
		if (m->is_full && !(m->flags & MSG_TRUNC))
			e->flags |= SYT_EVENT_FULL;
	}
}

void syt_io_received(struct syt_io *x, const struct syt_moved *m)
{
	bool is_signals = x->endpoint.kind == SYT_KIND_SIGNALFD && m->result > 0;

	if (m->result >= 0)
		count_received(x, m);
	if (is_signals)
		x->event.count = m->bytes / sizeof(struct signalfd_siginfo);
	else if (x->endpoint.kind == SYT_KIND_TIMERFD && m->result > 0)
		x->event.count = m->units;
	syt_io_leave_out(x, m->result);
	syt_in_flight_end(&x->frame, &x->endpoint, x->in_flight);
	if (is_signals) {
		x->is_short = false; /* the next events have rare fields */
		syt_signals_taken(x, m);
	}
}

static void count_sent(struct syt_io *x, const struct syt_moved *m)
{
	struct syt_endpoint *p = &x->endpoint;
	struct syt_event *e = &x->event;
	struct syt_moved split = *m;
	uint64_t units, offset;
	bool is_known;

	split.messages = messages_of(p, m);
	units = units_of(p, &split);
	e->bytes = p->kind == SYT_KIND_EVENTFD ? units : m->bytes;
	if (m->flags & MSG_OOB && p->kind == SYT_KIND_STREAM && m->bytes) {
		/* the last byte is urgent data and not part of the stream */
		e->flags |= SYT_EVENT_URGENT;
		e->bytes = --units;
		syt_endpoint_urgent(p);
	}
	offset = syt_endpoint_sent(p, units, &is_known);
	put_offset(e, &e->offset, offset, is_known);
	e->count = split.messages;
	if (p->kind == SYT_KIND_DGRAM)
		e->peer = m->peer ? m->peer : p->remote;
}

void syt_io_sent(struct syt_io *x, const struct syt_moved *m)
{
	struct syt_endpoint *p = &x->endpoint, now;

	if (m->result >= 0)
		count_sent(x, m);
	syt_io_stamp_out(x);
	/* the kernel assigns an address when the socket sends its first datagram */
	if (m->result >= 0 && p->kind == SYT_KIND_DGRAM && p->flags & SYT_ENDPOINT_INET &&
	    !(p->flags & SYT_ENDPOINT_NAMED))
		syt_endpoint_named(x->fd, NULL, 0, &now);
	syt_io_leave_in(x, m->result);
	syt_in_flight_end(&x->frame, &x->endpoint, x->in_flight);
}

/* Returns the first eight bytes of a buffer that the kernel has used, or 0 if it is shorter. */
static uint64_t first_word(const void *buffer, size_t bytes)
{
	uint64_t units = 0;

	if (bytes < sizeof(units))
		return 0;
	__builtin_memcpy(&units, buffer, sizeof(units));
	return units;
}

/* ---- reading ---- */

#define HAS_UNITS                                                                                  \
	(rv > 0 && (x.endpoint.kind == SYT_KIND_EVENTFD || x.endpoint.kind == SYT_KIND_TIMERFD))
#define UNITS(buffer_, bytes_) .units = HAS_UNITS ? first_word((buffer_), (bytes_)) : 0
#define READ(name_, more_params_, more_args_)                                                      \
	SYT_IO_RECV(name_, (int fd, void *buffer, size_t bytes UNPACK more_params_),               \
	            (fd, buffer, bytes UNPACK more_args_), fd, 0, .is_empty = !bytes,              \
	            .vector = &(struct iovec){buffer, bytes}, .nr_vector = 1,                      \
	            .is_full = (size_t)rv == bytes, UNITS(buffer, bytes))
#define READ_VECTOR(name_, more_params_, more_args_)                                               \
	SYT_IO_RECV(name_, (int fd, const struct iovec *iov, int nr UNPACK more_params_),          \
	            (fd, iov, nr UNPACK more_args_), fd, 0,                                        \
	            .is_empty = rv == 0 && is_empty_vector(iov, nr), .vector = iov,                \
	            .nr_vector = nr, .is_full = IS_FULL_VECTOR(iov, nr), UNITS_VECTOR(iov, nr))
#define UNITS_VECTOR(iov_, nr_) .units = HAS_UNITS ? vector_units((iov_), (nr_)) : 0
#define IS_FULL_VECTOR(iov_, nr_)                                                                  \
	(rv >= 0 && x.endpoint.kind == SYT_KIND_DGRAM && (size_t)rv == vector_bytes((iov_), (nr_)))
#define UNPACK(...) __VA_OPT__(, ) __VA_ARGS__

/* Returns true if the vector requests no bytes. Call it only after the kernel has read the vector. */
static bool is_empty_vector(const struct iovec *iov, int nr)
{
	for (int i = 0; i < nr; i++)
		if (iov[i].iov_len)
			return false;
	return true;
}

static size_t vector_bytes(const struct iovec *iov, int nr)
{
	size_t bytes = 0;

	for (int i = 0; i < nr; i++)
		bytes += iov[i].iov_len;
	return bytes;
}

static uint64_t vector_units(const struct iovec *iov, int nr)
{
	return nr ? first_word(iov[0].iov_base, iov[0].iov_len) : 0;
}

/* clang-format off */
READ(read, (), ())
READ(__read_chk, (size_t room), (room))
READ(pread, (off_t at), (at))
READ(__pread_chk, (off_t at, size_t room), (at, room))
READ_VECTOR(readv, (), ())
READ_VECTOR(preadv, (off_t at), (at))
READ_VECTOR(preadv2, (off_t at, int flags), (at, flags))

/* ---- writing ---- */

#define WRITE(name_, more_params_, more_args_)                                                     \
	SYT_IO_SEND(name_, (int fd, const void *buffer, size_t bytes UNPACK more_params_),         \
		    (fd, buffer, bytes UNPACK more_args_), fd, 0, UNITS(buffer, bytes))
#define WRITE_VECTOR(name_, more_params_, more_args_)                                              \
	SYT_IO_SEND(name_, (int fd, const struct iovec *iov, int nr UNPACK more_params_),          \
		    (fd, iov, nr UNPACK more_args_), fd, 0, UNITS_VECTOR(iov, nr))

WRITE(write, (), ())
WRITE(pwrite, (off_t at), (at))
WRITE_VECTOR(writev, (), ())
WRITE_VECTOR(pwritev, (off_t at), (at))
WRITE_VECTOR(pwritev2, (off_t at, int flags), (at, flags))
/* clang-format on */

/* ---- waiting for the disk ---- */

#define SYNC(name_, params_, args_)                                                                \
	SYT_EXPORT int name_ params_                                                               \
	{                                                                                          \
		struct syt_io x;                                                                   \
                                                                                                   \
		if (!SYT_IO_ENTER_IDLE(&x, name_))                                                 \
			return SYT_REAL(name_) args_;                                              \
		syt_io_begin_out(&x, fd);                                                          \
		return syt_io_leave_out_int(&x, SYT_REAL(name_) args_);                            \
	}

/* clang-format off */
SYNC(fsync, (int fd), (fd))
SYNC(fdatasync, (int fd), (fd))
SYNC(syncfs, (int fd), (fd))
SYNC(sync_file_range, (int fd, off64_t at, off64_t bytes, unsigned flags), (fd, at, bytes, flags))
/* clang-format on */

/* ---- eventfd ---- */

SYT_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	struct syt_io x;

	if (!SYT_IO_BEGIN_RECV(&x, eventfd_read, fd))
		return SYT_REAL(eventfd_read)(fd, value);
	int rv = SYT_REAL(eventfd_read)(fd, value);
	syt_io_received(&x, &(struct syt_moved){.result = rv, .units = rv ? 0 : *value});
	return rv;
}

SYT_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	struct syt_io x;

	if (!SYT_IO_BEGIN_SEND(&x, eventfd_write, fd))
		return SYT_REAL(eventfd_write)(fd, value);
	int rv = SYT_REAL(eventfd_write)(fd, value);
	syt_io_sent(&x, &(struct syt_moved){.result = rv, .units = value});
	return rv;
}

/* ---- copying between descriptors ---- */

struct transfer {
	struct syt_io io;         /* state of the call; io.endpoint is the destination */
	struct syt_endpoint from; /* the source */
	uint8_t in_flight;        /* result of syt_in_flight_begin for the source */
};

static void begin_transfer(struct transfer *t, int from, int to)
{
	syt_endpoint_get(from, &t->from);
	t->in_flight = SYT_NR_IN_FLIGHT;
	t->io.event.object2 = t->from.object;
	syt_io_begin_out(&t->io, to);
	if (!t->io.is_recorded)
		return;
	t->io.in_flight = syt_in_flight_begin(&t->io.frame, &t->io.endpoint, true);
	t->in_flight = syt_in_flight_begin(&t->io.frame, &t->from, false);
}

/* Completes the event of a copy between descriptors. IS_COPY means that the bytes stay in the source (tee). */
static void end_transfer(struct transfer *t, ssize_t rv, size_t wanted, bool is_copy)
{
	struct syt_event *e = &t->io.event;
	bool is_known;

	if (rv >= 0) {
		uint64_t bytes = (uint64_t)rv, offset;

		offset = syt_endpoint_received(&t->from, is_copy ? 0 : bytes, &is_known);
		put_offset(e, &e->offset2, offset, is_known || t->from.kind == SYT_KIND_FILE);
		offset = syt_endpoint_sent(&t->io.endpoint, bytes, &is_known);
		put_offset(e, &e->offset, offset, is_known || t->io.endpoint.kind == SYT_KIND_FILE);
		e->bytes = bytes;
		if (is_copy)
			e->flags |= SYT_EVENT_PEEK;
		if (is_end(&t->from, &(struct syt_moved){.bytes = bytes, .is_empty = !wanted}))
			e->flags |= SYT_EVENT_EOF;
	}
	syt_io_leave_out(&t->io, rv);
	syt_in_flight_end(&t->io.frame, &t->io.endpoint, t->io.in_flight);
	syt_in_flight_end(&t->io.frame, &t->from, t->in_flight);
}

#define TRANSFER(name_, params_, args_, from_, to_, wanted_, is_copy_)                             \
	SYT_EXPORT ssize_t name_ params_                                                           \
	{                                                                                          \
		struct transfer t;                                                                 \
                                                                                                   \
		if (!SYT_IO_ENTER(&t.io, name_))                                                   \
			return SYT_REAL(name_) args_;                                              \
		begin_transfer(&t, (from_), (to_));                                                \
		ssize_t rv = SYT_REAL(name_) args_;                                                \
		end_transfer(&t, rv, (wanted_), (is_copy_));                                       \
		return rv;                                                                         \
	}

/* clang-format off */
TRANSFER(sendfile, (int out, int in, off_t *at, size_t bytes), (out, in, at, bytes), in, out, bytes, false)
TRANSFER(splice, (int in, off64_t *in_at, int out, off64_t *out_at, size_t bytes, unsigned flags),
	 (in, in_at, out, out_at, bytes, flags), in, out, bytes, false)
TRANSFER(tee, (int in, int out, size_t bytes, unsigned flags), (in, out, bytes, flags), in, out, bytes, true)
TRANSFER(copy_file_range, (int in, off64_t *in_at, int out, off64_t *out_at, size_t bytes, unsigned flags),
	 (in, in_at, out, out_at, bytes, flags), in, out, bytes, false)
/* clang-format on */

/* vmsplice sends into a pipe, or receives from the pipe's reading end; a receiving vmsplice has an event
 * without an offset. */
SYT_EXPORT ssize_t vmsplice(int fd, const struct iovec *iov, size_t nr, unsigned flags)
{
	bool is_known;

	struct syt_io x;

	if (!SYT_IO_BEGIN_SEND(&x, vmsplice, fd))
		return SYT_REAL(vmsplice)(fd, iov, nr, flags);
	ssize_t rv = SYT_REAL(vmsplice)(fd, iov, nr, flags);
	if (x.endpoint.flags & SYT_ENDPOINT_WRITER) {
		syt_io_sent(&x, &(struct syt_moved){.result = rv, .bytes = (uint64_t)rv});
		return rv;
	}
	if (rv > 0)
		syt_endpoint_received(&x.endpoint, (uint64_t)rv, &is_known);
	x.event.flags |= SYT_EVENT_NOOFFSET;
	syt_io_leave_in(&x, rv);
	syt_in_flight_end(&x.frame, &x.endpoint, x.in_flight);
	return rv;
}

/* ---- through syscall() ---- */

#define SYSCALL_READ(name_, ...)                                                                   \
	long syt_syscall_##name_(const struct syt_syscall *r)                                      \
	{                                                                                          \
		struct syt_io x;                                                                   \
                                                                                                   \
		if (!syt_io_begin_move(&x, r->fp, SYT_CALL_##name_, (int)r->a[0], false))          \
			return syt_syscall_forward(r);                                             \
		long rv = syt_syscall_forward(r);                                                  \
		syt_io_received(&x, &(struct syt_moved){                                           \
					    .result = rv, .bytes = (uint64_t)rv, __VA_ARGS__});    \
		return rv;                                                                         \
	}
#define SYSCALL_WRITE(name_, ...)                                                                  \
	long syt_syscall_##name_(const struct syt_syscall *r)                                      \
	{                                                                                          \
		struct syt_io x;                                                                   \
                                                                                                   \
		if (!syt_io_begin_move(&x, r->fp, SYT_CALL_##name_, (int)r->a[0], true))           \
			return syt_syscall_forward(r);                                             \
		long rv = syt_syscall_forward(r);                                                  \
		syt_io_sent(&x, &(struct syt_moved){                                               \
					.result = rv, .bytes = (uint64_t)rv, __VA_ARGS__});        \
		return rv;                                                                         \
	}
#define SYSCALL_IOV ((const struct iovec *)r->a[1])
#define SYSCALL_NR ((int)r->a[2])

/* clang-format off */
SYSCALL_READ(read, .is_empty = !r->a[2],
	 .vector = &(struct iovec){(void *)r->a[1], (size_t)r->a[2]}, .nr_vector = 1,
	 .is_full = (size_t)rv == (size_t)r->a[2], UNITS((const void *)r->a[1], (size_t)r->a[2]))
SYSCALL_READ(readv, .is_empty = rv == 0 && is_empty_vector(SYSCALL_IOV, SYSCALL_NR),
	 .vector = SYSCALL_IOV, .nr_vector = SYSCALL_NR, .is_full = IS_FULL_VECTOR(SYSCALL_IOV, SYSCALL_NR),
	 UNITS_VECTOR(SYSCALL_IOV, SYSCALL_NR))
SYSCALL_WRITE(write, UNITS((const void *)r->a[1], (size_t)r->a[2]))
SYSCALL_WRITE(writev, UNITS_VECTOR(SYSCALL_IOV, SYSCALL_NR))
/* clang-format on */
