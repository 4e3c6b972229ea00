/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The rows of one thread that are in memory, of a sparse trace (decoder/read/sparse.h). */
#ifndef SYT_DECODER_READ_KEPT_H
#define SYT_DECODER_READ_KEPT_H

#include <stdbool.h>
#include <stdint.h>

struct syt_row;
struct syt_sparse;

/* Which of a thread's rows are kept: thread->rows holds them, one behind the other. */
struct syt_kept {
	struct syt_sparse *sparse;
	uint64_t *words;  /* a bit for each row */
	uint64_t *before; /* [word]: how many are kept before it */
	uint64_t first_block, nr_blocks;
	/* [block]: all its rows, when one that is not kept was wanted; live */
	struct syt_row **late;
};

/* A row that is kept: its place in thread->rows. */
static inline bool syt_kept_has(const struct syt_kept *k, uint64_t row)
{
	return k->words[row / 64] >> row % 64 & 1;
}

void syt_kept_destroy(struct syt_kept *k); /* may be NULL */

#endif
