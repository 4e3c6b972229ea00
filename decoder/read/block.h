/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Blocks of events: the sealed blocks of BLOCKS chunks, and the blocks that a thread was still
 * writing (the lanes of SLOT chunks). Both become segments, with a validated header and a right
 * checksum. A segment's events are not decoded yet.
 */
#ifndef SYT_DECODER_BLOCK_H
#define SYT_DECODER_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/read/chunk.h"

/* Maximum of raw bytes in one block. The recorder's largest block has SYT_LANE0_BYTES. */
#define SYT_RAW_MAX (UINT32_C(1) << 20)

struct syt_segment {
	/* points into the mapped dump; NULL: damaged, its events count as missing */
	const uint8_t *payload;
	uint32_t packed_bytes, raw_bytes;
	uint32_t thread, nr_events;
	uint32_t skip;   /* events at its start that an earlier segment also holds */
	uint32_t number; /* the block's number in the dump, for messages */
	uint32_t slot;
	uint8_t codec, lane;
	bool is_sealed;
	uint32_t checksum; /* of the payload, in a sealed block */
	uint64_t first_seq, first_ticks;
	uint64_t byte; /* position in the dump of the block's header or of the lane's buffer */
	struct syt_clock_pair cal; /* ticks 0: no clock pair */
};

struct syt_block_walk {
	const struct syt_chunk_ref *chunk;
	struct syt_problems *problems;
	uint64_t at;
	/* number of the next block; the caller's counter for all chunks of a dump */
	uint32_t *number;
};

void syt_block_walk_init(struct syt_block_walk *w, const struct syt_chunk_ref *chunk,
                         struct syt_problems *problems, uint32_t *number);

/* Finds the next sealed block of a BLOCKS chunk with an intact header. Returns false at the end. */
bool syt_block_next(struct syt_block_walk *w, struct syt_segment *s);

/* Makes a segment from LANE of the SLOT chunk. SLOT is a copy of the chunk's start. The segment has
 * no events if the lane has just been started again; its number then tells where the sealed blocks
 * end. Returns false if the lane was never used. */
bool syt_lane_segment(const struct syt_chunk_ref *chunk, const struct syt_slot *slot, unsigned lane,
                      struct syt_problems *problems, struct syt_segment *s);

/* Returns the raw bytes of S: the payload itself, or the payload unpacked into BUFFER (SYT_RAW_MAX
 * bytes). Returns NULL if unpacking contradicts the block's header. */
const uint8_t *syt_segment_raw(const struct syt_segment *s, uint8_t *buffer);

#endif
