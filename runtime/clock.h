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

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

extern uint32_t syt_clock_source; /* enum syt_clock_source; set once by init */

/* The TSC may be read. Cleared when the program takes it away from itself (syt_clock_stop). Hidden. */
extern uint32_t syt_clock_has_tsc __attribute__((visibility("hidden")));

/* From now on a reading is the last one plus one: neither the TSC nor a system call is used. Before
 * the program gives them up. resume: it has not after all. */
void syt_clock_stop(void);
void syt_clock_resume(void);
bool syt_clock_is_stopped(void);

void syt_clock_init(void);
uint64_t syt_clock_slow(void); /* CLOCK_MONOTONIC, ns, or what stands for a stopped clock */
/* Four system calls; all zero, which is none, where they or the clock are not to be had. */
struct syt_clock_pair syt_clock_pair(void);
/* CPU time of the calling thread, ns; one system call; 0 where that is not to be had. */
uint64_t syt_clock_thread_cpu(void);
/* CLOCK_BOOTTIME, ns, by which the kernel dates processes; 0 where it is not to be had. */
uint64_t syt_clock_boot_ns(void);
uint64_t syt_clock_hz(void); /* nominal, 0 when unknown */

/* A reading is an instruction or two, and no call. */
static inline bool syt_clock_is_quick(void)
{
#if defined(__x86_64__)
	return syt_clock_has_tsc;
#else
	return false;
#endif
}

static inline uint64_t syt_clock_release(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(syt_clock_has_tsc, 1))
		return __builtin_ia32_rdtsc();
#endif
	return syt_clock_slow();
}

static inline uint64_t syt_clock_acquire(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(syt_clock_has_tsc, 1)) {
		__builtin_ia32_lfence();
		return __builtin_ia32_rdtsc();
	}
#endif
	return syt_clock_slow();
}

#endif
