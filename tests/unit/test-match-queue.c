/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/match/match_queue.c, by hand; at random: test-order-random.c. */
#include <errno.h>

#include "tests/unit/order-check.h"

static struct syt_builder *b;
static uint32_t q;
static uint64_t nr_sent, nr_received;

static void start(unsigned nr_threads)
{
	b = syt_builder_create();
	syt_builder_image(b, 100);
	for (unsigned i = 0; i < nr_threads; i++)
		syt_builder_thread(b, 0);
	q = syt_builder_object(b, 0, SYT_KIND_QUEUE, 1, 0, SYT_OBJECT_SHARED);
	nr_sent = nr_received = 0;
}

static void sends(uint32_t thread, uint64_t sort, uint64_t bytes, syt_time in, syt_time out)
{
	syt_builder_event(b, 0, thread,
	                  (struct syt_made){SYT_SHAPE_SEND, q, .in = in, .out = out,
	                                    .offset = nr_sent++, .bytes = bytes, .arg = sort,
	                                    .count = 1});
}

static void takes(uint32_t thread, uint64_t sort, uint64_t bytes, syt_time in, syt_time out)
{
	syt_builder_event(b, 0, thread,
	                  (struct syt_made){SYT_SHAPE_RECV, q, .in = in, .out = out,
	                                    .result = (int64_t)bytes, .offset = nr_received++,
	                                    .bytes = bytes, .arg = sort, .count = 1});
}

/* A call that finds NR messages there. */
static void counts(uint32_t thread, uint64_t nr, syt_time in, syt_time out)
{
	syt_builder_event(
		b, 0, thread,
		(struct syt_made){SYT_SHAPE_OPEN, q, .in = in, .out = out, .count = nr + 1});
}

static void each_kind_is_a_queue(void **state)
{
	(void)state;
	start(2);
	sends(0, 1, 5, 10, 11);
	sends(0, 7, 6, 12, 13);
	sends(0, 1, 7, 14, 15);
	takes(1, 7, 6, 20, 21);
	takes(1, 1, 5, 22, 23);
	takes(1, 1, 7, 24, 25);
	syt_builder_event(b, 0, 1,
	                  (struct syt_made){SYT_SHAPE_RECV, q, .in = 26, .out = 27, .result = -1,
	                                    .err = EAGAIN, .count = 1});
	expect_edges(b, "0.0.1>0.1.0 queue 6\n0.0.0>0.1.1 queue 5\n0.0.2>0.1.2 queue 7\n");
}

static void overlapping_sends_are_ambiguous(void **state)
{
	(void)state;
	start(3);
	sends(0, 1, 4, 10, 20);
	sends(1, 1, 4, 15, 25);
	takes(2, 1, 4, 30, 31);
	takes(2, 1, 4, 32, 33);
	expect_edges(b, "0.0.0>0.2.0 queue* 4\n0.1.0>0.2.0 queue* 4\n"
	                "0.0.0>0.2.1 queue* 4\n0.1.0>0.2.1 queue* 4\n");

	/* as long as it is, it can have been one only */
	start(3);
	sends(0, 1, 4, 10, 20);
	sends(1, 1, 6, 15, 25);
	takes(2, 1, 6, 30, 31);
	takes(2, 1, 4, 32, 33);
	expect_edges(b, "0.1.0>0.2.0 queue 6\n0.0.0>0.2.1 queue* 4\n0.1.0>0.2.1 queue* 4\n");
}

static void somebody_untraced(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(2); /* sends */
	sends(0, 1, 4, 10, 11);
	takes(1, 1, 4, 20, 21);
	takes(1, 1, 4, 22, 23);
	sends(0, 1, 4, 30, 31);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_UNTRACED_WRITER], 2);

	start(2); /* a message was taken: another reader finds the queue empty */
	sends(0, 1, 4, 10, 11);
	counts(0, 0, 12, 13);
	sends(0, 1, 4, 14, 15);
	takes(1, 1, 4, 20, 21);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_UNTRACED_WRITER], 1);

	start(3); /* running calls explain the count that was found */
	sends(0, 1, 4, 10, 20);
	counts(2, 0, 12, 13);
	counts(2, 1, 14, 15);
	takes(1, 1, 4, 16, 26);
	counts(2, 0, 18, 19);
	expect_edges(b, "0.0.0>0.1.0 queue 4\n");
}

static void messages_from_before_the_trace(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(2);
	syt_builder_endpoint(b, 0, q, (struct syt_endpoint_info){.tx = 1});
	nr_sent = 1;
	sends(0, 1, 4, 10, 11);
	takes(1, 1, 4, 20, 21);
	takes(1, 1, 4, 22, 23); /* now it is empty */
	sends(0, 1, 4, 30, 31);
	takes(1, 1, 4, 40, 41);
	expect_edges_and(b, "0.0.1>0.1.2 queue 4\n", &c);
	assert_int_equal(c.unattributed[SYT_REASON_BEFORE], 2);
}

static void without_the_beginning(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(2);
	sends(0, 1, 4, 10, 11);
	sends(0, 1, 4, 12, 13);
	sends(0, 2, 4, 14, 15);
	takes(1, 2, 4, 20, 21);
	takes(1, 1, 4, 22, 23);
	takes(1, 1, 4, 24, 25);
	sends(0, 1, 4, 30, 31);
	takes(1, 1, 4, 40, 41);
	syt_builder_trace(b);
	syt_builder_drop(b, 0, 0, 2);
	expect_edges_and(b, "0.0.3>0.1.3 queue 4\n", &c);
	assert_int_equal(c.unattributed[SYT_REASON_OVERWRITTEN], 3);
}

static void readiness_of_queues(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(3);
	sends(0, 1, 4, 10, 11);
	syt_builder_event(b, 0, 2,
	                  (struct syt_made){SYT_SHAPE_READY, 0, .in = 5, .out = 15, .result = 1,
	                                    .ready = {{q, SYT_READY_IN | SYT_READY_OUT}}});
	syt_builder_event(b, 0, 2,
	                  (struct syt_made){SYT_SHAPE_READY, 0, .in = 16, .out = 17, .result = 1,
	                                    .ready = {{q, SYT_READY_OUT}}});
	syt_builder_event(b, 0, 1,
	                  (struct syt_made){SYT_SHAPE_RECV, q, .in = 18, .out = 19, .result = 4,
	                                    .bytes = 4, .arg = 1, .count = 1,
	                                    .flags = SYT_EVENT_PEEK});
	takes(1, 1, 4, 20, 21);
	expect_edges_and(b, "0.0.0>0.2.0 ready\n0.0.0>0.1.0 queue 4\n0.0.0>0.1.1 queue 4\n", &c);
	assert_int_equal(c.unattributed[SYT_REASON_KERNEL], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_is_a_queue),
		cmocka_unit_test(overlapping_sends_are_ambiguous),
		cmocka_unit_test(somebody_untraced),
		cmocka_unit_test(messages_from_before_the_trace),
		cmocka_unit_test(without_the_beginning),
		cmocka_unit_test(readiness_of_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
