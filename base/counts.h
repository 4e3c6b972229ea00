/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* How often something was met that two words name. Never forgets; one thread at a time. */
#ifndef SYT_BASE_COUNTS_H
#define SYT_BASE_COUNTS_H

#include "base/hash.h"

struct syt_count {
	uint64_t a, b;
	uint64_t nr;
};

/* Starts as zeros. */
struct syt_counts {
	size_t nr, room;
	struct syt_count *all; /* in the order in which they were met first */
	struct syt_hash index;
};

/* The count of (A, B), 0 when it is new. It stays where it is until the next call. */
uint64_t *syt_counts_at(struct syt_counts *c, uint64_t a, uint64_t b);
/* The same without making a new one: 0. */
uint64_t syt_counts_of(const struct syt_counts *c, uint64_t a, uint64_t b);
void syt_counts_fini(struct syt_counts *c);

#endif
