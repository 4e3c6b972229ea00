/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Tests the report on contention: lock holds, causes of waits, thundering herds. The first tests use
 * histories made by hand. Then programs take locks at random, in steps of one clock, and know for each
 * step which thread waits for which lock, its holder, and the lock for which the holder waits.
 */
#include <errno.h>

#include "decoder/report/contention/contention.h"
#include "tests/lib/random.h"
#include "tests/unit/report-check.h"

static struct syt_labels *labels;
static struct syt_blamer blamer;
static struct syt_contention c;

static void lock(uint32_t thread, uint32_t o, syt_time in, syt_time out)
{
	on(thread, SYT_SHAPE_LOCK, o, in, out);
}

static void unlock(uint32_t thread, uint32_t o, syt_time at)
{
	on(thread, SYT_SHAPE_UNLOCK, o, at, at);
}

static void cond_wait(uint32_t thread, uint32_t cond, uint32_t mutex, syt_time in, syt_time out)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_COND_WAIT, cond, .in = in * NS,
	                                    .out = out * NS, .object2 = mutex});
}

/* Checks the sums that every report must satisfy. */
static void expect_sums(void)
{
	syt_time waited = 0, all[SYT_NR_BLAMES] = {0};

	for (size_t i = 0; i < c.nr_locks; i++) {
		const struct syt_contention_lock *l = &c.locks[i];
		syt_time by_kind[SYT_NR_BLAMES] = {0}, sum = 0, path_waits = 0, path_holds = 0;
		uint64_t nr_acquired = 0, nr_waits = 0;

		for (size_t n = 0; n < l->nr_blames; n++) {
			assert_true(l->blames[n].blame.time > 0);
			by_kind[l->blames[n].blame.kind] += l->blames[n].blame.time;
			if (n)
				assert_true(l->blames[n - 1].blame.time >= l->blames[n].blame.time);
		}
		for (unsigned k = 0; k < SYT_NR_BLAMES; k++) {
			assert_int_equal(by_kind[k], l->by_kind[k]);
			sum += by_kind[k];
			all[k] += by_kind[k];
		}
		assert_int_equal(sum, l->wait.total);
		for (size_t n = 0; n < l->nr_paths; n++) {
			nr_acquired += l->paths[n].nr_acquired;
			nr_waits += l->paths[n].wait.nr;
			path_waits += l->paths[n].wait.total;
			path_holds += l->paths[n].hold.total;
		}
		assert_int_equal(nr_acquired, l->nr_acquired);
		assert_int_equal(nr_waits, l->wait.nr);
		assert_int_equal(path_waits, l->wait.total);
		assert_int_equal(path_holds, l->hold.total);
		assert_true(l->wait.p50 <= l->wait.p99 && l->wait.p99 <= l->wait.max);
		waited += l->wait.total;
	}
	assert_int_equal(waited, c.waited);
	assert_memory_equal(all, c.by_kind, sizeof(all));
}

static void look(void)
{
	assert_int_equal(syt_order_open(&order, syt_builder_trace(b)), 0);
	labels = syt_labels_create(&order.places, NULL, 0);
	syt_blamer_open(&blamer, &order, labels);
	syt_contention_open(&c, &blamer);
	expect_sums();
}

static void end(void)
{
	syt_contention_close(&c);
	syt_blamer_close(&blamer);
	syt_labels_destroy(labels);
	syt_order_close(&order);
	syt_builder_destroy(b);
}

/* Returns the report on an object, numbered from 1; NULL when it has no events left. */
static const struct syt_contention_lock *find(uint32_t o)
{
	for (size_t i = 0; i < c.nr_locks; i++)
		if (c.locks[i].object == order.objects.of_image[0][o - 1])
			return &c.locks[i];
	return NULL;
}

static const struct syt_contention_lock *of(uint32_t o)
{
	const struct syt_contention_lock *l = find(o);

	assert_non_null(l);
	return l;
}

/* Returns the time in ns of waits for O that is charged to this kind of cause and, unless HELD is 0, to
 * the holder of lock HELD. */
static uint64_t charged(uint32_t o, enum syt_blame_kind kind, uint32_t held)
{
	const struct syt_contention_lock *l = of(o);
	syt_time sum = 0;

	for (size_t i = 0; i < l->nr_blames; i++)
		if (l->blames[i].blame.kind == kind &&
		    (!held || l->blames[i].blame.object == order.objects.of_image[0][held - 1]))
			sum += l->blames[i].blame.time;
	return SYT_TIME_NS(sum);
}

static void holder_is_blamed(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	lock(0, m, 10, 10);
	unlock(0, m, 40);
	lock(1, m, 15, 42);
	unlock(1, m, 50);
	look();
	const struct syt_contention_lock *l = of(m);

	assert_int_equal(l->nr_acquired, 2);
	assert_int_equal(l->nr_threads, 2);
	assert_int_equal(l->nr_waiters, 1);
	assert_int_equal(l->wait.nr, 1);
	assert_int_equal(SYT_TIME_NS(l->wait.total), 27);
	assert_int_equal(SYT_TIME_NS(l->hold.total), 30 + 8);
	assert_int_equal(SYT_TIME_NS(l->hold.max), 30);
	assert_int_equal(charged(m, SYT_BLAME_HELD, m), 25);
	assert_int_equal(charged(m, SYT_BLAME_HANDOVER, 0), 2);
	end();
}

/* T 2 waits for m, which T 1 holds while it waits for n, which T 0 holds. */
static void blame_is_passed_on(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), n = object(SYT_KIND_MUTEX, 0x2000);

	lock(0, n, 10, 10);
	unlock(0, n, 60);
	lock(1, m, 20, 20);
	lock(1, n, 30, 61);
	unlock(1, n, 70);
	unlock(1, m, 80);
	lock(2, m, 25, 80);
	unlock(2, m, 90);
	look();
	assert_int_equal(charged(n, SYT_BLAME_HELD, n), 30);
	assert_int_equal(charged(m, SYT_BLAME_HELD, m), 5 + 19);
	assert_int_equal(charged(m, SYT_BLAME_HELD, n), 30);
	assert_int_equal(charged(m, SYT_BLAME_HANDOVER, 0), 1);
	end();
}

/* The holder waits for a semaphore: T 2 is blamed until it posts, including its sleep. */
static void blame_follows_edges(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), s = object(SYT_KIND_SEM, 0x2000);

	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_INIT, s, .out = 1 * NS});
	lock(0, m, 10, 10);
	on(0, SYT_SHAPE_SEM_WAIT, s, 20, 60);
	unlock(0, m, 70);
	lock(1, m, 15, 70);
	unlock(1, m, 71);
	on(2, SYT_SHAPE_PAUSE, 0, 25, 45);
	on(2, SYT_SHAPE_SEM_POST, s, 55, 56);
	look();
	assert_int_equal(charged(m, SYT_BLAME_HELD, m), 5 + 10);
	assert_int_equal(charged(m, SYT_BLAME_CALL, 0), 20);
	assert_int_equal(charged(m, SYT_BLAME_RUNNING, s), 5 + 10);
	assert_int_equal(charged(m, SYT_BLAME_HANDOVER, 0), 5);
	end();
}

/* A semaphore that is used as a lock is a lock; a semaphore that is used as a queue is not. */
static void semaphores(void **state)
{
	(void)state;
	for (unsigned is_queue = 0; is_queue < 2; is_queue++) {
		start(3);
		uint32_t m = object(SYT_KIND_MUTEX, 0x1000), s = object(SYT_KIND_SEM, 0x2000);

		syt_builder_event(b, p, 0,
		                  (struct syt_made){SYT_SHAPE_INIT, s, .out = 1 * NS, .arg = 1});
		on(0, SYT_SHAPE_SEM_WAIT, s, 10, 10);
		lock(1, m, 12, 12);
		on(1, SYT_SHAPE_SEM_WAIT, s, 15, 42);
		on(0, SYT_SHAPE_SEM_POST, s, 40, 40);
		on(1, SYT_SHAPE_SEM_POST, s, 50, 50);
		lock(2, m, 20, 61);
		unlock(1, m, 60);
		unlock(2, m, 70);
		if (is_queue) { /* one thread waits for the semaphore, another posts it */
			on(0, SYT_SHAPE_SEM_WAIT, s, 80, 80);
			on(1, SYT_SHAPE_SEM_POST, s, 90, 90);
		}
		look();
		assert_int_equal(c.nr_inferred, !is_queue);
		assert_int_equal(c.nr_others, is_queue);
		assert_int_equal(c.nr_locks, is_queue ? 1 : 2);
		if (!is_queue) {
			assert_true(of(s)->is_inferred);
			assert_int_equal(of(s)->nr_acquired, 2);
			assert_int_equal(of(s)->wait.total, 27 * NS);
			assert_int_equal(of(s)->hold.nr, 2);
			assert_int_equal(charged(s, SYT_BLAME_HELD, s), 25);
			assert_int_equal(charged(s, SYT_BLAME_HANDOVER, 0), 2);
			/* the wait of a thread for a lock whose holder waits for the semaphore */
			assert_int_equal(charged(m, SYT_BLAME_HELD, s), 20);
		}
		end();
	}
}

static void call_without_a_known_waker_is_blamed(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), f = object(SYT_KIND_FILE, 0x3000);

	lock(0, m, 10, 10);
	on(0, SYT_SHAPE_SEND, f, 20, 50);
	unlock(0, m, 60);
	lock(1, m, 30, 60);
	unlock(1, m, 61);
	look();
	assert_int_equal(charged(m, SYT_BLAME_CALL, m), 20);
	assert_int_equal(charged(m, SYT_BLAME_HELD, m), 10);
	end();
}

static void recursive_mutex_is_held_once(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	lock(0, m, 10, 10);
	lock(0, m, 20, 20);
	unlock(0, m, 30);
	unlock(0, m, 40);
	lock(1, m, 15, 40);
	unlock(1, m, 50);
	look();
	assert_int_equal(of(m)->nr_acquired, 3);
	assert_int_equal(of(m)->hold.nr, 2);
	assert_int_equal(charged(m, SYT_BLAME_HELD, m), 25);
	end();
}

/* A writer waits for the last of two readers; a reader waits only for the writer. */
static void readers_and_writers(void **state)
{
	(void)state;
	start(4);
	uint32_t l = object(SYT_KIND_RWLOCK, 0x1000);

	on(0, SYT_SHAPE_RDLOCK, l, 10, 10);
	on(1, SYT_SHAPE_RDLOCK, l, 12, 12);
	unlock(0, l, 30);
	unlock(1, l, 40);
	lock(2, l, 20, 41);
	on(3, SYT_SHAPE_RDLOCK, l, 35, 61);
	unlock(2, l, 60);
	unlock(3, l, 70);
	look();
	const struct syt_contention_lock *r = of(l);

	assert_int_equal(r->wait.nr, 2);
	assert_int_equal(SYT_TIME_NS(r->wait.total), 21 + 26);
	assert_int_equal(r->hold.nr, 4);
	/* readers hold the lock in [20, 40), the writer in [41, 60); until then, the reader waited
	 * behind the writer */
	assert_int_equal(charged(l, SYT_BLAME_HELD, l), 20 + 19);
	assert_int_equal(charged(l, SYT_BLAME_HANDOVER, 0), 1 + 6 + 1);
	end();
}

static void given_up_and_busy(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	lock(0, m, 10, 10);
	unlock(0, m, 60);
	syt_builder_event(b, p, 1,
	                  (struct syt_made){SYT_SHAPE_LOCK, m, .out = 20 * NS, .result = EBUSY});
	syt_builder_event(b, p, 1,
	                  (struct syt_made){SYT_SHAPE_LOCK, m, .in = 25 * NS, .out = 45 * NS,
	                                    .result = ETIMEDOUT});
	look();
	assert_int_equal(of(m)->nr_busy, 1);
	assert_int_equal(of(m)->nr_given_up, 1);
	assert_int_equal(of(m)->nr_acquired, 1);
	assert_int_equal(charged(m, SYT_BLAME_HELD, m), 20);
	end();
}

/*
 * A cond wait counts only while threads other than the waker, in its critical section, hold the
 * mutex.
 */
static void cond_wait_counts_only_foreign_holders_of_its_mutex(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), d = object(SYT_KIND_COND, 0x2000);

	lock(0, m, 10, 10);
	cond_wait(0, d, m, 20, 90);
	unlock(0, m, 95);
	lock(1, m, 30, 30);
	on(1, SYT_SHAPE_COND_SIGNAL, d, 40, 41);
	unlock(1, m, 50);
	lock(2, m, 55, 55);
	unlock(2, m, 85);
	look();
	const struct syt_contention_lock *l = of(m);

	assert_int_equal(l->nr_acquired, 4);
	assert_int_equal(l->wait.nr, 1);
	assert_int_equal(SYT_TIME_NS(l->wait.total), 30);
	assert_int_equal(l->nr_untold, 0);
	end();
}

static void foreign_release_and_missing_holders_are_unseen(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	lock(0, m, 10, 10);
	unlock(1, m, 20);
	lock(2, m, 15, 20);
	look();
	assert_int_equal(of(m)->state, SYT_HOLDINGS_FOREIGN);
	assert_int_equal(c.nr_unknown_locks, 1);
	assert_int_equal(charged(m, SYT_BLAME_UNSEEN, 0), 5);
	end();

	start(2);
	m = object(SYT_KIND_MUTEX, 0x1000);
	lock(0, m, 10, 10);
	unlock(0, m, 30);
	lock(0, m, 50, 50);
	lock(1, m, 15, 32);
	unlock(1, m, 40);
	unlock(0, m, 60);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 2);
	look();
	/* the trace does not show the holder, and the decoder knows that events are missing */
	assert_int_equal(charged(m, SYT_BLAME_UNSEEN, 0), 17);
	end();
}

static void broadcasts_that_wake_too_many_are_a_herd(void **state)
{
	(void)state;
	start(5);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), d = object(SYT_KIND_COND, 0x2000);

	for (uint32_t t = 0; t < 4; t++)
		lock(t, m, 1 + t, 1 + t);
	for (syt_time round = 0; round < 5; round++) {
		syt_time at = 100 * round;

		for (uint32_t t = 0; t < 4; t++)
			cond_wait(t, d, m, at + 10 + t, at + 60 + t);
		lock(4, m, at + 30, at + 30);
		on(4, SYT_SHAPE_COND_BROADCAST, d, at + 31, at + 32);
		unlock(4, m, at + 33);
	}
	look();
	assert_int_equal(c.nr_herds, 1);
	assert_int_equal(c.herds[0].nr_broadcasts, 5);
	assert_int_equal(c.herds[0].nr_woken, 20);
	/* no thread waits after the last broadcast, so all others were woken in vain */
	assert_int_equal(c.herds[0].nr_in_vain, 16);
	assert_int_equal(c.herds[0].most, 4);
	assert_true(syt_contention_is_herd(&c.herds[0]));
	end();
}

/* Signals end three waits of a thread for one condition. The thread waits again LATER ns afterwards, and takes the mutex again in
 * between if HAS_OTHER. */
static void expect_woken(syt_time later, bool has_other, uint64_t nr_in_vain, uint64_t nr_useful)
{
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), d = object(SYT_KIND_COND, 0x2000);
	syt_time at = 0;

	lock(0, m, 1, 1);
	for (unsigned n = 0; n < 3; n++, at += later + 100) {
		cond_wait(0, d, m, at + 10, at + 60);
		lock(1, m, at + 30, at + 30);
		on(1, SYT_SHAPE_COND_SIGNAL, d, at + 31, at + 32);
		unlock(1, m, at + 33);
		if (has_other) {
			unlock(0, m, at + 70);
			lock(0, m, at + 80, at + 80);
		}
	}
	look();
	assert_int_equal(c.nr_herds, 0);
	assert_int_equal(c.nr_signals, 1);
	assert_int_equal(c.signals[0].nr_woken, 3);
	assert_int_equal(c.signals[0].nr_in_vain, nr_in_vain);
	assert_int_equal(c.signals[0].nr_useful, nr_useful);
	end();
}

static void signals_wake_in_vain_or_for_work(void **state)
{
	(void)state;
	/* nothing follows the last wait */
	expect_woken(0, false, 2, 0);
	/* after 60 us, the thread may have worked: the wait is neither */
	expect_woken(60000, false, 0, 0);
	expect_woken(0, true, 0, 3);
	expect_woken(60000, true, 0, 3);
}

/* ---- at random ---- */

#define NR_THREADS 5u
#define NR_LOCKS 4u
#define NOBODY UINT32_MAX

struct program {
	struct syt_random random;
	uint32_t locks[NR_LOCKS];
	uint32_t holder[NR_LOCKS]; /* of a mutex */
	uint32_t nr_readers[NR_LOCKS];
	bool is_rwlock[NR_LOCKS];
	struct thread {
		uint64_t work;       /* steps until the thread makes its next call */
		uint32_t waits_for;  /* lock, or NOBODY: none */
		bool waits_to_write; /* of an rwlock */
		uint64_t since, order;
		uint8_t holds[NR_LOCKS]; /* 1: the thread holds the lock, 2: holds it for writing */
		uint64_t taken_at[NR_LOCKS];
	} threads[NR_THREADS];
	uint64_t nr_orders;
	/* the true sums at the end of the run */
	uint64_t waited[NR_LOCKS], held[NR_LOCKS], nr_acquired[NR_LOCKS], nr_waits[NR_LOCKS];
	uint64_t longest_wait[NR_LOCKS];
	/* time of waits for the first lock, charged to a holder of the second lock */
	uint64_t to_blame[NR_LOCKS][NR_LOCKS];
};

static bool can_take(const struct program *g, uint32_t l, bool to_write)
{
	return g->holder[l] == NOBODY && !(to_write && g->nr_readers[l]);
}

static void take(struct program *g, uint32_t t, uint32_t l, bool to_write, uint64_t since,
                 uint64_t now)
{
	struct thread *thread = &g->threads[t];

	if (to_write)
		g->holder[l] = t;
	else
		g->nr_readers[l]++;
	thread->holds[l] = to_write ? 2 : 1;
	thread->taken_at[l] = now;
	thread->work = 1 + syt_random_below(&g->random, 12);
	thread->waits_for = NOBODY;
	g->nr_acquired[l]++;
	if (since < now) {
		g->nr_waits[l]++;
		g->waited[l] += now - since;
		if (now - since > g->longest_wait[l])
			g->longest_wait[l] = now - since;
	}
	on(t, to_write ? SYT_SHAPE_LOCK : SYT_SHAPE_RDLOCK, g->locks[l], since, now);
}

/* Gives the lock to the thread that has waited longest among the waiters that can have the lock now. */
static void hand_over(struct program *g, uint32_t l, uint64_t now)
{
	for (;;) {
		uint32_t first = NOBODY;

		for (uint32_t t = 0; t < NR_THREADS; t++)
			if (g->threads[t].waits_for == l &&
			    (first == NOBODY || g->threads[t].order < g->threads[first].order))
				first = t;
		if (first == NOBODY || !can_take(g, l, g->threads[first].waits_to_write))
			return;
		take(g, first, l, g->threads[first].waits_to_write, g->threads[first].since, now);
	}
}

static void leave(struct program *g, uint32_t t, uint32_t l, uint64_t now)
{
	struct thread *thread = &g->threads[t];

	unlock(t, g->locks[l], now);
	g->held[l] += now - thread->taken_at[l];
	if (thread->holds[l] == 2)
		g->holder[l] = NOBODY;
	else
		g->nr_readers[l]--;
	thread->holds[l] = 0;
	thread->work = 1 + syt_random_below(&g->random, 12);
	hand_over(g, l, now);
}

/* Threads take locks in the order of their numbers, so there is no deadlock. */
static void act(struct program *g, uint32_t t, uint64_t now, bool is_ending)
{
	struct thread *thread = &g->threads[t];
	uint32_t highest = NOBODY, l;

	for (l = 0; l < NR_LOCKS; l++)
		if (thread->holds[l])
			highest = l;
	if (highest != NOBODY &&
	    (is_ending || highest == NR_LOCKS - 1 || syt_random_below(&g->random, 2))) {
		do
			l = (uint32_t)syt_random_below(&g->random, NR_LOCKS);
		while (!thread->holds[l]);
		leave(g, t, l, now);
		return;
	}
	if (is_ending)
		return;
	l = (highest == NOBODY ? 0 : highest + 1);
	l += (uint32_t)syt_random_below(&g->random, NR_LOCKS - l);
	bool to_write = !g->is_rwlock[l] || syt_random_below(&g->random, 2);

	if (can_take(g, l, to_write)) {
		take(g, t, l, to_write, now, now);
		return;
	}
	thread->waits_for = l;
	thread->waits_to_write = to_write;
	thread->since = now;
	thread->order = g->nr_orders++;
}

/* Adds each step of a wait to the mutex whose holder finally causes the wait. */
static void blame_step(struct program *g)
{
	for (uint32_t t = 0; t < NR_THREADS; t++) {
		uint32_t first = g->threads[t].waits_for, l = first;

		if (first == NOBODY)
			continue;
		while (g->threads[g->holder[l]].waits_for != NOBODY)
			l = g->threads[g->holder[l]].waits_for;
		g->to_blame[first][l]++;
	}
}

static bool is_over(const struct program *g)
{
	for (uint32_t t = 0; t < NR_THREADS; t++) {
		if (g->threads[t].waits_for != NOBODY)
			return false;
		for (uint32_t l = 0; l < NR_LOCKS; l++)
			if (g->threads[t].holds[l])
				return false;
	}
	return true;
}

static void run(struct program *g, uint64_t seed, uint64_t nr_steps, bool has_rwlocks)
{
	memset(g, 0, sizeof(*g));
	g->random.state = seed;
	start(NR_THREADS);
	for (uint32_t l = 0; l < NR_LOCKS; l++) {
		g->is_rwlock[l] = has_rwlocks && l % 2;
		g->locks[l] =
			object(g->is_rwlock[l] ? SYT_KIND_RWLOCK : SYT_KIND_MUTEX, 0x1000 + l);
		g->holder[l] = NOBODY;
	}
	for (uint32_t t = 0; t < NR_THREADS; t++) {
		g->threads[t].waits_for = NOBODY;
		g->threads[t].work = syt_random_below(&g->random, 5);
	}
	for (uint64_t now = 1; now < nr_steps || !is_over(g); now++) {
		for (uint32_t t = 0; t < NR_THREADS; t++) {
			if (g->threads[t].waits_for != NOBODY)
				continue;
			if (g->threads[t].work)
				g->threads[t].work--;
			else
				act(g, t, now, now >= nr_steps);
		}
		if (!has_rwlocks)
			blame_step(g);
	}
}

static void expect_known(const struct program *g)
{
	for (uint32_t l = 0; l < NR_LOCKS; l++) {
		const struct syt_contention_lock *r;

		if (!g->nr_acquired[l])
			continue;
		r = of(g->locks[l]);
		assert_int_equal(r->state, SYT_HOLDINGS_GOOD);
		assert_int_equal(r->nr_acquired, g->nr_acquired[l]);
		assert_int_equal(r->wait.nr, g->nr_waits[l]);
		assert_int_equal(SYT_TIME_NS(r->wait.total), g->waited[l]);
		assert_int_equal(SYT_TIME_NS(r->wait.max), g->longest_wait[l]);
		assert_int_equal(SYT_TIME_NS(r->hold.total), g->held[l]);
		assert_int_equal(r->hold.nr, g->nr_acquired[l]);
		assert_int_equal(r->by_kind[SYT_BLAME_UNSEEN], 0);
	}
}

static void random_programs(void **state)
{
	static struct program g;
	uint64_t passed_on = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		run(&g, seed, 300 + seed % 500, false);
		look();
		expect_known(&g);
		for (uint32_t l = 0; l < NR_LOCKS; l++) {
			for (uint32_t n = 0; n < NR_LOCKS && g.nr_acquired[l] && g.nr_acquired[n];
			     n++) {
				assert_int_equal(charged(g.locks[l], SYT_BLAME_HELD, g.locks[n]),
				                 g.to_blame[l][n]);
				passed_on += l != n ? g.to_blame[l][n] : 0;
			}
		}
		assert_int_equal(c.by_kind[SYT_BLAME_HELD], c.waited);
		end();
	}
	assert_true(passed_on > 10000); /* the random programs contained waits */
}

static void random_programs_with_rwlocks(void **state)
{
	static struct program g;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		run(&g, seed, 300 + seed % 500, true);
		look();
		expect_known(&g);
		assert_int_equal(c.by_kind[SYT_BLAME_CUT], 0);
		end();
	}
}

/* With missing events, the sums still hold, and no lock is blamed for more than its true share. */
static void random_beginnings_are_missing(void **state)
{
	static struct program g;
	uint64_t blamed = 0, unseen = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		run(&g, seed, 400, seed % 2);
		struct syt_trace_data *t = syt_builder_trace(b);

		for (uint32_t i = 0; i < NR_THREADS; i++)
			syt_builder_drop(
				b, p, i,
				syt_random_below(&g.random, t->images[0].threads[i].nr_rows + 1));
		look();
		for (uint32_t i = 0; i < NR_LOCKS * NR_LOCKS && seed % 2 == 0; i++) {
			uint32_t l = i / NR_LOCKS, n = i % NR_LOCKS;
			uint64_t of_this = find(g.locks[l])
			                           ? charged(g.locks[l], SYT_BLAME_HELD, g.locks[n])
			                           : 0;

			assert_true(of_this <= g.to_blame[l][n]);
			blamed += of_this;
		}
		unseen += c.by_kind[SYT_BLAME_UNSEEN];
		end();
	}
	assert_true(blamed > 10000 && unseen > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holder_is_blamed),
		cmocka_unit_test(blame_is_passed_on),
		cmocka_unit_test(blame_follows_edges),
		cmocka_unit_test(semaphores),
		cmocka_unit_test(call_without_a_known_waker_is_blamed),
		cmocka_unit_test(recursive_mutex_is_held_once),
		cmocka_unit_test(readers_and_writers),
		cmocka_unit_test(given_up_and_busy),
		cmocka_unit_test(cond_wait_counts_only_foreign_holders_of_its_mutex),
		cmocka_unit_test(foreign_release_and_missing_holders_are_unseen),
		cmocka_unit_test(broadcasts_that_wake_too_many_are_a_herd),
		cmocka_unit_test(signals_wake_in_vain_or_for_work),
		cmocka_unit_test(random_programs),
		cmocka_unit_test(random_programs_with_rwlocks),
		cmocka_unit_test(random_beginnings_are_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
