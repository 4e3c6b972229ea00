/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Defines the wrappers for the CALL rows of format/calls.def. The SHAPE of a row selects the body of its
 * wrapper. The bodies contain no logic, because a debugger steps over a plain wrapper as one line. */
#include "preload/gate.h"
#include "preload/wrap.h"
#include "runtime/plain-body.h"

/* The wrapper of a release: reads the clock before the real call and records the event after it, without
 * access to the object. */
#define RELEASE(gate_, leave_, name_, kind_, object_, ret_, params_, args_)                        \
	SYT_BODY(name_);                                                                           \
	ret_ syt_body_##name_ params_                                                              \
	{                                                                                          \
		gate_;                                                                             \
                                                                                                   \
		uint32_t alive = syt_plain_enter();                                                \
                                                                                                   \
		if (!alive)                                                                        \
			return SYT_REAL(name_) args_;                                              \
		uint32_t object = SYT_OBJECT_##kind_(object_);                                     \
		uint64_t in = syt_plain_stamp_in();                                                \
		ret_ rv = SYT_REAL(name_) args_;                                                   \
		if (__builtin_expect(rv == 0, 1))                                                  \
			leave_(SYT_FP, alive, in, SYT_CALL_##name_, object);                       \
		else                                                                               \
			syt_slow_leave_in(SYT_FP, alive, in, SYT_CALL_##name_, object, rv);        \
		return rv;                                                                         \
	}

/* The wrapper of an acquire that never waits, such as trylock. */
#define ACQUIRE(gate_, enter_, leave_, name_, kind_, object_, ret_, params_, args_)                \
	SYT_BODY(name_);                                                                           \
	ret_ syt_body_##name_ params_                                                              \
	{                                                                                          \
		gate_;                                                                             \
                                                                                                   \
		struct syt_entered entered = enter_(SYT_FP);                                       \
                                                                                                   \
		if (!entered.alive)                                                                \
			return SYT_REAL(name_) args_;                                              \
		uint32_t object = SYT_OBJECT_##kind_(object_);                                     \
		ret_ rv = SYT_REAL(name_) args_;                                                   \
		if (__builtin_expect(rv == 0, 1))                                                  \
			leave_(SYT_FP, entered, SYT_CALL_##name_, object);                         \
		else                                                                               \
			syt_slow_leave_out(SYT_FP, entered, 0, SYT_CALL_##name_, object, rv);      \
		return rv;                                                                         \
	}

/* The wrapper of a call such as pause(), which ends after some time or with a signal, or at once if an
 * argument is invalid. */
#define WAIT(name_, kind_, object_, ret_, params_, args_)                                          \
	SYT_EXPORT ret_ name_ params_                                                              \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER_IDLE, f, name_, args_);                             \
		struct syt_event e = {.call = SYT_CALL_##name_,                                    \
		                      .object = SYT_OBJECT_##kind_(object_)};                      \
		syt_capture(&f);                                                                   \
		syt_block(&f, &e);                                                                 \
		ret_ rv = SYT_REAL(name_) args_;                                                   \
		syt_stamp_out(&f);                                                                 \
		syt_result(&e, rv);                                                                \
		f.blocked = !e.err || e.err == EINTR;                                              \
		syt_leave_out(&f, &e);                                                             \
		return rv;                                                                         \
	}

/* The wrapper of a call that may wait for a disk or a server. */
#define BLOCK(name_, kind_, object_, ret_, params_, args_)                                         \
	SYT_EXPORT ret_ name_ params_                                                              \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER_IDLE, f, name_, args_);                             \
		struct syt_event e = {.call = SYT_CALL_##name_,                                    \
		                      .object = SYT_OBJECT_##kind_(object_)};                      \
		syt_capture(&f);                                                                   \
		syt_stamp_wait(&f, &e);                                                            \
		ret_ rv = SYT_REAL(name_) args_;                                                   \
		return syt_leave_out_int(&f, &e, rv);                                              \
	}

/* The wrapper of a call that creates an object. An earlier object at this address has ended. An object
 * shared between processes keeps its identity, because the other processes know it. */
#define BIRTH(name_, kind_, object_, ret_, params_, args_)                                         \
	SYT_EXPORT ret_ name_ params_                                                              \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER, f, name_, args_);                                  \
		struct syt_event e = {.call = SYT_CALL_##name_};                                   \
		ret_ rv = SYT_REAL(name_) args_;                                                   \
		if (rv == 0) {                                                                     \
			syt_object_end(SYT_KIND_##kind_, (object_));                               \
			e.object = SYT_OBJECT_##kind_(object_);                                    \
		}                                                                                  \
		return syt_leave_out_int(&f, &e, rv);                                              \
	}

#define DEATH(name_, kind_, object_, ret_, params_, args_)                                         \
	SYT_EXPORT ret_ name_ params_                                                              \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER, f, name_, args_);                                  \
		struct syt_event e = {.call = SYT_CALL_##name_,                                    \
		                      .object = SYT_OBJECT_##kind_(object_)};                      \
		syt_stamp_in(&f);                                                                  \
		ret_ rv = SYT_REAL(name_) args_;                                                   \
		if (rv == 0)                                                                       \
			syt_object_end(SYT_KIND_##kind_, (object_));                               \
		return syt_leave_in_int(&f, &e, rv);                                               \
	}

/* The wrappers of locks contain the recorder's code inline; other wrappers call it. If the assembler entry
 * does not test whether recording is paused (preload/fast-entry.S), the wrapper does. */
#define UNLOCK(...) RELEASE(, SYT_PLAIN_LEAVE_IN, __VA_ARGS__)
#define LOCK(...) ACQUIRE(, SYT_PLAIN_ENTER_CAPTURE, SYT_PLAIN_LEAVE_OUT, __VA_ARGS__)
#define SIGNAL(name_, kind_, object_, ret_, params_, args_)                                        \
	RELEASE(SYT_GATE_OF_RELEASE(name_, SYT_OBJECT_##kind_(object_), object_,                   \
	                            SYT_REAL(name_) args_),                                        \
	        SYT_PLAIN_LEAVE_IN, name_, kind_, object_, ret_, params_, args_)
#define TAKE(name_, kind_, object_, ret_, params_, args_)                                          \
	ACQUIRE(SYT_GATE_OF_ACQUIRE(name_, SYT_OBJECT_##kind_(object_), SYT_NOT_TRIED, 1,          \
	                            SYT_REAL(name_) args_),                                        \
	        syt_plain_enter_capture, syt_plain_leave_out, name_, kind_, object_, ret_,         \
	        params_, args_)
#define TELL(...) ACQUIRE(, syt_plain_enter_capture, syt_plain_leave_out, __VA_ARGS__)

/* clang-format off */
#define SHAPE_INFO           TELL
#define SHAPE_INIT           BIRTH
#define SHAPE_DESTROY        DEATH
#define SHAPE_LOCK           LOCK
#define SHAPE_RDLOCK         LOCK
#define SHAPE_SEM_WAIT       TAKE
#define SHAPE_UNLOCK         UNLOCK
#define SHAPE_COND_SIGNAL    SIGNAL
#define SHAPE_COND_BROADCAST SIGNAL
#define SHAPE_SEM_POST       SIGNAL
#define SHAPE_PAUSE          WAIT
#define SHAPE_BLOCK          BLOCK
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) \
	SHAPE_##shape_(name_, kind_, object_, ret_, params_, args_)
#include "format/calls.def"
/* clang-format on */
