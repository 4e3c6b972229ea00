/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/place.h"

#include <math.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/sort.h"
#include "base/store.h"
#include "base/work.h"
#include "decoder/host/knots.h"

#define SEGMENT_NS (INT64_C(1800) * 1000000000)
#define LEAST_PER_HALF 30u             /* messages in each direction */
#define HALVES_DIFFER_NS 5000.0        /* lines of halves that differ by more make two segments */
#define VALUES_MAX (UINT64_C(1) << 25) /* hosts x knots of a component */
#define SEGMENTS_MAX 4096u
#define DROPPED_MAX 16u /* connections that are dropped before the pair counts as contradicting */
#define ROUNDS_MAX 64u
/* edges take this long before the clock maps round them to 1 ns */
#define EDGE_NS (SYT_HOST_EDGE_MIN_NS + 3.0)
#define WEIGHT_LEAST_NS 1000.0 /* E_r below this value give equal weights in the network effect */

/* ---- one pair in a range of time ---- */

struct fit {
	struct syt_host_point *points[2];
	struct syt_host_side sides[2]; /* upper and lower points */
	struct syt_host_gap gap;
	struct syt_host_squares squares;
	struct syt_host_line line; /* by the chosen method */
	uint64_t nr_messages[2];
	bool is_joined; /* there are points on both sides */
};

struct pair_work {
	uint32_t dropped[DROPPED_MAX];
	uint32_t nr_dropped;
	struct fit whole;
	int64_t base[2]; /* origin of WHOLE by both clocks */
};

struct placing {
	const struct syt_host_pair *pairs;
	uint64_t nr_pairs;
	const struct syt_host_options *options;
	unsigned nr_workers;
	struct syt_placement *p;
	struct pair_work *work; /* per pair */
	/* per host: origin by its clock, and value of the host at time x of the reference: offset + slope x */
	int64_t *base;
	struct syt_host_line *coarse;
	uint32_t *local; /* number of the host in its component */
};

static double wander(const struct placing *g, const struct syt_host_pair *pair)
{
	const double *ppm = g->options->wander_ppm;

	return ppm ? 1e-6 * fmax(ppm[pair->hosts[0]], ppm[pair->hosts[1]]) : 1e-6;
}

/* The time of a message by the clocks of hosts[0] and hosts[1]. */
static int64_t first_clock(const struct syt_host_message *m)
{
	return m->from < m->to ? m->send_ns : m->receive_ns;
}

static int64_t second_clock(const struct syt_host_message *m)
{
	return m->from < m->to ? m->receive_ns : m->send_ns;
}

static bool is_dropped(const struct pair_work *w, uint32_t connection)
{
	for (uint32_t i = 0; i < w->nr_dropped; i++)
		if (w->dropped[i] == connection)
			return true;
	return false;
}

/* Collects the points with BEGIN <= x <= END, relative to BASE. */
static void gather(const struct placing *g, size_t pair, const int64_t base[2], double begin,
                   double end, struct fit *f)
{
	const struct syt_host_pair *p = &g->pairs[pair];

	for (unsigned way = 0; way < 2; way++) {
		const struct syt_host_message *m = p->messages[way];
		const uint64_t first = SYT_BISECT(i, 0, p->nr[way],
		                                  (double)(first_clock(&m[i]) - base[0]) < begin),
			       last = SYT_BISECT(i, first, p->nr[way],
		                                 (double)(first_clock(&m[i]) - base[0]) <= end);
		size_t nr = 0;

		f->points[way] = syt_store_alloc(last - first, sizeof(*f->points[way]));
		SYT_EACH(i, first, last) {
			const int64_t x = first_clock(&m[i]) - base[0];

			if (is_dropped(&g->work[pair], m[i].connection))
				continue;
			f->points[way][nr++] = (struct syt_host_point){
				.x = (double)x,
				.d = (double)(second_clock(&m[i]) - base[1] - x),
				.connection = m[i].connection,
				.nr = m[i].nr};
			f->nr_messages[way] += m[i].nr;
		}
		f->sides[way] = (struct syt_host_side){.points = f->points[way], .nr = nr};
	}
}

static void fit_free(struct fit *f)
{
	for (unsigned way = 0; way < 2; way++)
		syt_store_free(f->points[way]);
	*f = (struct fit){.is_joined = false};
}

static struct fit fit_pair(const struct placing *g, size_t pair, const int64_t base[2],
                           double begin, double end)
{
	struct fit f = {.is_joined = false};

	if (g->p->states[pair] != SYT_HOST_JOINED)
		return f;
	gather(g, pair, base, begin, end, &f);
	f.is_joined = syt_host_gap_find(&f.sides[0], &f.sides[1], &f.gap);
	if (!f.is_joined)
		return f;
	if (begin < -1e18 || end > 1e18) /* all of the pair */
		syt_host_squares_fit(&f.sides[0], &f.sides[1], f.points[0][0].x, &f.squares);
	else
		syt_host_squares_fit(&f.sides[0], &f.sides[1], begin / 2 + end / 2, &f.squares);
	f.line = g->options->method == SYT_HOST_SQUARES && f.squares.nr_used > 1 &&
	                         fabs(f.squares.line.slope) <= SYT_HOST_RATE_MAX
	                 ? f.squares.line
	                 : f.gap.line;
	return f;
}

/* Returns the weight of the pair in the host graph. Too few exchanges have no E_r; they count with their margin. */
static double weight_of(const struct fit *f)
{
	const double fallback = fmax(f->squares.margin, fabs(f->gap.width) / 2);
	const double weight = f->squares.nr_used > 2 ? f->squares.residual : fallback;

	return isfinite(weight) ? weight : 1e18;
}

static void fit_whole(void *context, size_t pair, unsigned worker)
{
	struct placing *g = context;
	const struct syt_host_pair *p = &g->pairs[pair];
	struct pair_work *w = &g->work[pair];

	(void)worker;
	if (!p->nr[0] || !p->nr[1])
		return;
	w->base[0] = first_clock(p->messages[0]);
	w->base[1] = second_clock(p->messages[0]);
	w->whole = fit_pair(g, pair, w->base, -INFINITY, INFINITY);
	for (unsigned way = 0; way < 2; way++) { /* the line is enough */
		syt_store_free(w->whole.points[way]);
		w->whole.points[way] = NULL;
	}
	if (!w->whole.is_joined && g->p->states[pair] == SYT_HOST_JOINED)
		g->p->states[pair] = w->nr_dropped ? SYT_HOST_CONTRADICTS : SYT_HOST_ONE_WAY;
}

/* ---- one component ---- */

struct leaf {
	double begin, end; /* by the clock of the reference */
	struct fit *fits;  /* per pair of the component */
};

struct component {
	struct placing *g;
	uint32_t number, *hosts,
		nr_hosts; /* hosts in the order of the search; the reference first */
	size_t *pairs;
	size_t nr_pairs;
	struct leaf *leaves;
	size_t nr_leaves, room;
	struct syt_knots knots;
	uint32_t *
		via; /* per leaf and host: the pair that leads to it from the reference, or SYT_HOST_NONE */
	double *path_residual;
	/* of the present job */
	double begin, end;
	bool *is_bent;
	struct fit *fits;
};

/* Moves a value over an arc: returns the value of the other host of the pair at the same time X of the reference, of a host
 * with the value V. D(x_i) = v_j - v_i at x_i = x + v_i (composition of functions, not a sum of lines). */
static double cross(const struct syt_host_line *line, double x, double v, bool is_forward)
{
	if (is_forward)
		return v + syt_host_line_at(line, x + v);
	return (x + v - line->offset) / (1 + line->slope) - x;
}

/* Sets origin and coarse line of a host from those of the previous host on the path. */
static void compose(struct placing *g, uint32_t from, uint32_t to, size_t pair)
{
	const struct pair_work *w = &g->work[pair];
	const bool is_forward = from < to;
	const int64_t at = g->base[from] - w->base[is_forward ? 0 : 1];
	const struct syt_host_line *l = &w->whole.line;
	const double here = (double)at, shift = cross(l, here, 0, is_forward);
	double begin, end;

	/* the clock of TO when FROM shows its origin, then both lines at the times 0 and 1e12 of the reference */
	g->base[to] = at + w->base[is_forward ? 1 : 0] + (int64_t)llround(shift);
	begin = g->coarse[from].offset + here;
	end = g->coarse[from].offset + g->coarse[from].slope * 1e12 + here + 1e12;
	begin = cross(l, begin, 0, is_forward) + g->coarse[from].offset - rint(shift);
	end = cross(l, end, 0, is_forward) + g->coarse[from].offset + g->coarse[from].slope * 1e12 -
	      rint(shift);
	g->coarse[to] = (struct syt_host_line){.offset = begin, .slope = (end - begin) / 1e12};
}

static double coarse_time(const struct placing *g, uint32_t host, double x)
{
	return x + syt_host_line_at(&g->coarse[host], x);
}

/* Fits the pair of a component in [BEGIN, END] by the clock of the reference. */
static struct fit fit_range(const struct component *c, size_t i, double begin, double end)
{
	const struct placing *g = c->g;
	const uint32_t *hosts = g->pairs[c->pairs[i]].hosts;
	const int64_t base[2] = {g->base[hosts[0]], g->base[hosts[1]]};

	return fit_pair(g, c->pairs[i], base, coarse_time(g, hosts[0], begin),
	                coarse_time(g, hosts[0], end));
}

static bool has_many(const struct fit *f)
{
	return f->is_joined && f->sides[0].nr >= LEAST_PER_HALF && f->sides[1].nr >= LEAST_PER_HALF;
}

/* Compares the lines of the widest gap: those of least squares differ too much by chance. */
static bool differ(const struct fit *whole, const struct fit *half, double begin, double end)
{
	const double at_begin = syt_host_line_at(&whole->gap.line, begin) -
	                        syt_host_line_at(&half->gap.line, begin),
		     at_end = syt_host_line_at(&whole->gap.line, end) -
	                      syt_host_line_at(&half->gap.line, end);

	return fabs(at_begin) > HALVES_DIFFER_NS || fabs(at_end) > HALVES_DIFFER_NS;
}

/* Decides whether the pair needs two segments. */
static void judge(void *context, size_t i, unsigned worker)
{
	struct component *c = context;
	const double middle = c->begin / 2 + c->end / 2;
	struct fit whole = fit_range(c, i, c->begin, c->end), first = {.is_joined = false},
		   second = first;

	(void)worker;
	c->is_bent[i] = false;
	if (has_many(&whole)) {
		first = fit_range(c, i, c->begin, middle);
		second = fit_range(c, i, middle, c->end);
		c->is_bent[i] = has_many(&first) && has_many(&second) &&
		                (whole.gap.width < 0 || differ(&whole, &first, c->begin, middle) ||
		                 differ(&whole, &second, middle, c->end));
	}
	fit_free(&whole);
	fit_free(&first);
	fit_free(&second);
}

static void fit_leaf(void *context, size_t i, unsigned worker)
{
	struct component *c = context;

	(void)worker;
	c->fits[i] = fit_range(c, i, c->begin, c->end);
}

static void cut(struct component *c, double begin, double end)
{
	bool is_bent = false;

	c->begin = begin;
	c->end = end;
	if (c->nr_leaves + 2 < SEGMENTS_MAX && (c->nr_leaves + 2) * c->nr_hosts < VALUES_MAX &&
	    end - begin > 2e6) {
		syt_work(c->nr_pairs, c->g->nr_workers, judge, c);
		for (size_t i = 0; i < c->nr_pairs; i++)
			is_bent = is_bent || c->is_bent[i];
	}
	if (is_bent) {
		const double middle = rint(begin / 2 + end / 2);

		cut(c, begin, middle);
		cut(c, middle, end);
		return;
	}
	c->fits = syt_store_alloc(c->nr_pairs, sizeof(*c->fits));
	syt_work(c->nr_pairs, c->g->nr_workers, fit_leaf, c);
	*SYT_STORE_ADD(c->leaves, c->nr_leaves, c->room) =
		(struct leaf){.begin = begin, .end = end, .fits = c->fits};
}

/* Cuts the time from the first to the last message of the component into segments. */
static void cut_all(struct component *c)
{
	double begin = INFINITY, end = -INFINITY, nr;

	for (size_t i = 0; i < c->nr_pairs; i++) {
		const struct syt_host_pair *p = &c->g->pairs[c->pairs[i]];
		const struct syt_host_line *l = &c->g->coarse[p->hosts[0]];

		for (unsigned way = 0; way < 2; way++) {
			const int64_t base = c->g->base[p->hosts[0]];
			const double first = (double)(first_clock(&p->messages[way][0]) - base),
				     last = (double)(first_clock(
							     &p->messages[way][p->nr[way] - 1]) -
			                             base);

			begin = fmin(begin, (first - l->offset) / (1 + l->slope) - 1);
			end = fmax(end, (last - l->offset) / (1 + l->slope) + 1);
		}
	}
	nr = ceil((end - begin) /
	          (double)(c->g->options->segment_ns > 0 ? c->g->options->segment_ns : SEGMENT_NS));
	nr = fmax(1, fmin(nr, fmin(SEGMENTS_MAX / 2, (double)VALUES_MAX / 2 / c->nr_hosts)));
	begin = floor(begin);
	end = fmax(ceil(end), begin + 2 * nr);
	for (double i = 0; i < nr; i++)
		cut(c, rint(begin + (end - begin) * (i / nr)),
		    rint(begin + (end - begin) * ((i + 1) / nr)));
}

/* ---- contradictions ---- */

static void drop(struct placing *g, size_t pair, uint32_t connection)
{
	struct pair_work *w = &g->work[pair];

	if (w->nr_dropped == DROPPED_MAX || is_dropped(w, connection))
		g->p->states[pair] = SYT_HOST_CONTRADICTS;
	else
		w->dropped[w->nr_dropped++] = connection;
}

/* Drops the connection without which the gap is widest. */
static void drop_worst(struct component *c, size_t leaf, size_t i)
{
	struct placing *g = c->g;
	const struct fit *f = &c->leaves[leaf].fits[i];
	struct pair_work *w = &g->work[c->pairs[i]];
	double best = -INFINITY;
	uint32_t worst = 0;

	if (w->nr_dropped == DROPPED_MAX) {
		drop(g, c->pairs[i], 0);
		return;
	}
	for (unsigned k = 0; k < 4; k++) {
		const uint32_t connection = k < 2 ? f->points[0][f->gap.upper[k]].connection
		                                  : f->points[1][f->gap.lower[k - 2]].connection;
		struct fit without;

		w->dropped[w->nr_dropped++] = connection;
		without = fit_range(c, i, c->leaves[leaf].begin, c->leaves[leaf].end);
		w->nr_dropped--;
		if (without.gap.width > best) {
			best = without.gap.width;
			worst = connection;
		}
		fit_free(&without);
	}
	if (best > -INFINITY)
		drop(g, c->pairs[i], worst);
	else
		g->p->states[c->pairs[i]] = SYT_HOST_CONTRADICTS;
}

static bool drop_contradictions(struct component *c)
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
static void walk(struct component *c, size_t leaf, const double *before, double *at_begin,
                 double *at_end)
{
	struct placing *g = c->g;
	struct leaf *l = &c->leaves[leaf];
	struct syt_host_arc *arcs = syt_store_alloc(2 * c->nr_pairs, sizeof(*arcs));
	struct syt_host_graph graph;
	struct syt_host_search s;
	size_t nr = 0;

	for (size_t i = 0; i < c->nr_pairs; i++) {
		const uint32_t *hosts = g->pairs[c->pairs[i]].hosts;
		const uint32_t a = g->local[hosts[0]], b = g->local[hosts[1]];

		if (!l->fits[i].is_joined)
			continue;
		arcs[nr++] = (struct syt_host_arc){a, b, (uint32_t)i, weight_of(&l->fits[i])};
		arcs[nr++] = (struct syt_host_arc){b, a, (uint32_t)i, weight_of(&l->fits[i])};
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

		at_begin[arc->head] = cross(line, l->begin, at_begin[arc->tail], is_forward);
		at_end[arc->head] = cross(line, l->end, at_end[arc->tail], is_forward);
		c->via[leaf * c->nr_hosts + arc->head] = arc->pair;
		c->path_residual[leaf * c->nr_hosts + arc->head] = s.distance[arc->head];
	}
	syt_host_search_free(&s);
	syt_host_graph_free(&graph);
}

/* Notes how far the loop that a pair outside the tree closes is from 0. */
static void note_loop(struct component *c, size_t leaf, size_t i, bool is_end, double off)
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

static void set_knots(struct component *c)
{
	const uint32_t nr_hosts = c->nr_hosts, nr_knots = (uint32_t)c->nr_leaves + 1;
	struct syt_knot_row *rows = syt_store_alloc(2 * c->nr_leaves * c->nr_pairs, sizeof(*rows));
	double *at_begin = syt_store_alloc(nr_hosts, sizeof(double)),
	       *at_end = syt_store_alloc(nr_hosts, sizeof(double));
	size_t nr = 0;

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
			const struct fit *f = &c->leaves[leaf].fits[i];
			const uint32_t a = c->g->local[c->g->pairs[c->pairs[i]].hosts[0]],
				       b = c->g->local[c->g->pairs[c->pairs[i]].hosts[1]];
			const double residual = f->is_joined ? weight_of(f) + WEIGHT_LEAST_NS : 1;

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

/* Makes all messages run forward in time. Returns false if that is impossible; then it has dropped a connection or a pair. */
static bool turn_forward(struct component *c)
{
	struct syt_knot_limit *limits = NULL;
	const struct syt_knot_limit *worst;
	size_t nr = 0, room = 0;
	bool is_forward;

	for (size_t leaf = 0; leaf < c->nr_leaves; leaf++)
		for (size_t i = 0; i < c->nr_pairs; i++)
			for (unsigned way = 0; way < 2 && c->leaves[leaf].fits[i].is_joined;
			     way++) {
				const struct leaf *l = &c->leaves[leaf];
				const struct syt_host_side *side = &l->fits[i].sides[way];
				const double sign = way ? -1 : 1;
				const uint32_t *hosts = c->g->pairs[c->pairs[i]].hosts,
					       a = c->g->local[hosts[0]], b = c->g->local[hosts[1]];
				const double *v =
					&c->knots.values[(size_t)a * c->knots.nr_knots + leaf];
				size_t nr_hull, *hull = syt_host_hull_find(side, sign, &nr_hull);

				for (size_t k = 0; k < nr_hull; k++) {
					const struct syt_host_point *at = &side->points[hull[k]];
					const double share = (at->x - l->begin - v[0]) /
					                     (l->end - l->begin + v[1] - v[0]);

					*SYT_STORE_ADD(limits, nr, room) = (struct syt_knot_limit){
						.from = way ? b : a,
						.to = way ? a : b,
						.segment = (uint32_t)leaf,
						.pair = (uint32_t)i,
						.share = fmax(0, fmin(1, share)),
						.most = sign * at->d - EDGE_NS};
				}
				syt_store_free(hull);
			}
	worst = syt_knots_project(&c->knots, limits, nr);
	is_forward = !worst;
	if (worst)
		drop_worst(c, worst->segment, worst->pair);
	syt_store_free(limits);
	return is_forward;
}

/* ---- clock maps ---- */

static void map_host(struct component *c, uint32_t h)
{
	struct placing *g = c->g;
	struct syt_host_clock *clock = &g->p->clocks[c->hosts[h]];
	const int64_t *knots = g->p->components[c->number].knots_ns;
	const double *v = &c->knots.values[(size_t)h * c->knots.nr_knots];

	clock->component = c->number;
	clock->local_ns = syt_store_alloc(c->nr_leaves + 1, sizeof(*clock->local_ns));
	clock->slopes = syt_store_alloc(c->nr_leaves, sizeof(*clock->slopes));
	clock->places = syt_store_alloc(c->nr_leaves, sizeof(*clock->places));
	for (size_t k = 0; k <= c->nr_leaves; k++) {
		const double x = k < c->nr_leaves ? c->leaves[k].begin : c->leaves[k - 1].end;

		clock->local_ns[k] = g->base[c->hosts[h]] + (int64_t)x + (int64_t)llround(v[k]);
	}
	for (size_t k = 0; k < c->nr_leaves; k++) {
		const int64_t local = clock->local_ns[k + 1] - clock->local_ns[k],
			      joined = knots[k + 1] - knots[k];
		const uint32_t via = c->via[k * c->nr_hosts + h];
		const uint32_t *hosts = via == SYT_HOST_NONE ? NULL : g->pairs[c->pairs[via]].hosts;

		clock->slopes[k] =
			local > 0 ? (int64_t)(((__int128)joined << 40) / local) : INT64_C(1) << 40;
		clock->places[k] = (struct syt_host_place){
			.begin_ns = clock->local_ns[k],
			.end_ns = clock->local_ns[k + 1],
			.offset_ns = clock->local_ns[k] - knots[k],
			.drift_ppm =
				joined > 0 ? 1e6 * ((double)(local - joined) / (double)joined) : 0,
			.residual_ns = c->path_residual[k * c->nr_hosts + h],
			.early_ns = INFINITY,
			.late_ns = INFINITY,
			.previous = !hosts                    ? SYT_HOST_NONE
		                    : hosts[0] == c->hosts[h] ? hosts[1]
		                                              : hosts[0]};
	}
}

int64_t syt_host_joined(const struct syt_placement *p, uint32_t host, int64_t local_ns)
{
	const struct syt_host_clock *clock = &p->clocks[host];
	const struct syt_host_component *c;
	uint32_t k;
	__int128 joined;

	if (clock->component == SYT_HOST_NONE)
		return local_ns;
	c = &p->components[clock->component];
	k = SYT_BISECT(i, 0u, c->nr_segments - 1, clock->local_ns[i + 1] <= local_ns);
	joined = c->knots_ns[k] +
	         (((__int128)local_ns - clock->local_ns[k]) * clock->slopes[k] >> 40);
	return joined > INT64_MAX ? INT64_MAX : joined < INT64_MIN ? INT64_MIN : (int64_t)joined;
}

uint32_t syt_host_segment(const struct syt_host_component *c, int64_t joined_ns)
{
	return SYT_BISECT(i, 0u, c->nr_segments - 1, c->knots_ns[i + 1] <= joined_ns);
}

/* ---- results ---- */

/* Returns the slacks of a side on the joined axis, and the least delay. */
static struct syt_host_slack *joined_slacks(const struct component *c, size_t leaf, size_t i,
                                            unsigned way, int64_t *least)
{
	const struct placing *g = c->g;
	const uint32_t *hosts = g->pairs[c->pairs[i]].hosts;
	const struct syt_host_side *side = &c->leaves[leaf].fits[i].sides[way];
	struct syt_host_slack *slacks = syt_store_alloc(side->nr, sizeof(*slacks));

	*least = INT64_MAX;
	SYT_EACH(k, 0, side->nr) {
		const int64_t x = (int64_t)side->points[k].x, d = (int64_t)side->points[k].d,
			      at_first = syt_host_joined(g->p, hosts[0], g->base[hosts[0]] + x),
			      at_second =
				      syt_host_joined(g->p, hosts[1], g->base[hosts[1]] + x + d),
			      delay = way ? at_first - at_second : at_second - at_first;

		slacks[k] = (struct syt_host_slack){
			(double)(at_first - g->p->components[c->number].knots_ns[leaf]),
			(double)delay};
		*least = delay < *least ? delay : *least;
		if (delay < SYT_HOST_EDGE_MIN_NS)
			g->p->nr_backward++;
	}
	return slacks;
}

static void bound_pair(struct component *c, size_t leaf, size_t i,
                       struct syt_host_pair_segment *out)
{
	const struct fit *f = &c->leaves[leaf].fits[i];
	const struct syt_knots *n = &c->knots;
	const double length = c->leaves[leaf].end - c->leaves[leaf].begin;
	const double *a = &n->values[(size_t)c->g->local[out->hosts[0]] * n->nr_knots + leaf],
		     *b = &n->values[(size_t)c->g->local[out->hosts[1]] * n->nr_knots + leaf];
	/* 0.2 %: rates by the clock of hosts[0] count as rates by the clock of the reference */
	const struct syt_host_rates exact = syt_host_rates(&f->gap,
	                                                   (b[1] - b[0] - a[1] + a[0]) / length,
	                                                   wander(c->g, &c->g->pairs[c->pairs[i]])),
				    rates = {.rise = exact.rise * 1.002,
	                                     .fall = exact.fall * 1.002},
				    mirror = syt_host_rates_mirror(rates);
	struct syt_host_slack *upper = joined_slacks(c, leaf, i, 0, &out->least_delay_ns[0]),
			      *lower = joined_slacks(c, leaf, i, 1, &out->least_delay_ns[1]);

	syt_host_slack_tighten(upper, f->sides[0].nr, rates);
	syt_host_slack_tighten(lower, f->sides[1].nr, mirror);
	if (syt_host_slack_least_sum(upper, f->sides[0].nr, lower, f->sides[1].nr, rates) < 0)
		out->state = SYT_HOST_CONTRADICTS;
	/* 1 ns: the maps round down */
	out->bounds_ns[1] = 1 + syt_host_slack_max(upper, f->sides[0].nr, rates, -SYT_HOST_GUARD_NS,
	                                           length + SYT_HOST_GUARD_NS);
	out->bounds_ns[0] = -1 - syt_host_slack_max(lower, f->sides[1].nr, mirror,
	                                            -SYT_HOST_GUARD_NS, length + SYT_HOST_GUARD_NS);
	syt_store_free(upper);
	syt_store_free(lower);
}

static void add_pair_segment(struct component *c, size_t leaf, size_t i)
{
	struct placing *g = c->g;
	const struct leaf *l = &c->leaves[leaf];
	const struct fit *f = &l->fits[i];
	const uint32_t *hosts = g->pairs[c->pairs[i]].hosts;
	const double begin = coarse_time(g, hosts[0], l->begin),
		     end = coarse_time(g, hosts[0], l->end), at = rint(begin / 2 + end / 2);
	struct syt_host_pair_segment out = {.hosts = {hosts[0], hosts[1]},
	                                    .pair = (uint32_t)c->pairs[i],
	                                    .segment = (uint32_t)leaf,
	                                    .begin_ns = g->base[hosts[0]] + (int64_t)begin,
	                                    .end_ns = g->base[hosts[0]] + (int64_t)end,
	                                    .messages = {f->nr_messages[0], f->nr_messages[1]},
	                                    .bounds_ns = {-INFINITY, INFINITY},
	                                    .state = f->is_joined ? SYT_HOST_JOINED
	                                                          : SYT_HOST_ONE_WAY};

	if (f->is_joined) {
		out.used = f->squares.nr_used;
		out.at_ns = g->base[hosts[0]] + (int64_t)at;
		out.offset_ns = g->base[hosts[1]] - g->base[hosts[0]] +
		                (int64_t)llround(syt_host_line_at(&f->line, at));
		out.drift_ppm = 1e6 * f->line.slope;
		out.residual_ns = f->squares.residual;
		out.offset_error_ns = f->squares.offset_error;
		out.drift_error_ppm = 1e6 * f->squares.slope_error;
		out.margin_ns = f->squares.margin;
		out.methods_differ_ns = fabs(syt_host_line_at(&f->gap.line, at) -
		                             syt_host_line_at(&f->squares.line, at));
		bound_pair(c, leaf, i, &out);
	}
	*SYT_STORE_ADD(g->p->pair_segments, g->p->nr_pair_segments, g->p->room_pair_segments) = out;
}

/* Sets early and late of all hosts: the distances from and to the reference over the bounds. */
static void bound_hosts(struct component *c)
{
	struct placing *g = c->g;
	const struct syt_host_component *out = &g->p->components[c->number];

	for (size_t leaf = 0; leaf < c->nr_leaves; leaf++)
		for (unsigned is_late = 0; is_late < 2; is_late++) {
			struct syt_host_arc *arcs = syt_store_alloc(2 * c->nr_pairs, sizeof(*arcs));
			struct syt_host_graph graph;
			struct syt_host_search s;
			size_t nr = 0;

			for (size_t i = 0; i < c->nr_pairs; i++) {
				const struct syt_host_pair_segment *p =
					&g->p->pair_segments[out->first_pair + leaf * c->nr_pairs +
				                             i];
				const uint32_t a = g->local[p->hosts[is_late]],
					       b = g->local[p->hosts[!is_late]];

				if (p->state != SYT_HOST_JOINED)
					continue;
				arcs[nr++] = (struct syt_host_arc){a, b, (uint32_t)i,
				                                   fmax(0, p->bounds_ns[1])};
				arcs[nr++] = (struct syt_host_arc){b, a, (uint32_t)i,
				                                   fmax(0, -p->bounds_ns[0])};
			}
			graph = syt_host_graph_build(c->nr_hosts, arcs, nr);
			s = syt_host_search_create(&graph);
			syt_host_search_run(&s, 0);
			for (uint32_t h = 0; h < c->nr_hosts; h++) {
				struct syt_host_place *place =
					&g->p->clocks[c->hosts[h]].places[leaf];

				*(is_late ? &place->late_ns : &place->early_ns) = s.distance[h];
			}
			syt_host_search_free(&s);
			syt_host_graph_free(&graph);
		}
}

static void report(struct component *c)
{
	struct placing *g = c->g;
	struct syt_host_component *out = &g->p->components[c->number];

	out->nr_segments = (uint32_t)c->nr_leaves;
	out->knots_ns = syt_store_alloc(c->nr_leaves + 1, sizeof(*out->knots_ns));
	for (size_t k = 0; k <= c->nr_leaves; k++)
		out->knots_ns[k] =
			g->base[c->hosts[0]] +
			(int64_t)(k < c->nr_leaves ? c->leaves[k].begin : c->leaves[k - 1].end);
	for (uint32_t h = 0; h < c->nr_hosts; h++)
		map_host(c, h);
	out->first_pair = g->p->nr_pair_segments;
	for (size_t leaf = 0; leaf < c->nr_leaves; leaf++)
		for (size_t i = 0; i < c->nr_pairs; i++)
			add_pair_segment(c, leaf, i);
	out->nr_pair_segments = g->p->nr_pair_segments - out->first_pair;
	bound_hosts(c);
}

/* ---- all components ---- */

static void free_component(struct component *c)
{
	for (size_t leaf = 0; leaf < c->nr_leaves; leaf++) {
		for (size_t i = 0; i < c->nr_pairs; i++)
			fit_free(&c->leaves[leaf].fits[i]);
		syt_store_free(c->leaves[leaf].fits);
	}
	syt_store_free(c->leaves);
	syt_store_free(c->is_bent);
	syt_store_free(c->hosts);
	syt_store_free(c->knots.values);
	syt_store_free(c->via);
	syt_store_free(c->path_residual);
}

/* Places the hosts that the search reached. PAIRS: the pairs of the component. Returns false if messages contradict each other;
 * then some are dropped, and the caller begins again. */
static bool place_component(struct placing *g, uint32_t number, const struct syt_host_search *s,
                            size_t *pairs, size_t nr_pairs)
{
	struct component c = {.g = g,
	                      .number = number,
	                      .nr_hosts = s->nr_reached,
	                      .pairs = pairs,
	                      .nr_pairs = nr_pairs};
	bool is_placed;

	c.hosts = syt_store_alloc(c.nr_hosts, sizeof(*c.hosts));
	c.is_bent = syt_store_alloc(nr_pairs, sizeof(*c.is_bent));
	for (uint32_t i = 0; i < c.nr_hosts; i++) {
		const uint32_t host = s->order[i];

		c.hosts[i] = host;
		g->local[host] = i;
		if (i) {
			const struct syt_host_arc *arc = &s->graph->arcs[s->via[host]];

			compose(g, arc->tail, host, arc->pair);
			continue;
		}
		/* the origin of the reference: the first message of its first pair */
		for (size_t k = 0; k < nr_pairs; k++) {
			const struct syt_host_pair *p = &g->pairs[pairs[k]];

			if (p->hosts[0] == host || p->hosts[1] == host) {
				g->base[host] = g->work[pairs[k]].base[p->hosts[1] == host];
				break;
			}
		}
		g->coarse[host] = (struct syt_host_line){0, 0};
	}
	cut_all(&c);
	is_placed = !drop_contradictions(&c);
	if (is_placed) {
		set_knots(&c);
		is_placed = turn_forward(&c);
	}
	if (is_placed)
		report(&c);
	free_component(&c);
	return is_placed;
}

static void forget_results(struct syt_placement *p)
{
	for (uint32_t i = 0; i < p->nr_hosts; i++) {
		syt_store_free(p->clocks[i].local_ns);
		syt_store_free(p->clocks[i].slopes);
		syt_store_free(p->clocks[i].places);
		p->clocks[i] = (struct syt_host_clock){.component = SYT_HOST_NONE};
	}
	for (uint32_t i = 0; i < p->nr_components; i++)
		syt_store_free(p->components[i].knots_ns);
	syt_store_free(p->components);
	p->components = NULL;
	p->nr_components = 0;
	p->nr_pair_segments = 0;
	p->nr_backward = 0;
}

void syt_placement_free(struct syt_placement *p)
{
	forget_results(p);
	syt_store_free(p->clocks);
	syt_store_free(p->pair_segments);
	syt_store_free(p->states);
	syt_store_free(p->nr_dropped);
	syt_store_free(p);
}

struct component_pair {
	uint32_t component;
	size_t pair;
};

SYT_COMPARATOR(by_component, struct component_pair)
{
	SYT_ORDER_BY(component);
	SYT_ORDER_BY(pair);
	return 0;
}

/* Places all hosts once. Returns false if messages were dropped. */
static bool place_all(struct placing *g)
{
	struct syt_placement *p = g->p;
	struct syt_host_arc *arcs = syt_store_alloc(2 * g->nr_pairs, sizeof(*arcs));
	struct component_pair *of = syt_store_alloc(g->nr_pairs, sizeof(*of));
	size_t *pairs = syt_store_alloc(g->nr_pairs, sizeof(*pairs)), nr = 0, nr_of = 0;
	uint32_t *references;
	struct syt_host_graph graph;
	struct syt_host_search s;
	bool is_placed = true;

	syt_work(g->nr_pairs, g->nr_workers, fit_whole, g);
	for (size_t i = 0; i < g->nr_pairs; i++) {
		const uint32_t *hosts = g->pairs[i].hosts;

		if (p->states[i] != SYT_HOST_JOINED)
			continue;
		arcs[nr++] = (struct syt_host_arc){hosts[0], hosts[1], (uint32_t)i,
		                                   weight_of(&g->work[i].whole)};
		arcs[nr++] = (struct syt_host_arc){hosts[1], hosts[0], (uint32_t)i,
		                                   weight_of(&g->work[i].whole)};
	}
	graph = syt_host_graph_build(p->nr_hosts, arcs, nr);
	references = syt_store_alloc(graph.nr_components, sizeof(*references));
	syt_host_graph_references(&graph, g->nr_workers, references);
	if (g->options->reference < p->nr_hosts)
		references[graph.component[g->options->reference]] = g->options->reference;
	for (size_t i = 0; i < g->nr_pairs; i++)
		if (p->states[i] == SYT_HOST_JOINED)
			of[nr_of++] =
				(struct component_pair){graph.component[g->pairs[i].hosts[0]], i};
	syt_sort(of, nr_of, sizeof(*of), by_component);
	s = syt_host_search_create(&graph);
	for (size_t first = 0, end; first < nr_of; first = end) {
		for (end = first; end < nr_of && of[end].component == of[first].component; end++)
			pairs[end - first] = of[end].pair;
		syt_host_search_run(&s, references[of[first].component]);
		p->components = p->components ? p->components
		                              : syt_store_alloc(nr_of, sizeof(*p->components));
		p->components[p->nr_components] = (struct syt_host_component){
			.reference = references[of[first].component], .nr_hosts = s.nr_reached};
		is_placed =
			place_component(g, p->nr_components++, &s, pairs, end - first) && is_placed;
	}
	syt_host_search_free(&s);
	syt_host_graph_free(&graph);
	syt_store_free(references);
	syt_store_free(of);
	syt_store_free(pairs);
	return is_placed;
}

struct syt_placement *syt_hosts_place(uint32_t nr_hosts, const struct syt_host_pair *pairs,
                                      uint64_t nr_pairs, const struct syt_host_options *options)
{
	struct syt_placement *p = syt_store_alloc(1, sizeof(*p));
	struct placing g = {.pairs = pairs, .nr_pairs = nr_pairs, .options = options, .p = p};

	p->nr_hosts = nr_hosts;
	p->clocks = syt_store_alloc(nr_hosts, sizeof(*p->clocks));
	p->states = syt_store_alloc(nr_pairs, sizeof(*p->states));
	p->nr_dropped = syt_store_alloc(nr_pairs, sizeof(*p->nr_dropped));
	g.nr_workers = options->nr_workers ? options->nr_workers : 1;
	g.work = syt_store_alloc(nr_pairs, sizeof(*g.work));
	g.base = syt_store_alloc(nr_hosts, sizeof(*g.base));
	g.coarse = syt_store_alloc(nr_hosts, sizeof(*g.coarse));
	g.local = syt_store_alloc(nr_hosts, sizeof(*g.local));
	for (size_t i = 0; i < nr_pairs; i++)
		p->states[i] =
			pairs[i].nr[0] && pairs[i].nr[1] ? SYT_HOST_JOINED : SYT_HOST_ONE_WAY;
	forget_results(p);
	for (unsigned round = 0; !place_all(&g); round++) {
		forget_results(p);
		/* too many contradictions to search for the guilty connections: each pair with a dropped connection is out */
		for (size_t i = 0; i < nr_pairs && round >= ROUNDS_MAX; i++)
			if (g.work[i].nr_dropped && p->states[i] == SYT_HOST_JOINED)
				p->states[i] = SYT_HOST_CONTRADICTS;
	}
	for (size_t i = 0; i < nr_pairs; i++)
		p->nr_dropped[i] = g.work[i].nr_dropped;
	syt_store_free(g.work);
	syt_store_free(g.base);
	syt_store_free(g.coarse);
	syt_store_free(g.local);
	return p;
}
