/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Private anonymous memory for the recorder's tables. */
#ifndef SYT_RUNTIME_MAP_H
#define SYT_RUNTIME_MAP_H

#include <stddef.h>

/* Zeroed, sparse (pages come at first touch), page-aligned; NULL when there is none. fork copies it. */
void *syt_map_private(size_t bytes);
void syt_map_release(void *address, size_t bytes);
/* What *WHERE points to; made by syt_map_private, and seen by all threads, if it is NULL. */
void *syt_map_chunk(void **where, size_t bytes);
/* Back to zeros, giving the pages back. */
void syt_map_reset(void *address, size_t bytes);

#endif
