/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/boot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"

#define NR_OPEN 64u /* lines to which a clock pair is compared */
#define REAL_NS                                                                                    \
	1e9 /* CLOCK_REALTIME is read once, after the other two clocks: a machine may stall in between */
#define MONO_NS 500e3 /* the fastest of three readings, on a machine that stalls sometimes */
#define MOST (UINT64_C(1) << 62) /* differences of smaller numbers are exact */

struct reading {
	struct syt_clock_pair pair;
	uint32_t dump; /* index in the group */
	uint32_t line;
};

/* The dumps with one boot id and one clock source. */
struct group {
	struct syt_loading *const *loadings;
	const uint32_t *dumps; /* indices in loadings */
	uint32_t nr;
	struct reading *all; /* sorted by ticks */
	size_t nr_readings;
	uint32_t nr_lines;
	uint32_t *parent;    /* [line]: another line of the same clock, or itself */
	double slope, error; /* ns per tick, and its relative error */
};

static const struct syt_image *image_at(const struct group *g, uint32_t dump)
{
	return &g->loadings[g->dumps[dump]]->image;
}

/* ---- the clock pairs ---- */

static void take(struct group *g, const struct syt_clock_pair *p, uint32_t dump)
{
	if (p->ticks && p->mono_ns && p->real_ns && p->ticks < MOST && p->mono_ns < MOST &&
	    p->real_ns < MOST)
		g->all[g->nr_readings++] = (struct reading){.pair = *p, .dump = dump};
}

SYT_COMPARATOR(by_ticks, struct reading)
{
	SYT_ORDER_BY(pair.ticks);
	SYT_ORDER_BY(pair.real_ns);
	SYT_ORDER_BY(pair.mono_ns);
	return SYT_COMPARE(a->dump, b->dump);
}

struct rate {
	double span_ns, slope, error;
};

SYT_COMPARATOR(by_slope, struct rate)
{
	return SYT_COMPARE(a->slope, b->slope);
}

/* Measures the rate of the event clock: the median over the dumps that are at least half as long as the longest one. Returns
 * false if it is unknown. */
static bool measure_rate(struct group *g)
{
	struct rate *rates;
	double longest = 0;
	uint32_t nr = 0, kept = 0;

	if (image_at(g, 0)->file.clock_source == SYT_CLOCK_MONOTONIC) {
		g->slope = 1;
		g->error = 0;
		return true;
	}
	rates = syt_alloc(g->nr, sizeof(*rates));
	for (size_t from = 0, to; from < g->nr_readings; from = to) {
		struct syt_clock_pair ends[2] = {g->all[from].pair, g->all[from].pair};

		for (to = from; to < g->nr_readings && g->all[to].dump == g->all[from].dump; to++) {
			const struct syt_clock_pair *p = &g->all[to].pair;

			ends[0] = p->ticks < ends[0].ticks ? *p : ends[0];
			ends[1] = p->ticks > ends[1].ticks ? *p : ends[1];
		}
		struct syt_clock_reference r = syt_clock_refer(ends, 2);

		if (!r.ns_per_tick)
			continue;
		rates[nr].span_ns = (double)(ends[1].mono_ns - ends[0].mono_ns);
		rates[nr].slope = r.ns_per_tick;
		rates[nr].error = r.error;
		longest = fmax(longest, rates[nr++].span_ns);
	}
	for (uint32_t n = 0; n < nr; n++)
		if (rates[n].span_ns >= longest / 2)
			rates[kept++] = rates[n];
	if (kept) {
		qsort(rates, kept, sizeof(*rates), by_slope);
		g->slope = rates[kept / 2].slope;
		g->error = rates[kept / 2].error;
	}
	free(rates);
	return kept;
}

static bool read_pairs(struct group *g)
{
	size_t most = 0;
	bool has_rate;

	for (uint32_t n = 0; n < g->nr; n++)
		most += g->loadings[g->dumps[n]]->nr_pairs + 1;
	g->all = syt_alloc(most, sizeof(*g->all));
	for (uint32_t n = 0; n < g->nr; n++) {
		const struct syt_loading *l = g->loadings[g->dumps[n]];

		for (size_t k = 0; k < l->nr_pairs; k++)
			take(g, &l->pairs[k], n);
		take(g, &l->image.file.latest, n);
	}
	has_rate = measure_rate(g);
	if (g->nr_readings)
		qsort(g->all, g->nr_readings, sizeof(*g->all), by_ticks);
	return has_rate;
}

/* ---- lines ---- */

static uint32_t find(const struct group *g, uint32_t line)
{
	while (g->parent[line] != line)
		line = g->parent[line] = g->parent[g->parent[line]];
	return line;
}

static void unite(struct group *g, uint32_t a, uint32_t b)
{
	a = find(g, a);
	b = find(g, b);
	g->parent[a > b ? a : b] = a > b ? b : a;
}

static double between(uint64_t from, uint64_t to)
{
	return (double)(int64_t)(to - from);
}

/* Returns by how much CLOCK_REALTIME advances more than the event clock from P to Q, beyond the error of the readings. */
static double real_gain(const struct group *g, const struct syt_clock_pair *p,
                        const struct syt_clock_pair *q)
{
	double ticks_ns = between(p->ticks, q->ticks) * g->slope;
	double gain = between(p->real_ns, q->real_ns) - ticks_ns;
	double error = REAL_NS + 2 * g->error * fabs(ticks_ns);

	return gain > error ? gain - error : gain < -error ? gain + error : 0;
}

/* Returns true if CLOCK_MONOTONIC and the event clock advance by the same time from P to Q. */
static bool is_mono_equal(const struct group *g, const struct syt_clock_pair *p,
                          const struct syt_clock_pair *q)
{
	double ticks_ns = between(p->ticks, q->ticks) * g->slope;

	return fabs(between(p->mono_ns, q->mono_ns) - ticks_ns) <=
	       MONO_NS + 2 * g->error * fabs(ticks_ns);
}

/* Puts the clock pairs on lines. Among the lines that were used last, a pair takes the first one that fits. */
static void draw_lines(struct group *g)
{
	const struct reading *open[NR_OPEN]; /* last pair of each line, the line used last first */
	uint32_t nr_open = 0;

	for (size_t n = 0; n < g->nr_readings; n++) {
		struct reading *r = &g->all[n];
		uint32_t k = 0;

		while (k < nr_open && real_gain(g, &open[k]->pair, &r->pair) != 0)
			k++;
		r->line = k < nr_open ? open[k]->line : g->nr_lines++;
		if (k == nr_open && nr_open < NR_OPEN)
			nr_open++;
		k -= k == NR_OPEN;
		memmove(open + 1, open, k * sizeof(*open));
		open[0] = r;
	}
}

static int by_recording(const void *a_, const void *b_, void *group)
{
	const struct syt_image *a = image_at(group, *(const uint32_t *)a_);
	const struct syt_image *b = image_at(group, *(const uint32_t *)b_);

	return memcmp(a->file.trace_id, b->file.trace_id, sizeof(a->file.trace_id));
}

/* Unites the lines of each dump. With the TSC, unites those of each recording. */
static void unite_lines(struct group *g)
{
	uint32_t *line_of = syt_alloc(g->nr, sizeof(*line_of));
	uint32_t *sorted = syt_alloc(g->nr, sizeof(*sorted));

	for (uint32_t n = 0; n < g->nr; n++)
		line_of[n] = SYT_NONE, sorted[n] = n;
	g->parent = syt_alloc(g->nr_lines, sizeof(*g->parent));
	for (uint32_t n = 0; n < g->nr_lines; n++)
		g->parent[n] = n;
	for (size_t n = 0; n < g->nr_readings; n++) {
		uint32_t *line = &line_of[g->all[n].dump];

		if (*line == SYT_NONE)
			*line = g->all[n].line;
		unite(g, *line, g->all[n].line);
	}
	if (image_at(g, 0)->file.clock_source != SYT_CLOCK_MONOTONIC) {
		uint32_t last = SYT_NONE;

		qsort_r(sorted, g->nr, sizeof(*sorted), by_recording, g);
		for (uint32_t n = 0; n < g->nr; n++) {
			if (line_of[sorted[n]] == SYT_NONE)
				continue;
			if (last != SYT_NONE && !by_recording(&sorted[n], &sorted[last], g))
				unite(g, line_of[sorted[n]], line_of[sorted[last]]);
			last = n;
		}
	}
	free(line_of);
	free(sorted);
}

/* Returns true if no single clock has all lines. */
static bool has_several_clocks(const struct group *g)
{
	for (size_t n = 1; n < g->nr_readings; n++) {
		const struct reading *p = &g->all[n - 1], *q = &g->all[n];

		if (find(g, p->line) != find(g, q->line) &&
		    (real_gain(g, &p->pair, &q->pair) < 0 || !is_mono_equal(g, &p->pair, &q->pair)))
			return true;
	}
	return false;
}

/* Numbers the clocks in the order of their first dump. Returns their number. */
static uint32_t number_clocks(struct group *g)
{
	uint32_t *clock_of = syt_alloc(g->nr, sizeof(*clock_of));
	uint32_t *number = syt_alloc(g->nr_lines, sizeof(*number)), nr = 0;

	for (uint32_t n = 0; n < g->nr; n++)
		clock_of[n] = SYT_NONE;
	for (uint32_t n = 0; n < g->nr_lines; n++)
		number[n] = SYT_NONE;
	for (size_t n = 0; n < g->nr_readings; n++)
		clock_of[g->all[n].dump] = find(g, g->all[n].line);
	for (uint32_t n = 0; n < g->nr; n++) {
		if (clock_of[n] == SYT_NONE)
			continue;
		if (number[clock_of[n]] == SYT_NONE)
			number[clock_of[n]] = nr++;
		g->loadings[g->dumps[n]]->image.twin = number[clock_of[n]];
	}
	free(clock_of);
	free(number);
	return nr;
}

/* Returns the number of clocks of the group. */
static uint32_t split(struct group *g)
{
	uint32_t nr = 1;

	if (g->nr > 1 && read_pairs(g)) {
		draw_lines(g);
		unite_lines(g);
		if (has_several_clocks(g))
			nr = number_clocks(g);
	}
	free(g->all);
	free(g->parent);
	return nr;
}

/* ---- all boots ---- */

static int by_clock(const void *a_, const void *b_, void *loadings_)
{
	struct syt_loading *const *loadings = loadings_;
	const uint32_t *n = a_, *k = b_;
	const struct syt_image *a = &loadings[*n]->image, *b = &loadings[*k]->image;
	int c = syt_identity_compare_boots(a, b);

	if (c)
		return c;
	SYT_ORDER_BY(file.clock_source);
	return SYT_COMPARE(*n, *k);
}

/* Splits the NR dumps with one boot id, whose numbers are in SORTED. Usually a boot has one clock source. If it has two, and
 * several clocks with one of them, nothing tells which clocks are those of one host. */
static void split_boot(struct syt_loading *const *loadings, const uint32_t *sorted, size_t nr)
{
	uint32_t nr_clocks = 0, nr_sources = 0;

	for (size_t from = 0, to; from < nr; from = to, nr_sources++) {
		to = from + 1;
		while (to < nr && loadings[sorted[to]]->image.file.clock_source ==
		                          loadings[sorted[from]]->image.file.clock_source)
			to++;
		uint32_t more = split(&(struct group){
			.loadings = loadings, .dumps = sorted + from, .nr = (uint32_t)(to - from)});

		for (size_t n = from; n < to; n++)
			loadings[sorted[n]]->image.twin += nr_clocks;
		nr_clocks += more;
	}
	for (size_t n = 0; n < nr && nr_clocks == nr_sources; n++)
		loadings[sorted[n]]->image.twin = 0;
}

void syt_boots_split(struct syt_loading *const *loadings, size_t nr)
{
	uint32_t *sorted = syt_alloc(nr, sizeof(*sorted));
	void *context = (void *)(uintptr_t)loadings;

	for (uint32_t n = 0; n < nr; n++)
		sorted[n] = n;
	if (nr)
		qsort_r(sorted, nr, sizeof(*sorted), by_clock, context);
	for (size_t from = 0, to; from < nr; from = to) {
		to = from + 1;
		while (to < nr && !syt_identity_compare_boots(&loadings[sorted[from]]->image,
		                                              &loadings[sorted[to]]->image))
			to++;
		split_boot(loadings, sorted + from, to - from);
	}
	free(sorted);
}
