/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What a wrapper is made of.  The rules (runtime/frame.h has those of the calls in between):
 *
 * - A wrapper returns exactly what the real function returned, with the same errno.
 * - Nothing is held across the real call: it may block, be cancelled, throw, or never return.
 * - A release is stamped before the real call and recorded after it.  Its object is read before the
 *   real call only: the instant the release takes effect, the memory may be gone.
 * - An acquire captures the stack before, stamps after.  Where trying first is invisible to the
 *   program, it tries first, and only then waits: so an uncontended acquire costs one stamp.
 * - Nothing of libc is called except through SYT_REAL, and what tests/lint/undefined.list allows.
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

/* Before the definition of syt_body_name: the wrapper of a call whose entry, which is exported, stands in
 * preload/fast-entry.S. */
#define SYT_BODY(name_) __typeof__(name_) syt_body_##name_ __attribute__((visibility("hidden")))

/* Before the definition of a wrapper: it is exported and replaces libc's. */
#define SYT_EXPORT __attribute__((visibility("default")))

/* After the definition of name_old, the wrapper of an OLD row: exports it as name@VERSION. */
#define SYT_EXPORT_OLD(name_, version_)                                                            \
	__asm__(".symver " #name_ "_old, " #name_ "@" SYT_VERSION_##version_)

/* After the definition of name: it is name@VERSION, too; for an OLD row whose default has a second
 * version. An address of its own, because the linker takes two versions of one for the same. */
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
	        ".symver " #name_ "_also, " #name_ "@" SYT_VERSION_##version_ "\n"                  \
	        ".popsection")

/* From the KIND and `object` of a CALL row to the event's object. */
#define SYT_OBJECT_MUTEX(m_) syt_mutex_object(m_)
#define SYT_OBJECT_RWLOCK(l_) syt_rwlock_object(l_)
#define SYT_OBJECT_SPIN(l_) syt_spin_object(l_)
#define SYT_OBJECT_COND(c_) syt_cond_object(c_)
#define SYT_OBJECT_BARRIER(b_) syt_barrier_object(b_)
#define SYT_OBJECT_SEM(s_) syt_sem_object(s_)
#define SYT_OBJECT_ONCE(o_) syt_object(SYT_KIND_ONCE, (o_))
#define SYT_OBJECT_STDIO(f_) syt_object(SYT_KIND_STDIO, (f_))
#define SYT_OBJECT_OTHER(x_) 0

/* The result of the real call; errno with it when the call failed by returning -1. */
static inline void syt_result(struct syt_event *e, int64_t rv)
{
	e->result = rv;
	if (__builtin_expect(rv < 0, 0))
		e->err = (uint64_t)errno;
}

#endif
