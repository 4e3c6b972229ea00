/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The locks of a sparse trace, which stores plain lock and unlock events compressed (decoder/read/sparse.h). One pass
 * goes through all these events in time order, and collects the events of each mutex, spin lock and stdio stream. */
#ifndef SYT_DECODER_LOCKS_H
#define SYT_DECODER_LOCKS_H

#include "decoder/match/match.h"

/* Returns true if the history of an object of KIND omits plain events in a sparse trace. */
static inline bool syt_locks_have(enum syt_kind kind)
{
	return kind == SYT_KIND_MUTEX || kind == SYT_KIND_SPIN || kind == SYT_KIND_STDIO;
}

/* One pass through the uses of locks, for a caller that does not need the whole history of a lock in memory. */
struct syt_locks_visit {
	const struct syt_places *places;
	const struct syt_objects *objects;
	const struct syt_histories *histories;
	/* [object]: its touches are passed on. NULL: those of all locks with plain events, in a sparse trace */
	const bool *is_wanted;
	/* Takes the next NR touches of OBJECT, which follow those of the call before in the order of a history. Calls
	 * for different objects may be made at the same time. The touches are gone after the call. */
	void (*meet)(void *context, uint32_t object, const struct syt_touch *t, uint64_t nr);
	void *context;
};

/* Passes all touches of the wanted objects to V->meet. Uses all workers of the trace. */
void syt_locks_visit(const struct syt_locks_visit *v);

/* Completes the histories of the wanted locks ([object]). Has no effect if the trace is full. */
void syt_locks_complete(const struct syt_places *places, const struct syt_objects *objects,
                        const struct syt_histories *histories, const bool *is_wanted);
/* The same for one object. Each call is a pass through the trace, unless the history is complete. */
void syt_locks_complete_one(const struct syt_places *places, const struct syt_objects *objects,
                            const struct syt_histories *histories, uint32_t object);

/* Counts the acquisitions and the happens-before edges of all mutexes, spin locks and stdio streams of a sparse
 * trace, without storing the edges. */
void syt_locks_match(struct syt_match *m);

#endif
