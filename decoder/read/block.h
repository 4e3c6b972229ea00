/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Blocks of events: the sealed ones of BLOCKS chunks and the ones that were being written (the
 * lanes of SLOT chunks).  Both become segments: header validated, checksums right, nothing decoded
 * yet.
 */
#ifndef SYT_DECODER_BLOCK_H
#define SYT_DECODER_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/read/chunk.h"

/* Raw bytes of one block at most; the recorder's largest is SYT_LANE0_BYTES. */
#define SYT_RAW_MAX (UINT32_C(1) << 20)

struct syt_segment {
	/* in the mapped dump; NULL: damaged, its events are counted as missing */
	const uint8_t *payload;
	uint32_t packed_bytes, raw_bytes;
	uint32_t thread, nr_events;
	uint32_t skip;   /* events at its start that another segment also holds */
	uint32_t number; /* of the block in the dump, for messages */
	uint32_t slot;
	uint8_t codec, lane;
	bool is_sealed;
	uint32_t checksum; /* of the payload, when sealed */
	uint64_t first_seq, first_ticks;
	uint64_t byte;             /* of the block's header, or of the lane's buffer, in the dump */
	struct syt_clock_pair cal; /* ticks 0: none */
};

struct syt_block_walk {
	const struct syt_chunk_ref *chunk;
	struct syt_problems *problems;
	uint64_t at;
	uint32_t *number; /* of the next block; the caller's, runs through all chunks */
};

void syt_block_walk_init(struct syt_block_walk *w, const struct syt_chunk_ref *chunk,
                         struct syt_problems *problems, uint32_t *number);

/* The next sealed block of a BLOCKS chunk whose header is intact; false at the end. */
bool syt_block_next(struct syt_block_walk *w, struct syt_segment *s);

/* What LANE of the SLOT chunk holds; a segment without events when the lane has just been started
 * again (its number tells where the sealed ones end). False when it was never used. SLOT: a copy of
 * the chunk's start. */
bool syt_lane_segment(const struct syt_chunk_ref *chunk, const struct syt_slot *slot, unsigned lane,
                      struct syt_problems *problems, struct syt_segment *s);

/* Raw bytes of S: the payload itself, or unpacked into BUFFER of SYT_RAW_MAX. NULL when it does not
 * unpack to what its header says. */
const uint8_t *syt_segment_raw(const struct syt_segment *s, uint8_t *buffer);

#endif
