/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/report/what_if/replay.h. The first tests use histories made by hand. Then programs are
 * made at random. One run of each is recorded, and the program runs once more with other durations,
 * in the recorded order of locks or without it. The replay must predict each time of this run
 * exactly.
 */
#include <errno.h>

#include "decoder/report/what_if/replay.h"
#include "tests/lib/random.h"
#include "tests/unit/report-check.h"

static struct syt_replay replay;

static unsigned of_thread[8]; /* thousandths of its time that are left */

static unsigned left(void *context, uint32_t thread, uint32_t begin, uint32_t end)
{
	(void)context;
	assert_true(begin == end || begin + 1 == end);
	return of_thread[thread];
}

static void open_order(void)
{
	const struct syt_replay_change none = {NULL, NULL, NULL};

	assert_int_equal(syt_order_open(&order, syt_builder_trace(b)), 0);
	syt_replay_open(&replay, &order, &none);
	assert_int_equal(replay.error, 0);
	assert_int_equal(replay.nr_late, 0);
	assert_int_equal(replay.begin, order.places.trace->begin);
	assert_int_equal(replay.end, order.places.trace->end);
	syt_replay_close(&replay);
}

static void change(const bool *removed)
{
	const struct syt_replay_change c = {left, NULL, removed};

	syt_replay_open(&replay, &order, &c);
}

static void close_all(void)
{
	syt_replay_close(&replay);
	syt_order_close(&order);
	syt_builder_destroy(b);
}

/* Sets that THREAD needs half its time and that all other threads are unchanged. */
static void halve(uint32_t thread)
{
	for (unsigned n = 0; n < 8; n++)
		of_thread[n] = SYT_REPLAY_WHOLE;
	of_thread[thread] = SYT_REPLAY_WHOLE / 2;
	change(NULL);
}

static void expect_out(uint32_t thread, uint32_t row, syt_time at)
{
	assert_int_equal(replay.times[thread][row].out, at * NS);
}

/* The last thread arrives earlier, until another thread is the last to arrive. */
static void barrier(void **state)
{
	(void)state;
	start(3);
	uint32_t o = object(SYT_KIND_BARRIER, 0x1000);

	for (uint32_t t = 0; t < 3; t++) {
		syt_builder_event(b, p, t,
		                  (struct syt_made){SYT_SHAPE_PAUSE, .in = 10 * NS,
		                                    .out = (20 + 20 * t) * NS});
		syt_builder_event(b, p, t,
		                  (struct syt_made){SYT_SHAPE_BARRIER_WAIT, o,
		                                    .in = (20 + 20 * t) * NS, .out = (61 + t) * NS,
		                                    .result = t ? 0 : -1, .count = 3});
	}
	open_order();
	halve(2);
	expect_out(2, 0, 35);
	/* thread 1 arrives at 40; each thread needs as long to wake up as in the recorded run */
	expect_out(0, 1, 41);
	expect_out(1, 1, 40);
	/* The thread had not waited, so its wake-up latency is unknown. */
	expect_out(2, 1, 40);
	close_all();
}

/* If two objects are ready, the first one counts. */
static void readiness(void **state)
{
	(void)state;
	start(3);
	uint32_t fds[2];
	struct syt_made ready = {SYT_SHAPE_READY, .in = 10 * NS, .out = 32 * NS, .result = 2};

	for (unsigned i = 0; i < 2; i++) {
		fds[i] = object(SYT_KIND_EVENTFD, 0x1000 + i);
		on(1 + i, SYT_SHAPE_PAUSE, 0, 10, 20);
		syt_builder_event(
			b, p, 1 + i,
			(struct syt_made){SYT_SHAPE_SEND, fds[i], .in = (i ? 31 : 30) * NS,
		                          .out = (i ? 31 : 30) * NS, .bytes = 1, .result = 8});
		ready.ready[i] = (struct syt_ready){.object = fds[i], .events = SYT_READY_IN};
	}
	on(0, SYT_SHAPE_PAUSE, 0, 5, 9);
	syt_builder_event(b, p, 0, ready);
	for (unsigned i = 0; i < 2; i++)
		syt_builder_event(b, p, 0,
		                  (struct syt_made){SYT_SHAPE_RECV, fds[i], .in = (33 + 2 * i) * NS,
		                                    .out = (34 + 2 * i) * NS, .bytes = 1,
		                                    .result = 8});
	open_order();
	halve(2);
	/* thread 2 sends at 10 + 5 + 5.5 */
	assert_int_equal(replay.times[2][1].in, 20 * NS + NS / 2);
	/* Thread 0 wakes up 2 time units after the first send, as in the recorded run. */
	assert_int_equal(replay.times[0][1].out, 22 * NS + NS / 2);
	close_all();
}

static void who_collects_a_child(void **state)
{
	(void)state;
	start(1);
	uint32_t child = syt_builder_image(b, 200);

	syt_builder_thread(b, child);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_FORK, .in = 5 * NS, .out = 8 * NS,
	                                    .result = 200, .pid = 200});
	syt_builder_event(b, child, 0,
	                  (struct syt_made){SYT_SHAPE_PROCESS_START, .in = 8 * NS, .out = 8 * NS});
	syt_builder_event(b, child, 0, (struct syt_made){SYT_SHAPE_EXIT, .out = 40 * NS});
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_PAUSE, .in = 10 * NS, .out = 45 * NS,
	                                    .result = -1, .err = EINTR});
	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_REAP, .out = 47 * NS, .result = 200, .pid = 200});
	syt_builder_trace(b)->images[child].file.parent_index = 0;
	open_order();
	halve(1);
	expect_out(1, 1, 24);
	expect_out(0, 1, 29);
	expect_out(0, 2, 31);
	close_all();
}

/* Two processes that wait for each other's end at the instant when they end, which only a damaged dump
 * contains. */
static void who_collect_each_other(void **state)
{
	(void)state;
	start(1);
	uint32_t images[2] = {p, syt_builder_image(b, 200)};

	syt_builder_thread(b, images[1]);
	for (unsigned i = 0; i < 2; i++) {
		syt_builder_event(b, images[i], 0,
		                  (struct syt_made){SYT_SHAPE_PAUSE, .in = (1 + i) * NS,
		                                    .out = 10 * NS, .result = -1, .err = EINTR});
		syt_builder_event(b, images[i], 0,
		                  (struct syt_made){SYT_SHAPE_REAP, .out = 10 * NS,
		                                    .result = i ? 100 : 200, .pid = i ? 100 : 200});
		syt_builder_event(b, images[i], 0,
		                  (struct syt_made){SYT_SHAPE_EXIT, .out = 10 * NS});
	}
	assert_int_equal(syt_order_open(&order, syt_builder_trace(b)), 0);
	assert_int_equal(order.edges.nr, 2);
	change(NULL);
	for (unsigned i = 0; i < 2; i++)
		expect_out(i, 2, 10);
	assert_int_equal(replay.nr_kept + replay.nr_followed, 2);
	close_all();
}

/* ---- at random ---- */

#define NR_THREADS 5u
#define NR_LOCKS 3u
#define NR_OPS 60u
#define NOBODY UINT32_MAX

enum op { SLEEP, POST, WAIT, LOCK, UNLOCK };

struct program {
	struct syt_random random;
	uint32_t locks[NR_LOCKS],
		/* semaphores: one thread waits for each, another thread posts it */
		sems[NR_THREADS];
	struct step {
		enum op op;
		uint32_t lock;
		syt_time before,
			length; /* the running time before it, and the length of SLEEP; even numbers */
	} steps[NR_THREADS][NR_OPS];
	uint32_t nr_steps[NR_THREADS];
};

struct times {
	syt_time in[NR_THREADS][NR_OPS], out[NR_THREADS][NR_OPS];
};

/* The order in which threads get each lock. */
struct turns {
	uint32_t nr[NR_LOCKS];
	uint32_t who[NR_LOCKS][NR_THREADS * NR_OPS];
};

static void write_program(struct program *g, uint64_t seed)
{
	uint32_t nr_posts = 0;

	memset(g, 0, sizeof(*g));
	g->random.state = seed;
	for (uint32_t t = 0; t < NR_THREADS; t++) {
		uint32_t held = NOBODY, nr_waits = 0, nr_posted = 0;

		for (uint32_t i = 0; i < NR_OPS; i++) {
			struct step *s = &g->steps[t][i];
			uint64_t choice = syt_random_below(&g->random, 6);

			s->before = 2 + 2 * syt_random_below(&g->random, 8);
			s->length = 2 + 2 * syt_random_below(&g->random, 20);
			s->lock = (uint32_t)syt_random_below(&g->random, NR_LOCKS);
			s->op = SLEEP;
			if (held != NOBODY && (choice < 4 || i + 1 == NR_OPS)) {
				s->op = UNLOCK;
				s->lock = held;
				held = NOBODY;
			} else if (held == NOBODY && choice < 3 && i + 1 < NR_OPS) {
				s->op = LOCK;
				held = s->lock;
			} else if (choice == 3 && t + 1 < NR_THREADS) {
				s->op = POST; /* to the next thread */
				nr_posted++;
			} else if (choice == 4 && held == NOBODY && nr_waits < nr_posts) {
				s->op = WAIT;
				nr_waits++;
			}
		}
		g->nr_steps[t] = NR_OPS;
		nr_posts = nr_posted;
	}
}

/*
 * Runs the program: always performs the step that can be made first. The order in which threads get
 * locks is written into TURNS, or (IS_AGAIN) read from it.
 */
static void run(const struct program *g, const unsigned *parts, const bool *removed,
                struct turns *turns, bool is_again, struct times *times)
{
	uint32_t next[NR_THREADS] = {0}, holder[NR_LOCKS], taken[NR_LOCKS] = {0};
	uint32_t nr_waits[NR_THREADS] = {0}, nr_posts[NR_THREADS] = {0};
	syt_time now[NR_THREADS], freed[NR_LOCKS] = {0}, posts[NR_THREADS][NR_OPS];

	for (uint32_t l = 0; l < NR_LOCKS; l++)
		holder[l] = NOBODY;
	for (uint32_t t = 0; t < NR_THREADS; t++)
		now[t] = 10;
	for (;;) {
		uint32_t first = NOBODY;
		syt_time first_in = 0, first_out = 0;

		for (uint32_t t = 0; t < NR_THREADS; t++) {
			const struct step *s = &g->steps[t][next[t]];
			syt_time in, out;

			if (next[t] == g->nr_steps[t])
				continue;
			in = out = now[t] + s->before * parts[t] / SYT_REPLAY_WHOLE;
			if (s->op == SLEEP)
				out += s->length * parts[t] / SYT_REPLAY_WHOLE;
			if (s->op == WAIT) {
				if (nr_waits[t] == nr_posts[t])
					continue;
				if (posts[t][nr_waits[t]] > in)
					out = posts[t][nr_waits[t]];
			}
			if (s->op == LOCK && !removed[s->lock]) {
				if (holder[s->lock] != NOBODY ||
				    (is_again && turns->who[s->lock][taken[s->lock]] != t))
					continue;
				if (freed[s->lock] > in)
					out = freed[s->lock];
			}
			if (first == NOBODY || out < first_out ||
			    (out == first_out && in < first_in)) {
				first = t;
				first_in = in;
				first_out = out;
			}
		}
		if (first == NOBODY)
			break;

		const struct step *s = &g->steps[first][next[first]];

		if (s->op == POST)
			posts[first + 1][nr_posts[first + 1]++] = first_in;
		if (s->op == WAIT)
			nr_waits[first]++;
		if (s->op == LOCK) {
			holder[s->lock] = removed[s->lock] ? NOBODY : first;
			turns->who[s->lock][taken[s->lock]++] = first;
		}
		if (s->op == UNLOCK) {
			holder[s->lock] = NOBODY;
			freed[s->lock] = first_in;
		}
		times->in[first][next[first]] = first_in;
		times->out[first][next[first]] = first_out;
		now[first] = first_out;
		next[first]++;
	}
	for (uint32_t t = 0; t < NR_THREADS; t++)
		assert_int_equal(next[t], g->nr_steps[t]);
}

static void record(struct program *g, const struct times *times)
{
	static const enum syt_shape shapes[] = {SYT_SHAPE_PAUSE, SYT_SHAPE_SEM_POST,
	                                        SYT_SHAPE_SEM_WAIT, SYT_SHAPE_LOCK,
	                                        SYT_SHAPE_UNLOCK};

	start(NR_THREADS);
	for (uint32_t l = 0; l < NR_LOCKS; l++)
		g->locks[l] = object(SYT_KIND_MUTEX, 0x1000 + l);
	for (uint32_t t = 0; t < NR_THREADS; t++) {
		g->sems[t] = object(SYT_KIND_SEM, 0x2000 + t);
		syt_builder_event(b, p, t,
		                  (struct syt_made){SYT_SHAPE_INIT, g->sems[t], .out = 10 * NS});
	}
	for (uint32_t t = 0; t < NR_THREADS; t++) {
		for (uint32_t i = 0; i < g->nr_steps[t]; i++) {
			const struct step *s = &g->steps[t][i];

			on(t, shapes[s->op],
			   s->op == SLEEP  ? 0
			   : s->op == POST ? g->sems[t + 1]
			   : s->op == WAIT ? g->sems[t]
			                   : g->locks[s->lock],
			   times->in[t][i], times->out[t][i]);
		}
	}
}

static void expect_times(const struct program *g, const struct times *times)
{
	for (uint32_t t = 0; t < NR_THREADS; t++) {
		for (uint32_t i = 0; i < g->nr_steps[t]; i++) { /* behind the INIT */
			assert_int_equal(replay.times[t][i + 1].in, times->in[t][i] * NS);
			assert_int_equal(replay.times[t][i + 1].out, times->out[t][i] * NS);
		}
	}
}

static void at_random(void **state)
{
	static const unsigned whole[NR_THREADS] = {SYT_REPLAY_WHOLE, SYT_REPLAY_WHOLE,
	                                           SYT_REPLAY_WHOLE, SYT_REPLAY_WHOLE,
	                                           SYT_REPLAY_WHOLE};
	static const bool none[NR_LOCKS];
	static struct program g;
	static struct turns turns, others;
	static struct times times;
	uint64_t nr_changed = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		bool removed[NR_LOCKS] = {false}, *of_object;
		syt_time before;

		write_program(&g, seed);
		run(&g, whole, none, &turns, false, &times);
		record(&g, &times);
		open_order();
		before = order.places.trace->end;
		for (unsigned t = 0; t < NR_THREADS; t++)
			of_thread[t] = syt_random_below(&g.random, 2) ? SYT_REPLAY_WHOLE
			                                              : SYT_REPLAY_WHOLE / 2;
		if (seed % 3 == 0)
			removed[syt_random_below(&g.random, NR_LOCKS)] = true;
		of_object = calloc(order.objects.nr, sizeof(*of_object));
		for (uint32_t l = 0; l < NR_LOCKS; l++)
			of_object[order.objects.of_image[0][g.locks[l] - 1]] = removed[l];
		change(of_object);
		others = turns;
		run(&g, of_thread, removed, &others, true, &times);
		expect_times(&g, &times);
		nr_changed += replay.end != before;
		free(of_object);
		close_all();
	}
	assert_true(nr_changed > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(barrier),
		cmocka_unit_test(readiness),
		cmocka_unit_test(who_collects_a_child),
		cmocka_unit_test(who_collect_each_other),
		cmocka_unit_test(at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
