/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A trace of which only those rows are in memory that a rule may look at.
 *
 * Most events of most programs take or free a lock, and to match those nothing is needed but their
 * order in time: they are plain.  The others are kept, and the rows around them: the next ones,
 * which bound when they took effect; before a signal of a condition variable those in which its
 * thread took the mutex; the first and last ones of each block.  Who needs all plain events unpacks
 * the blocks again, one after the other (syt_sparse_unpack()), which costs less time than the
 * kernel needs to give memory for rows.  Who looks at one all the same gets it (syt_kept_row()):
 * what is kept decides about time and memory, never about a result.
 *
 * Only of a trace in which nothing is damaged, no thread has more than one lane, and all rows are
 * in order of their stamps (no signal handler recorded anything inside of another call).
 */
#ifndef SYT_DECODER_SPARSE_H
#define SYT_DECODER_SPARSE_H

#include "decoder/read/image.h"
#include "decoder/read/kept.h"

struct syt_sparse_block {
	const struct syt_segment *segment;
	const struct syt_loading *loading;
	uint32_t image, thread; /* index in trace->images, T */
	uint32_t nr_rows, nr_plain;
	uint64_t first_row;  /* of its thread */
	syt_time begin, end; /* stamps of its first and last row */
};

struct syt_sparse {
	struct syt_loading **loadings; /* owned */
	size_t nr_loadings;
	struct syt_clock_map *clocks; /* owned */
	size_t nr_clocks;
	uint64_t nr_blocks;
	struct syt_sparse_block *blocks; /* by image, thread, row */
	uint64_t *by_time;               /* indices of blocks, by begin */
	uint32_t nr_rows_max;            /* of one block */
	uint32_t window_rows;            /* for who goes through time: about so many at once */
};

/* An event on a lock, and nothing but that. */
static inline bool syt_row_is_plain(const struct syt_image *i, const struct syt_row *r)
{
	uint8_t shape = i->calls[r->call].shape;

	if (r->extra != SYT_NONE || r->object == SYT_NONE ||
	    (shape != SYT_SHAPE_LOCK && shape != SYT_SHAPE_UNLOCK))
		return false;
	enum syt_kind kind = i->objects[r->object].kind;

	return kind == SYT_KIND_MUTEX || kind == SYT_KIND_SPIN || kind == SYT_KIND_STDIO;
}

/*
 * Unpacks all blocks once, keeps what is to be kept, and fills what syt_rows_decode() fills and
 * what stat needs to know of all events.  NULL, and nothing is changed, when the trace cannot be
 * sparse or hardly would be.  Otherwise syt_sparse_settle() gives it what it needs to unpack blocks
 * again.
 */
struct syt_sparse *syt_sparse_survey(struct syt_loading **loadings, size_t nr, unsigned nr_workers);

/* S owns LOADINGS and CLOCKS from now on. */
void syt_sparse_settle(struct syt_sparse *s, struct syt_loading **loadings, size_t nr,
                       struct syt_clock_map *clocks, size_t nr_clocks);
void syt_sparse_destroy(struct syt_sparse *s); /* may be NULL */

/* The rows of block B once more, to ROWS; those with optional fields say 0 for `extra`.  SCRATCH:
 * SYT_RAW_MAX bytes.  Returns how many: all, unless somebody writes into the dump. */
uint32_t syt_sparse_unpack(const struct syt_sparse_block *b, uint8_t *scratch,
                           struct syt_row *rows);

#endif
