/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Converts a pthread_t to the thread number that events use. */
#ifndef SYT_PRELOAD_THREAD_H
#define SYT_PRELOAD_THREAD_H

#include <stdint.h>

#include "preload/libc.h"

/* Returns the field `thread` of an event about the thread with this handle, or 0 if it is unknown. Call it
 * before the real join or detach, because afterwards another thread may have the handle. Any thread may call
 * it. */
uint64_t syt_thread_field(pthread_t handle);

#endif
