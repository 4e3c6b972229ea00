/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Wrappers of calls that may wait for a mutex or a spin lock. The wrappers of unlock and trylock are
 * generated from CALL rows of format/calls.def. */
#include "preload/acquire.h"

SYT_BODY(pthread_mutex_lock);
int syt_body_pthread_mutex_lock(pthread_mutex_t *m)
{
	SYT_ACQUIRE(pthread_mutex_lock, syt_mutex_object(m), SYT_QUICK(pthread_mutex_trylock)(m),
	            EBUSY, SYT_REAL(pthread_mutex_lock)(m));
}

/* libc reads the deadline only if the mutex is held, so trying first has no visible effect. */
SYT_BODY(pthread_mutex_timedlock);
int syt_body_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t)
{
	SYT_ACQUIRE(pthread_mutex_timedlock, syt_mutex_object(m),
	            SYT_QUICK(pthread_mutex_trylock)(m), EBUSY,
	            SYT_REAL(pthread_mutex_timedlock)(m, t));
}

SYT_BODY(pthread_mutex_clocklock);
int syt_body_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *t)
{
	SYT_ACQUIRE(pthread_mutex_clocklock, syt_mutex_object(m),
	            syt_clock_is_valid(clock) ? SYT_QUICK(pthread_mutex_trylock)(m) : EBUSY, EBUSY,
	            SYT_REAL(pthread_mutex_clocklock)(m, clock, t));
}

SYT_BODY(pthread_spin_lock);
int syt_body_pthread_spin_lock(pthread_spinlock_t *l)
{
	SYT_ACQUIRE(pthread_spin_lock, SYT_OBJECT_SPIN(l), SYT_QUICK(pthread_spin_trylock)(l),
	            EBUSY, SYT_REAL(pthread_spin_lock)(l));
}

/* In libc, a C11 mutex is a pthread mutex. */

SYT_BODY(mtx_lock);
int syt_body_mtx_lock(mtx_t *m)
{
	SYT_ACQUIRE(mtx_lock, syt_mutex_object((pthread_mutex_t *)m), SYT_REAL(mtx_trylock)(m),
	            thrd_busy, SYT_REAL(mtx_lock)(m));
}

SYT_BODY(mtx_timedlock);
int syt_body_mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict t)
{
	SYT_ACQUIRE(mtx_timedlock, syt_mutex_object((pthread_mutex_t *)m), SYT_REAL(mtx_trylock)(m),
	            thrd_busy, SYT_REAL(mtx_timedlock)(m, t));
}

SYT_EXPORT void mtx_destroy(mtx_t *m)
{
	SYT_ENTER_OR_FORWARD_VOID(SYT_ENTER, f, mtx_destroy, (m));
	struct syt_event e = {.call = SYT_CALL_mtx_destroy,
	                      .object = syt_mutex_object((pthread_mutex_t *)m)};
	syt_stamp_in(&f);
	SYT_REAL(mtx_destroy)(m);
	syt_object_end(SYT_KIND_MUTEX, m);
	syt_leave_in(&f, &e);
}
