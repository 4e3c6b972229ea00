/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The order of a whole trace: objects, histories, peers, happens-before edges, coverage. Most reports use it. The
 * same trace always gives the same edges in the same order.
 */
#ifndef SYT_DECODER_ORDER_H
#define SYT_DECODER_ORDER_H

#include "decoder/history/coverage.h"
#include "decoder/match/datagram.h"
#include "decoder/history/history.h"

/*
 * The evidence for a queue of the program, through which threads hand off items (decoder/order/handoff.h): a mutex,
 * and the object that threads wait for when the queue is empty.
 */
struct syt_queue {
	uint32_t mutex, through; /* trace-wide objects */
	uint64_t nr_put,
		nr_taken; /* critical sections that put an item in, and that took an item */
	/* critical sections between two instants with an empty queue: as many puts as takes, or not */
	uint64_t nr_agree, nr_disagree;
	bool is_balanced; /* in total, as many items were taken as put in */
	uint32_t depth;   /* number of innermost frames that distinguish the critical sections */
};

struct syt_handoffs {
	size_t nr, room;
	struct syt_queue *queues;
};

struct syt_order {
	struct syt_places places;
	struct syt_objects objects;
	struct syt_histories histories;
	struct syt_datagrams datagrams;
	struct syt_edges edges; /* sorted by time of the target */
	struct syt_coverage coverage;
	struct syt_handoffs handoffs; /* empty until syt_handoffs_infer() */
};

/* TRACE must outlive O. Returns 0, or -1 after a message (syt_warn) if the trace has too many objects or rows. */
int syt_order_open(struct syt_order *o, const struct syt_trace_data *trace);

/* Opens the order, but holds only the WANTED edges. All edges are counted. A sparse trace holds no edges of locks. */
int syt_order_open_for(struct syt_order *o, const struct syt_trace_data *trace,
                       struct syt_edges_wanted wanted);
void syt_order_close(struct syt_order *o);

/* The source of an acquire without an edge from another thread. */
enum syt_source {
	SYT_SOURCE_UNNEEDED,        /* no source is needed, or the event is no acquire */
	SYT_SOURCE_PERHAPS_UNKNOWN, /* some acquires of the object lack a source, others need none */
	SYT_SOURCE_UNKNOWN,         /* all acquires of the object without an edge lack a source */
};

/* Matches the object of AT again to find the source. *REASON: why most acquires of this object lack a source. */
enum syt_source syt_order_source_of(const struct syt_order *o, struct syt_place at,
                                    enum syt_reason *reason);

/* Writes "3.0.17" or, for a barrier's round, "barrier:0x..#0@4". BYTES should be SYT_NODE_TEXT. */
#define SYT_NODE_TEXT 80
int syt_order_node_text(const struct syt_order *o, struct syt_place at, char *text, size_t bytes);

#endif
