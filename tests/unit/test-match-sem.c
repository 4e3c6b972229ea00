/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/match/match_sem.c and decoder/match/match_barrier.c */
#include <errno.h>

#include "tests/unit/order-check.h"

static struct syt_builder *b;
static uint32_t p, s;

static void start(unsigned nr_threads, enum syt_kind kind)
{
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	for (unsigned i = 0; i < nr_threads; i++)
		syt_builder_thread(b, p);
	s = syt_builder_object(b, p, kind, 0x3000, 0, 0);
}

static void begins_with(uint64_t value)
{
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_INIT, s, .out = 1, .arg = value});
}

static void posts(uint32_t thread, syt_time at)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_SEM_POST, s, .in = at, .out = at + 1});
}

static void waits(uint32_t thread, syt_time in, syt_time out)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_SEM_WAIT, s, .in = in, .out = out,
	                                    .flags = SYT_EVENT_BLOCKED});
}

static void takes(uint32_t thread, syt_time at)
{
	syt_builder_event(b, p, thread, (struct syt_made){SYT_SHAPE_SEM_WAIT, s, .out = at});
}

static void tokens_in_order(void **state)
{
	(void)state;
	start(2, SYT_KIND_SEM);
	begins_with(0);
	posts(0, 10);
	posts(0, 20);
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_INFO, 0, .out = 25});
	takes(1, 30);
	posts(0, 40);
	takes(1, 50);
	takes(1, 60);
	expect_edges(b, "0.0.1>0.1.1 sem\n0.0.2>0.1.2 sem\n0.0.3>0.1.3 sem\n");
}

static void idle_workers_each_get_their_own(void **state)
{
	(void)state;
	start(4, SYT_KIND_SEM);
	begins_with(0);
	waits(1, 5, 22);
	waits(2, 6, 32);
	waits(3, 7, 42);
	posts(0, 20);
	posts(0, 30);
	posts(0, 40);
	expect_edges(b, "0.0.1>0.1.0 sem\n0.0.2>0.2.0 sem\n0.0.3>0.3.0 sem\n");
}

static void initial_tokens_need_no_source(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(2, SYT_KIND_SEM);
	begins_with(2);
	takes(1, 10);
	takes(1, 20);
	posts(0, 30);
	takes(1, 40);
	expect_edges_and(b, "0.0.1>0.1.2 sem\n", &c);
	assert_int_equal(c.unneeded, 2);
}

static void two_at_once_are_ambiguous(void **state)
{
	(void)state;
	start(4, SYT_KIND_SEM);
	begins_with(0);
	waits(1, 5, 40);
	waits(2, 6, 41);
	posts(0, 20);
	posts(3, 30);
	expect_edges(b, "0.0.1>0.1.0 sem*\n0.3.0>0.1.0 sem*\n"
	                "0.0.1>0.2.0 sem*\n0.3.0>0.2.0 sem*\n");
}

/* Thread 1 waits for another object, and a signal handler posts during the wait: the post may take
 * effect at any time until the wait ends. */
static void a_handlers_post_may_be_late(void **state)
{
	(void)state;
	start(4, SYT_KIND_SEM);
	begins_with(0);
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_PAUSE, .in = 5, .out = 60});
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_SEM_POST, s, .in = 20});
	posts(2, 22);
	takes(3, 30);
	expect_edges(b, "0.1.0>0.3.0 sem*\n0.2.0>0.3.0 sem*\n");
}

static void failed_waits_take_no_token(void **state)
{
	(void)state;
	start(2, SYT_KIND_SEM);
	begins_with(0);
	syt_builder_event(b, p, 1,
	                  (struct syt_made){SYT_SHAPE_SEM_WAIT, s, .in = 5, .out = 15, .result = -1,
	                                    .err = ETIMEDOUT});
	posts(0, 10);
	waits(1, 16, 20);
	expect_edges(b, "0.0.1>0.1.1 sem\n");
}

static void lock_in_disguise_is_run_after(void **state)
{
	(void)state;
	start(2, SYT_KIND_SEM);
	begins_with(1);
	takes(0, 10);
	waits(1, 15, 25);
	posts(0, 20);
	posts(1, 30);
	waits(0, 28, 35);
	posts(0, 40);
	expect_edges(b, "0.0.2>0.1.0 sem run-after\n0.1.1>0.0.3 sem run-after\n");
}

static void unknown_value_waits_for_a_blocked_wait(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(3, SYT_KIND_SEM);
	begins_with(0);
	posts(0, 10);
	posts(0, 12);
	takes(1, 15);
	takes(1, 20);
	posts(0, 30);
	takes(1, 40);
	waits(1, 50, 62); /* found it empty */
	posts(0, 60);
	posts(0, 70);
	takes(1, 80);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 3);
	expect_edges_and(b, "0.0.4>0.1.3 sem\n0.0.5>0.1.4 sem\n", &c);
	assert_int_equal(c.unattributed[SYT_REASON_OVERWRITTEN], 3);
}

/* ---- System V ---- */

static void does(uint32_t thread, enum syt_shape shape, syt_time in, syt_time out, uint64_t count)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){shape, s, .in = in, .out = out, .count = count});
}

static void sets(uint32_t thread, syt_time in, syt_time out, uint64_t value)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_INIT, s, .in = in, .out = out, .arg = value});
}

static void opens(syt_time at, uint64_t value)
{
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_INFO, s, .out = at, .arg = value});
}

/* The builder's INFO is the call sem_open. */
static void as_opened(void)
{
	syt_builder_trace(b)->images[p].calls[SYT_SHAPE_INFO].name = (char *)"sem_open";
}

/*
 * The first token was there when the semaphore was opened; values that later calls find do not
 * matter.
 */
static void a_named_semaphore_has_the_value_that_was_found(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(3, SYT_KIND_SEM);
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_INFO, 0, .out = 10});
	syt_builder_event(b, p, 2, (struct syt_made){SYT_SHAPE_INFO, 0, .out = 10});
	opens(10, 1);
	takes(1, 20);
	opens(25, 0);
	posts(1, 30);
	takes(2, 40);
	as_opened();
	expect_edges_and(b, "0.1.2>0.2.1 sem run-after\n", &c);
	assert_int_equal(c.unneeded, 1);
}

/* A wait may have been in progress when the semaphore was opened, so another process had used the
 * semaphore before. */
static void a_named_semaphore_in_use_has_an_unknown_value(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(3, SYT_KIND_SEM);
	opens(10, 1);
	takes(1, 20);
	posts(1, 30);
	takes(2, 40);
	as_opened();
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_BEFORE], 2);
}

/* In a forked child: no call initializes the semaphore, and its first waits do not block. */
static void a_noted_value_is_where_counting_starts(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(2, SYT_KIND_SEM);
	syt_builder_value(b, p, s, 0, 9);
	posts(0, 10);
	takes(1, 20);
	posts(0, 30);
	takes(1, 40);
	expect_edges_and(b, "0.0.0>0.1.0 sem\n0.0.1>0.1.1 sem\n", &c);
	assert_int_equal(c.attributed, 2);
}

/* The posts of the two tokens are unknown, so the waits do not count as unnecessary. */
static void tokens_that_were_there_have_an_unknown_source(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(2, SYT_KIND_SEM);
	syt_builder_value(b, p, s, 2, 9);
	takes(1, 10);
	takes(1, 20);
	posts(0, 30);
	takes(1, 40);
	expect_edges_and(b, "0.0.0>0.1.2 sem\n", &c);
	assert_int_equal(c.unattributed[SYT_REASON_BEFORE], 2);
	assert_int_equal(c.unneeded, 0);
}

/* The thread that forked was the only thread of the parent, so that thread, or its own parent process,
 * posted the tokens. */
static void tokens_of_a_parent_with_one_thread_need_no_source(void **state)
{
	struct syt_coverage c;
	struct syt_trace_data *t;

	(void)state;
	b = syt_builder_create();
	syt_builder_thread(b, syt_builder_image(b, 100));
	p = syt_builder_image(b, 101);
	syt_builder_thread(b, p);
	s = syt_builder_object(b, p, SYT_KIND_SEM, 0x3000, 0, 0);
	syt_builder_value(b, p, s, 1, 9);
	takes(0, 10);
	t = syt_builder_trace(b);
	t->images[0].file.parent_index = UINT32_MAX;
	t->images[1].file.parent_index = 0;
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unneeded, 1);
}

/* Missing events may lie after the instant at which the value was noted. */
static void a_noted_value_is_lost_with_events(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(2, SYT_KIND_SEM);
	syt_builder_value(b, p, s, 0, 9);
	posts(0, 10);
	posts(0, 20);
	takes(1, 30);
	takes(1, 40);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 1);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_OVERWRITTEN], 2);
}

static void several_tokens_at_once(void **state)
{
	(void)state;
	start(3, SYT_KIND_SEM);
	begins_with(1);
	does(0, SYT_SHAPE_SEM_POST, 10, 11, 3);
	does(1, SYT_SHAPE_SEM_POST, 20, 21, 2);
	does(2, SYT_SHAPE_SEM_WAIT, 30, 31, 2); /* the initial one and one of the first three */
	does(2, SYT_SHAPE_SEM_WAIT, 40, 41, 3); /* two of the first three, and one */
	does(2, SYT_SHAPE_SEM_WAIT, 50, 51, 1);
	expect_edges(b, "0.0.1>0.2.0 sem\n0.0.1>0.2.1 sem\n0.1.0>0.2.1 sem\n0.1.0>0.2.2 sem\n");
}

static void waits_for_zero_follow_the_takers(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(4, SYT_KIND_SEM);
	begins_with(0);
	does(3, SYT_SHAPE_SEM_ZERO, 5, 6, 0); /* no take had to come first */
	does(0, SYT_SHAPE_SEM_POST, 10, 11, 2);
	does(3, SYT_SHAPE_SEM_ZERO, 15, 42, 0);
	does(1, SYT_SHAPE_SEM_WAIT, 20, 21, 1);
	does(2, SYT_SHAPE_SEM_WAIT, 40, 45, 1); /* recorded after the wait that it ended */
	does(1, SYT_SHAPE_SEM_ZERO, 60, 61, 0);
	expect_edges_and(b,
	                 "0.0.1>0.1.0 sem\n0.1.0>0.3.1 sem\n0.2.0>0.3.1 sem\n"
	                 "0.0.1>0.2.0 sem\n0.2.0>0.1.1 sem\n",
	                 &c);
	assert_int_equal(c.unneeded, 1);

	/* a post is in progress: the wait for zero may have seen the zero before or after it */
	start(3, SYT_KIND_SEM);
	begins_with(0);
	does(0, SYT_SHAPE_SEM_POST, 10, 30, 1);
	does(2, SYT_SHAPE_SEM_ZERO, 20, 40, 0);
	does(1, SYT_SHAPE_SEM_WAIT, 25, 35, 1);
	expect_edges_and(b, "0.0.1>0.1.0 sem\n", &c);
	assert_int_equal(c.unattributed[SYT_REASON_UNCERTAIN], 1);
}

static void a_value_that_is_set_begins_anew(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(3, SYT_KIND_SEM);
	begins_with(0);
	waits(1, 5, 32); /* this wait took a token of the value that SETVAL had set */
	sets(0, 20, 30, 2);
	does(2, SYT_SHAPE_SEM_WAIT, 40, 41, 1);
	posts(1, 50);
	takes(2, 60);
	expect_edges(b, "0.0.1>0.1.0 sem run-after\n0.0.1>0.2.0 sem run-after\n"
	                "0.1.1>0.2.1 sem run-after\n");

	/* a token was there: the wait may have taken it */
	start(3, SYT_KIND_SEM);
	begins_with(1);
	waits(1, 25, 32);
	sets(0, 20, 30, 2);
	does(2, SYT_SHAPE_SEM_WAIT, 40, 41, 1);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_BEFORE], 2);
}

static void a_process_gives_back_when_it_ends(void **state)
{
	struct syt_coverage c;
	uint32_t q;

	(void)state;
	for (int is_killed = 0; is_killed < 2; is_killed++) {
		b = syt_builder_create();
		p = syt_builder_image(b, 100);
		q = syt_builder_image(b, 200);
		syt_builder_thread(b, p);
		syt_builder_thread(b, q);
		s = syt_builder_object(b, p, SYT_KIND_SEM, 1, 0, SYT_OBJECT_SHARED);
		syt_builder_object(b, q, SYT_KIND_SEM, 1, 0, SYT_OBJECT_SHARED);
		begins_with(1);
		syt_builder_event(b, q, 0,
		                  (struct syt_made){SYT_SHAPE_SEM_WAIT, s, .in = 10, .out = 11,
		                                    .count = 1, .arg = 1});
		if (!is_killed)
			syt_builder_event(b, q, 0, (struct syt_made){SYT_SHAPE_EXIT, 0, .in = 20});
		does(0, SYT_SHAPE_SEM_WAIT, 12, 25, 1);
		if (is_killed) {
			expect_edges_and(b, "", &c);
			assert_int_equal(syt_coverage_unattributed(&c), 2);
		} else {
			expect_edges(b, "1.0.1>0.0.1 sem run-after\n");
		}
	}
}

/* ---- barriers ---- */

static void barrier(uint32_t thread, syt_time in, syt_time out, uint64_t count, int result)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_BARRIER_WAIT, s, .in = in, .out = out,
	                                    .count = count, .result = result});
}

static void rounds_of_fixed_members(void **state)
{
	(void)state;
	start(2, SYT_KIND_BARRIER);
	barrier(0, 10, 22, 2, 0);
	barrier(1, 20, 40, 2, -1);
	/* this thread arrives again before the other thread has left the barrier */
	barrier(0, 25, 50, 2, 0);
	barrier(1, 45, 51, 2, -1);
	expect_edges(b, "0.0.0>barrier:0x3000#0@0 barrier\n"
	                "0.1.0>barrier:0x3000#0@0 barrier\n"
	                "barrier:0x3000#0@0>0.0.0 barrier\n"
	                "barrier:0x3000#0@0>0.1.0 barrier\n"
	                "0.0.1>barrier:0x3000#0@1 barrier\n"
	                "0.1.1>barrier:0x3000#0@1 barrier\n"
	                "barrier:0x3000#0@1>0.0.1 barrier\n"
	                "barrier:0x3000#0@1>0.1.1 barrier\n");
}

static void rounds_of_changing_members(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(3, SYT_KIND_BARRIER);
	barrier(0, 10, 22, 2, 0);
	barrier(1, 20, 23, 2, -1);
	barrier(2, 30, 42, 2, 0);
	barrier(0, 40, 43, 2, -1);
	expect_edges_and(b,
	                 "0.0.0>barrier:0x3000#0@0 barrier\n"
	                 "0.1.0>barrier:0x3000#0@0 barrier\n"
	                 "barrier:0x3000#0@0>0.0.0 barrier\n"
	                 "barrier:0x3000#0@0>0.1.0 barrier\n"
	                 "0.2.0>barrier:0x3000#0@1 barrier\n"
	                 "0.0.1>barrier:0x3000#0@1 barrier\n"
	                 "barrier:0x3000#0@1>0.2.0 barrier\n"
	                 "barrier:0x3000#0@1>0.0.1 barrier\n",
	                 &c);
	assert_int_equal(c.attributed, 4);

	/* T 2 stamped its arrival early and may belong to either round of the barrier */
	start(3, SYT_KIND_BARRIER);
	barrier(2, 5, 60, 2, 0);
	barrier(0, 10, 22, 2, 0);
	barrier(1, 20, 23, 2, -1);
	barrier(0, 50, 61, 2, -1);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_UNCERTAIN], 4);
}

static void rounds_after_missing_ones(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(2, SYT_KIND_BARRIER);
	barrier(0, 10, 22, 2, 0);
	barrier(1, 20, 23, 2, -1);
	barrier(0, 30, 42, 2, 0);
	barrier(1, 40, 43, 2, -1);
	barrier(0, 50, 62, 2, 0);
	barrier(1, 60, 63, 2, -1);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 1);
	expect_edges_and(b,
	                 "0.0.2>barrier:0x3000#0@0 barrier\n"
	                 "0.1.2>barrier:0x3000#0@0 barrier\n"
	                 "barrier:0x3000#0@0>0.0.2 barrier\n"
	                 "barrier:0x3000#0@0>0.1.2 barrier\n",
	                 &c);
	assert_int_equal(c.unattributed[SYT_REASON_OVERWRITTEN], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_in_order),
		cmocka_unit_test(idle_workers_each_get_their_own),
		cmocka_unit_test(initial_tokens_need_no_source),
		cmocka_unit_test(two_at_once_are_ambiguous),
		cmocka_unit_test(a_handlers_post_may_be_late),
		cmocka_unit_test(failed_waits_take_no_token),
		cmocka_unit_test(lock_in_disguise_is_run_after),
		cmocka_unit_test(unknown_value_waits_for_a_blocked_wait),
		cmocka_unit_test(a_named_semaphore_has_the_value_that_was_found),
		cmocka_unit_test(a_named_semaphore_in_use_has_an_unknown_value),
		cmocka_unit_test(a_noted_value_is_where_counting_starts),
		cmocka_unit_test(tokens_that_were_there_have_an_unknown_source),
		cmocka_unit_test(tokens_of_a_parent_with_one_thread_need_no_source),
		cmocka_unit_test(a_noted_value_is_lost_with_events),
		cmocka_unit_test(several_tokens_at_once),
		cmocka_unit_test(waits_for_zero_follow_the_takers),
		cmocka_unit_test(a_value_that_is_set_begins_anew),
		cmocka_unit_test(a_process_gives_back_when_it_ends),
		cmocka_unit_test(rounds_of_fixed_members),
		cmocka_unit_test(rounds_of_changing_members),
		cmocka_unit_test(rounds_after_missing_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
