/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Reads a sparse trace: only the rows (events) that a matching rule may look at are in memory.
 *
 * Most events of most programs take or release a lock. Matching these "plain" events needs only their order in
 * time. The decoder keeps in memory all other events and some rows around them: the next row, because the effect of
 * the event happens before it; before a signal of a condition variable, the rows in which the signalling thread
 * took the mutex; the first and last rows of each block of events. A caller that needs all plain events unpacks the
 * blocks again one by one with syt_sparse_unpack(). To unpack a block again takes less time than the kernel needs
 * to provide memory for its rows. Any single row is available through syt_kept_row(). The choice of the rows in
 * memory thus affects time and memory, but never a result.
 *
 * A trace can be sparse if no dump is damaged, no signal handler interrupted the recorder, and all rows are in the
 * order of their stamps (no signal handler recorded an event within another call).
 */
#ifndef SYT_DECODER_SPARSE_H
#define SYT_DECODER_SPARSE_H

#include "decoder/read/image.h"
#include "decoder/read/kept.h"

struct syt_sparse_block {
	const struct syt_segment *segment;
	const struct syt_loading *loading;
	uint32_t image, thread; /* index in trace->images; number (T) of the thread */
	uint32_t nr_rows, nr_plain;
	uint64_t first_row;  /* index of the first row of the block in its thread */
	syt_time begin, end; /* stamps of the first and last row of the block */
};

struct syt_sparse {
	struct syt_loading **loadings; /* the dumps and their clocks, owned by the sparse trace */
	size_t nr_loadings;
	struct syt_clock_map *clocks; /* the dumps and their clocks, owned by the sparse trace */
	size_t nr_clocks;
	uint64_t nr_blocks;
	struct syt_sparse_block *blocks; /* blocks sorted by image, thread and row */
	/* indices of blocks, sorted by the time of their first row */
	uint64_t *by_time;
	uint32_t nr_rows_max; /* maximum number of rows in one block */
	uint32_t window_rows; /* suggested number of rows at a time for a pass through time */
};

/* Returns true if a lock or unlock of an object of KIND is plain. */
static inline bool syt_kind_is_plain(enum syt_kind kind)
{
	return kind == SYT_KIND_MUTEX || kind == SYT_KIND_SPIN || kind == SYT_KIND_STDIO;
}

/* Returns true if the event is plain: it only takes or releases a lock. */
static inline bool syt_row_is_plain(const struct syt_image *i, const struct syt_row *r)
{
	uint8_t shape = i->calls[r->call].shape;

	if (r->extra != SYT_NONE || r->object == SYT_NONE ||
	    (shape != SYT_SHAPE_LOCK && shape != SYT_SHAPE_UNLOCK))
		return false;
	return syt_kind_is_plain(i->objects[r->object].kind);
}

/* Unpacks all blocks once and keeps the necessary rows in memory. Sets the same members as
 * syt_rows_decode() and the counters that the report `stat` needs. Returns NULL, with all arguments
 * unchanged, if the trace cannot be sparse or most of its rows would be kept. After success, the
 * caller calls syt_sparse_settle(), so that blocks can be unpacked again. */
struct syt_sparse *syt_sparse_survey(struct syt_loading **loadings, size_t nr, unsigned nr_workers);

/* Gives the ownership of LOADINGS and CLOCKS to S. */
void syt_sparse_settle(struct syt_sparse *s, struct syt_loading **loadings, size_t nr,
                       struct syt_clock_map *clocks, size_t nr_clocks);
void syt_sparse_destroy(struct syt_sparse *s); /* may be NULL */

/* Unpacks the rows of block B again, to ROWS. A row that has optional fields gets 0 in `extra`. SCRATCH has
 * SYT_RAW_MAX bytes. Returns the number of rows; it is too small if a process overwrites the block. */
uint32_t syt_sparse_unpack(const struct syt_sparse_block *b, uint8_t *scratch,
                           struct syt_row *rows);

#endif
