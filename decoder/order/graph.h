/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The causal graph of leaf tasks.
 *
 * Nodes are leaf tasks and rounds of barriers. An arc leads from each task to its thread's next
 * task. For each edge from event X to event Y, an arc leads from the task that ends at X to the
 * task that begins after Y. A node is a single task, or the sum of all tasks with one label.
 */
#ifndef SYT_DECODER_GRAPH_H
#define SYT_DECODER_GRAPH_H

#include "decoder/order/task.h"

struct syt_graph_node {
	uint64_t task;  /* index; SYT_NO_TASK for a round or a label */
	uint32_t label; /* SYT_NONE only if has_label is false */
	uint64_t nr;    /* number of tasks (1 for a single task) or rounds */
	uint64_t total_ns, max_ns;
	struct syt_place begin; /* the event before it; of a round, its place */
	syt_time at;
	bool is_round;
};

struct syt_arc {
	uint64_t from, to; /* nodes */
	uint64_t nr;
	uint8_t kind;  /* enum syt_edge_kind */
	uint8_t class; /* enum syt_edge_class */
	bool is_ambiguous;
};

struct syt_graph {
	uint64_t nr_nodes, nr_arcs;
	size_t room_arcs;
	struct syt_graph_node *nodes;
	struct syt_arc *arcs;                          /* by from, to, kind, class */
	uint64_t nr_left_nodes, nr_left_arcs, left_ns; /* omitted by a selection */
};

/* Makes a graph of single tasks, by thread, followed by rounds. */
void syt_graph_open(struct syt_graph *g, const struct syt_order *o, const struct syt_tasks *t,
                    struct syt_labels *labels, bool has_run_after);
/* Makes one node of FROM's tasks with the same label. Nodes are in order of total time, largest
 * first. */
void syt_graph_aggregate(struct syt_graph *g, const struct syt_graph *from, uint32_t nr_labels);
void syt_graph_close(struct syt_graph *g);

/* Keeps the nodes marked in KEEP, and the arcs between them. Counts the omitted ones. */
void syt_graph_select(struct syt_graph *g, const bool *keep);

/* In a graph of single tasks, marks in KEEP up to LIMIT nodes that are nearest to START along arcs:
 * forward, with IS_AROUND also backward. */
void syt_graph_near(const struct syt_graph *g, uint64_t start, bool is_around, uint64_t limit,
                    bool *keep);

#endif
