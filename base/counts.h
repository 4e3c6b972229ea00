/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Counts per key of two words. Elements are never removed; one thread at a time. */
#ifndef SYT_BASE_COUNTS_H
#define SYT_BASE_COUNTS_H

#include "base/hash.h"

struct syt_count {
	uint64_t a, b;
	uint64_t nr;
};

/* All zero at first. */
struct syt_counts {
	size_t nr, room;
	struct syt_count *all; /* in the order of their first use */
	struct syt_hash index;
};

/* Returns a pointer to the count of (A, B), which is created as 0. Valid until the next call. */
uint64_t *syt_counts_at(struct syt_counts *c, uint64_t a, uint64_t b);
/* Returns the count of (A, B), without creating it; 0 if there is none. */
uint64_t syt_counts_of(const struct syt_counts *c, uint64_t a, uint64_t b);
void syt_counts_fini(struct syt_counts *c);

#endif
