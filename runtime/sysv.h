/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Names of System V's semaphores, the same in all processes. */
#ifndef SYT_RUNTIME_SYSV_H
#define SYT_RUNTIME_SYSV_H

#include <stdint.h>

/* Of semaphore INDEX in the set ID, in this process' namespace: for syt_object_global. */
uint64_t syt_sysv_identity(int id, unsigned index);

#endif
