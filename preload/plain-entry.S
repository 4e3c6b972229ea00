/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The entries of the most frequent calls: whether anything is to be recorded is asked before the compiler saves a register.
 * If not, they jump on to libc's function: two instructions more than what a library takes that only passes calls on.
 * Else they jump to the wrapper, syt_body_NAME, which finds the stack as its caller has left it.
 *
 * `lock`: locks, and what orders nothing, go unrecorded while recording is paused without a trace of it.  `use`: only where
 * nothing is ever recorded; of a pause the wrapper says so in the dump (runtime/frame.h, syt_skip).
 *
 * syt_control() is nonzero only after the constructor has looked up the real functions, so their slots hold them.
 */
#include "preload/entry.h"

#define CONTROL_AT 128 /* SYT_CONTROL_AT */
#define CONTROL_NEVER -1 /* SYT_CONTROL_NEVER */

#if defined(__x86_64__)
	.macro	lock name
	.globl	\name
	begin	\name
	cmpl	$0, syt_control_page+CONTROL_AT(%rip)
	je	syt_body_\name
	jmp	*syt_slot_\name(%rip)
	finish	\name
	.endm

	.macro	use name
	.globl	\name
	begin	\name
	cmpl	$CONTROL_NEVER, syt_control_page+CONTROL_AT(%rip)
	jne	syt_body_\name
	jmp	*syt_slot_\name(%rip)
	finish	\name
	.endm
#elif defined(__aarch64__)
	.macro	lock name
	.globl	\name
	begin	\name
	adrp	x16, syt_control_page+CONTROL_AT
	ldr	w16, [x16, :lo12:syt_control_page+CONTROL_AT]
	cbz	w16, syt_body_\name
	adrp	x16, syt_slot_\name
	ldr	x16, [x16, :lo12:syt_slot_\name]
	br	x16
	finish	\name
	.endm

	.macro	use name
	.globl	\name
	begin	\name
	adrp	x16, syt_control_page+CONTROL_AT
	ldr	w16, [x16, :lo12:syt_control_page+CONTROL_AT]
	cmn	w16, 1
	b.ne	syt_body_\name
	adrp	x16, syt_slot_\name
	ldr	x16, [x16, :lo12:syt_slot_\name]
	br	x16
	finish	\name
	.endm
#else
#error "syntrace: the entries are not written for this architecture"
#endif

#define ENTRY_INIT(name_)
#define ENTRY_DESTROY(name_)
#define ENTRY_PAUSE(name_)
#define ENTRY_INFO(name_) lock name_
#define ENTRY_LOCK(name_) lock name_
#define ENTRY_RDLOCK(name_) lock name_
#define ENTRY_UNLOCK(name_) lock name_
#define ENTRY_SEM_WAIT(name_) use name_
#define ENTRY_SEM_POST(name_) use name_
#define ENTRY_COND_SIGNAL(name_) use name_
#define ENTRY_COND_BROADCAST(name_) use name_
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) ENTRY_##shape_(name_)

	.text
#include "format/calls.def"

	/* those with preload/acquire.h */
	lock	pthread_mutex_lock
	lock	pthread_mutex_timedlock
	lock	pthread_mutex_clocklock
	lock	pthread_spin_lock
	lock	mtx_lock
	lock	mtx_timedlock
	lock	pthread_rwlock_rdlock
	lock	pthread_rwlock_wrlock
	lock	pthread_rwlock_timedrdlock
	lock	pthread_rwlock_timedwrlock
	lock	pthread_rwlock_clockrdlock
	lock	pthread_rwlock_clockwrlock
	use	sem_wait
	use	sem_timedwait
	use	sem_clockwait

	.section .note.GNU-stack, "", %progbits
