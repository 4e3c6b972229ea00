/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command graph prints the causal graph: its nodes are leaf tasks, the work of a thread between two
 * synchronization points. */

#include "base/compare.h"
#include "decoder/command/command.h"
#include "decoder/report/graph/view.h"
#include "decoder/read/number.h"
#include "base/sort.h"

/* A picture with more nodes is unreadable, and graphviz works on it for minutes. */
#define MOST_NODES 60u

/* With whole call stacks in the labels of nodes, each call path to the same code is a separate node. The default is
 * one node for the code. */
#define DEFAULT_DEPTH 1u

struct options {
	const char *from, *around; /* ids of events from the options, or NULL */
	uint64_t limit, depth;
	bool has_instances, has_no_run_after;
};

static void parse_depth(void *field, const char *name, const char *arg, struct argp_state *state)
{
	uint64_t *depth = field;

	if (!syt_number_parse(arg, depth) || *depth > UINT32_MAX)
		argp_error(state, "--%s takes a number of frames, not '%s'", name, arg);
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"instances", 0, NULL, 0, "draw a node for each single task, instead of one node for all tasks that begin and end at the same calls", 0}, AT(has_instances), syt_parse_true},
	{{"from", 0, "ID", 0, "draw only the tasks that depend on event P.T.N, nearest first, one node for each task", 0}, AT(from), syt_parse_text},
	{{"around", 0, "ID", 0, "draw only the tasks that led to event P.T.N or depend on it, nearest first, one node for each task", 0}, AT(around), syt_parse_text},
	SYT_OPTION_LIMIT(AT(limit), "draw at most N nodes: the groups of tasks that took the most time, or the nearest or first single tasks (default: 60)"),
	{{"depth", 0, "N", 0, "distinguish the calls at which tasks begin and end by the N innermost functions of their call stacks; 0: by the whole call stack (default: 1)", 0}, AT(depth), parse_depth},
	{{"no-run-after", 0, NULL, 0, "draw no arrows from one critical section to the next critical section of the same lock", 0}, AT(has_no_run_after), syt_parse_true},
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {.limit = MOST_NODES, .depth = DEFAULT_DEPTH};

static void check(void *options_, struct argp_state *state)
{
	struct options *o = options_;

	(void)state;
	o->has_instances |= o->from || o->around;
}

/* Returns the leaf task that contains the event ID or begins after it, or SYT_NO_TASK. */
static uint64_t find_task(const struct syt_order *o, const struct syt_tasks *t, const char *id)
{
	struct syt_place at;

	if (!syt_place_find(&o->places, id, &at))
		return SYT_NO_TASK;
	for (uint64_t i = t->first_of_thread[at.thread + 1]; i-- > t->first_of_thread[at.thread];)
		if (t->all[i].begin <= at.row)
			return i;
	return SYT_NO_TASK;
}

struct keyed {
	syt_time at;
	uint64_t node;
};

static int by_time(const void *a_, const void *b_)
{
	const struct keyed *a = a_, *b = b_;

	SYT_ORDER_BY(at);
	SYT_ORDER_BY(node);
	return 0;
}

/* Selects the first tasks in time, or the first labels in sorted order, up to the limit. */
static void keep_first(const struct syt_graph *g, const struct options *o, bool *keep)
{
	struct keyed *k = syt_store_alloc(g->nr_nodes, sizeof(*k));

	for (uint64_t i = 0; i < g->nr_nodes; i++)
		k[i] = (struct keyed){o->has_instances ? g->nodes[i].at : i, i};
	syt_sort(k, g->nr_nodes, sizeof(*k), by_time);
	for (uint64_t i = 0; i < g->nr_nodes; i++)
		keep[k[i].node] = i < o->limit && g->nodes[k[i].node].label != SYT_NONE;
	syt_store_free(k);
}

static enum syt_exit select_nodes(const struct options *o, const struct syt_order *order,
                                  const struct syt_tasks *tasks, struct syt_graph *g)
{
	const char *id = o->around ? o->around : o->from;
	bool *keep = syt_store_alloc(g->nr_nodes, sizeof(*keep));

	if (id) {
		uint64_t task = find_task(order, tasks, id);

		if (task == SYT_NO_TASK) {
			syt_warn("no task begins at or before event '%s'; the report events prints "
			         "the "
			         "ids, P.T.N",
			         id);
			syt_store_free(keep);
			return SYT_EXIT_USAGE;
		}
		syt_graph_near(g, task, o->around, o->limit, keep);
	} else {
		keep_first(g, o, keep);
	}
	syt_graph_select(g, keep);
	syt_store_free(keep);
	return SYT_EXIT_OK;
}

static void print(struct syt_command *c, const struct syt_graph_view *v)
{
	if (c->format == SYT_FORMAT_DOT)
		syt_graph_dot(c->out, v);
	else if (c->format == SYT_FORMAT_JSON)
		syt_graph_json(c->out, v);
	else
		syt_graph_text(c->out, v);
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	struct syt_order order;
	struct syt_tasks tasks;
	struct syt_graph single, sums;
	enum syt_exit status;

	if (syt_order_open(&order, c->trace))
		return SYT_EXIT_UNREADABLE;

	struct syt_labels *labels =
		syt_labels_create(&order.places, c->symbols, (uint32_t)o->depth);

	syt_tasks_open(&tasks, &order.places, labels);
	syt_graph_open(&single, &order, &tasks, labels, !o->has_no_run_after);
	syt_graph_aggregate(&sums, &single, syt_labels_nr(labels));
	struct syt_graph *g = o->has_instances ? &single : &sums;

	status = select_nodes(o, &order, &tasks, g);
	if (status == SYT_EXIT_OK)
		print(c, &(struct syt_graph_view){g, &order, labels, !o->has_instances});
	syt_graph_close(&sums);
	syt_graph_close(&single);
	syt_tasks_close(&tasks);
	syt_labels_destroy(labels);
	syt_order_close(&order);
	return status;
}

const struct syt_report syt_report_graph = {
	.name = "graph",
	.summary = "a graph of the work between synchronization events and of its order, for "
	           "graphviz and other programs",
	.doc = "Prints a graph whose nodes are the leaf tasks. A leaf task is the work of one "
	       "thread between two consecutive synchronization events. The arrows are the order "
	       "within each thread and the recorded orders between threads. To draw the graph: "
	       "syntrace-decode graph --format=dot TRACE | dot -Tsvg",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_DOT | 1u << SYT_FORMAT_JSON,
	.options = option_rows,
	.defaults = &defaults,
	.check = check,
	.options_bytes = sizeof(struct options),
	.run = run,
};
