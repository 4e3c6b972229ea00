/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Positions of operations that give to, or take from, a store that is used up in the order of arrival: the tokens
 * of a semaphore, the messages of a queue.
 *
 * Each operation took effect at some instant in [from, to] and moved `amount`. Its position is the sum of the
 * amounts before it. If the intervals leave the order open, the position is a range.
 */
#ifndef SYT_DECODER_RANK_H
#define SYT_DECODER_RANK_H

#include "decoder/history/place.h"

struct syt_ranked {
	syt_time from, to; /* bounds of the effect */
	struct syt_place place;
	uint64_t amount;
	uint64_t low, high; /* the positions of the moved units lie in [low, high) */
};

struct syt_rank_sum {
	syt_time at;
	uint64_t amount, before; /* amount: of one operation; before: sum over smaller `at` */
};

/* Computes low and high of the NR operations OPS, in which each thread's operations are in order of time. The first
 * position is FIRST. SCRATCH has room for NR + 1 elements; OF_THREAD is as in struct syt_match. */
void syt_rank(struct syt_ranked **ops, uint32_t nr, uint64_t first, struct syt_rank_sum *scratch,
              uint32_t *of_thread);

/* Returns true if TAKER may have taken what GIVER gave. */
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
