/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The causal graph of leaf tasks. A leaf task is the work of a thread between two synchronization events.
 *
 * The nodes are the leaf tasks (decoder/order/task.h) and the rounds of barriers. An arc leads from each leaf task
 * to the next leaf task of its thread. For each happens-before edge from event X to event Y, an arc leads from the
 * leaf task that ends at X to the leaf task that begins after Y. A node is either a single leaf task, or the sum of
 * all leaf tasks that have the same two call paths (label, decoder/order/label.h).
 */
#ifndef SYT_DECODER_GRAPH_H
#define SYT_DECODER_GRAPH_H

#include "decoder/order/task.h"

struct syt_graph_node {
	uint64_t task;  /* index of the leaf task if the node is a single one; else SYT_NO_TASK */
	uint32_t label; /* number of the label; SYT_NONE: barrier round without a label */
	uint64_t nr;    /* number of leaf tasks or barrier rounds in the node */
	uint64_t total_ns, max_ns;
	struct syt_place begin; /* the event before a single leaf task, or the barrier round */
	syt_time at;
	bool is_round;
};

struct syt_arc {
	uint64_t from, to; /* indices of the two nodes */
	uint64_t nr;
	uint8_t kind;  /* enum syt_edge_kind */
	uint8_t class; /* enum syt_edge_class */
	bool is_ambiguous;
};

struct syt_graph {
	uint64_t nr_nodes, nr_arcs;
	size_t room_arcs;
	struct syt_graph_node *nodes;
	struct syt_arc *arcs;                          /* sorted by from, to, kind, class */
	uint64_t nr_left_nodes, nr_left_arcs, left_ns; /* amounts that syt_graph_select() omits */
};

/* Makes a graph whose nodes are single leaf tasks, sorted by thread, followed by barrier rounds. HAS_RUN_AFTER:
 * includes edges that only mean mutual exclusion. */
void syt_graph_open(struct syt_graph *g, const struct syt_order *o, const struct syt_tasks *t,
                    struct syt_labels *labels, bool has_run_after);
/* Makes a graph with one node for all leaf tasks of the graph FROM that have the same label (pair of call paths).
 * The nodes with the largest total time come first. */
void syt_graph_aggregate(struct syt_graph *g, const struct syt_graph *from, uint32_t nr_labels);
void syt_graph_close(struct syt_graph *g);

/* Removes the nodes that are not marked in KEEP, and their arcs, and counts the removed nodes and arcs. */
void syt_graph_select(struct syt_graph *g, const bool *keep);

/* Marks in KEEP at most LIMIT nodes nearest to the node START, in a graph of single leaf tasks. The search follows
 * arcs forward or (IS_AROUND) in both directions. */
void syt_graph_near(const struct syt_graph *g, uint64_t start, bool is_around, uint64_t limit,
                    bool *keep);

#endif
