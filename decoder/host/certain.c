/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/certain.h"

#include <math.h>

#include "base/store.h"

/* Bounds are valid at the true time of the first event. On the way along a path the joined times differ by at most the
 * bounds found so far, and these are at most SYT_HOST_GUARD_NS. So the bounds of the segment of the first event hold. */

struct syt_certain {
	const struct syt_placement *p;
	/* the graph of one segment of one component, and the last search in it */
	uint32_t component, segment, from;
	struct syt_host_graph graph;
	struct syt_host_search search;
};

struct syt_certain *syt_certain_create(const struct syt_placement *p)
{
	struct syt_certain *c = syt_store_alloc(1, sizeof(*c));

	*c = (struct syt_certain){.p = p, .component = SYT_HOST_NONE, .from = SYT_HOST_NONE};
	return c;
}

static void forget_graph(struct syt_certain *c)
{
	if (c->component == SYT_HOST_NONE)
		return;
	syt_host_search_free(&c->search);
	syt_host_graph_free(&c->graph);
}

void syt_certain_destroy(struct syt_certain *c)
{
	forget_graph(c);
	syt_store_free(c);
}

static void load_graph(struct syt_certain *c, uint32_t component, uint32_t segment)
{
	const struct syt_host_component *of = &c->p->components[component];
	struct syt_host_arc *arcs = syt_store_alloc(2 * of->nr_pair_segments, sizeof(*arcs));
	size_t nr = 0;

	forget_graph(c);
	SYT_EACH(i, of->first_pair, of->first_pair + of->nr_pair_segments) {
		const struct syt_host_pair_segment *s = &c->p->pair_segments[i];

		if (s->segment != segment || s->state != SYT_HOST_JOINED)
			continue;
		if (isfinite(s->bounds_ns[1]))
			arcs[nr++] = (struct syt_host_arc){s->hosts[0], s->hosts[1], s->pair,
			                                   fmax(0, s->bounds_ns[1])};
		if (isfinite(s->bounds_ns[0]))
			arcs[nr++] = (struct syt_host_arc){s->hosts[1], s->hosts[0], s->pair,
			                                   fmax(0, -s->bounds_ns[0])};
	}
	c->graph = syt_host_graph_build(c->p->nr_hosts, arcs, nr);
	c->search = syt_host_search_create(&c->graph);
	c->component = component;
	c->segment = segment;
	c->from = SYT_HOST_NONE;
}

double syt_certain_needed(struct syt_certain *c, uint32_t a, int64_t at_ns, uint32_t b)
{
	const uint32_t component = c->p->clocks[a].component;
	const struct syt_host_component *of;
	uint32_t segment;

	if (a == b)
		return 0;
	if (component == SYT_HOST_NONE || component != c->p->clocks[b].component)
		return INFINITY;
	of = &c->p->components[component];
	segment = syt_host_segment(of, at_ns);
	if ((double)at_ns < (double)of->knots_ns[0] - SYT_HOST_GUARD_NS ||
	    (double)at_ns > (double)of->knots_ns[of->nr_segments] + SYT_HOST_GUARD_NS)
		return INFINITY;
	if (c->component != component || c->segment != segment)
		load_graph(c, component, segment);
	if (c->from != a)
		syt_host_search_run(&c->search, c->from = a);
	return c->search.distance[b] <= SYT_HOST_GUARD_NS ? c->search.distance[b] : INFINITY;
}

bool syt_certain_before(struct syt_certain *c, uint32_t a, int64_t a_ns, uint32_t b, int64_t b_ns)
{
	return b_ns > a_ns &&
	       (double)((uint64_t)b_ns - (uint64_t)a_ns) > syt_certain_needed(c, a, a_ns, b);
}
