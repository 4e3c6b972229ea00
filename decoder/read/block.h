/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads blocks of events: the complete (sealed) blocks in BLOCKS chunks, and the blocks that a thread was still
 * filling (in the lanes of SLOT chunks). Both become segments, whose header is validated and whose checksum is
 * right. The events of a segment are not decoded yet. */
#ifndef SYT_DECODER_BLOCK_H
#define SYT_DECODER_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/read/chunk.h"

/* Maximum size in bytes of one block of events before compression. The recorder's largest block has
 * SYT_LANE0_BYTES. */
#define SYT_RAW_MAX (UINT32_C(1) << 20)

struct syt_segment {
	/* compressed events, in the mapped dump; NULL: the block is damaged, and its events count as missing */
	const uint8_t *payload;
	uint32_t packed_bytes, raw_bytes;
	uint32_t thread, nr_events;
	uint32_t skip;   /* number of events at its start that an earlier segment also holds */
	uint32_t number; /* number of the block in the dump, for messages */
	uint32_t slot;
	uint16_t version; /* of the encoding of the events */
	uint8_t codec, lane;
	bool is_sealed;
	uint32_t checksum; /* checksum of the payload, only in a sealed block */
	uint64_t first_seq, first_ticks;
	uint64_t byte; /* position in the dump of the block's header, or of the lane's buffer */
	struct syt_clock_pair cal; /* clock pair of the block; ticks 0: it has no clock pair */
};

struct syt_block_walk {
	const struct syt_chunk_ref *chunk;
	struct syt_problems *problems;
	uint64_t at;
	/* number of the next block; the caller counts the blocks in all chunks of a dump with it */
	uint32_t *number;
	/* The caller sets from_ticks: blocks that end before this tick are left out, 0: none. */
	uint64_t from_ticks, nr_left_out; /* nr_left_out: number of events in these blocks */
};

void syt_block_walk_init(struct syt_block_walk *w, const struct syt_chunk_ref *chunk,
                         struct syt_problems *problems, uint32_t *number);

/* Finds the next sealed block of a BLOCKS chunk with an intact header. Returns false at the end of the chunk. */
bool syt_block_next(struct syt_block_walk *w, struct syt_segment *s);

/* Makes a segment from LANE, a buffer that a thread was filling, of the SLOT chunk CHUNK. SLOT is a copy of the
 * chunk's start. The segment has no events if the thread has just started a new block; first_seq then tells how
 * many events the sealed blocks should contain. Returns false if the lane was never used. */
bool syt_lane_segment(const struct syt_chunk_ref *chunk, const struct syt_slot *slot, unsigned lane,
                      struct syt_problems *problems, struct syt_segment *s);

/* Returns the uncompressed events of S: the payload itself, or the payload unpacked into BUFFER
 * (SYT_RAW_MAX bytes). Returns NULL if the result of unpacking contradicts the block's header. */
const uint8_t *syt_segment_raw(const struct syt_segment *s, uint8_t *buffer);

#endif
