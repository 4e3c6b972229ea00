/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Makes raw system calls. A result is 0 or more, or -errno. The calls do not change errno, are no cancellation
 * points, and no library can intercept them. A system call that the program's own seccomp filter would punish
 * (runtime/confine.h) is not made: the function returns SYT_SYS_DENIED. */
#ifndef SYT_RUNTIME_SYS_H
#define SYT_RUNTIME_SYS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define SYT_NR_SYSCALLS 512u
#define SYT_SYS_DENIED (-1L) /* the same value as -EPERM */

/* Bit N is set if system call N must not be made. The symbol is hidden, so that code can read it before
 * this library is relocated. */
extern uint64_t syt_sys_denied[SYT_NR_SYSCALLS / 64] __attribute__((visibility("hidden")));

static inline int syt_sys_is_denied(long nr)
{
	return (__atomic_load_n(&syt_sys_denied[(uint64_t)nr % SYT_NR_SYSCALLS / 64], __ATOMIC_RELAXED) >>
		(uint64_t)nr % 64) & 1;
}

#if defined(__x86_64__)
static inline long syt_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long rv;

	if (__builtin_expect(syt_sys_is_denied(nr), 0))
		return SYT_SYS_DENIED;
	__asm__ volatile("syscall"
			 : "=a"(rv)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return rv;
}
#elif defined(__aarch64__)
static inline long syt_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	if (__builtin_expect(syt_sys_is_denied(nr), 0))
		return SYT_SYS_DENIED;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "syntrace: raw system calls are not written for this architecture"
#endif

#define SYT_SYS_ARG_(x_) ((long)(x_))
#define SYT_SYS_0(n_) syt_syscall6((n_), 0, 0, 0, 0, 0, 0)
#define SYT_SYS_1(n_, a_) syt_syscall6((n_), SYT_SYS_ARG_(a_), 0, 0, 0, 0, 0)
#define SYT_SYS_2(n_, a_, b_) syt_syscall6((n_), SYT_SYS_ARG_(a_), SYT_SYS_ARG_(b_), 0, 0, 0, 0)
#define SYT_SYS_3(n_, a_, b_, c_)                                                                  \
	syt_syscall6((n_), SYT_SYS_ARG_(a_), SYT_SYS_ARG_(b_), SYT_SYS_ARG_(c_), 0, 0, 0)
#define SYT_SYS_4(n_, a_, b_, c_, d_)                                                              \
	syt_syscall6((n_), SYT_SYS_ARG_(a_), SYT_SYS_ARG_(b_), SYT_SYS_ARG_(c_), SYT_SYS_ARG_(d_), \
		     0, 0)
#define SYT_SYS_5(n_, a_, b_, c_, d_, e_)                                                          \
	syt_syscall6((n_), SYT_SYS_ARG_(a_), SYT_SYS_ARG_(b_), SYT_SYS_ARG_(c_), SYT_SYS_ARG_(d_), \
		     SYT_SYS_ARG_(e_), 0)
#define SYT_SYS_6(n_, a_, b_, c_, d_, e_, f_)                                                      \
	syt_syscall6((n_), SYT_SYS_ARG_(a_), SYT_SYS_ARG_(b_), SYT_SYS_ARG_(c_), SYT_SYS_ARG_(d_), \
		     SYT_SYS_ARG_(e_), SYT_SYS_ARG_(f_))

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Gives BYTES of the shared file at ADDRESS disk space. Returns false if the disk is full: an access would
 * then kill the program. Linux before 5.14 lacks this operation (-EINVAL); there the file got all its disk
 * space when it was created. */
static inline bool syt_sys_back(const void *address, unsigned long bytes)
{
	long rv = SYT_SYS_3(SYS_madvise, address, bytes, MADV_POPULATE_WRITE);

	return rv >= 0 || rv == -EINVAL;
}

#endif
