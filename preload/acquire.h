/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The body of an acquire that may wait: all of the wrapper.  It tries first: the quick twin of a
 * lock decides everything but waiting in the same way, so an uncontended acquire costs one stamp,
 * and a wait is known as one.
 */
#ifndef SYT_PRELOAD_ACQUIRE_H
#define SYT_PRELOAD_ACQUIRE_H

#include <time.h>

#include "preload/wrap.h"

/*
 * TRY is the quick call, or BUSY where trying would be visible; BUSY is what it returns when the
 * acquire would have to wait; REAL is the call itself.
 */
#define SYT_ACQUIRE(name_, object_, try_, busy_, real_)                                            \
	struct syt_frame f;                                                                        \
                                                                                                   \
	if (!SYT_ENTER(&f))                                                                        \
		return real_;                                                                      \
	struct syt_event e = {.call = SYT_CALL_##name_, .object = (object_)};                      \
	syt_capture(&f);                                                                           \
	int rv = try_;                                                                             \
	if (rv == (busy_)) {                                                                       \
		syt_block(&f);                                                                     \
		rv = real_;                                                                        \
	}                                                                                          \
	syt_stamp_out(&f);                                                                         \
	syt_result(&e, rv);                                                                        \
	syt_leave_out(&f, &e);                                                                     \
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
