/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The critical path: the chain of work and waits, across threads and processes, that determined the end of an event.
 *
 * The search begins at the end and goes backwards.  It follows a thread through its running time and its calls, up to a
 * call that waited for another thread.  There it goes on in the thread with the last event that the wait needed, at the
 * time of this event.  The rules are in doc/reports.md.  Segments have no gaps; together they are exactly as long as the
 * interval.
 *
 * Memory: 40 bytes for a segment, in the store.  One thread at a time.
 */
#ifndef SYT_DECODER_ANALYSIS_CRITICAL_PATH_H
#define SYT_DECODER_ANALYSIS_CRITICAL_PATH_H

#include "decoder/order/order.h"

/* clang-format off */
#define SYT_PATH_KINDS(KIND) \
	KIND(RUNNING,  "running")   /* between two calls of a thread */                           \
	KIND(CALL,     "call")      /* in a call that no event is known to have ended */     \
	KIND(HANDOVER, "hand-over") /* from the event that ended a wait to the end of the wait */           \
	KIND(UNKNOWN,  "unknown")   /* before the first event of a thread with unknown creator */

enum syt_path_kind {
#define KIND(name_, word_) SYT_PATH_##name_,
	SYT_PATH_KINDS(KIND)
#undef KIND
	SYT_NR_PATH_KINDS
};
/* clang-format on */

/* several events of several threads may have ended the wait; this is the last of them */
#define SYT_PATH_CHOICE 1u
/* The pair of connection ends is inferred, or it is inferred that the end of a child woke the thread that then collected
 * it. */
#define SYT_PATH_INFERRED 2u

struct syt_path_segment {
	syt_time from, to;
	/* RUNNING: the event that it leads to; CALL: the call; HANDOVER: the event that had waited;
	 * UNKNOWN: the next event */
	struct syt_place at;
	uint32_t begin;         /* RUNNING: row of the event that it begins after; else SYT_NONE */
	uint32_t edge;          /* HANDOVER: the edge that the path follows; else SYT_NONE */
	uint32_t nr_candidates; /* HANDOVER: the number of edges that may have ended the wait */
	uint8_t kind;           /* enum syt_path_kind */
	uint8_t flags;          /* SYT_PATH_* */
};

/* The event that ended a wait. */
struct syt_path_end {
	/* its source is an event, also across a barrier's round; SYT_NONE: no known event */
	uint32_t edge;
	syt_time at; /* of the source */
	uint32_t nr_candidates;
	uint8_t flags; /* SYT_PATH_* */
};

struct syt_path {
	const struct syt_order *order;
	syt_time from, to;
	syt_time sure_from; /* the path before this time depends on a choice; 0: no part does */
	uint64_t nr;
	size_t room;
	struct syt_path_segment *all; /* in the order of time */
	syt_time by_kind[SYT_NR_PATH_KINDS];
	uint64_t nr_handovers, nr_ambiguous, nr_choices, nr_inferred;
	syt_time by_class[SYT_NR_CLASSES]; /* of HANDOVER */
};

/* Finds the path from the time FROM to the end of the event TO.  ORDER must hold all edges, and outlive P.  Returns 0, or
 * -1 after a message (syt_warn) if there are too many edges to be numbered. */
int syt_path_open(struct syt_path *p, const struct syt_order *order, syt_time from,
                  struct syt_place to);
void syt_path_close(struct syt_path *p);

/* Finds the first and the last event of all.  Returns false if there is none. */
bool syt_path_ends(const struct syt_places *places, struct syt_place *first,
                   struct syt_place *last);

/* Returns the event that ended the wait AT: the last event that the wait needed, if it came from another thread during the
 * wait. */
struct syt_path_end syt_path_ended_by(const struct syt_order *order, struct syt_place at);

/* Returns the last edge into the event AT from another thread, even if AT did not wait; SYT_NONE: none. */
uint32_t syt_path_preceded_by(const struct syt_order *order, struct syt_place at);

const char *syt_path_word(enum syt_path_kind kind); /* in JSON */

#endif
