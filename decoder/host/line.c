/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/line.h"

#include <math.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/sort.h"
#include "base/store.h"

/* ---- hulls ---- */

/* The lower convex hull of the points (x, sign * d): the indices of its vertices from left to right. */
struct hull {
	size_t *at, nr;
	const struct syt_host_point *points;
	double sign;
};

static double height(const struct hull *h, size_t i)
{
	return h->sign * h->points[h->at[i]].d;
}

/* Returns the slope of the edge from vertex I to vertex I + 1. */
static double edge_slope(const struct hull *h, size_t i)
{
	return (height(h, i + 1) - height(h, i)) /
	       (h->points[h->at[i + 1]].x - h->points[h->at[i]].x);
}

/* Returns true if vertex I is not below the line from vertex I - 1 to the point (X, D). */
static bool is_above(const struct hull *h, size_t i, double x, double d)
{
	const double x0 = h->points[h->at[i - 1]].x, d0 = height(h, i - 1);

	return (height(h, i) - d0) * (x - x0) >= (d - d0) * (h->points[h->at[i]].x - x0);
}

static struct hull hull_create(const struct syt_host_side *side, double sign)
{
	struct hull h = {.points = side->points, .sign = sign};

	h.at = syt_store_alloc(side->nr, sizeof(*h.at));
	SYT_EACH(i, 0, side->nr) {
		const double x = side->points[i].x, d = sign * side->points[i].d;

		if (h.nr && h.points[h.at[h.nr - 1]].x == x) {
			if (height(&h, h.nr - 1) <= d)
				continue;
			h.nr--;
		}
		while (h.nr > 1 && is_above(&h, h.nr - 1, x, d))
			h.nr--;
		h.at[h.nr++] = i;
	}
	return h;
}

size_t *syt_host_hull_find(const struct syt_host_side *side, double sign, size_t *nr)
{
	const struct hull h = hull_create(side, sign);

	*nr = h.nr;
	return h.at;
}

/* Returns the vertex that a line of slope SLOPE touches from below. Of an edge with this slope it returns the right end. */
static size_t support(const struct hull *h, double slope)
{
	return SYT_BISECT(i, 0, h->nr - 1, edge_slope(h, i) <= slope);
}

static double intercept(const struct hull *h, size_t i, double slope)
{
	return height(h, i) - h->sign * slope * h->points[h->at[i]].x;
}

/* ---- the widest gap ---- */

/* The gap as a function of the slope is concave and linear between the slopes of the edges of both hulls. A sweep from
 * -SYT_HOST_RATE_MAX to SYT_HOST_RATE_MAX visits these slopes in order. While the slope grows, the touched vertex moves to
 * the right on the upper points, and to the left on the lower points. */
struct sweep {
	struct hull upper, lower;
	size_t u, l;        /* the touched vertices */
	double slope, next; /* the current interval of slopes */
	double best, best_from, best_to;
	double least, greatest; /* slopes with a gap >= 0 */
};

static double gap_at(const struct sweep *s, double slope)
{
	return intercept(&s->upper, s->u, slope) + intercept(&s->lower, s->l, slope);
}

/* Returns the slope at which the next vertex is touched. */
static double next_slope(const struct sweep *s)
{
	double next = SYT_HOST_RATE_MAX;

	if (s->u + 1 < s->upper.nr)
		next = fmin(next, edge_slope(&s->upper, s->u));
	if (s->l > 0)
		next = fmin(next, -edge_slope(&s->lower, s->l - 1));
	return fmax(next, s->slope);
}

static void note_best(struct sweep *s, double gap, double slope)
{
	if (gap > s->best) {
		s->best = gap;
		s->best_from = slope;
	}
	if (gap >= s->best)
		s->best_to = slope;
}

/* Extends the range of slopes with a gap >= 0 by its part in the current interval, where the gap goes from A to B. */
static void note_range(struct sweep *s, double a, double b)
{
	const double zero = a == b ? s->slope : s->slope + (s->next - s->slope) * (a / (a - b));

	if (a < 0 && b < 0)
		return;
	s->least = fmin(s->least, a >= 0 ? s->slope : zero);
	s->greatest = fmax(s->greatest, b >= 0 ? s->next : zero);
}

static void sweep(struct sweep *s)
{
	for (;;) {
		const double a = gap_at(s, s->slope), b = gap_at(s, s->next = next_slope(s));

		note_best(s, a, s->slope);
		note_best(s, b, s->next);
		note_range(s, a, b);
		if (s->next >= SYT_HOST_RATE_MAX)
			return;
		s->slope = s->next;
		if (s->u + 1 < s->upper.nr && edge_slope(&s->upper, s->u) <= s->slope)
			s->u++;
		else
			s->l--;
	}
}

/* Stores the vertices that the line of slope SLOPE touches: both ends of an edge with about this slope. */
static void touch(const struct hull *h, double slope, size_t touched[2])
{
	const double tiny = 1e-15;
	const size_t right = support(h, slope + tiny), left = support(h, slope - tiny);

	touched[0] = h->at[left];
	touched[1] = h->at[right];
}

static void place_line(const struct sweep *s, struct syt_host_gap *gap)
{
	double slope = s->best_from / 2 + s->best_to / 2, low, high;

	gap->is_determined = s->best_from > -SYT_HOST_RATE_MAX && s->best_to < SYT_HOST_RATE_MAX;
	gap->least_slope = gap->greatest_slope = slope;
	if (s->best >= 0) {
		gap->least_slope = s->least;
		gap->greatest_slope = s->greatest;
		if (!gap->is_determined)
			slope = fmax(s->least, fmin(0, s->greatest));
	}
	high = intercept(&s->upper, support(&s->upper, slope), slope);
	low = -intercept(&s->lower, support(&s->lower, -slope), slope);
	gap->line = (struct syt_host_line){.offset = low / 2 + high / 2, .slope = slope};
	gap->width = high - low;
	touch(&s->upper, slope, gap->upper);
	touch(&s->lower, -slope, gap->lower);
}

bool syt_host_gap_find(const struct syt_host_side *upper, const struct syt_host_side *lower,
                       struct syt_host_gap *gap)
{
	struct sweep s = {.slope = -SYT_HOST_RATE_MAX,
	                  .best = -INFINITY,
	                  .least = INFINITY,
	                  .greatest = -INFINITY};

	*gap = (struct syt_host_gap){.width = -INFINITY};
	if (!upper->nr || !lower->nr)
		return false;
	s.upper = hull_create(upper, 1);
	s.lower = hull_create(lower, -1);
	s.u = support(&s.upper, s.slope);
	s.l = support(&s.lower, -s.slope);
	sweep(&s);
	place_line(&s, gap);
	syt_store_free(s.upper.at);
	syt_store_free(s.lower.at);
	return true;
}

/* ---- least squares ---- */

struct exchange {
	double t1, d, e; /* T1, D_k and E_k */
};

/* The times of a message on the two clocks: T1 and T2, or T4 and T3. */
static double other_clock(const struct syt_host_point *p)
{
	return p->x + p->d;
}

SYT_COMPARATOR(by_other_clock, struct syt_host_point)
{
	SYT_ORDER(other_clock(a), other_clock(b));
	SYT_ORDER_BY(x);
	return 0;
}

/* Returns the points in the order of the clock of host j: of arrival there, or of sending. */
static struct syt_host_point *in_order_of_j(const struct syt_host_side *side)
{
	struct syt_host_point *points = syt_store_alloc(side->nr, sizeof(*points));

	SYT_EACH(i, 0, side->nr)
		points[i] = side->points[i];
	syt_sort(points, side->nr, sizeof(*points), by_other_clock);
	return points;
}

/* Pairs each message of host j with the last message that arrived there before. */
static size_t find_exchanges(const struct syt_host_side *upper, const struct syt_host_side *lower,
                             struct exchange *exchanges)
{
	struct syt_host_point *to = in_order_of_j(upper), *back = in_order_of_j(lower);
	size_t nr = 0, u = 0;

	SYT_EACH(l, 0, lower->nr) {
		const size_t first = u;

		while (u < upper->nr && other_clock(&to[u]) <= other_clock(&back[l]))
			u++;
		if (u > first)
			exchanges[nr++] = (struct exchange){.t1 = to[u - 1].x,
			                                    .d = (to[u - 1].d + back[l].d) / 2,
			                                    .e = fabs(to[u - 1].d - back[l].d) / 2};
	}
	syt_store_free(to);
	syt_store_free(back);
	return nr;
}

/* Keeps the exchanges with usual delays. Returns their number. */
static size_t filter(struct exchange *exchanges, size_t nr, double *margin)
{
	double mean = 0, squares = 0;
	size_t nr_kept = 0;

	SYT_EACH(i, 0, nr) {
		const double from_old = exchanges[i].e - mean;

		mean += from_old / (double)(i + 1);
		squares += from_old * (exchanges[i].e - mean);
	}
	*margin = mean;
	squares = nr > 1 ? 1.645 * sqrt(squares / (double)(nr - 1)) : 0;
	SYT_EACH(i, 0, nr)
		if (fabs(exchanges[i].e - mean) <= squares || nr < 3)
			exchanges[nr_kept++] = exchanges[i];
	return nr_kept;
}

/* Sets the line and its errors. The sums of Welford are those of the paper about the mean: sxx = delta / n. */
static void regress(const struct exchange *exchanges, size_t nr, double at,
                    struct syt_host_squares *s)
{
	double t = 0, d = 0, sxx = 0, sxd = 0, residuals = 0;

	SYT_EACH(i, 0, nr) {
		const double dt = exchanges[i].t1 - t;

		t += dt / (double)(i + 1);
		d += (exchanges[i].d - d) / (double)(i + 1);
		sxx += dt * (exchanges[i].t1 - t);
		sxd += dt * (exchanges[i].d - d);
	}
	s->line.slope = sxx > 0 ? sxd / sxx : 0;
	s->line.offset = d - s->line.slope * t;
	if (nr < 3 || !(sxx > 0))
		return;
	SYT_EACH(i, 0, nr) {
		const double off = exchanges[i].d - d - s->line.slope * (exchanges[i].t1 - t);

		residuals += off * off;
	}
	s->residual = sqrt(residuals / (double)(nr - 2));
	s->slope_error = s->residual / sqrt(sxx);
	s->offset_error = s->residual * sqrt(1 / (double)nr + (at - t) * (at - t) / sxx);
}

void syt_host_squares_fit(const struct syt_host_side *upper, const struct syt_host_side *lower,
                          double at, struct syt_host_squares *squares)
{
	struct exchange *exchanges = syt_store_alloc(lower->nr, sizeof(*exchanges));

	*squares = (struct syt_host_squares){.nr = find_exchanges(upper, lower, exchanges)};
	if (squares->nr) {
		squares->nr_used = filter(exchanges, squares->nr, &squares->margin);
		regress(exchanges, squares->nr_used, at, squares);
	}
	syt_store_free(exchanges);
}

/* ---- bounds ---- */

struct syt_host_rates syt_host_rates(const struct syt_host_gap *gap, double slope, double wander)
{
	const double range = gap->greatest_slope - gap->least_slope;

	return (struct syt_host_rates){
		.rise = fmax(0, gap->greatest_slope + range + wander - slope),
		.fall = fmax(0, slope - gap->least_slope + range + wander)};
}

void syt_host_slack_tighten(struct syt_host_slack *s, size_t nr, struct syt_host_rates rates)
{
	SYT_EACH(i, 1, nr)
		s[i].slack = fmin(s[i].slack, s[i - 1].slack + rates.rise * (s[i].x - s[i - 1].x));
	for (size_t i = nr; i-- > 1;)
		s[i - 1].slack =
			fmin(s[i - 1].slack, s[i].slack + rates.fall * (s[i].x - s[i - 1].x));
}

double syt_host_slack_at(const struct syt_host_slack *s, size_t nr, struct syt_host_rates rates,
                         double x)
{
	const size_t i = SYT_BISECT(k, 0, nr, s[k].x < x);
	double least = INFINITY;

	if (i < nr)
		least = s[i].slack + rates.fall * (s[i].x - x);
	if (i > 0)
		least = fmin(least, s[i - 1].slack + rates.rise * (x - s[i - 1].x));
	return least;
}

double syt_host_slack_max(const struct syt_host_slack *s, size_t nr, struct syt_host_rates rates,
                          double begin, double end)
{
	const size_t first = SYT_BISECT(k, 0, nr, s[k].x < begin);
	double most =
		fmax(syt_host_slack_at(s, nr, rates, begin), syt_host_slack_at(s, nr, rates, end));

	/* Between two points the bound rises from the first one and then falls to the second one. */
	SYT_EACH(i, first ? first - 1 : 0, nr) {
		double peak = s[i].x;

		if (peak > end)
			break;
		if (i + 1 < nr && rates.rise + rates.fall > 0)
			peak += (s[i + 1].slack - s[i].slack + rates.fall * (s[i + 1].x - s[i].x)) /
			        (rates.rise + rates.fall);
		if (s[i].x >= begin)
			most = fmax(most, s[i].slack);
		if (peak >= begin && peak <= end)
			most = fmax(most, s[i].slack + rates.rise * (peak - s[i].x));
	}
	return most;
}

double syt_host_slack_least_sum(const struct syt_host_slack *upper, size_t nr_upper,
                                const struct syt_host_slack *lower, size_t nr_lower,
                                struct syt_host_rates rates)
{
	double least = INFINITY;

	/* Tight slacks change no faster than the rates, so the least sum lies at a point of one side. */
	SYT_EACH(i, 0, nr_upper)
		least = fmin(least, upper[i].slack + syt_host_slack_at(lower, nr_lower,
		                                                       syt_host_rates_mirror(rates),
		                                                       upper[i].x));
	SYT_EACH(i, 0, nr_lower)
		least = fmin(least, lower[i].slack +
		                            syt_host_slack_at(upper, nr_upper, rates, lower[i].x));
	return least;
}
