/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Leaving a wrapper that has entered by the short way (runtime/plain.h) and has more to say: the call
 * returned something else than 0, or it has waited.
 */
#ifndef SYT_PRELOAD_SLOW_LEAVE_H
#define SYT_PRELOAD_SLOW_LEAVE_H

#include <stdint.h>

#include "runtime/plain.h"

/* errno is as the call has left it. */
void syt_slow_leave_in(const void *fp, uint32_t alive, uint64_t in, uint32_t call, uint32_t object,
                       int64_t rv);

/* IN: when it began to wait, 0: it did not. */
void syt_slow_leave_out(const void *fp, struct syt_entered entered, uint64_t in, uint32_t call,
                        uint32_t object, int64_t rv);

#endif
