/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The rows (events) of one thread of a sparse trace (decoder/read/sparse.h). Some of them are in
 * memory; others are decoded when requested. */
#ifndef SYT_DECODER_READ_KEPT_H
#define SYT_DECODER_READ_KEPT_H

#include <stdbool.h>
#include <stdint.h>

struct syt_row;
struct syt_sparse;

/* The rows of a thread that the decoder keeps in memory. thread->rows contains them without gaps. */
struct syt_kept {
	struct syt_sparse *sparse;
	uint64_t *words;  /* a bit for each row of the thread: 1 if thread->rows contains the row */
	uint64_t *before; /* [word]: number of kept rows before the first row of this word */
	uint64_t first_block, nr_blocks;
	/* [block]: all rows of the block, once a row that is not kept was requested; atomic */
	struct syt_row **late;
	uint64_t last_block; /* block of the last row that was requested and is not kept; atomic */
};

/* Returns true if thread->rows contains the row with number ROW. */
static inline bool syt_kept_has(const struct syt_kept *k, uint64_t row)
{
	return k->words[row / 64] >> row % 64 & 1;
}

/* Unpacks the rows FROM to TO - 1 of K that are not kept, with NR_WORKERS threads. */
void syt_kept_load(struct syt_kept *k, uint64_t from, uint64_t to, unsigned nr_workers);

/* Frees the rows of K that are not kept, were requested, and lie in the blocks of the rows FROM to TO - 1. Pointers to these rows
 * become invalid, so no other thread may use rows of K meanwhile. A walk through all rows of a thread calls this function, so
 * that only few rows are in memory. */
void syt_kept_forget(struct syt_kept *k, uint64_t from, uint64_t to);

void syt_kept_destroy(struct syt_kept *k); /* may be NULL */

#endif
