/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The event clock: the invariant TSC if the kernel trusts it, otherwise CLOCK_MONOTONIC from the vDSO. The
 * wrapper of a release reads the clock before the real call, unfenced: the reading retires before any later
 * store is visible. The wrapper of an acquire reads the clock after the real call with a fence:
 * lock-prefixed instructions do not order rdtsc (Intel SDM vol. 2, RDTSC).
 *
 * Any thread and signal handlers may read the clock.
 */
#ifndef SYT_RUNTIME_CLOCK_H
#define SYT_RUNTIME_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

extern uint32_t syt_clock_source; /* enum syt_clock_source; set once by init */

/* True if the TSC may be read; false after the program forbids it (syt_clock_stop). Hidden. */
extern uint32_t syt_clock_has_tsc __attribute__((visibility("hidden")));

/* For a program that is about to forbid the TSC or system calls. After syt_clock_stop(), each reading of
 * the event clock is the previous reading plus one. syt_clock_resume() undoes syt_clock_stop() when the
 * program's call fails. */
void syt_clock_stop(void);
void syt_clock_resume(void);
bool syt_clock_is_stopped(void);

void syt_clock_init(void);
uint64_t syt_clock_slow(void); /* CLOCK_MONOTONIC in ns, or the count of a stopped clock */
/* Reads the event clock and the kernel's clocks at one moment, with four system calls at most. All fields
 * of the result are 0 if the event clock is stopped or the system call is denied. */
struct syt_clock_pair syt_clock_pair(void);
/* Returns the CPU time of the calling thread in ns, by one system call, or 0 if a filter denies the call. */
uint64_t syt_clock_thread_cpu(void);
/* Returns CLOCK_BOOTTIME in ns, the clock of the kernel's process start times, or 0 if it is unavailable. */
uint64_t syt_clock_boot_ns(void);
uint64_t syt_clock_hz(void); /* returns the nominal frequency of the event clock; 0: unknown */

/* Returns whether reading the event clock takes one or two instructions and no call. */
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
