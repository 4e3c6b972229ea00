/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/read/reader.h, while the recorder writes into the dump. Access to the page of a slot traps until the recorder has
 * done its next step, so this step comes after the reader has seen the header, and before it sees the slot.
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
	uint8_t *dump;
	size_t bytes;
	uint8_t *slot;
	uint64_t used; /* after the step of the recorder */
} recorder;

static void write_block(struct syt_writer *w, uint32_t thread, uint64_t start)
{
	for (unsigned i = 0; i < NR_EVENTS; i++)
		syt_writer_event(
			w, thread,
			&(struct syt_event){.stamp = start + i,
		                            .call = syt_writer_call(w, "pthread_mutex_lock")});
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

/* The chunk of the block becomes a part of the dump. */
static void go_on(int signal)
{
	struct syt_file *file = (struct syt_file *)(void *)recorder.dump;

	(void)signal;
	if (mprotect(recorder.slot, SYT_PAGE_BYTES, PROT_READ | PROT_WRITE))
		abort();
	file->used = recorder.used;
}

/* Puts a dump into memory whose last chunk has the sealed block of the only thread. The lane has the next block. */
static void make_dump(void)
{
	struct syt_writer *w = syt_writer_create(0, 100);
	uint32_t thread = syt_writer_thread(w, 100, UINT32_MAX, "main");
	uint8_t *bytes;

	write_block(w, thread, 1000);
	syt_writer_seal(w, thread, 0);
	write_block(w, thread, 2000);
	bytes = syt_writer_finish(w, &recorder.bytes);
	recorder.dump = mmap(NULL, recorder.bytes, PROT_READ | PROT_WRITE,
	                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(recorder.dump != MAP_FAILED);
	memcpy(recorder.dump, bytes, recorder.bytes);
	free(bytes);
}

static void reads_a_block_that_was_sealed_meanwhile(void **state)
{
	const struct sigaction handler = {.sa_handler = go_on};
	const struct syt_read_options window = {
		.nr_workers = 1, .from_ticks = 1, .most_events = 1000000};
	struct syt_read_report report;
	struct syt_trace_data *trace;
	struct syt_file *file;
	struct sigaction before;

	(void)state;
	make_dump();
	file = (struct syt_file *)(void *)recorder.dump;
	recorder.slot = (uint8_t *)find_chunk(SYT_CHUNK_SLOT);
	recorder.used = file->used;
	file->used = (uint64_t)((uint8_t *)find_chunk(SYT_CHUNK_BLOCKS) - recorder.dump);
	assert_true(recorder.slot < recorder.dump + file->used);
	assert_int_equal(sigaction(SIGSEGV, &handler, &before), 0);
	assert_int_equal(mprotect(recorder.slot, SYT_PAGE_BYTES, PROT_NONE), 0);
	trace = syt_read_memory(recorder.dump, recorder.bytes, &window, &report);
	assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
	assert_int_equal(file->used, recorder.used);
	assert_int_equal(trace->images[0].threads[0].base, 0);
	assert_int_equal(trace->images[0].threads[0].nr_rows, 2 * NR_EVENTS);
	syt_trace_destroy(trace);
	munmap(recorder.dump, recorder.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_block_that_was_sealed_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
