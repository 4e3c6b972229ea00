/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/place.h"

#include "base/compare.h"
#include "base/sort.h"
#include "base/store.h"
#include "base/work.h"
#include "decoder/host/axis.h"
#include "decoder/host/result.h"

#define ROUNDS_MAX 64u

/* ---- all components ---- */

static void free_component(struct syt_host_axis *c)
{
	for (size_t leaf = 0; leaf < c->nr_leaves; leaf++)
		syt_host_leaf_free(&c->leaves[leaf], c->nr_pairs);
	syt_store_free(c->leaves);
	syt_store_free(c->is_bent);
	syt_store_free(c->hosts);
	syt_store_free(c->knots.values);
	syt_store_free(c->via);
	syt_store_free(c->path_residual);
}

/* Places the hosts that the search reached. PAIRS: the pairs of the component. Returns false if messages contradict each other;
 * then some are dropped, and the caller begins again. */
static bool place_component(struct syt_host_placing *g, uint32_t number,
                            const struct syt_host_search *s, size_t *pairs, size_t nr_pairs)
{
	struct syt_host_axis c = {.g = g,
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

			syt_host_compose(g, arc->tail, host, arc->pair);
			continue;
		}
		/* the origin of the reference: the first message of its first pair */
		for (size_t k = 0; k < nr_pairs; k++) {
			const struct syt_host_pair *p = &g->pairs[pairs[k]];

			if (g->p->states[pairs[k]] == SYT_HOST_JOINED &&
			    (p->hosts[0] == host || p->hosts[1] == host)) {
				g->base[host] = g->work[pairs[k]].base[p->hosts[1] == host];
				break;
			}
		}
		g->coarse[host] = (struct syt_host_line){0, 0};
	}
	syt_host_cut(&c);
	is_placed = !syt_host_axis_drop_contradictions(&c) && syt_host_axis_turn_forward(&c);
	if (is_placed)
		syt_host_result_add(&c);
	free_component(&c);
	return is_placed;
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
static bool place_all(struct syt_host_placing *g)
{
	struct syt_placement *p = g->p;
	struct syt_host_arc *arcs = syt_store_alloc(2 * g->nr_pairs, sizeof(*arcs));
	struct component_pair *of = syt_store_alloc(g->nr_pairs, sizeof(*of));
	size_t *pairs = syt_store_alloc(g->nr_pairs, sizeof(*pairs)), nr = 0, nr_of = 0;
	uint32_t *references;
	struct syt_host_graph graph;
	struct syt_host_search s;
	bool is_placed = true;

	syt_work(g->nr_pairs, g->nr_workers, syt_host_fit_whole, g);
	for (size_t i = 0; i < g->nr_pairs; i++) {
		const uint32_t *hosts = g->pairs[i].hosts;

		if (p->states[i] != SYT_HOST_JOINED)
			continue;
		arcs[nr++] = (struct syt_host_arc){hosts[0], hosts[1], (uint32_t)i,
		                                   syt_host_fit_weight(&g->work[i].whole)};
		arcs[nr++] = (struct syt_host_arc){hosts[1], hosts[0], (uint32_t)i,
		                                   syt_host_fit_weight(&g->work[i].whole)};
	}
	graph = syt_host_graph_build(p->nr_hosts, arcs, nr);
	references = syt_store_alloc(graph.nr_components, sizeof(*references));
	syt_host_graph_references(&graph, g->nr_workers, references);
	if (g->options->reference < p->nr_hosts)
		references[graph.component[g->options->reference]] = g->options->reference;
	for (size_t i = 0; i < g->nr_pairs; i++) {
		const uint32_t component = graph.component[g->pairs[i].hosts[0]];

		/* messages in one direction join no hosts, but limit the clocks of hosts that others join */
		if (p->states[i] != SYT_HOST_CONTRADICTS &&
		    component == graph.component[g->pairs[i].hosts[1]])
			of[nr_of++] = (struct component_pair){component, i};
	}
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

SYT_COMPARATOR(by_number, uint32_t)
{
	SYT_ORDER(*a, *b);
	return 0;
}

/* Stores which connections were dropped. */
static void note_dropped(const struct syt_host_placing *g)
{
	struct syt_placement *p = g->p;
	size_t nr = 0, room = 0;

	for (size_t i = 0; i < g->nr_pairs; i++) {
		p->nr_dropped[i] = g->work[i].nr_dropped;
		for (uint32_t k = 0; k < g->work[i].nr_dropped; k++)
			*SYT_STORE_ADD(p->dropped, nr, room) = g->work[i].dropped[k];
	}
	syt_sort(p->dropped, nr, sizeof(*p->dropped), by_number);
	for (size_t i = 0; i < nr; i++)
		if (!i || p->dropped[i] != p->dropped[p->nr_all_dropped - 1])
			p->dropped[p->nr_all_dropped++] = p->dropped[i];
}

struct syt_placement *syt_hosts_place(uint32_t nr_hosts, const struct syt_host_pair *pairs,
                                      uint64_t nr_pairs, const struct syt_host_options *options)
{
	struct syt_placement *p = syt_store_alloc(1, sizeof(*p));
	struct syt_host_placing g = {
		.pairs = pairs, .nr_pairs = nr_pairs, .options = options, .p = p};

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
	syt_placement_clear(p);
	for (unsigned round = 0; !place_all(&g); round++) {
		syt_placement_clear(p);
		/* too many contradictions to search for the guilty connections: each pair with a dropped connection is out */
		for (size_t i = 0; i < nr_pairs && round >= ROUNDS_MAX; i++)
			if (g.work[i].nr_dropped)
				p->states[i] = SYT_HOST_CONTRADICTS;
	}
	note_dropped(&g);
	syt_store_free(g.work);
	syt_store_free(g.base);
	syt_store_free(g.coarse);
	syt_store_free(g.local);
	return p;
}
