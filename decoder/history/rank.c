/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/history/rank.h"

#include "base/bisect.h"
#include "base/compare.h"
#include "base/sort.h"

static int by_time(const void *a_, const void *b_)
{
	const struct syt_rank_sum *a = a_, *b = b_;

	SYT_ORDER_BY(at);
	return 0;
}

/* Sorts the first NR elements of SUMS by time and sets `before` of each. SUMS[NR].before gets the total amount. */
static void sum_up(struct syt_rank_sum *sums, uint32_t nr)
{
	uint64_t before = 0;

	syt_sort(sums, nr, sizeof(*sums), by_time);
	for (uint32_t i = 0; i < nr; i++) {
		sums[i].before = before;
		before += sums[i].amount;
	}
	sums[nr].before = before;
}

/* Returns the total amount of the operations with a time before T. */
static uint64_t below(const struct syt_rank_sum *sums, uint32_t nr, syt_time t)
{
	return sums[SYT_BISECT(i, 0, nr, sums[i].at < t)].before;
}

/* Orders successive operations of one thread even if the second may begin at the time at which the first ends. */
static void part_neighbours(struct syt_ranked **ops, uint32_t nr, uint32_t *last)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t *of_thread = &last[ops[i]->place.thread];

		if (*of_thread && ops[*of_thread - 1]->to == ops[i]->from) {
			ops[*of_thread - 1]->high -= ops[i]->amount;
			ops[i]->low += ops[*of_thread - 1]->amount;
		}
		*of_thread = i + 1;
	}
	for (uint32_t i = 0; i < nr; i++)
		last[ops[i]->place.thread] = 0;
}

void syt_rank(struct syt_ranked **ops, uint32_t nr, uint64_t first, struct syt_rank_sum *scratch,
              uint32_t *of_thread)
{
	for (uint32_t i = 0; i < nr; i++)
		scratch[i] = (struct syt_rank_sum){ops[i]->to, ops[i]->amount, 0};
	sum_up(scratch, nr);
	for (uint32_t i = 0; i < nr; i++)
		ops[i]->low = first + below(scratch, nr, ops[i]->from);
	for (uint32_t i = 0; i < nr; i++)
		scratch[i] = (struct syt_rank_sum){ops[i]->from, ops[i]->amount, 0};
	sum_up(scratch, nr);
	for (uint32_t i = 0; i < nr; i++) {
		syt_time to = ops[i]->to;

		ops[i]->high = first +
		               (to == UINT64_MAX ? scratch[nr].before : below(scratch, nr, to + 1));
	}
	part_neighbours(ops, nr, of_thread);
}
