/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Follows the locks that a thread holds, event by event.
 *
 *	syt_lock_walk_begin(&w);
 *	for each row:
 *		syt_lock_walk_reach(&w, t, row);
 *		is_taken = syt_lock_walk_see(&w, at, &taken);	// W has the locks that the thread holds while it waits in AT
 *		if (is_taken)
 *			syt_lock_walk_take(&w, at, &taken);	// W has the locks that it holds after AT
 *	syt_lock_walk_leave(t, row);
 */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_WALK_H
#define SYT_DECODER_REPORT_LOCK_ORDER_WALK_H

#include "decoder/analysis/lockset.h"

#define SYT_LOCK_WALK_ROWS                                                                         \
	65536u /* number of events of a sparse trace that are in memory at a time */

struct syt_lock_walk_held {
	uint32_t object, depth;
	struct syt_place acquire;
	bool is_shared;
};

struct syt_lock_walk {
	/* the last call that took a lock, and syt_call_may_wait_for_ever() of it, which compares names */
	const struct syt_call_info *call;
	bool call_may_wait;
	const struct syt_order *order;
	const struct syt_lockset *locks;
	const bool *is_out; /* [object]: not examined, because its holders are unknown */
	uint64_t part;      /* part of the thread's events (decoder/read/part.h) */
	uint64_t nr_resumes;
	size_t nr, room;
	struct syt_lock_walk_held *held;
};

/* A lock that the thread did not hold yet. */
struct syt_lock_walk_taken {
	uint32_t object;
	bool is_shared;
	bool may_wait; /* the thread takes the lock by a call without a timeout */
};

void syt_lock_walk_begin(struct syt_lock_walk *w);
void syt_lock_walk_end(struct syt_lock_walk *w); /* frees the memory of W */

/* Examines the thread's next event AT. Returns true if the thread takes the lock TAKEN in it. */
bool syt_lock_walk_see(struct syt_lock_walk *w, struct syt_place at,
                       struct syt_lock_walk_taken *taken);
/* Does the work of syt_lock_walk_reach(), every SYT_LOCK_WALK_ROWS events. */
void syt_lock_walk_load(const struct syt_lock_walk *w, const struct syt_thread *t, uint64_t row);
/* Ends a walk that has read the events of T before ROW: frees the last of them. */
void syt_lock_walk_leave(const struct syt_thread *t, uint64_t row);
void syt_lock_walk_take(struct syt_lock_walk *w, struct syt_place at,
                        const struct syt_lock_walk_taken *taken);

/* In a sparse trace, has the events of T from ROW on in memory, and frees the events that the walk has read. ROW is the
 * next one. */
static inline void syt_lock_walk_reach(const struct syt_lock_walk *w, const struct syt_thread *t,
                                       uint64_t row)
{
	if (t->kept && !(row % SYT_LOCK_WALK_ROWS))
		syt_lock_walk_load(w, t, row);
}

/* Returns true if events of thread T are missing, so that its held locks are unknown. */
bool syt_lock_walk_is_blind(const struct syt_thread *t);

#endif
