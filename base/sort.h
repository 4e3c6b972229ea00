/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Sorts large arrays like qsort() and qsort_r(), but stably. The sort takes memory from the store (base/store.h),
 * and none if the elements are already in order, as they mostly are. libc's qsort() would take as much memory as
 * the array from malloc, without a limit. ARRAY may be NULL if NR is 0. */
#ifndef SYT_BASE_SORT_H
#define SYT_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

void syt_sort(void *array, uint64_t nr, size_t bytes, int (*compare)(const void *, const void *));
void syt_sort_with(void *array, uint64_t nr, size_t bytes,
                   int (*compare)(const void *, const void *, void *), void *context);

/* A number to sort by, and a value that goes with it. */
struct syt_sort_item {
	uint64_t key, value;
};

/* Sorts ITEMS stably by key, by the digits of the keys, in up to NR_WORKERS threads. Much faster than a sort that
 * compares. */
void syt_sort_items(struct syt_sort_item *items, uint64_t nr, unsigned nr_workers);

#endif
