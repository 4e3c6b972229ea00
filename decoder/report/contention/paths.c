/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/contention/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/store.h"

static struct syt_contention_sum *sum_of(struct syt_contention_paths *p, uint32_t side)
{
	const struct syt_place nowhere = {SYT_NONE, 0};

	if (side >= p->room_sides) {
		size_t had = p->room_sides;

		syt_grow(&p->sum_of, &p->room_sides, (size_t)side + 1, sizeof(*p->sum_of));
		memset(p->sum_of + had, 0, (p->room_sides - had) * sizeof(*p->sum_of));
	}
	if (!p->sum_of[side]) {
		*SYT_ADD(p->sums, p->nr_sums, p->room_sums) = (struct syt_contention_sum){
			.side = side, .wait = nowhere, .hold = nowhere, .acquired = nowhere};
		p->sum_of[side] = (uint32_t)p->nr_sums;
	}
	return &p->sums[p->sum_of[side] - 1];
}

static void add_length(struct syt_contention_lengths *l, uint32_t side, syt_time length)
{
	*SYT_STORE_ADD(l->all, l->nr, l->room) = (struct syt_sort_item){length, side};
}

/* Keeps the longest of the samples at *KEPT; among equally long ones, the last in the order of places. */
static void keep_longest(syt_time *longest, struct syt_place *kept, syt_time length,
                         struct syt_place at)
{
	if (kept->thread != SYT_NONE &&
	    (length < *longest || (length == *longest && syt_place_compare(at, *kept) < 0)))
		return;
	*longest = length;
	*kept = at;
}

void syt_contention_add_acquired(struct syt_contention_paths *p, uint32_t side, struct syt_place at)
{
	struct syt_contention_sum *s = sum_of(p, side);

	s->nr_acquired++;
	if (s->acquired.thread == SYT_NONE || syt_place_compare(at, s->acquired) < 0)
		s->acquired = at;
}

void syt_contention_add_wait(struct syt_contention_paths *p, uint32_t side, struct syt_place at,
                             syt_time length, uint32_t nr_passed)
{
	struct syt_contention_sum *s = sum_of(p, side);

	s->nr_passed += nr_passed;
	keep_longest(&s->longest_wait, &s->wait, length, at);
	add_length(&p->waits, side, length);
}

void syt_contention_add_hold(struct syt_contention_paths *p, uint32_t side, struct syt_place at,
                             syt_time length)
{
	struct syt_contention_sum *s = sum_of(p, side);

	keep_longest(&s->longest_hold, &s->hold, length, at);
	add_length(&p->holds, side, length);
}

static int most_first(const void *a_, const void *b_)
{
	const struct syt_contention_path *a = a_, *b = b_;

	SYT_ORDER(b->wait.total, a->wait.total);
	SYT_ORDER(b->hold.total, a->hold.total);
	SYT_ORDER(b->nr_acquired, a->nr_acquired);
	SYT_ORDER_BY(side);
	return 0;
}

/* Sorts the lengths, and returns their spread. */
static struct syt_spread spread_all(struct syt_contention_lengths *l)
{
	syt_sort_items(l->all, l->nr, 1);
	return syt_spread_of(l->nr ? &l->all->key : NULL, l->nr, sizeof(*l->all));
}

/* Sorts the lengths, which are sorted by length, by call path. Then key is the call path, and value the length. */
static void group(struct syt_contention_lengths *l)
{
	SYT_EACH(i, 0, l->nr)
		l->all[i] = (struct syt_sort_item){l->all[i].value, l->all[i].key};
	syt_sort_items(l->all, l->nr, 1);
}

/* Returns the spread of the lengths of the call path SIDE, which begin at index *AT. Advances *AT behind them. */
static struct syt_spread spread_next(const struct syt_contention_lengths *l, size_t *at,
                                     uint32_t side)
{
	size_t first = *at;

	while (*at < l->nr && l->all[*at].key == side)
		++*at;
	return syt_spread_of(*at > first ? &l->all[first].value : NULL, *at - first,
	                     sizeof(*l->all));
}

static int by_side(const void *a_, const void *b_)
{
	const struct syt_contention_sum *a = a_, *b = b_;

	SYT_ORDER_BY(side);
	return 0;
}

void syt_contention_sum_paths(struct syt_contention_paths *p, struct syt_contention_lock *l)
{
	size_t wait = 0, hold = 0;

	l->wait = spread_all(&p->waits);
	l->hold = spread_all(&p->holds);
	group(&p->waits);
	group(&p->holds);
	if (p->nr_sums) {
		qsort(p->sums, p->nr_sums, sizeof(*p->sums), by_side);
		l->paths = syt_alloc(p->nr_sums, sizeof(*l->paths));
	}
	for (size_t n = 0; n < p->nr_sums; n++) {
		const struct syt_contention_sum *s = &p->sums[n];

		p->sum_of[s->side] = 0;
		l->paths[l->nr_paths++] = (struct syt_contention_path){
			.side = s->side,
			.nr_acquired = s->nr_acquired,
			.nr_passed = s->nr_passed,
			.wait = spread_next(&p->waits, &wait, s->side),
			.hold = spread_next(&p->holds, &hold, s->side),
			.at = s->wait.thread != SYT_NONE   ? s->wait
		              : s->hold.thread != SYT_NONE ? s->hold
		                                           : s->acquired,
		};
	}
	if (l->nr_paths)
		qsort(l->paths, l->nr_paths, sizeof(*l->paths), most_first);
	p->waits.nr = p->holds.nr = p->nr_sums = 0;
}

void syt_contention_paths_close(struct syt_contention_paths *p)
{
	syt_store_free(p->waits.all);
	syt_store_free(p->holds.all);
	free(p->sums);
	free(p->sum_of);
}
