/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The entry of syscall(). The entry forwards a system call that the recorder does not record in a few
 * instructions and without a frame, because the effect of the call is unknown (vfork returns twice on one
 * stack). preload/syscall.c has the set of recorded calls and their wrappers; clone goes to
 * preload/clone-entry.S. Before ld.so has relocated this library, there is no real function, so the entry makes
 * the system call itself, without errno. */
#include <asm/unistd.h>

#include "preload/entry.h"

#define NR_NUMBERS 512 /* bits in syt_syscall_interest */

	.text
	.globl	syscall
	begin	syscall
#if defined(__x86_64__)
	cmpq	$0, syt_slot_syscall(%rip)
	je	2f
1:	cmpq	$NR_NUMBERS, %rdi
	jae	syt_real_syscall
	movl	%edi, %eax
	shrl	$6, %eax
	leaq	syt_syscall_interest(%rip), %r11
	movq	(%r11,%rax,8), %rax
	btq	%rdi, %rax
	jnc	syt_real_syscall
	cmpl	$__NR_clone, %edi
	je	syt_syscall_clone
	cmpl	$__NR_clone3, %edi
	je	syt_syscall_clone
	jmp	syt_syscall
2:	leaq	syt_relocated(%rip), %rax
	cmpq	%rax, syt_relocated(%rip)
	je	1b
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jb	3f
	movq	$-1, %rax
3:	ret
#elif defined(__aarch64__)
	adrp	x9, syt_slot_syscall
	ldr	x9, [x9, :lo12:syt_slot_syscall]
	cbz	x9, 3f
0:	cmp	x0, NR_NUMBERS
	b.hs	syt_real_syscall
	lsr	x9, x0, 6
	adrp	x10, syt_syscall_interest
	add	x10, x10, :lo12:syt_syscall_interest
	ldr	x9, [x10, x9, lsl 3]
	lsr	x9, x9, x0
	tbnz	x9, 0, 1f
	b	syt_real_syscall
1:	cmp	x0, __NR_clone
	b.eq	2f
	cmp	x0, __NR_clone3
	b.eq	2f
	b	syt_syscall
2:	b	syt_syscall_clone
3:	adrp	x9, syt_relocated
	add	x9, x9, :lo12:syt_relocated
	ldr	x10, [x9]
	cmp	x9, x10
	b.eq	0b
	mov	x8, x0
	mov	x0, x1
	mov	x1, x2
	mov	x2, x3
	mov	x3, x4
	mov	x4, x5
	mov	x5, x6
	svc	0
	cmn	x0, 4095
	b.cc	4f
	mov	x0, -1
4:	ret
#endif
	finish	syscall

	.section .note.GNU-stack, "", %progbits
