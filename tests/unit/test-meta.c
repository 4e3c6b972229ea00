/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests the walk over chunks and over the records of META chunks, which resynchronizes after damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

#include "decoder/read/chunk.h"
#include "decoder/read/meta.h"

#define NR_PAGES 8u
#define NR_RECORDS 5u

static uint8_t file[NR_PAGES * SYT_PAGE_BYTES];
static size_t starts[NR_RECORDS]; /* of records in the first chunk */
static struct syt_problems problems;
static struct syt_input input;

static void seal(struct syt_chunk *c)
{
	c->checksum = XXH32(&c->first, 8, XXH32(&c->type, 16, 0));
}

static struct syt_chunk *chunk_at(unsigned page)
{
	return (struct syt_chunk *)(void *)(file + page * SYT_PAGE_BYTES);
}

static void put_chunk(unsigned page, unsigned nr_pages, uint16_t type)
{
	struct syt_chunk *c = chunk_at(page);

	*c = (struct syt_chunk){.magic = SYT_CHUNK_MAGIC,
	                        .type = type,
	                        .version = 1,
	                        .bytes = nr_pages * SYT_PAGE_BYTES};
	seal(c);
}

/* Pages: header, META, META (2 pages), BLOCKS, hole, META, META. */
static int make_file(void **state)
{
	size_t at = sizeof(struct syt_chunk);

	(void)state;
	memset(file, 0, sizeof(file));
	put_chunk(1, 1, SYT_CHUNK_META);
	put_chunk(2, 2, SYT_CHUNK_META);
	put_chunk(4, 1, SYT_CHUNK_BLOCKS);
	put_chunk(6, 1, SYT_CHUNK_META);
	put_chunk(7, 1, SYT_CHUNK_META);
	for (unsigned n = 0; n < NR_RECORDS; n++) {
		struct syt_meta m = {.magic = SYT_META_MAGIC,
		                     .type = (uint16_t)(n + 1),
		                     .bytes = (uint32_t)sizeof(m) + 3 * n};
		uint8_t *p = file + SYT_PAGE_BYTES + at;

		memset(p + sizeof(m), (int)(0xa0 + n), 3 * n);
		m.checksum = XXH32(p + sizeof(m), 3 * n, m.type);
		memcpy(p, &m, sizeof(m));
		starts[n] = SYT_PAGE_BYTES + at;
		at += (m.bytes + 7) & ~7u;
	}
	chunk_at(1)->used = at - sizeof(struct syt_chunk);
	syt_problems_init(&problems);
	syt_input_memory(&input, "memory", file, sizeof(file));
	return 0;
}

static int end_file(void **state)
{
	(void)state;
	syt_problems_fini(&problems);
	syt_input_close(&input);
	return 0;
}

/* Returns bits: bit n means that a chunk was found at page n. */
static unsigned walk_chunks(void)
{
	struct syt_chunk_walk w;
	struct syt_chunk_ref c;
	unsigned found = 0;

	syt_chunk_walk_init(&w, &input, &problems, UINT64_MAX);
	while (syt_chunk_next(&w, &c)) {
		assert_true(c.byte + sizeof(struct syt_chunk) + c.data_bytes <= input.bytes);
		found |= 1u << (c.byte / SYT_PAGE_BYTES);
	}
	return found;
}

/* Returns bits: bit n means that record n of the first chunk was found. */
static unsigned walk_records(void)
{
	struct syt_chunk_walk w;
	struct syt_chunk_ref c;
	struct syt_meta_walk metas;
	struct syt_meta_ref r;
	unsigned found = 0;

	syt_chunk_walk_init(&w, &input, &problems, UINT64_MAX);
	assert_true(syt_chunk_next(&w, &c));
	syt_meta_walk_init(&metas, &c, &problems);
	while (syt_meta_next(&metas, &r)) {
		unsigned n = r.type - 1u;

		assert_true(n < NR_RECORDS);
		assert_int_equal(r.byte, starts[n]);
		assert_int_equal(r.bytes, 3 * n);
		for (uint32_t k = 0; k < r.bytes; k++)
			assert_int_equal(r.data[k], 0xa0 + n);
		found |= 1u << n;
	}
	return found;
}

static void walks_over_holes(void **state)
{
	(void)state;
	assert_int_equal(walk_chunks(), 1u << 1 | 1u << 2 | 1u << 4 | 1u << 6 | 1u << 7);
	assert_int_equal(problems.nr, 0);
}

static void finds_the_next_chunk_after_a_damaged_one(void **state)
{
	(void)state;
	for (size_t byte = 0; byte < offsetof(struct syt_chunk, used); byte++) {
		file[2 * SYT_PAGE_BYTES + byte] ^= 0x21;
		assert_int_equal(walk_chunks(), 1u << 1 | 1u << 4 | 1u << 6 | 1u << 7);
		file[2 * SYT_PAGE_BYTES + byte] ^= 0x21;
	}
	assert_int_equal(problems.nr, offsetof(struct syt_chunk, used));
}

static void believes_no_size(void **state)
{
	(void)state;
	chunk_at(4)->used = UINT64_MAX; /* of BLOCKS */
	assert_int_equal(walk_chunks(), 1u << 1 | 1u << 2 | 1u << 4 | 1u << 6 | 1u << 7);
	assert_int_equal(problems.nr, 1);
	/* larger than the file, with a right checksum: the last one then */
	chunk_at(4)->bytes = UINT64_MAX & ~(uint64_t)(SYT_PAGE_BYTES - 1);
	seal(chunk_at(4));
	assert_int_equal(walk_chunks(), 1u << 1 | 1u << 2 | 1u << 4);
	chunk_at(4)->bytes = 0;
	seal(chunk_at(4));
	assert_int_equal(walk_chunks(), 1u << 1 | 1u << 2 | 1u << 6 | 1u << 7);
}

static void reads_all_records(void **state)
{
	(void)state;
	assert_int_equal(walk_records(), 0x1f);
	assert_int_equal(problems.nr, 0);
}

static void finds_the_next_record_after_a_damaged_one(void **state)
{
	(void)state;
	for (size_t byte = 0; byte < offsetof(struct syt_meta, reserved); byte++) {
		file[starts[3] + byte] ^= 0x11;
		assert_int_equal(walk_records(), 0x17);
		file[starts[3] + byte] ^= 0x11;
	}
	assert_int_equal(problems.nr, offsetof(struct syt_meta, reserved));
	file[starts[3] + sizeof(struct syt_meta)] ^= 1;
	assert_int_equal(walk_records(), 0x17);
}

static void a_record_that_was_reserved_but_not_written_is_no_damage(void **state)
{
	(void)state;
	memset(file + starts[2], 0, starts[3] - starts[2]);
	assert_int_equal(walk_records(), 0x1b);
	assert_int_equal(problems.nr, 0);
}

static void a_record_does_not_leave_its_chunk(void **state)
{
	uint32_t bytes = 2 * SYT_PAGE_BYTES; /* the next chunk's records are in the file, too */
	uint32_t checksum = XXH32(file + starts[4] + sizeof(struct syt_meta),
	                          bytes - sizeof(struct syt_meta), 5);

	memcpy(file + starts[4] + offsetof(struct syt_meta, bytes), &bytes, 4);
	memcpy(file + starts[4] + offsetof(struct syt_meta, checksum), &checksum, 4);
	(void)state;
	assert_int_equal(walk_records(), 0xf);
	assert_int_equal(problems.nr, 1);
}

static void definitions_are_read_whatever_is_said_to_be_used(void **state)
{
	(void)state;
	chunk_at(1)->used = 8;
	assert_int_equal(walk_records(), 0x1f);
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, make_file, end_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(walks_over_holes),
		TEST(finds_the_next_chunk_after_a_damaged_one),
		TEST(believes_no_size),
		TEST(reads_all_records),
		TEST(finds_the_next_record_after_a_damaged_one),
		TEST(a_record_that_was_reserved_but_not_written_is_no_damage),
		TEST(a_record_does_not_leave_its_chunk),
		TEST(definitions_are_read_whatever_is_said_to_be_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
