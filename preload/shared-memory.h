/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Memory that several processes share: which bytes of it are where, so that a sync object in it has
 * one name in all of them.  Nothing here touches errno; any thread.
 */
#ifndef SYT_PRELOAD_SHARED_MEMORY_H
#define SYT_PRELOAD_SHARED_MEMORY_H

#include <semaphore.h>

/* S was returned by sem_open(NAME): libc has mapped the file of that name. */
void syt_shared_memory_sem(const sem_t *s, const char *name);

#endif
