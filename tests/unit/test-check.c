/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/check/, without locks and semaphores: for each invariant a history that violates it, a
 * history that nearly violates it, and a history that proves no violation.
 */
#include <errno.h>

#include "tests/unit/invariant-check.h"

/* ---- time ---- */

static void calls_are_nested(void **state)
{
	(void)state;
	start(1);
	on(0, SYT_SHAPE_SEM_WAIT, 0, 10, 100);
	on(0, SYT_SHAPE_LOCK, 0, 20, 30); /* a handler's */
	on(0, SYT_SHAPE_LOCK, 0, 30, 100);
	on(0, SYT_SHAPE_LOCK, 0, 100, 110);
	expect("time", 4, 0, 0);
}

static void calls_that_cross(void **state)
{
	(void)state;
	start(1);
	on(0, SYT_SHAPE_SEM_WAIT, 0, 10, 100);
	on(0, SYT_SHAPE_LOCK, 0, 20, 30);
	on(0, SYT_SHAPE_LOCK, 0, 40, 101);
	expect_and("time", 3, 1, 0,
	           "the second event begins during the first event, and ends after it");
}

static void a_call_around_very_many(void **state)
{
	(void)state;
	start(1);
	for (syt_time t = 1; t <= 100000; t++)
		on(0, SYT_SHAPE_LOCK, 0, 3 * t, 3 * t + 1);
	for (syt_time t = 0; t < 20; t++)
		on(0, SYT_SHAPE_SEM_WAIT, 0, t + 1, 400000 - t);
	on(0, SYT_SHAPE_SEM_WAIT, 0, 60000, 400000);
	/* The second call overlaps all other calls, except the longest call and the call with the same end. */
	expect("time", 100021, 1, 0);
}

/* ---- barrier ---- */

static void wait_at(uint32_t thread, uint32_t barrier, syt_time in, syt_time out, bool is_serial)
{
	event(thread, (struct syt_made){SYT_SHAPE_BARRIER_WAIT, barrier, .in = in, .out = out,
	                                .result = is_serial ? -1 : 0, .count = 2});
}

static void rounds(void **state)
{
	(void)state;
	start(2);
	uint32_t r = syt_builder_object(b, p, SYT_KIND_BARRIER, 0x4000, 0, 0);

	wait_at(0, r, 10, 20, false);
	wait_at(1, r, 20, 20, true);
	wait_at(0, r, 21, 40, true);
	wait_at(1, r, 22, 23, false);
	all_end(2, 50);
	expect("barrier", 4, 0, 0);
}

static void round_left_too_early(void **state)
{
	(void)state;
	start(2);
	uint32_t r = syt_builder_object(b, p, SYT_KIND_BARRIER, 0x4000, 0, 0);

	wait_at(0, r, 10, 20, false);
	wait_at(1, r, 21, 22, true);
	all_end(2, 50);
	expect("barrier", 2, 1, 0);
}

static void two_serial_threads(void **state)
{
	(void)state;
	start(2);
	uint32_t r = syt_builder_object(b, p, SYT_KIND_BARRIER, 0x4000, 0, 0);

	wait_at(0, r, 10, 20, true);
	wait_at(1, r, 19, 22, true);
	all_end(2, 50);
	expect_and("barrier", 2, 1, 0,
	           "the number of serial threads is not the number of barrier rounds");
}

static void half_a_round(void **state)
{
	(void)state;
	start(2);
	uint32_t r = syt_builder_object(b, p, SYT_KIND_BARRIER, 0x4000, 0, 0);

	wait_at(0, r, 10, 20, true);
	all_end(2, 50);
	expect_and("barrier", 1, 1, 0,
	           "fewer threads left the last barrier round than the barrier needs");
}

static void half_a_round_of_a_stopped_thread(void **state)
{
	(void)state;
	start(2);
	uint32_t r = syt_builder_object(b, p, SYT_KIND_BARRIER, 0x4000, 0, 0);

	wait_at(0, r, 10, 20, true);
	on(0, SYT_SHAPE_EXIT, 0, 40, 40);
	expect("barrier", 0, 0, 1);
}

/* ---- team ---- */

static void arrive(uint32_t thread, uint32_t team, uint64_t ordinal, syt_time in, syt_time out)
{
	event(thread, (struct syt_made){SYT_SHAPE_TEAM_BARRIER, team, .in = in, .out = out,
	                                .arg = 7, .offset = ordinal});
}

static uint32_t region(void)
{
	uint32_t o = syt_builder_object(b, p, SYT_KIND_TEAM, 0x7000, 0, 0);

	for (uint32_t t = 0; t < 2; t++)
		event(t, (struct syt_made){SYT_SHAPE_TEAM_ENTER, o, .in = 5 + t, .arg = 7,
		                           .offset2 = t + 1});
	return o;
}

static void team_meets(void **state)
{
	(void)state;
	start(2);
	uint32_t o = region();

	arrive(0, o, 0, 10, 20);
	arrive(1, o, 0, 20, 30);
	arrive(0, o, 1, 21, 40);
	arrive(1, o, 1, 31, 32);
	all_end(2, 50);
	expect("team", 4, 0, 0);
}

static void team_does_not_meet(void **state)
{
	(void)state;
	start(2);
	uint32_t o = region();

	arrive(0, o, 0, 10, 19);
	arrive(1, o, 0, 20, 30);
	arrive(0, o, 1, 21, 40);
	all_end(2, 50);
	expect("team", 3, 2, 0);
	start(2);
	o = region();
	arrive(0, o, 0, 10, 19);
	event(1, (struct syt_made){SYT_SHAPE_TEAM_BARRIER, o, .in = 11, .out = 12, .result = 1,
	                           .arg = 7});
	all_end(2, 50);
	expect("team", 0, 0, 4);
}

/* ---- stream ---- */

static uint32_t pipe_of(void)
{
	return syt_builder_object(b, p, SYT_KIND_PIPE, 0x5000, 0, SYT_OBJECT_SHARED);
}

static void move(uint32_t thread, enum syt_shape shape, uint32_t object, syt_time in, syt_time out,
                 uint64_t offset, uint64_t bytes)
{
	event(thread,
	      (struct syt_made){shape, object, .in = in, .out = out, .result = (int64_t)bytes,
	                        .offset = offset, .bytes = bytes});
}

static void ranges_meet(void **state)
{
	(void)state;
	start(3);
	uint32_t s = pipe_of();

	/* these two calls overlap, so the counter may count them in either order */
	move(0, SYT_SHAPE_SEND, s, 10, 20, 5, 10);
	move(1, SYT_SHAPE_SEND, s, 11, 19, 0, 5);
	move(2, SYT_SHAPE_RECV, s, 12, 30, 0, 8);
	move(2, SYT_SHAPE_RECV, s, 31, 32, 8, 2);
	all_end(3, 50);
	expect("stream", 4, 0, 0);
}

static void counted_twice(void **state)
{
	(void)state;
	start(2);
	uint32_t s = pipe_of();

	move(0, SYT_SHAPE_SEND, s, 10, 11, 0, 10);
	move(0, SYT_SHAPE_SEND, s, 12, 13, 9, 10);
	all_end(2, 50);
	expect_and("stream", 2, 1, 0,
	           "the bytes of the second call overlap the bytes of the first call");
}

static void not_recorded(void **state)
{
	(void)state;
	start(2);
	uint32_t s = pipe_of();

	move(0, SYT_SHAPE_SEND, s, 10, 11, 0, 10);
	move(0, SYT_SHAPE_SEND, s, 12, 13, 11, 10);
	all_end(2, 50);
	expect_and("stream", 2, 1, 0, "bytes between the two calls are missing");
}

static void not_recorded_by_a_stopped_thread(void **state)
{
	(void)state;
	start(2);
	uint32_t s = pipe_of();

	move(0, SYT_SHAPE_SEND, s, 10, 11, 0, 10);
	move(0, SYT_SHAPE_SEND, s, 12, 13, 11, 10);
	on(0, SYT_SHAPE_EXIT, 0, 40, 40);
	on(1, SYT_SHAPE_LOCK, 0, 5, 5);
	expect("stream", 2, 0, 1);
}

/* The trace lacks the dump of the child. */
static void not_recorded_by_a_child(void **state)
{
	(void)state;
	start(1);
	uint32_t s = pipe_of();

	event(0, (struct syt_made){SYT_SHAPE_FORK, .in = 5, .out = 6, .result = 200, .pid = 200});
	move(0, SYT_SHAPE_SEND, s, 10, 11, 0, 10);
	move(0, SYT_SHAPE_SEND, s, 12, 13, 11, 10);
	all_end(1, 50);
	expect("stream", 2, 0, 1);
}

static void positions_against_time(void **state)
{
	(void)state;
	start(2);
	uint32_t s = pipe_of();

	move(0, SYT_SHAPE_SEND, s, 20, 21, 0, 10);
	move(1, SYT_SHAPE_SEND, s, 10, 19, 10, 10);
	all_end(2, 50);
	expect("stream", 2, 1, 0);
}

static void untraced_writers_are_summed_up(void **state)
{
	(void)state;
	start(2);
	uint32_t s = pipe_of();

	move(0, SYT_SHAPE_SEND, s, 20, 21, 0, 10);
	move(1, SYT_SHAPE_RECV, s, 22, 23, 0, 30);
	all_end(2, 50);
	expect("stream", 2, 0, 0);
}

static void messages(void **state)
{
	(void)state;
	for (uint64_t missing = 0; missing < 2; missing++) {
		start(2);
		uint32_t q = syt_builder_object(b, p, SYT_KIND_QUEUE, 0x8000, 0, 0);

		for (uint64_t i = 0; i < 3; i++) {
			event(0, (struct syt_made){SYT_SHAPE_SEND, q, .in = 10 + i, .count = 1,
			                           .offset = i});
			event(1, (struct syt_made){SYT_SHAPE_RECV, q, .out = 20 + i, .count = 1,
			                           .offset = i + (i == 2) * missing});
		}
		all_end(2, 50);
		expect("stream", 6, missing, 0);
	}
}

/* ---- thread, process, endpoint ---- */

static void threads_in_order(void **state)
{
	(void)state;
	start(2);
	event(0, (struct syt_made){SYT_SHAPE_CREATE, .in = 10, .out = 30, .thread1 = 2});
	on(1, SYT_SHAPE_THREAD_START, 0, 10, 10);
	on(1, SYT_SHAPE_THREAD_END, 0, 40, 40);
	event(0, (struct syt_made){SYT_SHAPE_JOIN, .in = 31, .out = 40, .thread1 = 2});
	expect("thread", 2, 0, 0);
}

static void started_before_it_was_created(void **state)
{
	(void)state;
	start(2);
	event(0, (struct syt_made){SYT_SHAPE_CREATE, .in = 10, .out = 30, .thread1 = 2});
	on(1, SYT_SHAPE_THREAD_START, 0, 9, 9);
	expect("thread", 2, 1, 0);
}

static void goes_on_after_the_join(void **state)
{
	(void)state;
	start(2);
	event(0, (struct syt_made){SYT_SHAPE_CREATE, .in = 10, .out = 30, .thread1 = 2});
	on(1, SYT_SHAPE_THREAD_START, 0, 10, 10);
	on(1, SYT_SHAPE_LOCK, 0, 41, 41);
	event(0, (struct syt_made){SYT_SHAPE_JOIN, .in = 31, .out = 40, .thread1 = 2});
	event(0, (struct syt_made){SYT_SHAPE_JOIN, .in = 42, .out = 43, .thread1 = 2});
	expect("thread", 2, 2, 0);
}

static void process(syt_time begin, syt_time end, syt_time reaped, uint64_t status)
{
	start(1);
	uint32_t q = syt_builder_image(b, 200);
	struct syt_trace_data *trace = syt_builder_trace(b);

	syt_builder_thread(b, q);
	trace->images[q].file.parent_index = p;
	trace->images[q].file.state = SYT_STATE_EXITED | 3 << 8;
	event(0, (struct syt_made){SYT_SHAPE_FORK, .in = 10, .out = 15, .result = 200, .pid = 200});
	event(0, (struct syt_made){SYT_SHAPE_REAP, .in = 20, .out = reaped, .result = 200,
	                           .pid = 200, .status = status});
	syt_builder_event(b, q, 0, (struct syt_made){SYT_SHAPE_PROCESS_START, .in = begin});
	syt_builder_event(b, q, 0, (struct syt_made){SYT_SHAPE_EXIT, .in = end});
}

static void processes_in_order(void **state)
{
	(void)state;
	process(10, 40, 40, 3 << 8);
	expect("process", 2, 0, 0);
}

static void processes_out_of_order(void **state)
{
	(void)state;
	process(9, 40, 41, 3 << 8);
	expect_and("process", 2, 1, 0, "the process has events before the event that created it");
	process(11, 40, 39, 3 << 8);
	expect_and("process", 2, 1, 0, "the process has events after wait() had returned it");
	process(11, 40, 41, 4 << 8);
	expect_and("process", 2, 1, 0,
	           "the parent received another exit status than the process had");
	process(11, 40, 41, 9); /* a signal killed the process after it had begun to exit */
	expect("process", 2, 0, 0);
}

static uint32_t counter(uint16_t flags)
{
	return syt_builder_object(b, p, SYT_KIND_EVENTFD, 0x6000, 0, flags);
}

static void closed(void **state)
{
	(void)state;
	start(2);
	uint32_t e = counter(0);

	on(0, SYT_SHAPE_OPEN, e, 10, 12);
	move(0, SYT_SHAPE_SEND, e, 20, 21, 0, 1);
	move(1, SYT_SHAPE_RECV, e, 29, 40, 0, 1); /* was under way */
	event(0, (struct syt_made){SYT_SHAPE_CLOSE, e, .in = 30, .out = 31, .arg = 1});
	event(1, (struct syt_made){SYT_SHAPE_SEND, e, .in = 50, .out = 51, .result = -1,
	                           .err = EBADF});
	expect("endpoint", 3, 0, 0);
}

static void used_when_it_was_closed(void **state)
{
	(void)state;
	start(2);
	uint32_t e = counter(0);

	on(0, SYT_SHAPE_OPEN, e, 10, 12);
	event(0, (struct syt_made){SYT_SHAPE_CLOSE, e, .in = 30, .out = 31, .arg = 1});
	move(1, SYT_SHAPE_RECV, e, 32, 40, 0, 1);
	expect("endpoint", 2, 1, 0);
}

static void came_back(void **state)
{
	(void)state;
	start(2);
	uint32_t e = counter(SYT_OBJECT_SHARED);

	event(0, (struct syt_made){SYT_SHAPE_CLOSE, e, .in = 30, .out = 31, .arg = 1});
	move(1, SYT_SHAPE_RECV, e, 32, 40, 0, 1);
	expect("endpoint", 2, 0, 1);
}

static void used_before_it_was_made(void **state)
{
	(void)state;
	start(2);
	uint32_t e = counter(0);

	move(1, SYT_SHAPE_SEND, e, 5, 9, 0, 1);
	on(0, SYT_SHAPE_OPEN, e, 10, 12);
	expect("endpoint", 1, 1, 0);
}

/* ---- edges, attribution ---- */

static void edges_of_a_good_trace(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex();

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_UNLOCK, m, 20, 20);
	on(1, SYT_SHAPE_LOCK, m, 5, 20);
	expect("edges", 1, 0, 0);
	start(2);
	m = mutex();
	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(1, SYT_SHAPE_UNLOCK, m, 20, 20);
	on(1, SYT_SHAPE_LOCK, m, 5, 20);
	expect("attribution", 2, 0, 2);
}

/*
 * An event that the rules refuse (a create after its thread's first event) is a defect of the
 * trace.
 */
static void edges_against_time(void **state)
{
	(void)state;
	start(2);
	event(0, (struct syt_made){SYT_SHAPE_CREATE, .in = 10, .out = 30, .thread1 = 2});
	on(1, SYT_SHAPE_THREAD_START, 0, 9, 9);
	expect("edges", 0, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_nested),
		cmocka_unit_test(calls_that_cross),
		cmocka_unit_test(a_call_around_very_many),
		cmocka_unit_test(rounds),
		cmocka_unit_test(round_left_too_early),
		cmocka_unit_test(two_serial_threads),
		cmocka_unit_test(half_a_round),
		cmocka_unit_test(half_a_round_of_a_stopped_thread),
		cmocka_unit_test(team_meets),
		cmocka_unit_test(team_does_not_meet),
		cmocka_unit_test(ranges_meet),
		cmocka_unit_test(counted_twice),
		cmocka_unit_test(not_recorded),
		cmocka_unit_test(not_recorded_by_a_stopped_thread),
		cmocka_unit_test(not_recorded_by_a_child),
		cmocka_unit_test(positions_against_time),
		cmocka_unit_test(untraced_writers_are_summed_up),
		cmocka_unit_test(messages),
		cmocka_unit_test(threads_in_order),
		cmocka_unit_test(started_before_it_was_created),
		cmocka_unit_test(goes_on_after_the_join),
		cmocka_unit_test(processes_in_order),
		cmocka_unit_test(processes_out_of_order),
		cmocka_unit_test(closed),
		cmocka_unit_test(used_when_it_was_closed),
		cmocka_unit_test(came_back),
		cmocka_unit_test(used_before_it_was_made),
		cmocka_unit_test(edges_of_a_good_trace),
		cmocka_unit_test(edges_against_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
