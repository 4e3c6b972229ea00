/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Gives System V semaphores and message queues the same identity in all processes. */
#ifndef SYT_RUNTIME_SYSV_H
#define SYT_RUNTIME_SYSV_H

#include <stdint.h>
#include <sys/types.h>

/* Returns the identity of semaphore INDEX in the set ID, for syt_object_global. Any thread may call it. */
uint64_t syt_sysv_identity(int id, unsigned index);

/* Writes a readable name of OBJECT to the dump: the KEY of its queue or semaphore set, and INDEX in the set
 * (-1: a queue). */
void syt_sysv_name(uint32_t object, key_t key, int index);

#endif
