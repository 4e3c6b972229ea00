/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Compares decoder/order/reach.c with a simple computation of the closure, for every pair of events
 * of random executions, and with the vector clocks of the machine.
 */
#include "decoder/order/reach.h"
#include "tests/lib/random-machine.h"
#include "tests/unit/order-check.h"

#define MOST_POINTS 1024u
#define UNREACHED UINT32_MAX

/* ---- the closure: number of hand-offs from one point to all points, relaxed to a fixed point ---- */

static struct {
	const struct syt_order *o;
	uint32_t nr_points, first[NR_THREADS + 1];
	uint32_t next[MOST_POINTS]; /* in its thread */
	uint32_t costs[MOST_POINTS];
} N;

static uint32_t point(struct syt_place at, bool is_end)
{
	return at.thread == SYT_NONE ? N.first[NR_THREADS] + at.row
	                             : N.first[at.thread] + 2 * at.row + is_end;
}

static syt_time time_of(const struct syt_thread *t, uint32_t k)
{
	return k % 2 ? t->rows[k / 2].out : t->rows[k / 2].in;
}

/* Returns the point of thread T that follows the point K, in order of time and then of number. */
static uint32_t next_of(const struct syt_thread *t, uint32_t k)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < 2 * t->nr_rows; i++) {
		syt_time a = time_of(t, i), b = time_of(t, k);

		if (a < b || (a == b && i <= k))
			continue;
		if (best == UINT32_MAX || a < time_of(t, best))
			best = i;
	}
	return best;
}

static void naive_open(const struct syt_order *o)
{
	N.o = o;
	for (uint32_t t = 0; t < NR_THREADS; t++)
		N.first[t + 1] = N.first[t] + 2 * (uint32_t)o->places.threads[t]->nr_rows;
	N.nr_points = N.first[NR_THREADS] + (uint32_t)o->edges.nr_rounds;
	assert_true(N.nr_points <= MOST_POINTS);
	memset(N.next, 0xff, sizeof(N.next));
	for (uint32_t t = 0; t < NR_THREADS; t++)
		for (uint32_t k = 0; k < 2 * o->places.threads[t]->nr_rows; k++) {
			uint32_t next = next_of(o->places.threads[t], k);

			if (next != UINT32_MAX)
				N.next[N.first[t] + k] = N.first[t] + next;
		}
}

static bool lower(uint32_t p, uint32_t cost)
{
	if (cost >= N.costs[p])
		return false;
	N.costs[p] = cost;
	return true;
}

static bool is_sure(const struct syt_edge *e, unsigned flags)
{
	return flags & SYT_REACH_POSSIBLE ||
	       (!(e->flags & SYT_EDGE_INFERRED) && e->class != SYT_CLASS_INFERRED);
}

/*
 * Returns the cost of the source of edge I; for an ambiguous set, the highest cost of its sources.
 */
static uint32_t cost_of_source(uint64_t i, unsigned flags)
{
	const struct syt_edges *edges = &N.o->edges;
	const struct syt_edge *e = &edges->all[i];
	uint32_t cost = N.costs[point(e->from, syt_edge_is_at_end(e, true))];

	for (uint64_t k = 0;
	     e->flags & SYT_EDGE_AMBIGUOUS && !(flags & SYT_REACH_POSSIBLE) && k < edges->nr; k++) {
		const struct syt_edge *other = &edges->all[k];
		uint32_t its = N.costs[point(other->from, syt_edge_is_at_end(other, true))];

		if (other->flags & SYT_EDGE_AMBIGUOUS && other->to.thread == e->to.thread &&
		    other->to.row == e->to.row && other->kind == e->kind &&
		    (its > cost || !is_sure(other, flags)))
			cost = is_sure(other, flags) ? its : UNREACHED;
	}
	return cost;
}

static void naive_from(struct syt_place from, unsigned flags)
{
	bool changes = true;

	memset(N.costs, 0xff, sizeof(N.costs));
	N.costs[point(from, false)] = 0;
	while (changes) {
		changes = false;
		for (uint32_t p = 0; p < N.nr_points; p++)
			if (N.costs[p] != UNREACHED && N.next[p] != UINT32_MAX)
				changes |= lower(N.next[p], N.costs[p]);
		for (uint64_t i = 0; i < N.o->edges.nr; i++) {
			const struct syt_edge *e = &N.o->edges.all[i];
			uint32_t cost = cost_of_source(i, flags);

			if (cost == UNREACHED || !is_sure(e, flags) ||
			    (e->class == SYT_CLASS_RUN_AFTER && !(flags & SYT_REACH_RUN_AFTER)))
				continue;
			changes |= lower(point(e->to, syt_edge_is_at_end(e, false)),
			                 cost + (e->from.thread != SYT_NONE));
		}
	}
}

/* ---- the comparison ---- */

static uint64_t nr_seeds = 100, nr_yes, nr_perhaps, nr_no;

/* Checks that the chain is connected, and that its number of hand-offs is as reported. */
static void check_chain(const struct syt_chain *c, struct syt_place from, struct syt_place to)
{
	const struct syt_edges *edges = &N.o->edges;
	struct syt_place at = from;
	syt_time time = syt_place_row(&N.o->places, from)->in;
	uint32_t nr = 0;

	for (uint64_t i = 0; i < c->nr; i++) {
		const struct syt_edge *e = &edges->all[c->edges[i]];

		assert_int_equal(e->from.thread, at.thread);
		if (at.thread == SYT_NONE)
			assert_int_equal(e->from.row, at.row);
		else
			nr++;
		assert_true(syt_edge_begin(edges, e) >= time);
		time = syt_edge_end(edges, e);
		at = e->to;
	}
	assert_int_equal(at.thread, to.thread);
	assert_true(time <= syt_place_row(&N.o->places, to)->out);
	assert_int_equal(nr, c->nr_handoffs);
}

static uint32_t find(const struct syt_reach *r, struct syt_place from, struct syt_place to,
                     unsigned flags)
{
	struct syt_chain c;
	uint32_t cost = UNREACHED;

	if (syt_reach_find(r, from, to, flags, &c)) {
		cost = c.nr_handoffs;
		check_chain(&c, from, to);
	}
	syt_chain_close(&c);
	return cost;
}

static void check_pairs(const struct syt_reach *r, struct syt_place from, unsigned flags)
{
	naive_from(from, flags);
	for (uint32_t t = 0; t < NR_THREADS; t++)
		for (uint32_t row = 0; row < N.o->places.threads[t]->nr_rows; row++) {
			struct syt_place to = {t, row};

			assert_int_equal(find(r, from, to, flags), N.costs[point(to, true)]);
		}
}

/* If the graph contains exactly the happens-before edges of the program, the answers are true. */
static void check_truth(const struct syt_reach *r, struct syt_place from)
{
	for (uint32_t t = 0; t < NR_THREADS; t++)
		for (uint32_t row = 0; row < N.o->places.threads[t]->nr_rows; row++) {
			struct syt_place to = {t, row};
			bool is_true = machine_truth(t, row)->before.of[from.thread] > from.row;

			if (t == from.thread)
				continue;
			if (find(r, from, to, SYT_REACH_RUN_AFTER) != UNREACHED) {
				assert_true(is_true);
				nr_yes++;
			} else if (find(r, from, to, SYT_REACH_RUN_AFTER | SYT_REACH_POSSIBLE) ==
			           UNREACHED) {
				assert_false(is_true);
				nr_no++;
			} else {
				nr_perhaps++;
			}
		}
}

static void check_nearest(const struct syt_order *o, const struct syt_reach *forward,
                          const struct syt_reach *back, struct syt_place at)
{
	struct syt_nearest after[NR_THREADS], before[NR_THREADS];
	unsigned flags = SYT_REACH_RUN_AFTER | SYT_REACH_POSSIBLE;

	syt_reach_nearest(forward, at, flags, after);
	syt_reach_nearest(back, at, flags, before);
	for (uint32_t t = 0; t < NR_THREADS; t++) {
		uint32_t first = UINT32_MAX, last = UINT32_MAX;

		for (uint32_t row = 0; row < o->places.threads[t]->nr_rows; row++) {
			struct syt_place other = {t, row};

			if (first == UINT32_MAX && find(forward, at, other, flags) != UNREACHED)
				first = row;
			if (find(forward, other, at, flags) != UNREACHED)
				last = row;
		}
		assert_int_equal(after[t].place.thread, first == UINT32_MAX ? SYT_NONE : t);
		assert_int_equal(before[t].place.thread, last == UINT32_MAX ? SYT_NONE : t);
		if (first != UINT32_MAX)
			assert_int_equal(after[t].place.row, first);
		if (last != UINT32_MAX)
			assert_int_equal(before[t].place.row, last);
	}
}

static void random_executions(void **state)
{
	static const unsigned flags[] = {0, SYT_REACH_POSSIBLE, SYT_REACH_RUN_AFTER,
	                                 SYT_REACH_RUN_AFTER | SYT_REACH_POSSIBLE};

	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		struct syt_builder *b = machine_run(seed, 1200, MACHINE_NO_ZERO);
		struct syt_reach forward, back;
		struct syt_order o;

		assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
		/* as if some rested on pairs of sockets that are only inferred, or were it themselves */
		for (uint64_t i = seed; seed % 3 == 0 && i < o.edges.nr; i += 5)
			o.edges.all[i].flags |= SYT_EDGE_INFERRED;
		for (uint64_t i = seed; seed % 5 == 0 && i < o.edges.nr; i += 7)
			o.edges.all[i].class = SYT_CLASS_INFERRED;
		assert_int_equal(syt_reach_open(&forward, &o.edges, false), 0);
		assert_int_equal(syt_reach_open(&back, &o.edges, true), 0);
		naive_open(&o);
		for (uint32_t t = 0; t < NR_THREADS; t++)
			for (uint32_t row = 0; row < o.places.threads[t]->nr_rows; row++) {
				struct syt_place at = {t, row};

				check_pairs(&forward, at, flags[seed % 4]);
				check_truth(&forward, at);
				check_nearest(&o, &forward, &back, at);
			}
		syt_reach_close(&forward);
		syt_reach_close(&back);
		syt_order_close(&o);
		syt_builder_destroy(b);
	}
	print_message("%llu pairs are ordered, %llu are not, %llu perhaps\n",
	              (unsigned long long)nr_yes, (unsigned long long)nr_no,
	              (unsigned long long)nr_perhaps);
	assert_true(nr_yes > 100 && nr_no > 100);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_executions),
	};

	if (argc > 1)
		nr_seeds = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
