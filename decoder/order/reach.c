/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A breadth-first search over happens-before edges, in levels: a level contains the points that the same number of
 * hand-offs reaches.
 *
 * Each thread, and each barrier round, is one row of points (decoder/order/reach.h). For each row, the search keeps
 * the earliest point reached. If the search reaches an earlier point of the row, it follows the arcs that leave the
 * row between the new point and the old one. The search passes a barrier round within a level, so that the arrival
 * at a barrier and the departure from it count as one hand-off.
 */
#include "decoder/order/reach.h"

#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"

/* The begin or the end of an event, or a barrier round. If two points of a thread have the same time, `index`
 * orders them: events in the order of the thread, and the begin of an event before its end. */
struct point {
	uint32_t row;
	syt_time at;
	uint64_t index;
};

static struct point point_of(const struct syt_edges *e, struct syt_place at, bool is_end)
{
	const struct syt_row *r;

	if (at.thread == SYT_NONE)
		return (struct point){e->places->nr_threads + at.row, e->rounds[at.row].at, 0};
	r = syt_place_row(e->places, at);
	return (struct point){at.thread, is_end ? r->out : r->in, 2 * (uint64_t)at.row + is_end};
}

/* Returns the point at which a search in the direction of R leaves a thread by EDGE, or (IS_FAR) arrives by
 * EDGE. */
static struct point end_of(const struct syt_reach *r, uint32_t edge, bool is_far)
{
	const struct syt_edge *e = &r->edges->all[edge];
	bool is_from = is_far == r->is_back;

	return point_of(r->edges, is_from ? e->from : e->to, syt_edge_is_at_end(e, is_from));
}

/* Returns true if a search in the direction of R meets point A before point B of the same thread. */
static bool is_before(const struct syt_reach *r, syt_time a_at, uint64_t a, syt_time b_at,
                      uint64_t b)
{
	if (r->is_back)
		return b_at != a_at ? b_at < a_at : b < a;
	return a_at != b_at ? a_at < b_at : a < b;
}

/* ---- building the graph ---- */

static int by_point(const void *a_, const void *b_, void *reach)
{
	const struct syt_reach_arc *a = a_, *b = b_;
	const struct syt_reach *r = reach;
	uint64_t ia = end_of(r, a->edge, false).index, ib = end_of(r, b->edge, false).index;

	if (is_before(r, a->at, ia, b->at, ib))
		return -1;
	if (is_before(r, b->at, ib, a->at, ia))
		return 1;
	SYT_ORDER_BY(edge);
	return 0;
}

struct member {
	struct syt_place to;
	uint32_t kind, edge;
};

static int by_target(const void *a_, const void *b_)
{
	const struct member *a = a_, *b = b_;

	SYT_ORDER_BY(to.thread);
	SYT_ORDER_BY(to.row);
	SYT_ORDER_BY(kind);
	SYT_ORDER_BY(edge);
	return 0;
}

/* Collects ambiguous happens-before edges into sets of which at least one edge is true: the edges of one kind to
 * one event. GROUPS[edge] becomes the number of the set. */
static void find_groups(struct syt_reach *r, uint32_t *groups)
{
	struct member *all = NULL;
	size_t room = 0, nr = 0, room_sizes = 0;

	for (uint64_t i = 0; i < r->edges->nr; i++) {
		const struct syt_edge *e = &r->edges->all[i];

		groups[i] = SYT_NONE;
		if (!(e->flags & SYT_EDGE_AMBIGUOUS))
			continue;
		*SYT_STORE_ADD(all, nr, room) = (struct member){e->to, e->kind, (uint32_t)i};
	}
	syt_sort(all, nr, sizeof(*all), by_target);
	for (size_t i = 0; i < nr; i++) {
		if (!i || all[i - 1].to.thread != all[i].to.thread ||
		    all[i - 1].to.row != all[i].to.row || all[i - 1].kind != all[i].kind) {
			*SYT_STORE_ADD(r->group_sizes, r->nr_groups, room_sizes) = 0;
		}
		groups[all[i].edge] = r->nr_groups - 1;
		r->group_sizes[r->nr_groups - 1]++;
	}
	syt_store_free(all);
}

int syt_reach_open(struct syt_reach *r, const struct syt_edges *edges, bool is_back)
{
	uint32_t *groups;
	uint64_t *next;

	memset(r, 0, sizeof(*r));
	r->edges = edges;
	r->is_back = is_back;
	if (edges->nr >= SYT_NONE || edges->places->nr_threads + edges->nr_rounds >= SYT_NONE) {
		syt_warn("the trace has more than 4294967294 happens-before edges: decode the "
		         "trace files of fewer processes at a time");
		return -1;
	}
	r->nr_rows = edges->places->nr_threads + (uint32_t)edges->nr_rounds;
	r->first = syt_store_alloc((size_t)r->nr_rows + 1, sizeof(*r->first));
	r->arcs = syt_store_alloc(edges->nr, sizeof(*r->arcs));
	groups = syt_store_alloc(edges->nr, sizeof(*groups));
	find_groups(r, groups);
	for (uint32_t i = 0; i < edges->nr; i++)
		r->first[end_of(r, i, false).row + 1]++;
	for (uint32_t row = 0; row < r->nr_rows; row++)
		r->first[row + 1] += r->first[row];
	next = syt_store_alloc(r->nr_rows, sizeof(*next));
	memcpy(next, r->first, r->nr_rows * sizeof(*next));
	SYT_EACH(i, 0, edges->nr) {
		struct point p = end_of(r, i, false);

		r->arcs[next[p.row]++] = (struct syt_reach_arc){p.at, i, groups[i]};
	}
	syt_store_free(next);
	syt_store_free(groups);
	for (uint32_t row = 0; row < r->nr_rows; row++)
		if (r->first[row + 1] > r->first[row])
			syt_sort_with(r->arcs + r->first[row], r->first[row + 1] - r->first[row],
			              sizeof(*r->arcs), by_point, r);
	return 0;
}

void syt_reach_close(struct syt_reach *r)
{
	syt_store_free(r->first);
	syt_store_free(r->arcs);
	syt_store_free(r->group_sizes);
	memset(r, 0, sizeof(*r));
}

/* ---- the search ---- */

/* A visit of the search: it reached a point of a thread or barrier round, over an edge, from an earlier visit. */
struct visit {
	struct point at;
	uint32_t edge, parent; /* SYT_NONE: the visit is the start */
	uint32_t level;        /* number of hand-offs from the start */
};

struct search {
	const struct syt_reach *r;
	unsigned flags;
	syt_time until; /* a forward search ignores points after this time */
	struct visit *visits;
	size_t nr, room;
	uint32_t *earliest; /* [row]: visit of its earliest point so far, or SYT_NONE */
	uint32_t *missing; /* [group]: number of possible sources that the search has not reached */
};

static void search_open(struct search *s, const struct syt_reach *r, struct point start,
                        unsigned flags, syt_time until)
{
	memset(s, 0, sizeof(*s));
	s->r = r;
	s->flags = flags;
	s->until = until;
	s->earliest = syt_store_alloc(r->nr_rows, sizeof(*s->earliest));
	memset(s->earliest, 0xff, r->nr_rows * sizeof(*s->earliest));
	s->missing = syt_store_alloc(r->nr_groups, sizeof(*s->missing));
	if (r->nr_groups)
		memcpy(s->missing, r->group_sizes, r->nr_groups * sizeof(*s->missing));
	*SYT_STORE_ADD(s->visits, s->nr, s->room) = (struct visit){start, SYT_NONE, SYT_NONE, 0};
	s->earliest[start.row] = 0;
}

static void search_close(struct search *s)
{
	syt_store_free(s->visits);
	syt_store_free(s->earliest);
	syt_store_free(s->missing);
}

static bool lets_pass(struct search *s, const struct syt_reach_arc *arc)
{
	const struct syt_edge *e = &s->r->edges->all[arc->edge];

	if ((e->class == SYT_CLASS_RUN_AFTER && !(s->flags & SYT_REACH_RUN_AFTER)) ||
	    ((e->flags & SYT_EDGE_INFERRED || e->class == SYT_CLASS_INFERRED) &&
	     !(s->flags & SYT_REACH_POSSIBLE)))
		return false;
	if (arc->group == SYT_NONE || s->flags & SYT_REACH_POSSIBLE)
		return true;
	/* backwards, a certain result would need the predecessors of all possible sources */
	return !s->r->is_back && !--s->missing[arc->group];
}

static void arrive(struct search *s, uint32_t edge, uint32_t parent, uint32_t level)
{
	struct visit v = {end_of(s->r, edge, true), edge, parent, level};
	uint32_t *earliest = &s->earliest[v.at.row];

	if (!s->r->is_back && v.at.at > s->until)
		return;
	if (*earliest != SYT_NONE) {
		struct visit *old = &s->visits[*earliest];

		if (!is_before(s->r, v.at.at, v.at.index, old->at.at, old->at.index))
			return;
		if (old->level == level) { /* the old visit's arcs are not followed yet */
			*old = v;
			return;
		}
	}
	*earliest = (uint32_t)s->nr;
	*SYT_STORE_ADD(s->visits, s->nr, s->room) = v;
}

/* Returns the index of the first arc that leaves the thread or barrier round ROW at or after the point (AT,
 * INDEX). */
static uint64_t first_arc(const struct syt_reach *r, uint32_t row, syt_time at, uint64_t index)
{
	return SYT_BISECT(
		i, r->first[row], r->first[row + 1],
		is_before(r, r->arcs[i].at, end_of(r, r->arcs[i].edge, false).index, at, index));
}

/* Follows the arcs from the point of visit N up to the arc END, from which on an earlier visit has followed the
 * arcs. */
static void expand(struct search *s, uint32_t n, uint64_t end, uint32_t level)
{
	struct point p = s->visits[n].at;

	for (uint64_t i = first_arc(s->r, p.row, p.at, p.index); i < end; i++)
		if (lets_pass(s, &s->r->arcs[i]))
			arrive(s, s->r->arcs[i].edge, n, level);
}

/* Searches until it reaches a point of GOAL's thread at or before GOAL, then returns true. Returns false if GOAL is
 * NULL or cannot be reached. */
static bool search(struct search *s, const struct point *goal)
{
	const struct syt_reach *r = s->r;
	uint32_t nr_threads = r->edges->places->nr_threads;
	uint64_t *followed =
		syt_store_alloc(r->nr_rows, sizeof(*followed)); /* arcs from here on are followed */
	size_t begin = 0;
	bool is_found = false;

	for (uint32_t row = 0; row < r->nr_rows; row++)
		followed[row] = r->first[row + 1];
	for (uint32_t level = 0; begin < s->nr; level++) {
		if (goal && s->earliest[goal->row] != SYT_NONE) {
			const struct point *p = &s->visits[s->earliest[goal->row]].at;

			is_found = !is_before(r, goal->at, goal->index, p->at, p->index);
			if (is_found)
				break;
		}
		size_t end = s->nr;

		for (; begin < end; begin++) {
			struct point p = s->visits[begin].at;

			if (p.row >= nr_threads)
				continue;
			expand(s, (uint32_t)begin, followed[p.row], level + 1);
			followed[p.row] = first_arc(r, p.row, p.at, p.index);
		}
		for (size_t i = end; i < s->nr; i++)
			if (s->visits[i].at.row >= nr_threads)
				expand(s, (uint32_t)i, r->first[s->visits[i].at.row + 1],
				       level + 1);
	}
	syt_store_free(followed);
	return is_found;
}

bool syt_reach_find(const struct syt_reach *r, struct syt_place from, struct syt_place to,
                    unsigned flags, struct syt_chain *chain)
{
	struct point goal = point_of(r->edges, to, true);
	struct search s;
	bool is_found;

	memset(chain, 0, sizeof(*chain));
	search_open(&s, r, point_of(r->edges, from, false), flags, goal.at);
	is_found = search(&s, &goal);
	if (is_found) {
		uint32_t last = s.earliest[goal.row];

		chain->nr_handoffs = s.visits[last].level;
		for (uint32_t n = last; s.visits[n].parent != SYT_NONE; n = s.visits[n].parent)
			chain->nr++;
		chain->edges = syt_store_alloc(chain->nr, sizeof(*chain->edges));
		for (uint64_t i = chain->nr; i--; last = s.visits[last].parent)
			chain->edges[i] = s.visits[last].edge;
	}
	search_close(&s);
	return is_found;
}

void syt_chain_close(struct syt_chain *chain)
{
	syt_store_free(chain->edges);
	memset(chain, 0, sizeof(*chain));
}

void syt_reach_nearest(const struct syt_reach *r, struct syt_place from, unsigned flags,
                       struct syt_nearest *nearest)
{
	const struct syt_places *places = r->edges->places;
	struct search s;

	search_open(&s, r, point_of(r->edges, from, r->is_back), flags, UINT64_MAX);
	search(&s, NULL);
	for (uint32_t row = 0; row < places->nr_threads; row++) {
		nearest[row] = (struct syt_nearest){{SYT_NONE, 0}, 0, SYT_NONE};
		if (s.earliest[row] == SYT_NONE)
			continue;
		const struct visit *v = &s.visits[s.earliest[row]];

		nearest[row] =
			(struct syt_nearest){{row, (uint32_t)(v->at.index / 2)}, v->level, v->edge};
	}
	search_close(&s);
}
