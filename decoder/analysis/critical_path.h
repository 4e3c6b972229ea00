/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The critical path: the chain of work and waits, across threads and processes, that determined the end of an
 * event.
 *
 * The search begins at the end and goes backwards in time. It follows a thread through its running time and its
 * calls, up to a call that waited for another thread. The search goes on in the thread that made the last event
 * which the wait needed, at the time of this event. The path is a list of segments: intervals in one thread without
 * gaps, together exactly as long as the path. doc/reports.md has the rules.
 *
 * Memory: 40 bytes for a segment, in the store. One thread at a time.
 */
#ifndef SYT_DECODER_ANALYSIS_CRITICAL_PATH_H
#define SYT_DECODER_ANALYSIS_CRITICAL_PATH_H

#include "decoder/order/order.h"

/* clang-format off */
#define SYT_PATH_KINDS(KIND) \
	KIND(RUNNING,  "running")   /* the time between two calls of a thread */                           \
	KIND(CALL,     "call")      /* the time in a call that no event is known to have ended */     \
	KIND(HANDOVER, "hand-over") /* from the event that ended a wait to the end of the wait */           \
	KIND(UNKNOWN,  "unknown")   /* before the first event of a thread with unknown creator */

#define SYT_PATH_ID(name_, ...) SYT_PATH_##name_,
enum syt_path_kind { SYT_PATH_KINDS(SYT_PATH_ID) SYT_NR_PATH_KINDS };
/* clang-format on */

/* Events of several threads may have ended the wait. The path follows the last event. */
#define SYT_PATH_CHOICE 1u
/* The decoder inferred which sockets form the connection, or that the end of a child process woke its collector. */
#define SYT_PATH_INFERRED 2u

struct syt_path_segment {
	syt_time from, to;
	/* RUNNING, UNKNOWN: the event after the segment; CALL: the call; HANDOVER: the wait */
	struct syt_place at;
	uint32_t begin;         /* RUNNING: row of the event before the segment; else SYT_NONE */
	uint32_t edge;          /* HANDOVER: the happens-before edge of the path; else SYT_NONE */
	uint32_t nr_candidates; /* HANDOVER: the number of edges that may have ended the wait */
	uint8_t kind;           /* enum syt_path_kind */
	uint8_t flags;          /* SYT_PATH_* */
};

/* The event that ended a wait. */
struct syt_path_end {
	uint32_t edge; /* the happens-before edge from this event; SYT_NONE: no known event */
	syt_time at;   /* time of this event */
	uint32_t nr_candidates;
	uint8_t flags; /* SYT_PATH_* */
};

struct syt_path {
	const struct syt_order *order;
	syt_time from, to;
	syt_time
		sure_from; /* the path before this time depends on a choice; 0: no part depends on one */
	uint64_t nr;
	size_t room;
	struct syt_path_segment *all; /* in the order of time */
	syt_time by_kind[SYT_NR_PATH_KINDS];
	uint64_t nr_handovers, nr_ambiguous, nr_choices, nr_inferred;
	syt_time by_class[SYT_NR_CLASSES]; /* HANDOVER only */
};

/* Finds the path from the time FROM to the end of the event TO. ORDER must hold all happens-before edges, and
 * outlive P. Returns 0, or -1 after a message (syt_warn) if there are too many edges for a uint32_t. */
int syt_path_open(struct syt_path *p, const struct syt_order *order, syt_time from,
                  struct syt_place to);
void syt_path_close(struct syt_path *p);

/* Finds the first and the last event of the trace. Returns false if the trace has no event. */
bool syt_path_ends(const struct syt_places *places, struct syt_place *first,
                   struct syt_place *last);

/* Returns the last event that the wait AT needed, if another thread made this event during the wait. */
struct syt_path_end syt_path_ended_by(const struct syt_order *order, struct syt_place at);

/* Returns the last edge into the event AT from another thread, or SYT_NONE. The event need not be a wait. */
uint32_t syt_path_preceded_by(const struct syt_order *order, struct syt_place at);

const char *syt_path_word(enum syt_path_kind kind); /* in JSON */

#endif
