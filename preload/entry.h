/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Assembler macros for a function that calls a C function and then jumps to the real function with unchanged
 * arguments. */
#ifndef SYT_PRELOAD_ENTRY_H
#define SYT_PRELOAD_ENTRY_H

#if defined(__ASSEMBLER__)
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

/* clang-format off */
#if defined(__x86_64__)
	/* Marks a target of indirect branches (for CET or BTI). */
	.macro	landing
	_CET_ENDBR
	.endm

	/* push_frame makes a stack frame with BYTES below it, and pop_frame removes the frame. */
	.macro	push_frame bytes
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	subq	$\bytes, %rsp
	.endm

	.macro	pop_frame bytes
	leave
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	.endm

	/* Saves the integer arguments in 48 bytes at the bottom of the stack frame. */
	.macro	save_arguments
	movq	%rdi, (%rsp)
	movq	%rsi, 8(%rsp)
	movq	%rdx, 16(%rsp)
	movq	%rcx, 24(%rsp)
	movq	%r8, 32(%rsp)
	movq	%r9, 40(%rsp)
	.endm

	.macro	load_arguments
	movq	40(%rsp), %r9
	movq	32(%rsp), %r8
	movq	24(%rsp), %rcx
	movq	16(%rsp), %rdx
	movq	8(%rsp), %rsi
	movq	(%rsp), %rdi
	.endm
#elif defined(__aarch64__)
	.macro	landing
	hint	34	/* bti c */
	.endm

	/* push_frame makes a stack frame of BYTES, which begins with x29 and x30; pop_frame removes the
	 * frame. */
	.macro	push_frame bytes
	stp	x29, x30, [sp, -\bytes]!
	.cfi_def_cfa_offset \bytes
	.cfi_offset x29, -\bytes
	.cfi_offset x30, 8 - \bytes
	mov	x29, sp
	.endm

	.macro	pop_frame bytes
	ldp	x29, x30, [sp], \bytes
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	.endm

	/* Saves the integer arguments in 64 bytes from offset 16 of the stack frame on. */
	.macro	save_arguments
	stp	x0, x1, [sp, 16]
	stp	x2, x3, [sp, 32]
	stp	x4, x5, [sp, 48]
	stp	x6, x7, [sp, 64]
	.endm

	.macro	load_arguments
	ldp	x6, x7, [sp, 64]
	ldp	x4, x5, [sp, 48]
	ldp	x2, x3, [sp, 32]
	ldp	x0, x1, [sp, 16]
	.endm
#else
#error "syntrace: the wrappers in assembler are not written for this architecture"
#endif

	/* Begins the function NAME with a branch target. */
	.macro	begin name
	.type	\name, %function
	.balign	16
\name:
	.cfi_startproc
	landing
	.endm

	.macro	finish name
	.cfi_endproc
	.size	\name, . - \name
	.endm
/* clang-format on */
#endif

#endif
