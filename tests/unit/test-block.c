/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Blocks (compressed events) in a BLOCKS chunk are found, checked, and skipped if they are invalid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lz4.h>
#include <xxhash.h>

#include "decoder/read/block.h"
#include "tests/lib/pack-columns.h"

#define NR_BLOCKS 4u
#define RAW_BYTES 400u

static struct {
	struct syt_chunk chunk;
	uint8_t data[8192 - sizeof(struct syt_chunk)];
} file;
static size_t starts[NR_BLOCKS];
static uint8_t raws[NR_BLOCKS][RAW_BYTES];
static struct syt_problems problems;

static void seal_header(struct syt_block *b)
{
	b->checksum = XXH32(b, offsetof(struct syt_block, checksum), 0);
}

static struct syt_block *block_at(unsigned n)
{
	return (struct syt_block *)(void *)(file.data + starts[n]);
}

static int make_chunk(void **state)
{
	size_t at = 0;

	(void)state;
	memset(&file, 0, sizeof(file));
	for (unsigned n = 0; n < NR_BLOCKS; n++) {
		struct syt_block *b = (void *)(file.data + at);

		memset(raws[n], (int)n, RAW_BYTES);
		*b = (struct syt_block){
			.magic = SYT_BLOCK_MAGIC,
			.version = 1,
			.codec = SYT_CODEC_LZ4,
			.thread = 7,
			.raw_bytes = RAW_BYTES,
			.nr_events = 100,
			.first_seq = 100 * n,
		};
		b->packed_bytes = (uint32_t)LZ4_compress_default((char *)raws[n], (char *)(b + 1),
		                                                 RAW_BYTES, 1000);
		b->payload_checksum = XXH32(b + 1, b->packed_bytes, 0);
		seal_header(b);
		starts[n] = at;
		at += sizeof(*b) + ((b->packed_bytes + 7) & ~7u);
	}
	file.chunk.bytes = sizeof(file);
	file.chunk.owner = 3;
	file.chunk.used = at;
	syt_problems_init(&problems);
	return 0;
}

static int end_chunk(void **state)
{
	(void)state;
	syt_problems_fini(&problems);
	return 0;
}

/* Returns bits: bit n means that block n was found whole, bit n + 8 that it was found without its
 * payload. */
static unsigned walk(void)
{
	struct syt_chunk_ref c = {.header = file.chunk,
	                          .byte = 4096,
	                          .data = file.data,
	                          .data_bytes = file.chunk.used};
	static uint8_t scratch[SYT_RAW_MAX];
	struct syt_block_walk w;
	struct syt_segment s;
	uint32_t number = 0;
	unsigned found = 0;

	syt_block_walk_init(&w, &c, &problems, &number);
	while (syt_block_next(&w, &s)) {
		unsigned n = (unsigned)(s.first_seq / 100);

		assert_true(n < NR_BLOCKS);
		assert_int_equal(s.slot, 3);
		assert_int_equal(s.thread, 7);
		assert_int_equal(s.byte, 4096 + sizeof(struct syt_chunk) + starts[n]);
		const uint8_t *raw = syt_segment_raw(&s, scratch);

		if (raw)
			assert_memory_equal(raw, raws[n], RAW_BYTES);
		found |= raw ? 1u << n : 1u << (n + 8);
	}
	return found;
}

static void finds_all(void **state)
{
	(void)state;
	assert_int_equal(walk(), 0xf);
	assert_int_equal(problems.nr, 0);
}

static void a_damaged_payload_costs_one_block(void **state)
{
	(void)state;
	file.data[starts[1] + sizeof(struct syt_block)] ^= 1;
	assert_int_equal(walk(), 0xd | 2 << 8);
	assert_int_equal(problems.nr, 1);
}

static void a_damaged_header_costs_one_block(void **state)
{
	(void)state;
	for (size_t byte = 0; byte < sizeof(struct syt_block); byte++) {
		file.data[starts[2] + byte] ^= 0x40;
		assert_int_equal(walk(), 0xb);
		file.data[starts[2] + byte] ^= 0x40;
	}
	assert_int_equal(problems.nr, sizeof(struct syt_block));
}

/* Headers with a correct checksum that no recorder writes. */
static void impossible_sizes_are_refused(void **state)
{
	struct syt_block whole = *block_at(1);
	struct syt_block bad[] = {whole, whole, whole, whole, whole, whole};

	(void)state;
	bad[0].raw_bytes = UINT32_MAX;
	bad[1].packed_bytes = UINT32_MAX;
	bad[2].nr_events = RAW_BYTES;
	bad[3].codec = 9;
	bad[4].lane = SYT_NR_LANES;
	bad[5].first_seq = UINT64_MAX - 5;
	for (unsigned n = 0; n < sizeof(bad) / sizeof(bad[0]); n++) {
		seal_header(&bad[n]);
		*block_at(1) = bad[n];
		assert_int_equal(walk(), 0xd);
	}
	assert_true(problems.nr >= sizeof(bad) / sizeof(bad[0]));
}

static void a_wrong_raw_size_does_not_unpack(void **state)
{
	(void)state;
	block_at(0)->raw_bytes += 8;
	seal_header(block_at(0));
	assert_int_equal(walk(), 0xe | 1 << 8);
	block_at(0)->raw_bytes -= 16;
	seal_header(block_at(0));
	assert_int_equal(walk(), 0xe | 1 << 8);
}

static void a_chunk_that_ends_early_keeps_what_is_there(void **state)
{
	(void)state;
	file.chunk.used = starts[3] + sizeof(struct syt_block) + 2;
	assert_int_equal(walk(), 0x7 | 8 << 8);
	file.chunk.used = starts[3] + 20;
	assert_int_equal(walk(), 0x7);
}

static void lanes_must_lie_in_their_chunk(void **state)
{
	struct syt_chunk_ref c = {
		.header = {.bytes = 16384}, .byte = 4096, .data = file.data, .data_bytes = 4096};
	struct syt_slot slot = {.slot = 3};
	struct syt_segment s;

	(void)state;
	slot.lanes[0] = (struct syt_lane){
		.block = {.version = 1, .thread = 7, .first_seq = 50},
		.committed = UINT64_C(10) << 32 | 100,
		.offset = 2000,
		.bytes = 1000,
	};
	assert_true(syt_lane_segment(&c, &slot, 0, &problems, &s));
	assert_int_equal(s.nr_events, 10);
	assert_int_equal(s.raw_bytes, 100);
	assert_int_equal(s.first_seq, 50);
	assert_int_equal(problems.nr, 0);

	struct syt_lane whole = slot.lanes[0];

	slot.lanes[0].offset = 0;
	assert_false(syt_lane_segment(&c, &slot, 0, &problems, &s));
	slot.lanes[0] = whole;
	slot.lanes[0].offset = UINT32_MAX;
	assert_false(syt_lane_segment(&c, &slot, 0, &problems, &s));
	slot.lanes[0] = whole;
	slot.lanes[0].committed = UINT64_C(51) << 32 | 100; /* an event takes two bytes */
	assert_false(syt_lane_segment(&c, &slot, 0, &problems, &s));
	assert_int_equal(problems.nr, 3);
	slot.lanes[0] = whole;
	slot.lanes[0].offset =
		4096 + sizeof(struct syt_chunk) - 30; /* the file ends behind 30 bytes */
	assert_true(syt_lane_segment(&c, &slot, 0, &problems, &s));
	assert_int_equal(s.raw_bytes, 30);
	assert_int_equal(problems.nr, 4);
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, make_chunk, end_chunk)

static void damaged_columns_do_not_unpack(void **state)
{
	static uint8_t raw[600], packed[SYT_PACK_COLUMNS_MOST(sizeof(raw))], scratch[SYT_RAW_MAX];
	struct syt_segment s = {.payload = packed,
	                        .raw_bytes = sizeof(raw),
	                        .codec = SYT_CODEC_COLUMNS,
	                        .is_sealed = true};
	uint32_t bytes, time_bytes;

	(void)state;
	for (unsigned n = 0; n < sizeof(raw) / 6; n++) /* flags, dt, dur and extra */
		memcpy(raw + 6 * n, (const uint8_t[]){0x68, 1, (uint8_t)(n + 1), 0x80, 9, 0}, 6);
	bytes = syt_pack_columns(raw, sizeof(raw), packed);
	for (s.packed_bytes = 0; s.packed_bytes < bytes; s.packed_bytes++) {
		s.checksum = XXH32(packed, s.packed_bytes, 0);
		assert_null(syt_segment_raw(&s, scratch));
	}
	s.checksum = XXH32(packed, bytes, 0);
	assert_non_null(syt_segment_raw(&s, scratch));
	assert_memory_equal(scratch, raw, sizeof(raw));
	memcpy(&time_bytes, packed + offsetof(struct syt_columns, time_bytes), sizeof(time_bytes));
	for (unsigned bit = 0; bit < 32; bit++) {
		uint32_t wrong = time_bytes ^ 1u << bit;

		memcpy(packed + offsetof(struct syt_columns, time_bytes), &wrong, sizeof(wrong));
		s.checksum = XXH32(packed, bytes, 0);
		assert_null(syt_segment_raw(&s, scratch));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(finds_all),
		TEST(a_damaged_payload_costs_one_block),
		TEST(a_damaged_header_costs_one_block),
		TEST(impossible_sizes_are_refused),
		TEST(a_wrong_raw_size_does_not_unpack),
		TEST(a_chunk_that_ends_early_keeps_what_is_there),
		TEST(lanes_must_lie_in_their_chunk),
		TEST(damaged_columns_do_not_unpack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
