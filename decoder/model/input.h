/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The causal graph as the miner of models sees it: leaf tasks, each with at most one start (doc/models.md).
 *
 * The input comes from a trace (decoder/model/start.h) or from a test. The miner reads only the members `leaves`,
 * `labels`, `roles` and `inner`, so a test needs no trace. Leaves are numbered from 0 by thread, then by time.
 * Labels are numbered in the order of their texts. The numbers of threads never influence a model.
 */
#ifndef SYT_DECODER_MODEL_INPUT_H
#define SYT_DECODER_MODEL_INPUT_H

#include "decoder/order/task.h"

/* The kind of an arc: an enum syt_edge_kind, or this kind. An arc of the kind SYT_EDGE_PROGRAM leads to the next leaf
 * of a thread, an arc of this kind to the next leaf of a connection. */
#define SYT_ARC_CONNECTION ((uint8_t)SYT_NR_EDGE_KINDS)
#define SYT_NR_ARC_KINDS ((unsigned)SYT_NR_EDGE_KINDS + 1)

/* Returns the name of an arc's kind in text and JSON: the name of the edge kind, or "connection". */
const char *syt_arc_kind_text(uint8_t kind);

/* A leaf: one leaf task, or several consecutive leaf tasks of a thread that were joined. */
struct syt_model_leaf {
	uint32_t label;  /* number of the label: the call path at the begin of the leaf */
	uint32_t thread; /* trace-wide number of the thread */
	uint32_t start;  /* number of the leaf that led to this leaf; SYT_NONE: none, or unknown */
	/* index of the leaf's first leaf task in the array of struct syt_tasks; a test may leave it 0 */
	uint32_t task;
	/* index of the event of the thread at which the work of the leaf arrived: the begin of the leaf, or a joined
	 * point inside of it */
	uint32_t arrived;
	uint8_t kind;     /* kind of the arc from `start` */
	bool is_unseen;   /* the leaf began with work whose sender is unknown */
	bool is_inferred; /* the arc from `start` is inferred */
	bool is_detour;   /* the first leaf of a detour */
};

/* The purpose of the call that begins the leaves of a label. A cycle of arcs begins at the label with the least. */
enum syt_turn { SYT_TURN_READY, SYT_TURN_ACCEPT, SYT_TURN_WAIT, SYT_TURN_RECEIVE, SYT_TURN_OTHER };

struct syt_model_label {
	const char *text; /* "program: function;function;call": untrusted text */
	/* the functions of the program itself, each followed by ';', from malloc; NULL: all functions in `text` */
	char *own;
	uint8_t turn;       /* enum syt_turn */
	uint64_t nr_joined; /* number of joined points (no leaves) with this call path */
};

/* An arc that starts no leaf: a reply, a join, a barrier. */
struct syt_model_inner {
	uint32_t from, to; /* numbers of leaves */
	uint8_t kind;
	bool is_inferred;
};

/* The evidence that work passed from thread to thread along a way that the trace does not contain. */
enum syt_hidden {
	/* a thread found a connection readable, and another thread received the request; no recorded event led from the one
	 * thread to the other */
	SYT_HIDDEN_REQUEST,
	/* threads woke a condition variable for which no thread ever waited, and whose mutex no other thread used */
	SYT_HIDDEN_WAKE,
	SYT_NR_HIDDEN,
};

struct syt_model_hidden {
	const char
		*path;  /* the call path of the receives, or of the last wake-up: untrusted text */
	uint64_t count; /* number of receives, or of wake-ups */
	uint8_t kind;   /* enum syt_hidden */
};

struct syt_model_input {
	uint32_t nr_leaves, nr_labels, nr_threads;
	size_t room_leaves;
	struct syt_model_leaf *leaves;
	struct syt_model_label *labels; /* sorted by text, without duplicates */
	/* [thread]: number of the thread's role; equal numbers for threads that begin with the same function */
	uint32_t *roles;
	uint64_t nr_inner;
	size_t room_inner;
	struct syt_model_inner *inner;
	uint64_t nr_unseen; /* number of leaves whose sender is unknown */
	size_t nr_hidden;
	struct syt_model_hidden *hidden; /* most frequent first, by kind */
	unsigned nr_workers;
	/* the source of the leaves; NULL for a test */
	const struct syt_order *order;
	const struct syt_tasks *tasks;
	struct syt_call_paths *paths; /* owns the texts of the labels */
	bool owns_texts; /* each text of a label is from malloc (decoder/model/merge.h) */
};

void syt_model_input_close(struct syt_model_input *in);

/* Returns the number of leaf tasks of the leaf LEAF. */
uint64_t syt_model_leaf_tasks(const struct syt_model_input *in, uint32_t leaf);

#endif
