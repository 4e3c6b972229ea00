/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Matching: from the history of one object to its happens-before edges.
 *
 * Each matcher is a function in its own file, match_KIND.c. The comment at the top of each file states the rule,
 * why the rule is sound, and the effect of missing events. A matcher reads shared data. A matcher writes only into
 * the edges, the coverage counts and the scratch memory of its struct syt_match. Objects may therefore be matched
 * in any order and, with one struct syt_match per thread, in parallel.
 */
#ifndef SYT_DECODER_MATCH_H
#define SYT_DECODER_MATCH_H

#include "decoder/history/coverage.h"
#include "decoder/history/edge.h"
#include "decoder/history/history.h"
#include "base/store.h"

/* Maximum number of possible sources of an acquire. An acquire with more possible sources stays unattributed. */
#define SYT_AMBIGUOUS_MAX 64u

struct syt_datagrams;

struct syt_match {
	const struct syt_places *places;
	const struct syt_objects *objects;
	const struct syt_histories *histories;
	const struct syt_datagrams *datagrams;
	struct syt_edges *edges;
	struct syt_coverage *coverage;
	uint32_t *of_thread; /* [trace-wide thread]: scratch memory, all 0 between matchers */
};

/* Matches OBJECT by the rule for its kind of object. rules.c has the table of rules. */
void syt_match_object(struct syt_match *m, uint32_t object);

void syt_match_mutex(struct syt_match *m, uint32_t object); /* mutex, spin lock, stdio stream */
void syt_match_rwlock(struct syt_match *m, uint32_t object);
void syt_match_cond(struct syt_match *m, uint32_t object);
void syt_match_sem(struct syt_match *m, uint32_t object);
void syt_match_barrier(struct syt_match *m, uint32_t object);
void syt_match_once(struct syt_match *m, uint32_t object);
void syt_match_team(struct syt_match *m, uint32_t object); /* OpenMP: regions, barriers, tasks */
/* Matches the futexes of the whole trace together, because waiters are moved from one futex to another. */
void syt_match_futexes(struct syt_match *m);
/* Matches a futex that is used as a lock through the kernel (FUTEX_LOCK_PI). */
void syt_match_pi(struct syt_match *m, uint32_t object);
/* Matches the data sent from object FROM to object TO, and the end of file. For a pipe or eventfd, TO is FROM. */
void syt_match_stream(struct syt_match *m, uint32_t from, uint32_t to);
void syt_match_datagram(struct syt_match *m, uint32_t to);
/* flock() locks and record locks (fcntl, lockf) */
void syt_match_filelock(struct syt_match *m, uint32_t object);
void syt_match_queue(struct syt_match *m, uint32_t object);
void syt_match_signal(struct syt_match *m, uint32_t object);
void syt_match_timer(struct syt_match *m, uint32_t object); /* POSIX timers and timerfds */
void syt_match_listen(struct syt_match *m, uint32_t object);
/* Only counts the readiness reports (poll, epoll_wait) for OBJECT, whose causes are not recorded. */
void syt_match_unseen(struct syt_match *m, uint32_t object, enum syt_reason reason);
/* Matches the readiness of the signalfds of the whole trace. Call it after signals and timers are matched. */
void syt_match_signalfds(struct syt_match *m);
/* Matches the pthread_cancel calls of the whole trace. */
void syt_match_cancels(struct syt_match *m);
/* Match thread creation and join, and fork, exec and reap (waitpid), in the whole trace. */
void syt_match_threads(struct syt_match *m);
void syt_match_processes(struct syt_match *m);

/* ---- functions for matchers ---- */

/* The effect of a touch (use by an event) on a mutex. A wait for a condition variable has two touches: it releases
 * the mutex and acquires it again. */
enum syt_mutex_step { SYT_MUTEX_NONE, SYT_MUTEX_ACQUIRE, SYT_MUTEX_RELEASE };
enum syt_mutex_step syt_mutex_step(const struct syt_places *places, const struct syt_touch *t);

/* Adds a happens-before edge without bytes. Returns false if the edge ran backwards in time and was refused. */
bool syt_match_edge(struct syt_match *m, enum syt_edge_kind kind, enum syt_edge_class class,
                    struct syt_place from, struct syt_place to, uint32_t object, unsigned flags);

/* Adds a happens-before edge of class causal, without bytes. */
static inline bool syt_match_cause(struct syt_match *m, enum syt_edge_kind kind,
                                   struct syt_place from, struct syt_place to, uint32_t object,
                                   bool is_ambiguous)
{
	return syt_match_edge(m, kind, SYT_CLASS_CAUSAL, from, to, object,
	                      is_ambiguous ? SYT_EDGE_AMBIGUOUS : 0);
}

/* Adds a happens-before edge between two touches. The member `at` of the touches gives the times at which an edge
 * of KIND begins and ends. */
bool syt_match_edge_between(struct syt_match *m, enum syt_edge_kind kind, enum syt_edge_class class,
                            const struct syt_touch *from, const struct syt_touch *to,
                            uint32_t object, unsigned flags);

static inline void syt_match_acquire(struct syt_match *m)
{
	if (!(++m->coverage->acquires % SYT_STORE_SPARSE))
		syt_store_settle();
	m->edges->nr_paused = 0;
}

/* A matcher counts each acquire with exactly one of the next three functions. */
static inline void syt_match_attributed(struct syt_match *m, bool is_ambiguous)
{
	/* the acquire's edges were refused because of a pause of the recording */
	bool is_hidden_by_pause = m->edges->nr_paused;

	syt_match_acquire(m);
	if (is_hidden_by_pause) {
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

/* Returns the time from which on the trace has all events that may use OBJECT, or UINT64_MAX (never). */
syt_time syt_match_complete_from(const struct syt_match *m, uint32_t object);

/* Returns the end time of the last event of thread T, or 0 if T has no event. */
static inline syt_time syt_match_last_end(const struct syt_thread *t)
{
	return t->nr_rows ? syt_thread_row(t, t->nr_rows - 1)->out : 0;
}

/* Finds the latest exit or exec (SHAPE) of the process image trace->images[IMAGE]. Returns false if the image has
 * neither. */
bool syt_match_find_end(const struct syt_match *m, uint32_t image, enum syt_shape shape,
                        struct syt_place *found);

/* Returns the bits SYT_READY_* that a readiness call (poll, epoll_wait) reported for the fd of touch T. */
uint32_t syt_match_reported(const struct syt_match *m, const struct syt_touch *t);
/* Returns 1 plus the position of the reader of this fd, which a readiness call stores if a sampler is in use; 0: unknown. */
uint64_t syt_match_stored(const struct syt_match *m, const struct syt_touch *t);
/* The reported bits of an fd that is readable, or at its end of file. */
#define SYT_MATCH_READABLE (SYT_READY_IN | SYT_READY_RDHUP | SYT_READY_HUP)

/* Returns true if the trace may lack events of the thread of AT before AT. */
bool syt_match_is_missing_before(const struct syt_match *m, struct syt_place at);

#endif
