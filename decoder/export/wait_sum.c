/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/wait_sum.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "decoder/report/contention/contention.h"

static void add(struct syt_wait_sums *w, struct syt_wait_sum sum)
{
	*SYT_ADD(w->all, w->nr, w->room) = sum;
}

/* The waiting times of the threads of one process image. */
struct table {
	struct syt_wait_sums sums;
	struct syt_counts numbers; /* number, from 1, of each pair (stack, call) */
};

static void add_wait(struct table *t, uint32_t image, const struct syt_row *r, bool has_stacks)
{
	uint32_t stack = has_stacks ? r->stack : 0;
	uint64_t *number = syt_counts_at(&t->numbers, stack, r->call);

	if (!*number) {
		add(&t->sums, (struct syt_wait_sum){.image = image,
		                                    .stack = stack,
		                                    .call = r->call,
		                                    .lock = SYT_NONE,
		                                    .holder = SYT_NONE,
		                                    .culprit = SYT_NONE});
		*number = t->sums.nr;
	}
	/* computed as the report events prints durations: the difference of two rounded times */
	t->sums.all[*number - 1].nr++;
	t->sums.all[*number - 1].ns += SYT_TIME_NS(r->out) - SYT_TIME_NS(r->in);
}

static void collect_thread(struct table *t, uint32_t image, const struct syt_thread *thread,
                           bool has_stacks)
{
	SYT_EACH(row, 0, thread->nr_rows) {
		const struct syt_row *r = &thread->rows[row];

		if (SYT_TIME_NS(r->out) > SYT_TIME_NS(r->in) &&
		    !syt_row_call(thread->image, r)->stamp_in)
			add_wait(t, image, r, has_stacks);
	}
}

static void collect(struct syt_wait_sums *w, const struct syt_export *x)
{
	const struct syt_trace_data *t = x->order->places.trace;

	for (uint32_t n = 0; n < t->nr_images; n++) {
		struct table table = {.sums = {0}};

		for (uint32_t k = 0; k < t->images[n].nr_threads; k++)
			collect_thread(&table, n, &t->images[n].threads[k], x->has_stacks);
		for (size_t k = 0; k < table.sums.nr; k++)
			add(w, table.sums.all[k]);
		syt_wait_sums_close(&table.sums);
		syt_counts_fini(&table.numbers);
	}
}

static uint64_t waits_of(const struct syt_contention_lock *l, uint32_t side)
{
	for (size_t n = 0; n < l->nr_paths; n++)
		if (l->paths[n].side == side)
			return l->paths[n].wait.nr;
	return 0;
}

static int by_waiter(const void *a_, const void *b_)
{
	const struct syt_contention_blame *const *a = a_, *const *b = b_;

	SYT_ORDER((*a)->waiter, (*b)->waiter);
	/* equal waiters: the elements keep their order, longest first */
	return *a < *b ? -1 : *a > *b;
}

static void add_lock(struct syt_wait_sums *w, const struct syt_export *x,
                     const struct syt_contention_lock *l)
{
	const struct syt_places *p = &x->order->places;
	const struct syt_contention_blame **blames = syt_calloc(l->nr_blames, sizeof(*blames));
	syt_time before = 0; /* sum of this waiter's times in earlier elements */

	for (size_t n = 0; n < l->nr_blames; n++)
		blames[n] = &l->blames[n];
	if (l->nr_blames)
		qsort(blames, l->nr_blames, sizeof(*blames), by_waiter);
	for (size_t n = 0; n < l->nr_blames; n++) {
		const struct syt_contention_blame *b = blames[n];
		bool is_first = !n || blames[n - 1]->waiter != b->waiter;

		if (is_first)
			before = 0;
		if (b->wait.thread == SYT_NONE)
			continue;
		add(w, (struct syt_wait_sum){
			       .image = syt_place_image_idx(p, b->wait),
			       .stack = x->has_stacks ? syt_place_row(p, b->wait)->stack : 0,
			       .call = syt_place_row(p, b->wait)->call,
			       .lock = l->object,
			       .holder = b->blame.direct,
			       .culprit = b->blame.side,
			       .kind = b->blame.kind,
			       .nr = is_first ? waits_of(l, b->waiter) : 0,
			       .ns = SYT_TIME_NS(before + b->blame.time) - SYT_TIME_NS(before),
		       });
		before += b->blame.time;
	}
	free(blames);
}

static void collect_contention(struct syt_wait_sums *w, const struct syt_export *x)
{
	struct syt_blamer blamer;
	struct syt_contention c;

	syt_blamer_open(&blamer, x->order, x->labels);
	syt_contention_open(&c, &blamer);
	for (size_t n = 0; n < c.nr_locks; n++)
		add_lock(w, x, &c.locks[n]);
	syt_contention_close(&c);
	syt_blamer_close(&blamer);
}

static int by_stack(const void *a_, const void *b_)
{
	const struct syt_wait_sum *a = a_, *b = b_;

	SYT_ORDER_BY(image);
	SYT_ORDER_BY(stack);
	SYT_ORDER_BY(call);
	SYT_ORDER_BY(lock);
	SYT_ORDER_BY(kind);
	SYT_ORDER_BY(holder);
	SYT_ORDER_BY(culprit);
	return 0;
}

void syt_wait_sums_open(struct syt_wait_sums *w, const struct syt_export *x)
{
	memset(w, 0, sizeof(*w));
	if (x->what == SYT_WHAT_CONTENTION)
		collect_contention(w, x);
	else
		collect(w, x);
	if (w->nr)
		qsort(w->all, w->nr, sizeof(*w->all), by_stack);
}

void syt_wait_sums_close(struct syt_wait_sums *w)
{
	free(w->all);
	memset(w, 0, sizeof(*w));
}
