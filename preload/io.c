/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Counts the bytes, units and messages that calls on file descriptors move. Defines the wrappers of calls that
 * are not specific to sockets: read, write, their vectored, positioned and _chk variants, eventfd, and copying
 * between descriptors. */
#include <sys/signalfd.h>

#include "preload/io.h"

#include "preload/syscall.h"
#include "runtime/mark.h"

static bool enter(struct syt_io *x, uint32_t call)
{
	if (!x->is_recorded && !syt_is_recording())
		return false;
	x->event = (struct syt_event){.call = call};
	x->endpoint.kind = SYT_KIND_OTHER;
	x->fd = -1;
	x->in_flight = SYT_NR_IN_FLIGHT;
	x->is_sampled = syt_sample_is_on();
	x->position = UINT64_MAX;
	return true;
}

bool syt_io_enter(struct syt_io *x, const void *fp, uint32_t call)
{
	x->frame.alive = 0;
	x->is_recorded = syt_enter_use(&x->frame, fp, call);
	return enter(x, call);
}

bool syt_io_enter_idle(struct syt_io *x, const void *fp, uint32_t call)
{
	x->is_recorded = syt_enter_idle(&x->frame, fp, call);
	return enter(x, call);
}

static void begin(struct syt_io *x, int fd)
{
	x->fd = fd;
	syt_endpoint_get(fd, &x->endpoint);
	syt_endpoint_learn(fd, &x->endpoint);
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

/* Returns the counter of E, or UINT64_MAX if it is unknown. */
static uint64_t position_of(const struct syt_endpoint *e, bool is_out)
{
	bool is_known;
	uint64_t position = syt_endpoint_count(e, is_out, 0, &is_known);

	return is_known ? position : UINT64_MAX;
}

/* Returns how far the counter moved from POSITION to OFFSET: other calls were in progress at the same time. */
static uint64_t crossed_by(uint64_t position, uint64_t offset, bool is_known)
{
	return is_known && position < offset ? offset - position : 0;
}

void syt_io_mark_send(struct syt_io *x)
{
	if (__builtin_expect(x->is_sampled, 0)) {
		x->position = position_of(&x->endpoint, true);
		syt_mark_send(&x->endpoint, x->position);
	}
}

bool syt_io_begin_unusual(struct syt_io *x, const void *fp, uint32_t call, int fd, bool is_out)
{
	if (!syt_io_enter(x, fp, call))
		return false;
	begin(x, fd);
	if (is_out)
		syt_io_mark_send(x);
	else if (__builtin_expect(x->is_sampled, 0))
		x->position = position_of(&x->endpoint, false);
	if (x->is_recorded)
		syt_capture(&x->frame);
	x->in_flight = syt_in_flight_begin(&x->frame, &x->endpoint, is_out);
	if (x->is_recorded)
		syt_stamp_wait(&x->frame, &x->event);
	return true;
}

__attribute__((cold)) bool syt_io_forwards_first(const void *fp, uint32_t call, int fd,
                                                 uint32_t control)
{
	struct syt_endpoint e;

	syt_control_allows(fp, control, call);
	if (!syt_io_knows(fd))
		syt_endpoint_get(fd, &e);
	/* in another order, the process could have no reference to the endpoint when the pause ended */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return syt_control() == control;
}

void syt_io_begin_skipped(union syt_io_or_skip *x, const void *fp, uint32_t call, int fd)
{
	const struct syt_skip k = x->skip;

	x->io = (struct syt_io){
		.frame = {.fp = fp, .in = k.in, .alive = *syt_alive},
		.event = {.call = call, .object = k.endpoint.object},
		.endpoint = k.endpoint,
		.fd = fd,
		.is_recorded = true,
		.in_flight = k.endpoint.slot ? 0 : SYT_NR_IN_FLIGHT,
		.is_sampled = true,
		.position = k.endpoint.slot ? k.was & SYT_ENDPOINT_COUNT : UINT64_MAX,
	};
	syt_endpoint_mark_writer(&x->io.endpoint);
	syt_skip_records(fp, call);
}

/* Does syt_io_end_datagram() for the skipped call K. */
static bool end_skipped_datagram(const struct syt_skip *k, const void *fp, uint32_t call,
                                 bool is_out, const struct syt_moved *m)
{
	const struct syt_endpoint *p = &k->endpoint;

	if (m->result <= 0 || m->messages || m->segment ||
	    m->flags & (MSG_ERRQUEUE | MSG_OOB | MSG_PEEK | MSG_TRUNC))
		return false;
	/* a send that the kernel splits or that gives the socket an address */
	if (is_out && (p->segment ||
	               (p->flags & (SYT_ENDPOINT_INET | SYT_ENDPOINT_NAMED)) == SYT_ENDPOINT_INET))
		return false;
	return syt_skip_datagram(k, fp, call, is_out, m->bytes,
	                         m->is_full && !is_out ? SYT_EVENT_FULL : 0,
	                         m->peer ? m->peer : p->remote);
}

bool syt_io_end_skipped_units(const struct syt_skip *k, const void *fp, uint32_t call, bool is_out,
                              const struct syt_moved *m)
{
	uint64_t nr = syt_facts_kind(k->endpoint.facts) == SYT_KIND_EVENTFD ? m->units : m->bytes;

	if (syt_facts_kind(k->endpoint.facts) == SYT_KIND_DGRAM)
		return end_skipped_datagram(k, fp, call, is_out, m);
	return nr <= UINT32_MAX && !(m->flags & (MSG_ERRQUEUE | MSG_OOB | MSG_PEEK)) &&
	       syt_skip_end(k, is_out, nr, m->result < 0);
}

/* Writes the name of the file to the dump after a long call. The name of a file costs a system call, and
 * files of quick calls do not need one. */
static void name_file(struct syt_io *x)
{
	if (__builtin_expect(x->endpoint.kind == SYT_KIND_FILE && syt_was_long(&x->frame), 0))
		syt_endpoint_name_file(x->fd, &x->endpoint);
}

/* Tells the sampler the record that the object of X needs if the call was not selected. */
static __attribute__((noinline, cold)) void mark_object(struct syt_io *x)
{
	if (!syt_frame_is_unselected(&x->frame))
		return;
	switch (x->endpoint.kind) {
	case SYT_KIND_FILE:
	case SYT_KIND_OTHER:
		if (!x->event.object2)
			x->event.decision = SYT_OBJECT_UNORDERED;
		break;
	case SYT_KIND_STREAM:
	case SYT_KIND_PIPE:
	case SYT_KIND_EVENTFD:
		x->event.decision = SYT_OBJECT_COUNTED;
		break;
	default:
		break;
	}
}

void syt_io_leave_in(struct syt_io *x, int64_t rv)
{
	if (!x->is_recorded)
		return;
	if (__builtin_expect(x->is_sampled, 0))
		mark_object(x);
	if (!x->frame.out)
		syt_stamp_out(&x->frame);
	syt_result(&x->event, rv);
	syt_leave_in(&x->frame, &x->event);
	name_file(x);
}

void syt_io_leave_out(struct syt_io *x, int64_t rv)
{
	if (!x->is_recorded)
		return;
	if (__builtin_expect(x->is_sampled, 0))
		mark_object(x);
	syt_result(&x->event, rv);
	syt_leave_out(&x->frame, &x->event);
	name_file(x);
}

static void put_offset(struct syt_event *e, uint64_t *where, uint64_t offset, bool is_known,
                       const struct syt_endpoint *p)
{
	if (is_known)
		*where = offset;
	else
		e->flags |= syt_endpoint_no_offset(p);
}

/* Returns the amount of moved data in the unit of the endpoint's counter: bytes, messages or units. */
static inline uint64_t units_of(const struct syt_endpoint *e, const struct syt_moved *m,
                                uint64_t messages)
{
	switch (e->kind) {
	case SYT_KIND_DGRAM:
		return messages ? messages : 1;
	case SYT_KIND_EVENTFD:
		return m->units;
	case SYT_KIND_QUEUE: /* read() of a POSIX message queue's fd takes no message */
		return messages;
	default:
		return m->bytes;
	}
}

/* Returns the number of datagrams that the kernel made of the sent data. */
static inline uint64_t messages_of(const struct syt_endpoint *e, const struct syt_moved *m)
{
	uint64_t segment = m->segment ? m->segment : e->segment;

	if (e->kind != SYT_KIND_DGRAM || !segment || m->bytes <= segment)
		return m->messages;
	return (m->bytes + segment - 1) / segment;
}

static inline bool is_end(const struct syt_endpoint *e, const struct syt_moved *m)
{
	if (m->bytes || m->is_empty)
		return false;
	return e->kind == SYT_KIND_STREAM || e->kind == SYT_KIND_PIPE ||
	       e->flags & SYT_ENDPOINT_PACKETS;
}

/* Counts the data M that were received from P, and sets the members of E that describe them. */
static inline void count_received(const struct syt_endpoint *p, const struct syt_moved *m,
                                  struct syt_event *e)
{
	uint64_t units = units_of(p, m, m->messages), offset;
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
	offset = syt_endpoint_count(p, false, m->flags & MSG_PEEK ? 0 : units, &is_known);
	put_offset(e, &e->offset, offset, is_known, p);
	e->bytes = p->kind == SYT_KIND_EVENTFD ? units : m->bytes;
	e->count = m->messages;
	if (p->kind == SYT_KIND_DGRAM) {
		e->peer = m->peer ? m->peer : p->remote;
		/* with MSG_TRUNC, the result of recv is the datagram's true length */
		if (m->is_full && !(m->flags & MSG_TRUNC))
			e->flags |= SYT_EVENT_FULL;
	} else if (p->kind == SYT_KIND_SIGNALFD) {
		e->count = m->bytes / sizeof(struct signalfd_siginfo);
	} else if (p->kind == SYT_KIND_TIMERFD) {
		e->count = m->units;
	}
}

/* Sets the members of X's event that only a sampled trace has, after its data were counted. */
static __attribute__((noinline, cold)) void note_crossed(struct syt_io *x)
{
	struct syt_event *e = &x->event;

	e->crossed = crossed_by(x->position, e->offset, !(e->flags & SYT_EVENT_NOOFFSET));
}

/* Does note_crossed() for the data M that were received, and notes the thread that received them. */
static __attribute__((noinline, cold)) void note_received(struct syt_io *x, const struct syt_moved *m)
{
	uint64_t units = units_of(&x->endpoint, m, m->messages);

	note_crossed(x);
	if (m->flags & (MSG_PEEK | MSG_ERRQUEUE | MSG_OOB) || x->event.flags & SYT_EVENT_EOF ||
	    !units)
		return;
	syt_endpoint_note_reader(&x->endpoint, syt_self());
	if (!(x->event.flags & SYT_EVENT_NOOFFSET))
		syt_mark_received(&x->endpoint, x->event.offset, x->event.offset + units);
}

void syt_io_received(struct syt_io *x, const struct syt_moved *m)
{
	if (m->result >= 0) {
		count_received(&x->endpoint, m, &x->event);
		if (__builtin_expect(x->is_sampled, 0))
			note_received(x, m);
	}
	syt_io_leave_out(x, m->result);
	syt_in_flight_end(&x->frame, &x->endpoint, x->in_flight);
	if (x->is_recorded && x->endpoint.kind == SYT_KIND_SIGNALFD && m->result > 0)
		syt_signals_taken(&x->frame, m);
}

/* Counts the data M that were sent to P, and sets the members of E that describe them. */
static inline void count_sent(const struct syt_endpoint *p, const struct syt_moved *m,
                              struct syt_event *e)
{
	uint64_t messages = messages_of(p, m), units = units_of(p, m, messages), offset;
	bool is_known;

	e->bytes = p->kind == SYT_KIND_EVENTFD ? units : m->bytes;
	if (m->flags & MSG_OOB && p->kind == SYT_KIND_STREAM && m->bytes) {
		/* the last byte is urgent data and not part of the stream */
		e->flags |= SYT_EVENT_URGENT;
		e->bytes = --units;
		syt_endpoint_urgent(p);
	}
	offset = syt_endpoint_count(p, true, units, &is_known);
	put_offset(e, &e->offset, offset, is_known, p);
	e->count = messages;
	if (p->kind == SYT_KIND_DGRAM)
		e->peer = m->peer ? m->peer : p->remote;
}

/* Writes the address of the socket P to the dump after a send: the kernel assigns an address when the socket FD sends its
 * first datagram. */
static inline void name_sender(int fd, const struct syt_endpoint *p, const struct syt_moved *m)
{
	struct syt_endpoint now;

	if (m->result >= 0 && p->kind == SYT_KIND_DGRAM && p->flags & SYT_ENDPOINT_INET &&
	    !(p->flags & SYT_ENDPOINT_NAMED))
		syt_endpoint_named(fd, NULL, 0, &now);
}

/* Does note_crossed() for a send, which has failed unless IS_SENT, and ends the mark of its data. */
static __attribute__((noinline, cold)) void note_sent(struct syt_io *x, bool is_sent)
{
	const struct syt_event *e = &x->event;
	uint64_t end = x->position;

	if (is_sent && !(e->flags & SYT_EVENT_NOOFFSET)) {
		uint8_t kind = x->endpoint.kind;

		end = e->offset +
		      (kind == SYT_KIND_DGRAM || kind == SYT_KIND_QUEUE ? e->count : e->bytes);
	}
	if (is_sent)
		note_crossed(x);
	syt_mark_sent(&x->endpoint, x->position, end);
}

void syt_io_sent(struct syt_io *x, const struct syt_moved *m)
{
	if (m->result >= 0)
		count_sent(&x->endpoint, m, &x->event);
	if (__builtin_expect(x->is_sampled, 0))
		note_sent(x, m->result >= 0);
	syt_io_stamp_out(x);
	name_sender(x->fd, &x->endpoint, m);
	syt_io_leave_in(x, m->result);
	syt_in_flight_end(&x->frame, &x->endpoint, x->in_flight);
}

__attribute__((noinline)) void syt_io_end_failed(const struct syt_moving *m, const void *fp,
                                                 uint32_t call, bool is_out)
{
	uint64_t err = (uint64_t)errno;

	syt_move_end_fields(m, fp, syt_plain_stamp_out(), call, is_out, -1, err, false, 0, 0, 0, 0);
}

__attribute__((noinline)) void syt_io_end_file(const struct syt_moving *m, const void *fp,
                                               uint32_t call, bool is_out, int fd, uint32_t bytes)
{
	uint64_t out = syt_plain_stamp_out();

	syt_move_end_fields(m, fp, out, call, is_out, (int64_t)bytes, 0, true, 0, bytes,
	                    SYT_EVENT_NOOFFSET, 0);
	if (__builtin_expect(out - m->in > SYT_LONG_TICKS, 0))
		syt_endpoint_name_file(fd, &m->endpoint);
}

__attribute__((noinline)) void syt_io_end(const struct syt_moving *m, const void *fp, uint32_t call,
                                          bool is_out, int fd, const struct syt_moved *d)
{
	const struct syt_endpoint *p = &m->endpoint;
	struct syt_event e = {.call = call, .result = d->result};
	uint64_t out;

	if (is_out)
		count_sent(p, d, &e);
	else
		count_received(p, d, &e);
	out = syt_plain_stamp_out();
	if (is_out)
		name_sender(fd, p, d);
	syt_move_end_list(m, fp, out, is_out, &e);
	if (p->kind == SYT_KIND_SIGNALFD && !is_out) {
		struct syt_frame f = syt_move_frame(m, fp);

		f.out = out;
		syt_signals_taken(&f, d);
	}
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

#define HAS_UNITS (rv > 0 && (kind == SYT_KIND_EVENTFD || kind == SYT_KIND_TIMERFD))
#define UNITS(buffer_, bytes_) .units = HAS_UNITS ? first_word((buffer_), (bytes_)) : 0
#define QUICK(name_, is_out_, units_)                                                              \
	SYT_IO_QUICK_EVENTFD(SYT_FP, SYT_CALL_##name_, is_out_, units_)
#define READ(name_, more_params_, more_args_)                                                      \
	SYT_IO_RECV(name_, (int fd, void *buffer, size_t bytes UNPACK more_params_),               \
	            (fd, buffer, bytes UNPACK more_args_), fd, 0,                                  \
	            QUICK(name_, false, first_word(buffer, bytes)), .is_empty = !bytes,            \
	            .vector = &(struct iovec){buffer, bytes}, .nr_vector = 1,                      \
	            .is_full = (size_t)rv == bytes, UNITS(buffer, bytes))
#define READ_VECTOR(name_, more_params_, more_args_)                                               \
	SYT_IO_RECV(name_, (int fd, const struct iovec *iov, int nr UNPACK more_params_),          \
	            (fd, iov, nr UNPACK more_args_), fd, 0,                                        \
	            QUICK(name_, false, vector_units(iov, nr)),                                    \
	            .is_empty = rv == 0 && is_empty_vector(iov, nr), .vector = iov,                \
	            .nr_vector = nr, .is_full = IS_FULL_VECTOR(iov, nr), UNITS_VECTOR(iov, nr))
#define UNITS_VECTOR(iov_, nr_) .units = HAS_UNITS ? vector_units((iov_), (nr_)) : 0
#define IS_FULL_VECTOR(iov_, nr_)                                                                  \
	(rv >= 0 && kind == SYT_KIND_DGRAM && (size_t)rv == vector_bytes((iov_), (nr_)))
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
		    (fd, buffer, bytes UNPACK more_args_), fd, 0,                                  \
	            QUICK(name_, true, first_word(buffer, bytes)), UNITS(buffer, bytes))
#define WRITE_VECTOR(name_, more_params_, more_args_)                                              \
	SYT_IO_SEND(name_, (int fd, const struct iovec *iov, int nr UNPACK more_params_),          \
		    (fd, iov, nr UNPACK more_args_), fd, 0,                                        \
	            QUICK(name_, true, vector_units(iov, nr)), UNITS_VECTOR(iov, nr))

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
	SYT_IO_MOVE(SYT_FP, SYT_CALL_eventfd_read, fd, 0, 0, false,
	            SYT_REAL(eventfd_read)(fd, value), , QUICK(eventfd_read, false, *value),
	            {.result = rv, .units = rv ? 0 : *value});
}

SYT_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	SYT_IO_MOVE(SYT_FP, SYT_CALL_eventfd_write, fd, 0, 0, true,
	            SYT_REAL(eventfd_write)(fd, value), , QUICK(eventfd_write, true, value),
	            {.result = rv, .units = value});
}

/* ---- copying between descriptors ---- */

struct transfer {
	struct syt_io io;         /* state of the call; io.endpoint is the destination */
	struct syt_endpoint from; /* the source */
	uint8_t in_flight;        /* result of syt_in_flight_begin for the source */
	uint64_t position;        /* as in struct syt_io, for the source */
};

static void begin_transfer(struct transfer *t, int from, int to)
{
	syt_endpoint_get(from, &t->from);
	syt_endpoint_learn(from, &t->from);
	t->in_flight = SYT_NR_IN_FLIGHT;
	t->io.event.object2 = t->from.object;
	syt_io_begin_out(&t->io, to);
	if (__builtin_expect(t->io.is_sampled, 0)) {
		t->io.position = position_of(&t->io.endpoint, true);
		t->position = position_of(&t->from, false);
		syt_mark_send(&t->io.endpoint, t->io.position);
	}
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

		offset = syt_endpoint_count(&t->from, false, is_copy ? 0 : bytes, &is_known);
		put_offset(e, &e->offset2, offset, is_known || t->from.kind == SYT_KIND_FILE,
		           &t->from);
		if (__builtin_expect(t->io.is_sampled, 0)) {
			e->crossed = crossed_by(t->position, offset, is_known);
			if (bytes && !is_copy)
				syt_endpoint_note_reader(&t->from, syt_self());
			if (bytes && is_known)
				syt_mark_received(&t->from, offset, offset + bytes);
		}
		offset = syt_endpoint_count(&t->io.endpoint, true, bytes, &is_known);
		put_offset(e, &e->offset, offset, is_known || t->io.endpoint.kind == SYT_KIND_FILE,
		           &t->io.endpoint);
		if (__builtin_expect(t->io.is_sampled, 0))
			e->crossed += crossed_by(t->io.position, offset, is_known);
		e->bytes = bytes;
		if (is_copy)
			e->flags |= SYT_EVENT_PEEK;
		if (is_end(&t->from, &(struct syt_moved){.bytes = bytes, .is_empty = !wanted}))
			e->flags |= SYT_EVENT_EOF;
	}
	if (__builtin_expect(t->io.is_sampled, 0))
		syt_mark_sent(&t->io.endpoint, t->io.position,
		              rv > 0 && !(e->flags & SYT_EVENT_NOOFFSET) ? e->offset + e->bytes
		                                                         : t->io.position);
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
	bool is_known = true;

	struct syt_io x;

	if (!syt_io_begin_unusual(&x, SYT_FP, SYT_CALL_vmsplice, fd, true))
		return SYT_REAL(vmsplice)(fd, iov, nr, flags);
	ssize_t rv = SYT_REAL(vmsplice)(fd, iov, nr, flags);
	if (x.endpoint.flags & SYT_ENDPOINT_WRITER) {
		syt_io_sent(&x, &(struct syt_moved){.result = rv, .bytes = (uint64_t)rv});
		return rv;
	}
	if (rv > 0)
		syt_endpoint_count(&x.endpoint, false, (uint64_t)rv, &is_known);
	if (__builtin_expect(x.is_sampled, 0))
		syt_mark_sent(&x.endpoint, x.position, x.position);
	x.event.flags |= is_known ? SYT_EVENT_NOOFFSET : syt_endpoint_no_offset(&x.endpoint);
	syt_io_leave_in(&x, rv);
	syt_in_flight_end(&x.frame, &x.endpoint, x.in_flight);
	return rv;
}

/* ---- through syscall() ---- */

#define SYSCALL_MOVE(name_, is_out_, units_, ...)                                                  \
	long syt_syscall_##name_(const struct syt_syscall *r)                                      \
	{                                                                                          \
		SYT_IO_MOVE(r->fp, SYT_CALL_##name_, (int)r->a[0], rv, 0, is_out_,                 \
		            syt_syscall_forward(r), ,                                              \
		            SYT_IO_QUICK_EVENTFD(r->fp, SYT_CALL_##name_, is_out_, units_),        \
		            {.result = rv, .bytes = (uint64_t)rv, __VA_ARGS__});                   \
	}
#define SYSCALL_UNITS first_word((const void *)r->a[1], (size_t)r->a[2])
#define SYSCALL_IOV ((const struct iovec *)r->a[1])
#define SYSCALL_NR ((int)r->a[2])

/* clang-format off */
SYSCALL_MOVE(read, false, SYSCALL_UNITS, .is_empty = !r->a[2],
	 .vector = &(struct iovec){(void *)r->a[1], (size_t)r->a[2]}, .nr_vector = 1,
	 .is_full = (size_t)rv == (size_t)r->a[2], UNITS((const void *)r->a[1], (size_t)r->a[2]))
SYSCALL_MOVE(readv, false, vector_units(SYSCALL_IOV, SYSCALL_NR), .is_empty = rv == 0 && is_empty_vector(SYSCALL_IOV, SYSCALL_NR),
	 .vector = SYSCALL_IOV, .nr_vector = SYSCALL_NR, .is_full = IS_FULL_VECTOR(SYSCALL_IOV, SYSCALL_NR),
	 UNITS_VECTOR(SYSCALL_IOV, SYSCALL_NR))
SYSCALL_MOVE(write, true, SYSCALL_UNITS, UNITS((const void *)r->a[1], (size_t)r->a[2]))
SYSCALL_MOVE(writev, true, vector_units(SYSCALL_IOV, SYSCALL_NR), UNITS_VECTOR(SYSCALL_IOV, SYSCALL_NR))
/* clang-format on */
