/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Stubs that jump to the real functions, one for each row of format/calls.def. A stub leaves all arguments in
 * place and makes no frame, so it fits every prototype, also of variadic functions. If its function pointer
 * (slot) is NULL, the stub first resolves all slots. Before ld.so has relocated this library, no slot can be
 * resolved, and the stub returns 0: only locks are called that early, with one thread, and 0 is their
 * success. */
#include "preload/entry.h"

#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) stub name_
#define HAND(name_, shape_, kind_) stub name_
#define OMP(name_, shape_, kind_)
#define OLD(name_, version_, default_) stub name_##_old
#define ALIAS(alias_, name_) other_name alias_, name_

	.section .data.rel.ro, "aw", %progbits
	.balign	8
	.globl	syt_relocated
	.hidden	syt_relocated
syt_relocated:		/* contains its own address once ld.so has relocated this library */
	.quad	syt_relocated

	.macro	slot name
	.pushsection .bss.syt_slots, "aw", %nobits
	.balign	8
	.globl	syt_slot_\name
	.hidden	syt_slot_\name
	.type	syt_slot_\name, %object
	.size	syt_slot_\name, 8
syt_slot_\name:
	.skip	8
	.popsection
	.globl	syt_real_\name
	.hidden	syt_real_\name
	.type	syt_real_\name, %function
	.endm

	.section .text.stubs, "ax", %progbits
#if defined(__x86_64__)
	.macro	stub name
	slot	\name
	.balign	16
syt_real_\name:
	.cfi_startproc
	cmpq	$0, syt_slot_\name(%rip)
	je	1f
	jmp	*syt_slot_\name(%rip)
1:	leaq	syt_slot_\name(%rip), %r11
	jmp	boot
	.cfi_endproc
	.size	syt_real_\name, . - syt_real_\name
	.endm

	.macro	other_name alias, name
	.globl	\alias
	begin	\alias
	jmp	\name
	finish	\alias
	.endm

	/* r11 is the address of the slot. All argument registers are in use; al is the number of vector
	 * arguments. */
	.type	boot, %function
boot:
	.cfi_startproc
	leaq	syt_relocated(%rip), %r10
	cmpq	%r10, syt_relocated(%rip)
	jne	1f
	push_frame 192
	save_arguments
	movq	%rax, 48(%rsp)
	movq	%r11, 56(%rsp)
	movaps	%xmm0, 64(%rsp)
	movaps	%xmm1, 80(%rsp)
	movaps	%xmm2, 96(%rsp)
	movaps	%xmm3, 112(%rsp)
	movaps	%xmm4, 128(%rsp)
	movaps	%xmm5, 144(%rsp)
	movaps	%xmm6, 160(%rsp)
	movaps	%xmm7, 176(%rsp)
	call	syt_real_resolve
	movaps	176(%rsp), %xmm7
	movaps	160(%rsp), %xmm6
	movaps	144(%rsp), %xmm5
	movaps	128(%rsp), %xmm4
	movaps	112(%rsp), %xmm3
	movaps	96(%rsp), %xmm2
	movaps	80(%rsp), %xmm1
	movaps	64(%rsp), %xmm0
	movq	56(%rsp), %r11
	movq	48(%rsp), %rax
	load_arguments
	pop_frame 192
	jmp	*(%r11)
1:	xorl	%eax, %eax
	ret
	.cfi_endproc
	.size	boot, . - boot
#elif defined(__aarch64__)
	.macro	stub name
	slot	\name
	.balign	16
syt_real_\name:
	.cfi_startproc
	adrp	x17, syt_slot_\name
	add	x17, x17, :lo12:syt_slot_\name
	ldr	x16, [x17]
	cbz	x16, boot
	br	x16
	.cfi_endproc
	.size	syt_real_\name, . - syt_real_\name
	.endm

	.macro	other_name alias, name
	.globl	\alias
	begin	\alias
	b	\name
	finish	\alias
	.endm

	/* x17 is the address of the slot. All argument registers are in use; x8 is the address of the
	 * result. */
	.type	boot, %function
boot:
	.cfi_startproc
	adrp	x16, syt_relocated
	add	x16, x16, :lo12:syt_relocated
	ldr	x15, [x16]
	cmp	x15, x16
	b.ne	1f
	push_frame 224
	save_arguments
	stp	x8, x17, [sp, 80]
	stp	q0, q1, [sp, 96]
	stp	q2, q3, [sp, 128]
	stp	q4, q5, [sp, 160]
	stp	q6, q7, [sp, 192]
	bl	syt_real_resolve
	ldp	q6, q7, [sp, 192]
	ldp	q4, q5, [sp, 160]
	ldp	q2, q3, [sp, 128]
	ldp	q0, q1, [sp, 96]
	ldp	x8, x17, [sp, 80]
	load_arguments
	pop_frame 224
	ldr	x16, [x17]
	br	x16
1:	mov	x0, 0
	ret
	.cfi_endproc
	.size	boot, . - boot
#else
#error "syntrace: the stubs of the real functions are not written for this architecture"
#endif

#include "format/calls.def"
	/* preload/quick.h */
	stub quick_pthread_mutex_trylock
	stub quick_pthread_spin_trylock
	stub quick_pthread_rwlock_tryrdlock
	stub quick_pthread_rwlock_trywrlock
	stub quick_sem_trywait
	stub quick_pthread_tryjoin_np
	/* libc's own functions for the recorder's own use */
	stub own_dl_iterate_phdr
	stub own_dlerror
	stub own_on_exit
	stub own_sigsetjmp

	.section .note.GNU-stack, "", %progbits
