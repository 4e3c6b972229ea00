/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/match/match_thread.c, decoder/match/match_process.c, decoder/match/match_once.c */
#include <errno.h>

#include "tests/unit/order-check.h"

static struct syt_builder *b;
static uint32_t p;

static void start(unsigned nr_threads)
{
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	for (unsigned i = 0; i < nr_threads; i++)
		syt_builder_thread(b, p);
}

static void on(uint32_t image, uint32_t thread, enum syt_shape shape, syt_time at)
{
	syt_builder_event(b, image, thread, (struct syt_made){shape, 0, .in = at});
}

static void create_and_join(void **state)
{
	(void)state;
	start(2);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_CREATE, 0, .in = 10, .thread1 = 2});
	on(p, 1, SYT_SHAPE_THREAD_START, 20);
	on(p, 1, SYT_SHAPE_THREAD_END, 30);
	on(p, 1, SYT_SHAPE_UNLOCK, 35); /* a destructor */
	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_JOIN, 0, .out = 32, .result = EBUSY, .thread1 = 2});
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_JOIN, 0, .in = 33, .out = 40, .thread1 = 2});
	expect_edges(b, "0.0.0>0.1.0 create\n0.1.2>0.0.2 join\n");
}

static void create_of_a_thread_that_lost_its_beginning(void **state)
{
	(void)state;
	start(2);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_CREATE, 0, .in = 10, .thread1 = 2});
	on(p, 1, SYT_SHAPE_THREAD_START, 20);
	on(p, 1, SYT_SHAPE_INFO, 25);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 1, 1);
	expect_edges(b, "0.0.0>0.1.1 create\n");
}

static void cancels(uint32_t thread, uint32_t whom, syt_time in, syt_time out, int result)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_CANCEL, 0, .in = in, .out = out,
	                                    .result = result, .thread1 = whom + 1});
}

static void ends_cancelled(uint32_t thread, syt_time at)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_THREAD_END, 0, .in = at, .arg = 1});
}

static void the_first_request_cancels(void **state)
{
	(void)state;
	start(5);
	cancels(0, 2, 10, 11, ESRCH);
	cancels(0, 2, 20, 21, 0);
	cancels(1, 2, 22, 23, 0); /* already cancelled */
	ends_cancelled(2, 30);
	cancels(0, 3, 40, 45, 0);
	cancels(1, 3, 43, 48, 0); /* perhaps first */
	ends_cancelled(3, 50);
	cancels(0, 4, 60, 61, 0);
	on(p, 4, SYT_SHAPE_THREAD_END, 70); /* the thread had not noticed the cancellation */
	expect_edges(b, "0.0.1>0.2.0 cancel\n0.0.2>0.3.0 cancel*\n0.1.1>0.3.0 cancel*\n");
}

static void a_wait_is_unwound_before_its_thread(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(3);
	cancels(0, 1, 10, 11, 0);
	on(p, 1, SYT_SHAPE_CANCELLED, 20);
	on(p, 1, SYT_SHAPE_CANCELLED, 21); /* in a handler of the cancellation */
	ends_cancelled(1, 22);
	cancels(2, 2, 10, 0, 0);
	ends_cancelled(2, 22);
	expect_edges_and(b, "0.0.0>0.1.0 cancel\n", &v);
	assert_int_equal(v.unneeded, 1);
}

static void a_missing_request_may_have_been_first(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(3);
	cancels(0, 2, 10, 11, 0);
	cancels(1, 2, 12, 13, 0);
	on(p, 0, SYT_SHAPE_INFO, 14);
	ends_cancelled(2, 30);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 1);
	expect_edges_and(b, "", &v);
	assert_int_equal(v.unattributed[SYT_REASON_OVERWRITTEN], 1);
}

static void fork_exec_reap(void **state)
{
	uint32_t child, next;

	(void)state;
	start(1);
	child = syt_builder_image(b, 200);
	next = syt_builder_image(b, 200);
	syt_builder_thread(b, child);
	syt_builder_thread(b, next);
	syt_builder_thread(b, next);
	syt_builder_event(
		b, p, 0, (struct syt_made){SYT_SHAPE_FORK, 0, .in = 10, .pid = 200, .result = 200});
	on(child, 0, SYT_SHAPE_PROCESS_START, 20);
	syt_builder_event(b, child, 0, (struct syt_made){SYT_SHAPE_EXEC, 0, .in = 30, .pid = 200});
	syt_builder_event(b, child, 0, (struct syt_made){SYT_SHAPE_EXEC, 0, .in = 32, .pid = 200});
	on(next, 0, SYT_SHAPE_PROCESS_START, 40);
	on(next, 1, SYT_SHAPE_INFO, 45);
	on(next, 0, SYT_SHAPE_EXIT, 50);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_REAP, 0, .in = 12, .out = 60, .pid = 200,
	                                    .result = 200});
	syt_builder_trace(b)->images[child].file.parent_index = 0;
	syt_builder_trace(b)->images[child].file.state = SYT_STATE_EXECED;
	expect_edges(b, "0.0.0>1.0.0 fork\n1.0.2>2.0.0 exec\n2.1.0>0.0.1 reap\n2.0.1>0.0.1 reap\n");
}

static void a_pid_used_again_is_another_process(void **state)
{
	uint32_t first, second;

	(void)state;
	start(1);
	first = syt_builder_image(b, 200);
	second = syt_builder_image(b, 200);
	syt_builder_thread(b, first);
	syt_builder_thread(b, second);
	for (unsigned i = 0; i < 2; i++) {
		syt_time t = i * 100;

		syt_builder_event(b, p, 0,
		                  (struct syt_made){SYT_SHAPE_FORK, 0, .in = t + 10, .pid = 200,
		                                    .result = 200});
		on(i ? second : first, 0, SYT_SHAPE_PROCESS_START, t + 20);
		syt_builder_event(b, p, 0,
		                  (struct syt_made){SYT_SHAPE_REAP, 0, .in = t + 30, .out = t + 40,
		                                    .pid = 200, .result = 200});
	}
	/* stopped children are not reaped */
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_REAP, 0, .in = 300, .out = 310, .pid = 200,
	                                    .result = 200, .status = 0x137f});
	syt_builder_trace(b)->images[first].file.parent_index = 0;
	syt_builder_trace(b)->images[second].file.parent_index = 0;
	expect_edges(b, "0.0.0>1.0.0 fork\n1.0.0>0.0.1 reap\n0.0.2>2.0.0 fork\n2.0.0>0.0.3 reap\n");
}

static void a_fork_does_not_claim_an_unrelated_process(void **state)
{
	uint32_t stranger;

	(void)state;
	start(1);
	stranger = syt_builder_image(b, 200);
	syt_builder_thread(b, stranger);
	syt_builder_event(
		b, p, 0, (struct syt_made){SYT_SHAPE_FORK, 0, .in = 10, .pid = 200, .result = 200});
	on(stranger, 0, SYT_SHAPE_PROCESS_START, 500);
	syt_builder_trace(b)->images[stranger].file.parent_index = 7;
	expect_edges(b, "");
}

/* The spawned or executed program was not traced, and another process gets its pid. */
static void a_spawn_and_an_exec_claim_no_unrelated_process(void **state)
{
	uint32_t stranger, other;

	(void)state;
	start(1);
	stranger = syt_builder_image(b, 200);
	other = syt_builder_image(b, 100);
	syt_builder_thread(b, stranger);
	syt_builder_thread(b, other);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_SPAWN, 0, .in = 10, .pid = 200});
	on(stranger, 0, SYT_SHAPE_PROCESS_START, 500);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_EXEC, 0, .in = 20, .pid = 100});
	on(other, 0, SYT_SHAPE_PROCESS_START, 600);
	syt_builder_trace(b)->images[p].file.pid = 100;
	syt_builder_trace(b)->images[p].file.start_time = 1000;
	syt_builder_trace(b)->images[other].file.start_time = 2000;
	syt_builder_trace(b)->images[stranger].file.ppid = 300;
	syt_builder_trace(b)->images[stranger].file.parent_index = 7;
	expect_edges(b, "");
}

static void once(void **state)
{
	uint32_t o;
	struct syt_coverage c;

	(void)state;
	start(3);
	o = syt_builder_object(b, p, SYT_KIND_ONCE, 0x4000, 0, 0);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_ONCE, o, .in = 10, .out = 30, .arg = 1});
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_ONCE, o, .in = 15, .out = 40});
	syt_builder_event(b, p, 2, (struct syt_made){SYT_SHAPE_ONCE, o, .out = 50});
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_ONCE, o, .out = 60});
	expect_edges_and(b, "0.0.0>0.1.0 once\n0.0.0>0.2.0 once\n", &c);
	assert_int_equal(c.unneeded, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(create_and_join),
		cmocka_unit_test(create_of_a_thread_that_lost_its_beginning),
		cmocka_unit_test(the_first_request_cancels),
		cmocka_unit_test(a_wait_is_unwound_before_its_thread),
		cmocka_unit_test(a_missing_request_may_have_been_first),
		cmocka_unit_test(fork_exec_reap),
		cmocka_unit_test(a_pid_used_again_is_another_process),
		cmocka_unit_test(a_fork_does_not_claim_an_unrelated_process),
		cmocka_unit_test(a_spawn_and_an_exec_claim_no_unrelated_process),
		cmocka_unit_test(once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
