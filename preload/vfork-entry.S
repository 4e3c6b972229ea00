/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The entry of vfork. vfork returns twice on one stack, so its wrapper must leave no data on the stack. The C
 * part stores the return address. With a shadow stack (CET), the child jumps to the return address instead of
 * returning, so that the parent's shadow stack entries stay, as in libc's vfork. */
#include "preload/entry.h"

	.text
	.globl	vfork
	begin	vfork
#if defined(__x86_64__)
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	movq	%rsp, %rdi
	call	syt_vfork_enter
	popq	%rbp
	.cfi_def_cfa_offset 8
	.cfi_restore rbp
	testb	%al, %al
	je	syt_real_vfork
	addq	$8, %rsp
	.cfi_def_cfa_offset 0
	.cfi_undefined rip
	call	syt_real_vfork
	pushq	%rax
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	movl	%eax, %edi
	call	syt_vfork_leave
	addq	$8, %rsp
	popq	%rcx
	.cfi_def_cfa_offset 0
	movq	%rax, %rdx
	movl	%ecx, %eax
#if defined(__CET__) && (__CET__ & 2)
	testl	%eax, %eax
	jne	1f
	xorl	%ecx, %ecx
	rdsspq	%rcx
	testq	%rcx, %rcx
	je	1f
	jmp	*%rdx
1:
#endif
	pushq	%rdx
	ret
#elif defined(__aarch64__)
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	mov	x0, sp
	bl	syt_vfork_enter
	ldp	x29, x30, [sp], 16
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	tst	w0, 255
	b.eq	syt_real_vfork
	.cfi_undefined x30
	bl	syt_real_vfork
	str	x0, [sp, -16]!
	.cfi_def_cfa_offset 16
	bl	syt_vfork_leave
	mov	x30, x0
	ldr	x0, [sp], 16
	.cfi_def_cfa_offset 0
	ret
#endif
	finish	vfork

	.section .note.GNU-stack, "", %progbits
