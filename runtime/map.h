/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Private anonymous memory for the recorder's tables. */
#ifndef SYT_RUNTIME_MAP_H
#define SYT_RUNTIME_MAP_H

#include <stddef.h>

/* Returns zeroed memory whose pages the kernel allocates at the first access, or NULL. A fork copies the
 * memory. */
void *syt_map_private(size_t bytes);
void syt_map_release(void *address, size_t bytes);
/* Returns the pointer *WHERE. If *WHERE is NULL, first sets it for all threads to BYTES of memory from
 * syt_map_private. Returns NULL if there is no memory. */
void *syt_map_chunk(void **where, size_t bytes);
/* Sets the memory at ADDRESS to zeros and returns its pages to the kernel. */
void syt_map_reset(void *address, size_t bytes);

#endif
