/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The rows of one thread that are in memory, of a sparse trace (decoder/read/sparse.h). */
#ifndef SYT_DECODER_READ_KEPT_H
#define SYT_DECODER_READ_KEPT_H

#include <stdbool.h>
#include <stdint.h>

struct syt_row;
struct syt_sparse;

/* The kept rows of a thread. thread->rows contains them without gaps. */
struct syt_kept {
	struct syt_sparse *sparse;
	uint64_t *words;  /* a bit for each row */
	uint64_t *before; /* [word]: number of kept rows before it */
	uint64_t first_block, nr_blocks;
	/* [block]: all its rows, once a row outside of the kept rows was requested; atomic */
	struct syt_row **late;
};

/* Returns true if ROW is kept, that is, if it has a place in thread->rows. */
static inline bool syt_kept_has(const struct syt_kept *k, uint64_t row)
{
	return k->words[row / 64] >> row % 64 & 1;
}

void syt_kept_destroy(struct syt_kept *k); /* may be NULL */

#endif
