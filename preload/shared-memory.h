/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tracks memory that several processes share, so that a sync object in it has the same name in all processes.
 * No function here changes errno; any thread may call them. */
#ifndef SYT_PRELOAD_SHARED_MEMORY_H
#define SYT_PRELOAD_SHARED_MEMORY_H

#include <semaphore.h>

/* Registers S, which sem_open(NAME) has returned. libc has mapped the file of that name. */
void syt_shared_memory_sem(const sem_t *s, const char *name);

#endif
