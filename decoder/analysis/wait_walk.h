/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Walks through the events of a thread in the order of time, and divides its time into waits, time on a processor and
 * other time. The parts are disjoint; their sum is the wall time of the thread. */
#ifndef SYT_DECODER_ANALYSIS_WAIT_WALK_H
#define SYT_DECODER_ANALYSIS_WAIT_WALK_H

#include "decoder/analysis/blocked.h"
#include "decoder/analysis/classify.h"

struct syt_wait {
	struct syt_place at; /* its event; thread SYT_NONE: the call had not returned */
	struct syt_wait_reason why;
	syt_time from, to;
};

struct syt_wait_walk {
	/* set by the caller; the other members are 0 at first */
	const struct syt_order *order;
	const struct syt_blamer *blamer;
	const struct syt_services *services;
	const struct syt_blocked *blocked; /* NULL: no wait has the reason STUCK */
	void (*add)(void *context, const struct syt_wait *wait);
	void *context;

	/* results */
	syt_time begin, at; /* begin and end of the thread's time */
	syt_time on_cpu, off_cpu, unmeasured;

	/* state of the walk */
	uint32_t number; /* trace-wide index of the thread */
	const struct syt_thread *thread;
	/* The following members describe the time since the last measurement of CPU time. */
	bool is_measured;
	uint64_t cpu_ns;
	syt_time ran; /* time outside of waits since then */
	unsigned nr_waits;
};

/* Returns true if the trace contains the begin of the thread T, when T had used no CPU time. */
bool syt_wait_walk_is_measured(const struct syt_thread *t);

/* Walks through the events of the thread NUMBER (trace-wide index), which has events. */
void syt_wait_walk(struct syt_wait_walk *k, uint32_t number);

#endif
