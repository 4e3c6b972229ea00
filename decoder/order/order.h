/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The order of a whole trace: its sync objects, histories, socket pairs, happens-before edges and coverage.
 * Most reports use this structure. The same trace always gives the same edges in the same order. */
#ifndef SYT_DECODER_ORDER_H
#define SYT_DECODER_ORDER_H

#include "decoder/history/coverage.h"
#include "decoder/match/datagram.h"
#include "decoder/history/history.h"

/* The evidence for a queue of the program, through which threads hand off items (decoder/order/handoff.h). The
 * queue is named by its mutex, and by the object that threads wait for when the queue is empty. */
struct syt_queue {
	uint32_t mutex, through; /* trace-wide objects: the mutex and its wait object */
	uint64_t nr_put,
		nr_taken; /* number of critical sections that put an item, and that took an item */
	/* critical sections between two times with an empty queue, with as many puts as takes (agree) or not */
	uint64_t nr_agree, nr_disagree;
	bool is_balanced; /* over the whole trace, as many items were taken as were put in */
	uint32_t depth;   /* number of innermost frames of the call paths of sections */
};

struct syt_handoffs {
	size_t nr, room;
	struct syt_queue *queues;
	/* mutexes that are, with a condition variable, a lock in disguise: each thread puts back what it took. A mutex
	 * may occur several times. */
	size_t nr_locks, room_locks;
	uint32_t *locks;
};

struct syt_order {
	struct syt_places places;
	struct syt_objects objects;
	struct syt_histories histories;
	struct syt_datagrams datagrams;
	struct syt_edges edges; /* sorted by the time of the edge's target */
	struct syt_coverage coverage;
	struct syt_handoffs handoffs; /* empty until syt_handoffs_infer() is called */
	syt_time *ends;               /* [process image]: decoder/order/end.h */
	syt_time
		end; /* the last event, or the last end of an image with a call that had not returned */
	bool is_branch; /* only the edges and the hand-offs belong to this order: syt_order_branch() */
};

/* Orders the whole trace TRACE, which must outlive O. Returns 0, or -1 after a message (syt_warn) if the trace has
 * too many objects, threads or events. */
int syt_order_open(struct syt_order *o, const struct syt_trace_data *trace);

/* Orders the trace like syt_order_open(), but stores only the WANTED happens-before edges. All edges are counted.
 * For a sparse trace, the edges of locks are never stored. */
int syt_order_open_for(struct syt_order *o, const struct syt_trace_data *trace,
                       struct syt_edges_wanted wanted);
/* Opens O, an order of the trace of FROM with the WANTED happens-before edges and without hand-offs. The trace is not matched again
 * if FROM has these edges. FROM must outlive O; changes of the edges of one order do not change the other one. Returns 0, or -1 after a
 * message (syt_warn). */
int syt_order_branch(struct syt_order *o, const struct syt_order *from,
                     struct syt_edges_wanted wanted);
/* The same for the last recorded period of a paused trace, instead of the longest one (decoder/history/window.h). */
int syt_order_open_last(struct syt_order *o, const struct syt_trace_data *trace,
                        struct syt_edges_wanted wanted);
void syt_order_close(struct syt_order *o);

/* Returns the end of the thread NUMBER (trace-wide): its last event, or the end of its image if a call has not returned. */
static inline syt_time syt_order_thread_end(const struct syt_order *o, uint32_t number)
{
	const struct syt_thread *t = o->places.threads[number];

	return t->waiting.since ? o->ends[t->image - o->places.trace->images] : t->last;
}

/* Why an acquire has no happens-before edge from another thread. */
enum syt_source {
	SYT_SOURCE_UNNEEDED, /* the acquire needs no other thread, or the event is not an acquire */
	SYT_SOURCE_PERHAPS_UNKNOWN, /* some acquires of the object lack a source, others need none */
	SYT_SOURCE_UNKNOWN, /* every acquire of the object without an edge has an unknown source */
};

/* Matches the object of the event AT again, to find out why AT has no happens-before edge. *REASON gets the most
 * frequent reason for an unknown source among the acquires of this object. */
enum syt_source syt_order_source_of(const struct syt_order *o, struct syt_place at,
                                    enum syt_reason *reason);

/* Writes the name of an event, "3.0.17", or of a barrier round, "barrier:0x..#0@4". BYTES should be
 * SYT_NODE_TEXT. */
#define SYT_NODE_TEXT 80
int syt_order_node_text(const struct syt_order *o, struct syt_place at, char *text, size_t bytes);

#endif
