/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Counts uses of keys. A key is a pair of 64-bit numbers. Keys are never removed; one thread at a
 * time may use a table. */
#ifndef SYT_BASE_COUNTS_H
#define SYT_BASE_COUNTS_H

#include "base/hash.h"

struct syt_count {
	uint64_t a, b;
	uint64_t nr;
};

/* A table of counts. An empty table has only zero members. */
struct syt_counts {
	size_t nr, room;
	struct syt_count *all; /* the counts, in the order in which their keys were first used */
	struct syt_hash index;
};

/* Returns a pointer to the count of the key (A, B). Creates the count as 0 if necessary. The
 * pointer is valid until the next call. */
uint64_t *syt_counts_at(struct syt_counts *c, uint64_t a, uint64_t b);
/* Returns the count of the key (A, B), or 0 if the table does not contain the key. */
uint64_t syt_counts_of(const struct syt_counts *c, uint64_t a, uint64_t b);
void syt_counts_fini(struct syt_counts *c);

#endif
