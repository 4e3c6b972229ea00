/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The matching rule for mutexes (match_mutex.c). The code processes one use of the mutex (touch) after another,
 * because the events of a sparse trace are never all in memory at once. */
#ifndef SYT_DECODER_LOCK_H
#define SYT_DECODER_LOCK_H

#include "decoder/match/match.h"

struct syt_lock {
	uint32_t object;
	uint32_t holder; /* trace-wide number of the thread that holds the lock, or SYT_NONE */
	uint32_t depth;  /* recursion depth of a recursive mutex */
	uint64_t part;   /* part of the holder's events in which it took the lock */
	/* in a sampled trace, another thread released the lock after the holder had taken it */
	bool is_contradicted;
	bool is_begun;
	bool is_sampled; /* of the object; set by the first touch, as are the next members */
	const struct syt_window *window; /* of the object's host */
	bool is_complete; /* no event on the lock is missing in the trace */
	bool is_foreign;  /* a thread unlocked it without having locked it, so it orders nothing */
	bool has_release;
	uint64_t nr_resumes;      /* number of recording pauses that ended before the last touch */
	struct syt_touch release; /* the last unlock of the lock */
	/* numbers of acquisitions: without an earlier release (first), after a release by the same thread (same),
	 * after a release by another thread (after), by the thread that already holds the lock (again) */
	uint64_t nr_first, nr_same, nr_after, nr_again;
};

void syt_lock_open(struct syt_lock *l, uint32_t object);

/* Processes the next touch T in the history of the lock. If T acquires the lock after a release by another thread,
 * returns the touch of this release, which is valid until the next call. Returns NULL for any other touch T. */
const struct syt_touch *syt_lock_meet(struct syt_lock *l, const struct syt_match *m,
                                      const struct syt_touch *t);

/* Returns true if the releases that syt_lock_meet() returned make happens-before edges. Call it after all
 * touches. */
bool syt_lock_is_ordered(const struct syt_lock *l, const struct syt_match *m);

/* Counts the acquisitions of the lock. The function also counts the edges, if the set of edges does not store them.
 * Call it after the last touch. */
void syt_lock_count(const struct syt_lock *l, struct syt_match *m);

#endif
