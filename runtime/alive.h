/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What every event looks at first: whether this process records, and whether the calling thread does already. */
#ifndef SYT_RUNTIME_ALIVE_H
#define SYT_RUNTIME_ALIVE_H

#include <stdint.h>

#include "format/format.h"

#define SYT_ALIVE_MASK 3u
#define SYT_ALIVE 1u
/* and tasks may run that share this thread-local memory: runtime/cloned.c */
#define SYT_ALIVE_CLONED 2u
/* each fork between the first image's start and this process adds one of these */
#define SYT_ALIVE_EPOCH 4u

/* [0], under the mask, is one of these while this process records, else all of it is 0. A page of its own that a
 * fork wipes: a forked child reads 0. Hidden, so that it can be read before this library is relocated. */
extern uint32_t syt_alive[] __attribute__((visibility("hidden")));

/*
 * Whether calls are to be recorded: 0; else the number of the pause, or SYT_CONTROL_NEVER.  A page of this library in whose
 * place the first page of the trace's shared file is mapped, so that asking is one load.  Hidden, as above.
 */
extern uint8_t syt_control_page[] __attribute__((visibility("hidden")));
#define SYT_CONTROL_NEVER UINT32_MAX /* this process records nothing, so that nobody asks again */

static inline uint32_t syt_control(void)
{
	return *(const volatile uint32_t *)(const volatile void *)(syt_control_page +
	                                                           SYT_CONTROL_AT);
}

/* NULL until the thread records. Never kept across a real call: a coroutine may resume elsewhere. */
struct syt_self;
extern __thread struct syt_self *syt_self_tls __attribute__((visibility("hidden")));

#endif
