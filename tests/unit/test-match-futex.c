/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/match/match_futex.c, decoder/match/match_pi.c */
#include <errno.h>

#include "tests/unit/order-check.h"

static struct syt_builder *b;
static uint32_t p, x, y;

static void start(unsigned nr_threads)
{
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	for (unsigned i = 0; i < nr_threads; i++)
		syt_builder_thread(b, p);
	x = syt_builder_object(b, p, SYT_KIND_FUTEX, 0x1000, 0, 0);
	y = syt_builder_object(b, p, SYT_KIND_FUTEX, 0x2000, 0, 0);
}

static void waits(uint32_t thread, uint32_t word, syt_time in, syt_time out)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_FUTEX_WAIT, word, .in = in, .out = out});
}

static void waits_in_vain(uint32_t thread, uint32_t word, syt_time in, syt_time out, uint16_t err)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_FUTEX_WAIT, word, .in = in, .out = out,
	                                    .result = -1, .err = err});
}

/* Adds a FUTEX_WAKE by THREAD that has woken NR threads. */
static void wakes(uint32_t thread, uint32_t word, syt_time in, int64_t nr)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_FUTEX_WAKE, word, .in = in, .out = in + 1,
	                                    .result = nr});
}

/* Adds a requeue with the result NR: at most MOST threads were woken, and the others were moved to word
 * TO. */
static void requeues(uint32_t thread, uint32_t from, uint32_t to, syt_time in, int64_t nr,
                     uint64_t most)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_FUTEX_REQUEUE, from, .in = in, .out = in + 1,
	                                    .result = nr, .object2 = to, .count = most});
}

static void a_wake_is_the_source_of_the_wait(void **state)
{
	(void)state;
	start(2);
	waits(0, x, 10, 30);
	wakes(1, x, 20, 1);
	wakes(1, x, 40, 0);
	wakes(1, y, 41, 1); /* wakes an unseen thread, at another word */
	waits(0, x, 50, 70);
	wakes(1, x, 60, 1);
	expect_edges(b, "0.1.0>0.0.0 futex\n0.1.3>0.0.1 futex\n");
}

/* A call that is not in the trace woke the last wait during a pause of the recording. The last wait must not take
 * the wake-up of an earlier wait. */
static void a_wait_that_ended_in_a_pause_takes_no_wake(void **state)
{
	(void)state;
	start(3);
	syt_builder_event(
		b, p, 1, /* the wait that this call woke is not in the trace */
		(struct syt_made){SYT_SHAPE_FUTEX_WAKE, x, .in = 5, .out = 19, .result = 1});
	syt_builder_event(
		b, p, 2,
		(struct syt_made){SYT_SHAPE_FUTEX_WAKE, x, .in = 20, .out = 44, .result = 1});
	waits(0, x, 15, 40);
	syt_builder_event(
		b, p, 1,
		(struct syt_made){SYT_SHAPE_FUTEX_WAKE, x, .in = 50, .out = 70, .result = 1});
	waits(0, x, 42, 60);
	waits(0, x, 65, 90);
	syt_builder_pause(b, p, 80);
	expect_edges(
		b,
		"0.1.0>0.0.0 futex*\n0.2.0>0.0.0 futex*\n0.2.0>0.0.1 futex*\n0.1.1>0.0.1 futex*\n");
}

static void a_wake_that_woke_no_thread_is_no_source(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(3);
	waits(0, x, 10, 30);
	wakes(1, x, 15, 0);
	wakes(2, x, 20, 1);
	wakes(1, x, 25, 0);
	expect_edges_and(b, "0.2.0>0.0.0 futex\n", &v);
	assert_int_equal(v.attributed, 1);
	assert_int_equal(v.acquires, 1);
}

static void a_wake_wakes_as_many_as_it_says(void **state)
{
	(void)state;
	start(4);
	waits(0, x, 10, 40);
	waits(1, x, 11, 41);
	waits(2, x, 12, 80);
	wakes(3, x, 30, 2);
	wakes(3, x, 70, 1);
	expect_edges(b, "0.3.0>0.0.0 futex\n0.3.0>0.1.0 futex\n0.3.1>0.2.0 futex\n");
}

static void two_wakes_and_two_waiters_are_ambiguous(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(4);
	waits(0, x, 10, 40);
	waits(1, x, 11, 50);
	wakes(2, x, 20, 1);
	wakes(3, x, 30, 1);
	waits(0, x, 60, 80); /* both wake-ups are now used up */
	wakes(2, x, 70, 1);
	expect_edges_and(b,
	                 "0.2.0>0.0.0 futex*\n0.3.0>0.0.0 futex*\n"
	                 "0.2.0>0.1.0 futex*\n0.3.0>0.1.0 futex*\n"
	                 "0.2.1>0.0.1 futex\n",
	                 &v);
	assert_int_equal(v.ambiguous, 2);
}

static void bitsets_tell_them_apart(void **state)
{
	(void)state;
	start(4);
	for (uint32_t i = 0; i < 2; i++)
		syt_builder_event(b, p, i,
		                  (struct syt_made){SYT_SHAPE_FUTEX_WAIT, x, .in = 10 + i,
		                                    .out = 60 + i, .arg = i + 1});
	waits(2, x, 12, 90); /* any */
	for (uint32_t i = 0; i < 2; i++)
		syt_builder_event(b, p, 3,
		                  (struct syt_made){SYT_SHAPE_FUTEX_WAKE, x, .in = 50 - 10 * i,
		                                    .out = 51 - 10 * i, .result = 1, .arg = i + 1});
	wakes(3, x, 80, 1);
	expect_edges(b, "0.3.1>0.0.0 futex\n0.3.0>0.1.0 futex\n0.3.2>0.2.0 futex\n");
}

static void failures_have_no_source(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(4);
	waits_in_vain(0, x, 10, 30, EAGAIN);
	waits_in_vain(1, x, 10, 30, EINTR);
	waits_in_vain(2, x, 10, 30, ETIMEDOUT);
	wakes(3, x, 20, 1);
	expect_edges_and(b, "", &v);
	assert_int_equal(v.acquires, 0);
}

static void an_unseen_waiter_makes_others_uncertain(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(3);
	waits(0, x, 10, 30);
	waits(1, x, 11, 31);
	wakes(2, x, 20, 1);
	expect_edges_and(b, "0.2.0>0.0.0 futex*\n", &v);
	assert_int_equal(v.unattributed[SYT_REASON_NO_RELEASE], 1);
}

static void a_requeue_moves_waiters_to_another_word(void **state)
{
	(void)state;
	start(4);
	waits(0, x, 10, 25);
	waits(1, x, 11, 45);
	waits(2, x, 12, 65);
	requeues(3, x, y, 20, 3, 1);
	wakes(3, y, 40, 1);
	wakes(3, y, 60, 1);
	expect_edges(b, "0.3.0>0.0.0 futex\n0.3.1>0.1.0 futex\n0.3.2>0.2.0 futex\n");
}

static void a_word_is_no_other_before_the_requeue(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(3);
	waits(0, x, 10, 45);
	wakes(1, y, 20, 1); /* this call wakes a thread that had waited at word y before */
	requeues(2, x, y, 30, 1, 0);
	wakes(2, y, 40, 1);
	/* a requeue that woke and moved no thread does not connect the two words */
	waits(1, y, 50, 60);
	requeues(2, x, y, 51, 0, 1);
	wakes(2, x, 55, 1);
	expect_edges_and(b, "0.2.1>0.0.0 futex\n", &v);
	assert_int_equal(v.unattributed[SYT_REASON_NO_RELEASE], 1);
}

static void a_requeue_that_wakes_all_moves_no_waiter(void **state)
{
	(void)state;
	start(3);
	waits(0, x, 10, 30); /* FUTEX_WAIT_REQUEUE_PI without its lock */
	waits(1, x, 11, 31);
	requeues(2, x, y, 20, 2, INT32_MAX);
	wakes(2, y, 25, 1);
	expect_edges(b, "0.2.0>0.0.0 futex\n0.2.0>0.1.0 futex\n");
}

static void two_words_in_one_wake(void **state)
{
	(void)state;
	start(3);
	waits(0, x, 10, 30);
	waits(1, y, 11, 31);
	syt_builder_event(b, p, 2,
	                  (struct syt_made){SYT_SHAPE_FUTEX_WAKE, x, .in = 20, .out = 21,
	                                    .result = 2, .object2 = y});
	wakes(2, x, 28, 0);
	expect_edges(b, "0.2.0>0.0.0 futex\n0.2.0>0.1.0 futex\n");
}

static void a_missing_wake_may_be_the_source(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(3);
	waits(0, x, 10, 30);
	wakes(1, x, 20, 1);
	wakes(2, x, 25, 1);
	wakes(2, x, 35, 1);
	waits(0, x, 40, 60);
	wakes(1, x, 50, 1);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 2, 1);
	expect_edges_and(b, "0.1.1>0.0.1 futex\n", &v);
	assert_int_equal(v.unattributed[SYT_REASON_OVERWRITTEN], 1);
}

static void shared_words_are_one_in_all_processes(void **state)
{
	uint32_t q, theirs;

	(void)state;
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	q = syt_builder_image(b, 200);
	syt_builder_thread(b, p);
	syt_builder_thread(b, q);
	x = syt_builder_object(b, p, SYT_KIND_FUTEX, 77, 0, SYT_OBJECT_SHARED);
	theirs = syt_builder_object(b, q, SYT_KIND_FUTEX, 77, 0, SYT_OBJECT_SHARED);
	waits(0, x, 10, 30);
	syt_builder_event(
		b, q, 0,
		(struct syt_made){SYT_SHAPE_FUTEX_WAKE, theirs, .in = 20, .out = 21, .result = 1});
	expect_edges(b, "1.0.0>0.0.0 futex\n");
}

static void locks(uint32_t thread, syt_time in, syt_time out, int64_t result)
{
	syt_builder_event(
		b, p, thread,
		(struct syt_made){SYT_SHAPE_LOCK, y, .in = in, .out = out, .result = result});
}

static void unlocks(uint32_t thread, syt_time in, int64_t result)
{
	syt_builder_event(
		b, p, thread,
		(struct syt_made){SYT_SHAPE_UNLOCK, y, .in = in, .out = in + 1, .result = result});
}

static void a_lock_follows_the_unlock_of_another(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(3);
	locks(0, 10, 15, 0); /* no holder before */
	unlocks(1, 20, 0);   /* the thread had locked the futex without a system call */
	unlocks(1, 30, -1);
	locks(0, 31, 40, 0);
	unlocks(0, 50, 0);
	locks(0, 60, 70, 0);
	locks(2, 60, 80, -1);
	locks(2, 85, 90, 0);
	expect_edges_and(b, "0.1.0>0.0.1 futex run-after\n0.0.2>0.2.1 futex run-after\n", &v);
	assert_int_equal(v.unneeded, 2);
}

static void a_wait_that_returns_with_a_lock_has_two_causes(void **state)
{
	(void)state;
	start(2);
	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_FUTEX_WAIT, x, .in = 10, .out = 50, .object2 = y});
	requeues(1, x, y, 20, 1, INT32_MAX);
	unlocks(1, 30, 0);
	expect_edges(b, "0.1.0>0.0.0 futex\n0.1.1>0.0.0 futex run-after\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wake_is_the_source_of_the_wait),
		cmocka_unit_test(a_wait_that_ended_in_a_pause_takes_no_wake),
		cmocka_unit_test(a_wake_that_woke_no_thread_is_no_source),
		cmocka_unit_test(a_wake_wakes_as_many_as_it_says),
		cmocka_unit_test(two_wakes_and_two_waiters_are_ambiguous),
		cmocka_unit_test(bitsets_tell_them_apart),
		cmocka_unit_test(failures_have_no_source),
		cmocka_unit_test(an_unseen_waiter_makes_others_uncertain),
		cmocka_unit_test(a_requeue_moves_waiters_to_another_word),
		cmocka_unit_test(a_word_is_no_other_before_the_requeue),
		cmocka_unit_test(a_requeue_that_wakes_all_moves_no_waiter),
		cmocka_unit_test(two_words_in_one_wake),
		cmocka_unit_test(a_missing_wake_may_be_the_source),
		cmocka_unit_test(shared_words_are_one_in_all_processes),
		cmocka_unit_test(a_lock_follows_the_unlock_of_another),
		cmocka_unit_test(a_wait_that_returns_with_a_lock_has_two_causes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
