/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The history of each sync object: all its touches in time order. A touch is the use of one object by one event.
 *
 * One event may touch several objects. A wait for a condition variable touches the condition variable and the
 * mutex, and a readiness call (poll, epoll_wait) touches every fd that it reports. One event may also touch one
 * object twice: a wait for a condition variable releases its mutex at the begin and acquires it at the end. A
 * history is ordered by time, then releases before acquires, then by thread and the event's index in the thread.
 * The order of a history does not depend on the number of workers. Once built, a history may be read by any thread.
 * The history of a sparse trace (decoder/read/sparse.h) omits plain lock and unlock events, except for the locks that
 * syt_locks_complete() has completed.
 */
#ifndef SYT_DECODER_HISTORY_H
#define SYT_DECODER_HISTORY_H

#include "decoder/history/object.h"
#include "decoder/history/touch.h"

struct syt_history {
	const struct syt_touch *touches;
	uint64_t nr;
};

struct syt_histories {
	uint32_t nr_objects;
	uint64_t *first; /* [object]: index of its first touch; one more element for the end */
	struct syt_touch *touches;
	/* [object]: the complete history of a lock, allocated in the store; no touches: there is none. NULL: the trace is full. */
	struct syt_history *whole;
	uint64_t nr_life;
	struct syt_place
		*life; /* events that begin or end threads or processes, by thread, then index */
};

void syt_histories_open(struct syt_histories *h, const struct syt_places *places,
                        const struct syt_objects *objects);
void syt_histories_close(struct syt_histories *h);

/* Returns the touches that were gathered from the events in memory. */
static inline struct syt_history syt_history_in_memory(const struct syt_histories *h,
                                                       uint32_t object)
{
	return (struct syt_history){h->touches + h->first[object],
	                            h->first[object + 1] - h->first[object]};
}

static inline struct syt_history syt_history_of(const struct syt_histories *h, uint32_t object)
{
	return h->whole && h->whole[object].touches ? h->whole[object]
	                                            : syt_history_in_memory(h, object);
}

#endif
