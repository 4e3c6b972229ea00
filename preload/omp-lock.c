/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* OpenMP locks, critical sections, and the lock for atomic constructs without a processor instruction. The
 * decoder treats them as mutexes. The address of the runtime's function identifies the unnamed critical
 * section. Results are 0 or EBUSY, as for a mutex. */
#include "preload/omp.h"

static void lock_begin(struct syt_frame *f, struct syt_event *e, const void *lock)
{
	e->object = syt_object(SYT_KIND_MUTEX, lock);
	syt_capture(f);
	syt_stamp_in(f);
}

static void unlock_begin(struct syt_frame *f, struct syt_event *e, const void *lock)
{
	e->object = syt_object(SYT_KIND_MUTEX, lock);
	syt_stamp_in(f);
}

static void born(struct syt_frame *f, struct syt_event *e, const void *lock)
{
	syt_object_end(SYT_KIND_MUTEX, lock);
	e->object = syt_object(SYT_KIND_MUTEX, lock);
	syt_leave_out(f, e);
}

static void died(struct syt_frame *f, struct syt_event *e, const void *lock)
{
	syt_object_end(SYT_KIND_MUTEX, lock);
	syt_leave_in(f, e);
}

/* Defines a wrapper. TRY is the non-blocking function, which returns 0 if the lock is held. */
#define WAIT(name_, TRY_)                                                                          \
	SYT_EXPORT void name_(void *lock)                                                          \
	{                                                                                          \
		SYT_OMP_ENTER_OR_FORWARD_VOID(SYT_ENTER_IDLE, f, real, name_, (lock));             \
		struct syt_event e = {.call = SYT_CALL_##name_,                                    \
		                      .object = syt_object(SYT_KIND_MUTEX, lock)};                 \
		syt_capture(&f);                                                                   \
		if (!SYT_OMP_REAL(TRY_)(lock)) {                                                   \
			syt_block(&f, &e);                                                         \
			real(lock);                                                                \
		}                                                                                  \
		syt_stamp_out(&f);                                                                 \
		syt_leave_out(&f, &e);                                                             \
	}

#define TRY(name_)                                                                                 \
	SYT_EXPORT int name_(void *lock)                                                           \
	{                                                                                          \
		SYT_OMP_ENTER_OR_FORWARD(SYT_ENTER_IDLE, f, real, name_, (lock));                  \
		struct syt_event e = {.call = SYT_CALL_##name_,                                    \
		                      .object = syt_object(SYT_KIND_MUTEX, lock)};                 \
		syt_capture(&f);                                                                   \
		int rv = real(lock);                                                               \
		syt_stamp_out(&f);                                                                 \
		e.result = rv ? 0 : EBUSY;                                                         \
		syt_leave_out(&f, &e);                                                             \
		return rv;                                                                         \
	}

/* clang-format off */
#define LOCK(name_, lock_, params_, args_) \
	SYT_OMP_VOID_IF(SYT_ENTER_IDLE, name_, params_, args_, lock_begin(&f, &e, lock_), syt_omp_wait_end(&f, &e))
#define UNLOCK(name_, lock_, params_, args_) \
	SYT_OMP_VOID_IF(SYT_ENTER_IDLE, name_, params_, args_, unlock_begin(&f, &e, lock_), syt_leave_in(&f, &e))
#define BIRTH(name_) \
	SYT_OMP_VOID(name_, (void *lock), (lock), (void)0, born(&f, &e, lock))
#define DEATH(name_) \
	SYT_OMP_VOID(name_, (void *lock), (lock), unlock_begin(&f, &e, lock), died(&f, &e, lock))
#define FUNCTION(name_) ((const void *)(uintptr_t)SYT_OMP_REAL(name_))

LOCK(GOMP_critical_start,        FUNCTION(GOMP_critical_start), (void), ())
UNLOCK(GOMP_critical_end,        FUNCTION(GOMP_critical_start), (void), ())
LOCK(GOMP_critical_name_start,   name, (void **name), (name))
UNLOCK(GOMP_critical_name_end,   name, (void **name), (name))
LOCK(GOMP_atomic_start,          FUNCTION(GOMP_atomic_start), (void), ())
UNLOCK(GOMP_atomic_end,          FUNCTION(GOMP_atomic_start), (void), ())
BIRTH(omp_init_lock)
DEATH(omp_destroy_lock)
WAIT(omp_set_lock, omp_test_lock)
TRY(omp_test_lock)
UNLOCK(omp_unset_lock,           lock, (void *lock), (lock))
BIRTH(omp_init_nest_lock)
DEATH(omp_destroy_nest_lock)
WAIT(omp_set_nest_lock, omp_test_nest_lock)
TRY(omp_test_nest_lock)
UNLOCK(omp_unset_nest_lock,      lock, (void *lock), (lock))
/* clang-format on */
