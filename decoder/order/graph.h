/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The causal graph of leaf tasks (decoder/order/task.h).
 *
 * Nodes are leaf tasks and rounds of barriers. An arc leads from each task to its thread's next task. For each
 * happens-before edge from event X to event Y, an arc leads from the task that ends at X to the task that begins
 * after Y. A node is a single task, or the sum of all tasks with one label (decoder/order/label.h).
 */
#ifndef SYT_DECODER_GRAPH_H
#define SYT_DECODER_GRAPH_H

#include "decoder/order/task.h"

struct syt_graph_node {
	uint64_t task;  /* index of a single task; otherwise SYT_NO_TASK */
	uint32_t label; /* SYT_NONE: a round without a label */
	uint64_t nr;    /* number of tasks or rounds in the node */
	uint64_t total_ns, max_ns;
	struct syt_place begin; /* the event before a single task, or the place of a round */
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
	uint64_t nr_left_nodes, nr_left_arcs, left_ns; /* omitted by syt_graph_select() */
};

/* Makes a graph of single tasks, by thread, followed by rounds. */
void syt_graph_open(struct syt_graph *g, const struct syt_order *o, const struct syt_tasks *t,
                    struct syt_labels *labels, bool has_run_after);
/* Makes one node of all tasks of FROM with the same label. The nodes with the largest total time come first. */
void syt_graph_aggregate(struct syt_graph *g, const struct syt_graph *from, uint32_t nr_labels);
void syt_graph_close(struct syt_graph *g);

/* Keeps the nodes marked in KEEP, and the arcs between these nodes. Counts the omitted nodes and arcs. */
void syt_graph_select(struct syt_graph *g, const bool *keep);

/* In a graph of single tasks, marks in KEEP up to LIMIT nodes nearest to START, forward or (IS_AROUND) both ways. */
void syt_graph_near(const struct syt_graph *g, uint64_t start, bool is_around, uint64_t limit,
                    bool *keep);

#endif
