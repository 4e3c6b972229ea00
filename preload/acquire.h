/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Defines the wrapper of an acquire that may wait; its assembler entry is in preload/fast-entry.S. The wrapper
 * first makes the non-blocking call for the same lock (trylock), which only differs in not waiting. So an
 * uncontended acquire costs one time stamp, and a call that had to wait is recorded as a wait. */
#ifndef SYT_PRELOAD_ACQUIRE_H
#define SYT_PRELOAD_ACQUIRE_H

#include <time.h>

#include "preload/quick.h"
#include "preload/slow-leave.h"
#include "preload/wrap.h"
#include "runtime/plain-body.h"

/* Defines the body of a wrapper. TRY is the non-blocking call, or the value BUSY where the program would
 * notice a try. BUSY is the result of TRY for a held lock. REAL is the blocking call. The wrapper of a lock calls the
 * recorder if it has to wait, because most locks are free. */
#define SYT_ACQUIRE(name_, object_, try_, busy_, real_)                                            \
	SYT_ACQUIRE_BY(syt_plain_wait, syt_plain_leave_waited, name_, object_, try_, busy_, real_)
/* Same, for a call that mostly waits. */
#define SYT_ACQUIRE_WAITING(name_, object_, try_, busy_, real_)                                    \
	SYT_ACQUIRE_BY(SYT_PLAIN_WAIT, SYT_PLAIN_LEAVE_WAITED, name_, object_, try_, busy_, real_)
#define SYT_ACQUIRE_BY(wait_, leave_waited_, name_, object_, try_, busy_, real_)                   \
	struct syt_entered entered = SYT_PLAIN_ENTER_CAPTURE(SYT_FP);                              \
                                                                                                   \
	if (!entered.alive)                                                                        \
		return real_;                                                                      \
	uint32_t object = (object_);                                                               \
	int rv = try_;                                                                             \
	if (__builtin_expect(rv == 0, 1)) {                                                        \
		SYT_PLAIN_LEAVE_OUT(SYT_FP, entered, SYT_CALL_##name_, object);                    \
		return 0;                                                                          \
	}                                                                                          \
	uint64_t in = 0;                                                                           \
	if (rv == (busy_)) {                                                                       \
		in = wait_(entered, SYT_CALL_##name_, object, 0);                                  \
		rv = real_;                                                                        \
		if (__builtin_expect(rv == 0, 1)) {                                                \
			leave_waited_(SYT_FP, entered, in, SYT_CALL_##name_, object, 0);           \
			return 0;                                                                  \
		}                                                                                  \
	} else if (__builtin_expect(rv == SYT_NOT_TRIED, 0)) {                                     \
		rv = real_;                                                                        \
	}                                                                                          \
	syt_slow_leave_out(SYT_FP, entered, in, SYT_CALL_##name_, object, rv);                     \
	return rv

/* pthread_*_clocklock and pthread_*_timedlock reject an invalid clock or deadline even when the
 * lock is free. The wrapper tries first only if these arguments are valid. */
static inline bool syt_clock_is_valid(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

static inline bool syt_deadline_is_valid(const struct timespec *t)
{
	return t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

#endif
