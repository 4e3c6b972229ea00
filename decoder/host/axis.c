/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/axis.h"

#include <math.h>

#include "base/compare.h"
#include "base/sort.h"
#include "base/store.h"

/* edges take this long before the clock maps round them to 1 ns */
#define EDGE_NS (SYT_HOST_EDGE_MIN_NS + 3.0)
#define RATE_MOST                                                                                  \
	(0.998 * SYT_HOST_RATE_MAX) /* times are rounded, and rates by two clocks count as equal */
#define TURNS_MAX 8u /* a clock that moves also moves the times of its messages on the axis */
#define WEIGHT_LEAST_NS 1000.0 /* E_r below this value give equal weights in the network effect */

/* ---- contradictions ---- */

static void drop(struct syt_host_placing *g, size_t pair, uint32_t connection)
{
	struct syt_host_pair_work *w = &g->work[pair];

	if (w->nr_dropped == SYT_HOST_DROPPED_MAX || syt_host_is_dropped(w, connection))
		g->p->states[pair] = SYT_HOST_CONTRADICTS;
	else
		w->dropped[w->nr_dropped++] = connection;
}

/* Drops the connection without which the gap is widest. */
static void drop_worst(struct syt_host_axis *c, size_t leaf, size_t i)
{
	struct syt_host_placing *g = c->g;
	const struct syt_host_fit *f = &c->leaves[leaf].fits[i];
	struct syt_host_pair_work *w = &g->work[c->pairs[i]];
	double best = -INFINITY;
	uint32_t worst = 0;

	if (w->nr_dropped == SYT_HOST_DROPPED_MAX || !f->is_joined) {
		g->p->states[c->pairs[i]] = SYT_HOST_CONTRADICTS;
		return;
	}
	for (unsigned k = 0; k < 4; k++) {
		const uint32_t connection = k < 2 ? f->points[0][f->gap.upper[k]].connection
		                                  : f->points[1][f->gap.lower[k - 2]].connection;
		struct syt_host_fit without;

		w->dropped[w->nr_dropped++] = connection;
		without = syt_host_cut_fit(c, i, c->leaves[leaf].begin, c->leaves[leaf].end);
		w->nr_dropped--;
		if (without.gap.width > best) {
			best = without.gap.width;
			worst = connection;
		}
		syt_host_fit_free(&without);
	}
	if (best > -INFINITY)
		drop(g, c->pairs[i], worst);
	else
		g->p->states[c->pairs[i]] = SYT_HOST_CONTRADICTS;
}

bool syt_host_axis_drop_contradictions(struct syt_host_axis *c)
{
	bool has_dropped = false;

	for (size_t i = 0; i < c->nr_pairs; i++)
		for (size_t leaf = 0; leaf < c->nr_leaves; leaf++)
			if (c->leaves[leaf].fits[i].is_joined &&
			    c->leaves[leaf].fits[i].gap.width < 2 * EDGE_NS) {
				drop_worst(c, leaf, i);
				has_dropped = true;
				break;
			}
	return has_dropped;
}

/* ---- knots ---- */

/* Sets the values at the begin and the end of a segment along the shortest paths, and adds the rows of all its pairs. */
static void walk(struct syt_host_axis *c, size_t leaf, const double *before, double *at_begin,
                 double *at_end)
{
	struct syt_host_placing *g = c->g;
	struct syt_host_leaf *l = &c->leaves[leaf];
	struct syt_host_arc *arcs = syt_store_alloc(2 * c->nr_pairs, sizeof(*arcs));
	struct syt_host_graph graph;
	struct syt_host_search s;
	size_t nr = 0;

	for (size_t i = 0; i < c->nr_pairs; i++) {
		const uint32_t *hosts = g->pairs[c->pairs[i]].hosts;
		const uint32_t a = g->local[hosts[0]], b = g->local[hosts[1]];

		if (!l->fits[i].is_joined)
			continue;
		arcs[nr++] =
			(struct syt_host_arc){a, b, (uint32_t)i, syt_host_fit_weight(&l->fits[i])};
		arcs[nr++] =
			(struct syt_host_arc){b, a, (uint32_t)i, syt_host_fit_weight(&l->fits[i])};
	}
	graph = syt_host_graph_build(c->nr_hosts, arcs, nr);
	s = syt_host_search_create(&graph);
	syt_host_search_run(&s, 0);
	for (uint32_t h = 0; h < c->nr_hosts; h++) {
		at_begin[h] =
			before ? before[h] : syt_host_line_at(&g->coarse[c->hosts[h]], l->begin);
		at_end[h] = syt_host_line_at(&g->coarse[c->hosts[h]], l->end);
		c->via[leaf * c->nr_hosts + h] = SYT_HOST_NONE;
	}
	for (uint32_t i = 1; i < s.nr_reached; i++) {
		const struct syt_host_arc *arc = &graph.arcs[s.via[s.order[i]]];
		const bool is_forward = c->hosts[arc->tail] < c->hosts[arc->head];
		const struct syt_host_line *line = &l->fits[arc->pair].line;

		at_begin[arc->head] =
			syt_host_cross(line, l->begin, at_begin[arc->tail], is_forward);
		at_end[arc->head] = syt_host_cross(line, l->end, at_end[arc->tail], is_forward);
		c->via[leaf * c->nr_hosts + arc->head] = arc->pair;
		c->path_residual[leaf * c->nr_hosts + arc->head] = s.distance[arc->head];
	}
	syt_host_search_free(&s);
	syt_host_graph_free(&graph);
}

/* Notes how far the loop that a pair outside the tree closes is from 0. */
static void note_loop(struct syt_host_axis *c, size_t leaf, size_t i, bool is_end, double off)
{
	struct syt_host_component *out = &c->g->p->components[c->number];
	const uint32_t *hosts = c->g->pairs[c->pairs[i]].hosts, *via = &c->via[leaf * c->nr_hosts];

	if (via[c->g->local[hosts[0]]] == i || via[c->g->local[hosts[1]]] == i)
		return;
	out->nr_loops += !is_end;
	out->loop_ns = fmax(out->loop_ns, fabs(off));
}

SYT_COMPARATOR(by_knot, struct syt_knot_row)
{
	SYT_ORDER_BY(knot);
	return 0; /* stable: by segment, then by pair */
}

static void forget_knots(struct syt_host_axis *c)
{
	struct syt_host_component *out = &c->g->p->components[c->number];

	syt_store_free(c->knots.values);
	syt_store_free(c->via);
	syt_store_free(c->path_residual);
	out->nr_loops = 0;
	out->loop_ns = 0;
}

static void set_knots(struct syt_host_axis *c)
{
	const uint32_t nr_hosts = c->nr_hosts, nr_knots = (uint32_t)c->nr_leaves + 1;
	struct syt_knot_row *rows = syt_store_alloc(2 * c->nr_leaves * c->nr_pairs, sizeof(*rows));
	double *at_begin = syt_store_alloc(nr_hosts, sizeof(double)),
	       *at_end = syt_store_alloc(nr_hosts, sizeof(double));
	size_t nr = 0;

	forget_knots(c);
	c->knots = (struct syt_knots){.nr_hosts = nr_hosts, .nr_knots = nr_knots};
	c->knots.values = syt_store_alloc((uint64_t)nr_hosts * nr_knots, sizeof(double));
	c->via = syt_store_alloc((uint64_t)nr_hosts * c->nr_leaves, sizeof(*c->via));
	c->path_residual = syt_store_alloc((uint64_t)nr_hosts * c->nr_leaves, sizeof(double));
	for (size_t leaf = 0; leaf < c->nr_leaves; leaf++) {
		walk(c, leaf, leaf ? at_end : NULL, at_begin, at_end);
		for (uint32_t h = 0; h < nr_hosts; h++) {
			c->knots.values[(size_t)h * nr_knots + leaf] = at_begin[h];
			c->knots.values[(size_t)h * nr_knots + leaf + 1] = at_end[h];
		}
		for (size_t i = 0; i < c->nr_pairs; i++) {
			const struct syt_host_fit *f = &c->leaves[leaf].fits[i];
			const uint32_t a = c->g->local[c->g->pairs[c->pairs[i]].hosts[0]],
				       b = c->g->local[c->g->pairs[c->pairs[i]].hosts[1]];
			const double residual =
				f->is_joined ? syt_host_fit_weight(f) + WEIGHT_LEAST_NS : 1;

			if (!f->is_joined)
				continue;
			for (unsigned end = 0; end < 2; end++) {
				const double x = end ? c->leaves[leaf].end : c->leaves[leaf].begin,
					     v = end ? at_end[a] : at_begin[a],
					     d = syt_host_line_at(&f->line, x + v);

				rows[nr++] = (struct syt_knot_row){
					a, b, (uint32_t)leaf + end, d,
					WEIGHT_LEAST_NS * WEIGHT_LEAST_NS / (residual * residual)};
				note_loop(c, leaf, i, end,
				          d - ((end ? at_end[b] : at_begin[b]) - v));
			}
		}
	}
	syt_sort(rows, nr, sizeof(*rows), by_knot);
	syt_knots_fit(&c->knots, rows, nr);
	syt_store_free(rows);
	syt_store_free(at_begin);
	syt_store_free(at_end);
}

struct limits {
	struct syt_knot_limit *all;
	size_t nr, room;
};

/* Returns the share of a segment at which a host, whose values at its knots are V, has the time X. */
static double share_of(const struct syt_host_leaf *l, const double *v, double x)
{
	return (x - l->begin - v[0]) / (l->end - l->begin + v[1] - v[0]);
}

/* Adds the limit of a message of segment LEAF. The clocks can have moved it into another segment, or to a time before or
 * after all segments, where the lines of the first and the last one go on. */
static void add_limit(struct limits *limits, const struct syt_host_axis *c, size_t leaf, size_t i,
                      unsigned way, const struct syt_host_point *at)
{
	const uint32_t *hosts = c->g->pairs[c->pairs[i]].hosts, a = c->g->local[hosts[0]],
		       b = c->g->local[hosts[1]];
	const double *v = &c->knots.values[(size_t)a * c->knots.nr_knots];
	double share = share_of(&c->leaves[leaf], &v[leaf], at->x);

	while (share > 1 && leaf + 1 < c->nr_leaves) {
		leaf++;
		share = share_of(&c->leaves[leaf], &v[leaf], at->x);
	}
	while (share < 0 && leaf > 0) {
		leaf--;
		share = share_of(&c->leaves[leaf], &v[leaf], at->x);
	}
	*SYT_STORE_ADD(limits->all, limits->nr, limits->room) =
		(struct syt_knot_limit){.from = way ? b : a,
	                                .to = way ? a : b,
	                                .segment = (uint32_t)leaf,
	                                .pair = (uint32_t)i,
	                                .connection = at->connection,
	                                .begin = 1 - share,
	                                .end = share,
	                                .most = (way ? -at->d : at->d) - EDGE_NS};
}

/* Limits the slope of D. Thinning and the bounds rely on this limit. */
static void limit_rate(struct limits *limits, const struct syt_host_axis *c, size_t leaf, size_t i)
{
	const struct syt_host_leaf *l = &c->leaves[leaf];
	const struct syt_host_fit *f = &l->fits[i];
	const uint32_t *hosts = c->g->pairs[c->pairs[i]].hosts;

	for (unsigned way = 0; way < 2; way++)
		*SYT_STORE_ADD(limits->all, limits->nr, limits->room) = (struct syt_knot_limit){
			.from = c->g->local[hosts[way]],
			.to = c->g->local[hosts[!way]],
			.segment = (uint32_t)leaf,
			.pair = (uint32_t)i,
			.connection = f->points[!f->sides[0].nr][0].connection,
			.begin = -1,
			.end = 1,
			.most = RATE_MOST * (l->end - l->begin)};
}

/* Adds the limits of a pair in a segment: each line that meets them meets all messages, also those that thinning left out. */
static void add_limits(struct limits *limits, const struct syt_host_axis *c, size_t leaf, size_t i)
{
	const struct syt_host_fit *f = &c->leaves[leaf].fits[i];

	for (unsigned way = 0; way < 2; way++) {
		size_t nr_hull, *hull = syt_host_hull_find(&f->sides[way], way ? -1 : 1, &nr_hull);

		for (size_t k = 0; k < nr_hull; k++)
			add_limit(limits, c, leaf, i, way, &f->sides[way].points[hull[k]]);
		for (unsigned end = 0; end < 2; end++)
			if (isfinite(f->edges[way][end].d))
				add_limit(limits, c, leaf, i, way, &f->edges[way][end]);
		syt_store_free(hull);
	}
	if (f->sides[0].nr || f->sides[1].nr)
		limit_rate(limits, c, leaf, i);
}

/* Returns the segment nearest to LEAF in which messages join the pair. */
static size_t nearest_joined(const struct syt_host_axis *c, size_t leaf, size_t i)
{
	for (size_t by = 0; by < c->nr_leaves; by++) {
		if (by <= leaf && c->leaves[leaf - by].fits[i].is_joined)
			return leaf - by;
		if (leaf + by < c->nr_leaves && c->leaves[leaf + by].fits[i].is_joined)
			return leaf + by;
	}
	return leaf;
}

/* Returns the limits of the pairs of STATE. */
static struct limits collect(const struct syt_host_axis *c, enum syt_host_state state)
{
	struct limits limits = {.nr = 0};

	for (size_t leaf = 0; leaf < c->nr_leaves; leaf++)
		for (size_t i = 0; i < c->nr_pairs; i++)
			if (c->g->p->states[c->pairs[i]] == state)
				add_limits(&limits, c, leaf, i);
	return limits;
}

/* Moves the knots until they meet all limits of the pairs that join hosts, and with IS_ALL also those of the others. Returns
 * false and stores the limit that is violated most if that fails. */
static bool meet(struct syt_host_axis *c, bool is_all, struct syt_knot_limit *failed)
{
	bool is_met = false;

	for (unsigned turn = 0; turn < TURNS_MAX && !is_met; turn++) {
		struct limits limits = collect(c, SYT_HOST_JOINED);
		const struct syt_knot_limit *worst;

		if (is_all) {
			struct limits more = collect(c, SYT_HOST_ONE_WAY);

			for (size_t i = 0; i < more.nr; i++)
				*SYT_STORE_ADD(limits.all, limits.nr, limits.room) = more.all[i];
			syt_store_free(more.all);
		}
		is_met = !syt_knots_worst(&c->knots, limits.all, limits.nr);
		worst = is_met ? NULL : syt_knots_project(&c->knots, limits.all, limits.nr);
		if (worst)
			*failed = *worst;
		syt_store_free(limits.all);
		if (worst)
			return false;
	}
	return true;
}

/* Moves the knots until they meet all limits of messages in one direction, too. If that fails, stores the limit that the
 * clocks without these messages violate most: messages in one direction have no control, so they yield to the others. */
static bool meet_one_way(struct syt_host_axis *c, struct syt_knot_limit *failed)
{
	const size_t nr = (size_t)c->nr_hosts * c->knots.nr_knots;
	struct limits limits = collect(c, SYT_HOST_ONE_WAY);
	double *values = syt_store_alloc(nr, sizeof(*values));
	const struct syt_knot_limit *worst = syt_knots_worst(&c->knots, limits.all, limits.nr);
	struct syt_knot_limit any;
	bool is_met = !worst;

	if (worst) {
		*failed = *worst;
		for (size_t i = 0; i < nr; i++)
			values[i] = c->knots.values[i];
		is_met = meet(c, true, &any);
		for (size_t i = 0; i < nr && !is_met; i++)
			c->knots.values[i] = values[i];
	}
	syt_store_free(values);
	syt_store_free(limits.all);
	return is_met;
}

bool syt_host_axis_turn_forward(struct syt_host_axis *c)
{
	for (;;) {
		struct syt_knot_limit failed;
		bool is_one_way = false;
		size_t leaf;

		set_knots(c);
		if (meet(c, false, &failed)) {
			if (meet_one_way(c, &failed))
				return true;
			is_one_way = true;
		}
		leaf = is_one_way ? failed.segment : nearest_joined(c, failed.segment, failed.pair);
		if (syt_host_cut_halve(c, leaf, failed.pair))
			continue;
		if (is_one_way)
			drop(c->g, c->pairs[failed.pair], failed.connection);
		else
			drop_worst(c, leaf, failed.pair);
		return false;
	}
}
