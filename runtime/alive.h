/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The switches that every event checks first: does the process record, and does the thread already? */
#ifndef SYT_RUNTIME_ALIVE_H
#define SYT_RUNTIME_ALIVE_H

#include <stdint.h>

#include "format/format.h"

#define SYT_ALIVE_MASK 3u
#define SYT_ALIVE 1u
/* like SYT_ALIVE, but tasks may share this thread-local memory: runtime/cloned.c */
#define SYT_ALIVE_CLONED 2u
/* each fork between the first image's start and this process adds one of these */
#define SYT_ALIVE_EPOCH 4u

/* While this process records, [0] under the mask is one of these values; otherwise all of [0] is 0.
 * syt_alive has a page of its own, which a fork wipes: a forked child reads 0. Hidden, so that it
 * can be read before this library is relocated. */
extern uint32_t syt_alive[] __attribute__((visibility("hidden")));

/* 0 if calls are recorded; else the number of the pause, or SYT_CONTROL_NEVER. A mapping of the
 * first page of the trace's shared file replaces this page, so a check is one load. Hidden. */
extern uint8_t syt_control_page[] __attribute__((visibility("hidden")));
#define SYT_CONTROL_NEVER UINT32_MAX /* this process never records */

static inline uint32_t syt_control(void)
{
	return *(const volatile uint32_t *)(const volatile void *)(syt_control_page +
	                                                           SYT_CONTROL_AT);
}

/* NULL until the thread records. A coroutine may resume on another thread: keep it across no call. */
struct syt_self;
extern __thread struct syt_self *syt_self_tls __attribute__((visibility("hidden")));

#endif
