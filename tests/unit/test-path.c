/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/analysis/critical_path.h. The first tests use histories made by hand. Then a machine has
 * threads that run, sleep, wait for locks, and wait for tokens that one other thread gives, in
 * steps of one clock. It knows, for each step of each thread, the cause of the thread's progress.
 */
#include <errno.h>

#include "decoder/analysis/path_sum.h"
#include "tests/lib/random.h"
#include "tests/unit/report-check.h"

static struct syt_path path;

static void cond_wait(uint32_t thread, uint32_t cond, uint32_t mutex, syt_time in, syt_time out,
                      int64_t result)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_COND_WAIT, cond, .in = in * NS,
	                                    .out = out * NS, .object2 = mutex, .result = result});
}

/* Checks the sums that every path must satisfy. */
static void expect_sums(void)
{
	syt_time at = path.from, by_kind[SYT_NR_PATH_KINDS] = {0}, handed = 0;
	struct syt_labels *labels = syt_labels_create(&order.places, NULL, 0);
	syt_time parts = 0, functions = 0, threads = 0;
	struct syt_path_sum sum, again;
	struct syt_cpu_times times;

	for (uint64_t i = 0; i < path.nr; i++) {
		const struct syt_path_segment *s = &path.all[i];

		assert_int_equal(s->from, at);
		assert_true(s->to >= s->from);
		by_kind[s->kind] += s->to - s->from;
		at = s->to;
	}
	assert_int_equal(at, path.to);
	assert_memory_equal(by_kind, path.by_kind, sizeof(by_kind));
	for (unsigned c = 0; c < SYT_NR_CLASSES; c++)
		handed += path.by_class[c];
	assert_int_equal(handed, by_kind[SYT_PATH_HANDOVER]);
	syt_cpu_times_open(&times, &order.places);
	syt_path_sum_open(&sum, &path, &times, labels, NULL);
	/* a later sum reuses the samples of the first one */
	syt_path_sum_open(&again, &path, &times, labels, NULL);
	assert_memory_equal(&sum.cpu, &again.cpu, sizeof(sum.cpu));
	assert_memory_equal(&sum.known, &again.known, sizeof(sum.known));
	syt_path_sum_close(&again);
	for (size_t i = 0; i < sum.nr_parts; i++)
		parts += sum.parts[i].time;
	for (size_t i = 0; i < sum.nr_functions; i++)
		functions += sum.functions[i].time;
	for (size_t i = 0; i < sum.nr_threads; i++)
		threads += sum.threads[i].time;
	assert_int_equal(parts, path.to - path.from);
	assert_int_equal(functions, parts);
	assert_int_equal(threads, parts);
	syt_path_sum_close(&sum);
	syt_cpu_times_close(&times);
	syt_labels_destroy(labels);
}

/* Computes the critical path to the end of the ROW-th event of THREAD. */
static void look(syt_time from, uint32_t thread, uint32_t row)
{
	assert_int_equal(syt_order_open(&order, syt_builder_trace(b)), 0);
	assert_int_equal(syt_path_open(&path, &order, from * NS, (struct syt_place){thread, row}),
	                 0);
	expect_sums();
}

static void end(void)
{
	syt_path_close(&path);
	syt_order_close(&order);
	syt_builder_destroy(b);
}

/* Compares the critical path with EXPECTED, such as "0 running 10-40, 1 hand-over 40-42 mutex". */
static void expect(const char *expected)
{
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	for (uint64_t i = 0; i < path.nr; i++) {
		const struct syt_path_segment *s = &path.all[i];

		if (s->from == s->to)
			continue;
		fprintf(f, "%s%u %s %u-%u", ftell(f) ? ", " : "", s->at.thread,
		        syt_path_word((enum syt_path_kind)s->kind), (unsigned)(s->from / NS),
		        (unsigned)(s->to / NS));
		if (s->kind != SYT_PATH_HANDOVER)
			continue;
		fprintf(f, " %s",
		        syt_edge_kind_text((enum syt_edge_kind)order.edges.all[s->edge].kind));
		if (s->nr_candidates > 1)
			fprintf(f, " of %u%s", s->nr_candidates,
			        s->flags & SYT_PATH_CHOICE ? "?" : "");
	}
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

static void lock_is_handed_over(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_PAUSE, 0, 20, 30);
	on(0, SYT_SHAPE_UNLOCK, m, 40, 40);
	on(1, SYT_SHAPE_PAUSE, 0, 5, 12);
	on(1, SYT_SHAPE_LOCK, m, 15, 42);
	on(1, SYT_SHAPE_UNLOCK, m, 50, 50);
	look(5, 1, 2);
	/* before its first event the state of thread 0 is unknown */
	expect("0 unknown 5-10, 0 running 10-20, 0 call 20-30, 0 running 30-40, "
	       "1 hand-over 40-42 mutex, 1 running 42-50");
	assert_int_equal(path.by_class[SYT_CLASS_RUN_AFTER], 2 * NS);
	end();

	/* the critical path of the wait alone */
	start(2);
	m = object(SYT_KIND_MUTEX, 0x1000);
	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_UNLOCK, m, 40, 40);
	on(1, SYT_SHAPE_LOCK, m, 15, 42);
	look(15, 1, 0);
	expect("0 running 15-40, 1 hand-over 40-42 mutex");
	end();
}

static void lock_that_was_free_in_time(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_UNLOCK, m, 20, 20);
	on(1, SYT_SHAPE_PAUSE, 0, 5, 12);
	on(1, SYT_SHAPE_LOCK, m, 30, 30);
	on(1, SYT_SHAPE_UNLOCK, m, 50, 50);
	look(5, 1, 2);
	expect("1 call 5-12, 1 running 12-30, 1 running 30-50");
	end();
}

/* A holder delays a waiter only while it holds the lock. Its sleep between two holdings is not on the path. */
static void lock_is_taken_again(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_UNLOCK, m, 20, 20);
	on(0, SYT_SHAPE_PAUSE, 0, 21, 29);
	on(0, SYT_SHAPE_LOCK, m, 30, 30);
	on(0, SYT_SHAPE_UNLOCK, m, 40, 40);
	on(1, SYT_SHAPE_PAUSE, 0, 5, 12);
	on(1, SYT_SHAPE_LOCK, m, 15, 42);
	look(5, 1, 1);
	/* the first holding is older than the wait, so the work before it delayed the waiter too */
	expect("0 unknown 5-10, 0 running 10-20, 1 call 20-30, 0 running 30-40, "
	       "1 hand-over 40-42 mutex");
	end();

	/* the lock was free when the wait began, and the first holder is another thread than the last one */
	start(3);
	m = object(SYT_KIND_MUTEX, 0x1000);
	on(0, SYT_SHAPE_PAUSE, 0, 5, 29);
	on(0, SYT_SHAPE_LOCK, m, 30, 30);
	on(0, SYT_SHAPE_UNLOCK, m, 40, 40);
	on(2, SYT_SHAPE_PAUSE, 0, 5, 18);
	on(2, SYT_SHAPE_LOCK, m, 20, 20);
	on(2, SYT_SHAPE_UNLOCK, m, 27, 27);
	on(1, SYT_SHAPE_PAUSE, 0, 5, 12);
	on(1, SYT_SHAPE_LOCK, m, 15, 42);
	look(5, 1, 1);
	expect("1 call 5-12, 1 running 12-15, 1 call 15-20, 2 running 20-27, 1 call 27-30, "
	       "0 running 30-40, 1 hand-over 40-42 mutex");
	end();
}

static void cond_wait_ends_by_wake_and_lock(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), c = object(SYT_KIND_COND, 0x2000);

	/* the waker gives the mutex back after its signal */
	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	cond_wait(0, c, m, 12, 63, 0);
	on(1, SYT_SHAPE_LOCK, m, 20, 20);
	on(1, SYT_SHAPE_COND_SIGNAL, c, 30, 31);
	on(1, SYT_SHAPE_UNLOCK, m, 60, 60);
	look(12, 0, 1);
	expect("1 unknown 12-20, 1 running 20-30, 1 call 30-31, 1 running 31-60, "
	       "0 hand-over 60-63 mutex");
	end();

	/* other threads had locked and unlocked the mutex long before the signal */
	start(3);
	m = object(SYT_KIND_MUTEX, 0x1000);
	c = object(SYT_KIND_COND, 0x2000);
	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	cond_wait(0, c, m, 12, 63, 0);
	on(2, SYT_SHAPE_LOCK, m, 15, 15);
	on(2, SYT_SHAPE_UNLOCK, m, 20, 20);
	on(1, SYT_SHAPE_PAUSE, 0, 5, 30);
	on(1, SYT_SHAPE_COND_SIGNAL, c, 60, 61);
	look(12, 0, 1);
	expect("1 call 12-30, 1 running 30-60, 0 hand-over 60-63 cond");
	end();

	/* no thread woke it: a thread that held the mutex meanwhile has not ended the wait */
	start(3);
	m = object(SYT_KIND_MUTEX, 0x1000);
	c = object(SYT_KIND_COND, 0x2000);
	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	cond_wait(0, c, m, 12, 63, ETIMEDOUT);
	on(2, SYT_SHAPE_LOCK, m, 15, 15);
	on(2, SYT_SHAPE_UNLOCK, m, 20, 20);
	look(12, 0, 1);
	expect("0 call 12-63");
	end();
}

static void ambiguous_wakers(void **state)
{
	(void)state;
	for (unsigned is_one_thread = 0; is_one_thread < 2; is_one_thread++) {
		start(3);
		uint32_t m = object(SYT_KIND_MUTEX, 0x1000), c = object(SYT_KIND_COND, 0x2000);

		on(0, SYT_SHAPE_LOCK, m, 10, 10);
		cond_wait(0, c, m, 12, 63, 0);
		on(1, SYT_SHAPE_PAUSE, 0, 5, 14);
		on(1, SYT_SHAPE_COND_SIGNAL, c, 30, 30);
		on(is_one_thread ? 1 : 2, SYT_SHAPE_COND_SIGNAL, c, 40, 40);
		look(12, 0, 1);
		if (is_one_thread)
			expect("1 call 12-14, 1 running 14-30, 1 running 30-40, "
			       "0 hand-over 40-63 cond of 2");
		else
			expect("2 unknown 12-40, 0 hand-over 40-63 cond of 2?");
		assert_int_equal(path.nr_ambiguous, 1);
		assert_int_equal(path.nr_choices, !is_one_thread);
		assert_int_equal(path.sure_from, is_one_thread ? 0 : 63 * NS);
		end();
	}
}

static void barrier_waits_for_the_last(void **state)
{
	(void)state;
	start(3);
	uint32_t o = object(SYT_KIND_BARRIER, 0x1000);

	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_INIT, o, .out = NS, .count = 3});
	for (uint32_t t = 0; t < 3; t++)
		syt_builder_event(b, p, t,
		                  (struct syt_made){SYT_SHAPE_BARRIER_WAIT, o,
		                                    .in = (10 + 10 * t) * NS, .out = (33 + t) * NS,
		                                    .result = t ? 0 : -1, .count = 3});
	look(1, 0, 1);
	expect("2 unknown 1-30, 0 hand-over 30-33 barrier");
	end();
}

static void thread_begins_where_it_is_made(void **state)
{
	(void)state;
	start(2);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_PAUSE, .in = 5 * NS, .out = 9 * NS});
	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_CREATE, .in = 20 * NS, .out = 22 * NS, .thread1 = 2});
	on(1, SYT_SHAPE_THREAD_START, 0, 25, 25);
	on(1, SYT_SHAPE_THREAD_END, 0, 40, 40);
	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_JOIN, .in = 30 * NS, .out = 44 * NS, .thread1 = 2});
	look(5, 0, 2);
	expect("0 call 5-9, 0 running 9-20, 1 hand-over 20-25 create, 1 running 25-40, "
	       "0 hand-over 40-44 join");
	end();
}

/* SIGCHLD ended the sleep of the thread that then collects the child. */
static void child_wakes_who_collects_it(void **state)
{
	(void)state;
	start(1);
	uint32_t child = syt_builder_image(b, 200);

	syt_builder_thread(b, child);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_FORK, .in = 5 * NS, .out = 8 * NS,
	                                    .result = 200, .pid = 200});
	syt_builder_event(b, child, 0,
	                  (struct syt_made){SYT_SHAPE_PROCESS_START, .in = 7 * NS, .out = 7 * NS});
	syt_builder_event(b, child, 0, (struct syt_made){SYT_SHAPE_EXIT, .out = 40 * NS});
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_PAUSE, .in = 10 * NS, .out = 45 * NS,
	                                    .result = -1, .err = EINTR});
	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_REAP, .out = 47 * NS, .result = 200, .pid = 200});
	syt_builder_trace(b)->images[child].file.parent_index = 0;
	look(5, 0, 2);
	expect("1 hand-over 5-7 fork, 1 running 7-40, 0 hand-over 40-45 reap, 0 running 45-47");
	assert_int_equal(path.nr_inferred, 1);
	end();
}

/* Calls of a signal handler during a wait lie in the middle of the wait. */
static void calls_within_calls(void **state)
{
	(void)state;
	start(1);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	on(0, SYT_SHAPE_LOCK, m, 5, 5);
	on(0, SYT_SHAPE_PAUSE, 0, 10, 50);
	on(0, SYT_SHAPE_PAUSE, 0, 20, 30);
	on(0, SYT_SHAPE_UNLOCK, m, 60, 60);
	look(5, 0, 3);
	assert_int_equal(path.by_kind[SYT_PATH_UNKNOWN], 0);
	assert_int_equal(path.by_kind[SYT_PATH_HANDOVER], 0);
	assert_true(path.by_kind[SYT_PATH_CALL] >= 30 * NS);
	end();
}

/* ---- at random ---- */

#define NR_THREADS 5u
#define NR_LOCKS 3u
#define NR_STEPS 400u
#define NOBODY UINT32_MAX

/* The cause of a thread's progress in the step [t, t + 1). */
struct cause {
	uint8_t kind; /* enum syt_path_kind */
	/* HANDOVER that ends in this step: the thread that ended the wait, and when; else NOBODY */
	uint32_t source;
	syt_time at;
};

static struct cause causes[NR_THREADS][3 * NR_STEPS];

struct machine {
	struct syt_random random;
	/* locks, and semaphores for each of which one thread waits */
	uint32_t locks[NR_LOCKS], sems[NR_THREADS];
	uint32_t holder[NR_LOCKS];
	struct thread {
		uint64_t busy;  /* steps until the thread makes its next call */
		bool is_asleep; /* ... in a call */
		uint32_t lock;  /* the lock for which it waits, or NOBODY */
		uint32_t holds; /* lock, or NOBODY */
		bool waits_sem;
		uint64_t tokens;
		syt_time since, order;
		uint64_t latency; /* steps until the woken thread runs */
		uint32_t source;  /* the thread that woke it, or NOBODY */
		syt_time at;
	} threads[NR_THREADS];
	uint64_t nr_orders;
};

static bool is_waiting(const struct thread *t)
{
	return t->lock != NOBODY || t->waits_sem;
}

static void let_go(struct machine *g, uint32_t thread, uint32_t by, syt_time now)
{
	struct thread *t = &g->threads[thread];

	t->source = by;
	t->at = now;
	t->latency = 2 + syt_random_below(&g->random, 3); /* a hand-off always takes time */
}

static void be_busy(struct machine *g, struct thread *t)
{
	t->busy = 1 + syt_random_below(&g->random, 9);
	t->is_asleep = false;
}

static void leave(struct machine *g, uint32_t thread, syt_time now)
{
	struct thread *t = &g->threads[thread];
	uint32_t lock = t->holds, next = NOBODY;

	on(thread, SYT_SHAPE_UNLOCK, g->locks[lock], now, now);
	t->holds = NOBODY;
	g->holder[lock] = NOBODY;
	for (uint32_t n = 0; n < NR_THREADS; n++)
		if (g->threads[n].lock == lock && g->threads[n].source == NOBODY &&
		    (next == NOBODY || g->threads[n].order < g->threads[next].order))
			next = n;
	if (next == NOBODY)
		return;
	g->holder[lock] = next;
	let_go(g, next, thread, now);
}

static void post(struct machine *g, uint32_t thread, uint32_t to, syt_time now)
{
	struct thread *t = &g->threads[to];

	on(thread, SYT_SHAPE_SEM_POST, g->sems[to], now, now);
	if (t->waits_sem && t->source == NOBODY)
		let_go(g, to, thread, now);
	else
		t->tokens++;
}

/* Each thread posts to the next thread, and the last thread does not post. There is no deadlock, because the first
 * thread waits for no token. */
static void act(struct machine *g, uint32_t thread, syt_time now)
{
	struct thread *t = &g->threads[thread];
	uint64_t choice = syt_random_below(&g->random, 5);

	be_busy(g, t);
	if (t->holds != NOBODY && choice < 3) {
		leave(g, thread, now);
	} else if (choice == 3) {
		t->is_asleep = true;
		t->since = now;
	} else if (choice == 4 && thread + 1 < NR_THREADS) {
		post(g, thread, thread + 1, now);
	} else if (t->holds != NOBODY) {
		return;
	} else if (choice == 2 && thread && t->tokens) {
		t->tokens--;
		on(thread, SYT_SHAPE_SEM_WAIT, g->sems[thread], now, now);
	} else if (choice == 2 && thread) {
		t->waits_sem = true;
		t->since = now;
	} else {
		uint32_t lock = (uint32_t)syt_random_below(&g->random, NR_LOCKS);

		if (g->holder[lock] == NOBODY) {
			g->holder[lock] = thread;
			t->holds = lock;
			on(thread, SYT_SHAPE_LOCK, g->locks[lock], now, now);
		} else {
			t->lock = lock;
			t->since = now;
			t->order = g->nr_orders++;
		}
	}
}

static void wake(struct machine *g, uint32_t thread, syt_time now)
{
	struct thread *t = &g->threads[thread];

	on(thread, t->waits_sem ? SYT_SHAPE_SEM_WAIT : SYT_SHAPE_LOCK,
	   t->waits_sem ? g->sems[thread] : g->locks[t->lock], t->since, now);
	for (syt_time s = t->since; s < now; s++)
		causes[thread][s] = (struct cause){SYT_PATH_HANDOVER, NOBODY, 0};
	/* a thread that posts in the step in which the wait begins did not make the thread wait */
	if (t->at > t->since)
		causes[thread][now - 1] = (struct cause){SYT_PATH_HANDOVER, t->source, t->at};
	else
		for (syt_time s = t->since; s < now; s++)
			causes[thread][s].kind = SYT_PATH_CALL;
	if (!t->waits_sem)
		t->holds = t->lock;
	t->lock = NOBODY;
	t->waits_sem = false;
	t->source = NOBODY;
	be_busy(g, t);
}

static void step(struct machine *g, uint32_t thread, syt_time now)
{
	struct thread *t = &g->threads[thread];

	if (is_waiting(t)) {
		if (t->source == NOBODY || --t->latency)
			return;
		wake(g, thread, now);
	} else if (!t->busy) {
		if (t->is_asleep) {
			on(thread, SYT_SHAPE_PAUSE, 0, t->since, now);
			be_busy(g, t);
		} else {
			act(g, thread, now);
		}
	}
	if (is_waiting(t))
		return;
	t->busy--;
	causes[thread][now] =
		(struct cause){t->is_asleep ? SYT_PATH_CALL : SYT_PATH_RUNNING, NOBODY, 0};
}

/*
 * Runs the machine until every thread has made a call and no thread is in a call; returns this
 * time.
 */
static syt_time run(struct machine *g, uint64_t seed)
{
	memset(g, 0, sizeof(*g));
	memset(causes, 0, sizeof(causes));
	g->random.state = seed;
	start(NR_THREADS);
	for (uint32_t l = 0; l < NR_LOCKS; l++) {
		g->locks[l] = object(SYT_KIND_MUTEX, 0x1000 + l);
		g->holder[l] = NOBODY;
	}
	for (uint32_t n = 0; n < NR_THREADS; n++) {
		struct thread *t = &g->threads[n];

		g->sems[n] = object(SYT_KIND_SEM, 0x2000 + n);
		syt_builder_event(b, p, n,
		                  (struct syt_made){SYT_SHAPE_INIT, g->sems[n], .out = NS});
		t->lock = t->holds = t->source = NOBODY;
		t->busy = 1 + syt_random_below(&g->random, 5);
	}
	for (syt_time now = 1; now < NR_STEPS; now++)
		for (uint32_t n = 0; n < NR_THREADS; n++)
			step(g, n, now);
	return NR_STEPS;
}

/* Compares the path, step by step backwards, with the knowledge of the machine. */
static void expect_known(syt_time from, uint32_t thread, syt_time to)
{
	uint64_t i = path.nr;

	for (syt_time t = to; t > from; t--) {
		struct cause c = causes[thread][t - 1];
		syt_time at;

		while (i && path.all[i - 1].from >= t * NS)
			i--;
		assert_true(i > 0);
		if (c.kind != SYT_PATH_HANDOVER) {
			assert_int_equal(path.all[i - 1].at.thread, thread);
			assert_int_equal(path.all[i - 1].kind, c.kind);
			continue;
		}
		/* the path covers the whole wait, and then continues in the other thread */
		assert_int_not_equal(c.source, NOBODY);
		at = c.at > from ? c.at : from;
		assert_int_equal(path.all[i - 1].kind, SYT_PATH_HANDOVER);
		assert_int_equal(path.all[i - 1].at.thread, thread);
		assert_int_equal(path.all[i - 1].from, at * NS);
		assert_int_equal(path.all[i - 1].to, t * NS);
		thread = c.source;
		t = at + 1;
	}
}

static void at_random(void **state)
{
	uint64_t nr_handovers = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct machine g;
		struct syt_random random = {.state = seed};

		run(&g, seed);
		assert_int_equal(syt_order_open(&order, syt_builder_trace(b)), 0);
		for (uint32_t n = 0; n < NR_THREADS; n++) {
			const struct syt_thread *t = order.places.threads[n];
			struct syt_place to = {n, (uint32_t)t->nr_rows - 1};
			syt_time from = 1 + syt_random_below(&random, 20);

			if (t->nr_rows < 2 || from * NS >= t->rows[to.row].out)
				continue;
			assert_int_equal(syt_path_open(&path, &order, from * NS, to), 0);
			expect_sums();
			expect_known(from, n, path.to / NS);
			nr_handovers += path.nr_handovers;
			syt_path_close(&path);
		}
		syt_order_close(&order);
		syt_builder_destroy(b);
	}
	assert_true(nr_handovers > 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lock_is_handed_over),
		cmocka_unit_test(lock_that_was_free_in_time),
		cmocka_unit_test(lock_is_taken_again),
		cmocka_unit_test(cond_wait_ends_by_wake_and_lock),
		cmocka_unit_test(ambiguous_wakers),
		cmocka_unit_test(barrier_waits_for_the_last),
		cmocka_unit_test(thread_begins_where_it_is_made),
		cmocka_unit_test(child_wakes_who_collects_it),
		cmocka_unit_test(calls_within_calls),
		cmocka_unit_test(at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
