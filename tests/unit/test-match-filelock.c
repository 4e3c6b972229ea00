/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/match/match_filelock.c: histories made by hand, and an oracle: processes lock and unlock
 * ranges of one file at random, by the kernel's rules, and know by vector clocks which lock came
 * before which.
 */
#include <errno.h>

#include "tests/unit/order-check.h"

#define NR_IMAGES 3u
#define NR_BYTES 8u
#define MOST_EVENTS 512u
#define PATIENCE 40u

static struct syt_builder *b;
static uint32_t record[NR_IMAGES], whole[NR_IMAGES];

static void start(unsigned nr_threads)
{
	b = syt_builder_create();
	for (unsigned i = 0; i < NR_IMAGES; i++) {
		syt_builder_image(b, 100 + i);
		for (unsigned t = 0; t < nr_threads; t++)
			syt_builder_thread(b, i);
		record[i] = syt_builder_object(b, i, SYT_KIND_RECORD, 1, 0, SYT_OBJECT_SHARED);
		whole[i] = syt_builder_object(b, i, SYT_KIND_FLOCK, 1, 0, SYT_OBJECT_SHARED);
	}
}

/* ---- by hand ---- */

/* Adds a record lock of the process IMAGE on the bytes [FROM, FROM + BYTES). */
static void locks(uint32_t image, unsigned mode, uint64_t from, uint64_t bytes, syt_time in,
                  syt_time out)
{
	syt_builder_event(b, image, 0,
	                  (struct syt_made){SYT_SHAPE_FILE_LOCK, record[image], .in = in,
	                                    .out = out, .offset = from, .count = bytes,
	                                    .arg = mode});
}

/* Adds a flock call, whose lock belongs to the open file description. */
static void flocks(uint32_t image, unsigned mode, uint64_t description, syt_time in, syt_time out)
{
	syt_builder_event(b, image, 0,
	                  (struct syt_made){SYT_SHAPE_FILE_LOCK, whole[image], .in = in, .out = out,
	                                    .offset2 = description,
	                                    .arg = mode | SYT_LOCK_DESCRIPTION});
}

static void closes(uint32_t image, uint32_t object, uint64_t description, syt_time in)
{
	syt_builder_event(b, image, 0,
	                  (struct syt_made){SYT_SHAPE_FILE_LOCK, object, .in = in, .out = in + 1,
	                                    .offset2 = description,
	                                    .arg = SYT_LOCK_NONE | SYT_LOCK_CLOSED});
}

static void exits(uint32_t image, syt_time in)
{
	syt_builder_event(b, image, 0, (struct syt_made){SYT_SHAPE_EXIT, 0, .in = in});
}

enum { SHARED = SYT_LOCK_SHARED, EXCLUSIVE = SYT_LOCK_EXCLUSIVE, NONE = SYT_LOCK_NONE };

static void only_ranges_that_overlap(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(1);
	locks(0, EXCLUSIVE, 0, 10, 10, 11);
	locks(1, EXCLUSIVE, 10, 10, 12, 13);
	locks(0, NONE, 0, 5, 20, 21);
	locks(2, SHARED, 0, 5, 22, 23);
	locks(0, NONE, 5, 0, 30, 31); /* from byte 5 to the end; unlocks only its own part */
	locks(1, NONE, 0, 0, 32, 33);
	locks(2, EXCLUSIVE, 4, 8, 34, 35);
	expect_edges_and(b,
	                 "0.0.1>2.0.0 filelock run-after\n0.0.1>2.0.1 filelock run-after\n"
	                 "0.0.2>2.0.1 filelock run-after\n1.0.1>2.0.1 filelock run-after\n",
	                 &c);
	assert_int_equal(c.unneeded, 2);
}

static void readers_and_changes(void **state)
{
	(void)state;
	start(1);
	locks(0, EXCLUSIVE, 0, 0, 10, 11);
	locks(0, SHARED, 0, 0, 20, 21); /* lets readers in */
	locks(1, SHARED, 0, 0, 15, 22);
	locks(1, EXCLUSIVE, 0, 0, 30, 42); /* this lock waits only for the other reader */
	locks(0, NONE, 0, 0, 40, 41);
	expect_edges(b, "0.0.1>1.0.0 filelock run-after\n0.0.1>1.0.1 filelock run-after\n"
	                "0.0.2>1.0.1 filelock run-after\n");

	/* flock releases the lock it had, even when it then fails */
	start(1);
	flocks(0, SHARED, 1, 10, 11);
	syt_builder_event(b, 0, 0,
	                  (struct syt_made){SYT_SHAPE_FILE_LOCK, whole[0], .in = 20, .out = 21,
	                                    .offset2 = 1, .arg = EXCLUSIVE | SYT_LOCK_DESCRIPTION,
	                                    .result = -1, .err = EAGAIN});
	flocks(1, EXCLUSIVE, 2, 15, 25);
	expect_edges(b, "0.0.1>1.0.0 filelock run-after\n");
}

static void ends_without_an_unlock(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(1);
	locks(0, EXCLUSIVE, 0, 0, 10, 11);
	closes(0, record[0], 0, 20);
	locks(1, EXCLUSIVE, 0, 0, 15, 25);
	exits(1, 30);
	locks(2, EXCLUSIVE, 0, 0, 26, 35);
	expect_edges(b, "0.0.1>1.0.0 filelock run-after\n1.0.1>2.0.0 filelock run-after\n");

	/* two processes hold one description: the last close releases it, after all other closes */
	start(1);
	flocks(0, EXCLUSIVE, 7, 10, 11);
	closes(0, whole[0], 7, 20);
	closes(1, whole[1], 7, 30);
	flocks(2, EXCLUSIVE, 8, 15, 35);
	expect_edges(b, "0.0.1>2.0.0 filelock run-after\n1.0.0>2.0.0 filelock run-after\n");

	/* the other process unlocks the file, so no close released the lock */
	start(1);
	flocks(0, EXCLUSIVE, 7, 10, 11);
	closes(0, whole[0], 7, 20);
	flocks(1, NONE, 7, 25, 26);
	flocks(2, EXCLUSIVE, 8, 15, 35);
	expect_edges(b, "1.0.0>2.0.0 filelock run-after\n");

	/* killed: the time is unknown */
	start(1);
	locks(0, EXCLUSIVE, 0, 0, 10, 11);
	locks(1, EXCLUSIVE, 0, 0, 15, 25);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_NO_RELEASE], 1);
}

static void contradictions(void **state)
{
	struct syt_coverage c;

	(void)state;
	start(1);
	locks(0, EXCLUSIVE, 0, 0, 10, 11);
	locks(1, EXCLUSIVE, 0, 0, 15, 25); /* how? */
	locks(0, NONE, 0, 0, 30, 31);
	locks(1, NONE, 0, 0, 32, 33);
	locks(2, EXCLUSIVE, 0, 0, 34, 35);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_UNCERTAIN], 3);

	start(1);
	flocks(0, EXCLUSIVE, 0, 10, 11); /* an unknown description */
	flocks(0, NONE, 0, 20, 21);
	flocks(1, EXCLUSIVE, 2, 22, 23);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_UNCERTAIN], 2);
}

static void flock_and_fcntl_locks_are_independent(void **state)
{
	(void)state;
	start(1);
	locks(0, EXCLUSIVE, 0, 0, 10, 11);
	flocks(1, EXCLUSIVE, 2, 12, 13);
	locks(0, NONE, 0, 0, 20, 21);
	flocks(1, NONE, 2, 22, 23);
	syt_builder_event(b, 2, 0, /* F_OFD_SETLK: a record lock */
	                  (struct syt_made){SYT_SHAPE_FILE_LOCK, record[2], .in = 30, .out = 31,
	                                    .offset2 = 3, .arg = EXCLUSIVE | SYT_LOCK_DESCRIPTION});
	expect_edges(b, "0.0.1>2.0.0 filelock run-after\n");
}

/* ---- the oracle ---- */

#define NR_WORKERS (NR_IMAGES * 2)
/* owners: processes, their open file descriptions, and a shared description */
#define NR_OWNERS (NR_IMAGES + NR_IMAGES + 1)
#define COMMON (2 * NR_IMAGES)

struct clock {
	uint32_t of[NR_WORKERS];
};

struct event {
	struct clock before;
	bool needs[NR_WORKERS]; /* it came after an end by this worker, of another owner */
};

static struct {
	uint64_t seed, time;
	bool is_common; /* owners are shared between workers */
	struct cell {
		unsigned mode[NR_OWNERS];
		struct clock write, reads;
		int writer, readers[NR_WORKERS]; /* last ends: owner plus one, 0: none */
		unsigned write_by;
	} cells[NR_BYTES + 1]; /* the last one is flock's */
	struct worker {
		bool is_busy, was_tried;
		unsigned owner, mode, from, to, nr_tries;
		bool is_flock, is_close, is_done;
		struct syt_made e;
		struct clock now;
		uint32_t nr_events;
		struct event events[MOST_EVENTS];
	} workers[NR_WORKERS];
} M;

static uint64_t below(uint64_t n)
{
	M.seed ^= M.seed << 13;
	M.seed ^= M.seed >> 7;
	M.seed ^= M.seed << 17;
	return (M.seed >> 11) % n;
}

static void join_clock(struct clock *to, const struct clock *from)
{
	for (unsigned i = 0; i < NR_WORKERS; i++)
		if (to->of[i] < from->of[i])
			to->of[i] = from->of[i];
}

/* The call of worker W changes OWNER's lock on byte C to MODE (0: no lock). */
static void end_lock(unsigned w, struct cell *c, unsigned owner, unsigned mode)
{
	if (c->mode[owner] == EXCLUSIVE) {
		c->write = M.workers[w].now;
		c->writer = (int)owner + 1;
		c->write_by = w;
		memset(c->readers, 0, sizeof(c->readers));
	} else if (c->mode[owner] == SHARED) {
		join_clock(&c->reads, &M.workers[w].now);
		c->readers[w] = (int)owner + 1;
	}
	c->mode[owner] = mode;
}

static bool conflicts(const struct cell *c, unsigned owner, unsigned mode)
{
	for (unsigned i = 0; i < NR_OWNERS; i++)
		if (i != owner && (c->mode[i] == EXCLUSIVE || (c->mode[i] && mode == EXCLUSIVE)))
			return true;
	return false;
}

static void choose(unsigned n)
{
	static const unsigned modes[] = {SHARED, EXCLUSIVE, NONE, NONE};
	struct worker *w = &M.workers[n];
	unsigned image = M.is_common ? n / 2 : n % NR_IMAGES;

	w->is_flock = below(3) == 0;
	w->is_close = !w->is_flock && below(12) == 0;
	w->mode = w->is_close ? NONE : modes[below(4)];
	w->owner = !w->is_flock && (w->is_close || below(2)) ? image : NR_IMAGES + image;
	if (M.is_common && w->owner >= NR_IMAGES && image < 2 && below(2))
		w->owner = COMMON;
	w->from = w->is_flock ? NR_BYTES : w->is_close ? 0 : (unsigned)below(NR_BYTES);
	w->to = w->is_flock   ? NR_BYTES + 1
	        : w->is_close ? NR_BYTES
	                      : w->from + 1 + (unsigned)below(NR_BYTES - w->from);
	w->e = (struct syt_made){SYT_SHAPE_FILE_LOCK, w->is_flock ? whole[image] : record[image],
	                         .in = M.time, .arg = w->mode};
	if (w->is_close)
		w->e.arg |= SYT_LOCK_CLOSED;
	if (!w->is_flock && !w->is_close) {
		w->e.offset = w->from;
		w->e.count = w->to == NR_BYTES ? 0 : w->to - w->from;
	}
	if (w->owner >= NR_IMAGES) {
		w->e.arg |= SYT_LOCK_DESCRIPTION;
		w->e.offset2 = w->owner;
	}
	w->now.of[n] = w->nr_events + 1;
	memset(&w->events[w->nr_events], 0, sizeof(w->events[0]));
	w->is_busy = true;
	w->was_tried = w->is_done = false;
	w->nr_tries = 0;
}

static bool effect(unsigned n)
{
	struct worker *w = &M.workers[n];
	struct event *e = &w->events[w->nr_events];

	for (unsigned i = w->from; i < w->to; i++) {
		struct cell *c = &M.cells[i];

		if (w->mode == NONE ||
		    (w->is_flock && !w->was_tried && c->mode[w->owner] != w->mode))
			end_lock(n, c, w->owner, 0);
	}
	w->was_tried = true;
	if (w->mode == NONE)
		return true;
	for (unsigned i = w->from; i < w->to; i++)
		if (conflicts(&M.cells[i], w->owner, w->mode))
			return false;
	for (unsigned i = w->from; i < w->to; i++) {
		struct cell *c = &M.cells[i];

		if (c->mode[w->owner] == EXCLUSIVE && w->mode == SHARED)
			end_lock(n, c, w->owner, SHARED);
		if (c->writer && c->writer != (int)w->owner + 1)
			e->needs[c->write_by] = true;
		join_clock(&w->now, &c->write);
		if (w->mode == EXCLUSIVE) {
			for (unsigned k = 0; k < NR_WORKERS; k++)
				e->needs[k] |= c->readers[k] && c->readers[k] != (int)w->owner + 1;
			join_clock(&w->now, &c->reads);
			memset(c->readers, 0, sizeof(c->readers));
			c->writer = 0; /* the next lock follows this one */
		}
		c->mode[w->owner] = w->mode;
	}
	return true;
}

static void finish(unsigned n, bool has_failed)
{
	struct worker *w = &M.workers[n];
	struct event *e = &w->events[w->nr_events++];

	w->e.out = M.time;
	e->before = w->now;
	if (has_failed) {
		w->e.result = -1;
		w->e.err = EAGAIN;
		memset(e->needs, 0, sizeof(e->needs));
	}
	syt_builder_event(b, M.is_common ? n / 2 : n, M.is_common ? n % 2 : 0, w->e);
	w->is_busy = false;
}

static void run(uint64_t seed, bool is_common)
{
	unsigned nr = is_common ? NR_WORKERS : NR_IMAGES;

	memset(&M, 0, sizeof(M));
	M.seed = seed * 2654435769u + 88172645463325252u;
	M.is_common = is_common;
	M.time = 100;
	start(is_common ? 2 : 1);
	for (unsigned i = 0; i < 3000; i++) {
		unsigned n = (unsigned)below(nr);
		bool is_ending = i > 1500; /* the running calls end */
		struct worker *w = &M.workers[n];

		M.time += 1 + below(3);
		if (!w->is_busy && is_ending)
			continue;
		if (!w->is_busy)
			choose(n);
		else if (w->is_done)
			finish(n, false);
		else if (effect(n))
			w->is_done = true;
		else if (++w->nr_tries > PATIENCE)
			finish(n, true);
	}
}

static unsigned worker_of(const struct syt_order *o, struct syt_place at)
{
	const struct syt_thread *t = o->places.threads[at.thread];

	return M.is_common ? t->image->index * 2 + t->index : t->image->index;
}

static bool is_told(const struct syt_order *o, struct syt_place at, unsigned by)
{
	for (uint64_t i = 0; i < o->edges.nr; i++)
		if (o->edges.all[i].to.thread == at.thread && o->edges.all[i].to.row == at.row &&
		    worker_of(o, o->edges.all[i].from) == by)
			return true;
	return false;
}

static void check(uint64_t seed, bool is_whole)
{
	struct syt_verdict v;
	struct syt_order o;

	assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
	assert_true(syt_verify(&o.edges, &v));
	for (uint64_t i = 0; i < o.edges.nr; i++) {
		const struct syt_edge *e = &o.edges.all[i];
		unsigned from = worker_of(&o, e->from), to = worker_of(&o, e->to);
		uint64_t event = o.places.threads[e->from.thread]->base + e->from.row;
		uint64_t target = o.places.threads[e->to.thread]->base + e->to.row;

		if (M.workers[to].events[target].before.of[from] <= event)
			fail_msg("seed %llu: %u.%llu > %u.%llu is not true",
			         (unsigned long long)seed, from, (unsigned long long)event, to,
			         (unsigned long long)target);
	}
	for (uint32_t n = 0; is_whole && n < o.places.nr_threads; n++) {
		for (uint32_t row = 0; row < o.places.threads[n]->nr_rows; row++) {
			struct syt_place at = {n, row};
			unsigned w = worker_of(&o, at);

			for (unsigned k = 0; k < NR_WORKERS; k++)
				if (k != w && M.workers[w].events[row].needs[k] &&
				    !is_told(&o, at, k))
					fail_msg("seed %llu: %u.%u does not follow %u",
					         (unsigned long long)seed, w, row, k);
		}
	}
	assert_int_equal(o.coverage.acquires, o.coverage.attributed + o.coverage.unneeded +
	                                              syt_coverage_unattributed(&o.coverage));
	if (is_whole)
		assert_int_equal(syt_coverage_unattributed(&o.coverage), 0);
	syt_order_close(&o);
	syt_builder_destroy(b);
}

static uint64_t nr_seeds = 300;

static void whole_executions(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		run(seed, false);
		check(seed, true);
	}
}

static void owners_that_several_use(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		run(seed, true);
		check(seed, false);
	}
}

static void executions_without_their_beginning(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		run(seed, false);
		syt_builder_trace(b);
		for (uint32_t i = 0; i < NR_IMAGES; i++)
			if (below(3))
				syt_builder_drop(b, i, 0, below(M.workers[i].nr_events));
		check(seed, false);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_ranges_that_overlap),
		cmocka_unit_test(readers_and_changes),
		cmocka_unit_test(ends_without_an_unlock),
		cmocka_unit_test(contradictions),
		cmocka_unit_test(flock_and_fcntl_locks_are_independent),
		cmocka_unit_test(whole_executions),
		cmocka_unit_test(owners_that_several_use),
		cmocka_unit_test(executions_without_their_beginning),
	};

	if (argc > 1)
		nr_seeds = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
