/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/graph.h"

#include <math.h>
#include <stdbool.h>

#include "base/compare.h"
#include "base/sort.h"
#include "base/store.h"
#include "base/work.h"

/* ---- components ---- */

SYT_COMPARATOR(by_tail, struct syt_host_arc)
{
	SYT_ORDER_BY(tail);
	SYT_ORDER_BY(head);
	SYT_ORDER_BY(pair);
	return 0;
}

static void find_components(struct syt_host_graph *g)
{
	uint32_t *stack = syt_store_alloc(g->nr, sizeof(*stack));

	SYT_EACH(i, 0, g->nr)
		g->component[i] = SYT_HOST_NONE;
	SYT_EACH(i, 0, g->nr) {
		size_t nr_stack = 0;

		if (g->component[i] != SYT_HOST_NONE)
			continue;
		g->component[i] = g->nr_components;
		stack[nr_stack++] = i;
		while (nr_stack) {
			const uint32_t host = stack[--nr_stack];

			SYT_EACH(a, g->first[host], g->first[host + 1])
				if (g->component[g->arcs[a].head] == SYT_HOST_NONE) {
					g->component[g->arcs[a].head] = g->nr_components;
					stack[nr_stack++] = g->arcs[a].head;
				}
		}
		g->nr_components++;
	}
	syt_store_free(stack);
}

struct syt_host_graph syt_host_graph_build(uint32_t nr, struct syt_host_arc *arcs, size_t nr_arcs)
{
	struct syt_host_graph g = {.nr = nr, .arcs = arcs};

	g.first = syt_store_alloc((uint64_t)nr + 1, sizeof(*g.first));
	g.component = syt_store_alloc(nr, sizeof(*g.component));
	syt_sort(arcs, nr_arcs, sizeof(*arcs), by_tail);
	SYT_EACH(a, 0, nr_arcs)
		g.first[arcs[a].tail + 1]++;
	SYT_EACH(i, 0, nr)
		g.first[i + 1] += g.first[i];
	find_components(&g);
	return g;
}

void syt_host_graph_free(struct syt_host_graph *g)
{
	syt_store_free(g->first);
	syt_store_free(g->arcs);
	syt_store_free(g->component);
}

/* ---- Dijkstra ---- */

struct syt_host_search syt_host_search_create(const struct syt_host_graph *g)
{
	struct syt_host_search s = {.graph = g};

	s.distance = syt_store_alloc(g->nr, sizeof(*s.distance));
	s.via = syt_store_alloc(g->nr, sizeof(*s.via));
	s.order = syt_store_alloc(g->nr, sizeof(*s.order));
	s.heap = syt_store_alloc(g->nr, sizeof(*s.heap));
	s.at = syt_store_alloc(g->nr, sizeof(*s.at));
	SYT_EACH(i, 0, g->nr) {
		s.distance[i] = INFINITY;
		s.via[i] = SYT_HOST_NONE;
	}
	return s;
}

void syt_host_search_free(struct syt_host_search *s)
{
	syt_store_free(s->distance);
	syt_store_free(s->via);
	syt_store_free(s->order);
	syt_store_free(s->heap);
	syt_store_free(s->at);
}

static bool is_nearer(const struct syt_host_search *s, uint32_t a, uint32_t b)
{
	return s->distance[a] < s->distance[b] || (s->distance[a] <= s->distance[b] && a < b);
}

static void set(struct syt_host_search *s, uint32_t at, uint32_t host)
{
	s->heap[at] = host;
	s->at[host] = at;
}

static void rise(struct syt_host_search *s, uint32_t at)
{
	const uint32_t host = s->heap[at];

	for (; at && is_nearer(s, host, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
		set(s, at, s->heap[(at - 1) / 2]);
	set(s, at, host);
}

static uint32_t take_nearest(struct syt_host_search *s)
{
	const uint32_t nearest = s->heap[0], host = s->heap[--s->nr_heap];
	uint32_t at = 0;

	for (uint32_t child; (child = 2 * at + 1) < s->nr_heap; at = child) {
		if (child + 1 < s->nr_heap && is_nearer(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!is_nearer(s, s->heap[child], host))
			break;
		set(s, at, s->heap[child]);
	}
	if (s->nr_heap)
		set(s, at, host);
	return nearest;
}

static void reach(struct syt_host_search *s, uint32_t host, uint32_t via, double distance)
{
	if (!(distance < s->distance[host]))
		return;
	if (isinf(s->distance[host]))
		set(s, s->nr_heap++, host);
	s->distance[host] = distance;
	s->via[host] = via;
	rise(s, s->at[host]);
}

void syt_host_search_run(struct syt_host_search *s, uint32_t from)
{
	/* only the hosts of the last search: 10^6 hosts without arcs must not take 10^12 steps */
	SYT_EACH(i, 0, s->nr_reached) {
		s->distance[s->order[i]] = INFINITY;
		s->via[s->order[i]] = SYT_HOST_NONE;
	}
	s->nr_reached = 0;
	reach(s, from, SYT_HOST_NONE, 0);
	while (s->nr_heap) {
		const uint32_t host = take_nearest(s);

		s->order[s->nr_reached++] = host;
		SYT_EACH(a, s->graph->first[host], s->graph->first[host + 1])
			reach(s, s->graph->arcs[a].head, (uint32_t)a,
			      s->distance[host] + s->graph->arcs[a].weight);
	}
}

/* ---- references ---- */

#define HOSTS_PER_JOB 64u
/* A component with more hosts is sampled: all sums would take a search for each host. */
#define HOSTS_SUMMED_MAX 4096u
#define NR_SAMPLES 16u

struct sums {
	const struct syt_host_graph *graph;
	uint32_t *nr_hosts;               /* per component */
	struct syt_host_search *searches; /* one per worker */
	double *sum;
};

static void sum_distances(void *context, size_t job, unsigned worker)
{
	struct sums *sums = context;
	struct syt_host_search *s = &sums->searches[worker];
	const size_t end = (job + 1) * HOSTS_PER_JOB < sums->graph->nr ? (job + 1) * HOSTS_PER_JOB
	                                                               : sums->graph->nr;

	for (size_t host = job * HOSTS_PER_JOB; host < end; host++) {
		if (sums->graph->first[host] == sums->graph->first[host + 1] ||
		    sums->nr_hosts[sums->graph->component[host]] > HOSTS_SUMMED_MAX)
			continue;
		syt_host_search_run(s, (uint32_t)host);
		SYT_EACH(i, 0, s->nr_reached)
			sums->sum[host] += s->distance[s->order[i]];
	}
}

/* Sums, for each host of a large component, the distances from NR_SAMPLES hosts of the component. Both directions of a pair
 * have one weight. */
static void sample_distances(struct sums *sums)
{
	const struct syt_host_graph *g = sums->graph;
	struct syt_host_search *s = &sums->searches[0];
	uint32_t *seen = syt_store_alloc(g->nr_components, sizeof(*seen));

	SYT_EACH(host, 0, g->nr) {
		const uint32_t of = g->component[host], nr = sums->nr_hosts[of];

		if (nr <= HOSTS_SUMMED_MAX || seen[of]++ % (nr / NR_SAMPLES) != 0)
			continue;
		syt_host_search_run(s, (uint32_t)host);
		SYT_EACH(i, 0, s->nr_reached)
			sums->sum[s->order[i]] += s->distance[s->order[i]];
	}
	syt_store_free(seen);
}

void syt_host_graph_references(const struct syt_host_graph *g, unsigned nr_workers,
                               uint32_t *reference)
{
	struct sums sums = {.graph = g};

	nr_workers = nr_workers < 1 ? 1 : nr_workers;
	sums.sum = syt_store_alloc(g->nr, sizeof(*sums.sum));
	sums.searches = syt_store_alloc(nr_workers, sizeof(*sums.searches));
	sums.nr_hosts = syt_store_alloc(g->nr_components, sizeof(*sums.nr_hosts));
	SYT_EACH(i, 0, g->nr)
		sums.nr_hosts[g->component[i]]++;
	for (unsigned i = 0; i < nr_workers; i++)
		sums.searches[i] = syt_host_search_create(g);
	syt_work((g->nr + (size_t)HOSTS_PER_JOB - 1) / HOSTS_PER_JOB, nr_workers, sum_distances,
	         &sums);
	sample_distances(&sums);
	SYT_EACH(i, 0, g->nr_components)
		reference[i] = SYT_HOST_NONE;
	SYT_EACH(i, 0, g->nr) {
		uint32_t *best = &reference[g->component[i]];

		if (*best == SYT_HOST_NONE || sums.sum[i] < sums.sum[*best])
			*best = i;
	}
	for (unsigned i = 0; i < nr_workers; i++)
		syt_host_search_free(&sums.searches[i]);
	syt_store_free(sums.searches);
	syt_store_free(sums.nr_hosts);
	syt_store_free(sums.sum);
}
