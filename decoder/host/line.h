/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The difference D between the clocks of two hosts i and j, as a line over the time of clock i (doc/clocks.md).
 *
 * D is clock j minus clock i. A message from i to j that is sent at s and received at r (each by the clock of its
 * host) shows D(s) <= r - s: an upper point. A message from j to i shows D(r) >= s - r: a lower point. Functions take
 * the points relative to an origin (time and difference) of the caller, in ns, because doubles near the origin are
 * exact. Sums run in the order of the points, so the same points give the same bits.
 */
#ifndef SYT_DECODER_HOST_LINE_H
#define SYT_DECODER_HOST_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/host/thinning.h" /* SYT_HOST_RATE_MAX */

struct syt_host_point {
	double x; /* time on clock i */
	double d; /* bound of D at X */
	uint32_t connection;
	uint32_t nr; /* as in struct syt_host_message */
};

/* The points of one direction, sorted by X. */
struct syt_host_side {
	const struct syt_host_point *points;
	size_t nr;
};

struct syt_host_line {
	double offset, slope; /* D(x) = offset + slope x */
};

static inline double syt_host_line_at(const struct syt_host_line *l, double x)
{
	return l->offset + l->slope * x;
}

/* The widest gap: of all pairs of parallel lines, one not above an upper point and the other not below a lower point,
 * the pair with the largest distance in D. */
struct syt_host_gap {
	struct syt_host_line line; /* midway between the two lines */
	double width; /* distance of the two lines in ns; < 0: the points contradict each other */
	/* range of the slopes, within SYT_HOST_RATE_MAX, of the lines that lie between the points; the slope of LINE
	 * twice if WIDTH < 0 */
	double least_slope, greatest_slope;
	/* The points determine the slope. Otherwise the gap grows up to SYT_HOST_RATE_MAX, and LINE has the slope of the
	 * range that is nearest to 0. */
	bool is_determined;
	/* indices of the points that the two lines touch at the widest gap, two per side (possibly equal) */
	size_t upper[2], lower[2];
};

/* Finds the widest gap. Returns false if a side has no point. */
bool syt_host_gap_find(const struct syt_host_side *upper, const struct syt_host_side *lower,
                       struct syt_host_gap *gap);

/* Returns the indices of the points that a line below all points (SIGN 1) or above all points (SIGN -1) can touch, from left to
 * right. The caller frees the array (base/store.h). */
size_t *syt_host_hull_find(const struct syt_host_side *side, double sign, size_t *nr);

/* Least squares over exchanges (Clément and Dagenais 2009, section 9). An exchange is a message from i to j and the next
 * message from j to i. No message belongs to two exchanges. */
struct syt_host_squares {
	struct syt_host_line line; /* (4), (5); all members are 0 if there is no exchange */
	size_t nr;                 /* exchanges */
	size_t nr_used; /* exchanges with |E_k - margin| <= 1.645 standard deviations (section 12) */
	double residual;     /* E_r (6); 0 with fewer than 3 exchanges */
	double slope_error;  /* (7): residual sqrt(n / delta) */
	double offset_error; /* (8): residual sqrt(sum of T^2 / delta), at the time AT of the call */
	double margin;       /* mean of E_k, half a round trip without the time at host j */
};

/* Fits the line. AT: the time for which OFFSET_ERROR holds. */
void syt_host_squares_fit(const struct syt_host_side *upper, const struct syt_host_side *lower,
                          double at, struct syt_host_squares *squares);

/*
 * Bounds. The slack of an upper point is its height above an estimate of D. The slack of a lower point is the height of
 * the estimate above the point. D is at most the estimate plus the slack at each upper point. Between the points, D
 * departs from the estimate at most at given rates, so each point bounds D at all times. The lower side is the mirror
 * image: it takes the same functions with the rates exchanged.
 */
struct syt_host_slack {
	double x, slack;
};

/* RISE: largest rate at which the difference grows with time. FALL: largest rate at which it shrinks. Both >= 0. */
struct syt_host_rates {
	double rise, fall;
};

/* Returns rates for the estimate with slope SLOPE: D changes at least with the least slope minus (range + WANDER) and at
 * most with the greatest slope plus (range + WANDER), where range is the difference of the two slopes. This interval
 * contains the slope of each line between the points plus or minus (range + WANDER). It shrinks if points are added. */
struct syt_host_rates syt_host_rates(const struct syt_host_gap *gap, double slope, double wander);
static inline struct syt_host_rates syt_host_rates_mirror(struct syt_host_rates r)
{
	return (struct syt_host_rates){.rise = r.fall, .fall = r.rise};
}

/* Lowers each slack to the least value that any point proves, in two sweeps. */
void syt_host_slack_tighten(struct syt_host_slack *slacks, size_t nr, struct syt_host_rates rates);
/* Returns the bound at time X. The slacks must be tight. Returns INFINITY if there are none. */
double syt_host_slack_at(const struct syt_host_slack *slacks, size_t nr,
                         struct syt_host_rates rates, double x);
/* Returns the largest bound in [BEGIN, END]. The slacks must be tight. */
double syt_host_slack_max(const struct syt_host_slack *slacks, size_t nr,
                          struct syt_host_rates rates, double begin, double end);
/* Returns the least sum of the upper and the lower bound at any time; < 0: the points contradict each other. */
double syt_host_slack_least_sum(const struct syt_host_slack *upper, size_t nr_upper,
                                const struct syt_host_slack *lower, size_t nr_lower,
                                struct syt_host_rates rates);

#endif
