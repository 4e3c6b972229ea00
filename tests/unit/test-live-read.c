/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/read/reader.h, while the recorder writes into the dump. Access to a page of a slot traps until the recorder has
 * done its next step, so this step comes after the reader has seen what lies before, and before it sees this page.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "decoder/read/reader.h"
#include "tests/lib/dump-writer.h"

#define NR_EVENTS 200u /* of each block */

static struct {
	uint8_t *map, *dump;
	size_t map_bytes, bytes;
	struct syt_slot *slot;
	uint8_t *page; /* traps */
	void (*step)(void);
	uint64_t used, committed; /* after the step of the recorder */
} recorder;

static void write_events(struct syt_writer *w, uint32_t thread, uint64_t start, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		syt_writer_event(
			w, thread,
			&(struct syt_event){.stamp = start + i,
		                            .call = syt_writer_call(w, "pthread_mutex_lock")});
}

static void write_block(struct syt_writer *w, uint32_t thread, uint64_t start)
{
	write_events(w, thread, start, NR_EVENTS);
}

/* Returns the first chunk of the type TYPE. */
static struct syt_chunk *find_chunk(enum syt_chunk_type type)
{
	for (size_t at = SYT_PAGE_BYTES; at < recorder.bytes; at += SYT_PAGE_BYTES) {
		struct syt_chunk *c = (struct syt_chunk *)(void *)(recorder.dump + at);

		if (c->magic == SYT_CHUNK_MAGIC && c->type == type)
			return c;
	}
	fail_msg("no chunk of the type %d", (int)type);
	return NULL;
}

static struct syt_file *header(void)
{
	return (struct syt_file *)(void *)recorder.dump;
}

static void go_on(int signal)
{
	(void)signal;
	if (mprotect(recorder.page, SYT_PAGE_BYTES, PROT_READ | PROT_WRITE))
		abort();
	recorder.step();
}

/* Puts a dump into memory, SHIFT bytes after the begin of a page. Its last chunk has the sealed block of the only thread. The
 * lane has the next block. */
static void make_dump(size_t shift)
{
	struct syt_writer *w = syt_writer_create(0, 100);
	uint32_t thread = syt_writer_thread(w, 100, UINT32_MAX, "main");
	uint8_t *bytes;

	write_block(w, thread, 1000);
	syt_writer_seal(w, thread, 0);
	write_block(w, thread, 2000);
	bytes = syt_writer_finish(w, &recorder.bytes);
	recorder.map_bytes = shift + recorder.bytes;
	recorder.map = mmap(NULL, recorder.map_bytes, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(recorder.map != MAP_FAILED);
	recorder.dump = recorder.map + shift;
	memcpy(recorder.dump, bytes, recorder.bytes);
	free(bytes);
	recorder.slot = (struct syt_slot *)(void *)find_chunk(SYT_CHUNK_SLOT);
}

/* Reads the dump. The recorder does STEP when the reader comes to PAGE. */
static struct syt_trace_data *read_dump(void *page, void (*step)(void))
{
	const struct sigaction handler = {.sa_handler = go_on};
	const struct syt_read_options window = {
		.nr_workers = 1, .from_ticks = 1, .most_events = 1000000};
	struct syt_read_report report;
	struct syt_trace_data *trace;
	struct sigaction before;

	recorder.page = page;
	recorder.step = step;
	assert_int_equal(sigaction(SIGSEGV, &handler, &before), 0);
	assert_int_equal(mprotect(page, SYT_PAGE_BYTES, PROT_NONE), 0);
	trace = syt_read_memory(recorder.dump, recorder.bytes, &window, &report);
	assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
	return trace;
}

static void finish(struct syt_trace_data *trace)
{
	syt_trace_destroy(trace);
	munmap(recorder.map, recorder.map_bytes);
}

/* The chunk of the block becomes a part of the dump. */
static void add_chunk(void)
{
	header()->used = recorder.used;
}

static void reads_a_block_that_was_sealed_meanwhile(void **state)
{
	struct syt_trace_data *trace;

	(void)state;
	make_dump(0);
	recorder.used = header()->used;
	header()->used = (uint64_t)((uint8_t *)find_chunk(SYT_CHUNK_BLOCKS) - recorder.dump);
	assert_true((uint8_t *)recorder.slot < recorder.dump + header()->used);
	trace = read_dump(recorder.slot, add_chunk);
	assert_int_equal(header()->used, recorder.used);
	assert_int_equal(trace->images[0].threads[0].base, 0);
	assert_int_equal(trace->images[0].threads[0].nr_rows, 2 * NR_EVENTS);
	finish(trace);
}

/* The call of the note ends, and the next call begins. */
static void note_next_call(void)
{
	recorder.slot->in_flight[0] = (struct syt_in_flight){.position = 70, .object = 3};
}

/* A page begins between the two members of a note. */
static void mixes_no_notes_of_two_calls(void **state)
{
	size_t middle =
		offsetof(struct syt_slot, in_flight) + offsetof(struct syt_in_flight, object);
	struct syt_trace_data *trace;
	const struct syt_in_flight_info *note;

	(void)state;
	make_dump(SYT_PAGE_BYTES - middle);
	recorder.slot->in_flight[0] =
		(struct syt_in_flight){.position = 5, .object = 8, .is_out = 1};
	trace = read_dump((uint8_t *)recorder.slot + middle, note_next_call);
	assert_int_equal(recorder.slot->in_flight[0].object, 3);
	assert_int_equal(trace->images[0].nr_in_flight, 1);
	note = &trace->images[0].in_flight[0];
	assert_int_equal(note->object, 2);
	assert_int_equal(note->position, 70);
	assert_false(note->is_out);
	finish(trace);
}

/* The calls of the lane end, of which the last one had a note. */
static void end_calls(void)
{
	recorder.slot->lanes[0].committed = recorder.committed;
	recorder.slot->in_flight[0].object = 0;
}

/* The page with the note comes after the page with the state of the lane. */
static void misses_no_call_that_ended_meanwhile(void **state)
{
	size_t middle = offsetof(struct syt_slot, in_flight);
	struct syt_trace_data *trace;

	(void)state;
	make_dump(SYT_PAGE_BYTES - middle);
	recorder.committed = recorder.slot->lanes[0].committed;
	recorder.slot->lanes[0].committed = 0;
	recorder.slot->in_flight[0] = (struct syt_in_flight){.position = 5, .object = 8};
	trace = read_dump((uint8_t *)recorder.slot + middle, end_calls);
	assert_int_equal(recorder.slot->lanes[0].committed, recorder.committed);
	assert_int_equal(trace->images[0].nr_in_flight, 0);
	assert_int_equal(trace->images[0].threads[0].nr_rows, 2 * NR_EVENTS);
	finish(trace);
}

/* The thread has sealed its block since the reader copied the lane. The block began before the window. */
static void prefers_the_sealed_block_to_the_copy_of_its_begin(void **state)
{
	const struct syt_read_options window = {
		.nr_workers = 1, .from_ticks = 1100, .most_events = 1000000};
	struct syt_writer *w = syt_writer_create(0, 100);
	uint32_t thread = syt_writer_thread(w, 100, UINT32_MAX, "main");
	struct syt_read_report report;
	struct syt_trace_data *trace;
	size_t nr_bytes;
	uint8_t *bytes;

	(void)state;
	make_dump(0);
	write_events(w, thread, 1000, NR_EVENTS / 2);
	bytes = syt_writer_finish(w, &nr_bytes);
	memcpy(recorder.slot, bytes + ((uint8_t *)recorder.slot - recorder.dump),
	       recorder.slot->chunk.bytes);
	free(bytes);
	trace = syt_read_memory(recorder.dump, recorder.bytes, &window, &report);
	assert_int_equal(trace->images[0].threads[0].base, 0);
	assert_int_equal(trace->images[0].threads[0].nr_rows, NR_EVENTS);
	finish(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_block_that_was_sealed_meanwhile),
		cmocka_unit_test(mixes_no_notes_of_two_calls),
		cmocka_unit_test(misses_no_call_that_ended_meanwhile),
		cmocka_unit_test(prefers_the_sealed_block_to_the_copy_of_its_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
