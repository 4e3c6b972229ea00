/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Where the latency of a task goes.
 *
 * The time between the begin and the end of each occurrence is divided among calls and parts. A walk begins at the leaf
 * that ends last, and goes back to the begin of the occurrence. If a leaf of the occurrence in another thread ended a
 * call, the walk goes on in that thread. The times therefore do not overlap; their sum is the latency.
 */
#ifndef SYT_DECODER_MODEL_LATENCY_H
#define SYT_DECODER_MODEL_LATENCY_H

#include "base/counts.h"
#include "decoder/model/model.h"

enum syt_cost_kind {
	SYT_COST_IN,    /* in the call with the call path `path` */
	SYT_COST_AFTER, /* running after this call, until the next call of the thread */
	/* the same, in work of the thread that is no part of the occurrence: the occurrence waits for its turn */
	SYT_COST_BEHIND_IN,
	SYT_COST_BEHIND_AFTER,
};

struct syt_model_cost {
	uint32_t path; /* number of a call path in in->paths */
	uint32_t
		until; /* SYT_COST_AFTER: call path of the next call of the thread; otherwise SYT_NONE */
	uint8_t kind;  /* enum syt_cost_kind */
	syt_time time; /* sum over all occurrences */
};

struct syt_model_latency {
	syt_time all; /* sum of the latencies of all occurrences */
	size_t nr, room;
	struct syt_model_cost *costs; /* the longest first; then by text */
	syt_time *
		parts; /* [number of the part in the task]: time in leaves of this part, and in their calls */
	/* the same for the leaves with one label: (label, path of a call that ends no leaf) -> time in this call; (label,
	 * SYT_NONE) -> all other time */
	struct syt_counts leaves;
	/* (kind and number of the part in the task, call path) -> time of the part; the kind is in the upper 32 bits */
	struct syt_counts places;
};

struct syt_model_walker;
/* Creates the data that the function below shares between tasks. M must outlive it, and its input has a trace. */
struct syt_model_walker *syt_model_walker_create(const struct syt_model *m);
void syt_model_walker_destroy(struct syt_model_walker *w);

/* Divides the latency of the occurrences of TASK. */
void syt_model_latency_open(struct syt_model_latency *l, struct syt_model_walker *w, uint32_t task);
void syt_model_latency_close(struct syt_model_latency *l);

#endif
