/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The switches that every event checks first: does the process record, and does the thread already? */
#ifndef SYT_RUNTIME_ALIVE_H
#define SYT_RUNTIME_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

#define SYT_ALIVE_MASK 3u
#define SYT_ALIVE 1u
/* the process records (as with SYT_ALIVE), and several of its tasks may share one thread-local memory
 * (cloned.c) */
#define SYT_ALIVE_CLONED 2u
/* each fork between the start of the first process image and this process adds SYT_ALIVE_EPOCH to
 * syt_alive[0] */
#define SYT_ALIVE_EPOCH 4u

/* While this process records, syt_alive[0] under SYT_ALIVE_MASK is SYT_ALIVE or SYT_ALIVE_CLONED; otherwise
 * syt_alive[0] is 0. The kernel wipes the page of syt_alive at a fork, so a forked child reads 0. The
 * symbol is hidden, so that code can read it before this library is relocated. */
extern uint32_t syt_alive[] __attribute__((visibility("hidden")));

/* The page contains 0 if calls are recorded; else the number of the current pause, or SYT_CONTROL_NEVER. A
 * mapping of the first page of the trace's shared file replaces this page, so a check for a pause is one
 * load. */
extern uint8_t syt_control_page[] __attribute__((visibility("hidden")));
#define SYT_CONTROL_NEVER UINT32_MAX /* this process never records */

/* Lets the entries of calls count the calls that a sampler skips if FACTOR is SYT_SITE_SPREAD (runtime/quick-site.h). */
static inline void syt_alive_count(uint32_t factor)
{
	__atomic_store_n(&syt_alive[1], factor, __ATOMIC_RELAXED);
}

static inline uint32_t syt_control(void)
{
	return *(const volatile uint32_t *)(const volatile void *)(syt_control_page +
	                                                           SYT_CONTROL_AT);
}

/* Returns true if CONTROL, a value of syt_control(), is a deep pause. */
static inline bool syt_control_is_deep(uint32_t control)
{
	return control >> 30 == 1;
}

/* State of the calling thread, NULL until it records. A coroutine may resume on another thread, so no
 * caller keeps this pointer across a call. */
struct syt_self;
extern __thread struct syt_self *syt_self_tls __attribute__((visibility("hidden")));

#endif
