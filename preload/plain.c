/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The wrappers of the CALL rows, expanded here and nowhere else.  The row's SHAPE chooses the body.
 * No logic: a debugger steps a plain wrapper as one line.
 */
#include "preload/other.h"
#include "preload/wrap.h"

/* Stamped in before, recorded after; the object is not touched after the real call. */
#define RELEASE(name_, kind_, object_, ret_, params_, args_)                                       \
	SYT_EXPORT ret_ name_ params_                                                              \
	{                                                                                          \
		uint32_t alive = syt_plain_enter();                                                \
                                                                                                   \
		if (!alive)                                                                        \
			return SYT_REAL(name_) args_;                                              \
		uint32_t object = SYT_OBJECT_##kind_(object_);                                     \
		uint64_t in = syt_plain_stamp_in();                                                \
		ret_ rv = SYT_REAL(name_) args_;                                                   \
		if (__builtin_expect(rv == 0, 1))                                                  \
			syt_plain_leave_in(SYT_FP, alive, in, SYT_CALL_##name_, object);           \
		else                                                                               \
			syt_other_leave_in(SYT_FP, alive, in, SYT_CALL_##name_, object, rv);       \
		return rv;                                                                         \
	}

/* An acquire that never waits. */
#define ACQUIRE(name_, kind_, object_, ret_, params_, args_)                                       \
	SYT_EXPORT ret_ name_ params_                                                              \
	{                                                                                          \
		uint64_t entered = syt_plain_enter_capture(SYT_FP);                                \
                                                                                                   \
		if (!entered)                                                                      \
			return SYT_REAL(name_) args_;                                              \
		uint32_t object = SYT_OBJECT_##kind_(object_);                                     \
		ret_ rv = SYT_REAL(name_) args_;                                                   \
		if (__builtin_expect(rv == 0, 1))                                                  \
			syt_plain_leave_out(SYT_FP, entered, SYT_CALL_##name_, object);            \
		else                                                                               \
			syt_other_leave_out(SYT_FP, entered, 0, SYT_CALL_##name_, object, rv);     \
		return rv;                                                                         \
	}

/* Until some time has passed, or a signal came. A bad argument returns at once. */
#define WAIT(name_, kind_, object_, ret_, params_, args_)                                          \
	SYT_EXPORT ret_ name_ params_                                                              \
	{                                                                                          \
		struct syt_frame f;                                                                \
                                                                                                   \
		if (!SYT_ENTER(&f))                                                                \
			return SYT_REAL(name_) args_;                                              \
		struct syt_event e = {.call = SYT_CALL_##name_,                                    \
		                      .object = SYT_OBJECT_##kind_(object_)};                      \
		syt_capture(&f);                                                                   \
		syt_block(&f);                                                                     \
		ret_ rv = SYT_REAL(name_) args_;                                                   \
		syt_stamp_out(&f);                                                                 \
		syt_result(&e, rv);                                                                \
		f.blocked = !e.err || e.err == EINTR;                                              \
		syt_leave_out(&f, &e);                                                             \
		return rv;                                                                         \
	}

/* The object exists from now on: what was at this address before was another one.  One that is
 * shared between processes keeps its name, which the others know. */
#define BIRTH(name_, kind_, object_, ret_, params_, args_)                                         \
	SYT_EXPORT ret_ name_ params_                                                              \
	{                                                                                          \
		struct syt_frame f;                                                                \
                                                                                                   \
		if (!SYT_ENTER(&f))                                                                \
			return SYT_REAL(name_) args_;                                              \
		struct syt_event e = {.call = SYT_CALL_##name_};                                   \
		ret_ rv = SYT_REAL(name_) args_;                                                   \
		if (rv == 0) {                                                                     \
			syt_object_end(SYT_KIND_##kind_, (object_));                               \
			e.object = SYT_OBJECT_##kind_(object_);                                    \
		}                                                                                  \
		syt_result(&e, rv);                                                                \
		syt_leave_out(&f, &e);                                                             \
		return rv;                                                                         \
	}

#define DEATH(name_, kind_, object_, ret_, params_, args_)                                         \
	SYT_EXPORT ret_ name_ params_                                                              \
	{                                                                                          \
		struct syt_frame f;                                                                \
                                                                                                   \
		if (!SYT_ENTER(&f))                                                                \
			return SYT_REAL(name_) args_;                                              \
		struct syt_event e = {.call = SYT_CALL_##name_,                                    \
		                      .object = SYT_OBJECT_##kind_(object_)};                      \
		syt_stamp_in(&f);                                                                  \
		ret_ rv = SYT_REAL(name_) args_;                                                   \
		if (rv == 0)                                                                       \
			syt_object_end(SYT_KIND_##kind_, (object_));                               \
		syt_result(&e, rv);                                                                \
		syt_leave_in(&f, &e);                                                              \
		return rv;                                                                         \
	}

/* clang-format off */
#define SHAPE_INFO           ACQUIRE
#define SHAPE_INIT           BIRTH
#define SHAPE_DESTROY        DEATH
#define SHAPE_LOCK           ACQUIRE
#define SHAPE_RDLOCK         ACQUIRE
#define SHAPE_SEM_WAIT       ACQUIRE
#define SHAPE_UNLOCK         RELEASE
#define SHAPE_COND_SIGNAL    RELEASE
#define SHAPE_COND_BROADCAST RELEASE
#define SHAPE_SEM_POST       RELEASE
#define SHAPE_LISTEN         RELEASE
#define SHAPE_SHUTDOWN       RELEASE
#define SHAPE_PAUSE          WAIT
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) \
	SHAPE_##shape_(name_, kind_, object_, ret_, params_, args_)
#include "format/calls.def"
/* clang-format on */
