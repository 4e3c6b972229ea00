/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The history of each sync object: the events that use it, in time order.
 *
 * One event may touch several objects (a cond wait and its mutex, a readiness call and every fd
 * that it reports), and one object twice (a cond wait releases its mutex at `in` and acquires it at
 * `out`). A history is ordered by time, then releases before acquires, then by thread and row. It
 * therefore does not depend on the number of workers. It is built once; then any thread may read
 * it.
 *
 * The history of a sparse trace (decoder/read/sparse.h) does not contain plain events.
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
	/* events that order threads or processes and not users of an object, in order of place */
	uint64_t nr_life;
	struct syt_place *life;
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
