/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Compares the recording core with a reader of its own, written from doc/format.md. Committed
 * events are found again, in order and complete, from the file alone; events that a ring dropped
 * are counted.
 */
#include <fcntl.h>
#include <lz4.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/arena.h"
#include "runtime/clock.h"
#include "runtime/meta.h"
#include "runtime/ring.h"

static char dir[64], path[96];

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test-ring.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/0000.1.dump", dir);
	syt_clock_init();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	syt_arena_abandon();
	unlink(path);
	rmdir(dir);
	return 0;
}

/* Makes event N of the stream, so that a reader knows the expected event. */
static struct syt_event event(uint64_t n, uint64_t stamp)
{
	uint64_t mixed = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);

	return (struct syt_event){
		.stamp = stamp,
		.dur = n % 2 ? 2000 + n % 1000 : 0,
		.call = (uint32_t)(n % 7 + 1),
		.stack = (uint32_t)(mixed >> 50),
		.object = (uint32_t)(mixed >> 20 & 0xff),
		.offset = n,
		.result = (int64_t)(n % 3) - 1,
		.err = n % 3 ? 0 : 11,
	};
}

static void put(struct syt_slot_state *slot, unsigned lane, uint64_t n)
{
	/* sometimes the stamp is earlier, as if a signal handler had recorded in between */
	struct syt_event e = event(n, syt_clock_release() - (n % 5 ? 0 : 100000));
	uint8_t *p = syt_lane_reserve(slot, lane);

	assert_non_null(p);
	syt_lane_put(syt_slot_lane(slot, lane), p, &e, n % 2);
}

struct reading {
	uint64_t first, next, nr; /* event numbers */
};

/* Decodes one block and checks that its events continue the events in READING. */
static void read_block(struct reading *r, const struct syt_block *b, const uint8_t *raw,
                       uint32_t raw_bytes)
{
	static struct syt_predictor predictor;
	struct syt_cursor c = {raw, raw + raw_bytes, 0};
	struct syt_ready ready[SYT_NR_READY];
	struct syt_event e = {.ready = ready};
	uint64_t greatest = b->first_ticks;

	syt_predictor_begin(&predictor, b->version, b->first_ticks, &c);
	while (c.p < c.end) {
		assert_int_equal(syt_event_decode(&predictor, &c, &e), 0);
		if (!r->nr)
			r->first = r->next = e.offset;

		struct syt_event expected = event(r->next, e.stamp);

		assert_int_equal(e.offset, expected.offset);
		assert_int_equal(e.dur, expected.dur);
		assert_int_equal(e.call, expected.call);
		assert_int_equal(e.stack, expected.stack);
		assert_int_equal(e.object, expected.object);
		assert_int_equal(e.result, expected.result);
		assert_int_equal(e.err, expected.err);
		if (e.stamp > greatest)
			greatest = e.stamp;
		r->next++;
		r->nr++;
	}
	if (b->magic) /* sealed */
		assert_true(b->last_ticks >= greatest);
}

static unsigned nr_tables; /* number of blocks with a table of codes that were unpacked */

static void unpack(const struct syt_block *b, uint8_t *raw, uint32_t room)
{
	const uint8_t *payload = (const uint8_t *)(b + 1);

	assert_int_equal(b->version, SYT_EVENT_VERSION_CODED);
	assert_in_range(b->codec, SYT_CODEC_RAW, SYT_CODEC_LZ4);
	if (b->codec == SYT_CODEC_RAW)
		memcpy(raw, payload, b->raw_bytes);
	else
		assert_int_equal(LZ4_decompress_safe((const char *)payload, (char *)raw,
		                                     (int)b->packed_bytes, (int)room),
		                 b->raw_bytes);
	nr_tables += raw[0] != 0;
}

struct sealed {
	const struct syt_block *block;
};

static int by_seq(const void *a, const void *b)
{
	uint64_t x = ((const struct sealed *)a)->block->first_seq;
	uint64_t y = ((const struct sealed *)b)->block->first_seq;

	return x < y ? -1 : x > y;
}

/* Reads lane LANE of thread THREAD from the file alone. */
static struct reading read_lane(uint32_t thread, unsigned lane)
{
	static uint8_t raw[SYT_LANE0_BYTES];
	struct sealed blocks[4096];
	size_t nr_blocks = 0;
	struct reading r = {0, 0, 0};
	struct stat st;
	int fd = open(path, O_RDONLY);
	const uint8_t *base;
	const struct syt_file *file;
	const struct syt_slot *slot = NULL;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(base, MAP_FAILED);
	close(fd);
	file = (const struct syt_file *)base;
	for (uint64_t at = SYT_PAGE_BYTES; at < file->used;) {
		const struct syt_chunk *c = (const struct syt_chunk *)(base + at);

		assert_int_equal(c->magic, SYT_CHUNK_MAGIC);
		at += c->bytes;
		if (c->type == SYT_CHUNK_SLOT && ((const struct syt_slot *)c)->thread == thread)
			slot = (const struct syt_slot *)c;
		if (c->type != SYT_CHUNK_BLOCKS)
			continue;
		for (uint64_t in = 0; in < c->used;) {
			const struct syt_block *b = (const void *)((const uint8_t *)(c + 1) + in);

			assert_int_equal(b->magic, SYT_BLOCK_MAGIC);
			if (b->thread == thread && b->lane == lane)
				blocks[nr_blocks++].block = b;
			in += (sizeof(*b) + b->packed_bytes + 7) & ~UINT64_C(7);
		}
	}
	qsort(blocks, nr_blocks, sizeof(*blocks), by_seq);
	for (size_t i = 0; i < nr_blocks; i++) {
		const struct syt_block *b = blocks[i].block;

		unpack(b, raw, sizeof(raw));
		if (r.nr)
			assert_int_equal(b->first_seq, r.next);
		read_block(&r, b, raw, b->raw_bytes);
	}
	if (slot) {
		const struct syt_lane *l = &slot->lanes[lane];

		assert_true(!r.nr || !l->committed || l->block.first_seq == r.next);
		read_block(&r, &l->block, (const uint8_t *)slot + l->offset,
		           (uint32_t)l->committed);
	}
	munmap((void *)base, (size_t)st.st_size);
	return r;
}

static struct syt_slot_state *new_slot(enum syt_mode mode, uint64_t ring_bytes, uint64_t capacity)
{
	static struct syt_slot_state slot;
	static struct syt_slot_rest rest;

	memset(&slot, 0, sizeof(slot));
	memset(&rest, 0, sizeof(rest));
	slot.rest = &rest;
	assert_int_equal(syt_arena_open(AT_FDCWD, path, capacity), 0);
	syt_ring_configure(mode, ring_bytes, capacity);
	assert_true(syt_slot_create(&slot, 0));
	syt_slot_assign(&slot, 0, 1);
	return &slot;
}

static void test_stream_keeps_everything(void **state)
{
	struct syt_slot_state *slot = new_slot(SYT_MODE_STREAM, 0, UINT64_C(1) << 30);
	struct reading r;

	(void)state;
	for (uint64_t n = 0; n < 300000; n++)
		put(slot, 0, n);
	r = read_lane(0, 0);
	assert_int_equal(r.first, 0);
	assert_int_equal(r.nr, 300000);
	assert_int_equal(slot->shared->overwritten, 0);
}

/* No event may populate many pages, because a hypervisor may need more time for one page than the
 * recorder needs for an event. */
static void test_no_event_populates_many_pages(void **state)
{
	struct syt_slot_state *slot = new_slot(SYT_MODE_STREAM, 0, UINT64_C(1) << 30);
	const struct syt_lane_state *l = &slot->lane0;
	const struct syt_chunk *chunk = NULL;
	uint64_t before = l->populated, backed = 0;

	(void)state;
	for (uint64_t n = 0; n < 300000; n++) {
		put(slot, 0, n);
		if (l->ring.current != chunk)
			backed = 0;
		chunk = l->ring.current;
		assert_in_range(l->populated - before + l->ring.backed_bytes - backed, 0,
		                3 * SYT_PAGE_BYTES);
		before = l->populated;
		backed = l->ring.backed_bytes;
	}
	assert_true(slot->shared->sealed > 0);
}

static void test_every_event_is_there_at_once(void **state)
{
	struct syt_slot_state *slot = new_slot(SYT_MODE_STREAM, 0, UINT64_C(1) << 30);

	(void)state;
	for (uint64_t n = 0; n < 200; n++) {
		put(slot, 0, n);
		assert_int_equal(read_lane(0, 0).nr, n + 1);
	}
}

static void test_ring_overwrites_the_oldest_and_counts(void **state)
{
	struct syt_slot_state *slot = new_slot(SYT_MODE_RING, 600000, UINT64_C(1) << 30);
	uint64_t total = 700000;
	struct reading r;

	(void)state;
	for (uint64_t n = 0; n < total; n++)
		put(slot, 0, n);
	r = read_lane(0, 0);
	assert_int_equal(r.next, total);
	assert_true(r.first > 0);
	assert_int_equal(slot->shared->overwritten, r.first);
	assert_int_equal(slot->shared->overwritten + r.nr, total);
}

static void test_full_file_reuses_what_it_has(void **state)
{
	struct syt_slot_state *slot =
		new_slot(SYT_MODE_RING, UINT64_C(64) << 20, UINT64_C(8) << 20);
	uint64_t total = 3000000;
	struct reading r;

	(void)state;
	for (uint64_t n = 0; n < total; n++)
		put(slot, 0, n);
	r = read_lane(0, 0);
	assert_int_equal(r.next, total);
	assert_int_equal(slot->shared->overwritten + r.nr, total);
	assert_true(syt_arena_file()->used <= syt_arena_file()->capacity);
}

static void test_full_stream_counts_what_it_drops(void **state)
{
	struct syt_slot_state *slot = new_slot(SYT_MODE_STREAM, 0, UINT64_C(8) << 20);
	uint64_t total = 3000000, dropped;

	(void)state;
	for (uint64_t n = 0; n < total; n++) {
		struct syt_event e = event(n, syt_clock_release());
		uint8_t *p = syt_lane_reserve(slot, 0);

		assert_non_null(p);
		syt_lane_put(&slot->lane0, p, &e, false);
	}
	dropped = syt_arena_file()->lost[SYT_LOSS_NO_SPACE];
	assert_true(dropped > 0);
	assert_int_equal(dropped, slot->shared->dropped);
	assert_int_equal(slot->shared->sealed + slot->lane0.nr_events + dropped, total);
}

static void test_lanes_are_independent(void **state)
{
	struct syt_slot_state *slot = new_slot(SYT_MODE_STREAM, 0, UINT64_C(1) << 30);

	(void)state;
	for (uint64_t n = 0; n < 50000; n++) {
		put(slot, 0, n);
		if (n % 5 == 0)
			put(slot, 1, n / 5);
		if (n % 10 == 0)
			put(slot, 2, n / 10);
	}
	assert_int_equal(read_lane(0, 0).nr, 50000);
	assert_int_equal(read_lane(0, 1).nr, 10000);
	assert_int_equal(read_lane(0, 2).nr, 5000);
}

static void test_a_slot_outlives_its_threads(void **state)
{
	struct syt_slot_state *slot = new_slot(SYT_MODE_STREAM, 0, UINT64_C(1) << 30);

	(void)state;
	for (uint32_t thread = 0; thread < 100; thread++) {
		if (thread)
			syt_slot_assign(slot, thread, thread + 1);
		for (uint64_t n = 0; n < thread; n++)
			put(slot, 0, n);
	}
	for (uint32_t thread = 1; thread < 100; thread++)
		assert_int_equal(read_lane(thread, 0).nr, thread);
}

static void test_trim_and_back(void **state)
{
	struct syt_slot_state *slot = new_slot(SYT_MODE_STREAM, 0, UINT64_C(1) << 30);
	struct stat st;

	(void)state;
	put(slot, 0, 0);
	syt_arena_trim(path, 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, syt_arena_file()->used);
	assert_null(syt_arena_chunk(SYT_CHUNK_META, 0, 0, 65536, 65536));
	put(slot, 0, 1);
	syt_arena_trim(path, 65536);
	assert_non_null(syt_arena_chunk(SYT_CHUNK_META, 0, 0, 65536, 65536));
	assert_null(syt_arena_chunk(SYT_CHUNK_META, 0, 0, 65536, 65536));
	syt_arena_untrim(path);
	assert_non_null(syt_arena_chunk(SYT_CHUNK_META, 0, 0, 65536, 65536));
	assert_int_equal(read_lane(0, 0).nr, 2);
}

/* During an exec that fails, a ring reuses its blocks; afterwards it grows again. */
static void test_ring_grows_again(void **state)
{
	struct syt_slot_state *slot = new_slot(SYT_MODE_RING, UINT64_C(2) << 20, UINT64_C(1) << 30);
	const struct syt_ring *r = &slot->lane0.ring;
	uint32_t before, wanted = r->max_chunks;
	uint64_t n = 0;

	(void)state;
	while (r->nr_chunks < 3)
		put(slot, 0, n++);
	syt_arena_trim(path, 0);
	before = r->nr_chunks;
	/* until the ring has reused some of its chunks, but not all */
	while (!slot->shared->overwritten || r->current_idx != 1)
		put(slot, 0, n++);
	assert_int_equal(r->nr_chunks, before);
	syt_arena_untrim(path);
	for (uint64_t end = n + 2000000; n < end; n++)
		put(slot, 0, n);
	assert_int_equal(r->nr_chunks, wanted);
	assert_true(wanted > before);

	struct reading all = read_lane(0, 0);

	assert_int_equal(all.next, n);
	assert_int_equal(slot->shared->overwritten + all.nr, n);
}

static void test_file_size_limit_is_obeyed(void **state)
{
	struct rlimit old, limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 16 << 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(syt_arena_open(AT_FDCWD, path, UINT64_C(1) << 30), 0);
	assert_int_equal(syt_arena_file()->capacity, 16 << 20);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

static void test_compressed_blocks_keep_everything(void **state)
{
	struct syt_slot_state *slot = new_slot(SYT_MODE_STREAM, 0, UINT64_C(1) << 30);

	(void)state;
	slot->packer = malloc(syt_slot_packer_bytes());
	for (uint64_t n = 0; n < 40000; n++)
		put(slot, 0, n);
	assert_int_equal(read_lane(0, 0).next, 40000);
	assert_true(nr_tables > 1);
	free(slot->packer);
}

static void test_stack_nodes_and_records_cross_chunks(void **state)
{
	(void)state;
	new_slot(SYT_MODE_STREAM, 0, UINT64_C(1) << 30);
	for (uint32_t i = 1; i < 20000; i++)
		assert_int_equal(syt_meta_stack(i - 1, 1, i), i);
	for (uint32_t i = 0; i < 5000; i++)
		syt_meta_text(SYT_TEXT_NOTE, i, "a note of some length", 21);
	assert_int_equal(syt_arena_file()->lost[SYT_LOSS_META], 0);
}

#define TEST(f_) cmocka_unit_test_setup_teardown(f_, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_stream_keeps_everything),
		TEST(test_no_event_populates_many_pages),
		TEST(test_every_event_is_there_at_once),
		TEST(test_ring_overwrites_the_oldest_and_counts),
		TEST(test_full_file_reuses_what_it_has),
		TEST(test_full_stream_counts_what_it_drops),
		TEST(test_lanes_are_independent),
		TEST(test_a_slot_outlives_its_threads),
		TEST(test_trim_and_back),
		TEST(test_ring_grows_again),
		TEST(test_file_size_limit_is_obeyed),
		TEST(test_stack_nodes_and_records_cross_chunks),
		TEST(test_compressed_blocks_keep_everything),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
