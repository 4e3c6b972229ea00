/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Wrappers of calls that may wait for a read-write lock. The wrappers of unlock and the try calls are
 * generated from CALL rows of format/calls.def. */
#include "preload/acquire.h"

/* Defines the wrappers for acquiring the lock as reader (rd) or writer (wr). */
#define RWLOCK(side_)                                                                              \
	SYT_BODY(pthread_rwlock_##side_##lock);                                                    \
	int syt_body_pthread_rwlock_##side_##lock(pthread_rwlock_t *l)                             \
	{                                                                                          \
		SYT_ACQUIRE(pthread_rwlock_##side_##lock, syt_rwlock_object(l),                    \
		            SYT_QUICK(pthread_rwlock_try##side_##lock)(l), EBUSY,                  \
		            SYT_REAL(pthread_rwlock_##side_##lock)(l));                            \
	}                                                                                          \
                                                                                                   \
	SYT_BODY(pthread_rwlock_timed##side_##lock);                                               \
	int syt_body_pthread_rwlock_timed##side_##lock(pthread_rwlock_t *restrict l,               \
	                                               const struct timespec *restrict t)          \
	{                                                                                          \
		SYT_ACQUIRE(pthread_rwlock_timed##side_##lock, syt_rwlock_object(l),               \
		            syt_deadline_is_valid(t)                                               \
		                    ? SYT_QUICK(pthread_rwlock_try##side_##lock)(l)                \
		                    : EBUSY,                                                       \
		            EBUSY, SYT_REAL(pthread_rwlock_timed##side_##lock)(l, t));             \
	}                                                                                          \
                                                                                                   \
	SYT_BODY(pthread_rwlock_clock##side_##lock);                                               \
	int syt_body_pthread_rwlock_clock##side_##lock(                                            \
		pthread_rwlock_t *restrict l, clockid_t clock, const struct timespec *restrict t)  \
	{                                                                                          \
		SYT_ACQUIRE(pthread_rwlock_clock##side_##lock, syt_rwlock_object(l),               \
		            syt_clock_is_valid(clock) && syt_deadline_is_valid(t)                  \
		                    ? SYT_QUICK(pthread_rwlock_try##side_##lock)(l)                \
		                    : EBUSY,                                                       \
		            EBUSY, SYT_REAL(pthread_rwlock_clock##side_##lock)(l, clock, t));      \
	}

RWLOCK(rd)
RWLOCK(wr)
