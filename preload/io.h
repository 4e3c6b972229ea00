/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What the wrappers of calls on file descriptors share.
 *
 * The table of fds and the byte counters are kept even where a thread cannot be recorded: an event
 * that is missing costs an edge, a byte that was not counted would make wrong ones.  Regular files
 * order nothing: reading and writing them is recorded with bytes and without offsets, opening them
 * is not. The endpoint is taken before the real call and bytes are counted after it and before
 * `out` is stamped, so that calls that do not overlap have offsets in the kernel's order.
 */
#ifndef SYT_PRELOAD_IO_H
#define SYT_PRELOAD_IO_H

#include "preload/wrap.h"
#include "runtime/endpoint.h"
#include "runtime/moving.h"

/* One call on an fd. On the wrapper's stack. */
struct syt_io {
	struct syt_frame frame;
	struct syt_event event;
	struct syt_endpoint endpoint; /* of the fd, as it was before the real call */
	int fd;
	bool is_recorded; /* this thread's events are */
	uint8_t moving;   /* of syt_moving_begin */
};

/* What a real call has moved. */
struct syt_moved {
	int64_t result;
	uint64_t bytes;    /* if it succeeded */
	uint64_t messages; /* of a *mmsg call, or of one on a message queue */
	int flags;         /* MSG_* */
	bool is_full;      /* datagrams: it was, or may have been, longer than the buffer */
	bool is_empty;     /* nothing was asked for: a result of 0 is no end-of-file */
	uint64_t units;    /* of an eventfd: eight bytes of the buffer */
	const struct iovec *vector; /* where it was put, of a call that may read a signalfd */
	int nr_vector;
	uint16_t segment; /* datagrams: what this message is split into; 0: as the socket says */
	uint64_t peer;    /* datagrams: hash of the other side's address; 0: the connected one */
};

/* False when nothing is recorded in this process: a plain forward. */
bool syt_io_enter(struct syt_io *x, const void *fp, uint32_t call);
/* The same of a call that takes nothing away: no other one's edge depends on it (runtime/frame.h, syt_enter_idle). */
bool syt_io_enter_idle(struct syt_io *x, const void *fp, uint32_t call);
#define SYT_IO_ENTER_IDLE(x_, name_)                                                               \
	syt_io_enter_idle((x_), __builtin_frame_address(0), SYT_CALL_##name_)
#define SYT_IO_ENTER(x_, name_) syt_io_enter((x_), __builtin_frame_address(0), SYT_CALL_##name_)

/* Before the real call: what FD is, and the in stamp. An acquire's stack is captured here. */
void syt_io_begin_in(struct syt_io *x, int fd);
void syt_io_begin_out(struct syt_io *x, int fd);

/* The same for a call that sends, or receives: one that never returns is known to have been going on. */
void syt_io_begin_send(struct syt_io *x, int fd);
void syt_io_begin_recv(struct syt_io *x, int fd);

/* After the real call: counts, stamps and records. */
void syt_io_received(struct syt_io *x, const struct syt_moved *m);
void syt_io_sent(struct syt_io *x, const struct syt_moved *m);

/* After a signalfd was read: an event for each signal. */
void syt_signals_taken(struct syt_io *x, const struct syt_moved *m);

/* Record, if this thread's events are recorded. */
void syt_io_leave_in(struct syt_io *x, int64_t rv);
void syt_io_leave_out(struct syt_io *x, int64_t rv);

/* A call that reads from FD_. The rest are members of struct syt_moved. */
#define SYT_IO_RECV(name_, params_, args_, fd_, ...)                                               \
	SYT_EXPORT ssize_t name_ params_                                                           \
	{                                                                                          \
		struct syt_io x;                                                                   \
                                                                                                   \
		if (!SYT_IO_ENTER(&x, name_))                                                      \
			return SYT_REAL(name_) args_;                                              \
		syt_io_begin_recv(&x, (fd_));                                                      \
		ssize_t rv = SYT_REAL(name_) args_;                                                \
		syt_io_received(&x, &(struct syt_moved){                                           \
					    .result = rv, .bytes = (uint64_t)rv, __VA_ARGS__});    \
		return rv;                                                                         \
	}

/* A call that writes to FD_. */
#define SYT_IO_SEND(name_, params_, args_, fd_, ...)                                               \
	SYT_EXPORT ssize_t name_ params_                                                           \
	{                                                                                          \
		struct syt_io x;                                                                   \
                                                                                                   \
		if (!SYT_IO_ENTER(&x, name_))                                                      \
			return SYT_REAL(name_) args_;                                              \
		syt_io_begin_send(&x, (fd_));                                                      \
		ssize_t rv = SYT_REAL(name_) args_;                                                \
		syt_io_sent(&x, &(struct syt_moved){                                               \
					.result = rv, .bytes = (uint64_t)rv, __VA_ARGS__});        \
		return rv;                                                                         \
	}

#endif
