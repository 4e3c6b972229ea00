/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/match/match_mutex.c and decoder/match/match_rwlock.c */
#include <errno.h>

#include "tests/unit/order-check.h"

static struct syt_builder *b;
static uint32_t p, m;

static void start(unsigned nr_threads, enum syt_kind kind)
{
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	for (unsigned i = 0; i < nr_threads; i++)
		syt_builder_thread(b, p);
	m = syt_builder_object(b, p, kind, 0x1000, 0, 0);
}

static void on(uint32_t thread, enum syt_shape shape, syt_time in, syt_time out)
{
	syt_builder_event(b, p, thread, (struct syt_made){shape, m, .in = in, .out = out});
}

static void lock(uint32_t thread, syt_time at)
{
	on(thread, SYT_SHAPE_LOCK, at, at);
}

static void unlock(uint32_t thread, syt_time at)
{
	on(thread, SYT_SHAPE_UNLOCK, at, at);
}

static void sections_follow_each_other(void **state)
{
	(void)state;
	start(3, SYT_KIND_MUTEX);
	lock(0, 10);
	unlock(0, 20);
	lock(0, 30);
	on(1, SYT_SHAPE_LOCK, 25, 45);
	unlock(0, 40);
	unlock(1, 50);
	on(2, SYT_SHAPE_LOCK, 26, 55);
	unlock(2, 60);
	expect_edges(b, "0.0.3>0.1.0 mutex run-after\n"
	                "0.1.1>0.2.0 mutex run-after\n");
}

static void failed_attempts_have_no_edges(void **state)
{
	(void)state;
	start(2, SYT_KIND_MUTEX);
	lock(0, 10);
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_LOCK, m, .in = 15, .result = EBUSY});
	syt_builder_event(
		b, p, 1,
		(struct syt_made){SYT_SHAPE_LOCK, m, .in = 16, .out = 18, .result = ETIMEDOUT});
	syt_builder_event(b, p, 1,
	                  (struct syt_made){SYT_SHAPE_UNLOCK, m, .in = 19, .result = EPERM});
	unlock(0, 20);
	lock(1, 30);
	expect_edges(b, "0.0.1>0.1.3 mutex run-after\n");
}

static void inner_unlock_of_a_recursive_mutex_is_no_release(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(2, SYT_KIND_MUTEX);
	lock(0, 10);
	lock(0, 11);
	unlock(0, 12);
	unlock(0, 13);
	lock(1, 20);
	expect_edges_and(b, "0.0.3>0.1.0 mutex run-after\n", &c);
	assert_int_equal(c.unneeded, 2);
}

static void owner_died(void **state)
{
	(void)state;
	start(3, SYT_KIND_MUTEX);
	lock(0, 1);
	unlock(0, 2);
	lock(1, 10); /* and dies */
	syt_builder_event(b, p, 2,
	                  (struct syt_made){SYT_SHAPE_LOCK, m, .out = 20, .result = EOWNERDEAD});
	unlock(2, 30);
	lock(0, 40);
	expect_edges(b, "0.0.1>0.1.0 mutex run-after\n"
	                "0.0.1>0.2.0 mutex run-after\n"
	                "0.2.1>0.0.2 mutex run-after\n");
}

static void unlock_by_another_thread_has_no_edges(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(3, SYT_KIND_MUTEX);
	lock(0, 10);
	unlock(1, 20);
	lock(2, 30);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_FOREIGN], 2);
}

static void address_used_again_is_another_mutex(void **state)
{
	(void)state;
	start(2, SYT_KIND_MUTEX);
	lock(0, 10);
	unlock(0, 20);
	m = syt_builder_object(b, p, SYT_KIND_MUTEX, 0x1000, 1, 0);
	lock(1, 30);
	expect_edges(b, "");
}

static void overwritten_sections(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(3, SYT_KIND_MUTEX);
	lock(1, 5);
	unlock(1, 6);
	lock(0, 10);
	unlock(0, 20); /* T 0 starts in the middle of its second section */
	lock(0, 22);
	unlock(0, 24);
	lock(2, 30);
	unlock(2, 31);
	lock(1, 40);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 3);
	syt_builder_drop(b, p, 1, 2);
	expect_edges_and(b, "0.0.3>0.2.0 mutex run-after\n0.2.1>0.1.2 mutex run-after\n", &c);
	assert_int_equal(syt_coverage_unattributed(&c), 0);

	start(2, SYT_KIND_MUTEX);
	lock(0, 10);
	unlock(0, 20);
	lock(1, 30);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 2);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_OVERWRITTEN], 1);
}

static void cond_wait_gives_the_mutex_away(void **state)
{
	uint32_t c;

	(void)state;
	start(2, SYT_KIND_MUTEX);
	c = syt_builder_object(b, p, SYT_KIND_COND, 0x2000, 0, 0);
	lock(0, 10);
	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_COND_WAIT, c, .in = 20, .out = 50, .object2 = m});
	lock(1, 30);
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_COND_SIGNAL, c, .in = 35});
	unlock(1, 40);
	expect_edges(b, "0.0.1>0.1.0 mutex run-after\n"
	                "0.1.1>0.0.1 cond\n"
	                "0.1.2>0.0.1 mutex run-after\n");
}

static void shared_mutex_orders_two_processes(void **state)
{
	uint32_t q, n;

	(void)state;
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	q = syt_builder_image(b, 200);
	syt_builder_thread(b, p);
	syt_builder_thread(b, q);
	m = syt_builder_object(b, p, SYT_KIND_MUTEX, 7, 0, SYT_OBJECT_SHARED);
	syt_builder_object(b, q, SYT_KIND_MUTEX, 9, 0, SYT_OBJECT_SHARED);
	n = syt_builder_object(b, q, SYT_KIND_MUTEX, 7, 0, SYT_OBJECT_SHARED);
	lock(0, 10);
	unlock(0, 20);
	syt_builder_event(b, q, 0, (struct syt_made){SYT_SHAPE_LOCK, n, .in = 12, .out = 30});
	expect_edges(b, "0.0.1>1.0.0 mutex run-after\n");
}

static void private_mutexes_of_two_processes_are_two(void **state)
{
	uint32_t q, n;

	(void)state;
	start(1, SYT_KIND_MUTEX);
	q = syt_builder_image(b, 200);
	syt_builder_thread(b, q);
	n = syt_builder_object(b, q, SYT_KIND_MUTEX, 0x1000, 0, 0);
	lock(0, 10);
	unlock(0, 20);
	syt_builder_event(b, q, 0, (struct syt_made){SYT_SHAPE_LOCK, n, .in = 12, .out = 30});
	expect_edges(b, "");
}

static void spin_lock(void **state)
{
	(void)state;
	start(2, SYT_KIND_SPIN);
	lock(0, 10);
	unlock(0, 20);
	lock(1, 20);
	expect_edges(b, "0.0.1>0.1.0 spin run-after\n");
}

static void readers_and_writers(void **state)
{
	(void)state;
	start(4, SYT_KIND_RWLOCK);
	lock(0, 10);
	unlock(0, 20);
	on(1, SYT_SHAPE_RDLOCK, 15, 25);
	on(2, SYT_SHAPE_RDLOCK, 16, 26);
	unlock(1, 30);
	on(1, SYT_SHAPE_RDLOCK, 31, 31);
	unlock(1, 32);
	unlock(2, 40);
	on(3, SYT_SHAPE_LOCK, 17, 45);
	unlock(3, 50);
	on(0, SYT_SHAPE_RDLOCK, 55, 55);
	expect_edges(b, "0.0.1>0.1.0 rwlock run-after\n"
	                "0.0.1>0.2.0 rwlock run-after\n"
	                "0.0.1>0.1.2 rwlock run-after\n"
	                "0.0.1>0.3.0 rwlock run-after\n"
	                "0.1.3>0.3.0 rwlock run-after\n"
	                "0.2.1>0.3.0 rwlock run-after\n"
	                "0.3.1>0.0.2 rwlock run-after\n");
}

static void unlock_of_unknown_mode_precedes_writers_only(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(3, SYT_KIND_RWLOCK);
	on(0, SYT_SHAPE_RDLOCK, 10, 10);
	unlock(0, 20);
	on(1, SYT_SHAPE_RDLOCK, 25, 25);
	unlock(1, 26);
	lock(2, 30);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 1);
	expect_edges_and(b, "0.0.1>0.2.0 rwlock run-after\n0.1.1>0.2.0 rwlock run-after\n", &c);
	assert_int_equal(c.unattributed[SYT_REASON_OVERWRITTEN], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_follow_each_other),
		cmocka_unit_test(failed_attempts_have_no_edges),
		cmocka_unit_test(inner_unlock_of_a_recursive_mutex_is_no_release),
		cmocka_unit_test(owner_died),
		cmocka_unit_test(unlock_by_another_thread_has_no_edges),
		cmocka_unit_test(address_used_again_is_another_mutex),
		cmocka_unit_test(overwritten_sections),
		cmocka_unit_test(cond_wait_gives_the_mutex_away),
		cmocka_unit_test(shared_mutex_orders_two_processes),
		cmocka_unit_test(private_mutexes_of_two_processes_are_two),
		cmocka_unit_test(spin_lock),
		cmocka_unit_test(readers_and_writers),
		cmocka_unit_test(unlock_of_unknown_mode_precedes_writers_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
