/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Reachability: tells whether one event happened before another, and by which chain of happens-before edges.
 *
 * The causal graph is stored in rows. A row is a thread or a round of a barrier, with the arcs that leave it in the
 * order of its points. A path that reaches a point of a thread reaches all later points of the thread. A search
 * therefore keeps one point per row, the earliest, and follows each arc at most once. Memory: 16 bytes per edge,
 * and a few per thread.
 *
 * Event X happened before event Y if the begin of X leads to the end of Y. Two waits of one barrier round are thus
 * each before the other.
 *
 * An ambiguous edge may be false. Its target certainly follows only the events that precede all its possible
 * sources. A certain chain therefore passes through such a target if all sources are reached, a possible chain if
 * any source is.
 *
 * Read-only once opened; any thread.
 */
#ifndef SYT_DECODER_REACH_H
#define SYT_DECODER_REACH_H

#include "decoder/order/order.h"

#define SYT_REACH_RUN_AFTER                                                                        \
	1u /* follow also edges of class run-after (order by mutual exclusion) */
/* Follow each source of an ambiguous edge, edges of class inferred, and edges on an inferred connection. */
#define SYT_REACH_POSSIBLE 2u

struct syt_reach_arc {
	syt_time at;    /* time at which the arc leaves its row */
	uint32_t edge;  /* index in the edges */
	uint32_t group; /* number of the set of edges of which at least one is true, or SYT_NONE */
};

struct syt_reach {
	const struct syt_edges *edges;
	bool is_back;     /* arcs lead from targets to sources */
	uint32_t nr_rows; /* threads, then rounds */
	uint32_t nr_groups;
	uint64_t *first; /* [row], and one more for the end */
	struct syt_reach_arc *arcs;
	uint32_t *group_sizes;
};

/* The edges from one event to another, in order. Between two edges lies a thread's own order. */
struct syt_chain {
	uint64_t nr;
	uint32_t *edges;
	uint32_t nr_handoffs; /* number of edges; two edges through a barrier's round count once */
};

/* EDGES must be sorted, and outlive R. IS_BACK: for syt_reach_nearest() to the predecessors of an event. Returns 0,
 * or -1 after a message (syt_warn) if there are too many edges. */
int syt_reach_open(struct syt_reach *r, const struct syt_edges *edges, bool is_back);
void syt_reach_close(struct syt_reach *r);

/* Returns true if FROM happened before TO by edges that FLAGS (SYT_REACH_*) allow. The chain has the fewest
 * hand-offs, and is always the same. Not for an R with IS_BACK. Close the chain in all cases. */
bool syt_reach_find(const struct syt_reach *r, struct syt_place from, struct syt_place to,
                    unsigned flags, struct syt_chain *chain);
void syt_chain_close(struct syt_chain *chain);

/* The first event of a thread that FROM reaches (IS_BACK: the last event that leads to FROM). */
struct syt_nearest {
	struct syt_place place; /* thread SYT_NONE: no event of this thread */
	uint32_t nr_handoffs;   /* number of hand-offs of the shortest chain */
	uint32_t edge;          /* the last edge of the chain; SYT_NONE: the thread's own order */
};

/* Fills NEAREST[thread]. Inferred edges, and with IS_BACK ambiguous edges, need SYT_REACH_POSSIBLE. */
void syt_reach_nearest(const struct syt_reach *r, struct syt_place from, unsigned flags,
                       struct syt_nearest *nearest);

#endif
