/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The event clock: the invariant TSC where the kernel trusts it, CLOCK_MONOTONIC from the vDSO
 * elsewhere.  A release reads it before the real call, unfenced: the reading retires before any later
 * store is visible.  An acquire reads it after the real call with a fence: lock-prefixed instructions
 * do not order rdtsc (Intel SDM vol. 2, RDTSC).
 */
#ifndef SYT_RUNTIME_CLOCK_H
#define SYT_RUNTIME_CLOCK_H

#include <stdint.h>

#include "format/format.h"

extern uint32_t syt_clock_source; /* enum syt_clock_source; set once by init */

void syt_clock_init(void);
uint64_t syt_clock_slow(void); /* CLOCK_MONOTONIC, ns */
struct syt_clock_pair syt_clock_pair(void); /* four system calls */
uint64_t syt_clock_thread_cpu(void); /* CPU time of the calling thread, ns; one system call */
uint64_t syt_clock_hz(void); /* nominal, 0 when unknown */

static inline uint64_t syt_clock_release(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(syt_clock_source == SYT_CLOCK_TSC, 1))
		return __builtin_ia32_rdtsc();
#endif
	return syt_clock_slow();
}

static inline uint64_t syt_clock_acquire(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(syt_clock_source == SYT_CLOCK_TSC, 1)) {
		__builtin_ia32_lfence();
		return __builtin_ia32_rdtsc();
	}
#endif
	return syt_clock_slow();
}

#endif
