/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tells whether another task shares the fd table and could notice a file opened for a moment. */
#ifndef SYT_PRELOAD_FD_TABLE_H
#define SYT_PRELOAD_FD_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if no other task shares this task's fd table. The answer is valid until this task or one
 * of its signal handlers creates a task. Returns false if the kernel does not answer. Any thread. */
bool syt_fd_table_is_unshared(void);

/* Remembers whether a clone with FLAGS makes a process that shares the fd table. Called before the clone. */
void syt_fd_table_cloned(uint64_t flags);

#endif
