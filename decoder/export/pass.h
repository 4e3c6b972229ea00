/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A whole trace as one stream of steps in the order of time, for exporters that draw it. The steps are calls, leaf
 * tasks (decoder/order/task.h) and rounds of barriers, properly nested in each thread.
 *
 * The spans (calls and tasks with a length) of a thread are always disjoint or nested. If a call begins in a task
 * and outlasts the task, the task ends there and is cut: a signal handler interrupted the call and synchronized.
 * Calls overlap only in damaged dumps, and the inner call is then cut at the end of the outer call. If one of two
 * calls lies inside of the other, the task between them has no length and no steps.
 *
 * A happens-before edge leaves at the begin of its source (ENTER, CALL). Its kind determines whether it arrives at
 * the begin or at the end of its target. The end is the TASK that begins there, otherwise the LEAVE or CALL. The
 * source of an edge is thus a step before its target. Memory: for threads, and in the store for rounds and edges.
 */
#ifndef SYT_DECODER_PASS_H
#define SYT_DECODER_PASS_H

#include "decoder/order/task.h"

enum syt_step_kind {
	SYT_STEP_CALL,     /* a call of no length */
	SYT_STEP_ENTER,    /* a call with a length begins */
	SYT_STEP_LEAVE,    /* a call with a length ends */
	SYT_STEP_TASK,     /* a leaf task begins */
	SYT_STEP_TASK_END, /* a leaf task ends */
	SYT_STEP_ROUND     /* a round of a barrier: after its arrivals, before its departures */
};

struct syt_link {
	struct syt_place at;
	uint64_t is_end : 1; /* the edge leaves or arrives at the event's end */
	uint64_t edge : 63;  /* index in the order's edges */
};

/* The edges that leave or arrive at one step. */
struct syt_step_edges {
	uint64_t nr;
	const struct syt_link *all;
};

struct syt_pass_step {
	enum syt_step_kind kind;
	bool is_cut; /* at an end: the recorded span is longer */
	syt_time at;
	struct syt_place of;         /* the call, the call before a task, or the place of a round */
	const struct syt_task *task; /* NULL if the step is not of a task */
	struct syt_step_edges from, to; /* edges that leave and arrive at the step */
};

struct syt_pass;

/* ORDER and TASKS must outlive the pass. */
struct syt_pass *syt_pass_open(const struct syt_order *order, const struct syt_tasks *tasks);
void syt_pass_close(struct syt_pass *p);

/* Returns the next step, valid until the next call; NULL at the end. */
const struct syt_pass_step *syt_pass_next(struct syt_pass *p);

#endif
