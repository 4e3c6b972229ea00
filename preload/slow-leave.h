/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The slow way of recording in a fast wrapper (runtime/plain.h), for a call that did not return 0 or that has
 * waited. The functions read errno and leave it unchanged. Any thread and signal handler may call them. */
#ifndef SYT_PRELOAD_SLOW_LEAVE_H
#define SYT_PRELOAD_SLOW_LEAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/plain.h"

struct syt_skip;

/* Records a release with the time stamp IN, which was read before the call. ALIVE is the result of
 * syt_plain_enter(). */
void syt_slow_leave_in(const void *fp, uint32_t alive, uint64_t in, uint32_t call, uint32_t object,
                       int64_t rv);

/* Records an acquire. IN is the time when the call began to wait, or 0 if it did not wait. */
void syt_slow_leave_out(const void *fp, struct syt_entered entered, uint64_t in, uint32_t call,
                        uint32_t object, int64_t rv);

/* Records the call K (runtime/skip.h), which the sampler has skipped, and which did not return 0. */
void syt_slow_leave_failed(const struct syt_skip *k, const void *fp, uint32_t call, uint32_t object,
                           bool is_release, int64_t rv);

#endif
