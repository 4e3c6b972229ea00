/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/check/, locks and semaphores: for each invariant a history that violates it, a history that
 * nearly violates it, and a history that proves no violation.
 */
#include <errno.h>

#include "tests/unit/invariant-check.h"

/* ---- mutex ---- */

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
	expect_and(
		"mutex", 2, 1, 0,
		"the second event acquired this lock while the thread of the first event held it");
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
	expect_and("mutex", 2, 1, 0,
	           "EOWNERDEAD was returned for this mutex, but its owner has later events");
}

static void foreign_unlocks_prove_no_violation(void **state)
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
	/* inside of this section lies the second critical section of T 0 */
	on(1, SYT_SHAPE_UNLOCK, m, 41, 41);
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
	on(2, SYT_SHAPE_LOCK, l, 13, 29); /* T 0 still holds the recursive lock once */
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

/* Adds a file lock call by THREAD on DESCRIPTION for NR bytes from FROM. */
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

static void token_that_no_post_gave(void **state)
{
	(void)state;
	start(2);
	uint32_t s = sem(2);

	on(0, SYT_SHAPE_SEM_WAIT, s, 10, 10);
	on(0, SYT_SHAPE_SEM_WAIT, s, 11, 11);
	on(0, SYT_SHAPE_SEM_WAIT, s, 12, 29);
	on(1, SYT_SHAPE_SEM_POST, s, 30, 31);
	all_end(2, 50);
	expect_and("sem", 3, 1, 0, "the wait succeeded, although the semaphore was zero");
}

/* T 1 was stopped in a call that may have posted. */
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

static void several_tokens_and_undo_at_exit(void **state)
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

static void undo_at_exit_is_too_late(void **state)
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
	/* this wait begins after the unlock, which may have taken effect as late as 40 */
	on(0, SYT_SHAPE_SEM_WAIT, s, 40, 50);
	fail_at(1, SYT_SHAPE_LOCK, m, 40, 41);
	fail_at(1, SYT_SHAPE_SEM_WAIT, s, 42, 43);
	on(0, SYT_SHAPE_SEM_POST, s, 60, 62);
	fail_at(1, SYT_SHAPE_SEM_WAIT, s, 61, 63);
	all_end(2, 90);
	expect("tries", 5, 0, 0);
}

static void tries_fail_on_a_free_object(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_touch),
		cmocka_unit_test(sections_overlap),
		cmocka_unit_test(sections_of_a_recursive_mutex_overlap),
		cmocka_unit_test(cond_wait_gives_the_mutex_away),
		cmocka_unit_test(cond_wait_that_did_not_give_it_away),
		cmocka_unit_test(cond_wait_that_never_returned),
		cmocka_unit_test(owner_died),
		cmocka_unit_test(owner_that_is_not_dead),
		cmocka_unit_test(foreign_unlocks_prove_no_violation),
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
		cmocka_unit_test(token_that_no_post_gave),
		cmocka_unit_test(token_of_a_stopped_thread),
		cmocka_unit_test(several_tokens_and_undo_at_exit),
		cmocka_unit_test(undo_at_exit_is_too_late),
		cmocka_unit_test(value_from_before),
		cmocka_unit_test(value_that_sem_open_found),
		cmocka_unit_test(tries_fail),
		cmocka_unit_test(tries_fail_on_a_free_object),
		cmocka_unit_test(a_stopped_thread_may_hold_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
