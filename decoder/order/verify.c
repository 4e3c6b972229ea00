/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Checks with Kahn's algorithm (topological sorting) that the happens-before edges have no cycle.
 *
 * The begin and the end of each event are two points, numbered thread by thread: 2 * row is the begin, and 2 * row
 * + 1 the end, of the event with the index `row`. The rounds of barriers follow. The points of a thread are chained
 * by time. Time order usually equals the order of numbers, but an event of a signal handler lies between the begin
 * and the end of the interrupted call.
 *
 * If each edge leads to a later time, there is no cycle, because no arc of a chain leads to an earlier time. Only
 * other edges need the graph, which takes some 50 bytes for each point.
 */
#include "decoder/order/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"

#define MOVES_PER_POINT 8u

struct graph {
	const struct syt_edges *e;
	uint64_t nr;
	uint64_t *first_of_thread;
	uint64_t *next_in_thread; /* [point]: the thread's next point in time, or nr */
	uint32_t *nr_before;      /* [point]: number of arcs into it from remaining points */
	uint64_t *first_arc;      /* [point], and one more for the end: index in `arcs` */
	uint64_t *arcs;           /* target points of the arcs */
};

static uint64_t point(const struct graph *g, struct syt_place at, bool is_end)
{
	syt_store_look();
	if (at.thread == SYT_NONE)
		return g->first_of_thread[g->e->places->nr_threads] + at.row;
	return g->first_of_thread[at.thread] + 2 * (uint64_t)at.row + is_end;
}

static syt_time time_of(const struct syt_thread *t, uint64_t p)
{
	syt_store_look();
	return p & 1 ? t->rows[p / 2].out : t->rows[p / 2].in;
}

static int by_time(const void *a_, const void *b_, void *t)
{
	const uint64_t *a = a_, *b = b_;
	syt_time x = time_of(t, *a), y = time_of(t, *b);

	SYT_ORDER(x, y);
	SYT_ORDER(*a, *b);
	return 0;
}

/* Chains the points (begins and ends of events) of thread N by time. The points are nearly sorted, so an insertion
 * sort is fast. After too many moves, another sort takes over. */
static void chain(struct graph *g, uint32_t n)
{
	const struct syt_thread *t = g->e->places->threads[n];
	uint64_t nr = 2 * t->nr_rows, first = g->first_of_thread[n], budget = nr * MOVES_PER_POINT;
	uint64_t *order = syt_store_alloc(nr, sizeof(*order));

	for (uint64_t i = 0; i < nr; i++) {
		uint64_t k = i;

		for (; k && budget && time_of(t, order[k - 1]) > time_of(t, i); k--, budget--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	if (!budget && nr)
		syt_sort_with(order, nr, sizeof(*order), by_time, (void *)t);
	for (uint64_t i = 0; i < nr; i++) {
		syt_store_look();
		g->next_in_thread[first + order[i]] = i + 1 < nr ? first + order[i + 1] : g->nr;
		if (i + 1 < nr)
			g->nr_before[first + order[i + 1]]++;
	}
	syt_store_free(order);
}

static void number_points(struct graph *g, const struct syt_edges *e)
{
	const struct syt_places *p = e->places;

	memset(g, 0, sizeof(*g));
	g->e = e;
	g->first_of_thread = syt_calloc((size_t)p->nr_threads + 1, sizeof(uint64_t));
	for (uint32_t n = 0; n < p->nr_threads; n++)
		g->first_of_thread[n + 1] = g->first_of_thread[n] + 2 * p->threads[n]->nr_rows;
	g->nr = g->first_of_thread[p->nr_threads] + e->nr_rounds;
}

static void make_arcs(struct graph *g)
{
	const struct syt_edges *e = g->e;
	const struct syt_places *p = e->places;
	uint64_t *fill;

	g->next_in_thread = syt_store_alloc(g->nr, sizeof(uint64_t));
	g->nr_before = syt_store_alloc(g->nr, sizeof(uint32_t));
	g->first_arc = syt_store_alloc(g->nr + 1, sizeof(uint64_t));
	g->arcs = syt_store_alloc(e->nr, sizeof(uint64_t));
	for (uint64_t i = g->first_of_thread[p->nr_threads]; i < g->nr; i++)
		g->next_in_thread[i] = g->nr;
	for (uint32_t n = 0; n < p->nr_threads; n++)
		chain(g, n);
	for (uint64_t i = 0; i < e->nr; i++)
		g->first_arc[point(g, e->all[i].from, syt_edge_is_at_end(&e->all[i], true)) + 1]++;
	for (uint64_t i = 0; i < g->nr; i++) {
		syt_store_look();
		g->first_arc[i + 1] += g->first_arc[i];
	}
	fill = syt_store_alloc(g->nr, sizeof(*fill));
	syt_store_move(fill, g->first_arc, g->nr * sizeof(*fill));
	for (uint64_t i = 0; i < e->nr; i++) {
		uint64_t to = point(g, e->all[i].to, syt_edge_is_at_end(&e->all[i], false));

		g->arcs[fill[point(g, e->all[i].from, syt_edge_is_at_end(&e->all[i], true))]++] =
			to;
		g->nr_before[to]++;
	}
	syt_store_free(fill);
}

static void close_graph(struct graph *g)
{
	free(g->first_of_thread);
	syt_store_free(g->next_in_thread);
	syt_store_free(g->nr_before);
	syt_store_free(g->first_arc);
	syt_store_free(g->arcs);
}

/* Removes all points (begins and ends of events) without remaining predecessors, again and again. Returns the
 * number of points that cannot be removed, because they are on a cycle or after a cycle. */
static uint64_t peel(struct graph *g)
{
	uint64_t *ready = syt_store_alloc(g->nr, sizeof(*ready));
	uint64_t nr_ready = 0, nr_left = g->nr;

	for (uint64_t i = 0; i < g->nr; i++) {
		syt_store_look();
		if (!g->nr_before[i])
			ready[nr_ready++] = i;
	}
	while (nr_ready) {
		uint64_t p = ready[--nr_ready], next = g->next_in_thread[p];

		syt_store_look();
		nr_left--;
		if (next < g->nr && !--g->nr_before[next])
			ready[nr_ready++] = next;
		for (uint64_t i = g->first_arc[p]; i < g->first_arc[p + 1]; i++)
			if (!--g->nr_before[g->arcs[i]])
				ready[nr_ready++] = g->arcs[i];
	}
	syt_store_free(ready);
	return nr_left;
}

static void show(struct syt_verdict *v, const struct syt_edge *example)
{
	v->example = *example;
	v->has_example = true;
}

bool syt_verify(const struct syt_edges *e, struct syt_verdict *v)
{
	struct graph g;
	bool is_each_later = true;

	memset(v, 0, sizeof(*v));
	number_points(&g, e);
	v->nr_points = g.nr;
	v->nr_edges = e->nr;
	v->nr_backward = e->nr_defects;
	if (e->nr_defects)
		show(v, &e->first_defect);
	SYT_EACH_FAR(i, 0, e->nr) {
		syt_time begin = syt_edge_begin(e, &e->all[i]), end = syt_edge_end(e, &e->all[i]);

		is_each_later &= begin < end;
		if (begin <= end)
			continue;
		v->nr_backward++;
		show(v, &e->all[i]);
	}
	if (!is_each_later) {
		make_arcs(&g);
		v->nr_in_cycles = peel(&g);
	}
	for (uint64_t i = 0; i < e->nr && v->nr_in_cycles && !v->has_example; i++) {
		const struct syt_edge *edge = &e->all[i];

		if (g.nr_before[point(&g, edge->from, syt_edge_is_at_end(edge, true))] &&
		    g.nr_before[point(&g, edge->to, syt_edge_is_at_end(edge, false))])
			show(v, edge);
	}
	close_graph(&g);
	return !v->nr_backward && !v->nr_in_cycles;
}
