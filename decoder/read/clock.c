/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/clock.h"

#include <math.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"

#define SLOPE_PAIRS_MAX 4096u /* maximum number of clock pairs used for the median slope */
/* for a shorter span, a nominal rate is more exact than noisy pairs */
#define SHORT_SPAN_NS 50e6
#define NOISE_NS 20e3    /* an outlier deviates from the line by more than this ... */
#define NOISE_MADS 30.0  /* ... and by more than this many times the median deviation */
#define SLOPE_MIN 1e-3   /* least plausible rate: ns per tick of a 1 THz clock */
#define SLOPE_MAX 1e6    /* greatest plausible rate: ns per tick of a 1 kHz clock */
#define SHIFT_MAX 0x1p57 /* limit in ns: a larger shift cannot be a time */

SYT_COMPARATOR(by_ticks, struct syt_clock_pair)
{
	SYT_ORDER_BY(ticks);
	return SYT_COMPARE(a->mono_ns, b->mono_ns);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double median(double *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), by_value);
	return nr ? values[nr / 2] : 0;
}

/* Returns the rate in ns per tick: the median slope between clock pairs that are half of the list
 * apart. Returns the nominal rate if the pairs are too close to each other or contradict it. */
static double robust_slope(const struct syt_clock_pair *p, size_t nr, uint64_t hz)
{
	double nominal = hz ? 1e9 / (double)hz : 0;
	size_t half = (nr + 1) / 2;
	size_t step = (nr - half) / SLOPE_PAIRS_MAX + 1;
	double *slopes = syt_alloc(SLOPE_PAIRS_MAX + 1, sizeof(*slopes));
	size_t nr_slopes = 0;

	for (size_t i = 0; half && i + half < nr && nr_slopes < SLOPE_PAIRS_MAX; i += step) {
		double dt = (double)(p[i + half].ticks - p[i].ticks);
		double ns = (double)p[i + half].mono_ns - (double)p[i].mono_ns;

		if (dt > 0 && ns > 0 && (!nominal || fabs(ns / dt / nominal - 1) < 0.02))
			slopes[nr_slopes++] = ns / dt;
	}
	double slope = median(slopes, nr_slopes);

	free(slopes);
	if (!slope || (nominal && (double)(p[nr - 1].ticks - p[0].ticks) * nominal < SHORT_SPAN_NS))
		slope = nominal;
	return slope;
}

/* Removes outliers: clock pairs that are much farther from the line than the median pair. Returns
 * the number of pairs that remain in P. */
static size_t drop_outliers(struct syt_clock_pair *p, size_t nr, double slope)
{
	double *off = syt_alloc(nr, sizeof(*off)), *sorted = syt_alloc(nr, sizeof(*off));
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		sorted[i] = off[i] = (double)p[i].mono_ns - (double)p[0].mono_ns -
		                     (double)(p[i].ticks - p[0].ticks) * slope;
	double middle = median(sorted, nr);

	for (size_t i = 0; i < nr; i++)
		sorted[i] = fabs(off[i] - middle);
	double limit = median(sorted, nr) * NOISE_MADS;

	for (size_t i = 0; i < nr; i++)
		if (fabs(off[i] - middle) <= (limit > NOISE_NS ? limit : NOISE_NS))
			p[kept++] = p[i];
	free(off);
	free(sorted);
	return kept;
}

static uint64_t to_fixed(double ns_per_tick)
{
	double units = ns_per_tick * (1 << SYT_TIME_SHIFT) * 4294967296.0;

	/* the rate is at least one unit per tick, so that a later tick always gets a later time */
	return units < 4294967296.0 ? UINT64_C(1) << 32
	       : units > 0x1p62     ? UINT64_C(1) << 62
	                            : (uint64_t)units;
}

static syt_time from_ns(uint64_t ns)
{
	return ns >= UINT64_MAX >> SYT_TIME_SHIFT ? UINT64_MAX : ns << SYT_TIME_SHIFT;
}

/* Places one anchor for each SYT_ANCHOR_NS. The distance of an anchor from the line is the median distance of the
 * clock pairs near it. */
static void place_anchors(struct syt_clock_map *map, const struct syt_clock_pair *p, size_t nr,
                          double slope)
{
	struct syt_anchor *a = syt_alloc(nr, sizeof(*a));
	double *off = syt_alloc(nr, sizeof(*off));
	uint32_t n = 0;

	for (size_t from = 0, to; from < nr; from = to) {
		size_t k = 0;

		for (to = from; to < nr && p[to].mono_ns - p[from].mono_ns < SYT_ANCHOR_NS; to++)
			off[k++] = (double)p[to].mono_ns - (double)p[from].mono_ns -
			           (double)(p[to].ticks - p[from].ticks) * slope;
		double shift = fmin(fmax(median(off, k), -SHIFT_MAX), SHIFT_MAX);

		a[n].ticks = p[from].ticks;
		a[n].time = from_ns(p[from].mono_ns);
		if (shift > 0 || a[n].time > (uint64_t)(-shift * (1 << SYT_TIME_SHIFT)))
			a[n].time += (uint64_t)(int64_t)(shift * (1 << SYT_TIME_SHIFT));
		/* Ignores pairs whose anchor would bend the line by more than the kernel's slewing can. */
		if (n) {
			double rate = ((double)a[n].time - (double)a[n - 1].time) /
			              (double)(a[n].ticks - a[n - 1].ticks) / (1 << SYT_TIME_SHIFT);

			if (a[n].time <= a[n - 1].time || fabs(rate / slope - 1) > 0.01)
				continue;
		}
		n++;
	}
	free(off);
	for (uint32_t i = 0; i < n; i++)
		a[i].units_per_tick = to_fixed(slope);
	for (uint32_t i = 0; i + 1 < n; i++) {
		syt_u128 span = (syt_u128)(a[i + 1].time - a[i].time) << 32;

		a[i].units_per_tick = (uint64_t)(span / (a[i + 1].ticks - a[i].ticks));
	}
	map->anchors = a;
	map->nr_anchors = n;
}

static int64_t real_offset(const struct syt_clock_pair *p, size_t nr)
{
	double *off = syt_alloc(nr, sizeof(*off));
	size_t n = 0;
	/* base of the differences: subtracted first, so that a double holds them exactly */
	int64_t base = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!p[i].real_ns)
			continue;
		int64_t o = (int64_t)(p[i].real_ns - p[i].mono_ns);

		if (!n)
			base = o;
		off[n++] = (double)(int64_t)((uint64_t)o - (uint64_t)base);
	}
	double more = n ? fmin(fmax(median(off, n), -SHIFT_MAX), SHIFT_MAX) : 0;

	free(off);
	return (int64_t)((uint64_t)base + (uint64_t)(int64_t)more);
}

static void single_anchor(struct syt_clock_map *map, uint64_t ticks, syt_time time, double slope)
{
	map->anchors = syt_alloc(1, sizeof(*map->anchors));
	map->anchors[0] = (struct syt_anchor){ticks, time, to_fixed(slope)};
	map->nr_anchors = 1;
}

void syt_clock_fit(struct syt_clock_map *map, uint32_t source, uint64_t hz,
                   struct syt_clock_pair *pairs, size_t nr_pairs)
{
	size_t nr = 0;

	*map = (struct syt_clock_map){.hz = 1e9};
	for (size_t i = 0; i < nr_pairs; i++)
		if (pairs[i].ticks && pairs[i].mono_ns && pairs[i].mono_ns < INT64_MAX / 16)
			pairs[nr++] = pairs[i];
	if (nr)
		qsort(pairs, nr, sizeof(*pairs), by_ticks);
	map->nr_pairs = (uint32_t)nr;
	map->real_offset_ns = real_offset(pairs, nr);
	if (source == SYT_CLOCK_MONOTONIC) {
		single_anchor(map, 0, 0, 1);
		return;
	}

	double slope = nr ? robust_slope(pairs, nr, hz) : hz ? 1e9 / (double)hz : 0;

	map->is_guess = slope < SLOPE_MIN || slope > SLOPE_MAX;
	if (map->is_guess)
		slope = 1;
	map->hz = 1e9 / slope;
	if (!nr || map->is_guess) {
		single_anchor(map, nr ? pairs[0].ticks : 0, nr ? from_ns(pairs[0].mono_ns) : 0,
		              slope);
		return;
	}
	size_t kept = drop_outliers(pairs, nr, slope);

	map->nr_outliers = (uint32_t)(nr - kept);
	place_anchors(map, pairs, kept, slope);
}

/* a clock pair, the best of three readings, is late by at most this much ... */
#define READING_NS 10e3
#define MISFIT_NS 500e3 /* ... or by this much on a machine that stalls sometimes */
#define SLEW 0.002      /* upper bound of the kernel's slewing of CLOCK_MONOTONIC */
/* one of two clocks is wrong if the other is this many times nearer to real_ns */
#define SURELY 4
#define MOST_ERROR 0.25 /* largest relative error of a usable clock rate */

struct syt_clock_reference syt_clock_refer(const struct syt_clock_pair *pairs, size_t nr)
{
	struct syt_clock_reference r = {.ns_per_tick = 0};
	bool has_first = false;

	for (size_t i = 0; i < nr; i++) {
		if (!pairs[i].ticks || !pairs[i].mono_ns)
			continue;
		if (!has_first || pairs[i].ticks < r.first.ticks)
			r.first = pairs[i];
		if (!has_first || pairs[i].ticks > r.last.ticks)
			r.last = pairs[i];
		has_first = true;
	}
	if (r.last.ticks <= r.first.ticks || r.last.mono_ns <= r.first.mono_ns)
		return r;

	double span = (double)(r.last.mono_ns - r.first.mono_ns);
	double slope = span / (double)(r.last.ticks - r.first.ticks);

	r.error = SLEW + READING_NS / span;
	if (r.error < MOST_ERROR && slope > SLOPE_MIN && slope < SLOPE_MAX)
		r.ns_per_tick = slope;
	return r;
}

static double distance(uint64_t from, uint64_t to)
{
	return to > from ? (double)(to - from) : -(double)(from - to);
}

const char *syt_clock_misfit(const struct syt_clock_reference *r, const struct syt_clock_pair *pair)
{
	if (!r->ns_per_tick)
		return NULL;

	double by_ticks = distance(r->last.ticks, pair->ticks) * r->ns_per_tick;
	double by_mono = distance(r->last.mono_ns, pair->mono_ns);
	double by_real = distance(r->last.real_ns, pair->real_ns);
	double least = fmin(fabs(by_ticks), fabs(by_mono));

	if (fabs(by_ticks - by_mono) <= MISFIT_NS + 2 * r->error * least)
		return NULL;
	if (pair->real_ns && r->last.real_ns) {
		double off_mono = fabs(by_real - by_mono), off_ticks = fabs(by_real - by_ticks);

		if (off_mono * SURELY < off_ticks)
			return "ticks";
		if (off_ticks * SURELY < off_mono)
			return "mono_ns";
	}
	return "ticks or mono_ns";
}

void syt_clock_fini(struct syt_clock_map *map)
{
	free(map->anchors);
	map->anchors = NULL;
}

void syt_clock_shift(struct syt_clock_map *map, int64_t ns)
{
	for (uint32_t i = 0; i < map->nr_anchors; i++)
		map->anchors[i].time += (uint64_t)ns << SYT_TIME_SHIFT;
}

void syt_clock_straighten(struct syt_clock_map *map)
{
	if (map->nr_anchors < 2)
		return;
	map->nr_anchors = 1;
	map->anchors[0].units_per_tick = to_fixed(1e9 / map->hz);
}

/* Returns the value at AT of the line through the knots K[0] and K[1]. */
static syt_time bent(const struct syt_clock_knot *k, syt_time at)
{
	syt_u128 rise = k[1].to - k[0].to, run = k[1].from - k[0].from;

	if (at >= k[0].from) {
		syt_u128 time = k[0].to + (syt_u128)(at - k[0].from) * rise / run;

		return time > UINT64_MAX ? UINT64_MAX : (syt_time)time;
	}
	syt_u128 back = (syt_u128)(k[0].from - at) * rise / run;

	return back > k[0].to ? 0 : k[0].to - (syt_time)back;
}

/* Returns the number of ticks after which at least SPAN has passed. */
static uint64_t ticks_in(syt_time span, uint64_t units_per_tick)
{
	syt_u128 ticks = (((syt_u128)span << 32) + units_per_tick - 1) / units_per_tick;

	return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

void syt_clock_bend(struct syt_clock_map *map, const struct syt_clock_knot *knots, size_t nr)
{
	struct syt_anchor *old = map->anchors;
	struct syt_anchor *all = syt_alloc(map->nr_anchors + nr, sizeof(*all));
	uint32_t n = 0;

	/* the first line begins with its knot, so that no knot precedes the first anchor */
	if (knots[0].from < old[0].time) {
		uint64_t ticks = ticks_in(old[0].time - knots[0].from, old[0].units_per_tick);

		ticks = ticks < old[0].ticks ? ticks : old[0].ticks;
		old[0].time = syt_clock_time(map, old[0].ticks - ticks, &(uint32_t){0});
		old[0].ticks -= ticks;
	} else if (map->nr_anchors == 1 && !bent(knots, old[0].time)) {
		/* the first anchor would be before the origin: CLOCK_MONOTONIC has its anchor at tick 0 */
		uint64_t ticks = ticks_in(knots[0].from - old[0].time, old[0].units_per_tick);

		old[0].time = syt_clock_time(map, old[0].ticks + ticks, &(uint32_t){0});
		old[0].ticks += ticks;
	}
	for (uint32_t i = 0; i < map->nr_anchors; i++) {
		bool is_last = i + 1 == map->nr_anchors;
		size_t k = SYT_BISECT(m, 0, nr, knots[m].from <= old[i].time);

		/* line K lies between the knots K - 1 and K; the first and the last line have no end */
		for (syt_time from = old[i].time;;) {
			const struct syt_clock_knot *line = &knots[k < 2    ? 0
			                                           : k < nr ? k - 1
			                                                    : nr - 2];
			uint64_t ticks = ticks_in(from - old[i].time, old[i].units_per_tick);
			uint64_t tick =
				old[i].ticks + ticks < ticks ? UINT64_MAX : old[i].ticks + ticks;

			if (!n || tick > all[n - 1].ticks) {
				syt_u128 rise = line[1].to - line[0].to,
					 run = line[1].from - line[0].from;
				syt_u128 rate = old[i].units_per_tick * rise / run;

				all[n++] = (struct syt_anchor){
					.ticks = tick,
					.time = bent(line, from),
					.units_per_tick = rate >> 62 ? UINT64_C(1) << 62
				                          : rate     ? (uint64_t)rate
				                                     : 1,
				};
			}
			if (k == nr || (!is_last && knots[k].from >= old[i + 1].time))
				break;
			from = knots[k++].from;
		}
	}
	free(map->anchors);
	map->anchors = all;
	map->nr_anchors = n;
}

syt_time syt_clock_slow_time(const struct syt_clock_map *map, uint64_t ticks, uint32_t *hint)
{
	uint32_t low = SYT_BISECT(i, 1, map->nr_anchors, map->anchors[i].ticks <= ticks) - 1;

	*hint = low;

	const struct syt_anchor *a = &map->anchors[low];

	if (ticks < a->ticks) { /* the tick is before the first clock pair */
		syt_u128 back =
			((syt_u128)(a->ticks - ticks) * a->units_per_tick + UINT32_MAX) >> 32;

		return back > a->time ? 0 : a->time - (uint64_t)back;
	}
	syt_u128 time = a->time + ((syt_u128)(ticks - a->ticks) * a->units_per_tick >> 32);

	return time > UINT64_MAX ? UINT64_MAX : (syt_time)time;
}

syt_time syt_clock_enter_part(const struct syt_clock_map *map, uint64_t ticks, uint32_t *hint,
                              struct syt_clock_part *part)
{
	syt_time time = syt_clock_slow_time(map, ticks, hint);
	const struct syt_anchor *a = &map->anchors[*hint];
	uint64_t nr = *hint + 1 == map->nr_anchors ? UINT64_MAX : a[1].ticks - a->ticks;
	/* the time stays below twice this bound */
	const uint64_t bound = UINT64_C(1) << 62;

	if (ticks < a->ticks || a->time >= bound)
		return time;
	if (a->units_per_tick && ((syt_u128)bound << 32) / a->units_per_tick < nr)
		nr = (uint64_t)(((syt_u128)bound << 32) / a->units_per_tick);
	*part = (struct syt_clock_part){a->ticks, nr, a->time, a->units_per_tick};
	return time;
}
