/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads dumps of sampled processes, and shadow recordings as if they were sampled (decoder/read/part.h, left_out.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/read/part.h"
#include "decoder/read/reader.h"
#include "tests/lib/dump-writer.h"

static struct syt_writer *w;
static uint32_t t, m, stack;

static void start(uint16_t major)
{
	w = syt_writer_create(0, 100);
	t = syt_writer_thread(w, 100, UINT32_MAX, "main");
	m = syt_writer_object(w, SYT_KIND_SEM, 0x5000, 0, 0);
	stack = syt_writer_stack(w, 0, 0, 0x1000);
	syt_writer_text(w, SYT_TEXT_SAMPLER, 0, "bucket:size=1,rate=1");
	syt_writer_header(w)->major = major;
}

static void post(uint64_t stamp, struct syt_event e)
{
	e.stamp = stamp;
	e.call = syt_writer_call(w, "sem_post");
	e.object = m;
	syt_writer_event(w, t, &e);
}

static struct syt_trace_data *read_trace(bool is_as_sampled, struct syt_read_report *report)
{
	const struct syt_read_options options = {.is_as_sampled = is_as_sampled, .is_sparse = true};
	size_t bytes;
	uint8_t *dump = syt_writer_finish(w, &bytes);
	struct syt_trace_data *trace = syt_read_memory(dump, bytes, &options, report);

	free(dump);
	return trace;
}

static void meta_left_out(uint16_t site, uint32_t number, uint64_t nr)
{
	const struct syt_meta_left_out r = {.thread = t,
	                                    .stack = stack,
	                                    .site = site,
	                                    .call = syt_writer_call(w, "sem_post"),
	                                    .number = number,
	                                    .left_out = nr};

	syt_writer_meta(w, SYT_META_LEFT_OUT, &r, sizeof(r));
}

static void reads_gaps_ghosts_and_numbers(void **state)
{
	struct syt_read_report report;
	struct syt_sampling *s;
	struct syt_trace_data *trace;
	const struct syt_thread *thread;
	struct syt_calls calls;

	(void)state;
	start(SYT_FORMAT_MAJOR_SAMPLED);
	post(100, (struct syt_event){.stack = stack});
	post(200, (struct syt_event){.stack = stack, .left_out = 3, .gap = 40});
	post(300, (struct syt_event){.dur = 5}); /* a ghost */
	post(400, (struct syt_event){.stack = stack});
	meta_left_out(7, 1, 2);
	s = syt_writer_sampling(w, t);
	s->counts[9].left_out = 6;
	s->counts[9].call = syt_writer_call(w, "sem_post");
	s->sites.all[9].stack = stack;
	s->left_out = 5;
	s->gap_from = 410;
	s->nr_flushed = 1;
	trace = read_trace(false, &report);
	assert_false(report.is_damaged);
	assert_null(trace->sparse);
	assert_true(syt_trace_is_sampled(trace));
	assert_string_equal(syt_sampler_of(trace), "bucket:size=1,rate=1");
	thread = &trace->images[0].threads[0];
	assert_int_equal(thread->nr_rows, 4);
	assert_int_equal(thread->nr_ghosts, 1);
	assert_true(syt_row_is_ghost(thread, &thread->rows[2]));
	assert_int_equal(syt_thread_extra(thread, &thread->rows[1])->left_out, 3);
	/* the gap, the ghost, and the event after it begin a part */
	assert_int_equal(thread->nr_parts, 3);
	assert_int_equal(thread->parts[0].row, 1);
	assert_int_equal(SYT_TIME_NS(thread->parts[0].gap_from), 160);
	assert_int_equal(SYT_TIME_NS(syt_part_gap_after(thread, 0)), 160);
	assert_true(syt_part_gap_after(thread, 1) == UINT64_MAX);
	assert_int_equal(SYT_TIME_NS(syt_part_gap_after(thread, 3)), 410);
	assert_false(syt_part_is_one(thread, 0, 1));
	assert_false(syt_part_is_one(thread, 2, 3));
	assert_int_equal(thread->left_out_last, 5);
	calls = syt_calls_of(trace);
	assert_int_equal(calls.whole, 3);
	assert_int_equal(calls.ghosts, 1);
	assert_int_equal(calls.left_out, 8);
	assert_int_equal(trace->images[0].nr_left_out, 2);
	syt_trace_destroy(trace);
}

/* A process was killed after it had written the record of an entry, and before it cleared the entry. */
static void counts_a_flushed_entry_once(void **state)
{
	struct syt_read_report report;
	struct syt_trace_data *trace;

	(void)state;
	start(SYT_FORMAT_MAJOR_SAMPLED);
	post(100, (struct syt_event){.stack = stack});
	meta_left_out(9, 1, 6);
	syt_writer_sampling(w, t)->counts[9].left_out = 6;
	syt_writer_sampling(w, t)->counts[10].left_out = 1;
	trace = read_trace(false, &report);
	assert_int_equal(trace->images[0].threads[0].nr_left_out, 7);
	syt_trace_destroy(trace);
}

static void saturates_hostile_sums(void **state)
{
	struct syt_read_report report;
	struct syt_trace_data *trace;
	const struct syt_thread *thread;
	struct syt_calls calls;

	(void)state;
	start(SYT_FORMAT_MAJOR_SAMPLED);
	post(100, (struct syt_event){.stack = stack,
	                             .left_out = UINT64_MAX,
	                             .gap = UINT64_MAX,
	                             .crossed = UINT64_MAX});
	post(200, (struct syt_event){.stack = stack, .left_out = 1, .gap = UINT64_MAX});
	meta_left_out(1, 1, UINT64_MAX);
	meta_left_out(2, 2, UINT64_MAX);
	trace = read_trace(false, &report);
	thread = &trace->images[0].threads[0];
	assert_true(syt_thread_extra(thread, &thread->rows[0])->left_out == UINT32_MAX);
	calls = syt_calls_of(trace);
	assert_true(calls.left_out == UINT64_MAX);
	assert_true(syt_calls_sum(&calls) == UINT64_MAX);
	syt_trace_destroy(trace);
}

static void shadow(void)
{
	start(SYT_FORMAT_MAJOR);
	post(100, (struct syt_event){.stack = stack});
	post(200, (struct syt_event){.stack = stack, .decision = SYT_DECISION_OUT});
	post(300, (struct syt_event){.stack = stack, .dur = 3, .decision = SYT_DECISION_OUT});
	post(400, (struct syt_event){.stack = stack});
	post(500, (struct syt_event){.stack = stack, .decision = SYT_DECISION_GHOST});
	post(600, (struct syt_event){.stack = stack, .decision = SYT_DECISION_OUT});
}

static void one_shadow_recording_is_two_traces(void **state)
{
	struct syt_read_report report;
	struct syt_trace_data *trace;
	const struct syt_thread *thread;
	struct syt_calls calls;

	(void)state;
	shadow();
	trace = read_trace(false, &report);
	assert_false(syt_trace_is_sampled(trace));
	assert_int_equal(trace->images[0].nr_decoded, 6);
	syt_trace_destroy(trace);

	shadow();
	trace = read_trace(true, &report);
	thread = &trace->images[0].threads[0];
	assert_true(syt_trace_is_sampled(trace));
	assert_int_equal(thread->nr_rows, 3);
	assert_int_equal(syt_thread_extra(thread, &thread->rows[1])->left_out, 2);
	assert_int_equal(SYT_TIME_NS(syt_part_gap_after(thread, 0)), 200);
	assert_int_equal(thread->rows[2].stack, 0);
	assert_true(syt_row_is_ghost(thread, &thread->rows[2]));
	assert_int_equal(thread->left_out_last, 1);
	assert_int_equal(SYT_TIME_NS(syt_part_gap_after(thread, 2)), 600);
	calls = syt_calls_of(trace);
	assert_int_equal(calls.whole, 2);
	assert_int_equal(calls.ghosts, 1);
	assert_int_equal(calls.left_out, 3);
	assert_int_equal(trace->images[0].nr_recorded, 3);
	assert_int_equal(trace->images[0].nr_decoded, 3);
	assert_int_equal(trace->images[0].left_out[0].nr, 3);
	assert_int_equal(trace->images[0].left_out[0].stack, stack);
	syt_trace_destroy(trace);
}

static void events_without_stack_of_a_full_trace_are_no_ghosts(void **state)
{
	struct syt_read_report report;
	struct syt_trace_data *trace;

	(void)state;
	start(SYT_FORMAT_MAJOR);
	post(100, (struct syt_event){.left_out = 7});
	trace = read_trace(false, &report);
	assert_int_equal(trace->images[0].threads[0].nr_ghosts, 0);
	assert_int_equal(trace->images[0].threads[0].nr_parts, 0);
	syt_trace_destroy(trace);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_gaps_ghosts_and_numbers),
		cmocka_unit_test(counts_a_flushed_entry_once),
		cmocka_unit_test(saturates_hostile_sums),
		cmocka_unit_test(one_shadow_recording_is_two_traces),
		cmocka_unit_test(events_without_stack_of_a_full_trace_are_no_ghosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
