/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/cut.h"

#include <math.h>

#include "base/store.h"
#include "base/work.h"

#define SEGMENT_NS (INT64_C(1800) * 1000000000)
#define LEAST_PER_HALF 30u             /* messages in each direction */
#define HALVES_DIFFER_NS 5000.0        /* lines of halves that differ by more make two segments */
#define VALUES_MAX (UINT64_C(1) << 25) /* hosts x knots of a component */
#define SEGMENTS_MAX 4096u
#define HALVINGS_MAX 64u /* of syt_host_cut_halve(): each one costs a projection */

double syt_host_cross(const struct syt_host_line *line, double x, double v, bool is_forward)
{
	if (is_forward)
		return v + syt_host_line_at(line, x + v);
	return (x + v - line->offset) / (1 + line->slope) - x;
}

void syt_host_compose(struct syt_host_placing *g, uint32_t from, uint32_t to, size_t pair)
{
	const struct syt_host_pair_work *w = &g->work[pair];
	const bool is_forward = from < to;
	const int64_t at = g->base[from] - w->base[is_forward ? 0 : 1];
	const struct syt_host_line *l = &w->whole.line;
	const double here = (double)at, shift = syt_host_cross(l, here, 0, is_forward);
	double begin, end;

	/* the clock of TO when FROM shows its origin, then both lines at the times 0 and 1e12 of the reference */
	g->base[to] = at + w->base[is_forward ? 1 : 0] + (int64_t)llround(shift);
	begin = g->coarse[from].offset + here;
	end = g->coarse[from].offset + g->coarse[from].slope * 1e12 + here + 1e12;
	begin = syt_host_cross(l, begin, 0, is_forward) + g->coarse[from].offset - rint(shift);
	end = syt_host_cross(l, end, 0, is_forward) + g->coarse[from].offset +
	      g->coarse[from].slope * 1e12 - rint(shift);
	g->coarse[to] = (struct syt_host_line){.offset = begin, .slope = (end - begin) / 1e12};
}

double syt_host_coarse_time(const struct syt_host_placing *g, uint32_t host, double x)
{
	return x + syt_host_line_at(&g->coarse[host], x);
}

struct syt_host_fit syt_host_cut_fit(const struct syt_host_axis *c, size_t i, double begin,
                                     double end)
{
	const struct syt_host_placing *g = c->g;
	const uint32_t *hosts = g->pairs[c->pairs[i]].hosts;
	const int64_t base[2] = {g->base[hosts[0]], g->base[hosts[1]]};

	return syt_host_fit_pair(g, c->pairs[i], base, syt_host_coarse_time(g, hosts[0], begin),
	                         syt_host_coarse_time(g, hosts[0], end));
}

static bool has_many(const struct syt_host_fit *f)
{
	return f->is_joined && f->sides[0].nr >= LEAST_PER_HALF && f->sides[1].nr >= LEAST_PER_HALF;
}

/* Returns true if the half F of a segment can have a clock of its own for the messages of the pair. */
static bool is_enough(const struct syt_host_fit *f, bool is_one_way)
{
	return has_many(f) || (is_one_way && f->sides[0].nr + f->sides[1].nr >= LEAST_PER_HALF);
}

static bool is_enough_or_none(const struct syt_host_fit *f, bool is_one_way)
{
	return is_enough(f, is_one_way) || f->sides[0].nr + f->sides[1].nr == 0;
}

/* Compares the lines of the widest gap: those of least squares differ too much by chance. */
static bool differ(const struct syt_host_fit *whole, const struct syt_host_fit *half, double begin,
                   double end)
{
	const double at_begin = syt_host_line_at(&whole->gap.line, begin) -
	                        syt_host_line_at(&half->gap.line, begin),
		     at_end = syt_host_line_at(&whole->gap.line, end) -
	                      syt_host_line_at(&half->gap.line, end);

	return fabs(at_begin) > HALVES_DIFFER_NS || fabs(at_end) > HALVES_DIFFER_NS;
}

/* Returns true if the lines of halves can differ by HALVES_DIFFER_NS within the assumption about the rates: rates that change by the
 * wander in the middle move them by a quarter of wander x length. In a shorter segment they differ by chance. */
static bool can_bend(const struct syt_host_axis *c, size_t i)
{
	return syt_host_wander(c->g, &c->g->pairs[c->pairs[i]]) * (c->end - c->begin) >
	       4 * HALVES_DIFFER_NS;
}

/* Decides whether the pair needs two segments. */
static void judge(void *context, size_t i, unsigned worker)
{
	struct syt_host_axis *c = context;
	const double middle = c->begin / 2 + c->end / 2;
	struct syt_host_fit whole = syt_host_cut_fit(c, i, c->begin, c->end),
			    first = {.is_joined = false}, second = first;

	(void)worker;
	c->is_bent[i] = false;
	if (has_many(&whole)) {
		first = syt_host_cut_fit(c, i, c->begin, middle);
		second = syt_host_cut_fit(c, i, middle, c->end);
		c->is_bent[i] = has_many(&first) && has_many(&second) &&
		                (whole.gap.width < 0 ||
		                 (can_bend(c, i) && (differ(&whole, &first, c->begin, middle) ||
		                                     differ(&whole, &second, middle, c->end))));
	}
	syt_host_fit_free(&whole);
	syt_host_fit_free(&first);
	syt_host_fit_free(&second);
}

static void fit_leaf(void *context, size_t i, unsigned worker)
{
	struct syt_host_axis *c = context;

	(void)worker;
	c->fits[i] = syt_host_cut_fit(c, i, c->begin, c->end);
}

static struct syt_host_leaf leaf_create(struct syt_host_axis *c, double begin, double end)
{
	c->begin = begin;
	c->end = end;
	c->fits = syt_store_alloc(c->nr_pairs, sizeof(*c->fits));
	syt_work(c->nr_pairs, c->g->nr_workers, fit_leaf, c);
	return (struct syt_host_leaf){.begin = begin, .end = end, .fits = c->fits};
}

static bool has_room(const struct syt_host_axis *c, double begin, double end)
{
	return c->nr_leaves + 2 < SEGMENTS_MAX && (c->nr_leaves + 2) * c->nr_hosts < VALUES_MAX &&
	       end - begin > 2e6;
}

static void cut(struct syt_host_axis *c, double begin, double end)
{
	bool is_bent = false;

	c->begin = begin;
	c->end = end;
	if (has_room(c, begin, end)) {
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
	*SYT_STORE_ADD(c->leaves, c->nr_leaves, c->room) = leaf_create(c, begin, end);
}

void syt_host_cut(struct syt_host_axis *c)
{
	double begin = INFINITY, end = -INFINITY, nr;

	for (size_t i = 0; i < c->nr_pairs; i++) {
		const struct syt_host_pair *p = &c->g->pairs[c->pairs[i]];
		const struct syt_host_line *l = &c->g->coarse[p->hosts[0]];

		for (unsigned way = 0; way < 2; way++) {
			if (!p->nr[way])
				continue;
			const int64_t base = c->g->base[p->hosts[0]];
			const double first = (double)(syt_host_message_at(&p->messages[way][0]) -
			                              base),
				     last = (double)(syt_host_message_at(
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

void syt_host_leaf_free(struct syt_host_leaf *l, size_t nr_pairs)
{
	for (size_t i = 0; i < nr_pairs; i++)
		syt_host_fit_free(&l->fits[i]);
	syt_store_free(l->fits);
}

bool syt_host_cut_halve(struct syt_host_axis *c, size_t leaf, size_t i)
{
	const double begin = c->leaves[leaf].begin, end = c->leaves[leaf].end,
		     middle = rint(begin / 2 + end / 2);
	const bool is_one_way = c->g->p->states[c->pairs[i]] == SYT_HOST_ONE_WAY;
	struct syt_host_fit first, second;
	bool is_useful;

	/* a false message in one direction must not use up the halvings of the pairs that join hosts */
	if (c->g->nr_halved >= (is_one_way ? HALVINGS_MAX / 2 : HALVINGS_MAX) ||
	    !has_room(c, begin, end))
		return false;
	first = syt_host_cut_fit(c, i, begin, middle);
	second = syt_host_cut_fit(c, i, middle, end);
	is_useful = (is_enough(&first, is_one_way) && is_enough_or_none(&second, is_one_way)) ||
	            (is_enough(&second, is_one_way) && is_enough_or_none(&first, is_one_way));
	syt_host_fit_free(&first);
	syt_host_fit_free(&second);
	if (!is_useful)
		return false;
	c->g->nr_halved++;
	syt_host_leaf_free(&c->leaves[leaf], c->nr_pairs);
	(void)SYT_STORE_ADD(c->leaves, c->nr_leaves, c->room);
	for (size_t k = c->nr_leaves - 1; k > leaf + 1; k--)
		c->leaves[k] = c->leaves[k - 1];
	c->leaves[leaf] = leaf_create(c, begin, middle);
	c->leaves[leaf + 1] = leaf_create(c, middle, end);
	return true;
}
