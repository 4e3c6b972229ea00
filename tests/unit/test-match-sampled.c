/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The rules of decoder/match/ on sampled traces: no rule concludes anything from the absence of an event. */
#include "decoder/order/task.h"
#include "tests/unit/order-check.h"

static struct syt_builder *b;
static uint32_t p, m;
static struct syt_coverage coverage;

static void start(unsigned nr_threads, enum syt_kind kind)
{
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	syt_builder_sample(b, p);
	for (unsigned i = 0; i < nr_threads; i++)
		syt_builder_thread(b, p);
	m = syt_builder_object(b, p, kind, 0x1000, 0, 0);
}

static void on(uint32_t thread, enum syt_shape shape, syt_time at, uint32_t left_out)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){shape, m, .in = at, .out = at, .left_out = left_out});
}

static void move(uint32_t thread, enum syt_shape shape, syt_time in, syt_time out, uint64_t offset,
                 uint32_t crossed)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){shape, m, .in = in, .out = out, .result = 10,
	                                    .bytes = 10, .offset = offset, .crossed = crossed,
	                                    .left_out = 1});
}

/* ---- locks ---- */

static void only_whole_sections_count(void **state)
{
	(void)state;
	start(2, SYT_KIND_MUTEX);
	on(0, SYT_SHAPE_LOCK, 10, 0);
	on(0, SYT_SHAPE_UNLOCK, 20, 0); /* a whole section */
	on(0, SYT_SHAPE_LOCK, 30, 2);   /* its unlock is left out */
	on(1, SYT_SHAPE_LOCK, 40, 0);
	on(1, SYT_SHAPE_UNLOCK, 50, 0);
	on(0, SYT_SHAPE_UNLOCK, 60, 4); /* its lock is left out: no source, and not foreign */
	on(1, SYT_SHAPE_LOCK, 70, 1);
	on(1, SYT_SHAPE_UNLOCK, 80, 0);
	on(0, SYT_SHAPE_LOCK, 90, 1);
	expect_edges_and(b,
	                 "0.0.1>0.1.0 mutex run-after\n"
	                 "0.1.3>0.0.4 mutex run-after\n",
	                 &coverage);
	/* the first lock, the second one of thread 0, and the second one of thread 1 */
	assert_int_equal(coverage.unattributed[SYT_REASON_NOT_SAMPLED], 3);
	assert_int_equal(coverage.unattributed[SYT_REASON_FOREIGN], 0);
}

static void inner_sections_are_whole(void **state)
{
	(void)state;
	start(2, SYT_KIND_MUTEX);
	on(0, SYT_SHAPE_LOCK, 10, 3); /* the outer lock is left out */
	on(0, SYT_SHAPE_UNLOCK, 20, 0);
	on(0, SYT_SHAPE_UNLOCK, 30, 0);
	on(1, SYT_SHAPE_LOCK, 40, 0);
	expect_edges(b, "0.0.1>0.1.0 mutex run-after\n");
}

static void overlapping_sections_order_nothing(void **state)
{
	(void)state;
	start(3, SYT_KIND_MUTEX);
	on(0, SYT_SHAPE_LOCK, 10, 0);
	on(1, SYT_SHAPE_LOCK, 20, 0); /* thread 2 has released the mutex */
	on(0, SYT_SHAPE_UNLOCK, 30, 0);
	on(1, SYT_SHAPE_UNLOCK, 40, 0);
	on(2, SYT_SHAPE_LOCK, 50, 1);
	expect_edges_and(b, "", &coverage);
	assert_int_equal(coverage.unattributed[SYT_REASON_FOREIGN], 3);
}

static void a_foreign_unlock_in_a_section_is_noticed(void **state)
{
	(void)state;
	start(3, SYT_KIND_MUTEX);
	on(0, SYT_SHAPE_LOCK, 10, 0);
	on(1, SYT_SHAPE_UNLOCK, 20, 1);
	on(0, SYT_SHAPE_UNLOCK, 30, 0);
	on(2, SYT_SHAPE_LOCK, 50, 1);
	expect_edges(b, "");
}

static void ghosts_of_waits_do_not_act_on_the_mutex(void **state)
{
	uint32_t c;

	(void)state;
	start(2, SYT_KIND_MUTEX);
	c = syt_builder_object(b, p, SYT_KIND_COND, 0x2000, 0, 0);
	on(0, SYT_SHAPE_LOCK, 10, 0);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_COND_WAIT, c, .in = 20, .out = 50,
	                                    .object2 = m, .is_ghost = true});
	on(1, SYT_SHAPE_LOCK, 30, 0);
	syt_builder_event(b, p, 1,
	                  (struct syt_made){SYT_SHAPE_COND_SIGNAL, c, .in = 35, .out = 36});
	on(1, SYT_SHAPE_UNLOCK, 40, 0);
	on(0, SYT_SHAPE_UNLOCK, 60, 0);
	on(1, SYT_SHAPE_LOCK, 70, 0);
	/* the wait takes part in the rule of condition variables, but the lock at 10 and the unlock at 60 are no section */
	expect_edges(b, "0.1.1>0.0.1 cond\n");
}

static void only_whole_sections_of_rwlocks_count(void **state)
{
	(void)state;
	start(3, SYT_KIND_RWLOCK);
	on(0, SYT_SHAPE_LOCK, 10, 0);
	on(0, SYT_SHAPE_UNLOCK, 20, 0);
	on(1, SYT_SHAPE_RDLOCK, 30, 0);
	on(2, SYT_SHAPE_UNLOCK, 35, 5); /* neither a reader's nor a writer's */
	on(1, SYT_SHAPE_UNLOCK, 40, 1); /* not that of the lock at 30 */
	on(0, SYT_SHAPE_LOCK, 50, 0);
	on(0, SYT_SHAPE_UNLOCK, 60, 0);
	on(2, SYT_SHAPE_RDLOCK, 70, 0);
	expect_edges(b, "0.0.1>0.1.0 rwlock run-after\n"
	                "0.0.3>0.2.1 rwlock run-after\n");
}

/* ---- streams ---- */

static void bytes_of_calls_that_are_left_out_have_no_source(void **state)
{
	(void)state;
	start(2, SYT_KIND_PIPE);
	move(0, SYT_SHAPE_SEND, 10, 11, 0, 0);
	move(0, SYT_SHAPE_SEND, 30, 31, 20, 0);
	move(1, SYT_SHAPE_RECV, 40, 41, 0, 0);
	move(1, SYT_SHAPE_RECV, 50, 51, 10, 0); /* the send is left out */
	move(1, SYT_SHAPE_RECV, 60, 61, 20, 0);
	expect_edges_and(b,
	                 "0.0.0>0.1.0 stream 10\n"
	                 "0.0.1>0.1.2 stream 10\n",
	                 &coverage);
	assert_int_equal(coverage.unattributed[SYT_REASON_NOT_SAMPLED], 1);
	assert_int_equal(coverage.bytes_unmatched[SYT_REASON_NOT_SAMPLED], 10);
}

static void crossed_bytes_must_be_covered(void **state)
{
	(void)state;
	start(3, SYT_KIND_PIPE);
	move(0, SYT_SHAPE_SEND, 10, 11, 0, 0);
	/* another thread sent the bytes 10 to 19 during this call, before or after it */
	move(0, SYT_SHAPE_SEND, 20, 31, 20, 10);
	move(1, SYT_SHAPE_SEND, 40, 50, 30, 0);
	move(0, SYT_SHAPE_SEND, 41, 51, 40, 10); /* during the call of thread 1 */
	move(2, SYT_SHAPE_RECV, 60, 61, 20, 0);
	move(2, SYT_SHAPE_RECV, 70, 71, 40, 0);
	expect_edges_and(b,
	                 "0.1.0>0.2.1 stream*\n"
	                 "0.0.2>0.2.1 stream* 10\n",
	                 &coverage);
	assert_int_equal(coverage.unattributed[SYT_REASON_NOT_SAMPLED], 1);
}

static void crossed_receives_have_no_certain_position(void **state)
{
	(void)state;
	start(2, SYT_KIND_PIPE);
	move(0, SYT_SHAPE_SEND, 10, 11, 0, 0);
	move(0, SYT_SHAPE_SEND, 20, 21, 10, 0);
	move(1, SYT_SHAPE_RECV, 30, 41, 10, 10);
	expect_edges_and(b, "", &coverage);
	assert_int_equal(coverage.unattributed[SYT_REASON_NOT_SAMPLED], 1);
}

static void close_counts(uint32_t thread, syt_time at, uint64_t sent, uint64_t received)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_CLOSE, m, .in = at, .out = at, .arg = 1,
	                                    .offset = sent, .offset2 = received,
	                                    .flags = SYT_EVENT_WRITER, .is_ghost = true});
}

static void totals_reveal_other_writers(void **state)
{
	(void)state;
	start(2, SYT_KIND_PIPE);
	move(0, SYT_SHAPE_SEND, 10, 11, 0, 0);
	move(1, SYT_SHAPE_RECV, 40, 41, 0, 0);
	close_counts(0, 90, 20, 21);
	expect_edges_and(b, "", &coverage);
	assert_int_equal(coverage.unattributed[SYT_REASON_UNTRACED_WRITER], 1);
}

/* ---- readiness ---- */

static void report(uint32_t thread, syt_time in, syt_time out, uint64_t position)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_READY, 0, .in = in, .out = out, .result = 1,
	                                    .count = 1, .left_out = 1,
	                                    .ready = {{m, SYT_READY_IN, position}}});
}

static void readiness_uses_the_stored_position(void **state)
{
	(void)state;
	start(2, SYT_KIND_PIPE);
	move(0, SYT_SHAPE_SEND, 10, 11, 0, 0);
	move(0, SYT_SHAPE_SEND, 20, 21, 10, 0);
	report(1, 25, 30, 1 + 10); /* the receive of the first bytes is left out */
	report(1, 35, 40, 0);      /* another thread received last */
	report(1, 45, 50, 1 + 20); /* the send is left out */
	expect_edges_and(b, "0.0.1>0.1.0 ready\n", &coverage);
	assert_int_equal(coverage.unattributed[SYT_REASON_NOT_SAMPLED], 2);
}

static void the_end_is_known_if_all_closes_tell_the_totals(void **state)
{
	(void)state;
	start(2, SYT_KIND_PIPE);
	move(0, SYT_SHAPE_SEND, 10, 11, 0, 0);
	close_counts(0, 20, 20, 0);
	report(1, 25, 30, 1 + 20);
	expect_edges(b, "0.0.1>0.1.0 ready\n");

	start(2, SYT_KIND_PIPE);
	move(0, SYT_SHAPE_SEND, 10, 11, 0, 0);
	close_counts(0, 20, 20, 0);
	report(1, 25, 30, 1 + 10); /* bytes that were left out */
	expect_edges(b, "");
}

/* ---- leaf tasks ---- */

static void leaf_tasks_contain_no_gap_and_no_ghost(void **state)
{
	struct syt_order o;
	struct syt_tasks t;

	(void)state;
	start(1, SYT_KIND_SEM);
	on(0, SYT_SHAPE_SEM_POST, 10, 0);
	on(0, SYT_SHAPE_SEM_POST, 20, 0);
	on(0, SYT_SHAPE_SEM_POST, 30, 1);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_SEM_POST, m, .in = 40, .is_ghost = true});
	on(0, SYT_SHAPE_SEM_POST, 50, 0);
	on(0, SYT_SHAPE_SEM_POST, 60, 0);
	assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
	syt_tasks_open(&t, &o.places, NULL);
	assert_int_equal(t.nr, 2);
	assert_int_equal(t.all[0].begin, 0);
	assert_int_equal(t.all[1].begin, 4);
	syt_tasks_close(&t);
	syt_order_close(&o);
	syt_builder_destroy(b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_whole_sections_count),
		cmocka_unit_test(inner_sections_are_whole),
		cmocka_unit_test(overlapping_sections_order_nothing),
		cmocka_unit_test(a_foreign_unlock_in_a_section_is_noticed),
		cmocka_unit_test(ghosts_of_waits_do_not_act_on_the_mutex),
		cmocka_unit_test(only_whole_sections_of_rwlocks_count),
		cmocka_unit_test(bytes_of_calls_that_are_left_out_have_no_source),
		cmocka_unit_test(crossed_bytes_must_be_covered),
		cmocka_unit_test(crossed_receives_have_no_certain_position),
		cmocka_unit_test(totals_reveal_other_writers),
		cmocka_unit_test(readiness_uses_the_stored_position),
		cmocka_unit_test(the_end_is_known_if_all_closes_tell_the_totals),
		cmocka_unit_test(leaf_tasks_contain_no_gap_and_no_ghost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
