/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * dlopen and dlmopen search for a library as their caller's return address says (its RUNPATH, its
 * namespace): so the real one is jumped to, with that address where it was.  Before that, the C half
 * looks at the arguments.
 */
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	.text
#if defined(__x86_64__)
	.macro	entry name
	.globl	\name
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
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	subq	$8, %rsp
	call	syt_\name
	addq	$8, %rsp
	popq	%rdx
	popq	%rsi
	popq	%rdi
	popq	%rbp
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	jmp	syt_real_\name
	.cfi_endproc
	.size	\name, . - \name
	.endm
#elif defined(__aarch64__)
	.macro	entry name
	.globl	\name
	.type	\name, %function
	.balign	16
\name:
	.cfi_startproc
	hint	34	/* bti c */
	stp	x29, x30, [sp, -48]!
	.cfi_def_cfa_offset 48
	.cfi_offset x29, -48
	.cfi_offset x30, -40
	mov	x29, sp
	stp	x0, x1, [sp, 16]
	str	x2, [sp, 32]
	bl	syt_\name
	ldr	x2, [sp, 32]
	ldp	x0, x1, [sp, 16]
	ldp	x29, x30, [sp], 48
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	b	syt_real_\name
	.cfi_endproc
	.size	\name, . - \name
	.endm
#endif

	entry	dlopen
	entry	dlmopen

	.section .note.GNU-stack, "", %progbits
