/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Reachability: tells whether one event happened before another, and by which chain of happens-before edges.
 *
 * The causal graph is stored in rows. A row is a thread or a barrier round, with the arcs that leave it, sorted by
 * the point at which they leave. A path that reaches a point of a thread also reaches all later points of the
 * thread. A search therefore keeps only the earliest point per row, and follows each arc at most once. The graph
 * needs 16 bytes of memory per happens-before edge, and a few bytes per thread.
 *
 * Event X happened before event Y if a path leads from the begin of X to the end of Y. Two waits of the same
 * barrier round therefore each happen before the other.
 *
 * An ambiguous happens-before edge has several possible sources and may be false. The target event of such an edge
 * certainly follows only the events that precede all possible sources. A certain chain of edges therefore passes
 * through such a target only if the search has reached all possible sources. A possible chain needs only one of
 * them.
 *
 * Once opened, a struct syt_reach is read-only, and any thread may read it.
 */
#ifndef SYT_DECODER_REACH_H
#define SYT_DECODER_REACH_H

#include "decoder/order/order.h"

#define SYT_REACH_RUN_AFTER                                                                        \
	1u /* follow also edges that only mean mutual exclusion (class run-after) */
/* Follow each possible source of an ambiguous edge, edges of the class inferred, and edges on an inferred
 * connection. */
#define SYT_REACH_POSSIBLE 2u

struct syt_reach_arc {
	syt_time at;    /* time at which the arc leaves its thread or barrier round */
	uint32_t edge;  /* index in edges->all */
	uint32_t group; /* number of the set of edges of which at least one is true, or SYT_NONE */
};

struct syt_reach {
	const struct syt_edges *edges;
	bool is_back;     /* arcs lead from the targets to the sources of edges */
	uint32_t nr_rows; /* number of threads plus number of barrier rounds */
	uint32_t nr_groups;
	uint64_t *first; /* [row], and one more for the end: index of the row's first arc */
	struct syt_reach_arc *arcs;
	uint32_t *group_sizes;
};

/* The happens-before edges that lead from one event to another, in order. Between two of these edges, the order of
 * events within one thread leads from the target of the first edge to the source of the next edge. */
struct syt_chain {
	uint64_t nr;
	uint32_t *edges;
	uint32_t nr_handoffs; /* number of edges; two edges through a barrier round count once */
};

/* Builds the graph R of EDGES, which must be sorted and outlive R. With IS_BACK, R is for syt_reach_nearest() from
 * an event to its predecessors. Returns 0, or -1 after a message (syt_warn) if there are too many edges. */
int syt_reach_open(struct syt_reach *r, const struct syt_edges *edges, bool is_back);
void syt_reach_close(struct syt_reach *r);

/* Returns true if the event FROM happened before the event TO by edges that FLAGS (SYT_REACH_*) allow. CHAIN
 * becomes a chain of edges with the fewest hand-offs. The search finds the same chain every time. R must not be
 * opened with IS_BACK. The caller must close CHAIN in all cases. */
bool syt_reach_find(const struct syt_reach *r, struct syt_place from, struct syt_place to,
                    unsigned flags, struct syt_chain *chain);
void syt_chain_close(struct syt_chain *chain);

/* The first event of one thread that a search from the event FROM reaches. For a graph opened with IS_BACK, the
 * last event of one thread that leads to FROM. */
struct syt_nearest {
	struct syt_place place; /* thread SYT_NONE: the search reached no event of this thread */
	uint32_t nr_handoffs;   /* number of hand-offs on the shortest chain to this event */
	uint32_t edge;          /* last edge of the chain; SYT_NONE: the thread's own order */
};

/* Fills NEAREST[thread] for every thread, by a search from the event FROM. The search follows inferred edges only
 * with the flag SYT_REACH_POSSIBLE, and backwards also ambiguous edges only with this flag. */
void syt_reach_nearest(const struct syt_reach *r, struct syt_place from, unsigned flags,
                       struct syt_nearest *nearest);

#endif
