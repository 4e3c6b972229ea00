/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/result.h"

#include <math.h>

#include "base/store.h"
#include "decoder/host/bounds.h"

/* ---- clock maps ---- */

static void map_host(struct syt_host_axis *c, uint32_t h)
{
	struct syt_host_placing *g = c->g;
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

/* ---- bounds ---- */

/* Returns the slacks of a side on the joined axis, and the least delay. */
static struct syt_host_slack *joined_slacks(const struct syt_host_axis *c, size_t leaf, size_t i,
                                            unsigned way, int64_t *least)
{
	const struct syt_host_placing *g = c->g;
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

/* What bounds D at one end of a segment: slacks, and the range of slopes of the points that prove them. */
struct proof {
	double upper, lower;
	const struct syt_host_gap *gap; /* NULL: none */
};

/* Returns the rates for the points of GAP against the clocks as placed in a segment. */
static struct syt_host_rates rates_in(const struct syt_host_axis *c, size_t leaf, size_t i,
                                      const struct syt_host_gap *gap)
{
	const struct syt_host_pair *pair = &c->g->pairs[c->pairs[i]];
	const struct syt_knots *n = &c->knots;
	const double *a = &n->values[(size_t)c->g->local[pair->hosts[0]] * n->nr_knots + leaf],
		     *b = &n->values[(size_t)c->g->local[pair->hosts[1]] * n->nr_knots + leaf];
	const double slope =
		(b[1] - b[0] - a[1] + a[0]) / (c->leaves[leaf].end - c->leaves[leaf].begin);
	const struct syt_host_rates exact = syt_host_rates(gap, slope, syt_host_wander(c->g, pair));

	/* 0.2 %: rates by the clock of hosts[0] count as rates by the clock of the reference */
	return (struct syt_host_rates){.rise = exact.rise * 1.002, .fall = exact.fall * 1.002};
}

/* Sets the bounds from slacks, which it tightens, and the growth for both sides. */
static void set_bounds(struct syt_host_pair_segment *out, double length,
                       struct syt_host_slack *upper, size_t nr_upper, struct syt_host_slack *lower,
                       size_t nr_lower, struct syt_host_rates rates, struct syt_host_rates mirror)
{
	syt_host_slack_tighten(upper, nr_upper, rates);
	syt_host_slack_tighten(lower, nr_lower, mirror);
	/* 1 ns: the maps round down */
	out->bounds_ns[1] = 1 + syt_host_slack_max(upper, nr_upper, rates, 0, length);
	out->bounds_ns[0] = -1 - syt_host_slack_max(lower, nr_lower, mirror, 0, length);
	out->growth[0] = (struct syt_host_growth){.rise = rates.fall, .fall = mirror.fall};
	out->growth[1] = (struct syt_host_growth){.rise = rates.rise, .fall = mirror.rise};
}

/* Adds the rates of D from the reference to HOST along the shortest path. Returns false if no messages place HOST. */
static bool add_rates(const struct syt_host_axis *c, size_t leaf, uint32_t host,
                      struct syt_host_rates *rates)
{
	while (host) {
		const uint32_t i = c->via[leaf * c->nr_hosts + host];
		const struct syt_host_leaf *l = &c->leaves[leaf];
		struct syt_host_rates r;
		const uint32_t *hosts;
		bool is_second;

		if (i == SYT_HOST_NONE)
			return false;
		hosts = c->g->pairs[c->pairs[i]].hosts;
		is_second = c->g->local[hosts[1]] == host;
		r = rates_in(c, leaf, i, &l->fits[i].gap);
		rates->rise += is_second ? r.rise : r.fall;
		rates->fall += is_second ? r.fall : r.rise;
		host = c->g->local[hosts[!is_second]];
	}
	return true;
}

/* Bounds a pair with messages in one direction. The pairs that join its hosts limit the rates. */
static void bound_one_way(const struct syt_host_axis *c, size_t leaf, size_t i,
                          struct syt_host_pair_segment *out)
{
	const struct syt_host_fit *f = &c->leaves[leaf].fits[i];
	const double length = c->leaves[leaf].end - c->leaves[leaf].begin;
	const uint32_t *hosts = c->g->pairs[c->pairs[i]].hosts;
	struct syt_host_rates to[2] = {{0, 0}, {0, 0}};
	struct syt_host_slack *slacks[2];
	bool is_known = true;

	for (unsigned k = 0; k < 2; k++)
		is_known &= add_rates(c, leaf, c->g->local[hosts[k]], &to[k]);
	for (unsigned way = 0; way < 2; way++) {
		slacks[way] = joined_slacks(c, leaf, i, way, &out->least_delay_ns[way]);
		if (!f->sides[way].nr)
			out->least_delay_ns[way] = 0;
	}
	if (is_known) {
		const struct syt_host_rates rates = {.rise = to[1].rise + to[0].fall,
		                                     .fall = to[1].fall + to[0].rise};

		set_bounds(out, length, slacks[0], f->sides[0].nr, slacks[1], f->sides[1].nr, rates,
		           syt_host_rates_mirror(rates));
	}
	syt_store_free(slacks[0]);
	syt_store_free(slacks[1]);
}

/* Bounds a pair by its messages in the segment. Stores what they prove at the begin and the end. */
static void bound_pair(struct syt_host_axis *c, size_t leaf, size_t i,
                       struct syt_host_pair_segment *out, struct proof ends[2])
{
	const struct syt_host_fit *f = &c->leaves[leaf].fits[i];
	const double length = c->leaves[leaf].end - c->leaves[leaf].begin;
	const struct syt_host_rates rates = rates_in(c, leaf, i, &f->gap),
				    mirror = syt_host_rates_mirror(rates);
	struct syt_host_slack *upper = joined_slacks(c, leaf, i, 0, &out->least_delay_ns[0]),
			      *lower = joined_slacks(c, leaf, i, 1, &out->least_delay_ns[1]);

	set_bounds(out, length, upper, f->sides[0].nr, lower, f->sides[1].nr, rates, mirror);
	if (syt_host_slack_least_sum(upper, f->sides[0].nr, lower, f->sides[1].nr, rates) < 0)
		out->state = SYT_HOST_CONTRADICTS;
	for (unsigned end = 0; end < 2; end++)
		ends[end] = (struct proof){
			syt_host_slack_at(upper, f->sides[0].nr, rates, end ? length : 0),
			syt_host_slack_at(lower, f->sides[1].nr, mirror, end ? length : 0),
			out->state == SYT_HOST_JOINED ? &f->gap : NULL};
	syt_store_free(upper);
	syt_store_free(lower);
}

/* Bounds a pair in a segment without messages in both directions, by what the segments before and after it prove at its
 * limits. */
static void carry_bounds(struct syt_host_axis *c, size_t leaf, size_t i,
                         struct syt_host_pair_segment *out, const struct proof *before,
                         const struct proof *after)
{
	const double length = c->leaves[leaf].end - c->leaves[leaf].begin;
	const struct syt_host_rates left = before->gap ? rates_in(c, leaf, i, before->gap)
	                                               : rates_in(c, leaf, i, after->gap),
				    right = after->gap ? rates_in(c, leaf, i, after->gap) : left;
	struct syt_host_slack upper[2], lower[2];
	size_t nr = 0;

	if (before->gap) {
		upper[nr] = (struct syt_host_slack){0, before->upper};
		lower[nr++] = (struct syt_host_slack){0, before->lower};
	}
	if (after->gap) {
		upper[nr] = (struct syt_host_slack){length, after->upper};
		lower[nr++] = (struct syt_host_slack){length, after->lower};
	}
	set_bounds(out, length, upper, nr, lower, nr,
	           (struct syt_host_rates){.rise = left.rise, .fall = right.fall},
	           (struct syt_host_rates){.rise = left.fall, .fall = right.rise});
}

/* Carries the bounds of each pair into the segments in which it is silent. ENDS: by segment, pair and end. */
static void carry_all(struct syt_host_axis *c, struct proof (*ends)[2])
{
	struct syt_host_pair_segment *all =
		&c->g->p->pair_segments[c->g->p->components[c->number].first_pair];
	struct proof *before = syt_store_alloc(c->nr_leaves, sizeof(*before));

	for (size_t i = 0; i < c->nr_pairs; i++) {
		struct proof now = {.gap = NULL};

		for (size_t leaf = 0; leaf < c->nr_leaves; leaf++) {
			const double length = c->leaves[leaf].end - c->leaves[leaf].begin;

			before[leaf] = now;
			if (all[leaf * c->nr_pairs + i].state != SYT_HOST_ONE_WAY) {
				now = ends[leaf * c->nr_pairs + i][1];
			} else if (now.gap) {
				const struct syt_host_rates r = rates_in(c, leaf, i, now.gap);

				now.upper += r.rise * length;
				now.lower += r.fall * length;
			}
		}
		now.gap = NULL;
		for (size_t leaf = c->nr_leaves; leaf-- > 0;) {
			struct syt_host_pair_segment *out = &all[leaf * c->nr_pairs + i];
			const double length = c->leaves[leaf].end - c->leaves[leaf].begin;

			if (out->state != SYT_HOST_ONE_WAY) {
				now = ends[leaf * c->nr_pairs + i][0];
				continue;
			}
			if (now.gap || before[leaf].gap)
				carry_bounds(c, leaf, i, out, &before[leaf], &now);
			if (now.gap) {
				const struct syt_host_rates r = rates_in(c, leaf, i, now.gap);

				now.upper += r.fall * length;
				now.lower += r.rise * length;
			}
		}
	}
	syt_store_free(before);
}

static void add_pair_segment(struct syt_host_axis *c, size_t leaf, size_t i, struct proof ends[2])
{
	struct syt_host_placing *g = c->g;
	const struct syt_host_leaf *l = &c->leaves[leaf];
	const struct syt_host_fit *f = &l->fits[i];
	const uint32_t *hosts = g->pairs[c->pairs[i]].hosts;
	const double begin = syt_host_coarse_time(g, hosts[0], l->begin),
		     end = syt_host_coarse_time(g, hosts[0], l->end),
		     at = rint(begin / 2 + end / 2);
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
		bound_pair(c, leaf, i, &out, ends);
	} else if (g->p->states[c->pairs[i]] == SYT_HOST_ONE_WAY) {
		bound_one_way(c, leaf, i, &out);
	}
	*SYT_STORE_ADD(g->p->pair_segments, g->p->nr_pair_segments, g->p->room_pair_segments) = out;
}

/* Returns the times before the first and after the last segment at which the hosts were recorded. */
static struct syt_host_when recorded(const struct syt_host_axis *c)
{
	const struct syt_host_component *out = &c->g->p->components[c->number];
	const struct syt_host_span *spans = c->g->options->recorded;
	struct syt_host_when when = {.component = c->number};

	for (uint32_t h = 0; spans && h < c->nr_hosts; h++) {
		const struct syt_host_span *s = &spans[c->hosts[h]];

		when.before_ns =
			fmax(when.before_ns,
		             (double)out->knots_ns[0] -
		                     (double)syt_host_joined(c->g->p, c->hosts[h], s->first_ns));
		when.after_ns = fmax(when.after_ns,
		                     (double)syt_host_joined(c->g->p, c->hosts[h], s->last_ns) -
		                             (double)out->knots_ns[out->nr_segments]);
	}
	return when;
}

/* Sets early and late of all hosts. */
static void bound_hosts(struct syt_host_axis *c)
{
	struct syt_placement *p = c->g->p;
	const struct syt_host_when all = recorded(c);
	double *early = syt_store_alloc(c->nr_hosts, sizeof(*early)),
	       *late = syt_store_alloc(c->nr_hosts, sizeof(*late));

	for (size_t leaf = 0; leaf < c->nr_leaves; leaf++) {
		struct syt_host_when when = {.component = c->number, .segment = (uint32_t)leaf};
		struct syt_host_bounds b;

		when.before_ns = leaf ? 0 : all.before_ns;
		when.after_ns = leaf + 1 < c->nr_leaves ? 0 : all.after_ns;
		b = syt_host_bounds_create(p, &when, c->g->local, early, late);
		syt_host_bounds_free(&b);
		for (uint32_t h = 0; h < c->nr_hosts; h++) {
			struct syt_host_place *place = &p->clocks[c->hosts[h]].places[leaf];

			place->early_ns = early[h] <= b.span_ns ? early[h] : INFINITY;
			place->late_ns = late[h] <= b.span_ns ? late[h] : INFINITY;
		}
	}
	syt_store_free(early);
	syt_store_free(late);
}

void syt_host_result_add(struct syt_host_axis *c)
{
	struct syt_host_placing *g = c->g;
	struct syt_host_component *out = &g->p->components[c->number];

	struct proof(*ends)[2] = syt_store_alloc(c->nr_leaves * c->nr_pairs, sizeof(*ends));

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
			add_pair_segment(c, leaf, i, ends[leaf * c->nr_pairs + i]);
	out->nr_pair_segments = g->p->nr_pair_segments - out->first_pair;
	carry_all(c, ends);
	syt_store_free(ends);
	bound_hosts(c);
}
