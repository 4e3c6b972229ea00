/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode graph: the causal graph of leaf tasks. */
#include <inttypes.h>
#include <string.h>

#include "decoder/command/command.h"
#include "decoder/command/values.h"
#include "decoder/report/graph/view.h"
#include "decoder/read/number.h"
#include "decoder/base/sort.h"
#include "decoder/base/store.h"

enum { KEY_INSTANCES = 0x2300, KEY_FROM, KEY_AROUND, KEY_LIMIT, KEY_NO_RUN_AFTER, KEY_DEPTH };

/* More nodes than this make a picture that nobody can read, and that graphviz works on for minutes.
 */
#define MOST_NODES 60u

/* A whole stack in a label makes a node of every path to the same code: a person asks for the code
 * first. */
#define DEFAULT_DEPTH 1u

struct options {
	const char *from, *around; /* ids, or NULL */
	uint64_t limit, depth;
	bool has_instances, has_no_run_after;
};

static const struct argp_option graph_options[] = {
	{"instances", KEY_INSTANCES, NULL, 0,
         "single tasks, and not all of one label taken together", 0},
	{"from", KEY_FROM, "ID", 0,
         "only what follows from event P.T.N, nearest first (single tasks)", 0},
	{"around", KEY_AROUND, "ID", 0,
         "only what led to event P.T.N and what follows from it, nearest first (single tasks)", 0},
	{"limit", KEY_LIMIT, "N", 0,
         "at most N nodes (60): the longest labels, the nearest or the first tasks", 0},
	{"depth", KEY_DEPTH, "N", 0,
         "labels tell stacks apart by their N innermost frames (1); 0: by the whole stack", 0},
	{"no-run-after", KEY_NO_RUN_AFTER, NULL, 0,
         "without arcs that mutual exclusion made by chance", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		o->limit = MOST_NODES;
		o->depth = DEFAULT_DEPTH;
		return 0;
	case KEY_INSTANCES:
		o->has_instances = true;
		return 0;
	case KEY_FROM:
		o->from = arg;
		o->has_instances = true;
		return 0;
	case KEY_AROUND:
		o->around = arg;
		o->has_instances = true;
		return 0;
	case KEY_LIMIT:
		o->limit = syt_value_limit(arg, state);
		return 0;
	case KEY_DEPTH:
		if (!syt_number_parse(arg, &o->depth) || o->depth > UINT32_MAX)
			argp_error(state, "--depth takes a number of frames, not '%s'", arg);
		return 0;
	case KEY_NO_RUN_AFTER:
		o->has_no_run_after = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The task that event ID belongs to: it begins after it, or holds it; SYT_NO_TASK when there is
 * none. */
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

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Of single tasks the first ones; of labels, which are sorted, too. */
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
			syt_warn("no task begins at or before event '%s': ids are P.T.N, as events "
			         "prints "
			         "them",
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

static const struct argp argp = {.options = graph_options, .parser = parse};

const struct syt_verb syt_verb_graph = {
	.name = "graph",
	.summary = "the causal graph of leaf tasks, for graphviz and programs",
	.doc = "Prints which work led to which: leaf tasks, the order of each thread, and the "
	       "edges "
	       "between threads. For a picture: syntrace-decode graph --format=dot | dot -Tsvg.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_DOT | 1u << SYT_FORMAT_JSON,
	.argp = &argp,
	.options_bytes = sizeof(struct options),
	.run = run,
};
