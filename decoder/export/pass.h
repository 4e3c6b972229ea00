/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Presents a whole trace as one stream of steps in the order of time, for exporters that draw it. The steps are
 * begins and ends of calls and of leaf tasks (decoder/order/task.h), and rounds of barriers. Begins and ends are
 * properly nested in each thread.
 *
 * The spans (calls and tasks with a length) of a thread are always disjoint or nested. A call may begin in a task
 * and end after it, if a signal handler interrupted the call and synchronized. The task then ends where the call
 * begins, and is marked as cut. Two calls overlap partly only in damaged dumps; the inner call is then cut at the
 * end of the outer call. If one of two consecutive calls lies inside of the other, the task between them has no
 * length and no steps.
 *
 * A happens-before edge leaves at the begin of its source event (a step ENTER or CALL). The kind of the edge
 * determines whether it arrives at the begin or at the end of its target event. The end of an event is the step
 * TASK of a leaf task that begins there, otherwise the step LEAVE or CALL. The source of an edge is thus a step
 * before its target. The pass uses memory for each thread, and in the store (base/store.h) for rounds and edges.
 */
#ifndef SYT_DECODER_PASS_H
#define SYT_DECODER_PASS_H

#include "decoder/export/exporter.h"

enum syt_step_kind {
	SYT_STEP_CALL,     /* a call without a duration */
	SYT_STEP_ENTER,    /* a call with a duration begins */
	SYT_STEP_LEAVE,    /* a call with a duration ends */
	SYT_STEP_TASK,     /* a leaf task begins */
	SYT_STEP_TASK_END, /* a leaf task ends */
	SYT_STEP_ROUND     /* a barrier's round: after the arrivals, before the departures */
};

struct syt_link {
	struct syt_place at;
	uint64_t is_end : 1; /* the edge leaves or arrives at the event's end */
	uint64_t edge : 63;  /* index of the edge in the order's edges */
};

/* The happens-before edges that leave or arrive at one step. */
struct syt_step_edges {
	uint64_t nr;
	const struct syt_link *all;
};

struct syt_pass_step {
	enum syt_step_kind kind;
	bool is_cut; /* at an end: the recorded call or task lasted longer */
	syt_time at;
	/* event of the call, event before a task, or the place of a barrier's round */
	struct syt_place of;
	const struct syt_task *task;    /* leaf task; NULL if the step belongs to no task */
	struct syt_step_edges from, to; /* edges that leave (from) and arrive (to) at the step */
};

struct syt_pass;

/* Opens a pass over the selected part of the trace. X must outlive it. */
struct syt_pass *syt_pass_open(const struct syt_export *x);
void syt_pass_close(struct syt_pass *p);

/* Returns the next step of the pass, valid until the next call; NULL at the end. */
const struct syt_pass_step *syt_pass_next(struct syt_pass *p);

#endif
