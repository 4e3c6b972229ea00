/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Positions of operations that put units into, or take units from, a store that hands out units in the order of
 * arrival. Units are the tokens of a semaphore or the messages of a queue.
 *
 * Each operation took effect at an unknown time in [from, to] and moved `amount` units. The position of an
 * operation is the number of units that earlier operations moved. If the intervals leave the order open, the
 * position is a range.
 */
#ifndef SYT_DECODER_RANK_H
#define SYT_DECODER_RANK_H

#include "decoder/history/place.h"

struct syt_ranked {
	syt_time from, to; /* earliest and latest time of the operation's effect */
	struct syt_place place;
	uint64_t amount;
	uint64_t low, high; /* the positions of the moved units lie in [low, high) */
};

struct syt_rank_sum {
	syt_time at;
	uint64_t amount, before; /* amount of one operation; total amount of earlier operations */
};

/* Computes `low` and `high` of the NR operations OPS. The operations of each thread must be in time order. The
 * first unit has the position FIRST. SCRATCH has room for NR + 1 elements; OF_THREAD is syt_match.of_thread. */
void syt_rank(struct syt_ranked **ops, uint32_t nr, uint64_t first, struct syt_rank_sum *scratch,
              uint32_t *of_thread);

/* Returns true if the operation TAKER may have taken a unit that the operation GIVER put into the store. */
static inline bool syt_ranked_may_meet(const struct syt_ranked *giver,
                                       const struct syt_ranked *taker)
{
	if (giver->low >= taker->high || taker->low >= giver->high)
		return false;
	if (giver->place.thread == taker->place.thread)
		return giver->place.row < taker->place.row;
	return giver->from <= taker->to;
}

#endif
