/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The exported functions of the FAST rows and of most CALL rows of format/calls.def.  An entry tests
 * whether the call is to be recorded before the compiler saves a register.  If not, it jumps to libc's
 * function: two instructions more than in a library that only forwards calls.  If so, it jumps to the
 * wrapper, syt_body_NAME, which finds the stack as the caller left it.
 *
 * The kind of call (the row's shape in calls.def) selects the test:
 *   enter_unless_paused  locks, and calls that order no threads: not recorded while recording is paused, and
 *                        not recorded if a sampler leaves them out
 *   enter_unless_never   all other calls: not recorded if recording is off for good. While recording is paused,
 *                        the dump says that the thread made unrecorded calls (runtime/frame.h, syt_control_allows).
 *
 * The first kind has a second function pointer, syt_next_NAME. It is libc's function, or syt_sampled_NAME in a process
 * whose calls are sampled (syt_real_sample). So a sampler costs nothing in other processes.
 *
 * syt_sampled_NAME finds the flags of the comparison with 0, which tell a pause (positive) from sampling (negative). If
 * the table syt_sample_sites of the thread has the site of the call, and its countdown is not 0, the call is skipped: the countdown
 * and the number of calls left out count it. This takes 16 instructions. Else syt_sample_call decides.
 *
 * syt_control() is nonzero only after the constructor has resolved the real functions, so the pointers to
 * them are set.
 */
#include "preload/entry.h"
#include "runtime/quick-site.h"

#define CONTROL_AT 128 /* SYT_CONTROL_AT */
#define CONTROL_NEVER -1 /* SYT_CONTROL_NEVER */
#define CONTROL_SAMPLED 0x80000000 /* SYT_CONTROL_SAMPLED */

#if defined(__x86_64__)
	.macro	enter_unless_paused name
	.globl	\name
	begin	\name
	cmpl	$0, syt_control_page+CONTROL_AT(%rip)
	je	syt_body_\name
	notrack jmp *syt_next_\name(%rip) /* for CET: syt_sampled_NAME is no landing, which saves an instruction */
	finish	\name

	.pushsection .bss.syt_nexts, "aw", %nobits
	.balign	8
syt_next_\name:
	.skip	8
	.popsection

	.pushsection .data.rel.ro.syt_nexts, "aw"
	.quad	syt_next_\name, syt_slot_\name, syt_sampled_\name
	.popsection

	.type	syt_sampled_\name, %function
	.balign	16
syt_sampled_\name:
	.cfi_startproc
	jns	1f
	movq	syt_sample_sites@gottpoff(%rip), %r11
	movq	%fs:(%r11), %r11
	imulq	$SYT_SITE_PC, (%rsp), %rax
	leaq	(call_number*SYT_SITE_CALL)(%rsp, %rax), %rax
	imull	syt_alive+4(%rip), %eax
	movzbl	%al, %r10d
	movzbl	SYT_QUICK_AT(%r11, %r10), %r10d
	shrl	$8, %eax
	cmpw	%ax, SYT_QUICK_NONE_AT(%r11, %r10, 8)
	jne	2f
	cmpb	$0, SYT_QUICK_COUNTDOWN_AT(%r11, %r10, 8)
	je	2f
	decb	SYT_QUICK_COUNTDOWN_AT(%r11, %r10, 8)
	incq	SYT_QUICK_LEFT_OUT_AT(%r11)
	jmp	*syt_slot_\name(%rip)
2:	cmpl	$CONTROL_SAMPLED, syt_control_page+CONTROL_AT(%rip)
	jne	1f
	push_frame 48
	save_arguments
	movq	%rbp, %rdi
	movl	$call_number, %esi
	call	syt_sample_call
	testb	%al, %al
	load_arguments
	pop_frame 48
	jnz	syt_body_\name
1:	jmp	*syt_slot_\name(%rip)
	finish	syt_sampled_\name
	.endm

	.macro	enter_unless_never name
	.globl	\name
	begin	\name
	cmpl	$CONTROL_NEVER, syt_control_page+CONTROL_AT(%rip)
	jne	syt_body_\name
	jmp	*syt_slot_\name(%rip)
	finish	\name
	.endm
#elif defined(__aarch64__)
	.macro	enter_unless_paused name
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

	.macro	enter_unless_never name
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
#define ENTRY_BLOCK(name_)
#define ENTRY_INFO(name_) enter_unless_paused name_
#define ENTRY_LOCK(name_) enter_unless_paused name_
#define ENTRY_RDLOCK(name_) enter_unless_paused name_
#define ENTRY_UNLOCK(name_) enter_unless_paused name_
#define ENTRY_SEM_WAIT(name_) enter_unless_never name_
#define ENTRY_SEM_POST(name_) enter_unless_never name_
#define ENTRY_COND_SIGNAL(name_) enter_unless_never name_
#define ENTRY_COND_BROADCAST(name_) enter_unless_never name_
/* Numbers the calls like format/calls.h. */
#define COUNT .set call_number, call_number + 1
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) COUNT; ENTRY_##shape_(name_)
#define FAST(name_, shape_, kind_) COUNT; ENTRY_##shape_(name_)
#define HAND(name_, shape_, kind_) COUNT
#define MARK(name_, shape_, kind_) COUNT
	.set	call_number, 0

	.macro	object name
	.balign	8
	.globl	\name
	.hidden	\name
	.type	\name, %object
\name:
	.endm

	/* the rows of struct next in preload/real.c */
	.section .data.rel.ro.syt_nexts, "aw"
	object	syt_nexts

	.text
#include "format/calls.def"

	.section .data.rel.ro.syt_nexts, "aw"
	object	syt_nexts_end
	.size	syt_nexts, . - syt_nexts

	.section .note.GNU-stack, "", %progbits
