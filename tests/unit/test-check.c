/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/check/: of each invariant a history that violates it, one that nearly does, and one of
 * which nothing can be proven.
 */
#include <errno.h>

#include "decoder/check/check.h"
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

static void event(uint32_t thread, struct syt_made e)
{
	syt_builder_event(b, p, thread, e);
}

static void on(uint32_t thread, enum syt_shape shape, uint32_t object, syt_time in, syt_time out)
{
	event(thread, (struct syt_made){shape, object, .in = in, .out = out});
}

/* Every thread of P ends at AT, so that nothing can be unrecorded. */
static void all_end(unsigned nr_threads, syt_time at)
{
	for (unsigned i = 0; i < nr_threads; i++)
		on(i, i ? SYT_SHAPE_THREAD_END : SYT_SHAPE_EXIT, 0, at, at);
}

/* What NAME says of the trace; destroys it.  FIRST: of the first violation, or NULL. */
static void expect_and(const char *name, uint64_t checked, uint64_t violations, uint64_t unproven,
                       const char *first)
{
	struct syt_order o;
	struct syt_check c;
	unsigned i = 0;

	while (strcmp(syt_invariants[i].name, name))
		i++;
	assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
	syt_check_run(&c, &syt_invariants[i], &o, 1);
	assert_int_equal(c.nr_checked, checked);
	assert_int_equal(c.nr_violations, violations);
	assert_int_equal(syt_check_unproven(&c), unproven);
	assert_int_equal(c.nr_findings, violations ? 1 : 0);
	if (first)
		assert_string_equal(c.findings[0].what, first);
	for (uint32_t n = 0; n < o.places.nr_threads && c.nr_findings; n++)
		assert_true(c.findings[0].nr_at <= 2);
	syt_check_close(&c);
	syt_order_close(&o);
	syt_builder_destroy(b);
}

static void expect(const char *name, uint64_t checked, uint64_t violations, uint64_t unproven)
{
	expect_and(name, checked, violations, unproven, NULL);
}

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
	expect_and("time", 3, 1, 0, "the second begins inside of the first, and ends after it");
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
	/* it crosses all around it but the longest, and one that ends with it */
	expect("time", 100021, 1, 0);
}

/* ---- mutex ---- */

static uint32_t mutex(void)
{
	return syt_builder_object(b, p, SYT_KIND_MUTEX, 0x1000, 0, 0);
}

static void sections_touch(void **state)
{
	(void)state;
	start(3);
	uint32_t m = mutex();

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_UNLOCK, m, 20, 20);
	on(1, SYT_SHAPE_LOCK, m, 5, 20);
	on(1, SYT_SHAPE_LOCK, m, 21, 21); /* recursive */
	on(1, SYT_SHAPE_UNLOCK, m, 22, 22);
	on(1, SYT_SHAPE_UNLOCK, m, 23, 23);
	event(2, (struct syt_made){SYT_SHAPE_LOCK, m, .in = 11, .out = 11, .result = EBUSY});
	on(2, SYT_SHAPE_LOCK, m, 23, 23);
	expect("mutex", 4, 0, 0);
}

static void sections_overlap(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex();

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_UNLOCK, m, 21, 21);
	on(1, SYT_SHAPE_LOCK, m, 5, 20);
	on(1, SYT_SHAPE_UNLOCK, m, 23, 23);
	expect_and("mutex", 2, 1, 0, "acquired by the second while the first held it");
}

static void sections_of_a_recursive_mutex_overlap(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex();

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_LOCK, m, 11, 11);
	on(0, SYT_SHAPE_UNLOCK, m, 12, 12);
	on(1, SYT_SHAPE_LOCK, m, 13, 13);
	on(1, SYT_SHAPE_UNLOCK, m, 14, 14);
	on(0, SYT_SHAPE_UNLOCK, m, 15, 15);
	expect("mutex", 3, 1, 0);
}

static void cond_wait_gives_the_mutex_away(void **state)
{
	(void)state;
	start(3);
	uint32_t m = mutex(), c = syt_builder_object(b, p, SYT_KIND_COND, 0x2000, 0, 0);

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	event(0, (struct syt_made){SYT_SHAPE_COND_WAIT, c, .in = 12, .out = 40, .object2 = m});
	on(0, SYT_SHAPE_UNLOCK, m, 50, 50);
	on(1, SYT_SHAPE_LOCK, m, 13, 13);
	event(1, (struct syt_made){SYT_SHAPE_CANCELLED, c, .in = 14, .out = 60, .object2 = m});
	on(1, SYT_SHAPE_UNLOCK, m, 61, 61);
	on(2, SYT_SHAPE_LOCK, m, 15, 15);
	on(2, SYT_SHAPE_UNLOCK, m, 39, 39);
	expect("mutex", 5, 0, 0);
}

static void cond_wait_that_did_not_give_it_away(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex(), c = syt_builder_object(b, p, SYT_KIND_COND, 0x2000, 0, 0);

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	event(0, (struct syt_made){SYT_SHAPE_COND_WAIT, c, .in = 12, .out = 40, .object2 = m,
	                           .result = EINVAL});
	on(0, SYT_SHAPE_UNLOCK, m, 50, 50);
	on(1, SYT_SHAPE_LOCK, m, 13, 13);
	on(1, SYT_SHAPE_UNLOCK, m, 14, 14);
	expect("mutex", 2, 1, 0);
}

static void cond_wait_that_never_returned(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex();

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(1, SYT_SHAPE_LOCK, m, 13, 13);
	on(1, SYT_SHAPE_UNLOCK, m, 14, 14);
	expect("mutex", 2, 0, 1);
}

static void owner_died(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex();

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_THREAD_END, 0, 12, 12);
	event(1, (struct syt_made){SYT_SHAPE_LOCK, m, .out = 20, .result = EOWNERDEAD});
	on(1, SYT_SHAPE_UNLOCK, m, 21, 21);
	expect("mutex", 2, 0, 0);
}

static void owner_that_is_not_dead(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex();

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_LOCK, 0, 30, 30);
	event(1, (struct syt_made){SYT_SHAPE_LOCK, m, .out = 20, .result = EOWNERDEAD});
	expect_and("mutex", 2, 1, 0, "its owner was said to have died, and lives on");
}

static void foreign_unlocks_say_nothing(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex();

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(1, SYT_SHAPE_UNLOCK, m, 11, 11);
	on(1, SYT_SHAPE_LOCK, m, 12, 12);
	on(0, SYT_SHAPE_UNLOCK, m, 13, 13);
	expect("mutex", 0, 0, 2);
}

static void overwritten_beginnings(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex();

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_UNLOCK, m, 20, 20);
	on(0, SYT_SHAPE_LOCK, m, 30, 30);
	on(0, SYT_SHAPE_UNLOCK, m, 40, 40);
	on(1, SYT_SHAPE_LOCK, m, 22, 22);
	on(1, SYT_SHAPE_UNLOCK, m, 41, 41); /* inside of it T 0's second section */
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 1);
	expect("mutex", 2, 1, 0);
}

static void shared_by_processes(void **state)
{
	(void)state;
	start(1);
	uint32_t q = syt_builder_image(b, 200);
	uint32_t m = syt_builder_object(b, p, SYT_KIND_MUTEX, 7, 0, SYT_OBJECT_SHARED);
	uint32_t n = syt_builder_object(b, q, SYT_KIND_MUTEX, 7, 0, SYT_OBJECT_SHARED);

	syt_builder_thread(b, q);
	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_UNLOCK, m, 20, 20);
	syt_builder_event(b, q, 0, (struct syt_made){SYT_SHAPE_LOCK, n, .in = 15, .out = 19});
	syt_builder_event(b, q, 0, (struct syt_made){SYT_SHAPE_UNLOCK, n, .in = 30});
	expect("mutex", 2, 1, 0);
}

/* ---- rwlock ---- */

static void readers_together(void **state)
{
	(void)state;
	start(3);
	uint32_t l = syt_builder_object(b, p, SYT_KIND_RWLOCK, 0x1000, 0, 0);

	on(0, SYT_SHAPE_RDLOCK, l, 10, 10);
	on(0, SYT_SHAPE_RDLOCK, l, 11, 11);
	on(1, SYT_SHAPE_RDLOCK, l, 12, 12);
	on(0, SYT_SHAPE_UNLOCK, l, 20, 20);
	on(0, SYT_SHAPE_UNLOCK, l, 30, 30);
	on(1, SYT_SHAPE_UNLOCK, l, 31, 31);
	on(2, SYT_SHAPE_LOCK, l, 13, 31);
	on(2, SYT_SHAPE_UNLOCK, l, 40, 40);
	on(0, SYT_SHAPE_RDLOCK, l, 32, 40);
	expect("rwlock", 5, 0, 0);
}

static void writer_beside_a_reader(void **state)
{
	(void)state;
	start(3);
	uint32_t l = syt_builder_object(b, p, SYT_KIND_RWLOCK, 0x1000, 0, 0);

	on(0, SYT_SHAPE_RDLOCK, l, 10, 10);
	on(0, SYT_SHAPE_RDLOCK, l, 11, 11);
	on(1, SYT_SHAPE_RDLOCK, l, 12, 12);
	on(0, SYT_SHAPE_UNLOCK, l, 20, 20);
	on(1, SYT_SHAPE_UNLOCK, l, 21, 21);
	on(2, SYT_SHAPE_LOCK, l, 13, 29); /* T 0 still holds it once */
	on(0, SYT_SHAPE_UNLOCK, l, 30, 30);
	on(2, SYT_SHAPE_UNLOCK, l, 40, 40);
	expect("rwlock", 4, 1, 0);
}

static void reader_beside_a_writer(void **state)
{
	(void)state;
	start(2);
	uint32_t l = syt_builder_object(b, p, SYT_KIND_RWLOCK, 0x1000, 0, 0);

	on(0, SYT_SHAPE_LOCK, l, 10, 10);
	on(1, SYT_SHAPE_RDLOCK, l, 15, 15);
	on(1, SYT_SHAPE_UNLOCK, l, 16, 16);
	on(0, SYT_SHAPE_UNLOCK, l, 20, 20);
	expect("rwlock", 2, 1, 0);
}

/* ---- filelock ---- */

static uint32_t file(enum syt_kind kind)
{
	return syt_builder_object(b, p, kind, 0x9000, 0, SYT_OBJECT_SHARED);
}

/* By T of P on DESCRIPTION, of NR bytes from FROM. */
static void lock_file(uint32_t thread, uint32_t file, uint64_t arg, uint64_t description,
                      syt_time in, syt_time out, uint64_t from, uint64_t nr)
{
	event(thread, (struct syt_made){SYT_SHAPE_FILE_LOCK, file, .in = in, .out = out, .arg = arg,
	                                .offset = from, .offset2 = description, .count = nr});
}

static void files_are_locked_in_turn(void **state)
{
	(void)state;
	start(2);
	uint32_t f = file(SYT_KIND_FLOCK);

	lock_file(0, f, SYT_LOCK_SHARED, 1, 10, 11, 0, 0);
	lock_file(1, f, SYT_LOCK_SHARED, 2, 12, 13, 0, 0);
	lock_file(0, f, SYT_LOCK_NONE, 1, 20, 21, 0, 0);
	lock_file(0, f, SYT_LOCK_EXCLUSIVE, 1, 22, 30, 0, 0);
	lock_file(1, f, SYT_LOCK_CLOSED | SYT_LOCK_NONE, 2, 30, 31, 0, 0);
	lock_file(0, f, SYT_LOCK_SHARED, 1, 40, 41, 0, 0);
	lock_file(1, f, SYT_LOCK_SHARED, 3, 35, 41, 0, 0);
	all_end(2, 50);
	expect("filelock", 5, 0, 0);
}

static void files_are_locked_twice(void **state)
{
	(void)state;
	start(2);
	uint32_t f = file(SYT_KIND_FLOCK);

	lock_file(0, f, SYT_LOCK_EXCLUSIVE, 1, 10, 11, 0, 0);
	lock_file(1, f, SYT_LOCK_SHARED, 2, 5, 19, 0, 0);
	lock_file(0, f, SYT_LOCK_NONE, 1, 20, 21, 0, 0);
	all_end(2, 50);
	expect("filelock", 2, 1, 0);
}

static void ranges_are_locked(void **state)
{
	(void)state;
	start(2);
	uint32_t f = file(SYT_KIND_RECORD);

	lock_file(0, f, SYT_LOCK_EXCLUSIVE | SYT_LOCK_DESCRIPTION, 1, 10, 11, 0, 100);
	lock_file(1, f, SYT_LOCK_EXCLUSIVE | SYT_LOCK_DESCRIPTION, 2, 12, 13, 100, 0);
	lock_file(0, f, SYT_LOCK_NONE | SYT_LOCK_DESCRIPTION, 1, 14, 15, 50, 10);
	lock_file(1, f, SYT_LOCK_EXCLUSIVE | SYT_LOCK_DESCRIPTION, 2, 16, 17, 50, 10);
	expect("filelock", 3, 0, 0);
	start(2);
	f = file(SYT_KIND_RECORD);
	lock_file(0, f, SYT_LOCK_EXCLUSIVE | SYT_LOCK_DESCRIPTION, 1, 10, 11, 0, 100);
	lock_file(0, f, SYT_LOCK_NONE | SYT_LOCK_DESCRIPTION, 1, 14, 15, 50, 10);
	lock_file(1, f, SYT_LOCK_SHARED | SYT_LOCK_DESCRIPTION, 2, 16, 17, 50, 11);
	all_end(2, 50);
	expect("filelock", 2, 1, 0);
}

static void two_threads_of_one_owner(void **state)
{
	(void)state;
	start(2);
	uint32_t q = syt_builder_image(b, 200), f = file(SYT_KIND_RECORD);
	uint32_t g = syt_builder_object(b, q, SYT_KIND_RECORD, 0x9000, 0, SYT_OBJECT_SHARED);

	syt_builder_thread(b, q);
	lock_file(0, f, SYT_LOCK_EXCLUSIVE, 0, 10, 20, 0, 0);
	lock_file(1, f, SYT_LOCK_NONE, 0, 15, 25, 0, 0);
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_FILE_LOCK, g, .in = 12, .out = 30,
	                                    .arg = SYT_LOCK_EXCLUSIVE});
	all_end(2, 50);
	expect("filelock", 0, 0, 2);
}

static void a_lock_of_a_process_that_ended(void **state)
{
	(void)state;
	start(1);
	uint32_t q = syt_builder_image(b, 200), f = file(SYT_KIND_RECORD);
	uint32_t g = syt_builder_object(b, q, SYT_KIND_RECORD, 0x9000, 0, SYT_OBJECT_SHARED);

	syt_builder_thread(b, q);
	lock_file(0, f, SYT_LOCK_EXCLUSIVE, 0, 10, 20, 0, 0);
	all_end(1, 30);
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_FILE_LOCK, g, .in = 12, .out = 30,
	                                    .arg = SYT_LOCK_EXCLUSIVE});
	expect("filelock", 2, 0, 0);
}

/* ---- sem ---- */

static uint32_t sem(uint64_t value)
{
	uint32_t s = syt_builder_object(b, p, SYT_KIND_SEM, 0x3000, 0, 0);

	event(0, (struct syt_made){SYT_SHAPE_INIT, s, .out = 1, .arg = value});
	return s;
}

static void tokens_suffice(void **state)
{
	(void)state;
	start(2);
	uint32_t s = sem(2);

	on(0, SYT_SHAPE_SEM_WAIT, s, 10, 10);
	on(0, SYT_SHAPE_SEM_WAIT, s, 11, 11);
	on(0, SYT_SHAPE_SEM_WAIT, s, 12, 30);
	on(1, SYT_SHAPE_SEM_POST, s, 30, 31);
	event(1, (struct syt_made){SYT_SHAPE_SEM_WAIT, s, .in = 32, .result = -1, .err = EAGAIN});
	all_end(2, 50);
	expect("sem", 3, 0, 0);
}

static void token_of_nobody(void **state)
{
	(void)state;
	start(2);
	uint32_t s = sem(2);

	on(0, SYT_SHAPE_SEM_WAIT, s, 10, 10);
	on(0, SYT_SHAPE_SEM_WAIT, s, 11, 11);
	on(0, SYT_SHAPE_SEM_WAIT, s, 12, 29);
	on(1, SYT_SHAPE_SEM_POST, s, 30, 31);
	all_end(2, 50);
	expect_and("sem", 3, 1, 0, "took a token that nobody had given");
}

/* T 1 was stopped in what may have been a post. */
static void token_of_a_stopped_thread(void **state)
{
	(void)state;
	start(2);
	uint32_t s = sem(0);

	on(1, SYT_SHAPE_SEM_POST, s, 5, 6);
	on(0, SYT_SHAPE_SEM_WAIT, s, 7, 10);
	on(0, SYT_SHAPE_SEM_WAIT, s, 11, 20);
	on(0, SYT_SHAPE_SEM_WAIT, s, 21, 30);
	on(0, SYT_SHAPE_EXIT, 0, 40, 40);
	expect("sem", 3, 1, 1);
}

static void several_tokens_and_what_comes_back(void **state)
{
	(void)state;
	start(1);
	uint32_t q = syt_builder_image(b, 200);
	uint32_t s = syt_builder_object(b, p, SYT_KIND_SEM, 9, 0, SYT_OBJECT_SHARED);
	uint32_t r = syt_builder_object(b, q, SYT_KIND_SEM, 9, 0, SYT_OBJECT_SHARED);

	syt_builder_thread(b, q);
	event(0, (struct syt_made){SYT_SHAPE_INIT, s, .out = 1, .count = 1});
	event(0, (struct syt_made){SYT_SHAPE_SEM_POST, s, .in = 5, .count = 5});
	syt_builder_event(
		b, q, 0, (struct syt_made){SYT_SHAPE_SEM_WAIT, r, .out = 10, .count = 3, .arg = 1});
	syt_builder_event(b, q, 0, (struct syt_made){SYT_SHAPE_EXIT, 0, .in = 20});
	event(0, (struct syt_made){SYT_SHAPE_SEM_WAIT, s, .in = 12, .out = 21, .count = 5});
	event(0, (struct syt_made){SYT_SHAPE_EXIT, 0, .in = 30});
	expect("sem", 2, 0, 0);
}

static void what_comes_back_later(void **state)
{
	(void)state;
	start(1);
	uint32_t q = syt_builder_image(b, 200);
	uint32_t s = syt_builder_object(b, p, SYT_KIND_SEM, 9, 0, SYT_OBJECT_SHARED);
	uint32_t r = syt_builder_object(b, q, SYT_KIND_SEM, 9, 0, SYT_OBJECT_SHARED);

	syt_builder_thread(b, q);
	event(0, (struct syt_made){SYT_SHAPE_INIT, s, .out = 1, .count = 1});
	event(0, (struct syt_made){SYT_SHAPE_SEM_POST, s, .in = 5, .count = 5});
	syt_builder_event(
		b, q, 0, (struct syt_made){SYT_SHAPE_SEM_WAIT, r, .out = 10, .count = 3, .arg = 1});
	syt_builder_event(b, q, 0, (struct syt_made){SYT_SHAPE_EXIT, 0, .in = 20});
	event(0, (struct syt_made){SYT_SHAPE_SEM_WAIT, s, .in = 12, .out = 19, .count = 5});
	event(0, (struct syt_made){SYT_SHAPE_EXIT, 0, .in = 30});
	expect("sem", 2, 1, 0);
}

static void value_from_before(void **state)
{
	(void)state;
	start(1);
	uint32_t s = syt_builder_object(b, p, SYT_KIND_SEM, 0x3000, 0, 0);

	on(0, SYT_SHAPE_SEM_WAIT, s, 10, 10);
	event(0, (struct syt_made){SYT_SHAPE_INIT, s, .in = 20, .out = 21, .arg = 1}); /* SETVAL */
	on(0, SYT_SHAPE_SEM_WAIT, s, 30, 30);
	on(0, SYT_SHAPE_EXIT, 0, 40, 40);
	expect("sem", 1, 0, 1);
}

/* The builder's calls are named like their shapes. */
static void value_that_sem_open_found(void **state)
{
	(void)state;
	start(1);
	uint32_t s = syt_builder_object(b, p, SYT_KIND_SEM, 0x3000, 0, 0);
	struct syt_trace_data *trace = syt_builder_trace(b);

	trace->images[p].calls[SYT_SHAPE_INFO].name = (char *)"sem_open";
	event(0, (struct syt_made){SYT_SHAPE_INFO, s, .in = 5, .out = 6, .arg = 1});
	on(0, SYT_SHAPE_SEM_WAIT, s, 10, 10);
	on(0, SYT_SHAPE_SEM_WAIT, s, 11, 12);
	on(0, SYT_SHAPE_EXIT, 0, 40, 40);
	expect("sem", 2, 1, 0);
}

/* ---- tries ---- */

static void fail_at(uint32_t thread, enum syt_shape shape, uint32_t object, syt_time in,
                    syt_time out)
{
	bool is_sem = shape == SYT_SHAPE_SEM_WAIT;

	event(thread, (struct syt_made){shape, object, .in = in, .out = out,
	                                .result = is_sem ? -1 : EBUSY, .err = is_sem ? EAGAIN : 0});
}

static void tries_fail(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex(), s = sem(1);

	on(0, SYT_SHAPE_LOCK, m, 10, 20);
	fail_at(1, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_LOCK, m, 21, 21);
	on(0, SYT_SHAPE_UNLOCK, m, 22, 22);
	fail_at(1, SYT_SHAPE_LOCK, m, 25, 25);
	on(0, SYT_SHAPE_UNLOCK, m, 30, 30);
	on(0, SYT_SHAPE_SEM_WAIT, s, 40, 50); /* after the unlock, which may have taken until 40 */
	fail_at(1, SYT_SHAPE_LOCK, m, 40, 41);
	fail_at(1, SYT_SHAPE_SEM_WAIT, s, 42, 43);
	on(0, SYT_SHAPE_SEM_POST, s, 60, 62);
	fail_at(1, SYT_SHAPE_SEM_WAIT, s, 61, 63);
	all_end(2, 90);
	expect("tries", 5, 0, 0);
}

static void tries_fail_for_nothing(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex(), s = sem(1);

	on(0, SYT_SHAPE_LOCK, m, 10, 20);
	on(0, SYT_SHAPE_UNLOCK, m, 30, 30);
	on(0, SYT_SHAPE_SEM_WAIT, s, 40, 50);
	fail_at(1, SYT_SHAPE_LOCK, m, 41, 42);
	on(0, SYT_SHAPE_SEM_POST, s, 60, 62);
	fail_at(1, SYT_SHAPE_SEM_WAIT, s, 63, 64);
	all_end(2, 90);
	expect("tries", 0, 2, 0);
}

static void a_stopped_thread_may_hold_it(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex();

	on(0, SYT_SHAPE_THREAD_START, 0, 5, 5);
	fail_at(1, SYT_SHAPE_LOCK, m, 41, 42);
	on(1, SYT_SHAPE_EXIT, 0, 50, 50);
	expect("tries", 0, 0, 1);
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
	expect_and("barrier", 2, 1, 0, "serial threads are not as many as rounds");
}

static void half_a_round(void **state)
{
	(void)state;
	start(2);
	uint32_t r = syt_builder_object(b, p, SYT_KIND_BARRIER, 0x4000, 0, 0);

	wait_at(0, r, 10, 20, true);
	all_end(2, 50);
	expect_and("barrier", 1, 1, 0, "the last round was left by fewer than make one");
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

	move(0, SYT_SHAPE_SEND, s, 10, 20, 5, 10); /* these two overlap: counted in either order */
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
	expect_and("stream", 2, 1, 0, "the second's range begins inside of the first's");
}

static void not_recorded(void **state)
{
	(void)state;
	start(2);
	uint32_t s = pipe_of();

	move(0, SYT_SHAPE_SEND, s, 10, 11, 0, 10);
	move(0, SYT_SHAPE_SEND, s, 12, 13, 11, 10);
	all_end(2, 50);
	expect_and("stream", 2, 1, 0, "between the two ranges one is missing");
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

/* The child's dump is not given. */
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
	expect_and("process", 2, 1, 0, "had begun before it was made");
	process(11, 40, 39, 3 << 8);
	expect_and("process", 2, 1, 0, "goes on after it was reaped");
	process(11, 40, 41, 4 << 8);
	expect_and("process", 2, 1, 0, "reaped with another status than it exited with");
	process(11, 40, 41, 9); /* killed by a signal after it had begun to exit */
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

/* What the rules refuse, a create after its thread's first event, is a defect of the trace. */
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
		cmocka_unit_test(sections_touch),
		cmocka_unit_test(sections_overlap),
		cmocka_unit_test(sections_of_a_recursive_mutex_overlap),
		cmocka_unit_test(cond_wait_gives_the_mutex_away),
		cmocka_unit_test(cond_wait_that_did_not_give_it_away),
		cmocka_unit_test(cond_wait_that_never_returned),
		cmocka_unit_test(owner_died),
		cmocka_unit_test(owner_that_is_not_dead),
		cmocka_unit_test(foreign_unlocks_say_nothing),
		cmocka_unit_test(overwritten_beginnings),
		cmocka_unit_test(shared_by_processes),
		cmocka_unit_test(readers_together),
		cmocka_unit_test(writer_beside_a_reader),
		cmocka_unit_test(reader_beside_a_writer),
		cmocka_unit_test(files_are_locked_in_turn),
		cmocka_unit_test(files_are_locked_twice),
		cmocka_unit_test(ranges_are_locked),
		cmocka_unit_test(two_threads_of_one_owner),
		cmocka_unit_test(a_lock_of_a_process_that_ended),
		cmocka_unit_test(tokens_suffice),
		cmocka_unit_test(token_of_nobody),
		cmocka_unit_test(token_of_a_stopped_thread),
		cmocka_unit_test(several_tokens_and_what_comes_back),
		cmocka_unit_test(what_comes_back_later),
		cmocka_unit_test(value_from_before),
		cmocka_unit_test(value_that_sem_open_found),
		cmocka_unit_test(tries_fail),
		cmocka_unit_test(tries_fail_for_nothing),
		cmocka_unit_test(a_stopped_thread_may_hold_it),
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
