/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/bounds.h"

#include <math.h>

#include "base/store.h"

/* The spans that are tried: 16 us, 64 us and so on. */
#define SPAN_LEAST_NS 16384.0
#define SPAN_FACTOR 4
#define SPAN_MOST_NS 1e9

static void add_arc(struct syt_host_arc *arcs, size_t *nr, uint32_t tail, uint32_t head,
                    uint32_t pair, double bound)
{
	if (isfinite(bound))
		arcs[(*nr)++] = (struct syt_host_arc){tail, head, pair, fmax(0, bound)};
}

/* Builds the graph, or with IS_BACK the graph with all arcs turned round. */
static struct syt_host_graph build(const struct syt_placement *p, const struct syt_host_when *when,
                                   const uint32_t *local, double span_ns, bool is_back)
{
	const struct syt_host_component *of = &p->components[when->component];
	const size_t nr_pairs = of->nr_pair_segments / of->nr_segments,
		     first = of->first_pair + when->segment * nr_pairs;
	struct syt_host_arc *arcs = syt_store_alloc(2 * nr_pairs, sizeof(*arcs));
	size_t nr = 0;

	SYT_EACH(i, first, first + nr_pairs) {
		const struct syt_host_pair_segment *s = &p->pair_segments[i];
		const uint32_t a = local[s->hosts[is_back]], b = local[s->hosts[!is_back]];
		const struct syt_host_growth *g = s->growth;
		const double before = when->before_ns + span_ns, after = when->after_ns + span_ns;

		if (s->state == SYT_HOST_CONTRADICTS)
			continue;
		add_arc(arcs, &nr, a, b, s->pair,
		        s->bounds_ns[1] + fmax(before * g[0].rise, after * g[1].rise));
		add_arc(arcs, &nr, b, a, s->pair,
		        -s->bounds_ns[0] + fmax(before * g[0].fall, after * g[1].fall));
	}
	return syt_host_graph_build(of->nr_hosts, arcs, nr);
}

/* Stores the lengths of the shortest paths from FROM. Returns the longest one that is finite. */
static double search(const struct syt_host_graph *g, uint32_t from, uint32_t nr, double *lengths)
{
	struct syt_host_search s = syt_host_search_create(g);
	double longest = 0;

	syt_host_search_run(&s, from);
	for (uint32_t h = 0; h < nr; h++) {
		if (isfinite(s.distance[h]))
			longest = fmax(longest, s.distance[h]);
		if (lengths)
			lengths[h] = s.distance[h];
	}
	syt_host_search_free(&s);
	return longest;
}

struct syt_host_bounds syt_host_bounds_create(const struct syt_placement *p,
                                              const struct syt_host_when *when,
                                              const uint32_t *local, double *early, double *late)
{
	const struct syt_host_component *of = &p->components[when->component];
	const uint32_t reference = local[of->reference];
	struct syt_host_bounds b = {.span_ns = SPAN_LEAST_NS};

	for (;; b.span_ns = fmin(SPAN_MOST_NS, b.span_ns * SPAN_FACTOR)) {
		struct syt_host_graph back = build(p, when, local, b.span_ns, true);
		double longest;

		b.graph = build(p, when, local, b.span_ns, false);
		longest = search(&b.graph, reference, of->nr_hosts, early) +
		          search(&back, reference, of->nr_hosts, late);
		syt_host_graph_free(&back);
		if (longest <= b.span_ns || b.span_ns >= SPAN_MOST_NS)
			return b;
		syt_host_graph_free(&b.graph);
	}
}

void syt_host_bounds_free(struct syt_host_bounds *b)
{
	syt_host_graph_free(&b->graph);
}
