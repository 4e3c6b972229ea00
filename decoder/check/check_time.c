/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Time in one thread: no event ends before it begins. Two events either do not overlap, or one lies inside of the
 * other: the event of a signal handler inside of the interrupted call, or the event of an OpenMP task inside of the
 * wait that ran the task. Events are sorted by their ordering time stamps.
 *
 * The condition holds for every thread, also with missing events, because its calls are nested. The condition does
 * not hold if a program switches stacks within a call (swapcontext in an initializer of pthread_once).
 */
#include "decoder/check/check.h"

#include "base/compare.h"
#include "base/sort.h"

#define MOVES_PER_ROW 8u

/* Sorts events by begin. If two events have the same begin, the longer one comes first. */
static int by_begin(const void *a_, const void *b_, void *rows_)
{
	const uint32_t *a = a_, *b = b_;
	const struct syt_row *rows = rows_;

	SYT_ORDER(rows[*a].in, rows[*b].in);
	SYT_ORDER(rows[*b].out, rows[*a].out);
	SYT_ORDER(*a, *b);
	return 0;
}

/* Sorts the events of thread T by begin. Events are nearly sorted, so a few moves usually suffice. */
static void sort_by_begin(const struct syt_thread *t, uint32_t *order)
{
	uint64_t budget = t->nr_rows * MOVES_PER_ROW;

	for (uint64_t i = 0; i < t->nr_rows; i++) {
		uint32_t row = (uint32_t)i;
		uint64_t at = i;

		for (; at && budget && by_begin(&row, &order[at - 1], t->rows) < 0; at--, budget--)
			order[at] = order[at - 1];
		order[at] = row;
	}
	if (!budget)
		syt_sort_with(order, t->nr_rows, sizeof(*order), by_begin, t->rows);
}

static void check_stamps(struct syt_check *c, uint32_t n)
{
	const struct syt_thread *t = c->order->places.threads[n];
	syt_time last = 0;

	SYT_EACH(i, 0, t->nr_rows) {
		const struct syt_row *r = &t->rows[i];
		struct syt_place at = {n, (uint32_t)i};
		syt_time stamp = syt_row_stamp(syt_row_call(t->image, r), r);

		if (r->in > r->out)
			syt_check_violation_at(c, "the event ends before it begins", SYT_NONE, at,
			                       SYT_NOWHERE);
		if (stamp < last)
			syt_check_violation_at(c, "the event is recorded after a later event",
			                       SYT_NONE, at, SYT_NOWHERE);
		last = stamp;
	}
}

static void check_nesting(struct syt_check *c, uint32_t n, uint32_t *order, uint32_t *open)
{
	const struct syt_thread *t = c->order->places.threads[n];
	uint64_t depth = 0;

	sort_by_begin(t, order);
	SYT_EACH(i, 0, t->nr_rows) {
		const struct syt_row *r = &t->rows[order[i]];

		while (depth && t->rows[open[depth - 1]].out <= r->in)
			depth--;
		if (depth && t->rows[open[depth - 1]].out < r->out) {
			syt_check_violation_at(
				c,
				"the second event begins during the first event, and ends after "
				"it",
				SYT_NONE, (struct syt_place){n, open[depth - 1]},
				(struct syt_place){n, order[i]});
			depth--;
		}
		if (r->in < r->out)
			open[depth++] = order[i];
	}
}

void syt_check_time(struct syt_check *c)
{
	const struct syt_places *p = &c->order->places;
	uint64_t most = 0;
	uint32_t *order, *open;

	for (uint32_t n = 0; n < p->nr_threads; n++)
		most = p->threads[n]->nr_rows > most ? p->threads[n]->nr_rows : most;
	order = syt_store_alloc(most, sizeof(*order));
	open = syt_store_alloc(most, sizeof(*open));
	for (uint32_t n = 0; n < p->nr_threads; n++) {
		c->nr_checked += p->threads[n]->nr_rows;
		check_stamps(c, n);
		check_nesting(c, n, order, open);
	}
	syt_store_free(order);
	syt_store_free(open);
}
