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
};

/* Returns true if thread->rows contains the row with number ROW. */
static inline bool syt_kept_has(const struct syt_kept *k, uint64_t row)
{
	return k->words[row / 64] >> row % 64 & 1;
}

void syt_kept_destroy(struct syt_kept *k); /* may be NULL */

#endif
