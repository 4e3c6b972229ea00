/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The history of each sync object: its touches in time order. A touch is the use of one object by one event.
 *
 * One event may touch several objects (a wait for a condition variable and its mutex, a readiness call and every fd
 * that the call reports), and one object twice (such a wait releases its mutex at its begin and acquires the mutex
 * at its end). A history is ordered by time, then releases before acquires, then by thread and row, for any number
 * of workers. Once built, any thread may read it. The history of a sparse trace (decoder/read/sparse.h) does not
 * contain plain events.
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
	uint64_t *first; /* [object]; one more element for the end */
	struct syt_touch *touches;
	uint64_t nr_life;
	struct syt_place
		*life; /* events that begin or end threads or processes, in order of place */
};

void syt_histories_open(struct syt_histories *h, const struct syt_places *places,
                        const struct syt_objects *objects);
void syt_histories_close(struct syt_histories *h);

static inline struct syt_history syt_history_of(const struct syt_histories *h, uint32_t object)
{
	return (struct syt_history){h->touches + h->first[object],
	                            h->first[object + 1] - h->first[object]};
}

#endif
