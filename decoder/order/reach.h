/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Reachability: whether one event happened before another, and by which chain of edges.
 *
 * The causal graph in compressed rows: a row is a thread, or a barrier's round; it holds the arcs
 * that leave it, in the order of its points.  A thread's own order needs no arcs: who reaches a
 * point of a thread reaches all that follow it, so a search keeps one point per row, the first that
 * is reached, and looks at every arc once at most.  Memory: 16 bytes for an edge, some for a
 * thread.
 *
 * Event X happened before event Y when the begin of X leads to the end of Y.  Two events may each
 * have begun before the other ended: those who meet at a barrier.
 *
 * An ambiguous edge is true or not; its target follows for certain what all the possible sources of
 * it follow.  So a certain chain passes through such a target when every one of the sources is
 * reached, and a possible one when any is.
 *
 * Read-only once opened; any thread.
 */
#ifndef SYT_DECODER_REACH_H
#define SYT_DECODER_REACH_H

#include "decoder/order/order.h"

#define SYT_REACH_RUN_AFTER 1u /* also order that mutual exclusion made by chance */
/* Any source of an ambiguous edge will do, and edges that are inferred, or whose connection is known by
 * inference only. */
#define SYT_REACH_POSSIBLE 2u

struct syt_reach_arc {
	syt_time at;    /* when it leaves its row */
	uint32_t edge;  /* index in the edges */
	uint32_t group; /* of an ambiguous edge: with the others into the same event; else SYT_NONE
	                 */
};

struct syt_reach {
	const struct syt_edges *edges;
	bool is_back;     /* arcs are taken from their targets to their sources */
	uint32_t nr_rows; /* threads, then rounds */
	uint32_t nr_groups;
	uint64_t *first; /* [row], and one more: the end */
	struct syt_reach_arc *arcs;
	uint32_t *group_sizes;
};

/* The edges from one event to the other, in order; between them lies a thread's own order. */
struct syt_chain {
	uint64_t nr;
	uint32_t *edges;
	uint32_t nr_handoffs; /* edges, of those through a round one */
};

/* EDGES must be sorted, and outlive R. IS_BACK: for syt_reach_nearest() of what led to an event.
 * Returns 0, or -1 when there are too many edges to be numbered (told by syt_warn). */
int syt_reach_open(struct syt_reach *r, const struct syt_edges *edges, bool is_back);
void syt_reach_close(struct syt_reach *r);

/* Whether FROM happened before TO, by edges that FLAGS (SYT_REACH_*) let pass: by a chain with the
 * fewest hand-offs, always the same one. Not IS_BACK. The chain is freed with syt_chain_close(),
 * also when there is none. */
bool syt_reach_find(const struct syt_reach *r, struct syt_place from, struct syt_place to,
                    unsigned flags, struct syt_chain *chain);
void syt_chain_close(struct syt_chain *chain);

/* The event of a thread that FROM reaches first (IS_BACK: the last one that leads to it). */
struct syt_nearest {
	struct syt_place place; /* thread SYT_NONE: none of this thread */
	uint32_t nr_handoffs;   /* of the shortest chain to it */
	uint32_t edge;          /* by which it is reached; SYT_NONE: by its thread's own order */
};

/* NEAREST[trace-wide thread]; an ambiguous edge counts only with SYT_REACH_POSSIBLE when IS_BACK,
 * one that is inferred only with it anyway. */
void syt_reach_nearest(const struct syt_reach *r, struct syt_place from, unsigned flags,
                       struct syt_nearest *nearest);

#endif
