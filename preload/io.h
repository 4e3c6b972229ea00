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

/* The state of one call on an fd, on the wrapper's stack. */
struct syt_io {
	struct syt_frame frame;
	struct syt_event event;
	struct syt_endpoint endpoint; /* the endpoint of the fd before the real call */
	int fd;
	bool is_recorded;  /* true if the events of this thread are recorded */
	uint8_t in_flight; /* result of syt_in_flight_begin */
	/* the short form began the call, and the members of `event` with rare fields (syt_event_rare) are not set */
	bool is_short;
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

/* Begins the recording of CALL, which sends to FD (IS_OUT) or receives from it. If the call never returns, the
 * dump shows it as in progress. FP is the wrapper's frame. Returns false as syt_io_enter() does. */
bool syt_io_begin_move(struct syt_io *x, const void *fp, uint32_t call, int fd, bool is_out);

#define SYT_IO_BEGIN_SEND(x_, name_, fd_)                                                          \
	syt_io_begin_move((x_), __builtin_frame_address(0), SYT_CALL_##name_, (fd_), true)
#define SYT_IO_BEGIN_RECV(x_, name_, fd_)                                                          \
	syt_io_begin_move((x_), __builtin_frame_address(0), SYT_CALL_##name_, (fd_), false)

/* Does syt_io_begin_move() if the short form (runtime/move.h) does not cover the call. */
bool syt_io_begin_unusual(struct syt_io *x, const void *fp, uint32_t call, int fd, bool is_out);

/* Sets X to the state of CALL, which the short form began with M and FP on the descriptor FD. */
void syt_io_continue(struct syt_io *x, const void *fp, uint32_t call, int fd,
                     const struct syt_moving *m);

/* Count the moved data, read the clock for the event's time `out` and record the event. Called after the
 * real call. */
void syt_io_received(struct syt_io *x, const struct syt_moved *m);
void syt_io_sent(struct syt_io *x, const struct syt_moved *m);

/* Does syt_io_received() or syt_io_sent() (IS_OUT) for the call M with RESULT bytes and the MSG_* FLAGS, if the short
 * form covers this call. Otherwise returns false, and the wrapper calls that function. */
static SYT_ALWAYS_INLINE bool syt_io_end_short(const struct syt_moving *m, const void *fp,
                                               uint32_t call, int64_t result, int flags,
                                               bool is_out)
{
	return __builtin_expect(result > 0 && !(flags & (MSG_ERRQUEUE | MSG_OOB | MSG_PEEK)), 1) &&
	       SYT_MOVE_END(m, fp, call, is_out, (uint64_t)result);
}

/* Returns true if syt_io_end_without_offset() may record the call M, which returned RV. */
static SYT_ALWAYS_INLINE bool syt_io_is_without_offset(const struct syt_moving *m, int64_t rv)
{
	return rv < 0 || syt_facts_kind(m->endpoint.facts) == SYT_KIND_FILE;
}

/* Records the call M, which the short form began and which returned RV: a call that failed, or on a file. In an unusual case
 * returns false, and the wrapper takes the general steps. */
bool syt_io_end_without_offset(const struct syt_moving *m, const void *fp, uint32_t call,
                               int64_t rv, bool is_out);

/* Records one event for each signal that was read from a signalfd. */
void syt_signals_taken(struct syt_io *x, const struct syt_moved *m);

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

/* Makes the call REAL_, stores its result in the new variable RV_ and returns if the short form records the call, or
 * if this process records no events. Otherwise the new variable X_ has the state of the call, which is to be recorded by
 * syt_io_received() or syt_io_sent() (IS_OUT_). FLAGS_: the MSG_* flags. AFTER_ is done after the call. */
#define SYT_IO_MOVE(x_, rv_, name_, fd_, flags_, is_out_, real_, after_)                           \
	struct syt_moving m_;                                                                      \
	struct syt_io x_;                                                                          \
	ssize_t rv_;                                                                               \
	if (__builtin_expect(SYT_MOVE_BEGIN(&m_, SYT_FP, SYT_CALL_##name_, (fd_), (is_out_)),      \
	                     1)) {                                                                 \
		rv_ = real_;                                                                       \
		after_;                                                                            \
		if (syt_io_end_short(&m_, SYT_FP, SYT_CALL_##name_, rv_, (flags_), (is_out_)))     \
			return rv_;                                                                \
		struct syt_moving copy_ = m_;                                                      \
		if (syt_io_is_without_offset(&m_, rv_) &&                                          \
		    syt_io_end_without_offset(&copy_, SYT_FP, SYT_CALL_##name_, rv_, (is_out_)))   \
			return rv_;                                                                \
		syt_io_continue(&x_, SYT_FP, SYT_CALL_##name_, (fd_), &copy_);                     \
	} else {                                                                                   \
		if (!syt_io_begin_unusual(&x_, SYT_FP, SYT_CALL_##name_, (fd_), (is_out_)))        \
			return real_;                                                              \
		rv_ = real_;                                                                       \
		after_;                                                                            \
	}

/* Defines the wrapper of a call that reads from FD_ with the MSG_* flags FLAGS_. The other arguments are
 * initializers of members of struct syt_moved. */
#define SYT_IO_RECV(name_, params_, args_, fd_, flags_, ...)                                       \
	SYT_EXPORT ssize_t name_ params_                                                           \
	{                                                                                          \
		SYT_IO_MOVE(x, rv, name_, fd_, flags_, false, SYT_REAL(name_) args_, );            \
		syt_io_received(&x, &(struct syt_moved){.result = rv,                              \
		                                        .bytes = (uint64_t)rv,                     \
		                                        .flags = (flags_),                         \
		                                        __VA_ARGS__});                             \
		return rv;                                                                         \
	}

/* Defines the wrapper of a call that writes to FD_. */
#define SYT_IO_SEND(name_, params_, args_, fd_, flags_, ...)                                       \
	SYT_EXPORT ssize_t name_ params_                                                           \
	{                                                                                          \
		SYT_IO_MOVE(x, rv, name_, fd_, flags_, true, SYT_REAL(name_) args_, );             \
		syt_io_sent(&x, &(struct syt_moved){.result = rv,                                  \
		                                    .bytes = (uint64_t)rv,                         \
		                                    .flags = (flags_),                             \
		                                    __VA_ARGS__});                                 \
		return rv;                                                                         \
	}

#endif
