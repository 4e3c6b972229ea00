/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Sorting of what may be large: as qsort() and qsort_r(), but stable, with memory of the store, and
 * none when the elements are in order already, as they mostly are.  (libc's takes as much again from
 * malloc, beyond any limit.)  ARRAY may be NULL when NR is 0.
 */
#ifndef SYT_BASE_SORT_H
#define SYT_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

void syt_sort(void *array, uint64_t nr, size_t bytes, int (*compare)(const void *, const void *));
void syt_sort_with(void *array, uint64_t nr, size_t bytes,
                   int (*compare)(const void *, const void *, void *), void *context);

#endif
