/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A whole trace as one stream of steps in the order of time, for who draws it: calls, leaf tasks and
 * the rounds of barriers, thread by thread properly nested.
 *
 * A thread's spans lie inside of each other or beside each other, always.  A task ends, cut, where a
 * call begins that outlasts it: one that a signal handler interrupted, which synchronized. Calls do not
 * overlap but in damaged dumps: there the inner one ends, cut, with the outer one.  A task between two
 * calls of which one lies inside of the other has no length, and no steps.
 *
 * An edge leaves at its source's begin (ENTER, CALL).  It arrives at its target's begin or end, as
 * its kind says; the end is the TASK that begins there, else the LEAVE, or CALL.  So an edge's source is
 * a step before its target.  Needs memory for threads, rounds and edges, the latter two from the store.
 */
#ifndef SYT_DECODER_PASS_H
#define SYT_DECODER_PASS_H

#include "decoder/order/order.h"
#include "decoder/order/task.h"

enum syt_step_kind {
	SYT_STEP_CALL,     /* one of no length */
	SYT_STEP_ENTER,    /* a call begins, */
	SYT_STEP_LEAVE,    /* and ends */
	SYT_STEP_TASK,     /* a leaf task begins, */
	SYT_STEP_TASK_END, /* and ends */
	SYT_STEP_ROUND     /* of a barrier: after its arrivals, before its departures */
};

struct syt_link {
	struct syt_place at;
	uint64_t is_end : 1; /* it leaves, or arrives, at the event's end */
	uint64_t edge : 63;  /* index in the order's edges */
};

/* Edges that leave or arrive at a step. */
struct syt_step_edges {
	uint64_t nr;
	const struct syt_link *all;
};

struct syt_pass_step {
	enum syt_step_kind kind;
	bool is_cut; /* at an end: its span is recorded as longer */
	syt_time at;
	struct syt_place of; /* the call; of a task the call that it begins after; of a round the
	                        edges' name for it: thread SYT_NONE, row its index */
	const struct syt_task *task;    /* NULL for others */
	struct syt_step_edges from, to; /* edges that leave here, and that arrive here */
};

/* It is the begin or the end of a call that took time to acquire something. */
bool syt_step_is_wait(const struct syt_pass_step *s, const struct syt_places *places);

struct syt_pass;

/* ORDER and TASKS must outlive it. */
struct syt_pass *syt_pass_open(const struct syt_order *order, const struct syt_tasks *tasks);
void syt_pass_close(struct syt_pass *p);

/* The next step, valid until the one after it; NULL at the end. */
const struct syt_pass_step *syt_pass_next(struct syt_pass *p);

#endif
