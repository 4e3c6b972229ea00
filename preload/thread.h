/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Threads as events name them. */
#ifndef SYT_PRELOAD_THREAD_H
#define SYT_PRELOAD_THREAD_H

#include <stdint.h>

#include "preload/libc.h"

/* The field `thread` of an event about the thread with this handle, 0 when it is not known. Before
 * the real call of a join or detach: afterwards the handle may be another's. */
uint64_t syt_thread_field(pthread_t handle);

#endif
