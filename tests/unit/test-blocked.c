/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/analysis/blocked.c, on traces that end with blocked threads, as lock-order uses it. */
#include "tests/unit/lock-history.h"

static uint32_t object(enum syt_kind kind, uint64_t address)
{
	return syt_builder_object(b, p, kind, address, 0, 0);
}

/* Thread JOINER waits for the end of thread JOINED. */
static void joins(uint32_t joiner, uint32_t joined)
{
	waits(joiner, SYT_SHAPE_JOIN, 0, 0);
	syt_builder_trace(b)->images[0].threads[joiner].waiting.thread = joined;
}

/* Names the builder's call of SHAPE NAME; the builder has one call for each shape. */
static void rename_call(enum syt_shape shape, char *name)
{
	syt_builder_trace(b)->images[0].calls[shape].name = name;
}

/* Checks that the only deadlock consists of these NR threads, and that NR_OTHERS other threads wait for
 * them. */
static void expect_deadlock(const uint32_t *threads, uint32_t nr, uint32_t nr_others, bool is_sure)
{
	look();
	assert_int_equal(l.nr_deadlocks, 1);
	assert_int_equal(deadlock_found()->nr_core, nr);
	assert_int_equal(deadlock_found()->nr, nr + nr_others);
	assert_int_equal(deadlock_found()->state == SYT_BLOCKED_STUCK, is_sure);
	for (uint32_t i = 0; i < nr; i++)
		assert_true(syt_blocked_is_deadlocked(&l.blocked, threads[i]));
	assert_true(syt_lock_order_is_defect(&l));
	end();
}

static void expect_none(void)
{
	look();
	assert_int_equal(l.nr_deadlocks, 0);
	assert_false(syt_blocked_is_deadlocked(&l.blocked, 0));
	assert_false(syt_lock_order_is_defect(&l));
	end();
}

static void cycle_of_two(void **state)
{
	(void)state;
	start(4);
	uint32_t m = mutex(0x1000), n = mutex(0x2000);

	lock(0, m, 10);
	lock(1, n, 11);
	on(2, SYT_SHAPE_INFO, m, 12);
	on(3, SYT_SHAPE_INFO, m, 13);
	waits(0, SYT_SHAPE_LOCK, n, 0);
	waits(1, SYT_SHAPE_LOCK, m, 0);
	/* this thread waits for the deadlocked threads, but is not part of the cycle */
	waits(2, SYT_SHAPE_LOCK, m, 0);
	joins(3, 2);
	expect_deadlock((const uint32_t[]){0, 1}, 2, 2, true);
}

/* T 0 needs the mutex of its condition back, which T 1 holds.  It has released the mutex, so nothing waits for T 0 there. */
static void cycle_of_three_through_a_condition(void **state)
{
	(void)state;
	start(3);
	uint32_t m = mutex(0x1000), n = mutex(0x2000), o = mutex(0x3000);
	uint32_t c = object(SYT_KIND_COND, 0x4000);

	lock(0, n, 10);
	lock(0, m, 11);
	lock(1, m, 20);
	lock(2, o, 21);
	waits(0, SYT_SHAPE_COND_WAIT, c, m);
	waits(1, SYT_SHAPE_LOCK, o, 0);
	waits(2, SYT_SHAPE_LOCK, n, 0);
	expect_deadlock((const uint32_t[]){0, 1, 2}, 3, 0, true);
}

/* A wait for a condition does not wait for its mutex if no other thread holds the mutex. */
static void condition_with_a_free_mutex(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex(0x1000), n = mutex(0x2000), c = object(SYT_KIND_COND, 0x4000);

	lock(0, n, 10);
	lock(0, m, 11);
	on(1, SYT_SHAPE_INFO, m, 12);
	waits(0, SYT_SHAPE_COND_WAIT, c, m);
	waits(1, SYT_SHAPE_LOCK, n, 0);
	expect_none();
}

/* T 2 waits for T 1, T 1 for T 0, and T 0 works. */
static void chain(void **state)
{
	(void)state;
	start(3);
	uint32_t m = mutex(0x1000), n = mutex(0x2000);

	lock(0, m, 10);
	lock(1, n, 11);
	on(2, SYT_SHAPE_INFO, m, 12);
	waits(1, SYT_SHAPE_LOCK, m, 0);
	waits(2, SYT_SHAPE_LOCK, n, 0);
	expect_none();
}

/* Two chains of waiting threads that meet, and a thread that waits for two holders, of which only one
 * leads back to the thread. */
static void several_holders(void **state)
{
	(void)state;
	start(3);
	uint32_t w = object(SYT_KIND_RWLOCK, 0x1000), m = mutex(0x2000);

	on(0, SYT_SHAPE_RDLOCK, w, 10);
	on(1, SYT_SHAPE_RDLOCK, w, 11);
	lock(2, m, 12);
	waits(2, SYT_SHAPE_LOCK, w, 0);
	waits(1, SYT_SHAPE_LOCK, m, 0);
	expect_deadlock((const uint32_t[]){1, 2}, 2, 0, true);
}

/* A reader does not wait for another reader. */
static void readers(void **state)
{
	(void)state;
	for (unsigned is_shared = 0; is_shared < 2; is_shared++) {
		start(2);
		uint32_t w = object(SYT_KIND_RWLOCK, 0x1000), m = mutex(0x2000);

		on(0, is_shared ? SYT_SHAPE_RDLOCK : SYT_SHAPE_LOCK, w, 10);
		lock(1, m, 11);
		waits(0, SYT_SHAPE_LOCK, m, 0);
		waits(1, SYT_SHAPE_RDLOCK, w, 0);
		if (is_shared)
			expect_none();
		else
			expect_deadlock((const uint32_t[]){0, 1}, 2, 0, true);
	}
}

/* A wait with a timeout ends by itself. */
static void timed_call(void **state)
{
	static char plain[] = "pthread_rwlock_rdlock", timed[] = "pthread_rwlock_timedrdlock";

	(void)state;
	for (unsigned is_timed = 0; is_timed < 2; is_timed++) {
		start(2);
		uint32_t w = object(SYT_KIND_RWLOCK, 0x1000), m = mutex(0x2000);

		lock(0, w, 10);
		lock(1, m, 11);
		waits(0, SYT_SHAPE_LOCK, m, 0);
		waits(1, SYT_SHAPE_RDLOCK, w, 0);
		rename_call(SYT_SHAPE_RDLOCK, is_timed ? timed : plain);
		if (is_timed)
			expect_none();
		else
			expect_deadlock((const uint32_t[]){0, 1}, 2, 0, true);
	}
}

/* A holder that exited is no longer blocked, whatever the slot of its thread still says. */
static void holder_that_exited(void **state)
{
	(void)state;
	for (unsigned has_ended = 0; has_ended < 2; has_ended++) {
		start(2);
		uint32_t m = mutex(0x1000), n = mutex(0x2000);

		lock(0, m, 10);
		lock(1, n, 11);
		if (has_ended)
			on(1, SYT_SHAPE_THREAD_END, 0, 12);
		waits(0, SYT_SHAPE_LOCK, n, 0);
		waits(1, SYT_SHAPE_LOCK, m, 0);
		if (has_ended)
			expect_none();
		else
			expect_deadlock((const uint32_t[]){0, 1}, 2, 0, true);
	}
}

/* T 0 holds the mutex and receives from the pipe; T 1, the only sender, wants the mutex. */
static void pipe_history(uint32_t receiver, bool has_ended, bool has_received)
{
	start(3);
	uint32_t m = mutex(0x1000), q = object(SYT_KIND_PIPE, 0x2000);

	syt_builder_event(b, p, 1,
	                  (struct syt_made){SYT_SHAPE_SEND, q, .in = 10 * NS, .out = 10 * NS,
	                                    .bytes = 1, .result = 1});
	if (has_received)
		syt_builder_event(b, p, receiver,
		                  (struct syt_made){SYT_SHAPE_RECV, q, .in = 11 * NS, .out = 11 * NS,
		                                    .bytes = 1, .result = 1});
	lock(0, m, 20);
	on(1, has_ended ? SYT_SHAPE_THREAD_END : SYT_SHAPE_INFO, has_ended ? 0 : m, 21);
	on(2, SYT_SHAPE_INFO, m, 22);
	waits(receiver, SYT_SHAPE_RECV, q, 0);
	waits(1, SYT_SHAPE_LOCK, m, 0);
}

static void receivers(void **state)
{
	(void)state;
	pipe_history(0, false, true);
	expect_deadlock((const uint32_t[]){0, 1}, 2, 0, false);

	/* the sent byte is on its way */
	pipe_history(0, false, false);
	expect_none();

	pipe_history(2, false, true); /* the holder of the mutex does not receive */
	expect_none();

	/* the sender has exited, so the trace shows no sender that could be blocked */
	pipe_history(0, true, true);
	expect_none();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycle_of_two),
		cmocka_unit_test(cycle_of_three_through_a_condition),
		cmocka_unit_test(condition_with_a_free_mutex),
		cmocka_unit_test(chain),
		cmocka_unit_test(several_holders),
		cmocka_unit_test(readers),
		cmocka_unit_test(timed_call),
		cmocka_unit_test(holder_that_exited),
		cmocka_unit_test(receivers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
