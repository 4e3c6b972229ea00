/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The places at which threads take work from the queues of the program.
 *
 * A thread that looks for an item in a queue has ended its previous work, whether it finds an item or not. Its new work
 * therefore begins at the lock call of the critical section that takes the item, or at the wait for a semaphore before
 * it. The result can be read by any thread.
 */
#ifndef SYT_DECODER_REQUEST_QUEUE_TAKE_H
#define SYT_DECODER_REQUEST_QUEUE_TAKE_H

#include "base/counts.h"
#include "decoder/analysis/service.h"

struct syt_queue_takes {
	const struct syt_order *order;
	bool *has_work;   /* [queue]: its items are work, not free places or answers */
	bool *is_through; /* [object]: threads wait for such a queue at this object */
	bool *is_mutex;   /* [object]: a mutex of such a queue, or of a lock in disguise */
	struct syt_counts
		takes; /* (process image, call stack) of the calls at which threads begin to take an item */
};

/* SERVICES must know the hand-offs of ORDER. Both must outlive T. */
void syt_queue_takes_open(struct syt_queue_takes *t, const struct syt_order *order,
                          const struct syt_services *services);
void syt_queue_takes_close(struct syt_queue_takes *t);

/* Returns true if the items of QUEUE (index in order->handoffs) are work. */
static inline bool syt_queue_takes_work(const struct syt_queue_takes *t, uint32_t queue)
{
	return t->has_work[queue];
}

/* Returns true if AT waits at OBJECT (trace-wide, or SYT_NONE) for a queue, so that a hand-off tells where its work came from,
 * or for a lock in disguise. */
bool syt_queue_takes_at(const struct syt_queue_takes *t, struct syt_place at, uint32_t object);

/* Returns true if a thread begins to take an item at the event AT. */
bool syt_queue_takes_begin(const struct syt_queue_takes *t, struct syt_place at);

/* Returns the row of AT's thread at which the critical section of AT begins, or the wait for a token before it. AT acquires
 * a mutex or waits. If AT is in no critical section, returns the row of AT. */
uint32_t syt_queue_takes_row(const struct syt_queue_takes *t, struct syt_place at);

#endif
