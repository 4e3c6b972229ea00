/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/check/check_losses.c and decoder/check/check_sequence.c: from dumps with overwritten
 * events, events that found no space, and damaged blocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/check/check.h"
#include "decoder/read/reader.h"
#include "tests/lib/dump-writer.h"

#define NR_EVENTS 10u /* of a block */

static struct syt_writer *w;
static uint32_t t;

static void block(uint64_t from)
{
	for (unsigned i = 0; i < NR_EVENTS; i++)
		syt_writer_event(
			w, t,
			&(struct syt_event){.call = syt_writer_call(w, "pthread_mutex_lock"),
		                            .stamp = from + i});
}

static void start(void)
{
	w = syt_writer_create(0, 77);
	t = syt_writer_thread(w, 77, UINT32_MAX, "main");
	syt_writer_thread(w, 78, 0, "other");
	block(1000);
	syt_writer_seal(w, t, 0);
}

static void expect(struct syt_trace_data *trace, const char *name, uint64_t checked,
                   uint64_t violations, enum syt_excuse excuse, uint64_t unproven)
{
	struct syt_order o;
	struct syt_check c;
	unsigned i = 0;

	while (strcmp(syt_invariants[i].name, name))
		i++;
	assert_int_equal(syt_order_open(&o, trace), 0);
	syt_check_run(&c, &syt_invariants[i], &o, 1);
	assert_int_equal(c.nr_checked, checked);
	assert_int_equal(c.nr_violations, violations);
	assert_int_equal(c.unproven[excuse], unproven);
	assert_int_equal(syt_check_unproven(&c), unproven);
	syt_check_close(&c);
	syt_order_close(&o);
}

static void intact(void **state)
{
	(void)state;
	start();
	block(2000);
	struct syt_trace_data *trace = syt_writer_read(w);

	expect(trace, "losses", 20, 0, SYT_EXCUSE_DAMAGED, 0);
	expect(trace, "sequence", 20, 0, SYT_EXCUSE_DAMAGED, 0);
	/* as if a block of events between the two blocks were missing */
	trace->images[0].threads[0].gaps++;
	trace->images[0].threads[0].numbered++;
	expect(trace, "losses", 20, 1, SYT_EXCUSE_DAMAGED, 0);
	expect(trace, "sequence", 20, 1, SYT_EXCUSE_DAMAGED, 0);
	trace->images[0].threads[0].gaps--;
	expect(trace, "losses", 20, 1, SYT_EXCUSE_DAMAGED, 0);
	trace->images[0].threads[0].numbered--;
	trace->images[0].threads[0].nr_rows--;
	expect(trace, "losses", 20, 2, SYT_EXCUSE_DAMAGED, 0);
	syt_trace_destroy(trace);
}

static void overwritten(void **state)
{
	(void)state;
	start();
	block(2000);
	syt_writer_seal(w, t, 0);
	syt_writer_overwrite(w, t, 0);
	struct syt_trace_data *trace = syt_writer_read(w);

	expect(trace, "losses", 20, 0, SYT_EXCUSE_OVERWRITTEN, 0);
	expect(trace, "sequence", 10, 0, SYT_EXCUSE_OVERWRITTEN, 10);
	trace->images[0].nr_overwritten -= 2; /* fewer were counted */
	expect(trace, "losses", 20, 2, SYT_EXCUSE_OVERWRITTEN, 0);
	expect(trace, "sequence", 10, 1, SYT_EXCUSE_OVERWRITTEN, 0);
	syt_trace_destroy(trace);
}

static void found_no_room(void **state)
{
	(void)state;
	start();
	syt_writer_drop(w, t, 0, 7);
	block(2000);
	struct syt_trace_data *trace = syt_writer_read(w);

	expect(trace, "losses", 20, 0, SYT_EXCUSE_OVERWRITTEN, 0);
	expect(trace, "sequence", 20, 0, SYT_EXCUSE_OVERWRITTEN, 7);
	trace->images[0].file.lost[SYT_LOSS_NO_SPACE]--;
	expect(trace, "sequence", 20, 1, SYT_EXCUSE_OVERWRITTEN, 0);
	syt_trace_destroy(trace);
}

/* Damages the header of the N-th block so that the reader does not recognize it. */
static void break_block(uint8_t *dump, size_t bytes, unsigned n)
{
	for (size_t at = SYT_PAGE_BYTES; at + sizeof(struct syt_block) < bytes; at += 8) {
		struct syt_block b;

		memcpy(&b, dump + at, sizeof(b));
		if (b.magic == SYT_BLOCK_MAGIC && b.nr_events == NR_EVENTS && !n--) {
			dump[at] ^= 1;
			return;
		}
	}
	fail();
}

/* The check does not trust events that depend on a lost block, although the neighbouring blocks are intact. */
static void damaged(void **state)
{
	const struct syt_read_options quiet = {.problems_shown = 0};
	struct syt_read_report report;
	struct syt_trace_data *trace;
	struct syt_places places;
	uint8_t *dump;
	size_t bytes;

	(void)state;
	start();
	block(2000);
	syt_writer_seal(w, t, 0);
	block(3000);
	syt_writer_seal(w, t, 0);
	dump = syt_writer_finish(w, &bytes);
	break_block(dump, bytes, 1);
	trace = syt_read_memory(dump, bytes, &quiet, &report);
	assert_true(trace->images[0].is_garbled);
	assert_int_equal(trace->images[0].threads[0].gaps, 10);
	expect(trace, "losses", 30, 0, SYT_EXCUSE_DAMAGED, 10);
	expect(trace, "sequence", 20, 0, SYT_EXCUSE_DAMAGED, 10);
	assert_int_equal(syt_places_open(&places, trace), 0);
	assert_int_equal(places.complete_from[0], UINT64_MAX);
	syt_places_close(&places);
	syt_trace_destroy(trace);
	free(dump);
}

/* Expects that all events after FROM are there, and that events before FROM are there, too, if IS_UNEVEN. */
static void expect_complete(struct syt_trace_data *trace, uint64_t from, bool is_uneven)
{
	struct syt_places places;

	assert_int_equal(trace->images[0].threads[0].is_uneven, is_uneven);
	assert_int_equal(syt_places_open(&places, trace), 0);
	assert_int_equal(places.complete_from[0], from << SYT_TIME_SHIFT);
	syt_places_close(&places);
}

/* Writes two blocks of a signal handler. */
static void handlers_blocks(uint64_t from)
{
	for (unsigned i = 0; i < 2 * NR_EVENTS; i++) {
		syt_writer_lane_event(
			w, t, 1,
			&(struct syt_event){.call = syt_writer_call(w, "pthread_mutex_lock"),
		                            .stamp = from + i});
		if (i == NR_EVENTS - 1)
			syt_writer_seal(w, t, 1);
	}
}

static void lane_lost_its_first_block(void **state)
{
	struct syt_trace_data *trace;

	(void)state;
	start();
	block(2000);
	syt_writer_overwrite(w, t, 0);
	trace = syt_writer_read(w);
	expect_complete(trace, 1009, false);
	syt_trace_destroy(trace);
}

/* The overwritten events of the handler may be later than the thread's first events. */
static void handlers_lane_lost_its_first_block(void **state)
{
	struct syt_trace_data *trace;

	(void)state;
	start();
	handlers_blocks(1500);
	syt_writer_overwrite(w, t, 1);
	trace = syt_writer_read(w);
	expect_complete(trace, 1509, true);
	expect(trace, "sequence", 20, 0, SYT_EXCUSE_OVERWRITTEN, 10);
	syt_trace_destroy(trace);
}

/* The thread's first events are those of the handler; later events of the thread were overwritten. */
static void lane_lost_events_after_those_of_a_handler(void **state)
{
	struct syt_trace_data *trace;

	(void)state;
	start();
	block(2000);
	handlers_blocks(500);
	syt_writer_overwrite(w, t, 0);
	trace = syt_writer_read(w);
	expect_complete(trace, 1009, true);
	syt_trace_destroy(trace);
}

static void slot_lost_the_events_of_a_thread_before(void **state)
{
	struct syt_trace_data *trace;

	(void)state;
	start();
	syt_writer_overwrite_unseen(w, t, 5);
	trace = syt_writer_read(w);
	expect_complete(trace, 1, false);
	syt_trace_destroy(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intact),
		cmocka_unit_test(overwritten),
		cmocka_unit_test(found_no_room),
		cmocka_unit_test(damaged),
		cmocka_unit_test(lane_lost_its_first_block),
		cmocka_unit_test(handlers_lane_lost_its_first_block),
		cmocka_unit_test(lane_lost_events_after_those_of_a_handler),
		cmocka_unit_test(slot_lost_the_events_of_a_thread_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
