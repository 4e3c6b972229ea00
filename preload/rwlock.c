/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Wrappers of calls that may wait for a read-write lock. unlock and the try calls are CALL rows. */
#include "preload/acquire.h"

SYT_BODY(pthread_rwlock_rdlock);
int syt_body_pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	SYT_ACQUIRE(pthread_rwlock_rdlock, syt_rwlock_object(l),
	            SYT_QUICK(pthread_rwlock_tryrdlock)(l), EBUSY,
	            SYT_REAL(pthread_rwlock_rdlock)(l));
}

SYT_BODY(pthread_rwlock_wrlock);
int syt_body_pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	SYT_ACQUIRE(pthread_rwlock_wrlock, syt_rwlock_object(l),
	            SYT_QUICK(pthread_rwlock_trywrlock)(l), EBUSY,
	            SYT_REAL(pthread_rwlock_wrlock)(l));
}

SYT_BODY(pthread_rwlock_timedrdlock);
int syt_body_pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict l,
                                        const struct timespec *restrict t)
{
	SYT_ACQUIRE(pthread_rwlock_timedrdlock, syt_rwlock_object(l),
	            syt_deadline_is_valid(t) ? SYT_QUICK(pthread_rwlock_tryrdlock)(l) : EBUSY,
	            EBUSY, SYT_REAL(pthread_rwlock_timedrdlock)(l, t));
}

SYT_BODY(pthread_rwlock_timedwrlock);
int syt_body_pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict l,
                                        const struct timespec *restrict t)
{
	SYT_ACQUIRE(pthread_rwlock_timedwrlock, syt_rwlock_object(l),
	            syt_deadline_is_valid(t) ? SYT_QUICK(pthread_rwlock_trywrlock)(l) : EBUSY,
	            EBUSY, SYT_REAL(pthread_rwlock_timedwrlock)(l, t));
}

SYT_BODY(pthread_rwlock_clockrdlock);
int syt_body_pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict l, clockid_t clock,
                                        const struct timespec *restrict t)
{
	SYT_ACQUIRE(pthread_rwlock_clockrdlock, syt_rwlock_object(l),
	            syt_clock_is_valid(clock) && syt_deadline_is_valid(t)
	                    ? SYT_QUICK(pthread_rwlock_tryrdlock)(l)
	                    : EBUSY,
	            EBUSY, SYT_REAL(pthread_rwlock_clockrdlock)(l, clock, t));
}

SYT_BODY(pthread_rwlock_clockwrlock);
int syt_body_pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict l, clockid_t clock,
                                        const struct timespec *restrict t)
{
	SYT_ACQUIRE(pthread_rwlock_clockwrlock, syt_rwlock_object(l),
	            syt_clock_is_valid(clock) && syt_deadline_is_valid(t)
	                    ? SYT_QUICK(pthread_rwlock_trywrlock)(l)
	                    : EBUSY,
	            EBUSY, SYT_REAL(pthread_rwlock_clockwrlock)(l, clock, t));
}
