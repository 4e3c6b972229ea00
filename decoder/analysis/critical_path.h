/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The critical path: the chain of work and waits, across threads and processes, that determined the end of an
 * event.
 *
 * The search begins at this end and goes backwards in time. The search follows a thread through its running time
 * and its calls, up to a call that waited for another thread. The search goes on in the thread that made the last
 * event that the wait needed, at the time of this event. The path is a list of segments. Each segment is an
 * interval of time in one thread, without gaps between segments, so that all segments together are exactly as long
 * as the path. doc/reports.md has the rules.
 *
 * A segment needs 40 bytes in the store (base/store.h). Only one thread at a time may use a struct syt_path.
 */
#ifndef SYT_DECODER_ANALYSIS_CRITICAL_PATH_H
#define SYT_DECODER_ANALYSIS_CRITICAL_PATH_H

#include "decoder/order/order.h"

/* clang-format off */
#define SYT_PATH_KINDS(KIND) \
	KIND(RUNNING,  "running")   /* the time between two calls of a thread */                           \
	KIND(CALL,     "call")      /* the time in a call that no event is known to have ended */     \
	KIND(HANDOVER, "hand-over") /* from the event that ended a wait to the end of the wait */           \
	KIND(UNKNOWN,  "unknown")   /* before the first event of a thread with unknown creator */             \
	KIND(NOT_SAMPLED, "not-sampled") /* a time in which the sampler left out calls of the thread */

#define SYT_PATH_ID(name_, ...) SYT_PATH_##name_,
enum syt_path_kind { SYT_PATH_KINDS(SYT_PATH_ID) SYT_NR_PATH_KINDS };
/* clang-format on */

/* Flag: events of several threads may have ended the wait, and the path follows the last of these events. */
#define SYT_PATH_CHOICE 1u
/* Flag: the decoder inferred the connection of two sockets, or that the end of a child woke its collector. */
#define SYT_PATH_INFERRED 2u

struct syt_path_segment {
	syt_time from, to;
	/* for RUNNING, UNKNOWN, NOT_SAMPLED: the event after the segment; for CALL: the call; for HANDOVER: the wait */
	struct syt_place at;
	uint32_t begin;         /* RUNNING: index of the event before the segment; else SYT_NONE */
	uint32_t edge;          /* HANDOVER: the happens-before edge of the path; else SYT_NONE */
	uint32_t nr_candidates; /* HANDOVER: number of edges that may have ended the wait */
	uint8_t kind;           /* enum syt_path_kind */
	uint8_t flags;          /* bits SYT_PATH_CHOICE and SYT_PATH_INFERRED */
};

/* The event that ended a wait. */
struct syt_path_end {
	uint32_t edge; /* happens-before edge from this event, or SYT_NONE if none is known */
	syt_time at;   /* time at which this event ended the wait */
	uint32_t nr_candidates;
	uint8_t flags; /* bits SYT_PATH_CHOICE and SYT_PATH_INFERRED */
};

struct syt_path {
	const struct syt_order *order;
	syt_time from, to;
	syt_time
		sure_from; /* the path before this time depends on a choice; 0: no part depends on one */
	uint64_t nr;
	size_t room;
	struct syt_path_segment *all; /* sorted by time */
	syt_time by_kind[SYT_NR_PATH_KINDS];
	uint64_t nr_handovers, nr_ambiguous, nr_choices, nr_inferred;
	syt_time by_class[SYT_NR_CLASSES]; /* hand-off time by class of edge */
};

/* Finds the critical path from the time FROM to the end of the event TO. ORDER must contain all happens-before
 * edges, and outlive P. Returns 0, or -1 after a message (syt_warn) if there are too many edges for a uint32_t. */
int syt_path_open(struct syt_path *p, const struct syt_order *order, syt_time from,
                  struct syt_place to);
void syt_path_close(struct syt_path *p);

/* Finds the first and the last event of the trace. Returns false if the trace has no event. */
bool syt_path_ends(const struct syt_places *places, struct syt_place *first,
                   struct syt_place *last);

/* Returns the last event that the wait AT needed, if another thread made this event during the wait. */
struct syt_path_end syt_path_ended_by(const struct syt_order *order, struct syt_place at);

/* Returns the last edge from another thread into the event AT, or SYT_NONE. The event need not be a wait. */
uint32_t syt_path_preceded_by(const struct syt_order *order, struct syt_place at);

/* Returns true if no recorded event tells what the thread did in a segment of KIND. */
static inline bool syt_path_is_unknown(unsigned kind)
{
	return kind == SYT_PATH_UNKNOWN || kind == SYT_PATH_NOT_SAMPLED;
}

const char *syt_path_word(enum syt_path_kind kind); /* name of KIND in JSON */

#endif
