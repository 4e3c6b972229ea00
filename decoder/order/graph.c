/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/order/graph.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"

static void add_arc(struct syt_graph *g, uint64_t from, uint64_t to, const struct syt_edge *e)
{
	struct syt_arc arc = {from, to, 1, SYT_EDGE_PROGRAM, SYT_CLASS_CAUSAL, false};

	if (e) {
		arc.kind = e->kind;
		arc.class = e->class;
		arc.is_ambiguous = e->flags & SYT_EDGE_AMBIGUOUS;
	}
	if (from != SYT_NO_TASK && to != SYT_NO_TASK)
		*SYT_STORE_ADD(g->arcs, g->nr_arcs, g->room_arcs) = arc;
}

static int by_ends(const void *a_, const void *b_)
{
	const struct syt_arc *a = a_, *b = b_;

	SYT_ORDER_BY(from);
	SYT_ORDER_BY(to);
	SYT_ORDER_BY(kind);
	SYT_ORDER_BY(class);
	SYT_ORDER_BY(is_ambiguous);
	return 0;
}

/* Merges arcs (happens-before steps between two nodes) that have the same two nodes, kind, class and certainty. */
static void reduce(struct syt_graph *g)
{
	uint64_t nr = 0;

	syt_sort(g->arcs, g->nr_arcs, sizeof(*g->arcs), by_ends);
	for (uint64_t i = 0; i < g->nr_arcs; i++) {
		if (nr && !by_ends(&g->arcs[nr - 1], &g->arcs[i]))
			g->arcs[nr - 1].nr += g->arcs[i].nr;
		else
			g->arcs[nr++] = g->arcs[i];
	}
	g->nr_arcs = nr;
}

/* Adds one node for each round of a barrier, from index FIRST on. The node's label is the call path of a wait of
 * this round. */
static void add_rounds(struct syt_graph *g, uint64_t first, const struct syt_edges *e,
                       struct syt_labels *labels)
{
	for (uint64_t i = 0; i < e->nr_rounds; i++)
		g->nodes[first + i] = (struct syt_graph_node){.task = SYT_NO_TASK,
		                                              .label = SYT_NONE,
		                                              .nr = 1,
		                                              .begin = {SYT_NONE, (uint32_t)i},
		                                              .at = e->rounds[i].at,
		                                              .is_round = true};
	for (uint64_t i = 0; i < e->nr; i++) {
		const struct syt_edge *edge = &e->all[i];
		uint32_t *label =
			edge->to.thread == SYT_NONE ? &g->nodes[first + edge->to.row].label : NULL;

		if (label && *label == SYT_NONE)
			*label = syt_label_of(labels, edge->from, (struct syt_place){SYT_NONE, 0});
	}
}

void syt_graph_open(struct syt_graph *g, const struct syt_order *o, const struct syt_tasks *t,
                    struct syt_labels *labels, bool has_run_after)
{
	memset(g, 0, sizeof(*g));
	g->nr_nodes = t->nr + o->edges.nr_rounds;
	g->nodes = syt_store_alloc(g->nr_nodes, sizeof(*g->nodes));
	for (uint64_t i = 0; i < t->nr; i++) {
		const struct syt_task *task = &t->all[i];
		uint64_t ns = SYT_TIME_NS(syt_task_span(t, task));

		g->nodes[i] = (struct syt_graph_node){.task = i,
		                                      .label = task->label,
		                                      .nr = 1,
		                                      .total_ns = ns,
		                                      .max_ns = ns,
		                                      .begin = {task->thread, task->begin},
		                                      .at = syt_task_begin(t, task)};
		if (i && t->all[i - 1].thread == task->thread)
			add_arc(g, i - 1, i, NULL);
	}
	add_rounds(g, t->nr, &o->edges, labels);
	for (uint64_t i = 0; i < o->edges.nr; i++) {
		const struct syt_edge *e = &o->edges.all[i];

		if (e->class == SYT_CLASS_RUN_AFTER && !has_run_after)
			continue;
		add_arc(g,
		        e->from.thread == SYT_NONE ? t->nr + e->from.row
		                                   : syt_task_before(t, e->from),
		        e->to.thread == SYT_NONE ? t->nr + e->to.row : syt_task_after(t, e->to), e);
	}
	reduce(g);
}

static int longest_first(const void *a_, const void *b_)
{
	const struct syt_graph_node *a = a_, *b = b_;

	SYT_ORDER(b->total_ns, a->total_ns);
	SYT_ORDER(b->nr, a->nr);
	SYT_ORDER_BY(label);
	return 0;
}

void syt_graph_aggregate(struct syt_graph *g, const struct syt_graph *from, uint32_t nr_labels)
{
	uint64_t *node_of = syt_alloc(nr_labels, sizeof(*node_of));
	uint64_t nr = 0;

	memset(g, 0, sizeof(*g));
	g->nodes = syt_store_alloc(nr_labels, sizeof(*g->nodes));
	for (uint32_t i = 0; i < nr_labels; i++)
		g->nodes[i] = (struct syt_graph_node){
			.task = SYT_NO_TASK, .label = i, .begin = {SYT_NONE, 0}, .at = UINT64_MAX};
	for (uint64_t i = 0; i < from->nr_nodes; i++) {
		const struct syt_graph_node *n = &from->nodes[i];
		struct syt_graph_node *of;

		if (n->label == SYT_NONE)
			continue;
		of = &g->nodes[n->label];
		of->nr += n->nr;
		of->total_ns += n->total_ns;
		of->max_ns = n->max_ns > of->max_ns ? n->max_ns : of->max_ns;
		of->at = n->at < of->at ? n->at : of->at;
		of->is_round = n->is_round;
	}
	for (uint32_t i = 0; i < nr_labels; i++)
		if (g->nodes[i].nr)
			g->nodes[nr++] = g->nodes[i];
	g->nr_nodes = nr;
	qsort(g->nodes, nr, sizeof(*g->nodes), longest_first);
	for (uint64_t i = 0; i < nr; i++)
		node_of[g->nodes[i].label] = i;
	g->arcs = syt_store_alloc(from->nr_arcs, sizeof(*g->arcs));
	for (uint64_t i = 0; i < from->nr_arcs; i++) {
		struct syt_arc a = from->arcs[i];

		if (from->nodes[a.from].label == SYT_NONE || from->nodes[a.to].label == SYT_NONE)
			continue;
		a.from = node_of[from->nodes[a.from].label];
		a.to = node_of[from->nodes[a.to].label];
		g->arcs[g->nr_arcs++] = a;
	}
	free(node_of);
	reduce(g);
}

void syt_graph_close(struct syt_graph *g)
{
	syt_store_free(g->nodes);
	syt_store_free(g->arcs);
	memset(g, 0, sizeof(*g));
}

void syt_graph_select(struct syt_graph *g, const bool *keep)
{
	uint64_t *number = syt_store_alloc(g->nr_nodes, sizeof(*number));
	uint64_t nr_nodes = 0, nr_arcs = 0;

	for (uint64_t i = 0; i < g->nr_nodes; i++) {
		number[i] = keep[i] ? nr_nodes : UINT64_MAX;
		if (keep[i]) {
			g->nodes[nr_nodes++] = g->nodes[i];
		} else {
			g->nr_left_nodes++;
			g->left_ns += g->nodes[i].total_ns;
		}
	}
	for (uint64_t i = 0; i < g->nr_arcs; i++) {
		struct syt_arc a = g->arcs[i];

		if (!keep[a.from] || !keep[a.to]) {
			g->nr_left_arcs++;
			continue;
		}
		a.from = number[a.from];
		a.to = number[a.to];
		g->arcs[nr_arcs++] = a;
	}
	g->nr_nodes = nr_nodes;
	g->nr_arcs = nr_arcs;
	syt_store_free(number);
}

/* Sorts the indices of the arcs by source node (IS_BACK: target node) into *ORDER. Returns for each node the
 * position of its first arc in *ORDER. */
static uint64_t *index_arcs(const struct syt_graph *g, bool is_back, uint64_t **order)
{
	uint64_t *first = syt_store_alloc(g->nr_nodes + 1, sizeof(*first));
	uint64_t *fill = syt_store_alloc(g->nr_nodes + 1, sizeof(*fill));

	*order = syt_store_alloc(g->nr_arcs, sizeof(**order));
	for (uint64_t i = 0; i < g->nr_arcs; i++)
		first[(is_back ? g->arcs[i].to : g->arcs[i].from) + 1]++;
	for (uint64_t i = 0; i < g->nr_nodes; i++)
		first[i + 1] += first[i];
	memcpy(fill, first, (g->nr_nodes + 1) * sizeof(*fill));
	for (uint64_t i = 0; i < g->nr_arcs; i++)
		(*order)[fill[is_back ? g->arcs[i].to : g->arcs[i].from]++] = i;
	syt_store_free(fill);
	return first;
}

void syt_graph_near(const struct syt_graph *g, uint64_t start, bool is_around, uint64_t limit,
                    bool *keep)
{
	uint64_t *orders[2], *firsts[2], *queue = syt_store_alloc(g->nr_nodes, sizeof(*queue));
	uint64_t head = 0, tail = 0;

	for (unsigned back = 0; back < 2; back++)
		firsts[back] = index_arcs(g, back, &orders[back]);
	memset(keep, 0, g->nr_nodes * sizeof(*keep));
	keep[start] = true;
	queue[tail++] = start;
	while (head < tail && tail < limit) {
		uint64_t n = queue[head++];

		for (unsigned back = 0; back <= (unsigned)is_around; back++) {
			for (uint64_t i = firsts[back][n]; i < firsts[back][n + 1] && tail < limit;
			     i++) {
				const struct syt_arc *a = &g->arcs[orders[back][i]];
				uint64_t next = back ? a->from : a->to;

				if (keep[next])
					continue;
				keep[next] = true;
				queue[tail++] = next;
			}
		}
	}
	for (unsigned back = 0; back < 2; back++) {
		syt_store_free(firsts[back]);
		syt_store_free(orders[back]);
	}
	syt_store_free(queue);
}
