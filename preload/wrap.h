/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Macros of the wrappers, and their rules. runtime/frame.h has the rules between enter and leave.
 *
 * - A wrapper returns exactly the result and errno of the real function.
 * - A wrapper holds no lock during the real call. The call may block, be cancelled, throw, or never return.
 * - The wrapper of a release reads the clock before the real call and records the event after it. The
 *   wrapper reads the released object only before the real call, because another thread may free the memory
 *   as soon as the release takes effect.
 * - The wrapper of an acquire captures the call stack before the real call and reads the clock after it. If
 *   the program cannot notice a non-blocking attempt, the wrapper tries first and then waits. So an
 *   uncontended acquire costs one time stamp.
 * - A wrapper calls libc only through SYT_REAL, and the functions of tests/lint/undefined.list.
 *
 * doc/howto-add-a-call.md shows how to add a function.
 */
#ifndef SYT_PRELOAD_WRAP_H
#define SYT_PRELOAD_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/calls.h"
#include "preload/libc.h"
#include "preload/sync-object.h"
#include "preload/real.h"
#include "preload/version.h"
#include "runtime/frame.h"

/* Declares syt_body_name, the wrapper behind the exported entry in preload/fast-entry.S. */
#define SYT_BODY(name_) __typeof__(name_) syt_body_##name_ __attribute__((visibility("hidden")))

/* Precedes the definition of a wrapper that replaces libc's function. */
#define SYT_EXPORT __attribute__((visibility("default")))

/* Begin a wrapper: declare the struct syt_frame F_ and begin the recording by ENTER_ (SYT_ENTER,
 * SYT_ENTER_USE or SYT_ENTER_IDLE). If the call need not be recorded, they forward it and return. */
#define SYT_ENTER_OR_FORWARD(enter_, f_, name_, args_)                                             \
	struct syt_frame f_;                                                                       \
	if (!enter_(&f_, name_)) {                                                                 \
		return SYT_REAL(name_) args_;                                                      \
	}
#define SYT_ENTER_OR_FORWARD_VOID(enter_, f_, name_, args_)                                        \
	struct syt_frame f_;                                                                       \
	if (!enter_(&f_, name_)) {                                                                 \
		return (void)SYT_REAL(name_) args_;                                                \
	}

/* Exports name_old, the wrapper of an OLD row of calls.def, as name@VERSION. It follows the wrapper's
 * definition. */
#define SYT_EXPORT_OLD(name_, version_)                                                            \
	__asm__(".symver " #name_ "_old, " #name_ "@" SYT_VERSION_##version_)

/* Exports name, an OLD row whose default has a second version, as name@VERSION, too. It follows the
 * wrapper's definition. The linker merges two versions of one address, so the alias has its own address. */
#define SYT_EXPORT_ALSO(name_, version_)                                                           \
	__asm__(".pushsection .text\n"                                                             \
	        ".globl " #name_ "_also\n"                                                         \
	        ".type " #name_ "_also, %function\n"                                               \
	        ".balign 16\n" #name_ "_also:\n"                                                   \
	        ".cfi_startproc\n"                                                                 \
	        "endbr64\n"                                                                        \
	        "jmp " #name_ "\n"                                                                 \
	        ".cfi_endproc\n"                                                                   \
	        ".size " #name_ "_also, . - " #name_ "_also\n"                                     \
	        ".symver " #name_ "_also, " #name_ "@" SYT_VERSION_##version_ "\n"                 \
	        ".popsection")

/* Gives the object id of an event, from the kind and the expression `object` of a CALL row in
 * format/calls.def. */
#define SYT_OBJECT_MUTEX(m_) syt_mutex_object(m_)
#define SYT_OBJECT_RWLOCK(l_) syt_rwlock_object(l_)
#define SYT_OBJECT_SPIN(l_) syt_spin_object(l_)
#define SYT_OBJECT_COND(c_) syt_cond_object(c_)
#define SYT_OBJECT_BARRIER(b_) syt_barrier_object(b_)
#define SYT_OBJECT_SEM(s_) syt_sem_object(s_)
#define SYT_OBJECT_ONCE(o_) syt_object(SYT_KIND_ONCE, (o_))
#define SYT_OBJECT_STDIO(f_) syt_object(SYT_KIND_STDIO, (f_))
#define SYT_OBJECT_FILE(x_) 0 /* of a file without an fd */
#define SYT_OBJECT_OTHER(x_) 0

/* Stores the result of the real call in the event E, and errno if the result is negative. */
static inline void syt_result(struct syt_event *e, int64_t rv)
{
	e->result = rv;
	if (__builtin_expect(rv < 0, 0))
		e->err = (uint64_t)errno;
}

/* Store the result RV of the real call, record the event and return RV. */
static inline int syt_leave_in_int(struct syt_frame *f, struct syt_event *e, int rv)
{
	syt_result(e, rv);
	syt_leave_in(f, e);
	return rv;
}

static inline int syt_leave_out_int(struct syt_frame *f, struct syt_event *e, int rv)
{
	syt_result(e, rv);
	syt_leave_out(f, e);
	return rv;
}

#endif
