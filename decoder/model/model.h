/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A hierarchical task model: tasks that consist of tasks, and in the end of leaf tasks (doc/models.md).
 *
 * The model has two sides. The small side describes the tasks: parts, arcs, shapes and the profile. The large side
 * has a node for each leaf and for each instance (occurrence) of a task; the nodes form trees. All arrays are
 * read-only once the model is open, and any number of threads may read them.
 *
 *	nodes:  0 .. in->nr_leaves-1  the leaves, with their numbers in the input
 *	        in->nr_leaves ..      the instances of tasks; a node's parts always have lower numbers
 *	parts:  a leaf part has the number of its label; a task part has the number of its task
 *
 * The same trace gives the same tasks, parts and arcs in the same order for any number of workers, and for any
 * numbers of threads, processes and objects.
 *
 * Units: times are ns, as they are printed. Counts of leaf tasks count the leaf tasks of the verb `tasks`: a leaf
 * that was joined counts as several.
 *
 * Example: a task by its name, and its parts.
 *
 *	for (uint32_t i = 0; i < m.tasks[t].nr_parts; i++) {
 *		const struct syt_model_part *p = &m.parts[m.tasks[t].first_part + i];
 *
 *		puts(syt_model_part_text(&m, p->what));
 *	}
 */
#ifndef SYT_DECODER_MODEL_MODEL_H
#define SYT_DECODER_MODEL_MODEL_H

#include "decoder/analysis/classify.h"
#include "decoder/model/input.h"

#define SYT_MODEL_LEAST 5u   /* default of syt_model_options.least */
#define SYT_MODEL_ROUNDS 64u /* maximum number of rounds of the miner */
/* maximum number of layers: one for each round, and one for functions with several callers */
#define SYT_MODEL_DEPTH (SYT_MODEL_ROUNDS + 2)

struct syt_model_options {
	uint32_t least; /* a task has at least this number of instances */
};

/* The kind of a part: a leaf with a label, or an instance of a task. */
struct syt_model_what {
	bool is_task;
	uint32_t number; /* index in labels or in tasks */
};

/* The resources that the instances of a task used: sums over all instances, except for the latency. */
struct syt_model_profile {
	/* last end - first begin of an instance; an instance begins when its work arrives */
	uint64_t latency_p50, latency_p99, latency_max;
	uint64_t ran; /* time of its leaf tasks, without sleeps inside of them */
	uint64_t cpu; /* CPU time of its leaf tasks; SYT_CPU_UNKNOWN: the trace lacks it */
	uint64_t sent, received; /* bytes */
	/* Waits that belong to this task itself or to its parts, by enum syt_waits_kind. */
	uint64_t waited[SYT_NR_WAITS_KINDS];
	/* Waits that belong to this task itself: the least instance that contains the leaf before the wait and the leaf
	 * after the wait. The sum over all tasks, and over `outside`, is the sum of all waits of the trace. */
	uint64_t own_waited[SYT_NR_WAITS_KINDS];
};

struct syt_model_task {
	char *name;             /* unique name, without control characters */
	uint32_t layer;         /* 1 + the highest layer of its parts; a leaf has the layer 0 */
	bool is_top;            /* at least half of the instances are part of no other instance */
	uint64_t count;         /* number of instances */
	uint64_t nr_top;        /* number of instances that are part of no other instance */
	uint64_t nr_leaf_tasks; /* number of leaf tasks in all instances, also indirectly */
	uint32_t nr_shapes;     /* number of different shapes of its instances */
	uint32_t nr_threads;    /* largest number of threads in one instance */
	/* its parts are parts[first_part] up to parts[first_part + nr_parts]; its arcs likewise */
	uint32_t first_part, nr_parts;
	uint32_t first_arc, nr_arcs;
	/* its instances are instances[first_instance] up to instances[first_instance + count] */
	uint32_t first_instance;
	uint32_t root; /* label (of the input) of the first leaf of most instances */
	struct syt_model_profile profile;
};

/* A part of a task. The first part of each task is its root; the other parts follow in the order of work. */
struct syt_model_part {
	uint32_t task; /* the task that contains the part */
	struct syt_model_what what;
	uint64_t count;       /* number of direct occurrences in all instances of the task */
	uint64_t least, most; /* number of direct occurrences in one instance */
	bool is_root;         /* instances begin with this part */
	/* Waits in these occurrences, by enum syt_waits_kind, if the part is a task: the share of the part in the waits
	 * of the outer task. */
	uint64_t waited[SYT_NR_WAITS_KINDS];
};

/* The arcs of a task between its parts, or between nodes that are no part of another (task SYT_NONE). */
struct syt_model_arc {
	uint32_t task; /* the least task that contains both ends, or SYT_NONE */
	struct syt_model_what from, to;
	uint8_t kind; /* enum syt_edge_kind, or SYT_ARC_CONNECTION */
	bool is_start; /* the arc starts its target: it is a rule by which the decoder parses a trace */
	bool is_inferred; /* the arc is not certain */
	bool is_across;   /* the arc leads to another thread */
	uint64_t count;
};

/* A number of leaves with one label: outside of all tasks, or joined. */
struct syt_model_count {
	uint32_t label;
	uint64_t count; /* number of leaves (rest), or of joined points */
};

struct syt_model {
	const struct syt_model_input *in;
	struct syt_model_options options;
	uint32_t nr_tasks, nr_parts, nr_arcs;
	struct syt_model_task *tasks; /* top tasks first; most leaf tasks first; then by name */
	struct syt_model_part *parts; /* by task */
	struct syt_model_arc *arcs;   /* by task; SYT_NONE last */
	uint32_t nr_rest, nr_joined;
	struct syt_model_count *rest;     /* by label: leaves outside of all tasks */
	struct syt_model_count *joined;   /* by label */
	uint64_t nr_leaf_tasks;           /* number of leaf tasks of the trace */
	uint64_t nr_in_tasks;             /* number of these in instances */
	struct syt_model_profile outside; /* resources outside of all tasks; its latency is 0 */

	/* The call paths of the parts: first the labels of the input, then call paths that begin with the function of a task,
	 * for the parts of a function that has several callers: "server: SendPacket;pthread_mutex_lock". */
	uint32_t nr_labels, nr_relative;
	const char **labels;
	char **relative; /* the texts that do not belong to the input */

	/* ---- nodes ---- */
	uint32_t nr_nodes;  /* leaves and instances */
	uint32_t *label_of; /* [leaf]: its label as a part; NULL: the labels of the input */
	uint32_t *up;       /* [node]: the instance of which it is a part, or SYT_NONE */
	/* The next arrays are for instances: element [node - in->nr_leaves]. */
	uint32_t *task_of; /* its task */
	uint32_t *root_of; /* its first leaf */
	uint64_t *shape;   /* equal numbers: the same tree of parts and the same inner arcs */
	uint32_t *
		first_member; /* and one more: its parts are members[first_member[i]] up to the next */
	uint32_t *members;    /* nodes; the root first, then by their roots' numbers */
	uint32_t *instances; /* nodes, by task, then by the time of their begin, then by number */
};

/* The instances of tasks, as the miner finds them, or as the rules of a baseline parse them: the trees of nodes. The
 * function syt_model_build() derives all further data from them. The arrays of nodes are from syt_store_alloc(). */
struct syt_model_forest {
	uint32_t nr_nodes; /* leaves of the input, then instances */
	size_t room_up, room_task_of, room_root_of;
	uint32_t *up;       /* [node]: the instance of which it is a part, or SYT_NONE */
	uint32_t *task_of;  /* [node - in->nr_leaves]: its task; SYT_NONE: removed */
	uint32_t *root_of;  /* [node - in->nr_leaves]: its first leaf */
	uint32_t *label_of; /* [leaf]: its label as a part; NULL: the labels of the input */
	/* Labels with the numbers in->nr_labels and above: call paths that begin with a function that several callers
	 * have in common. The texts are from malloc. */
	uint32_t nr_relative;
	size_t room_relative;
	char **relative;
	uint32_t nr_tasks;
	char **names; /* [task]: name, from malloc; NULL: syt_model_build() finds the name */
};
void syt_model_forest_close(struct syt_model_forest *forest);

/* Makes the model M of the graph IN from FOREST, and takes over FOREST. M numbers the instances and the tasks anew; it drops
 * tasks without an instance. The members of M describe the instances, not the expectations of the rules. */
void syt_model_build(struct syt_model *m, const struct syt_model_input *in,
                     const struct syt_model_options *options, struct syt_model_forest *forest);

/* Mines the model M of the graph IN, which must outlive M. Returns 0, or -1 after a message (syt_warn) if the graph is too
 * large. */
int syt_model_open(struct syt_model *m, const struct syt_model_input *in,
                   const struct syt_model_options *options);
void syt_model_close(struct syt_model *m);

static inline bool syt_model_is_leaf(const struct syt_model *m, uint32_t node)
{
	return node < m->in->nr_leaves;
}

/* Returns the first leaf of a node. */
static inline uint32_t syt_model_root(const struct syt_model *m, uint32_t node)
{
	return syt_model_is_leaf(m, node) ? node : m->root_of[node - m->in->nr_leaves];
}

/* Returns the leaf label or the task of a node. */
static inline struct syt_model_what syt_model_what(const struct syt_model *m, uint32_t node)
{
	if (syt_model_is_leaf(m, node))
		return (struct syt_model_what){false, m->label_of ? m->label_of[node]
		                                                  : m->in->leaves[node].label};
	return (struct syt_model_what){true, m->task_of[node - m->in->nr_leaves]};
}

/* Returns the text of a part: the name of a task, or the call path of a label. */
static inline const char *syt_model_part_text(const struct syt_model *m, struct syt_model_what what)
{
	return what.is_task ? m->tasks[what.number].name : m->labels[what.number];
}

/* Finds a task by its name. Returns SYT_NONE if no task has this name. */
uint32_t syt_model_find(const struct syt_model *m, const char *name);

/* A walk over a node and all nodes below it, each before its parts, without recursion:
 *
 *	struct syt_model_walk w = syt_model_walk_of(node);
 *	for (uint32_t n; (n = syt_model_walk_next(m, &w)) != SYT_NONE;)
 *
 * `depth` is the depth of the node that syt_model_walk_next() returned last; the first node has the depth 0. */
struct syt_model_walk {
	uint32_t first, depth, nr;
	uint32_t node[SYT_MODEL_DEPTH], next[SYT_MODEL_DEPTH];
};
struct syt_model_walk syt_model_walk_of(uint32_t node);
uint32_t syt_model_walk_next(const struct syt_model *m, struct syt_model_walk *w);

/* ---- only for models of a trace (in->order is not NULL) ---- */

/* The begin and the end of an instance or a leaf. An instance begins when its work arrives at its first leaf, and ends
 * with the last of its leaves. A leaf ends when its thread begins to wait for the readiness of descriptors. `thread` is the thread of the first leaf, `first`
 * and `last` those that begin and end the instance. */
struct syt_model_span {
	syt_time begin, end;
	uint32_t thread, first, last;
};
struct syt_model_span syt_model_span(const struct syt_model *m, uint32_t node);

/* Returns the event that names the node: "P.T.N" of the begin of its first leaf. */
struct syt_place syt_model_place(const struct syt_model *m, uint32_t node);

#endif
