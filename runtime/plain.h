/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The short form of the most frequent events: a call on one object that did not wait and returned
 * 0. The event consists only of call, stack, object and stamp. These values fit into registers, no memory
 * is cleared, and the wrapper calls the recorder once (a release) or twice (an acquire).
 *
 *      uint32_t alive = syt_plain_enter();
 *
 *      if (!alive)
 *              return SYT_REAL(pthread_mutex_unlock)(m);
 *      uint32_t object = syt_mutex_object(m);
 *      uint64_t in = syt_plain_stamp_in();
 *      int rv = SYT_REAL(pthread_mutex_unlock)(m);
 *      if (rv == 0)
 *              syt_plain_leave_in(SYT_FP, alive, in, SYT_CALL_pthread_mutex_unlock, object);
 *
 * The wrappers of locks, semaphores and condition variables contain the recorder's code (runtime/plain-body.h) inline
 * instead of calling it. Only the wait for a lock is a call.
 *
 * All rules of runtime/frame.h hold. A wrapper with more to record makes a struct syt_frame
 * (syt_plain_frame) and continues as runtime/frame.h describes. The short form does so, too, in an unusual
 * case: a signal handler that interrupted the recorder, a forked child, or a vfork child.
 */
#ifndef SYT_RUNTIME_PLAIN_H
#define SYT_RUNTIME_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/alive.h"
#include "runtime/clock.h"
#include "runtime/frame.h"
#include "runtime/mark.h"

/* The frame address of the wrapper that uses this macro. */
#define SYT_FP __builtin_frame_address(0)

/* Called only by syt_plain_enter(). */
uint32_t syt_plain_enter_slow(void);

/* Returns false if the release NAME_ of OBJECT_, which is in memory at ADDRESS_, is not recorded, after noting the unrecorded
 * call in the dump. Otherwise marks the object: the other steps of the release then need not look for a sampler. */
#define SYT_PLAIN_MAY_RELEASE(name_, object_, address_)                                            \
	(__builtin_expect(!syt_control(), 1) ||                                                    \
	 (syt_control_allows(SYT_FP, syt_control(), SYT_CALL_##name_) &&                           \
	  (!syt_mark_may() || (syt_mark_release(SYT_CALL_##name_, (object_), (address_)), true))))

/* Returns the value of syt_alive[0], which identifies the process, if this call must be recorded, else 0.
 * Starts the session and the thread if they are new. */
static inline uint32_t syt_plain_enter(void)
{
	uint32_t alive = *syt_alive;

	if (__builtin_expect((alive & SYT_ALIVE_MASK) == SYT_ALIVE && syt_self_tls, 1))
		return alive;
	return syt_plain_enter_slow();
}

struct syt_entered {
	uint32_t alive; /* result of syt_plain_enter() */
	uint32_t stack; /* id of the call stack, 0: unavailable */
};

/* Like syt_plain_enter(), and captures the caller's stack. FP as in struct syt_frame. */
struct syt_entered syt_plain_enter_capture(const void *fp);

static inline uint64_t syt_plain_stamp_in(void)
{
	return syt_clock_release();
}

static inline uint64_t syt_plain_stamp_out(void)
{
	return syt_clock_acquire();
}

/* Like syt_plain_stamp_in(), for an acquire whose quick try has failed. Until the call returns, the
 * dump shows the object for which it waits. OBJECT2: a second object that the wait releases and acquires, or 0. */
uint64_t syt_plain_wait(struct syt_entered entered, uint32_t call, uint32_t object,
                        uint32_t object2);

/* Record the event. syt_plain_leave_in(): the event's stamp is IN, and the call stack is captured now.
 * syt_plain_leave_out(): the clock is read now for the event's stamp. */
void syt_plain_leave_in(const void *fp, uint32_t alive, uint64_t in, uint32_t call,
                        uint32_t object);
void syt_plain_leave_out(const void *fp, struct syt_entered entered, uint32_t call,
                         uint32_t object);

/* Reads the clock for the event's stamp and records the event of a call that waited since IN, the result of
 * syt_plain_wait(), and returned 0. OBJECT2: a second object, or 0. */
void syt_plain_leave_waited(const void *fp, struct syt_entered entered, uint64_t in, uint32_t call,
                            uint32_t object, uint32_t object2);

/* Makes a struct syt_frame for syt_leave_in() and syt_leave_out(), when an event has more to record. */
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
