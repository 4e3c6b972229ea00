/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The critical path: what determined when something ended, across threads and processes.
 *
 * Found backwards from the end.  A thread is followed through what it ran and the calls that it was
 * in, until a call in which it had waited for somebody: there the path goes on in the thread whose
 * event came last of what the wait needed, at the instant of that event.  The rules are in
 * doc/reports.md.  Segments follow each other without a gap and are as long as the interval, exactly.
 *
 * Memory: 40 bytes for a segment, in the store.  One thread at a time.
 */
#ifndef SYT_DECODER_ANALYSIS_CRITICAL_PATH_H
#define SYT_DECODER_ANALYSIS_CRITICAL_PATH_H

#include "decoder/order/order.h"

/* clang-format off */
#define SYT_PATH_KINDS(KIND) \
	KIND(RUNNING,  "running")   /* between two calls of a thread */                           \
	KIND(CALL,     "call")      /* in a call of which nobody is known to have ended it */     \
	KIND(HANDOVER, "hand-over") /* from what ended a wait to the end of the wait */           \
	KIND(UNKNOWN,  "unknown")   /* before the first event of a thread, and nobody made it */
/* clang-format on */

/* clang-format off */
enum syt_path_kind {
#define KIND(name_, word_) SYT_PATH_##name_,
	SYT_PATH_KINDS(KIND)
#undef KIND
	SYT_NR_PATH_KINDS
};
/* clang-format on */

/* several may have ended the wait, not all in one thread: the last one */
#define SYT_PATH_CHOICE 1u
/* The two ends of the connection are known by inference only, or that it was a child's end that woke who
 * then collected it. */
#define SYT_PATH_INFERRED 2u

struct syt_path_segment {
	syt_time from, to;
	/* RUNNING: the event that it leads to; CALL: the call; HANDOVER: the event that had waited;
	 * UNKNOWN: the first event behind it */
	struct syt_place at;
	uint32_t begin;         /* RUNNING: row of the event that it begins after; else SYT_NONE */
	uint32_t edge;          /* HANDOVER: by which the path came here; else SYT_NONE */
	uint32_t nr_candidates; /* HANDOVER: how many may have been it */
	uint8_t kind;           /* enum syt_path_kind */
	uint8_t flags;          /* SYT_PATH_* */
};

/* Who ended a wait. */
struct syt_path_end {
	/* its source is an event, also when a barrier's round lies between; SYT_NONE: nobody that is known */
	uint32_t edge;
	syt_time at; /* of the source */
	uint32_t nr_candidates;
	uint8_t flags; /* SYT_PATH_* */
};

struct syt_path {
	const struct syt_order *order;
	syt_time from, to;
	syt_time sure_from; /* what came before this instant rests on a choice; 0: nothing does */
	uint64_t nr;
	size_t room;
	struct syt_path_segment *all; /* in the order of time */
	syt_time by_kind[SYT_NR_PATH_KINDS];
	uint64_t nr_handovers, nr_ambiguous, nr_choices, nr_inferred;
	syt_time by_class[SYT_NR_CLASSES]; /* of HANDOVER */
};

/* The path to the end of the event TO, from the instant FROM on.  ORDER must hold all edges, and
 * outlive P.  Returns 0, or -1 when there are too many edges to be numbered (told by syt_warn). */
int syt_path_open(struct syt_path *p, const struct syt_order *order, syt_time from,
                  struct syt_place to);
void syt_path_close(struct syt_path *p);

/* The first event of all and the last; false when there is none. */
bool syt_path_ends(const struct syt_places *places, struct syt_place *first,
                   struct syt_place *last);

/* What ended the wait AT, which is over: what came last of what it needed, if that came during it and
 * from another thread. */
struct syt_path_end syt_path_ended_by(const struct syt_order *order, struct syt_place at);

/* What let the thread of AT, its first event, begin. */
struct syt_path_end syt_path_begun_by(const struct syt_order *order, struct syt_place at);

/* The last edge into the event AT from another thread, whether it waited or not; SYT_NONE: none. */
uint32_t syt_path_preceded_by(const struct syt_order *order, struct syt_place at);

const char *syt_path_word(enum syt_path_kind kind); /* in JSON */

#endif
