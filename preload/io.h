/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Shared parts of the wrappers of calls on file descriptors.
 *
 * The wrappers update the fd table and the byte counters even if the thread cannot be recorded: a missing event
 * costs one happens-before edge, but uncounted bytes would produce wrong edges. Regular files create no
 * happens-before edges: events of their reads and writes have no offsets, and opening a file has no event.
 *
 * A wrapper determines the endpoint before the real call. It counts bytes after the call and before it reads
 * the clock for the event's time `out`. So calls that do not overlap have offsets in the kernel's order.
 */
#ifndef SYT_PRELOAD_IO_H
#define SYT_PRELOAD_IO_H

#include "preload/wrap.h"
#include "runtime/endpoint.h"
#include "runtime/in-flight.h"
#include "runtime/move-body.h"
#include "runtime/skip.h"

/* The state of one call on an fd, on the wrapper's stack. */
struct syt_io {
	struct syt_frame frame;
	struct syt_event event;
	struct syt_endpoint endpoint; /* the endpoint of the fd before the real call */
	int fd;
	bool is_recorded;  /* true if the events of this thread are recorded */
	uint8_t in_flight; /* result of syt_in_flight_begin */
	bool is_sampled;   /* true if a sampler selects calls; the short form then begins none */
	uint64_t position; /* counter of the endpoint before the call, UINT64_MAX: unknown; valid if is_sampled */
};

/* The data that a real call has moved. */
struct syt_moved {
	int64_t result;
	uint64_t bytes;    /* number of moved bytes, valid if the call succeeded */
	uint64_t messages; /* number of messages of a *mmsg call or of a message queue */
	int flags;         /* MSG_* */
	bool is_full;      /* the datagram filled the buffer and may have been longer */
	bool is_empty;     /* no bytes were requested, so a result of 0 is not end-of-file */
	uint64_t units;    /* first eight bytes of the buffer, for an eventfd or timerfd */
	const struct iovec *vector; /* destination, for a call that may read a signalfd */
	int nr_vector;
	uint16_t segment; /* size into which this datagram is split; 0: the socket's setting */
	uint64_t peer;    /* hash of the address of a datagram's peer; 0: the connected peer */
};

/* Begins the recording of a call on an fd. Returns false if this process records no events; then the
 * wrapper only forwards the call. */
bool syt_io_enter(struct syt_io *x, const void *fp, uint32_t call);
/* Like syt_io_enter, for a call that takes no data and creates no happens-before edges (syt_enter_idle). */
bool syt_io_enter_idle(struct syt_io *x, const void *fp, uint32_t call);
#define SYT_IO_ENTER_IDLE(x_, name_)                                                               \
	syt_io_enter_idle((x_), __builtin_frame_address(0), SYT_CALL_##name_)
#define SYT_IO_ENTER(x_, name_) syt_io_enter((x_), __builtin_frame_address(0), SYT_CALL_##name_)

/* Begins a wrapper: declares the struct syt_io X_ and begins the recording of the call. If this process
 * records no events, forwards the call and returns. */
#define SYT_IO_ENTER_OR_FORWARD(x_, name_, args_)                                                  \
	struct syt_io x_;                                                                          \
	if (!SYT_IO_ENTER(&x_, name_)) {                                                           \
		return SYT_REAL(name_) args_;                                                      \
	}

/* Determine the endpoint of FD and read the clock for the event's time `in`, before the real call.
 * syt_io_begin_out() is for a call that may wait: it also captures the call stack, and the dump shows
 * the call until it returns. */
void syt_io_begin_in(struct syt_io *x, int fd);
void syt_io_begin_out(struct syt_io *x, int fd);

/* Read the clock for the event's time `in` or `out` if the events of this thread are recorded. */
static inline void syt_io_stamp_in(struct syt_io *x)
{
	if (x->is_recorded)
		syt_stamp_in(&x->frame);
}

static inline void syt_io_stamp_out(struct syt_io *x)
{
	if (x->is_recorded)
		syt_stamp_out(&x->frame);
}

/* Begins the recording of CALL, which sends to FD (IS_OUT) or receives from it, if the short form does not cover the
 * call. If the call never returns, the dump shows it as in progress. FP is the wrapper's frame. Returns false as
 * syt_io_enter() does. */
bool syt_io_begin_unusual(struct syt_io *x, const void *fp, uint32_t call, int fd, bool is_out);

/* Returns true if this process knows the endpoint of FD. */
static SYT_ALWAYS_INLINE bool syt_io_knows(int fd)
{
	const uint64_t *w = syt_fd_word(&syt_endpoint_words, fd, false);

	return w && __atomic_load_n(w, __ATOMIC_ACQUIRE);
}

/* Does syt_io_forwards() for the first call of a thread in the deep pause CONTROL, or on a descriptor. */
bool syt_io_forwards_first(const void *fp, uint32_t call, int fd, uint32_t control);

/* Returns true if a deep pause lets CALL of the frame FP on FD reach libc directly: its bytes are not counted. The dump notes the
 * call, and the process holds a reference to the endpoint before the call (runtime/endpoint_record.h). */
static SYT_ALWAYS_INLINE bool syt_io_forwards(const void *fp, uint32_t call, int fd)
{
	uint32_t control = syt_control();

	if (!syt_control_is_deep(control))
		return false;
	return (syt_self_has_skipped(syt_self_now(), fp, control) && syt_io_knows(fd)) ||
	       syt_io_forwards_first(fp, call, fd, control);
}

/* The state of a call that has no short form, or that a sampler skips. They share the stack's memory, of which a signal handler may
 * have little. */
union syt_io_or_skip {
	struct syt_io io;
	struct syt_skip skip;
};

/* Begins X->io for CALL on FD, which X->skip began and which needs a record. */
void syt_io_begin_skipped(union syt_io_or_skip *x, const void *fp, uint32_t call, int fd);

/* Does syt_skip_end() for the call K, which moved BYTES with the MSG_* FLAGS and returned RV, if bytes are counted. */
static SYT_ALWAYS_INLINE bool syt_io_end_skipped(const struct syt_skip *k, int64_t rv,
                                                 int64_t bytes, int flags, bool is_out)
{
	uint8_t kind = syt_facts_kind(k->endpoint.facts);

	if (kind == SYT_KIND_DGRAM)
		return false;
	if (rv < 0)
		return syt_skip_end(k, is_out, 0, true);
	return bytes > 0 && kind != SYT_KIND_EVENTFD &&
	       !(flags & (MSG_ERRQUEUE | MSG_OOB | MSG_PEEK)) &&
	       syt_skip_end(k, is_out, (uint64_t)bytes, false);
}

/* Same, for the moved data M of CALL of the frame FP, after syt_io_end_skipped(). */
bool syt_io_end_skipped_units(const struct syt_skip *k, const void *fp, uint32_t call, bool is_out,
                              const struct syt_moved *m);

/* Marks the data that the call X will send (runtime/mark.h). syt_io_begin_unusual() contains this step. */
void syt_io_mark_send(struct syt_io *x);

/* Count the moved data, read the clock for the event's time `out` and record the event. Called after the
 * real call. */
void syt_io_received(struct syt_io *x, const struct syt_moved *m);
void syt_io_sent(struct syt_io *x, const struct syt_moved *m);

/* Does syt_io_end() for the call M, which moved BYTES with the MSG_* FLAGS, if it is one of the most frequent calls.
 * Otherwise returns false, and the wrapper calls another function. */
static SYT_ALWAYS_INLINE bool syt_io_end_short(const struct syt_moving *m, const void *fp,
                                               uint32_t call, int64_t bytes, int flags, bool is_out)
{
	return __builtin_expect(bytes > 0 && !(flags & (MSG_ERRQUEUE | MSG_OOB | MSG_PEEK)), 1) &&
	       SYT_MOVE_END(m, fp, call, is_out, (uint64_t)bytes);
}

/* Does syt_io_end() for the call M on an eventfd, which returned RV and whose counter changed by UNITS. */
static SYT_ALWAYS_INLINE bool syt_io_end_eventfd(const struct syt_moving *m, const void *fp,
                                                 uint32_t call, bool is_out, int64_t rv,
                                                 uint64_t units)
{
	if (!m->endpoint.slot || units - 1 >= SYT_ENDPOINT_COUNT)
		return false;
	SYT_MOVE_END_UNITS(m, fp, call, is_out, units, rv, units, 0, 0);
	return true;
}

/* Does syt_io_end() for the call M with the MSG_* FLAGS, which moved one datagram of RV bytes (not 0). The other arguments
 * are as in struct syt_moved. */
static SYT_ALWAYS_INLINE bool syt_io_end_datagram(const struct syt_moving *m, const void *fp,
                                                  uint32_t call, int flags, bool is_out, int64_t rv,
                                                  bool is_full, uint64_t peer)
{
	uint64_t facts = m->endpoint.facts;
	const uint64_t inet = (uint64_t)SYT_ENDPOINT_INET << SYT_FACTS_FLAGS_SHIFT,
		       named = (uint64_t)SYT_ENDPOINT_NAMED << SYT_FACTS_FLAGS_SHIFT;

	if (!m->endpoint.slot || flags & (MSG_ERRQUEUE | MSG_OOB | MSG_PEEK | MSG_TRUNC))
		return false;
	/* a send that the kernel splits or that gives the socket an address */
	if (is_out && (syt_facts_segment(facts) || (facts & (inet | named)) == inet))
		return false;
	SYT_MOVE_END_UNITS(m, fp, call, is_out, 1, rv, (uint64_t)rv, is_full ? SYT_EVENT_FULL : 0,
	                   peer ? peer : m->endpoint.remote);
	return true;
}

/* End the recording of CALL on FD, which the short form began with M and FP. syt_io_end() counts the data D.
 * syt_io_end_failed() is for a call that returned -1, and syt_io_end_file() for one that moved BYTES of a file; the kernel
 * moves less than 2 GiB at once. */
void syt_io_end(const struct syt_moving *m, const void *fp, uint32_t call, bool is_out, int fd,
                const struct syt_moved *d);
void syt_io_end_failed(const struct syt_moving *m, const void *fp, uint32_t call, bool is_out);
void syt_io_end_file(const struct syt_moving *m, const void *fp, uint32_t call, bool is_out, int fd,
                     uint32_t bytes);

/* Records one event for each signal that the call F read from a signalfd. */
void syt_signals_taken(const struct syt_frame *f, const struct syt_moved *m);

/* Record the event of the call X if the events of this thread are recorded. */
void syt_io_leave_in(struct syt_io *x, int64_t rv);
void syt_io_leave_out(struct syt_io *x, int64_t rv);

/* Record the event like syt_io_leave_in() and syt_io_leave_out(), and return the call's result RV. */
static inline int syt_io_leave_in_int(struct syt_io *x, int rv)
{
	syt_io_leave_in(x, rv);
	return rv;
}

static inline int syt_io_leave_out_int(struct syt_io *x, int rv)
{
	syt_io_leave_out(x, rv);
	return rv;
}

/* The body of a wrapper: makes the call REAL_ of CALL_ on FD_, does AFTER_ and returns the result. FP_ is the
 * wrapper's frame, BYTES_ the number of bytes that the call moved, if the result `rv` is this number, or 0. FLAGS_: the
 * MSG_* flags. QUICK_ ends the call `m_` if it returns true. It and the other arguments, a struct syt_moved, may depend on
 * `rv`, which is not negative in QUICK_, and on the endpoint's kind, `kind`. */
#define SYT_IO_MOVE(fp_, call_, fd_, bytes_, flags_, is_out_, real_, after_, quick_, ...)          \
	struct syt_moving m_, copy_;                                                               \
	union syt_io_or_skip x_;                                                                   \
	uint8_t kind;                                                                              \
	ssize_t rv;                                                                                \
	bool is_short_ = SYT_MOVE_BEGIN(&m_, (fp_), (call_), (fd_), (is_out_));                    \
	bool is_skipped_ = false;                                                                  \
	if (__builtin_expect(!is_short_, 0)) {                                                     \
		is_skipped_ = syt_control() == SYT_CONTROL_SAMPLED &&                              \
		              syt_skip_begin(&x_.skip, (fp_), (call_), (fd_), (is_out_));          \
		if (!is_skipped_ &&                                                                \
		    (syt_io_forwards((fp_), (call_), (fd_)) ||                                     \
		     !syt_io_begin_unusual(&x_.io, (fp_), (call_), (fd_), (is_out_))))             \
			return real_;                                                              \
	}                                                                                          \
	rv = real_;                                                                                \
	after_;                                                                                    \
	if (__builtin_expect(is_short_, 1)) {                                                      \
		if (syt_io_end_short(&m_, (fp_), (call_), (bytes_), (flags_), (is_out_)))          \
			return (__typeof__(real_))rv;                                              \
		if (rv < 0) {                                                                      \
			copy_ = m_;                                                                \
			syt_io_end_failed(&copy_, (fp_), (call_), (is_out_));                      \
			return (__typeof__(real_))rv;                                              \
		}                                                                                  \
		kind = syt_facts_kind(m_.endpoint.facts);                                          \
		if (quick_)                                                                        \
			return (__typeof__(real_))rv;                                              \
		copy_ = m_;                                                                        \
		if (kind == SYT_KIND_FILE) {                                                       \
			syt_io_end_file(&copy_, (fp_), (call_), (is_out_), (fd_), (uint32_t)rv);   \
			return (__typeof__(real_))rv;                                              \
		}                                                                                  \
	} else if (is_skipped_) {                                                                  \
		if (syt_io_end_skipped(&x_.skip, rv, (bytes_), (flags_), (is_out_)))               \
			return (__typeof__(real_))rv;                                              \
		kind = syt_facts_kind(x_.skip.endpoint.facts);                                     \
	} else {                                                                                   \
		kind = x_.io.endpoint.kind;                                                        \
	}                                                                                          \
	struct syt_moved moved_ = __VA_ARGS__;                                                     \
	if (is_skipped_) {                                                                         \
		if (syt_io_end_skipped_units(&x_.skip, (fp_), (call_), (is_out_), &moved_))        \
			return (__typeof__(real_))rv;                                              \
		syt_io_begin_skipped(&x_, (fp_), (call_), (fd_));                                  \
	}                                                                                          \
	if (is_short_)                                                                             \
		syt_io_end(&copy_, (fp_), (call_), (is_out_), (fd_), &moved_);                     \
	else if (is_out_)                                                                          \
		syt_io_sent(&x_.io, &moved_);                                                      \
	else                                                                                       \
		syt_io_received(&x_.io, &moved_);                                                  \
	return (__typeof__(real_))rv

/* Defines the wrapper of a call that moves bytes to (IS_OUT_) or from FD_ with the MSG_* flags FLAGS_. QUICK_ is as in
 * SYT_IO_MOVE(). The other arguments are initializers of members of struct syt_moved. */
#define SYT_IO_WRAPPER(is_out_, name_, params_, args_, fd_, flags_, quick_, ...)                   \
	SYT_EXPORT ssize_t name_ params_                                                           \
	{                                                                                          \
		SYT_IO_MOVE(                                                                       \
			SYT_FP, SYT_CALL_##name_, fd_, rv, flags_, is_out_, SYT_REAL(name_) args_, \
			, quick_,                                                                  \
			{.result = rv, .bytes = (uint64_t)rv, .flags = (flags_), __VA_ARGS__});    \
	}
#define SYT_IO_RECV(...) SYT_IO_WRAPPER(false, __VA_ARGS__)
#define SYT_IO_SEND(...) SYT_IO_WRAPPER(true, __VA_ARGS__)

/* The step QUICK_ of a wrapper that reads or writes UNITS_ of an eventfd, or one datagram. */
#define SYT_IO_QUICK_EVENTFD(fp_, call_, is_out_, units_)                                          \
	(kind == SYT_KIND_EVENTFD &&                                                               \
	 syt_io_end_eventfd(&m_, (fp_), (call_), (is_out_), rv, (units_)))
#define SYT_IO_QUICK_DATAGRAM(name_, flags_, is_out_, is_full_, peer_)                             \
	(kind == SYT_KIND_DGRAM && rv > 0 &&                                                       \
	 syt_io_end_datagram(&m_, SYT_FP, SYT_CALL_##name_, (flags_), (is_out_), rv, (is_full_),   \
	                     (peer_)))

#endif
