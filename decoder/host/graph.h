/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The host graph: hosts as nodes, and an arc for each pair of hosts that exchanged messages (Clément and Dagenais 2009,
 * section 10). The weight of an arc is the E_r of the pair. */
#ifndef SYT_DECODER_HOST_GRAPH_H
#define SYT_DECODER_HOST_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#define SYT_HOST_NONE UINT32_MAX

/* An arc that leads from TAIL to HEAD. A pair has one arc in each direction. */
struct syt_host_arc {
	uint32_t tail, head;
	uint32_t pair; /* number that the caller chose */
	double weight; /* >= 0, finite */
};

struct syt_host_graph {
	uint32_t nr;               /* hosts */
	size_t *first;             /* arcs of host I: first[I] up to, not including, first[I + 1] */
	struct syt_host_arc *arcs; /* sorted by tail, head and pair */
	uint32_t *component;       /* components are numbered in the order of their lowest host */
	uint32_t nr_components;
};

/* Builds the graph from NR_ARCS arcs, which it sorts and owns (base/store.h). */
struct syt_host_graph syt_host_graph_build(uint32_t nr, struct syt_host_arc *arcs, size_t nr_arcs);
void syt_host_graph_free(struct syt_host_graph *g);

/* Memory for searches in a graph. Only one thread at a time may use it. */
struct syt_host_search {
	const struct syt_host_graph *graph;
	double *distance; /* INFINITY: not reached */
	uint32_t *via; /* the arc by which the shortest path reaches a host; SYT_HOST_NONE: none */
	uint32_t *order; /* the hosts that the last search reached, nearest first */
	uint32_t nr_reached;
	uint32_t *heap, *at; /* a binary heap of hosts, and their positions in it */
	uint32_t nr_heap;
};

struct syt_host_search syt_host_search_create(const struct syt_host_graph *g);
void syt_host_search_free(struct syt_host_search *s);
/* Finds the shortest paths from FROM (Dijkstra). Among several shortest paths it takes the one whose last hop comes from the
 * host that was reached first; ties between hosts go to the lower number. */
void syt_host_search_run(struct syt_host_search *s, uint32_t from);

/* Computes REFERENCE[component]: the host with the least sum of distances to the other hosts of its component. If sums are
 * equal, the host with the lower number. In a component of more than 4,096 hosts, the sum of the distances to some hosts,
 * spread evenly over their numbers, decides. */
void syt_host_graph_references(const struct syt_host_graph *g, unsigned nr_workers,
                               uint32_t *reference);

#endif
