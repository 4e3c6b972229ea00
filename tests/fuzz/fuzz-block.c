/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Fuzzes the block reader. The input follows the header of a BLOCKS chunk, or of a SLOT chunk when
 * its first byte is odd. The fuzzer corrects checksums, but not headers and payloads.
 */
#include <assert.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "decoder/read/block.h"
#include "format/event.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/recipe.h"
#include "tests/lib/pack-columns.h"
#include "tests/lib/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

static uint8_t buffer[SYT_RAW_MAX];

static void read_events(const struct syt_segment *s)
{
	const uint8_t *raw = syt_segment_raw(s, buffer);
	static struct syt_predictor predictor;
	struct syt_ready ready[SYT_NR_READY];
	struct syt_event e = {.ready = ready};

	if (!raw)
		return;
	/* of a lane that is cut off there are fewer bytes than its number of events was checked with */
	assert(s->raw_bytes <= SYT_RAW_MAX && s->nr_events <= SYT_RAW_MAX / 2);
	struct syt_cursor c = {raw, raw + s->raw_bytes, 0};

	syt_predictor_begin(&predictor, s->version, s->first_ticks, &c);
	for (uint32_t n = 0; n < s->nr_events && c.p < c.end; n++)
		if (syt_event_decode(&predictor, &c, &e) < 0)
			break;
}

static void read_blocks(const struct syt_chunk_ref *chunk, struct syt_problems *problems)
{
	struct syt_block_walk walk;
	struct syt_segment s;
	uint32_t number = 0;

	syt_block_walk_init(&walk, chunk, problems, &number);
	while (syt_block_next(&walk, &s)) {
		assert(!s.payload ||
		       (s.payload >= chunk->data &&
		        s.payload + s.packed_bytes <= chunk->data + chunk->data_bytes));
		read_events(&s);
	}
}

static void read_lanes(const struct syt_chunk_ref *chunk, struct syt_problems *problems)
{
	struct syt_segment s;
	struct syt_slot slot;

	if (chunk->data_bytes + sizeof(struct syt_chunk) < sizeof(slot))
		return;
	memcpy(&slot, chunk->data - sizeof(struct syt_chunk), sizeof(slot));
	for (unsigned lane = 0; lane < SYT_NR_LANES; lane++)
		if (syt_lane_segment(chunk, &slot, lane, problems, &s))
			read_events(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct syt_chunk_ref chunk = {.header = {.magic = SYT_CHUNK_MAGIC, .version = 1}};
	struct syt_problems problems;

	if (!size)
		return 0;
	bool is_slot = data[0] & 1;
	/* exactly as much as there is, so that a byte too far is seen */
	uint8_t *bytes = malloc(sizeof(chunk.header) + size - 1);

	memcpy(bytes + sizeof(chunk.header), data + 1, size - 1);
	chunk.header.type = is_slot ? SYT_CHUNK_SLOT : SYT_CHUNK_BLOCKS;
	chunk.header.bytes =
		(size + sizeof(chunk.header) + SYT_PAGE_BYTES) & ~(SYT_PAGE_BYTES - 1ul);
	chunk.header.used = chunk.data_bytes = size - 1;
	memcpy(bytes, &chunk.header, sizeof(chunk.header));
	chunk.data = bytes + sizeof(chunk.header);
	syt_problems_init(&problems);
	if (is_slot) {
		read_lanes(&chunk, &problems);
	} else {
		syt_recipe_sum(bytes + sizeof(chunk.header), size - 1, false);
		read_blocks(&chunk, &problems);
	}
	syt_problems_fini(&problems);
	free(bytes);
	return 0;
}

/* Mutates the uncompressed payload of one block. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	static uint8_t raw[1 << 16], packed[SYT_PACK_COLUMNS_MOST(1 << 16)];
	struct syt_random r = {seed};
	struct syt_block b;
	size_t at = 1 + 8 * syt_random_below(&r, size / 8 + 1);

	/* the next header behind some place, or the first one */
	while (at + sizeof(b) <= size &&
	       (memcpy(&b, data + at, sizeof(b)), b.magic != SYT_BLOCK_MAGIC))
		at += 8;
	if (at + sizeof(b) > size)
		at = 1;
	if (at + sizeof(b) > size || (data[0] & 1) || !syt_random_below(&r, 3))
		return LLVMFuzzerMutate(data, size, room);
	memcpy(&b, data + at, sizeof(b));
	if (b.magic != SYT_BLOCK_MAGIC || b.packed_bytes > size - at - sizeof(b) ||
	    b.raw_bytes > sizeof(raw) || b.codec > SYT_CODEC_COLUMNS ||
	    (b.codec == SYT_CODEC_RAW && b.packed_bytes != b.raw_bytes))
		return LLVMFuzzerMutate(data, size, room);

	const uint8_t *payload = data + at + sizeof(b);
	size_t end = at + sizeof(b) + ((b.packed_bytes + 7) & ~(size_t)7), had = size;
	const struct syt_segment segment = {
		.payload = payload,
		.packed_bytes = b.packed_bytes,
		.raw_bytes = b.raw_bytes,
		.codec = b.codec,
		.is_sealed = true,
		.checksum = XXH32(payload, b.packed_bytes, 0),
	};

	if (!syt_segment_raw(&segment, buffer))
		return LLVMFuzzerMutate(data, size, room);
	memcpy(raw, buffer, b.raw_bytes);
	bool is_coded = b.version >=
	                SYT_EVENT_VERSION_CODED; /* syt_mutate_events() knows only the others */
	size_t bytes = is_coded || syt_random_below(&r, 2)
	                       ? LLVMFuzzerMutate(raw, b.raw_bytes, sizeof(raw))
	                       : syt_mutate_events(raw, b.raw_bytes, sizeof(raw), b.first_ticks,
	                                           &b.nr_events, seed);

	b.codec =
		(uint8_t)syt_random_below(&r, is_coded ? SYT_CODEC_COLUMNS : SYT_CODEC_COLUMNS + 1);
	if (!is_coded)
		b.version = b.codec == SYT_CODEC_COLUMNS ? SYT_EVENT_VERSION_COLUMNS
		                                         : SYT_EVENT_VERSION;
	b.raw_bytes = b.packed_bytes = (uint32_t)bytes;
	if (b.codec == SYT_CODEC_LZ4)
		b.packed_bytes = (uint32_t)LZ4_compress_default((const char *)raw, (char *)packed,
		                                                (int)bytes, (int)sizeof(packed));
	if (b.codec == SYT_CODEC_COLUMNS)
		b.packed_bytes = syt_pack_columns(raw, (uint32_t)bytes, packed);
	size_t padded = (b.packed_bytes + 7) & ~(size_t)7;

	if (end > size)
		end = size;
	size_t rest = had - end;

	if (at + sizeof(b) + padded + rest > room)
		return LLVMFuzzerMutate(data, size, room);
	memmove(data + at + sizeof(b) + padded, data + end, rest);
	memcpy(data + at, &b, sizeof(b));
	memset(data + at + sizeof(b), 0, padded);
	memcpy(data + at + sizeof(b), b.codec == SYT_CODEC_RAW ? raw : packed, b.packed_bytes);
	return at + sizeof(b) + padded + rest;
}
