/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The body of an acquire that may wait: all of the wrapper behind the entry
 * (preload/fast-entry.S).  It tries first: the quick twin of a lock decides everything but waiting
 * in the same way, so an uncontended acquire costs one stamp, and a wait is known as one.
 */
#ifndef SYT_PRELOAD_ACQUIRE_H
#define SYT_PRELOAD_ACQUIRE_H

#include <time.h>

#include "preload/quick.h"
#include "preload/slow-leave.h"
#include "preload/wrap.h"
#include "runtime/plain-body.h"

/*
 * TRY is the quick call, or BUSY where trying would be visible; BUSY is what it returns when the
 * acquire would have to wait; REAL is the call itself.
 */
#define SYT_ACQUIRE(name_, object_, try_, busy_, real_)                                            \
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
		in = syt_plain_wait(entered, SYT_CALL_##name_, object);                            \
		rv = real_;                                                                        \
	} else if (__builtin_expect(rv == SYT_NOT_TRIED, 0)) {                                     \
		rv = real_;                                                                        \
	}                                                                                          \
	syt_slow_leave_out(SYT_FP, entered, in, SYT_CALL_##name_, object, rv);                     \
	return rv

/* Calls that take a clock or a deadline reject a bad one even when they would not have to wait. */
static inline bool syt_clock_is_valid(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

static inline bool syt_deadline_is_valid(const struct timespec *t)
{
	return t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

#endif
