/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The short form of the calls that move bytes or wait for descriptors: one step before the real call and one after it.
 * The event has only the members that the call has, and no other member is cleared or copied. The rules of
 * runtime/frame.h hold.
 *
 * The steps do exactly the work of the steps that they replace, in the same order. In an unusual case they do nothing,
 * and the wrapper takes these steps (preload/io.c): a signal handler that interrupted the recorder, a pause, a vfork
 * child, a stack that is not the thread's own, a descriptor that is not known yet.
 *
 * The wrappers contain the steps inline (runtime/move-body.h).
 */
#ifndef SYT_RUNTIME_MOVE_H
#define SYT_RUNTIME_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"
#include "runtime/endpoint.h"
#include "runtime/frame.h"

struct syt_self;

/* A call in progress. The inline steps give no pointer to it away, so that the compiler holds its members in
 * registers. */
struct syt_moving {
	uint64_t in;
	/* identifies the thread that began the call; nothing reads its state by this pointer */
	const struct syt_self *self;
	struct syt_endpoint endpoint;
	uint32_t stack;
	uint32_t alive; /* as in struct syt_frame */
};

/* Returns the number of the note of the call M, which moves bytes: an endpoint with counters has a note. */
static inline uint8_t syt_move_note(const struct syt_moving *m)
{
	return m->endpoint.slot ? 0 : SYT_NR_IN_FLIGHT;
}

/* Makes a struct syt_frame for the steps that end other calls. FP is the wrapper's frame. */
static inline struct syt_frame syt_move_frame(const struct syt_moving *m, const void *fp)
{
	return (struct syt_frame){
		.fp = fp,
		.in = m->in,
		.stack = m->stack,
		.alive = m->alive,
	};
}

/* Begins CALL, which sends to FD (IS_OUT) or receives from it: gets the endpoint, captures the call stack of the
 * wrapper's frame FP, notes the call in the dump and reads the clock. Returns false in an unusual case, with M
 * undefined. */
bool syt_move_begin(struct syt_moving *m, const void *fp, uint32_t call, int fd, bool is_out);

/* Ends CALL, which moved BYTES (not 0) by syt_move_begin() with these M, FP and IS_OUT, and has no other properties:
 * counts the bytes, reads the clock, records the event and removes the note. Returns false if the kind of endpoint
 * needs other steps; the function then has done nothing. */
bool syt_move_end(const struct syt_moving *m, const void *fp, uint32_t call, bool is_out,
                  uint64_t bytes);

/* Ends CALL, as syt_move_end() does, on an endpoint with counters that do not count bytes: counts NR units. The event has
 * RESULT, BYTES (not 0), FLAGS and PEER. */
void syt_move_end_units(const struct syt_moving *m, const void *fp, uint32_t call, bool is_out,
                        uint64_t nr, int64_t result, uint64_t bytes, uint64_t flags, uint64_t peer);

/* Begins CALL, which waits until a descriptor of the epoll instance EP is ready, as syt_move_begin() does. */
bool syt_ready_begin(struct syt_moving *m, const void *fp, uint32_t call, int ep);
/* Same, for a call that waits for descriptors without an epoll instance. */
bool syt_poll_begin(struct syt_moving *m, const void *fp, uint32_t call);

/* Ends CALL, which syt_ready_begin() or syt_poll_begin() began with M and FP, and which found the one descriptor READY: records the event
 * with the time OUT. */
void syt_ready_end(const struct syt_moving *m, const void *fp, uint64_t out, uint32_t call,
                   struct syt_ready ready);

#endif
