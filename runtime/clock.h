/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The event clock: the invariant TSC if the kernel trusts it, otherwise CLOCK_MONOTONIC from the
 * vDSO. A release reads the clock before the real call, unfenced: the reading retires before any
 * later store is visible. An acquire reads it after the real call with a fence: lock-prefixed
 * instructions do not order rdtsc (Intel SDM vol. 2, RDTSC).
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

/* stop: each later reading is the last one plus one, without the TSC or a system call. For a
 * program that is about to forbid them. resume: undoes stop when the program's call fails. */
void syt_clock_stop(void);
void syt_clock_resume(void);
bool syt_clock_is_stopped(void);

void syt_clock_init(void);
uint64_t syt_clock_slow(void); /* CLOCK_MONOTONIC in ns, or the count of a stopped clock */
/* Reads all clocks, with four system calls at most. All fields are 0 (no pair) if the clock is
 * stopped or the system call is denied. */
struct syt_clock_pair syt_clock_pair(void);
/* CPU time of the calling thread in ns; one system call; 0 if it is denied. */
uint64_t syt_clock_thread_cpu(void);
/* CLOCK_BOOTTIME in ns, the clock of the kernel's process start times; 0 if it is unavailable. */
uint64_t syt_clock_boot_ns(void);
uint64_t syt_clock_hz(void); /* nominal; 0: unknown */

/* Returns whether a reading takes one or two instructions and no call. */
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
