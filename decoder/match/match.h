/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Matching: from the history of one object to its happens-before edges.
 *
 * A matcher is a function in a file of its own, match_KIND.c, which states its rule, why the rule
 * is sound, and what becomes of it when events are missing.  It reads what all share, and writes
 * into the edges, the coverage and the scratch of its struct syt_match; so objects may be matched
 * in any order and, with one struct each, by several threads.
 */
#ifndef SYT_DECODER_MATCH_H
#define SYT_DECODER_MATCH_H

#include "decoder/history/coverage.h"
#include "decoder/history/edge.h"
#include "decoder/history/history.h"
#include "base/store.h"

/* More possible sources than this say nothing: the acquire counts as unattributed. */
#define SYT_AMBIGUOUS_MAX 64u

struct syt_datagrams;

struct syt_match {
	const struct syt_places *places;
	const struct syt_objects *objects;
	const struct syt_histories *histories;
	const struct syt_datagrams *datagrams;
	struct syt_edges *edges;
	struct syt_coverage *coverage;
	uint32_t *of_thread; /* [trace-wide thread]: scratch, all 0 between matchers */
};

/* Matches OBJECT by the rule of its kind: the table in rules.c. */
void syt_match_object(struct syt_match *m, uint32_t object);

void syt_match_mutex(struct syt_match *m, uint32_t object); /* mutex, spin lock, stdio stream */
void syt_match_rwlock(struct syt_match *m, uint32_t object);
void syt_match_cond(struct syt_match *m, uint32_t object);
void syt_match_sem(struct syt_match *m, uint32_t object);
void syt_match_barrier(struct syt_match *m, uint32_t object);
void syt_match_once(struct syt_match *m, uint32_t object);
void syt_match_team(struct syt_match *m, uint32_t object); /* OpenMP: regions, barriers, tasks */
/* Over the whole trace: waiters are moved from one futex to another. */
void syt_match_futexes(struct syt_match *m);
/* A futex as a lock that the kernel hands over (FUTEX_LOCK_PI). */
void syt_match_pi(struct syt_match *m, uint32_t object);
/* FROM's outgoing direction, which its peer (pipes, eventfds: FROM itself) receives; with end of
 * file. */
void syt_match_stream(struct syt_match *m, uint32_t from, uint32_t to);
void syt_match_datagram(struct syt_match *m, uint32_t to);
void syt_match_filelock(struct syt_match *m, uint32_t object); /* flock, record */
void syt_match_queue(struct syt_match *m, uint32_t object);
void syt_match_signal(struct syt_match *m, uint32_t object);
void syt_match_timer(struct syt_match *m, uint32_t object); /* and timerfds */
void syt_match_listen(struct syt_match *m, uint32_t object);
/* Readiness of everything whose making is not seen: only counts. */
void syt_match_unseen(struct syt_match *m, uint32_t object, enum syt_reason reason);
/* Readiness of signalfds: over the whole trace, after its signals and timers. */
void syt_match_signalfds(struct syt_match *m);
/* pthread_cancel: over the whole trace. */
void syt_match_cancels(struct syt_match *m);
/* create and join; fork, exec and reap: over the whole trace. */
void syt_match_threads(struct syt_match *m);
void syt_match_processes(struct syt_match *m);

/* ---- for matchers ---- */

/* What a touch does to a mutex; a cond wait has two of them. */
enum syt_mutex_step { SYT_MUTEX_NONE, SYT_MUTEX_ACQUIRE, SYT_MUTEX_RELEASE };
enum syt_mutex_step syt_mutex_step(const struct syt_places *places, const struct syt_touch *t);

/* Adds an edge without bytes; false when it ran backwards and was refused. */
bool syt_match_edge(struct syt_match *m, enum syt_edge_kind kind, enum syt_edge_class class,
                    struct syt_place from, struct syt_place to, uint32_t object, unsigned flags);

/* The same between two touches whose `at` are the instants between which an edge of KIND runs. */
bool syt_match_edge_between(struct syt_match *m, enum syt_edge_kind kind, enum syt_edge_class class,
                            const struct syt_touch *from, const struct syt_touch *to,
                            uint32_t object, unsigned flags);

static inline void syt_match_acquire(struct syt_match *m)
{
	if (!(++m->coverage->acquires % SYT_STORE_SPARSE))
		syt_store_settle();
	m->edges->nr_dark = 0;
}

/* Each acquire is one of these. */
static inline void syt_match_attributed(struct syt_match *m, bool is_ambiguous)
{
	bool is_dark = m->edges->nr_dark; /* its edges were refused */

	syt_match_acquire(m);
	if (is_dark) {
		m->coverage->unattributed[SYT_REASON_PAUSED]++;
		return;
	}
	m->coverage->attributed++;
	m->coverage->ambiguous += is_ambiguous;
}

static inline void syt_match_unneeded(struct syt_match *m)
{
	syt_match_acquire(m);
	m->coverage->unneeded++;
}

static inline void syt_match_unattributed(struct syt_match *m, enum syt_reason reason)
{
	syt_match_acquire(m);
	m->coverage->unattributed[reason]++;
}

/* From here on no event that might touch OBJECT is missing; UINT64_MAX: that is never certain. */
syt_time syt_match_complete_from(const struct syt_match *m, uint32_t object);

/* The thread of AT has, before AT, events that are missing. */
bool syt_match_is_missing_before(const struct syt_match *m, struct syt_place at);

#endif
