/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The short way of the most frequent events: a call on one object that did not wait and returned 0, so
 * that nothing is to be said but its call, stack, object and stamp.  What is known of it fits registers,
 * nothing is cleared, and the wrapper calls the recorder once (a release) or twice (an acquire).
 *
 *	uint32_t alive = syt_plain_enter();
 *
 *	if (!alive)
 *		return SYT_REAL(pthread_mutex_unlock)(m);
 *	uint32_t object = syt_mutex_object(m);
 *	uint64_t in = syt_plain_stamp_in();
 *	int rv = SYT_REAL(pthread_mutex_unlock)(m);
 *	if (rv == 0)
 *		syt_plain_leave_in(SYT_FP, alive, in, SYT_CALL_pthread_mutex_unlock, object);
 *
 * The wrappers of locks contain the code (runtime/plain-body.h) instead of calling it.
 *
 * All rules of runtime/frame.h hold.  Whoever turns out to have more to say makes a frame of what it
 * has (syt_plain_frame) and goes on as described there; so does the short way itself where
 * something is unusual: a signal handler in the middle of a record, a forked child, a vfork child.
 */
#ifndef SYT_RUNTIME_PLAIN_H
#define SYT_RUNTIME_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/alive.h"
#include "runtime/clock.h"
#include "runtime/frame.h"

/* In a wrapper: its frame. */
#define SYT_FP __builtin_frame_address(0)

/* Not to be called but by the next one. */
uint32_t syt_plain_enter_slow(void);

/* Where recording is paused: false, and the dump tells that the thread made a call. FP: the wrapper's frame. */
static inline bool syt_plain_may(const void *fp)
{
	uint32_t pause = syt_control();

	if (__builtin_expect(!pause, 1))
		return true;
	syt_skip(fp, pause);
	return false;
}

/* Nonzero when this call is to be recorded: names the process, as syt_alive does. Starts the session and the thread
 * when they are new. */
static inline uint32_t syt_plain_enter(void)
{
	uint32_t alive = *syt_alive;

	if (__builtin_expect((alive & SYT_ALIVE_MASK) == SYT_ALIVE && syt_self_tls, 1))
		return alive;
	return syt_plain_enter_slow();
}

struct syt_entered {
	uint32_t alive; /* as above */
	uint32_t stack; /* id, 0 where it was not to be had */
};

/* The same, and captures the caller's stack. FP as in struct syt_frame. */
struct syt_entered syt_plain_enter_capture(const void *fp);

static inline uint64_t syt_plain_stamp_in(void)
{
	return syt_clock_release();
}

/* The same for an acquire whose quick try has failed: for as long as the call does not return the dump says what
 * it waits for. */
uint64_t syt_plain_wait(struct syt_entered entered, uint32_t call, uint32_t object);

/* Record. _in: stamp is IN, and the stack is captured now. _out: stamp is read now. */
void syt_plain_leave_in(const void *fp, uint32_t alive, uint64_t in, uint32_t call,
                        uint32_t object);
void syt_plain_leave_out(const void *fp, struct syt_entered entered, uint32_t call,
                         uint32_t object);

/* What syt_leave_in and syt_leave_out take, for an event that has more to say. IN: 0 until stamped. */
static inline struct syt_frame syt_plain_frame(const void *fp, struct syt_entered entered,
                                               uint64_t in)
{
	return (struct syt_frame){
		.fp = fp,
		.in = in,
		.stack = entered.stack,
		.alive = entered.alive,
	};
}

#endif
