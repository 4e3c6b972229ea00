/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Who could notice that a file is opened for a moment: who uses the same descriptors meanwhile. */
#ifndef SYT_PRELOAD_FD_TABLE_H
#define SYT_PRELOAD_FD_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Is no other task there that shares this one's descriptors? Holds until this task makes one, or a
 * signal handler of it. False when the kernel does not tell. */
bool syt_fd_table_is_unshared(void);

/* Before a clone with FLAGS. */
void syt_fd_table_cloned(uint64_t flags);

#endif
