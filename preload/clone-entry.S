/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The assembler entries of the wrapper of clone(), as a function and through syscall(). An entry first calls a
 * C function and then jumps to the real clone with all registers restored, because the child may run on the
 * caller's stack. If the child gets its own copy of the memory, a C function makes the clone instead. */
#include "preload/entry.h"

	/* Defines the function NAME, which calls BEFORE with its own arguments, but with the frame
	 * pointer as the last one. If BEFORE returns true, NAME jumps to TAKE, else to REAL. */
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
