/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * clone, called as a function and through syscall(): something is done before, and then the real one
 * is jumped to with everything as it was, because the child may run on this very stack.  Where the
 * child has memory of its own, a C function takes the call instead.
 */
#include "preload/entry.h"

	/* NAME calls BEFORE with its own arguments and, in the last one that fits a register, its
	 * frame; goes on at TAKE when that returns true, else at REAL. */
	.text
	.macro	entry name, before, take, real
	begin	\name
#if defined(__x86_64__)
	push_frame 48
	save_arguments
	movq	%rbp, %r9
	call	\before
	movl	%eax, %r11d
	load_arguments
	pop_frame 48
	testb	%r11b, %r11b
	jne	\take
	jmp	\real
#elif defined(__aarch64__)
	push_frame 80
	save_arguments
	mov	x5, x29
	bl	\before
	mov	w9, w0
	load_arguments
	pop_frame 80
	tst	w9, 255
	b.ne	1f
	b	\real
1:	b	\take
#endif
	finish	\name
	.endm

	.globl	clone
	entry	clone, syt_clone_enter, syt_clone_fork, syt_real_clone

	.globl	syt_syscall_clone
	.hidden	syt_syscall_clone
	entry	syt_syscall_clone, syt_clone_enter_syscall, syt_syscall, syt_real_syscall

	.section .note.GNU-stack, "", %progbits
