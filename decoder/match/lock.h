/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The rule for mutexes (match_mutex.c), fed with one touch at a time, because the touches of a
 * sparse trace are never all in memory.
 */
#ifndef SYT_DECODER_LOCK_H
#define SYT_DECODER_LOCK_H

#include "decoder/match/match.h"

struct syt_lock {
	uint32_t object;
	uint32_t holder; /* trace-wide thread, or SYT_NONE */
	uint32_t depth;  /* recursion depth of a recursive mutex */
	bool is_begun;
	bool is_complete; /* no event on it is missing */
	bool is_foreign;  /* a thread unlocked it without having locked it: it orders nothing */
	bool has_release;
	uint64_t nr_resumes;      /* pauses that ended before the last touch */
	struct syt_touch release; /* its last unlock */
	/* Acquisitions: first: no release before; same: after a release by the same thread; after:
	 * after a release by another thread; again: by the present holder. */
	uint64_t nr_first, nr_same, nr_after, nr_again;
};

void syt_lock_open(struct syt_lock *l, uint32_t object);

/* Processes the next touch of the lock's history. If T acquires the lock after another thread's
 * release, returns that release; it is valid until the next call. Otherwise returns NULL. */
const struct syt_touch *syt_lock_meet(struct syt_lock *l, const struct syt_match *m,
                                      const struct syt_touch *t);

/* After the last touch: returns true if the releases that syt_lock_meet() returned make edges. */
bool syt_lock_is_ordered(const struct syt_lock *l, const struct syt_match *m);

/* After the last touch: counts the acquisitions, and the edges if the set does not hold them. */
void syt_lock_count(const struct syt_lock *l, struct syt_match *m);

#endif
