/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Tests the path from bytes to a trace: the reader returns the trace that the writer wrote, and damage costs only the
 * damaged part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decoder/read/reader.h"
#include "decoder/read/symbol.h"
#include "tests/lib/dump-writer.h"

static const struct syt_read_options quiet = {.problems_shown = 0};

/* Writes NR pairs of lock and unlock of thread T on OBJECT, 10 ns apart, from START on. */
static void lock_pairs(struct syt_writer *w, uint32_t t, uint32_t object, uint32_t stack,
                       uint64_t start, unsigned nr)
{
	struct syt_event lock = {
		.call = syt_writer_call(w, "pthread_mutex_lock"), .object = object, .stack = stack};
	struct syt_event unlock = {.call = syt_writer_call(w, "pthread_mutex_unlock"),
	                           .object = object,
	                           .stack = stack};

	for (unsigned n = 0; n < nr; n++) {
		lock.stamp = start + 20 * n;
		unlock.stamp = start + 20 * n + 10;
		syt_writer_event(w, t, &lock);
		syt_writer_event(w, t, &unlock);
	}
}

static struct syt_trace_data *read_bytes(const uint8_t *dump, size_t bytes,
                                         struct syt_read_report *report)
{
	return syt_read_memory(dump, bytes, &quiet, report);
}

static void check_balance(const struct syt_image *i)
{
	assert_int_equal(i->nr_recorded, i->nr_decoded + i->nr_overwritten + i->nr_missing);
}

/* ---- intact dumps ---- */

static void returns_the_events_that_were_written(void **state)
{
	struct syt_writer *w = syt_writer_create(3, 77);
	uint32_t t = syt_writer_thread(w, 78, UINT32_MAX, "main");
	uint32_t m = syt_writer_object(w, SYT_KIND_MUTEX, 0x5000, 2, 0);
	uint32_t s = syt_writer_object(w, SYT_KIND_STREAM, 0x77, 0, SYT_OBJECT_SHARED);
	uint32_t outer = syt_writer_stack(w, 0, 0, 0x1000);
	uint32_t inner = syt_writer_stack(w, outer, 0, 0x2000);
	struct syt_ready ready[] = {{s, SYT_READY_IN, 0}, {m, SYT_READY_OUT | SYT_READY_HUP, 0}};

	(void)state;
	syt_writer_text(w, SYT_TEXT_EXE, 0, "/bin/true");
	syt_writer_event(w, t,
	                 &(struct syt_event){.stamp = 100,
	                                     .dur = 40,
	                                     .call = syt_writer_call(w, "pthread_mutex_lock"),
	                                     .object = m,
	                                     .stack = inner});
	syt_writer_event(w, t,
	                 &(struct syt_event){.stamp = 200,
	                                     .dur = 7,
	                                     .call = syt_writer_call(w, "pthread_mutex_unlock"),
	                                     .object = m,
	                                     .result = -1,
	                                     .err = 11,
	                                     .stack = outer});
	syt_writer_event(
		w, t,
		&(struct syt_event){.stamp = 300,
	                            .call = syt_writer_define_call(w, "later_call", SYT_SHAPE_RECV,
	                                                           SYT_KIND_STREAM),
	                            .object = s,
	                            .object2 = m,
	                            .offset = UINT64_C(1) << 40,
	                            .bytes = 5,
	                            .thread = 1,
	                            .cpu = 9,
	                            .nr_ready = 2,
	                            .ready = ready});
	struct syt_trace_data *trace = syt_writer_read(w);
	const struct syt_image *i = &trace->images[0];
	const struct syt_thread *th = &i->threads[0];
	const struct syt_row *r = th->rows;

	assert_int_equal(trace->nr_images, 1);
	assert_int_equal(i->index, 3);
	assert_int_equal(i->file.pid, 77);
	assert_string_equal(i->exe, "/bin/true");
	assert_string_equal(th->name, "main");
	assert_int_equal(th->tid, 78);
	assert_int_equal(th->nr_rows, 3);
	assert_string_equal(syt_row_call(i, &r[0])->name, "pthread_mutex_lock");
	/* an acquire's stamp is its end, a release's its begin */
	assert_int_equal(SYT_TIME_NS(r[0].in), 60);
	assert_int_equal(SYT_TIME_NS(r[0].out), 100);
	assert_int_equal(SYT_TIME_NS(r[1].in), 200);
	assert_int_equal(SYT_TIME_NS(r[1].out), 207);
	assert_int_equal(r[1].result, -1);
	assert_int_equal(r[1].err, 11);
	assert_int_equal(r[0].extra, SYT_NONE);
	assert_int_equal(i->objects[r[0].object].identity, 0x5000);
	assert_int_equal(i->objects[r[0].object].generation, 2);
	assert_int_equal(i->stacks[r[0].stack].offset, 0x2000);
	assert_int_equal(i->stacks[i->stacks[r[0].stack].parent].offset, 0x1000);
	assert_int_equal(syt_row_call(i, &r[2])->shape, SYT_SHAPE_RECV);

	const struct syt_extra *x = syt_thread_extra(th, &r[2]);

	assert_int_equal(x->object2, r[0].object);
	assert_int_equal(x->offset, UINT64_C(1) << 40);
	assert_int_equal(x->bytes, 5);
	assert_int_equal(x->cpu, 9);
	assert_int_equal(x->thread, 0);
	assert_int_equal(x->nr_ready, 2);
	assert_int_equal(th->ready[x->ready].object, r[2].object);
	assert_int_equal(th->ready[x->ready + 1].events, SYT_READY_OUT | SYT_READY_HUP);
	assert_false(i->is_damaged);
	assert_int_equal(i->nr_recorded, 3);
	check_balance(i);
	syt_trace_destroy(trace);
}

/* Optional fields are the same after packing, or do not fit. */
static void packs_optional_fields(void **state)
{
	const struct syt_extra small = {.object2 = 7,
	                                .thread = SYT_NONE,
	                                .offset = UINT64_MAX,
	                                .bytes = UINT32_MAX,
	                                .count = UINT8_MAX,
	                                .flags = UINT16_MAX};
	struct syt_extra x = small, back;
	struct syt_packed_extra packed;
	uint64_t *const numbers[] = {&x.offset2, &x.cpu, &x.pid, &x.peer};
	uint32_t *const small_numbers[] = {&x.status, &x.left_out, &x.gap, &x.crossed};

	(void)state;
	x.arg = UINT32_MAX;
	assert_true(syt_extra_pack(&packed, &x));
	back = syt_extra_unpack(&packed, NULL, 0);
	assert_memory_equal(&back, &x, sizeof(x));
	x.arg = 0;
	x.nr_ready = SYT_NR_READY;
	x.ready = UINT32_MAX;
	assert_true(syt_extra_pack(&packed, &x));
	back = syt_extra_unpack(&packed, NULL, 0);
	assert_memory_equal(&back, &x, sizeof(x));
	x.arg = 1; /* only one of `arg` and `ready` fits */
	assert_false(syt_extra_pack(&packed, &x));
	for (unsigned n = 0; n < sizeof(numbers) / sizeof(*numbers); n++) {
		x = small;
		*numbers[n] = 1;
		assert_false(syt_extra_pack(&packed, &x));
	}
	for (unsigned n = 0; n < sizeof(small_numbers) / sizeof(*small_numbers); n++) {
		x = small;
		*small_numbers[n] = 1;
		assert_false(syt_extra_pack(&packed, &x));
	}
	x = small;
	x.thread = 0;
	assert_false(syt_extra_pack(&packed, &x));
	x = small;
	x.bytes++;
	assert_false(syt_extra_pack(&packed, &x));
	x = small;
	x.count++;
	assert_false(syt_extra_pack(&packed, &x));
	x = small;
	x.arg = UINT64_C(1) << 32;
	assert_false(syt_extra_pack(&packed, &x));
}

static void merges_lanes_by_stamp(void **state)
{
	struct syt_writer *w = syt_writer_create(0, 1);
	uint32_t t = syt_writer_thread(w, 1, UINT32_MAX, NULL);
	uint16_t call = syt_writer_call(w, "pthread_mutex_unlock");
	/* lane 0: 90 was read before a handler recorded 60 .. 80 in lane 0, so it stands behind
	 * them */
	static const uint64_t lane0[] = {10, 60, 80, 50, 100}, lane1[] = {20, 55, 200};

	(void)state;
	for (unsigned n = 0; n < 5; n++)
		syt_writer_lane_event(w, t, 0,
		                      &(struct syt_event){.stamp = lane0[n], .call = call});
	for (unsigned n = 0; n < 3; n++)
		syt_writer_lane_event(w, t, 1,
		                      &(struct syt_event){.stamp = lane1[n], .call = call});
	struct syt_trace_data *trace = syt_writer_read(w);
	const struct syt_thread *th = &trace->images[0].threads[0];
	static const uint64_t sorted[] = {10, 20, 50, 55, 60, 80, 100, 200};

	assert_int_equal(th->nr_rows, 8);
	for (unsigned n = 0; n < 8; n++)
		assert_int_equal(SYT_TIME_NS(th->rows[n].in), sorted[n]);
	syt_trace_destroy(trace);
}

static void sorts_unordered_events(void **state)
{
	struct syt_writer *w = syt_writer_create(0, 1);
	uint32_t t = syt_writer_thread(w, 1, UINT32_MAX, NULL);
	uint16_t call = syt_writer_call(w, "pthread_mutex_unlock");

	(void)state;
	for (unsigned n = 0; n < 20000; n++)
		syt_writer_event(w, t,
		                 &(struct syt_event){.stamp = 1 + (n * 7919u) % 20011,
		                                     .call = call,
		                                     .result = (int64_t)n});
	struct syt_trace_data *trace = syt_writer_read(w);
	const struct syt_thread *th = &trace->images[0].threads[0];

	assert_int_equal(th->nr_rows, 20000);
	for (unsigned n = 1; n < 20000; n++)
		assert_true(th->rows[n - 1].in <= th->rows[n].in);
	syt_trace_destroy(trace);
}

static void decodes_a_block_once_when_killed_while_sealing(void **state)
{
	struct syt_writer *w = syt_writer_create(0, 1);
	uint32_t t = syt_writer_thread(w, 1, UINT32_MAX, NULL);
	uint32_t m = syt_writer_object(w, SYT_KIND_MUTEX, 1, 0, 0);

	(void)state;
	lock_pairs(w, t, m, 0, 100, 10);
	syt_writer_seal(w, t, 0);
	lock_pairs(w, t, m, 0, 1000, 5);
	syt_writer_seal_and_die(w, t, 0);
	struct syt_trace_data *trace = syt_writer_read(w);
	const struct syt_image *i = &trace->images[0];

	assert_int_equal(i->threads[0].nr_rows, 30);
	assert_int_equal(i->nr_recorded, 30);
	assert_false(i->is_damaged);
	check_balance(i);
	syt_trace_destroy(trace);
}

static void counts_overwritten_and_dropped_events(void **state)
{
	struct syt_writer *w = syt_writer_create(0, 1);
	uint32_t t = syt_writer_thread(w, 1, UINT32_MAX, NULL);
	uint32_t m = syt_writer_object(w, SYT_KIND_MUTEX, 1, 0, 0);

	(void)state;
	lock_pairs(w, t, m, 0, 100, 10);
	syt_writer_seal(w, t, 0);
	lock_pairs(w, t, m, 0, 1000, 20);
	syt_writer_seal(w, t, 0);
	syt_writer_overwrite(w, t, 0);
	syt_writer_drop(w, t, 0, 7);
	lock_pairs(w, t, m, 0, 2000, 1);
	struct syt_trace_data *trace = syt_writer_read(w);
	const struct syt_image *i = &trace->images[0];

	assert_int_equal(i->nr_decoded, 42);
	assert_int_equal(i->nr_overwritten, 20);
	assert_int_equal(i->nr_missing, 0);
	assert_int_equal(i->nr_lost, 7);
	assert_int_equal(i->threads[0].base, 20);
	assert_false(i->is_damaged);
	check_balance(i);
	syt_trace_destroy(trace);
}

/* ---- damage ---- */

/* Makes a dump with three compressed blocks of 200 events and 20 events in the current buffer. */
static uint8_t *three_blocks(size_t *bytes)
{
	struct syt_writer *w = syt_writer_create(0, 1);
	uint32_t t = syt_writer_thread(w, 1, UINT32_MAX, "main");
	uint32_t m = syt_writer_object(w, SYT_KIND_MUTEX, 0x1234, 0, 0);
	uint32_t s = syt_writer_stack(w, 0, 0, 0x1000);

	for (unsigned n = 0; n < 3; n++) {
		lock_pairs(w, t, m, s, 10000 * (n + 1), 100);
		syt_writer_seal(w, t, 0);
	}
	lock_pairs(w, t, m, s, 50000, 10);
	return syt_writer_finish(w, bytes);
}

/* Returns the address of the N-th (from 0) occurrence of the 4-byte MAGIC. */
static uint8_t *find_magic(uint8_t *dump, size_t bytes, uint32_t magic, unsigned nr)
{
	for (size_t at = 0; at + 4 <= bytes; at += 8)
		if (memcmp(dump + at, &magic, 4) == 0 && nr-- == 0)
			return dump + at;
	fail();
	return NULL;
}

static uint8_t *find_block(uint8_t *dump, size_t bytes, unsigned nr)
{
	/* the first is the current block's header in the slot */
	return find_magic(dump, bytes, SYT_BLOCK_MAGIC, nr + 1);
}

/* Reads the damaged DUMP and checks that NR events are left and MISSING events are known to be missing. */
static void check_damaged(const uint8_t *dump, size_t bytes, uint64_t nr, uint64_t missing)
{
	struct syt_read_report report;
	struct syt_trace_data *trace = read_bytes(dump, bytes, &report);

	assert_int_equal(trace->nr_images, 1);
	assert_true(report.is_damaged);
	assert_int_equal(trace->images[0].nr_decoded, nr);
	assert_int_equal(trace->images[0].nr_missing, missing);
	check_balance(&trace->images[0]);
	syt_trace_destroy(trace);
}

static void keeps_the_events_around_a_damaged_block(void **state)
{
	size_t bytes;
	uint8_t *dump = three_blocks(&bytes);

	(void)state;
	for (unsigned n = 0; n < 3; n++) {
		uint8_t *block = find_block(dump, bytes, n);

		block[sizeof(struct syt_block) + 3] ^= 0x10; /* the payload */
		check_damaged(dump, bytes, 420, 200);
		block[sizeof(struct syt_block) + 3] ^= 0x10;
		block[20] ^= 0x10; /* the header */
		check_damaged(dump, bytes, 420, 200);
		block[20] ^= 0x10;
	}
	free(dump);
}

static void keeps_events_without_definitions(void **state)
{
	size_t bytes;
	uint8_t *dump = three_blocks(&bytes);
	struct syt_read_report report;
	uint8_t *meta = find_magic(dump, bytes, SYT_CHUNK_MAGIC, 0);

	(void)state;
	memset(meta + sizeof(struct syt_chunk), 0xee, 4000);
	struct syt_trace_data *trace = read_bytes(dump, bytes, &report);
	const struct syt_image *i = &trace->images[0];

	assert_true(report.is_damaged);
	assert_int_equal(i->nr_decoded, 620);
	assert_int_equal(i->threads[0].rows[0].object, SYT_NONE);
	assert_string_equal(syt_row_call(i, &i->threads[0].rows[0])->name, "unknown");
	syt_trace_destroy(trace);
	free(dump);
}

static void steps_over_a_damaged_chunk(void **state)
{
	size_t bytes;
	uint8_t *dump = three_blocks(&bytes);

	(void)state;
	find_magic(dump, bytes, SYT_CHUNK_MAGIC, 1)[9] ^= 1; /* the stacks' */
	check_damaged(dump, bytes, 620, 0);
	free(dump);
}

static void ends_damaged_stacks(void **state)
{
	size_t bytes;
	uint8_t *dump = three_blocks(&bytes);
	struct syt_read_report report;
	struct syt_stack_node *node =
		(void *)(find_magic(dump, bytes, SYT_CHUNK_MAGIC, 1) + sizeof(struct syt_chunk));

	(void)state;
	/* a parent number that is not smaller than the node's own number would make a loop */
	node->parent = 5;
	node->check = syt_stack_check(node->parent, node->module, node->offset);
	struct syt_trace_data *trace = read_bytes(dump, bytes, &report);
	const struct syt_image *i = &trace->images[0];

	assert_true(report.is_damaged);
	assert_int_equal(i->nr_decoded, 620);
	assert_int_equal(i->stacks[1].parent, 0);
	assert_true(i->stacks[1].offset & SYT_STACK_TRUNCATED);
	syt_trace_destroy(trace);
	free(dump);
}

static void cuts_deep_stacks(void **state)
{
	struct syt_writer *w = syt_writer_create(0, 77);
	uint32_t t = syt_writer_thread(w, 77, UINT32_MAX, "main");
	uint32_t m = syt_writer_object(w, SYT_KIND_MUTEX, 0x5000, 0, 0), stack = 0;

	(void)state;
	for (unsigned n = 0; n < 10000; n++)
		stack = syt_writer_stack(w, stack, 0, 0x1000 + n);
	lock_pairs(w, t, m, stack, 100, 1);
	struct syt_trace_data *trace = syt_writer_read(w);
	const struct syt_image *i = &trace->images[0];
	uint32_t nr = 0;

	assert_true(i->is_damaged);
	for (stack = i->threads[0].rows[0].stack; stack; stack = i->stacks[stack].parent)
		nr++;
	assert_int_equal(nr, 10000 % SYT_MOST_FRAMES);
	syt_trace_destroy(trace);
}

static void reads_behind_a_damaged_header(void **state)
{
	size_t bytes;
	uint8_t *dump = three_blocks(&bytes);

	(void)state;
	dump[0] ^= 1; /* the magic number */
	check_damaged(dump, bytes, 620, 0);
	dump[0] ^= 1;
	dump[40] ^= 1;
	check_damaged(dump, bytes, 620, 0);
	free(dump);
}

static void repairs_the_number_of_a_current_block(void **state)
{
	size_t bytes;
	uint8_t *dump = three_blocks(&bytes);
	/* the header of the lane's block */
	struct syt_block *b = (void *)find_magic(dump, bytes, SYT_BLOCK_MAGIC, 0);

	(void)state;
	b->first_seq ^= UINT64_C(1) << 40;
	check_damaged(dump, bytes, 620, 0);
	b->first_seq ^= UINT64_C(1) << 40;
	b->first_seq ^= UINT64_C(1) << 3;
	check_damaged(dump, bytes, 620, 0);
	free(dump);
}

static void reads_a_cut_dump(void **state)
{
	size_t bytes;
	uint8_t *dump = three_blocks(&bytes);
	size_t third = (size_t)(find_block(dump, bytes, 2) - dump);

	(void)state;
	/* in the middle of the third block's payload */
	check_damaged(dump, third + sizeof(struct syt_block) + 8, 420, 200);
	/* in the middle of its header: only its predecessor's end is known */
	check_damaged(dump, third + 8, 420, 200);
	free(dump);
}

static void refuses_files_that_are_no_dump(void **state)
{
	struct syt_read_report report;
	static const char text[] = "This is a text file.\n";
	uint8_t *zeros = calloc(1, 100000);

	(void)state;
	struct syt_trace_data *trace = read_bytes((const uint8_t *)text, sizeof(text), &report);

	assert_int_equal(trace->nr_images, 0);
	assert_int_equal(report.nr_unreadable, 1);
	syt_trace_destroy(trace);
	trace = read_bytes(zeros, 100000, &report);
	assert_int_equal(trace->nr_images, 0);
	syt_trace_destroy(trace);
	trace = read_bytes(zeros, 0, &report);
	assert_int_equal(trace->nr_images, 0);
	syt_trace_destroy(trace);
	free(zeros);
}

static void refuses_a_newer_major_version(void **state)
{
	struct syt_writer *w = syt_writer_create(0, 1);
	struct syt_read_report report;
	size_t bytes;

	(void)state;
	syt_writer_header(w)->major = SYT_FORMAT_MAJOR_SAMPLED + 1;
	uint8_t *dump = syt_writer_finish(w, &bytes);
	struct syt_trace_data *trace = read_bytes(dump, bytes, &report);

	assert_int_equal(trace->nr_images, 0);
	assert_int_equal(report.nr_unreadable, 1);
	syt_trace_destroy(trace);
	free(dump);
}

static void reads_calls_side_by_side(void **state)
{
	struct syt_meta_calls head = {.first = 40, .nr = 2};
	const struct whole {
		struct syt_meta_calls head;
		uint8_t shape1, kind1;
		char name1[6];
		uint8_t shape2, kind2;
		char name2[4];
	} whole = {head,           SYT_SHAPE_LOCK, SYT_KIND_MUTEX, "first", SYT_SHAPE_UNLOCK,
	           SYT_KIND_MUTEX, "two"};
	struct syt_writer *w = syt_writer_create(0, 1);

	(void)state;
	syt_writer_meta(w, SYT_META_CALLS, &whole, sizeof(whole));
	struct syt_trace_data *trace = syt_writer_read(w);

	assert_false(trace->images[0].is_damaged);
	assert_int_equal(trace->images[0].nr_calls,
	                 43); /* including the call that stands for calls without a definition */
	assert_string_equal(trace->images[0].calls[40].name, "first");
	assert_int_equal(trace->images[0].calls[40].shape, SYT_SHAPE_LOCK);
	assert_string_equal(trace->images[0].calls[41].name, "two");
	assert_int_equal(trace->images[0].calls[41].shape, SYT_SHAPE_UNLOCK);
	syt_trace_destroy(trace);

	/* each length that ends too early: the calls before stay */
	for (size_t bytes = sizeof(head); bytes < offsetof(struct whole, name2) + 4; bytes++) {
		w = syt_writer_create(0, 1);
		syt_writer_meta(w, SYT_META_CALLS, &whole, bytes);
		trace = syt_writer_read(w);
		assert_true(trace->images[0].is_damaged);
		if (bytes < sizeof(head) + 8)
			assert_true(trace->images[0].nr_calls < 40);
		else
			assert_int_equal(trace->images[0].nr_calls, 42);
		syt_trace_destroy(trace);
	}
}

static void skips_unknown_data_of_a_newer_recorder(void **state)
{
	struct syt_writer *w = syt_writer_create(0, 1);
	uint32_t t = syt_writer_thread(w, 1, UINT32_MAX, NULL);
	uint32_t m = syt_writer_object(w, SYT_KIND_MUTEX, 1, 0, 0);

	(void)state;
	syt_writer_meta(w, 200, "new record", 10);
	syt_writer_text(w, (enum syt_text)99, 0, "new text");
	syt_writer_define_call(w, "new_call", (enum syt_shape)200, (enum syt_kind)200);
	lock_pairs(w, t, m, 0, 100, 10);
	syt_writer_event(w, t, &(struct syt_event){.stamp = 1000, .call = 1});
	struct syt_trace_data *trace = syt_writer_read(w);

	assert_false(trace->images[0].is_damaged);
	assert_int_equal(trace->images[0].nr_decoded, 21);
	assert_int_equal(
		syt_row_call(&trace->images[0], &trace->images[0].threads[0].rows[20])->shape,
		SYT_SHAPE_INFO);
	syt_trace_destroy(trace);
}

/* ---- several workers, several dumps ---- */

static void does_not_depend_on_the_number_of_workers(void **state)
{
	struct syt_writer *w = syt_writer_create(0, 1);
	struct syt_read_options options = quiet;
	struct syt_read_report report;
	size_t bytes;

	(void)state;
	for (uint32_t n = 0; n < 5; n++) {
		uint32_t t = syt_writer_thread(w, 100 + n, UINT32_MAX, NULL);
		uint32_t m = syt_writer_object(w, SYT_KIND_MUTEX, n, 0, 0);

		for (unsigned k = 0; k < 200; k++) {
			lock_pairs(w, t, m, 0, 1 + k * 1000 + n, 20);
			syt_writer_event(w, t,
			                 &(struct syt_event){.stamp = k * 1000 + 900,
			                                     .call = syt_writer_call(w, "recv"),
			                                     .bytes = k + 1});
			syt_writer_seal(w, t, 0);
		}
	}
	uint8_t *dump = syt_writer_finish(w, &bytes);
	struct syt_trace_data *traces[2];

	for (unsigned n = 0; n < 2; n++) {
		options.nr_workers = n ? 7 : 1;
		traces[n] = syt_read_memory(dump, bytes, &options, &report);
	}
	for (uint32_t n = 0; n < 5; n++) {
		const struct syt_thread *a = &traces[0]->images[0].threads[n];
		const struct syt_thread *b = &traces[1]->images[0].threads[n];

		assert_int_equal(a->nr_rows, 200 * 41);
		assert_int_equal(a->nr_rows, b->nr_rows);
		for (uint64_t k = 0; k < a->nr_rows; k++) {
			struct syt_row x = a->rows[k], y = b->rows[k];

			assert_int_equal(x.extra == SYT_NONE, k % 41 != 40);
			assert_int_equal(y.extra == SYT_NONE, k % 41 != 40);
			assert_int_equal(syt_thread_extra(a, &x)->bytes,
			                 k % 41 == 40 ? k / 41 + 1 : 0);
			assert_int_equal(syt_thread_extra(b, &y)->bytes,
			                 k % 41 == 40 ? k / 41 + 1 : 0);
			x.extra = y.extra = 0; /* the place depends on the order of the jobs */
			assert_memory_equal(&x, &y, sizeof(x));
		}
	}
	syt_trace_destroy(traces[0]);
	syt_trace_destroy(traces[1]);
	free(dump);
}

static void reads_a_directory_and_aligns_hosts(void **state)
{
	char directory[] = "/tmp/test-reader-XXXXXX";
	struct syt_read_report report;
	static const unsigned order[] = {2, 0, 1};

	(void)state;
	assert_non_null(mkdtemp(directory));
	for (unsigned n = 0; n < 3; n++) {
		struct syt_writer *w = syt_writer_create(order[n], 100 + order[n]);
		uint32_t t = syt_writer_thread(w, 1, UINT32_MAX, NULL);
		struct syt_file *f = syt_writer_header(w);
		uint64_t start = 1000;

		if (order[n] == 2) {
			/* a dump from another host, which booted 1 ms later in real time */
			f->boot_id[0] = 'X';
			f->start.real_ns += 1000000;
		}
		syt_writer_event(w, t,
		                 &(struct syt_event){.stamp = start + order[n],
		                                     .call = syt_writer_call(w, "accept")});
		syt_writer_save(w, directory);
	}
	const char *inputs[] = {directory};
	struct syt_trace_data *trace = syt_read(inputs, 1, &quiet, &report);

	assert_int_equal(report.nr_read, 3);
	assert_int_equal(trace->nr_images, 3);
	for (unsigned n = 0; n < 3; n++) {
		const struct syt_image *i = &trace->images[n];

		assert_int_equal(i->index, n);
		assert_int_equal(i->file.pid, 100 + n);
		assert_int_equal(SYT_TIME_NS(i->threads[0].rows[0].out),
		                 n == 2 ? 1002 + 1000000 : 1000 + n);
		assert_int_equal(unlink(i->path), 0);
	}
	syt_trace_destroy(trace);
	rmdir(directory);
}

struct told {
	unsigned nr;
	uint64_t nr_decoded;
	uint32_t pid;
	char exe[64];
};

static void see_index(void *context, const struct syt_image *first)
{
	struct told *t = context;

	t->nr++;
	t->nr_decoded = first->nr_decoded;
	t->pid = first->file.pid;
	snprintf(t->exe, sizeof(t->exe), "%s", first->exe);
}

/*
 * The reader announces facts that need no event before it decodes the first event; with no dump it
 * announces none.
 */
static void announces_the_first_image_before_its_events(void **state)
{
	struct syt_writer *w = syt_writer_create(0, 77);
	uint32_t t = syt_writer_thread(w, 78, UINT32_MAX, "main");
	uint32_t m = syt_writer_object(w, SYT_KIND_MUTEX, 0x5000, 2, 0);
	struct told told = {0};
	const struct syt_read_options options = {.on_index = see_index, .context = &told};
	struct syt_read_report report;
	struct syt_trace_data *trace;
	size_t bytes;

	(void)state;
	syt_writer_text(w, SYT_TEXT_EXE, 0, "/bin/true");
	lock_pairs(w, t, m, 0, 1000, 10);

	uint8_t *dump = syt_writer_finish(w, &bytes);

	trace = syt_read_memory(dump, bytes, &options, &report);
	assert_int_equal(told.nr, 1);
	assert_int_equal(told.nr_decoded, 0);
	assert_int_equal(told.pid, 77);
	assert_string_equal(told.exe, "/bin/true");
	assert_int_equal(trace->images[0].nr_decoded, 20);
	syt_trace_destroy(trace);
	trace = syt_read_memory("no dump", 7, &options, &report);
	assert_int_equal(told.nr, 1);
	syt_trace_destroy(trace);
	free(dump);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_the_events_that_were_written),
		cmocka_unit_test(announces_the_first_image_before_its_events),
		cmocka_unit_test(packs_optional_fields),
		cmocka_unit_test(merges_lanes_by_stamp),
		cmocka_unit_test(sorts_unordered_events),
		cmocka_unit_test(decodes_a_block_once_when_killed_while_sealing),
		cmocka_unit_test(counts_overwritten_and_dropped_events),
		cmocka_unit_test(keeps_the_events_around_a_damaged_block),
		cmocka_unit_test(keeps_events_without_definitions),
		cmocka_unit_test(steps_over_a_damaged_chunk),
		cmocka_unit_test(ends_damaged_stacks),
		cmocka_unit_test(cuts_deep_stacks),
		cmocka_unit_test(reads_behind_a_damaged_header),
		cmocka_unit_test(repairs_the_number_of_a_current_block),
		cmocka_unit_test(reads_a_cut_dump),
		cmocka_unit_test(refuses_files_that_are_no_dump),
		cmocka_unit_test(refuses_a_newer_major_version),
		cmocka_unit_test(reads_calls_side_by_side),
		cmocka_unit_test(skips_unknown_data_of_a_newer_recorder),
		cmocka_unit_test(does_not_depend_on_the_number_of_workers),
		cmocka_unit_test(reads_a_directory_and_aligns_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
