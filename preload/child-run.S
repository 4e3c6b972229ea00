/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Calls clone(CLONE_VM | CLONE_VFORK). The child runs one function on the parent's stack and exits. */
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

#define CLONE_VM_VFORK 0x4100

	.text
	.globl	syt_child_run
	.hidden	syt_child_run
	.type	syt_child_run, %function
	.balign	16
#if defined(__x86_64__)
syt_child_run:
	.cfi_startproc
	_CET_ENDBR
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	/* with these flags, clone ignores r8 and r9 and preserves their values */
	movq	%rdi, %r8
	movq	%rsi, %r9
	movl	$CLONE_VM_VFORK, %edi
	xorl	%esi, %esi
	xorl	%edx, %edx
	xorl	%r10d, %r10d
	movl	$56, %eax	/* clone */
	syscall
	testq	%rax, %rax
	jne	1f
	movq	%r9, %rdi
	andq	$-16, %rsp
	call	*%r8
	xorl	%edi, %edi
	movl	$60, %eax	/* exit */
	syscall
	hlt
1:	popq	%rbp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
#elif defined(__aarch64__)
syt_child_run:
	.cfi_startproc
	hint	34	/* bti c */
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	mov	x9, x0
	mov	x10, x1
	mov	x0, CLONE_VM_VFORK
	mov	x1, 0
	mov	x2, 0
	mov	x3, 0
	mov	x4, 0
	mov	x8, 220		/* clone */
	svc	0
	cbnz	x0, 1f
	mov	x0, x10
	blr	x9
	mov	x0, 0
	mov	x8, 93		/* exit */
	svc	0
	brk	0
1:	ldp	x29, x30, [sp], 16
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
#else
#error "syntrace: clone is not written for this architecture"
#endif
	.size	syt_child_run, . - syt_child_run

	.section .note.GNU-stack, "", %progbits
