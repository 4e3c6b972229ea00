/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/certain.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/store.h"
#include "decoder/host/bounds.h"

/* Before the first and after the last segment the bounds grow with the distance. The distance is rounded up to a step, so
 * that few distances occur: a step is at most 1/4 longer than the one before. */
#define FIRST_STEP_BITS 20u /* 2^20 ns = 1 ms */
#define STEPS (4 * (63 - FIRST_STEP_BITS) + 1)
/* In a component with more hosts, all paths lead over the reference: one search from each host takes too long. Such a path is
 * at least as long as the shortest one, so the bound still holds. */
#define SEARCHED_HOSTS_MAX 2048u

/* A range of time in which the bounds do not change: a segment, or a step before or after all segments. */
struct range {
	uint32_t component, segment;
	double outside_ns; /* distance from the segment; 0: in the segment */
	bool is_before;    /* before the segment, not after it */
};

struct syt_certain {
	const struct syt_placement *p;
	uint32_t *local; /* [host]: its number in its component */
	size_t *first_row; /* [component] in ROWS: by range, then by host, unless all paths lead over the reference */
	/* The distances from one host, or from and to the reference. NULL: not computed */
	double *_Atomic *rows;
	/* for the thread that computes a row */
	pthread_mutex_t lock;
	uint64_t room_bytes; /* for more rows */
	struct range range;
	uint32_t from;
	struct syt_host_bounds bounds;
	struct syt_host_search search;
};

static uint32_t nr_ranges(const struct syt_host_component *of)
{
	return of->nr_segments + 2 * STEPS;
}

static bool is_by_reference(const struct syt_host_component *of)
{
	return of->nr_hosts > SEARCHED_HOSTS_MAX;
}

static size_t nr_rows_of(const struct syt_host_component *of)
{
	return (size_t)nr_ranges(of) * (is_by_reference(of) ? 1 : of->nr_hosts);
}

struct syt_certain *syt_certain_create(const struct syt_placement *p)
{
	struct syt_certain *c = syt_store_alloc(1, sizeof(*c));
	uint32_t *nr = syt_store_alloc(p->nr_components, sizeof(*nr));
	size_t nr_rows = 0;

	*c = (struct syt_certain){.p = p,
	                          .room_bytes = SYT_CERTAIN_ROWS_BYTES,
	                          .range = {.component = SYT_HOST_NONE},
	                          .from = SYT_HOST_NONE};
	pthread_mutex_init(&c->lock, NULL);
	c->local = syt_store_alloc(p->nr_hosts, sizeof(*c->local));
	c->first_row = syt_store_alloc(p->nr_components, sizeof(*c->first_row));
	SYT_EACH(h, 0, p->nr_hosts)
		if (p->clocks[h].component != SYT_HOST_NONE)
			c->local[h] = nr[p->clocks[h].component]++;
	SYT_EACH(i, 0, p->nr_components) {
		c->first_row[i] = nr_rows;
		nr_rows += nr_rows_of(&p->components[i]);
	}
	c->rows = syt_store_alloc(nr_rows, sizeof(*c->rows));
	syt_store_free(nr);
	return c;
}

static void forget_graph(struct syt_certain *c)
{
	if (c->range.component == SYT_HOST_NONE)
		return;
	syt_host_search_free(&c->search);
	syt_host_bounds_free(&c->bounds);
}

void syt_certain_destroy(struct syt_certain *c)
{
	SYT_EACH(i, 0, c->p->nr_components) {
		const size_t first = c->first_row[i];

		SYT_EACH(k, first, first + nr_rows_of(&c->p->components[i]))
			syt_store_free(c->rows[k]);
	}
	forget_graph(c);
	pthread_mutex_destroy(&c->lock);
	syt_store_free(c->local);
	syt_store_free(c->first_row);
	syt_store_free(c->rows);
	syt_store_free(c);
}

/* ---- ranges ---- */

/* Rounds a distance > 0 up to a step. Returns the number of the step. */
static uint32_t step_of(double ns, double *rounded)
{
	uint32_t step = 0;

	for (*rounded = (double)(UINT64_C(1) << FIRST_STEP_BITS); *rounded < ns && step < STEPS - 1;
	     step++)
		*rounded *= 1.25;
	return step;
}

/* Returns the number of the range of AT_NS in its component, or SYT_HOST_NONE. */
static uint32_t find_range(const struct syt_host_component *of, int64_t at_ns, struct range *r)
{
	const double before = (double)of->knots_ns[0] - (double)at_ns,
		     after = (double)at_ns - (double)of->knots_ns[of->nr_segments];
	uint32_t step;

	r->segment = syt_host_segment(of, at_ns);
	r->outside_ns = 0;
	r->is_before = before > 0;
	if (before <= 0 && after <= 0)
		return r->segment;
	step = step_of(fmax(before, after), &r->outside_ns);
	if (r->outside_ns < fmax(before, after))
		return SYT_HOST_NONE;
	return of->nr_segments + (before > 0 ? 0 : STEPS) + step;
}

/* ---- rows ---- */

static struct syt_host_when when_of(const struct range *r)
{
	return (struct syt_host_when){.component = r->component,
	                              .segment = r->segment,
	                              .before_ns = r->is_before ? r->outside_ns : 0,
	                              .after_ns = r->is_before ? 0 : r->outside_ns};
}

static void load_graph(struct syt_certain *c, const struct range *r)
{
	const struct syt_host_when when = when_of(r);

	forget_graph(c);
	c->bounds = syt_host_bounds_create(c->p, &when, c->local, NULL, NULL);
	c->search = syt_host_search_create(&c->bounds.graph);
	c->range = *r;
	c->from = SYT_HOST_NONE;
}

/* Returns the bound that the last search proves for host B. */
static double proven(const struct syt_certain *c, uint32_t b)
{
	return c->search.distance[b] <= c->bounds.span_ns ? c->search.distance[b] : INFINITY;
}

/* Computes the distances from A. Keeps them for the readers while there is room. Returns that to B. */
static double compute(struct syt_certain *c, const struct range *r, uint32_t a, uint32_t b,
                      double *_Atomic *row)
{
	const uint32_t nr = c->p->components[r->component].nr_hosts;
	double distance, *kept;

	pthread_mutex_lock(&c->lock);
	if (c->range.component != r->component || c->range.segment != r->segment ||
	    c->range.is_before != r->is_before || c->range.outside_ns < r->outside_ns ||
	    c->range.outside_ns > r->outside_ns)
		load_graph(c, r);
	if (c->from != a)
		syt_host_search_run(&c->search, c->from = a);
	distance = proven(c, b);
	if (!atomic_load_explicit(row, memory_order_relaxed) &&
	    c->room_bytes >= nr * sizeof(*kept)) {
		c->room_bytes -= nr * sizeof(*kept);
		kept = syt_store_alloc(nr, sizeof(*kept));
		for (uint32_t i = 0; i < nr; i++)
			kept[i] = proven(c, i);
		atomic_store_explicit(row, kept, memory_order_release);
	}
	pthread_mutex_unlock(&c->lock);
	return distance;
}

/* Returns the distances from the reference and then those to it. */
static const double *by_reference(struct syt_certain *c, const struct range *r,
                                  double *_Atomic *slot)
{
	const uint32_t nr = c->p->components[r->component].nr_hosts;
	double *row = atomic_load_explicit(slot, memory_order_acquire);

	if (row)
		return row;
	pthread_mutex_lock(&c->lock);
	row = atomic_load_explicit(slot, memory_order_relaxed);
	if (!row) {
		const struct syt_host_when when = when_of(r);
		struct syt_host_bounds b;

		row = syt_store_alloc(2 * (uint64_t)nr, sizeof(*row));
		b = syt_host_bounds_create(c->p, &when, c->local, row, row + nr);
		/* the path of two hosts has two parts */
		for (uint64_t i = 0; i < 2 * (uint64_t)nr; i++)
			row[i] = row[i] <= b.span_ns / 2 ? row[i] : INFINITY;
		syt_host_bounds_free(&b);
		atomic_store_explicit(slot, row, memory_order_release);
	}
	pthread_mutex_unlock(&c->lock);
	return row;
}

double syt_certain_needed(struct syt_certain *c, uint32_t a, int64_t at_ns, uint32_t b)
{
	struct range r = {.component = c->p->clocks[a].component};
	const struct syt_host_component *of;
	double *_Atomic *slot, *row, distance;
	uint32_t number;

	if (a == b)
		return 0;
	if (r.component == SYT_HOST_NONE || r.component != c->p->clocks[b].component)
		return INFINITY;
	of = &c->p->components[r.component];
	number = find_range(of, at_ns, &r);
	if (number == SYT_HOST_NONE)
		return INFINITY;
	if (is_by_reference(of)) {
		const double *from =
			by_reference(c, &r, &c->rows[c->first_row[r.component] + number]);

		return from[of->nr_hosts + c->local[a]] + from[c->local[b]];
	}
	slot = &c->rows[c->first_row[r.component] + (size_t)number * of->nr_hosts + c->local[a]];
	row = atomic_load_explicit(slot, memory_order_acquire);
	distance = row ? row[c->local[b]] : compute(c, &r, c->local[a], c->local[b], slot);
	return distance;
}

bool syt_certain_before(struct syt_certain *c, uint32_t a, int64_t a_ns, uint32_t b, int64_t b_ns)
{
	return b_ns > a_ns &&
	       (double)((uint64_t)b_ns - (uint64_t)a_ns) > syt_certain_needed(c, a, a_ns, b);
}
