/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The assembler entries of dlopen and dlmopen. In libc's functions, the return address selects the RUNPATH and
 * the namespace. So an entry calls the C part of the wrapper, restores the arguments and jumps to the real
 * function. */
#include "preload/entry.h"

	.text
	.macro	entry name
	.globl	\name
	begin	\name
#if defined(__x86_64__)
	push_frame 48
	save_arguments
	call	syt_\name
	load_arguments
	pop_frame 48
	jmp	syt_real_\name
#elif defined(__aarch64__)
	push_frame 80
	save_arguments
	bl	syt_\name
	load_arguments
	pop_frame 80
	b	syt_real_\name
#endif
	finish	\name
	.endm

	entry	dlopen
	entry	dlmopen

	.section .note.GNU-stack, "", %progbits
