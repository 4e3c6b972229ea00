/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * clone, called as a function and through syscall(): something is done before, and then the real one
 * is jumped to with everything as it was, because the child may run on this very stack.  Where the
 * child has memory of its own, a C function takes the call instead.
 */
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	/* NAME calls BEFORE with its own arguments and, in the last one that fits a register, its
	 * frame; goes on at TAKE when that returns true, else at REAL. */
	.text
#if defined(__x86_64__)
	.macro	entry name, before, take, real
	.type	\name, %function
	.balign	16
\name:
	.cfi_startproc
	_CET_ENDBR
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	subq	$48, %rsp
	movq	%rdi, (%rsp)
	movq	%rsi, 8(%rsp)
	movq	%rdx, 16(%rsp)
	movq	%rcx, 24(%rsp)
	movq	%r8, 32(%rsp)
	movq	%r9, 40(%rsp)
	movq	%rbp, %r9
	call	\before
	movl	%eax, %r11d
	movq	40(%rsp), %r9
	movq	32(%rsp), %r8
	movq	24(%rsp), %rcx
	movq	16(%rsp), %rdx
	movq	8(%rsp), %rsi
	movq	(%rsp), %rdi
	leave
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	testb	%r11b, %r11b
	jne	\take
	jmp	\real
	.cfi_endproc
	.size	\name, . - \name
	.endm
#elif defined(__aarch64__)
	.macro	entry name, before, take, real
	.type	\name, %function
	.balign	16
\name:
	.cfi_startproc
	hint	34	/* bti c */
	stp	x29, x30, [sp, -80]!
	.cfi_def_cfa_offset 80
	.cfi_offset x29, -80
	.cfi_offset x30, -72
	mov	x29, sp
	stp	x0, x1, [sp, 16]
	stp	x2, x3, [sp, 32]
	stp	x4, x5, [sp, 48]
	str	x6, [sp, 64]
	mov	x5, x29
	bl	\before
	mov	w9, w0
	ldr	x6, [sp, 64]
	ldp	x4, x5, [sp, 48]
	ldp	x2, x3, [sp, 32]
	ldp	x0, x1, [sp, 16]
	ldp	x29, x30, [sp], 80
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	tst	w9, 255
	b.ne	1f
	b	\real
1:	b	\take
	.cfi_endproc
	.size	\name, . - \name
	.endm
#else
#error "syntrace: clone is not written for this architecture"
#endif

	.globl	clone
	entry	clone, syt_clone_enter, syt_clone_fork, syt_real_clone

	.globl	syt_syscall_clone
	.hidden	syt_syscall_clone
	entry	syt_syscall_clone, syt_clone_enter_raw, syt_syscall, syt_real_syscall

	.section .note.GNU-stack, "", %progbits
