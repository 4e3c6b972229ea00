/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The cycles of decoder/report/lock_order.  First histories made by hand; then small programs: the report on one run is
 * compared with all possible runs.  Deadlocks: test-blocked.c, too.
 */
#include <errno.h>

#include "tests/lib/random.h"
#include "tests/unit/lock-history.h"

static void expect_verdict(enum syt_verdict_kind verdict)
{
	look();
	assert_int_equal(l.nr_cycles, 1);
	assert_int_equal(l.cycles[0].verdict, verdict);
}

static void inversion(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex(0x1000), n = mutex(0x2000);

	both(0, m, n, 10);
	both(1, n, m, 20);
	expect_verdict(SYT_VERDICT_POSSIBLE);
	assert_int_equal(l.cycles[0].length, 2);
	assert_int_equal(l.arcs[l.cycles[0].arcs[0]].to, l.arcs[l.cycles[0].arcs[1]].from);
	assert_int_equal(l.arcs[l.cycles[0].arcs[0]].instances[0].to.row, 1);
	end();
}

/* Each makes as many arcs as locks are held, but no more than 64. */
static void very_many(void **state)
{
	const uint32_t nr = 300;
	uint32_t locks[300];

	(void)state;
	start(2);
	for (uint32_t i = 0; i < nr; i++)
		locks[i] = mutex(0x1000 + i);
	for (uint32_t i = 0; i < nr; i++)
		lock(0, locks[i], 1 + i);
	for (uint32_t i = nr; i-- > 0;)
		unlock(0, locks[i], 2 * nr - i);
	both(1, locks[1], locks[0], 1000);
	expect_verdict(SYT_VERDICT_POSSIBLE);
	assert_int_equal(l.nr_arcs, 64 * 65 / 2 + 1);
	assert_int_equal(l.nr_deep, nr - 65);
	end();
}

static void one_order_or_one_thread(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex(0x1000), n = mutex(0x2000);

	both(0, m, n, 10);
	both(1, m, n, 20);
	look();
	assert_int_equal(l.nr_arcs, 2);
	assert_int_equal(l.nr_cycles, 0);
	end();

	start(2);
	m = mutex(0x1000);
	n = mutex(0x2000);
	both(0, m, n, 10);
	both(0, n, m, 20);
	expect_verdict(SYT_VERDICT_SAME_THREAD);
	end();
}

static void gate(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex(0x1000), n = mutex(0x2000), g = mutex(0x3000);

	lock(0, g, 5);
	both(0, m, n, 10);
	unlock(0, g, 15);
	lock(1, g, 16);
	both(1, n, m, 20);
	unlock(1, g, 25);
	expect_verdict(SYT_VERDICT_GATED);
	assert_int_equal(l.cycles[0].gate, order.objects.of_image[0][g - 1]);
	end();

	/* released in between it is none */
	start(2);
	m = mutex(0x1000);
	n = mutex(0x2000);
	g = mutex(0x3000);
	lock(0, g, 4);
	unlock(0, g, 5);
	both(0, m, n, 10);
	lock(1, g, 16);
	both(1, n, m, 20);
	unlock(1, g, 25);
	expect_verdict(SYT_VERDICT_POSSIBLE);
	end();
}

/* T 1 begins when T 0 has posted: before its locks, or behind them. */
static void order_of_threads(void **state)
{
	(void)state;
	for (unsigned is_behind = 0; is_behind < 2; is_behind++) {
		start(2);
		uint32_t m = mutex(0x1000), n = mutex(0x2000);
		uint32_t s = syt_builder_object(b, p, SYT_KIND_SEM, 0x3000, 0, 0);

		on(0, SYT_SHAPE_INIT, s, 1);
		both(0, m, n, 10);
		on(0, SYT_SHAPE_SEM_POST, s, is_behind ? 15 : 5);
		on(1, SYT_SHAPE_SEM_WAIT, s, 18);
		both(1, n, m, 20);
		expect_verdict(is_behind ? SYT_VERDICT_ORDERED : SYT_VERDICT_POSSIBLE);
		end();
	}
}

/* Each time, T 0 is done with both locks before T 1 takes them; with IS_ONCE_APART, one of the times has no order. */
static void order_of_many_times(void **state)
{
	(void)state;
	for (unsigned is_once_apart = 0; is_once_apart < 2; is_once_apart++) {
		start(2);
		uint32_t m = mutex(0x1000), n = mutex(0x2000);
		uint32_t s = syt_builder_object(b, p, SYT_KIND_SEM, 0x3000, 0, 0);
		uint32_t back = syt_builder_object(b, p, SYT_KIND_SEM, 0x4000, 0, 0);

		on(0, SYT_SHAPE_INIT, s, 1);
		on(0, SYT_SHAPE_INIT, back, 2);
		for (unsigned i = 0; i < 10; i++) {
			syt_time at = 100 * (i + 1);

			if (is_once_apart && i == 5)
				on(0, SYT_SHAPE_SEM_POST, s, at);
			both(0, m, n, at + 10);
			if (!is_once_apart || i != 5)
				on(0, SYT_SHAPE_SEM_POST, s, at + 20);
			on(1, SYT_SHAPE_SEM_WAIT, s, at + 30);
			both(1, n, m, at + 40);
			on(1, SYT_SHAPE_SEM_POST, back, at + 50);
			on(0, SYT_SHAPE_SEM_WAIT, back, at + 60);
		}
		expect_verdict(is_once_apart ? SYT_VERDICT_POSSIBLE : SYT_VERDICT_ORDERED);
		if (is_once_apart)
			assert_int_equal(l.cycles[0].instances[0] + l.cycles[0].instances[1], 10);
		end();
	}
}

static void readers(void **state)
{
	(void)state;
	for (unsigned is_write = 0; is_write < 2; is_write++) {
		start(2);
		uint32_t m = mutex(0x1000),
			 r = syt_builder_object(b, p, SYT_KIND_RWLOCK, 0x2000, 0, 0);

		on(0, SYT_SHAPE_RDLOCK, r, 10);
		lock(0, m, 11);
		unlock(0, m, 12);
		unlock(0, r, 13);
		lock(1, m, 20);
		on(1, is_write ? SYT_SHAPE_LOCK : SYT_SHAPE_RDLOCK, r, 21);
		unlock(1, r, 22);
		unlock(1, m, 23);
		expect_verdict(is_write ? SYT_VERDICT_POSSIBLE : SYT_VERDICT_SHARED);
		end();
	}
}

static void who_only_tries_does_not_wait(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex(0x1000), r = syt_builder_object(b, p, SYT_KIND_RWLOCK, 0x2000, 0, 0);

	lock(0, m, 10);
	on(0, SYT_SHAPE_RDLOCK, r, 11);
	unlock(0, r, 12);
	unlock(0, m, 13);
	lock(1, r, 20);
	lock(1, m, 21);
	unlock(1, m, 22);
	unlock(1, r, 23);
	syt_builder_trace(b)->images[0].calls[SYT_SHAPE_RDLOCK].name =
		(char *)"pthread_rwlock_tryrdlock";
	look();
	assert_int_equal(l.nr_arcs, 1);
	assert_int_equal(l.nr_cycles, 0);
	end();
}

static void recursive_and_cond(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex(0x1000), n = mutex(0x2000);
	uint32_t c = syt_builder_object(b, p, SYT_KIND_COND, 0x3000, 0, 0);

	lock(0, m, 10);
	lock(0, n, 11);
	lock(0, m, 12); /* the thread already holds the lock */
	unlock(0, m, 13);
	unlock(0, n, 14);
	unlock(0, m, 15);
	look();
	assert_int_equal(l.nr_arcs, 1);
	end();

	/* a thread that waits for a condition with m while it holds n takes m back with n held */
	start(2);
	m = mutex(0x1000);
	n = mutex(0x2000);
	c = syt_builder_object(b, p, SYT_KIND_COND, 0x3000, 0, 0);
	lock(0, n, 9);
	lock(0, m, 10);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_COND_WAIT, c, .in = 20 * NS, .out = 60 * NS,
	                                    .object2 = m});
	unlock(0, m, 61);
	unlock(0, n, 62);
	both(1, m, n, 70);
	expect_verdict(SYT_VERDICT_POSSIBLE);
	end();
}

static void circle_of_three(void **state)
{
	(void)state;
	start(4);
	uint32_t m[3] = {mutex(0x1000), mutex(0x2000), mutex(0x3000)};

	for (uint32_t i = 0; i < 3; i++)
		both(i, m[i], m[(i + 1) % 3], 10 * (i + 1));
	expect_verdict(SYT_VERDICT_POSSIBLE);
	assert_int_equal(l.cycles[0].length, 3);
	end();

	/* the thread that goes on to the third lock holds the first: the others cannot all be under way */
	start(4);
	for (uint32_t i = 0; i < 3; i++)
		m[i] = mutex(0x1000 + i);
	both(0, m[0], m[1], 10);
	lock(1, m[0], 18);
	both(1, m[1], m[2], 20);
	unlock(1, m[0], 28);
	both(2, m[2], m[0], 30);
	look();
	for (size_t i = 0; i < l.nr_cycles;
	     i++) /* T 1 alone takes m2 with m0 held; T 2 the other way round */
		assert_true(l.cycles[i].length == 2 || l.cycles[i].verdict == SYT_VERDICT_GATED);
	end();
}

static void same_call_paths_are_told_once(void **state)
{
	(void)state;
	start(2);
	uint32_t m[8];

	for (unsigned i = 0; i < 8; i++)
		m[i] = mutex(0x1000 + 8 * i);
	for (unsigned i = 0; i < 8; i += 2) {
		both(0, m[i], m[i + 1], 10 + 10 * i);
		both(1, m[i + 1], m[i], 15 + 10 * i);
	}
	expect_verdict(SYT_VERDICT_POSSIBLE);
	assert_int_equal(l.cycles[0].nr, 4);
	end();
}

/* With far too many cycles, the search ends and reports the limit. */
static void all_in_all_orders(void **state)
{
	enum { NR = 40 };
	uint32_t m[NR];
	syt_time at = 10;

	(void)state;
	start(3);
	for (unsigned i = 0; i < NR; i++)
		m[i] = mutex(0x1000 + 8 * i);
	for (uint32_t t = 0; t < 3; t++)
		for (unsigned i = 0; i < NR * NR; i++, at += 10)
			if (i / NR != i % NR)
				both(t, m[i / NR], m[i % NR], at);
	look();
	assert_true(l.is_cut);
	assert_true(l.nr_cycles > 0);
	assert_int_equal(l.cycles[0].verdict, SYT_VERDICT_POSSIBLE);
	end();
}

static void incomplete_threads_are_left_out(void **state)
{
	(void)state;
	start(2);
	uint32_t m = mutex(0x1000), n = mutex(0x2000);

	both(0, m, n, 10);
	both(1, n, m, 20);
	syt_builder_trace(b)->images[0].threads[1].gaps = 1;
	look();
	assert_int_equal(l.nr_threads_left_out, 1);
	assert_int_equal(l.nr_cycles, 0);
	end();

	start(2);
	m = mutex(0x1000);
	n = mutex(0x2000);
	both(0, m, n, 10);
	both(1, n, m, 20);
	unlock(1, m, 30); /* not its own */
	look();
	assert_int_equal(l.nr_locks_left_out, 1);
	assert_int_equal(l.nr_cycles, 0);
	end();
}

/* ---- semaphores ---- */

static uint32_t semaphore(uint64_t address, uint64_t value)
{
	uint32_t s = syt_builder_object(b, p, SYT_KIND_SEM, address, 0, 0);

	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_INIT, s, .out = address / 0x1000 * NS, .arg = value});
	return s;
}

static void take(uint32_t thread, uint32_t s, syt_time at)
{
	on(thread, SYT_SHAPE_SEM_WAIT, s, at);
}

static void give(uint32_t thread, uint32_t s, syt_time at)
{
	on(thread, SYT_SHAPE_SEM_POST, s, at);
}

/* S, then the mutex M in it, or the other way round; from AT to AT + 3. */
static void sem_and_mutex(uint32_t thread, uint32_t s, uint32_t m, bool is_sem_first, syt_time at)
{
	if (is_sem_first)
		take(thread, s, at);
	lock(thread, m, at + 1);
	if (!is_sem_first)
		take(thread, s, at + 2);
	give(thread, s, at + 3);
	unlock(thread, m, at + 4);
}

static void semaphores_used_as_locks(void **state)
{
	(void)state;
	start(2);
	uint32_t s = semaphore(0x1000, 1), t = semaphore(0x2000, 1);

	take(0, s, 10);
	take(0, t, 11);
	give(0, t, 12);
	give(0, s, 13);
	take(1, t, 20);
	take(1, s, 21);
	give(1, s, 22);
	give(1, t, 23);
	expect_verdict(SYT_VERDICT_POSSIBLE);
	assert_int_equal(l.locks.nr_inferred, 2);
	assert_int_equal(l.nr_other_locks, 0);
	end();

	/* and a mutex */
	start(2);
	s = semaphore(0x1000, 1);
	uint32_t m = mutex(0x5000);

	sem_and_mutex(0, s, m, true, 10);
	sem_and_mutex(1, s, m, false, 20);
	expect_verdict(SYT_VERDICT_POSSIBLE);
	end();

	/* in one order */
	start(2);
	s = semaphore(0x1000, 1);
	m = mutex(0x5000);
	sem_and_mutex(0, s, m, true, 10);
	sem_and_mutex(1, s, m, true, 20);
	look();
	assert_int_equal(l.nr_arcs, 2);
	assert_int_equal(l.nr_cycles, 0);
	end();

	/* a gate */
	start(2);
	s = semaphore(0x1000, 1);
	m = mutex(0x5000);
	uint32_t n = mutex(0x6000);

	take(0, s, 10);
	both(0, m, n, 11);
	give(0, s, 20);
	take(1, s, 21);
	both(1, n, m, 22);
	give(1, s, 30);
	expect_verdict(SYT_VERDICT_GATED);
	end();
}

enum misuse { NONE, VALUE_0, VALUE_2, FOREIGN, TWICE, TWO, ALONE, ANEW, ENDED, LOST, NR_MISUSES };

/* After one event that no lock can have, the semaphore is not treated as a lock. */
static void semaphores_that_are_no_locks(void **state)
{
	(void)state;
	for (enum misuse misuse = NONE; misuse < NR_MISUSES; misuse++) {
		start(3);
		uint32_t s = semaphore(0x1000, misuse == VALUE_0 ? 0 : misuse == VALUE_2 ? 2 : 1);
		uint32_t m = mutex(0x5000), second = misuse != ALONE;

		if (misuse == LOST)
			on(2, SYT_SHAPE_INFO, m, 5);
		sem_and_mutex(0, s, m, true, 10);
		sem_and_mutex(second, s, m, false, 20);
		if (misuse == ANEW)
			syt_builder_event(
				b, p, 0,
				(struct syt_made){SYT_SHAPE_INIT, s, .out = 30 * NS, .arg = 1});
		take(second, s, 40);
		if (misuse == TWICE)
			take(0, s, 41);
		if (misuse == TWO)
			syt_builder_event(b, p, second,
			                  (struct syt_made){SYT_SHAPE_SEM_POST, s, .in = 42 * NS,
			                                    .out = 42 * NS, .count = 2});
		else if (misuse == FOREIGN)
			give(0, s, 42);
		else if (misuse != ENDED)
			give(second, s, 42);
		on(second, SYT_SHAPE_THREAD_END, 0, 50);
		syt_builder_trace(b);
		if (misuse == LOST)
			syt_builder_drop(b, p, 2, 1);
		look();
		assert_int_equal(l.locks.nr_inferred, misuse == NONE);
		assert_int_equal(l.nr_other_locks, misuse != NONE);
		assert_int_equal(l.nr_cycles, misuse == NONE);
		end();
	}
}

static void semaphores_that_wait_for_nothing(void **state)
{
	(void)state;
	for (unsigned is_timed = 0; is_timed < 2; is_timed++) {
		start(2);
		uint32_t s = semaphore(0x1000, 1), m = mutex(0x5000);

		sem_and_mutex(0, s, m, true, 10);
		sem_and_mutex(1, s, m, false, 20);
		if (is_timed)
			syt_builder_trace(b)->images[0].calls[SYT_SHAPE_SEM_WAIT].name =
				(char *)"sem_timedwait";
		look();
		assert_int_equal(l.nr_cycles, !is_timed);
		end();
	}

	/* one semop takes both at once, in no order */
	start(2);
	uint32_t s = semaphore(0x1000, 1), t = semaphore(0x2000, 1);

	for (uint32_t i = 0; i < 2; i++) {
		take(i, i ? t : s, 10 + 10 * i);
		take(i, i ? s : t, 10 + 10 * i);
		give(i, s, 11 + 10 * i);
		give(i, t, 12 + 10 * i);
	}
	look();
	assert_int_equal(l.locks.nr_inferred, 2);
	assert_int_equal(l.nr_arcs, 0);
	end();
}

/* ---- what another thread does ---- */

/* T 0 takes FIRST, gives it back and posts S at 30; T 1 has LAST and waits for that from 25 to 35. */
static void reply(uint32_t first, uint32_t last, uint32_t s)
{
	lock(0, first, 10);
	unlock(0, first, 12);
	give(0, s, 30);
	lock(1, last, 20);
	syt_builder_event(b, p, 1,
	                  (struct syt_made){SYT_SHAPE_SEM_WAIT, s, .in = 25 * NS, .out = 35 * NS});
	unlock(1, last, 40);
}

static void expect_reply(enum syt_verdict_kind verdict, uint32_t nr_threads)
{
	expect_verdict(verdict);
	assert_int_equal(syt_lock_order_nr_threads(&l, &l.cycles[0]), nr_threads);
}

static void expect_nothing(void)
{
	look();
	assert_int_equal(l.nr_cycles, 0);
}

static void replies(void **state)
{
	(void)state;
	start(2);
	uint32_t s = semaphore(0x1000, 0), m = mutex(0x5000);

	reply(m, m, s);
	expect_reply(SYT_VERDICT_POSSIBLE, 2);
	assert_int_equal(l.nr_waits, 1);
	assert_int_equal(l.nr_waits_left_out, 0);
	assert_int_equal(l.cycles[0].length, 1);
	const struct syt_lock_order_arc *a = &l.arcs[l.cycles[0].arcs[0]];

	assert_int_equal(a->thread, 1);
	assert_int_equal(a->remote->nr, 1);
	assert_int_equal(a->remote->hops[0].thread, 0);
	assert_int_equal(a->instances[0].from.row, 0);
	assert_int_equal(a->instances[0].to.row, 1); /* behind the semaphore's birth */
	assert_int_equal(a->remote->instances[0][0].wait.row, 1);
	assert_int_equal(a->remote->instances[0][0].send.row, 3);
	end();

	/* a longer chain: T 2 holds the lock for which T 0 waits */
	start(3);
	s = semaphore(0x1000, 0);
	m = mutex(0x5000);
	uint32_t n = mutex(0x6000);

	reply(n, m, s);
	both(2, n, m, 50);
	expect_reply(SYT_VERDICT_POSSIBLE, 3);
	end();

	/* by T 2, which waits for T 0 */
	start(3);
	s = semaphore(0x1000, 0);
	uint32_t t = semaphore(0x2000, 0);

	m = mutex(0x5000);
	lock(0, m, 10);
	unlock(0, m, 12);
	give(0, t, 13);
	take(2, t, 21);
	give(2, s, 30);
	lock(1, m, 20);
	take(1, s, 35);
	unlock(1, m, 40);
	expect_reply(SYT_VERDICT_POSSIBLE, 3);
	end();

	/* the end of a thread */
	start(3);
	m = mutex(0x5000);
	lock(1, m, 10);
	unlock(1, m, 12);
	on(1, SYT_SHAPE_THREAD_END, 0, 30);
	lock(0, m, 20);
	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_JOIN, .in = 25 * NS, .out = 35 * NS, .thread1 = 2});
	unlock(0, m, 40);
	expect_reply(SYT_VERDICT_POSSIBLE, 2);
	end();

	/* a condition: the mutex of the wait is none that is held */
	start(2);
	m = mutex(0x5000);
	n = mutex(0x6000);
	uint32_t c = syt_builder_object(b, p, SYT_KIND_COND, 0x3000, 0, 0);

	lock(0, m, 10);
	unlock(0, m, 12);
	lock(0, n, 29);
	on(0, SYT_SHAPE_COND_SIGNAL, c, 30);
	unlock(0, n, 31);
	lock(1, m, 20);
	lock(1, n, 21);
	syt_builder_event(b, p, 1,
	                  (struct syt_made){SYT_SHAPE_COND_WAIT, c, .in = 25 * NS, .out = 35 * NS,
	                                    .object2 = n});
	unlock(1, n, 36);
	unlock(1, m, 40);
	expect_reply(SYT_VERDICT_POSSIBLE, 2);
	end();
}

/* A lock that one thread alone uses delays no other thread, so very many such locks leave nothing unchecked. */
static void replies_under_private_locks(void **state)
{
	const uint32_t nr = 1100;

	(void)state;
	start(2);
	uint32_t s = semaphore(0x1000, 0);

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t m = mutex(0x5000 + i);
		syt_time at = 10 + 10 * i;

		lock(1, m, at);
		give(0, s, at + 3);
		syt_builder_event(b, p, 1,
		                  (struct syt_made){SYT_SHAPE_SEM_WAIT, s, .in = (at + 1) * NS,
		                                    .out = (at + 5) * NS});
		unlock(1, m, at + 6);
	}
	expect_nothing();
	assert_false(l.is_cut);
	end();
}

static void replies_that_exclude_it(void **state)
{
	(void)state;
	/* T 1 continues after a message of T 0, which has released the mutex. */
	start(2);
	uint32_t s = semaphore(0x1000, 0), t = semaphore(0x2000, 0), m = mutex(0x5000);

	reply(m, m, s);
	give(0, t, 14);
	take(1, t, 16);
	expect_nothing();
	end();

	/* T 0 sends its message to T 1 before T 0 takes the mutex. */
	start(2);
	s = semaphore(0x1000, 0);
	t = semaphore(0x2000, 0);
	m = mutex(0x5000);
	reply(m, m, s);
	give(0, t, 8);
	take(1, t, 16);
	expect_reply(SYT_VERDICT_POSSIBLE, 2);
	end();

	/* T 0 takes it when it has answered */
	start(2);
	s = semaphore(0x1000, 0);
	m = mutex(0x5000);
	reply(mutex(0x6000), m, s);
	lock(0, m, 45);
	unlock(0, m, 46);
	expect_nothing();
	end();

	/* others answer, too */
	start(3);
	s = semaphore(0x1000, 0);
	m = mutex(0x5000);
	reply(m, m, s);
	give(2, s, 50);
	take(2, s, 60);
	expect_nothing();
	assert_int_equal(l.nr_waits_left_out, 1);
	end();

	/* the thread has answered its own request */
	start(2);
	s = semaphore(0x1000, 0);
	m = mutex(0x5000);
	lock(0, m, 10);
	unlock(0, m, 12);
	lock(1, m, 20);
	give(1, s, 24);
	take(1, s, 35);
	unlock(1, m, 40);
	expect_nothing();
	end();

	/* has a deadline */
	start(2);
	s = semaphore(0x1000, 0);
	m = mutex(0x5000);
	reply(m, m, s);
	syt_builder_trace(b)->images[0].calls[SYT_SHAPE_SEM_WAIT].name = (char *)"sem_clockwait";
	expect_nothing();
	assert_int_equal(l.nr_waits, 0);
	end();

	/* events of T 0 are missing */
	start(2);
	s = semaphore(0x1000, 0);
	m = mutex(0x5000);
	reply(m, m, s);
	syt_builder_trace(b)->images[0].threads[0].gaps = 1;
	expect_nothing();
	end();

	/* both threads only read */
	start(2);
	s = semaphore(0x1000, 0);
	uint32_t r = syt_builder_object(b, p, SYT_KIND_RWLOCK, 0x5000, 0, 0);

	on(0, SYT_SHAPE_RDLOCK, r, 10);
	unlock(0, r, 12);
	give(0, s, 30);
	on(1, SYT_SHAPE_RDLOCK, r, 20);
	take(1, s, 35);
	unlock(1, r, 40);
	expect_reply(SYT_VERDICT_SHARED, 2);
	end();

	/* T 0 only tries */
	start(2);
	s = semaphore(0x1000, 0);
	r = syt_builder_object(b, p, SYT_KIND_RWLOCK, 0x5000, 0, 0);
	on(0, SYT_SHAPE_RDLOCK, r, 10);
	unlock(0, r, 12);
	give(0, s, 30);
	lock(1, r, 20);
	take(1, s, 35);
	unlock(1, r, 40);
	syt_builder_trace(b)->images[0].calls[SYT_SHAPE_RDLOCK].name =
		(char *)"pthread_rwlock_tryrdlock";
	expect_nothing();
	end();

	/* T 1 went on when T 0 had another lock, which it gave back behind the first one */
	start(2);
	s = semaphore(0x1000, 0);
	t = semaphore(0x2000, 0);
	m = mutex(0x5000);
	uint32_t g = mutex(0x6000);

	lock(0, g, 5);
	give(0, t, 6);
	take(1, t, 18);
	reply(m, m, s);
	unlock(0, g, 13);
	lock(1, g, 19);
	unlock(1, g, 45);
	expect_reply(SYT_VERDICT_GATED, 2);
	assert_int_equal(l.cycles[0].gate, order.objects.of_image[0][g - 1]);
	end();

	/* further on: T 2 was done before T 0 and T 1 began */
	start(3);
	s = semaphore(0x1000, 0);
	t = semaphore(0x2000, 0);
	uint32_t u = semaphore(0x3000, 0);

	m = mutex(0x5000);
	uint32_t n = mutex(0x6000);

	both(2, n, m, 3);
	give(2, t, 7);
	take(0, t, 8);
	give(2, u, 9);
	take(1, u, 18);
	reply(n, m, s);
	expect_reply(SYT_VERDICT_ORDERED, 3);
	end();

	/* or is T 0 itself */
	start(2);
	s = semaphore(0x1000, 0);
	m = mutex(0x5000);
	n = mutex(0x6000);
	reply(n, m, s);
	both(0, n, m, 50);
	expect_verdict(SYT_VERDICT_SAME_THREAD);
	end();
}

enum { WAITED, HAD_IT, HAD_WAITED, REFUSED, FILES, NR_CHANNELS };

/* Receives from file descriptors. A receive may not wait at all; the analysis takes that into account. */
static void replies_by_descriptors(void **state)
{
	(void)state;
	for (unsigned how = 0; how < NR_CHANNELS; how++) {
		start(3);
		uint32_t m = mutex(0x5000);
		uint32_t f = syt_builder_object(b, p, how == FILES ? SYT_KIND_FILE : SYT_KIND_PIPE,
		                                0x3000, 0, 0);
		struct syt_made send = {SYT_SHAPE_SEND, f,          .in = 30 * NS, .out = 31 * NS,
		                        .offset = 8,    .bytes = 8, .result = 8};
		struct syt_made hello = send, read = send, refused = send;

		hello.offset = 0;
		hello.in = 5 * NS;
		hello.out = 6 * NS;
		syt_builder_event(b, p, 0, hello);
		hello.shape = SYT_SHAPE_RECV;
		hello.in = how == HAD_WAITED || how == REFUSED ? 3 * NS : 7 * NS;
		hello.out = 8 * NS;
		syt_builder_event(b, p, 1, hello);
		lock(0, m, 10);
		unlock(0, m, 12);
		syt_builder_event(b, p, 0, send);
		lock(1, m, 20);
		read.shape = SYT_SHAPE_RECV;
		read.in = how == WAITED || how == REFUSED ? 25 * NS : 32 * NS;
		read.out = 35 * NS;
		syt_builder_event(b, p, 1, read);
		unlock(1, m, 40);
		refused.shape = SYT_SHAPE_RECV;
		refused.in = refused.out = 50 * NS;
		refused.result = -1;
		refused.err = EAGAIN;
		if (how == REFUSED)
			syt_builder_event(b, p, 1, refused);
		look();
		assert_int_equal(l.nr_cycles, how == WAITED || how == HAD_WAITED);
		assert_int_equal(l.nr_waits, how != FILES);
		assert_int_equal(l.nr_waits_left_out, how == HAD_IT || how == REFUSED);
		end();
	}
}

/* ---- the end of the trace ---- */

static void deadlock(void **state)
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
	waits(2, SYT_SHAPE_LOCK, m, 0);
	waits(3, SYT_SHAPE_JOIN, 0, 0);
	syt_builder_trace(b)->images[0].threads[3].waiting.thread = 2;
	look();
	assert_int_equal(l.nr_kept, 2);
	assert_int_equal(l.nr_deadlocks, 1);
	assert_int_equal(deadlock_found()->nr_core, 2);
	assert_int_equal(deadlock_found()->nr, 4);
	assert_int_equal(deadlock_found()->state, SYT_BLOCKED_STUCK);
	end();

	/* a thread waits for the end of a thread that wants its lock */
	start(2);
	m = mutex(0x1000);
	lock(0, m, 10);
	on(1, SYT_SHAPE_INFO, m, 12);
	waits(0, SYT_SHAPE_JOIN, 0, 0);
	syt_builder_trace(b)->images[0].threads[0].waiting.thread = 1;
	waits(1, SYT_SHAPE_LOCK, m, 0);
	look();
	assert_int_equal(l.nr_deadlocks, 1);
	assert_int_equal(deadlock_found()->nr_core, 2);
	end();

	/* a wait for a condition ends with its mutex, which the other one has */
	start(2);
	m = mutex(0x1000);
	n = mutex(0x2000);
	uint32_t c = syt_builder_object(b, p, SYT_KIND_COND, 0x3000, 0, 0);

	lock(0, n, 10);
	lock(0, m, 11); /* given back by the wait */
	lock(1, m, 12);
	waits(0, SYT_SHAPE_COND_WAIT, c, m);
	waits(1, SYT_SHAPE_LOCK, n, 0);
	look();
	assert_int_equal(l.nr_deadlocks, 1);
	assert_int_equal(deadlock_found()->nr_core, 2);
	end();

	/* a semaphore that had been used as a lock before */
	start(2);
	m = mutex(0x5000);
	uint32_t s = semaphore(0x1000, 1);

	sem_and_mutex(0, s, m, true, 10);
	sem_and_mutex(1, s, m, true, 20);
	take(0, s, 30);
	lock(1, m, 31);
	waits(0, SYT_SHAPE_LOCK, m, 0);
	waits(1, SYT_SHAPE_SEM_WAIT, s, 0);
	look();
	assert_int_equal(l.nr_deadlocks, 1);
	assert_int_equal(deadlock_found()->nr_core, 2);
	end();

	/* itself */
	start(1);
	m = mutex(0x1000);
	lock(0, m, 10);
	waits(0, SYT_SHAPE_LOCK, m, 0);
	look();
	assert_int_equal(l.nr_deadlocks, 1);
	assert_int_equal(deadlock_found()->nr_core, 1);
	end();
}

enum { ONE_GIVER, OTHER_GIVER, OTHER_STUCK, OTHER_ENDED, NO_GIVER, GIVES_LATE, NR_GIVERS };

/* T 0 has the mutex and waits for a token, or bytes, and T 1, which was seen to give such, wants the mutex. */
static void may_be_deadlock(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * NR_GIVERS; i++) {
		unsigned how = i % NR_GIVERS;
		bool is_pipe = i >= NR_GIVERS;

		start(3);
		uint32_t m = mutex(0x5000), s = is_pipe ? 0 : semaphore(0x1000, 0);
		struct syt_made send = {SYT_SHAPE_SEND, .in = 10 * NS, .out = 10 * NS, .bytes = 1,
		                        .result = 1};

		if (is_pipe)
			s = syt_builder_object(b, p, SYT_KIND_PIPE, 0x1000, 0, 0);
		send.object = s;
		if (how != NO_GIVER && is_pipe)
			syt_builder_event(b, p, 1, send);
		else if (how != NO_GIVER)
			give(1, s, 10);
		send.offset = 1;
		send.in = send.out = 11 * NS;
		if (how >= OTHER_GIVER && how <= OTHER_ENDED && is_pipe)
			syt_builder_event(b, p, 2, send);
		else if (how >= OTHER_GIVER && how <= OTHER_ENDED)
			give(2, s, 11);
		if (how == OTHER_ENDED)
			on(2, SYT_SHAPE_THREAD_END, 0, 12);
		if (is_pipe && how != NO_GIVER) /* all that was sent has arrived */
			syt_builder_event(b, p, 0,
			                  (struct syt_made){SYT_SHAPE_RECV, s, .in = 15 * NS, .out = 15 * NS,
			                                    .bytes = how >= OTHER_GIVER && how <= OTHER_ENDED ? 2 : 1,
			                                    .result = 1});
		lock(0, m, 20);
		on(1, SYT_SHAPE_INFO, m, 21);
		on(2, SYT_SHAPE_INFO, m, how == OTHER_ENDED ? 5 : 22);
		waits(0, is_pipe ? SYT_SHAPE_RECV : SYT_SHAPE_SEM_WAIT, s, 0);
		if (how != GIVES_LATE)
			waits(1, SYT_SHAPE_LOCK, m, 0);
		if (how == OTHER_STUCK)
			waits(2, SYT_SHAPE_LOCK, m, 0);
		look();
		bool is_told = how == ONE_GIVER || how == OTHER_STUCK || how == OTHER_ENDED;

		assert_int_equal(l.nr_deadlocks, is_told);
		if (is_told) {
			assert_int_equal(deadlock_found()->state, SYT_BLOCKED_DOUBTFUL);
			assert_int_equal(deadlock_found()->nr_core, 2);
			assert_int_equal(deadlock_found()->nr, 2 + (how == OTHER_STUCK));
		}
		end();
	}

	/* without a lock they may be idle */
	start(2);
	uint32_t s = semaphore(0x1000, 0), t = semaphore(0x2000, 0), m = mutex(0x5000);

	give(1, s, 10);
	give(0, t, 11);
	lock(0, m, 20);
	on(1, SYT_SHAPE_INFO, m, 21);
	waits(0, SYT_SHAPE_SEM_WAIT, s, 0);
	waits(1, SYT_SHAPE_SEM_WAIT, t, 0);
	look();
	assert_int_equal(l.nr_deadlocks, 0);
	end();

	/* nor does it have a deadline */
	start(2);
	s = semaphore(0x1000, 0);
	m = mutex(0x5000);
	give(1, s, 10);
	lock(0, m, 20);
	on(1, SYT_SHAPE_INFO, m, 21);
	waits(0, SYT_SHAPE_SEM_WAIT, s, 0);
	waits(1, SYT_SHAPE_LOCK, m, 0);
	syt_builder_trace(b)->images[0].calls[SYT_SHAPE_SEM_WAIT].name = (char *)"sem_timedwait";
	look();
	assert_int_equal(l.nr_deadlocks, 0);
	end();
}

static void no_deadlock(void **state)
{
	(void)state;
	start(3);
	uint32_t m = mutex(0x1000), n = mutex(0x2000);
	uint32_t c = syt_builder_object(b, p, SYT_KIND_COND, 0x3000, 0, 0);
	uint32_t r = syt_builder_object(b, p, SYT_KIND_RWLOCK, 0x4000, 0, 0);

	lock(0, m, 10); /* has given it back, to wait for a condition */
	lock(1, n, 11);
	waits(0, SYT_SHAPE_COND_WAIT, c, m);
	waits(1, SYT_SHAPE_LOCK, m, 0);
	look();
	assert_int_equal(l.nr_kept, 1);
	assert_int_equal(l.nr_deadlocks, 0);
	end();

	/* a reader does not exclude a reader */
	start(2);
	m = mutex(0x1000);
	r = syt_builder_object(b, p, SYT_KIND_RWLOCK, 0x4000, 0, 0);
	on(0, SYT_SHAPE_RDLOCK, r, 10);
	lock(1, m, 11);
	waits(0, SYT_SHAPE_LOCK, m, 0);
	waits(1, SYT_SHAPE_RDLOCK, r, 0);
	look();
	assert_int_equal(l.nr_kept, 2);
	assert_int_equal(l.nr_deadlocks, 0);
	end();

	/* a wait with a time limit ends */
	start(2);
	m = mutex(0x1000);
	n = mutex(0x2000);
	syt_builder_trace(b)->images[0].calls[SYT_SHAPE_LOCK].name =
		(char *)"pthread_mutex_timedlock";
	lock(0, m, 10);
	lock(1, n, 11);
	waits(0, SYT_SHAPE_LOCK, n, 0);
	waits(1, SYT_SHAPE_LOCK, m, 0);
	look();
	assert_int_equal(l.nr_kept, 2);
	assert_int_equal(l.nr_deadlocks, 0);
	end();

	/* a thread that has ended keeps nothing */
	start(1);
	m = mutex(0x1000);
	lock(0, m, 10);
	on(0, SYT_SHAPE_THREAD_END, 0, 12);
	look();
	assert_int_equal(l.nr_kept, 0);
	end();
}

/* ---- all runs of small programs ---- */

#define NR_THREADS 3u
#define NR_LOCKS 3u
#define MOST_STEPS 16u

enum action { TAKE, READ, LEAVE, POST, AWAIT };

struct program {
	struct syt_random random;
	unsigned nr[NR_THREADS];
	struct step {
		enum action action;
		unsigned lock;
	} steps[NR_THREADS][MOST_STEPS];
};

/* The position of each thread, from which its held locks follow. */
struct where {
	unsigned at[NR_THREADS];
};

static bool holds(const struct program *g, const struct where *w, unsigned thread, unsigned lock,
                  bool *is_shared)
{
	bool is_held = false;

	for (unsigned i = 0; i < w->at[thread]; i++) {
		const struct step *s = &g->steps[thread][i];

		if (s->lock != lock || s->action > LEAVE)
			continue;
		is_held = s->action != LEAVE;
		*is_shared = s->action == READ;
	}
	return is_held;
}

static bool has_posted(const struct program *g, const struct where *w)
{
	for (unsigned t = 0; t < NR_THREADS; t++)
		for (unsigned i = 0; i < w->at[t]; i++)
			if (g->steps[t][i].action == POST)
				return true;
	return false;
}

static bool can_step(const struct program *g, const struct where *w, unsigned thread)
{
	const struct step *s = &g->steps[thread][w->at[thread]];
	bool is_shared = false;

	if (w->at[thread] == g->nr[thread])
		return false;
	if (s->action == AWAIT)
		return has_posted(g, w);
	for (unsigned t = 0; t < NR_THREADS && s->action <= READ; t++)
		if (t != thread && holds(g, w, t, s->lock, &is_shared) &&
		    !(s->action == READ && is_shared))
			return false;
	return true;
}

/* Some run of the program gets stuck. */
static bool can_get_stuck(const struct program *g, struct where w, bool *seen)
{
	unsigned number = 0;
	bool is_over = true, is_stuck = true;

	for (unsigned t = 0; t < NR_THREADS; t++) {
		number = number * (MOST_STEPS + 1) + w.at[t];
		is_over &= w.at[t] == g->nr[t];
	}
	if (seen[number] || is_over)
		return false;
	seen[number] = true;
	for (unsigned t = 0; t < NR_THREADS; t++) {
		struct where next = w;

		if (!can_step(g, &w, t))
			continue;
		is_stuck = false;
		next.at[t]++;
		if (can_get_stuck(g, next, seen))
			return true;
	}
	return is_stuck;
}

static void add_step(struct program *g, unsigned thread, enum action action, unsigned lock)
{
	g->steps[thread][g->nr[thread]++] = (struct step){action, lock};
}

/* Two or three locks, one in the other. */
static void add_block(struct program *g, unsigned thread, bool has_readers)
{
	unsigned first = (unsigned)syt_random_below(&g->random, NR_LOCKS);
	unsigned turn = 1 + (unsigned)syt_random_below(&g->random, 2);
	unsigned nr = 2 + !syt_random_below(&g->random, 4);

	for (unsigned i = 0; i < nr; i++)
		add_step(g, thread, has_readers && syt_random_below(&g->random, 2) ? READ : TAKE,
		         (first + i * turn) % NR_LOCKS);
	for (unsigned i = nr; i-- > 0;)
		add_step(g, thread, LEAVE, (first + i * turn) % NR_LOCKS);
}

/* Before one of the thread's steps, or behind all. */
static void insert_step(struct program *g, unsigned thread, enum action action)
{
	unsigned at = (unsigned)syt_random_below(&g->random, g->nr[thread] + 1);

	for (unsigned i = g->nr[thread]++; i > at; i--)
		g->steps[thread][i] = g->steps[thread][i - 1];
	g->steps[thread][at] = (struct step){action, 0};
}

static void make(struct program *g, uint64_t seed, unsigned nr_blocks, bool has_readers)
{
	*g = (struct program){.random = {seed}};
	bool has_order = !syt_random_below(&g->random, 3), has_reply = seed % 4 == 3;

	has_order &= !has_reply;

	for (unsigned t = 0; t < NR_THREADS; t++) {
		if (has_order && t == 1)
			add_step(g, t, AWAIT, 0);
		for (unsigned i = 0; i < nr_blocks; i++)
			add_block(g, t, has_readers);
		if (has_order && t == 0)
			add_step(g, t, POST, 0);
	}
	if (has_reply) {
		insert_step(g, 0, POST);
		insert_step(g, 1, AWAIT);
	}
}

/* Makes the trace of one random run. Returns false if the run deadlocked. */
static bool run(struct program *g)
{
	struct where w = {{0}};
	uint32_t locks[NR_LOCKS], sem;
	uint64_t now = 1;

	start(NR_THREADS);
	for (unsigned i = 0; i < NR_LOCKS; i++)
		locks[i] = syt_builder_object(b, p, SYT_KIND_RWLOCK, 0x1000 + i, 0, 0);
	sem = syt_builder_object(b, p, SYT_KIND_SEM, 0x2000, 0, 0);
	on(2, SYT_SHAPE_INIT, sem, now++);
	for (;;) {
		unsigned able[NR_THREADS], nr_able = 0;
		bool is_over = true;

		for (unsigned t = 0; t < NR_THREADS; t++) {
			if (can_step(g, &w, t))
				able[nr_able++] = t;
			is_over &= w.at[t] == g->nr[t];
		}
		if (!nr_able) {
			if (!is_over)
				syt_builder_destroy(b);
			return is_over;
		}
		unsigned t = able[syt_random_below(&g->random, nr_able)];
		const struct step *s = &g->steps[t][w.at[t]++];
		static const enum syt_shape shapes[] = {SYT_SHAPE_LOCK, SYT_SHAPE_RDLOCK,
		                                        SYT_SHAPE_UNLOCK, SYT_SHAPE_SEM_POST,
		                                        SYT_SHAPE_SEM_WAIT};

		on(t, shapes[s->action], s->action <= LEAVE ? locks[s->lock] : sem, now++);
	}
}

/* Each program that can deadlock is reported in any run. If each thread has only one block, no other program is
 * reported. */
static void all_runs(void **state)
{
	static struct program g;
	static bool seen[(MOST_STEPS + 1) * (MOST_STEPS + 1) * (MOST_STEPS + 1)];
	unsigned nr_stuck = 0, nr_fine = 0, nr_remote = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		unsigned nr_blocks = 1 + seed % 2, tries = 0;

		make(&g, seed, nr_blocks, seed % 3 == 0);
		memset(seen, 0, sizeof(seen));
		bool is_possible = can_get_stuck(&g, (struct where){{0}}, seen);

		while (!run(&g) && ++tries < 20)
			;
		if (tries == 20)
			continue;
		look();
		bool is_told = l.nr_cycles && l.cycles[0].verdict == SYT_VERDICT_POSSIBLE;

		if (is_possible)
			assert_true(is_told);
		if (nr_blocks == 1)
			assert_int_equal(is_told, is_possible);
		nr_stuck += is_possible;
		for (size_t i = 0; is_told && i < l.nr_cycles; i++)
			nr_remote += l.cycles[i].verdict == SYT_VERDICT_POSSIBLE &&
			             l.cycles[i].length == 1;
		nr_fine += !is_told;
		end();
	}
	assert_true(nr_stuck > 300 && nr_fine > 300 && nr_remote > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inversion),
		cmocka_unit_test(very_many),
		cmocka_unit_test(one_order_or_one_thread),
		cmocka_unit_test(gate),
		cmocka_unit_test(order_of_threads),
		cmocka_unit_test(order_of_many_times),
		cmocka_unit_test(readers),
		cmocka_unit_test(who_only_tries_does_not_wait),
		cmocka_unit_test(recursive_and_cond),
		cmocka_unit_test(circle_of_three),
		cmocka_unit_test(same_call_paths_are_told_once),
		cmocka_unit_test(all_in_all_orders),
		cmocka_unit_test(incomplete_threads_are_left_out),
		cmocka_unit_test(semaphores_used_as_locks),
		cmocka_unit_test(semaphores_that_are_no_locks),
		cmocka_unit_test(semaphores_that_wait_for_nothing),
		cmocka_unit_test(replies),
		cmocka_unit_test(replies_under_private_locks),
		cmocka_unit_test(replies_that_exclude_it),
		cmocka_unit_test(replies_by_descriptors),
		cmocka_unit_test(deadlock),
		cmocka_unit_test(may_be_deadlock),
		cmocka_unit_test(no_deadlock),
		cmocka_unit_test(all_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
