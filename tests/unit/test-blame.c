/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Tests decoder/analysis/blame.c on histories made by hand. A test builds a history, asks for the
 * pieces of one wait, and states each piece: its kind, its lock, its event and its duration.
 *
 * look_at_wait() checks that the durations of the pieces sum to the wait. look_at_cut_wait() also cuts
 * the wait in two at each instant: together, both parts must have the pieces of the whole wait.
 */
#include <errno.h>

#include "decoder/analysis/blame.h"
#include "tests/unit/report-check.h"

#define FIRST_HOLDER false
#define PASSED_ON true

static struct syt_labels *labels;
static struct syt_blamer blamer;
static struct syt_blames found;
static syt_time stated; /* sum of the durations that the test has stated for `found` */

static void lock(uint32_t thread, uint32_t o, syt_time in, syt_time out)
{
	on(thread, SYT_SHAPE_LOCK, o, in, out);
}

static void unlock(uint32_t thread, uint32_t o, syt_time at)
{
	on(thread, SYT_SHAPE_UNLOCK, o, at, at);
}

static void semaphore(uint32_t s)
{
	made(0, (struct syt_made){SYT_SHAPE_INIT, s, .out = 1});
}

/* Returns the trace-wide number of the object O, which is numbered from 1; SYT_NONE for 0. */
static uint32_t wide(uint32_t o)
{
	return o ? order.objects.of_image[0][o - 1] : SYT_NONE;
}

static void open_trace(void)
{
	assert_int_equal(syt_order_open(&order, syt_builder_trace(b)), 0);
	labels = syt_labels_create(&order.places, NULL, 0);
	syt_blamer_open(&blamer, &order, labels);
}

static void end(void)
{
	assert_int_equal(stated, 0); /* expect_no_more() was called */
	syt_blames_close(&found);
	syt_blamer_close(&blamer);
	syt_labels_destroy(labels);
	syt_order_close(&order);
	syt_builder_destroy(b);
}

static syt_time total(const struct syt_blames *blames)
{
	syt_time sum = 0;

	for (size_t i = 0; i < blames->nr; i++) {
		assert_true(blames->all[i].time > 0);
		sum += blames->all[i].time;
	}
	return sum;
}

/* Adds to OUT the pieces of [FROM, TO) ns of the wait by event ROW of THREAD; O is the lock for which
 * the thread waits, or 0. */
static void blame(uint32_t o, uint32_t thread, uint32_t row, syt_time from, syt_time to,
                  struct syt_blames *out)
{
	struct syt_place wait = {thread, row};
	size_t nr = out->nr;
	syt_time sum = total(out);

	if (o)
		syt_blame_wait(&blamer, wide(o), wait, from * NS, to * NS, out);
	else
		syt_blame_call(&blamer, wait, from * NS, to * NS, out);
	assert_true(out->nr > nr);
	assert_int_equal(total(out) - sum, (to - from) * NS);
}

static void expect_same(const struct syt_blames *x, const struct syt_blames *y)
{
	assert_int_equal(x->nr, y->nr);
	for (size_t i = 0; i < x->nr; i++) {
		assert_int_equal(x->all[i].kind, y->all[i].kind);
		assert_int_equal(x->all[i].object, y->all[i].object);
		assert_int_equal(x->all[i].side, y->all[i].side);
		assert_int_equal(x->all[i].direct, y->all[i].direct);
		assert_int_equal(x->all[i].is_passed_on, y->all[i].is_passed_on);
		assert_int_equal(x->all[i].time, y->all[i].time);
	}
}

static void look_at_wait(uint32_t o, uint32_t thread, uint32_t row, syt_time from, syt_time to)
{
	syt_blames_close(&found);
	blame(o, thread, row, from, to, &found);
	stated = 0;
}

/* Blames without following happens-before edges: the cause of an instant does not depend on the rest of the wait. */
static void look_at_cut_wait(uint32_t o, uint32_t thread, uint32_t row, syt_time from, syt_time to)
{
	struct syt_blames whole = {0};

	blame(o, thread, row, from, to, &whole);
	syt_blames_merge(&whole);
	for (syt_time middle = from + 1; middle < to; middle++) {
		struct syt_blames parts = {0};

		blame(o, thread, row, from, middle, &parts);
		blame(o, thread, row, middle, to, &parts);
		syt_blames_merge(&parts);
		expect_same(&parts, &whole);
		syt_blames_close(&parts);
	}
	syt_blames_close(&whole);
	look_at_wait(o, thread, row, from, to);
}

/* Checks that the pieces of this kind with the lock O and the event number ROW of THREAD last NS_
 * together. */
static void expect(enum syt_blame_kind kind, bool is_passed_on, uint32_t o, uint32_t thread,
                   uint32_t row, syt_time ns)
{
	struct syt_place at = {thread, row};
	syt_time sum = 0;

	for (size_t i = 0; i < found.nr; i++) {
		const struct syt_blame *piece = &found.all[i];

		if (piece->kind != kind || piece->object != wide(o) ||
		    syt_place_compare(piece->at, at))
			continue;
		assert_int_equal(piece->is_passed_on, is_passed_on);
		assert_int_equal(piece->side, syt_label_side(labels, at));
		sum += piece->time;
	}
	assert_int_equal(SYT_TIME_NS(sum), ns);
	stated += sum;
}

/* Checks a piece of a kind without an event: HANDOVER, UNSEEN, CUT. */
static void expect_unattributed(enum syt_blame_kind kind, syt_time ns)
{
	syt_time sum = 0;

	for (size_t i = 0; i < found.nr; i++) {
		const struct syt_blame *piece = &found.all[i];

		if (piece->kind != kind)
			continue;
		assert_int_equal(piece->at.thread, SYT_NONE);
		assert_int_equal(piece->object, SYT_NONE);
		assert_int_equal(piece->side, SYT_NONE);
		sum += piece->time;
	}
	assert_int_equal(SYT_TIME_NS(sum), ns);
	stated += sum;
}

/* Checks that each piece names the acquisition ROW of THREAD as the first holder of the lock. */
static void expect_first_holder(uint32_t thread, uint32_t row)
{
	for (size_t i = 0; i < found.nr; i++)
		if (found.all[i].at.thread != SYT_NONE)
			assert_int_equal(found.all[i].direct,
			                 syt_label_side(labels, (struct syt_place){thread, row}));
}

/* Checks that the pieces stated so far are all pieces of the wait. */
static void expect_no_more(void)
{
	assert_int_equal(stated, total(&found));
	stated = 0;
}

static void holder_that_ran_is_blamed_until_its_release(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	lock(0, m, 10, 10);
	unlock(0, m, 40);
	lock(1, m, 15, 42);
	unlock(1, m, 50);
	open_trace();
	look_at_cut_wait(m, 1, 0, 15, 42);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, m, 0, 0, 25);
	expect_unattributed(SYT_BLAME_HANDOVER, 2);
	expect_first_holder(0, 0);
	expect_no_more();
	end();
}

/* Two threads had the mutex in turn; the two gaps between their holdings and the third thread are hand-off. */
static void each_gap_between_holders_is_hand_off(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	lock(0, m, 10, 10);
	unlock(0, m, 30);
	lock(1, m, 12, 33);
	unlock(1, m, 50);
	lock(2, m, 14, 57);
	unlock(2, m, 60);
	open_trace();
	look_at_cut_wait(m, 2, 0, 14, 57);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, m, 0, 0, 16);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, m, 1, 0, 17);
	expect_unattributed(SYT_BLAME_HANDOVER, 3 + 7);
	expect_no_more();
	end();
}

/* The holder sends to a file during [20, 50): no edge ends this call. */
static void call_of_the_holder_is_blamed(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), f = object(SYT_KIND_FILE, 0x3000);

	lock(0, m, 10, 10);
	on(0, SYT_SHAPE_SEND, f, 20, 50);
	unlock(0, m, 60);
	lock(1, m, 30, 60);
	unlock(1, m, 61);
	open_trace();
	look_at_cut_wait(m, 1, 0, 30, 60);
	expect(SYT_BLAME_CALL, FIRST_HOLDER, m, 0, 1, 20);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, m, 0, 0, 10);
	expect_first_holder(0, 0);
	expect_no_more();
	end();
}

/*
 * Thread 3 waits for l, held by thread 2, which waits for m, held by thread 1, which waits for n,
 * held by thread 0.
 */
static void blame_is_passed_on_along_the_locks(void **state)
{
	(void)state;
	start(4);
	uint32_t l = object(SYT_KIND_MUTEX, 0x1000), m = object(SYT_KIND_MUTEX, 0x2000),
		 n = object(SYT_KIND_MUTEX, 0x3000);

	lock(0, n, 10, 10);
	unlock(0, n, 60);
	lock(1, m, 20, 20);
	lock(1, n, 30, 61);
	unlock(1, n, 70);
	unlock(1, m, 80);
	lock(2, l, 21, 21);
	lock(2, m, 25, 82);
	unlock(2, m, 83);
	unlock(2, l, 90);
	lock(3, l, 22, 90);
	unlock(3, l, 91);
	open_trace();
	look_at_cut_wait(l, 3, 0, 22, 90);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, l, 2, 0, 3 + 8);
	expect(SYT_BLAME_HELD, PASSED_ON, m, 1, 0, 5 + 19);
	expect(SYT_BLAME_HELD, PASSED_ON, n, 0, 0, 30);
	expect_unattributed(SYT_BLAME_HANDOVER, 1 + 2);
	expect_first_holder(2, 0);
	expect_no_more();
	end();
}

/* The holder waits for a semaphore during [20, 60). Thread 2 posts the semaphore. The pause of thread 2 during [25,
 * 45) is a blamed call. Thread 2 runs the rest of the time until its post begins, and the wake-up is hand-off. */
static void thread_that_ends_the_holders_wait_is_blamed(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), s = object(SYT_KIND_SEM, 0x2000);

	semaphore(s);
	lock(0, m, 10, 10);
	on(0, SYT_SHAPE_SEM_WAIT, s, 20, 60);
	unlock(0, m, 70);
	lock(1, m, 15, 70);
	unlock(1, m, 71);
	on(2, SYT_SHAPE_PAUSE, 0, 25, 45);
	on(2, SYT_SHAPE_SEM_POST, s, 55, 56);
	open_trace();
	look_at_wait(m, 1, 0, 15, 70);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, m, 0, 1, 5 + 10);
	expect(SYT_BLAME_RUNNING, PASSED_ON, s, 2, 1, 5 + 10);
	expect(SYT_BLAME_CALL, PASSED_ON, 0, 2, 0, 20);
	expect_unattributed(SYT_BLAME_HANDOVER, 5);
	expect_first_holder(0, 1);
	expect_no_more();
	end();
}

/*
 * A wait for a semaphore has no holder: the thread that posts comes first, and blame is not passed
 * on.
 */
static void wait_that_an_edge_ends_blames_the_waker(void **state)
{
	(void)state;
	start(2);
	uint32_t s = object(SYT_KIND_SEM, 0x2000);

	semaphore(s);
	on(0, SYT_SHAPE_SEM_WAIT, s, 20, 60);
	on(1, SYT_SHAPE_PAUSE, 0, 25, 45);
	on(1, SYT_SHAPE_SEM_POST, s, 55, 56);
	open_trace();
	look_at_wait(0, 0, 1, 20, 60);
	expect(SYT_BLAME_RUNNING, FIRST_HOLDER, s, 1, 1, 5 + 10);
	expect(SYT_BLAME_CALL, FIRST_HOLDER, 0, 1, 0, 20);
	expect_unattributed(SYT_BLAME_HANDOVER, 5);
	expect_no_more();
	end();
}

/* Either of two posts may have ended the holder's wait, so the wait itself is blamed and no waker. */
static void ambiguous_edge_is_not_followed(void **state)
{
	(void)state;
	start(4);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), s = object(SYT_KIND_SEM, 0x2000);

	semaphore(s);
	lock(0, m, 10, 10);
	on(0, SYT_SHAPE_SEM_WAIT, s, 20, 60);
	unlock(0, m, 70);
	lock(1, m, 15, 70);
	unlock(1, m, 71);
	on(2, SYT_SHAPE_SEM_POST, s, 50, 56);
	on(3, SYT_SHAPE_SEM_POST, s, 51, 55);
	open_trace();
	assert_int_not_equal(syt_blamer_last_into(&blamer, (struct syt_place){0, 2}), SYT_NONE);
	assert_int_equal(syt_blamer_ended_by(&blamer, (struct syt_place){0, 2}), SYT_NONE);
	look_at_cut_wait(m, 1, 0, 15, 70);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, m, 0, 1, 5 + 10);
	expect(SYT_BLAME_CALL, FIRST_HOLDER, m, 0, 2, 40);
	expect_no_more();
	end();
}

/* The last arrival ends a barrier's round; the edges go through a node that belongs to no thread. */
static void last_arrival_at_a_barrier_is_blamed(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), r = object(SYT_KIND_BARRIER, 0x2000);

	made(0, (struct syt_made){SYT_SHAPE_INIT, r, .out = 1});
	lock(0, m, 10, 10);
	made(0, (struct syt_made){SYT_SHAPE_BARRIER_WAIT, r, .in = 20, .out = 60, .count = 2});
	unlock(0, m, 70);
	lock(1, m, 15, 70);
	unlock(1, m, 71);
	made(2, (struct syt_made){SYT_SHAPE_BARRIER_WAIT, r, .in = 55, .out = 60, .result = -1,
	                          .count = 2});
	open_trace();
	look_at_wait(m, 1, 0, 15, 70);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, m, 0, 1, 5 + 10);
	expect(SYT_BLAME_RUNNING, PASSED_ON, r, 2, 0, 35);
	expect_unattributed(SYT_BLAME_HANDOVER, 5);
	expect_no_more();
	end();
}

/* Two threads each hold a mutex and wait for the mutex of the other thread; the timed wait of thread 0
 * ends at 50. */
static void cycle_of_waits_ends_at_the_first_thread(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), n = object(SYT_KIND_MUTEX, 0x2000);

	lock(0, m, 10, 10);
	lock(1, n, 12, 12);
	made(0, (struct syt_made){SYT_SHAPE_LOCK, n, .in = 20, .out = 50, .result = ETIMEDOUT});
	unlock(0, m, 60);
	lock(1, m, 30, 60);
	unlock(1, m, 70);
	unlock(1, n, 70);
	open_trace();
	look_at_cut_wait(m, 1, 1, 30, 60);
	expect(SYT_BLAME_HELD, PASSED_ON, n, 1, 0, 20);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, m, 0, 0, 10);
	expect_no_more();
	end();
}

/* Each thread T holds lock T and waits for lock T - 1. At most 8 threads are followed. */
static void chain_longer_than_the_limit_ends_at_the_limit(void **state)
{
	enum { NR = 10 };
	uint32_t locks[NR];

	(void)state;
	start(NR + 1);
	for (uint32_t i = 0; i < NR; i++)
		locks[i] = object(SYT_KIND_MUTEX, 0x1000 + i);
	for (uint32_t i = 0; i < NR; i++) {
		lock(i, locks[i], 1 + i, 1 + i);
		if (i)
			lock(i, locks[i - 1], 20, 90 + 2 * i);
		unlock(i, locks[i], 91 + 2 * i);
		if (i)
			unlock(i, locks[i - 1], 130);
	}
	lock(NR, locks[NR - 1], 20, 91 + 2 * (NR - 1));
	open_trace();
	look_at_cut_wait(locks[NR - 1], NR, 0, 20, 80);
	/* the waiter and threads 9 to 3 are followed; the wait of thread 3 is a blamed call */
	expect(SYT_BLAME_CALL, PASSED_ON, locks[3], 3, 1, 60);
	expect_no_more();
	end();
}

/* Readers do not delay a reader, but a writer between them does. */
static void reader_is_not_blamed_for_a_readers_wait(void **state)
{
	(void)state;
	start(3);
	uint32_t l = object(SYT_KIND_RWLOCK, 0x1000);

	on(0, SYT_SHAPE_RDLOCK, l, 10, 10);
	unlock(0, l, 40);
	lock(1, l, 20, 41);
	unlock(1, l, 60);
	on(2, SYT_SHAPE_RDLOCK, l, 35, 61);
	unlock(2, l, 70);
	open_trace();
	look_at_cut_wait(l, 2, 0, 35, 61);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, l, 1, 0, 19);
	expect_unattributed(SYT_BLAME_HANDOVER, 6 + 1);
	expect_no_more();
	look_at_cut_wait(l, 1, 0, 20, 41);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, l, 0, 0, 20);
	expect_unattributed(SYT_BLAME_HANDOVER, 1);
	expect_no_more();
	end();
}

/* The trace ends while the holder has the mutex: its release is unknown, so the wait is unseen. */
static void holder_without_a_release_is_unseen(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	lock(0, m, 10, 10);
	made(1, (struct syt_made){SYT_SHAPE_LOCK, m, .in = 15, .out = 45, .result = ETIMEDOUT});
	open_trace();
	look_at_cut_wait(m, 1, 0, 15, 45);
	expect_unattributed(SYT_BLAME_UNSEEN, 30);
	expect_no_more();
	end();
}

/* A ring overwrote the events of the first holder, up to and including its release at 30. */
static void holder_whose_events_were_overwritten_is_unseen(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	lock(0, m, 10, 10);
	unlock(0, m, 30);
	lock(0, m, 90, 90);
	unlock(0, m, 95);
	lock(2, m, 12, 32);
	unlock(2, m, 50);
	lock(1, m, 15, 52);
	unlock(1, m, 60);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 2);
	open_trace();
	look_at_wait(m, 1, 0, 15, 52);
	/* before thread 2 acquired the mutex, a holder may be missing; after its release, none is assumed */
	expect(SYT_BLAME_HELD, FIRST_HOLDER, m, 2, 0, 18);
	expect_unattributed(SYT_BLAME_UNSEEN, 17);
	expect_unattributed(SYT_BLAME_HANDOVER, 2);
	expect_no_more();
	end();
}

/* Thread 1 releases a mutex that thread 0 holds: the holder is uncertain, so the whole wait is unseen. */
static void wait_for_a_lock_with_a_foreign_release_is_unseen(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	lock(0, m, 10, 10);
	unlock(1, m, 20);
	lock(2, m, 15, 20);
	open_trace();
	assert_int_equal(syt_blamer_holdings(&blamer, wide(m))->state, SYT_HOLDINGS_FOREIGN);
	look_at_cut_wait(m, 2, 0, 15, 20);
	expect_unattributed(SYT_BLAME_UNSEEN, 5);
	expect_no_more();
	end();
}

/* A wait has at most 4096 pieces; the rest of the time is CUT and not lost. */
static void rest_of_a_wait_with_too_many_pieces_is_cut(void **state)
{
	enum { NR_SENDS = 5000 };

	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), f = object(SYT_KIND_FILE, 0x3000);

	lock(0, m, 10, 10);
	for (syt_time i = 0; i < NR_SENDS; i++)
		on(0, SYT_SHAPE_SEND, f, 20 + 2 * i, 21 + 2 * i);
	unlock(0, m, 20 + 2 * NR_SENDS);
	lock(1, m, 20, 20 + 2 * NR_SENDS);
	open_trace();
	look_at_wait(m, 1, 0, 20, 20 + 2 * NR_SENDS);
	assert_true(found.nr > 4096 && found.nr < 4096 + 8);
	syt_blames_merge(&found);
	for (size_t i = 0; i < found.nr; i++) {
		if (found.all[i].kind == SYT_BLAME_CALL)
			assert_int_equal(SYT_TIME_NS(found.all[i].time), 4096);
		else if (found.all[i].kind == SYT_BLAME_HELD)
			assert_int_equal(SYT_TIME_NS(found.all[i].time), 4095);
		else
			assert_int_equal(found.all[i].kind, SYT_BLAME_CUT);
	}
	expect_unattributed(SYT_BLAME_CUT, 2 * NR_SENDS - 4096 - 4095);
	stated = 0;
	end();
}

/* The longest of the merged pieces is the example that remains. */
static void merge_adds_pieces_of_one_cause(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), f = object(SYT_KIND_FILE, 0x3000);

	lock(0, m, 10, 10);
	on(0, SYT_SHAPE_SEND, f, 20, 25);
	on(0, SYT_SHAPE_SEND, f, 30, 40);
	unlock(0, m, 60);
	lock(1, m, 20, 60);
	open_trace();
	look_at_wait(m, 1, 0, 20, 60);
	assert_int_equal(found.nr, 3);
	syt_blames_merge(&found);
	assert_int_equal(found.nr, 2);
	expect(SYT_BLAME_HELD, FIRST_HOLDER, m, 0, 0, 25);
	expect(SYT_BLAME_CALL, FIRST_HOLDER, m, 0, 2, 15);
	expect_no_more();
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holder_that_ran_is_blamed_until_its_release),
		cmocka_unit_test(each_gap_between_holders_is_hand_off),
		cmocka_unit_test(call_of_the_holder_is_blamed),
		cmocka_unit_test(blame_is_passed_on_along_the_locks),
		cmocka_unit_test(thread_that_ends_the_holders_wait_is_blamed),
		cmocka_unit_test(wait_that_an_edge_ends_blames_the_waker),
		cmocka_unit_test(ambiguous_edge_is_not_followed),
		cmocka_unit_test(last_arrival_at_a_barrier_is_blamed),
		cmocka_unit_test(cycle_of_waits_ends_at_the_first_thread),
		cmocka_unit_test(chain_longer_than_the_limit_ends_at_the_limit),
		cmocka_unit_test(reader_is_not_blamed_for_a_readers_wait),
		cmocka_unit_test(holder_without_a_release_is_unseen),
		cmocka_unit_test(holder_whose_events_were_overwritten_is_unseen),
		cmocka_unit_test(wait_for_a_lock_with_a_foreign_release_is_unseen),
		cmocka_unit_test(rest_of_a_wait_with_too_many_pieces_is_cut),
		cmocka_unit_test(merge_adds_pieces_of_one_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
