/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/match/match_cond.c */
#include <errno.h>

#include "tests/unit/order-check.h"

static struct syt_builder *b;
static uint32_t p, c, m;

static void start(unsigned nr_threads)
{
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	for (unsigned i = 0; i < nr_threads; i++)
		syt_builder_thread(b, p);
	c = syt_builder_object(b, p, SYT_KIND_COND, 0x2000, 0, 0);
	m = syt_builder_object(b, p, SYT_KIND_MUTEX, 0x1000, 0, 0);
}

/* Waits that name no mutex, so that only edges of the condition variable appear. */
static void waits(uint32_t thread, syt_time in, syt_time out, int result)
{
	syt_builder_event(
		b, p, thread,
		(struct syt_made){SYT_SHAPE_COND_WAIT, c, .in = in, .out = out, .result = result});
}

static void signals(uint32_t thread, syt_time at)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_COND_SIGNAL, c, .in = at, .out = at + 1});
}

static void broadcasts(uint32_t thread, syt_time at)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_COND_BROADCAST, c, .in = at, .out = at + 1});
}

static void one_signal_wakes_one(void **state)
{
	(void)state;
	start(2);
	waits(0, 10, 30, 0);
	signals(1, 20);
	signals(1, 40); /* no thread waits */
	waits(0, 50, 70, 0);
	signals(1, 60);
	expect_edges(b, "0.1.0>0.0.0 cond\n0.1.2>0.0.1 cond\n");
}

static void timed_out_waiter_passes_its_wake_up_on(void **state)
{
	(void)state;
	/*
	 * the first waiter was woken and timed out all the same: the second waiter has its wake-up
	 */
	start(3);
	waits(0, 10, 40, ETIMEDOUT);
	signals(1, 20);
	waits(2, 30, 50, 0);
	expect_edges(b, "0.1.0>0.2.0 cond\n");
	/* either waiter may have had it */
	start(3);
	waits(0, 10, 40, ETIMEDOUT);
	signals(1, 20);
	waits(2, 30, 50, 0);
	signals(1, 35);
	expect_edges(b, "0.1.0>0.2.0 cond*\n0.1.1>0.2.0 cond*\n");
	/* it had met none */
	start(3);
	signals(1, 5);
	waits(0, 10, 40, ETIMEDOUT);
	waits(2, 30, 50, 0);
	signals(1, 45);
	expect_edges(b, "0.1.1>0.2.0 cond\n");
	/* it was over before the second one began */
	start(3);
	waits(0, 10, 28, ETIMEDOUT);
	signals(1, 20);
	waits(2, 30, 50, 0);
	signals(1, 45);
	expect_edges(b, "0.1.1>0.2.0 cond\n");
	/* by way of two */
	start(4);
	waits(0, 10, 30, ETIMEDOUT);
	signals(1, 20);
	waits(2, 25, 50, ETIMEDOUT);
	waits(3, 40, 60, 0);
	expect_edges(b, "0.1.0>0.3.0 cond\n");
}

static void own_signal_may_come_back(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(2);
	waits(1, 10, 40, ETIMEDOUT);
	signals(0, 20);
	waits(0, 30, 50, 0);
	expect_edges_and(b, "", &v);
	assert_int_equal(v.unneeded, 1);
	assert_int_equal(v.unattributed[SYT_REASON_NO_RELEASE], 0);
	/* or it was the other one's */
	start(3);
	waits(1, 10, 40, ETIMEDOUT);
	signals(0, 20);
	waits(0, 30, 50, 0);
	signals(2, 35);
	expect_edges(b, "0.2.0>0.0.1 cond*\n");
}

static void cancelled_waiter_passes_its_wake_up_on(void **state)
{
	(void)state;
	start(3);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_CANCELLED, c, .in = 10, .out = 40});
	signals(1, 20);
	waits(2, 30, 50, 0);
	signals(1, 35);
	expect_edges(b, "0.1.0>0.2.0 cond*\n0.1.1>0.2.0 cond*\n");
}

static void signals_used_up_do_not_count_for_longer_waiters(void **state)
{
	(void)state;
	start(4);
	waits(0, 10, 100, 0);
	waits(1, 11, 22, 0);
	waits(2, 12, 32, 0);
	signals(3, 20);
	signals(3, 30);
	signals(3, 90);
	expect_edges(b, "0.3.0>0.1.0 cond\n0.3.1>0.2.0 cond\n0.3.2>0.0.0 cond\n");
}

static void two_signals_and_two_waiters_are_ambiguous(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(4);
	waits(0, 10, 40, 0);
	waits(1, 11, 50, 0);
	signals(2, 20);
	signals(3, 30);
	waits(0, 60, 80, 0); /* both wake-ups are now used up */
	signals(2, 70);
	expect_edges_and(b,
	                 "0.2.0>0.0.0 cond*\n0.3.0>0.0.0 cond*\n"
	                 "0.2.0>0.1.0 cond*\n0.3.0>0.1.0 cond*\n"
	                 "0.2.1>0.0.1 cond\n",
	                 &v);
	assert_int_equal(v.ambiguous, 2);
}

static void broadcast_wakes_all(void **state)
{
	(void)state;
	start(4);
	waits(0, 10, 40, 0);
	waits(1, 11, 41, 0);
	waits(2, 12, 42, 0);
	broadcasts(3, 30);
	expect_edges(b, "0.3.0>0.0.0 cond\n0.3.0>0.1.0 cond\n0.3.0>0.2.0 cond\n");
}

static void broadcast_with_the_mutex_held_ends_the_search(void **state)
{
	(void)state;
	start(2);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_LOCK, m, .in = 5});
	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_COND_WAIT, c, .in = 10, .out = 90, .object2 = m});
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_LOCK, m, .in = 20});
	broadcasts(1, 30);
	signals(1, 50); /* too late: the waiter only waits for its mutex */
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_UNLOCK, m, .in = 80});
	expect_edges(b, "0.0.1>0.1.0 mutex run-after\n"
	                "0.1.1>0.0.1 cond\n"
	                "0.1.3>0.0.1 mutex run-after\n");
}

/* The waker broadcasts again at once, because the waker found no other work. */
static void two_broadcasts_with_the_mutex_held_end_the_search(void **state)
{
	(void)state;
	start(2);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_LOCK, m, .in = 5});
	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_COND_WAIT, c, .in = 10, .out = 90, .object2 = m});
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_LOCK, m, .in = 20});
	for (syt_time at = 30; at < 50; at += 10)
		syt_builder_event(b, p, 1,
		                  (struct syt_made){SYT_SHAPE_COND_BROADCAST, c, .in = at});
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_UNLOCK, m, .in = 80});
	expect_edges(b, "0.0.1>0.1.0 mutex run-after\n"
	                "0.1.1>0.0.1 cond\n"
	                "0.1.3>0.0.1 mutex run-after\n");
}

static void time_outs_and_spurious_wake_ups_have_no_source(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(3);
	waits(0, 10, 30, ETIMEDOUT);
	signals(1, 20);
	waits(2, 40, 50, 0);
	expect_edges_and(b, "", &v);
	assert_int_equal(v.unattributed[SYT_REASON_NO_RELEASE], 1);
	assert_int_equal(v.acquires, 1);
}

static void one_signal_and_two_wake_ups_mean_a_spurious_wake_up(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(3);
	waits(0, 10, 30, 0);
	waits(1, 11, 31, 0);
	signals(2, 20);
	expect_edges_and(b, "0.2.0>0.0.0 cond*\n", &v);
	assert_int_equal(v.unattributed[SYT_REASON_NO_RELEASE], 1);
}

static void a_missing_signal_may_be_the_source(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(3);
	waits(0, 10, 30, 0);
	signals(1, 20);
	signals(2, 25);
	signals(2, 35);
	waits(0, 40, 60, 0);
	signals(1, 50);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 2, 1);
	expect_edges_and(b, "0.1.1>0.0.1 cond\n", &v);
	assert_int_equal(v.unattributed[SYT_REASON_OVERWRITTEN], 1);
}

static void a_late_signal_call_may_find_a_later_waiter(void **state)
{
	(void)state;
	start(2);
	/* a signal that was stamped before the wait began, but took effect during the wait */
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_COND_SIGNAL, c, .in = 5, .out = 20});
	waits(0, 10, 30, 0);
	expect_edges(b, "0.1.0>0.0.0 cond\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_signal_wakes_one),
		cmocka_unit_test(timed_out_waiter_passes_its_wake_up_on),
		cmocka_unit_test(own_signal_may_come_back),
		cmocka_unit_test(cancelled_waiter_passes_its_wake_up_on),
		cmocka_unit_test(signals_used_up_do_not_count_for_longer_waiters),
		cmocka_unit_test(two_signals_and_two_waiters_are_ambiguous),
		cmocka_unit_test(broadcast_wakes_all),
		cmocka_unit_test(broadcast_with_the_mutex_held_ends_the_search),
		cmocka_unit_test(two_broadcasts_with_the_mutex_held_end_the_search),
		cmocka_unit_test(time_outs_and_spurious_wake_ups_have_no_source),
		cmocka_unit_test(one_signal_and_two_wake_ups_mean_a_spurious_wake_up),
		cmocka_unit_test(a_missing_signal_may_be_the_source),
		cmocka_unit_test(a_late_signal_call_may_find_a_later_waiter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
