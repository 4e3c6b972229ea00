/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Names of System V's semaphores and message queues, the same in all processes. */
#ifndef SYT_RUNTIME_SYSV_H
#define SYT_RUNTIME_SYSV_H

#include <stdint.h>
#include <sys/types.h>

/* Of semaphore INDEX in the set ID, in this process' namespace: for syt_object_global. */
uint64_t syt_sysv_identity(int id, unsigned index);

/* Names OBJECT for people: by its queue's or set's KEY, and by INDEX in a set (-1: a queue). */
void syt_sysv_name(uint32_t object, key_t key, int index);

#endif
