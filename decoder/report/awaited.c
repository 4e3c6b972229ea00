/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/awaited.h"

#include <string.h>

#include "decoder/base/compare.h"
#include "decoder/base/sort.h"
#include "decoder/base/store.h"
#include "decoder/report/serving.h"

/* ---- demands ---- */

/* Whoever held the lock that AT waited for, while it did. */
static void add_holders(struct syt_demands *d, struct syt_blamer *blamer, struct syt_place at)
{
	const struct syt_order *o = blamer->order;
	const struct syt_row *r = syt_place_row(&o->places, at);
	uint32_t object =
		syt_object_of(&o->objects, syt_place_image_idx(&o->places, at), r->object);
	bool is_shared = syt_place_call(&o->places, at)->shape == SYT_SHAPE_RDLOCK;
	const struct syt_holdings *h;
	uint64_t low = 0, high;

	if (object == SYT_NONE || !syt_holdings_has_kind(syt_object_kind(&o->objects, object)))
		return;
	h = syt_blamer_holdings(blamer, object);
	high = h->nr;
	while (low < high) { /* the first that ended after it began to wait */
		uint64_t middle = low + (high - low) / 2;

		if (h->all[middle].to <= r->in)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < h->nr && h->all[low].to <= r->out; low++) {
		const struct syt_holding *x = &h->all[low];

		if (x->acquire.thread != at.thread && !(is_shared && x->is_shared))
			syt_demands_add(d, x->acquire.thread, SYT_DEMAND_LOCK,
			                x->from > r->in ? x->from : r->in, x->to);
	}
}

/* Whose end AT waited for. */
static void add_ended(struct syt_demands *d, const struct syt_blamer *blamer, struct syt_place at)
{
	const struct syt_order *o = blamer->order;
	const struct syt_row *r = syt_place_row(&o->places, at);
	uint32_t edge = syt_blamer_ended_by(blamer, at);

	if (edge != SYT_NONE && o->edges.all[edge].from.thread != SYT_NONE)
		syt_demands_add(d, o->edges.all[edge].from.thread, SYT_DEMAND_END, r->in, r->out);
}

static void add_unended(struct syt_demands *d, const struct syt_places *p, uint32_t number)
{
	const struct syt_thread *t = p->threads[number];
	uint32_t first = p->first[t->image - p->trace->images];

	if (t->waiting.since && t->waiting.thread != SYT_NONE)
		syt_demands_add(d, first + t->waiting.thread, SYT_DEMAND_END, t->waiting.since,
		                t->image->end);
}

static int in_order(const void *a_, const void *b_)
{
	const struct syt_demand *a = a_, *b = b_;

	SYT_ORDER_BY(thread);
	SYT_ORDER_BY(from);
	SYT_ORDER_BY(to);
	SYT_ORDER_BY(level);
	return 0;
}

void syt_awaited_gather(struct syt_demands *d, struct syt_blamer *blamer,
                        struct syt_services *services)
{
	const struct syt_places *p = &blamer->order->places;

	*d = services->demands;
	memset(&services->demands, 0, sizeof(services->demands));
	syt_serving_gather(d, services);
	for (uint32_t i = 0; i < p->nr_threads; i++) {
		const struct syt_thread *t = p->threads[i];

		for (uint32_t row = 0; row < t->nr_rows; row++) {
			struct syt_place at = {i, row};
			const struct syt_row *r = syt_place_row(p, at);
			uint8_t shape = syt_row_call(t->image, r)->shape;

			if (!(row % SYT_STORE_STRIDE))
				syt_store_settle();
			if (r->in >= r->out)
				continue;
			if (shape == SYT_SHAPE_LOCK || shape == SYT_SHAPE_RDLOCK)
				add_holders(d, blamer, at);
			else if (shape == SYT_SHAPE_JOIN || shape == SYT_SHAPE_REAP)
				add_ended(d, blamer, at);
		}
		add_unended(d, p, i);
	}
	syt_sort(d->all, d->nr, sizeof(*d->all), in_order);
}

/* ---- one thread's ---- */

static void add_span(struct syt_awaited_spans *s, const struct syt_demand *demand)
{
	struct syt_demand *last = s->nr ? &s->all[s->nr - 1] : NULL;

	if (last && demand->from <= last->to) {
		if (demand->to > last->to)
			last->to = demand->to;
		return;
	}
	syt_store_grow(&s->all, &s->room, s->nr, s->nr + 1, sizeof(*s->all));
	s->all[s->nr++] = *demand;
}

void syt_awaited_begin(struct syt_awaited *a, const struct syt_demands *d, uint32_t thread)
{
	for (unsigned level = SYT_DEMAND_END; level <= SYT_DEMAND_LOCK; level++)
		a->levels[level].nr = a->levels[level].next = 0;
	for (; a->next < d->nr && d->all[a->next].thread <= thread; a->next++) {
		const struct syt_demand *demand = &d->all[a->next];

		for (unsigned level = SYT_DEMAND_END; level <= demand->level; level++)
			if (demand->thread == thread)
				add_span(&a->levels[level], demand);
	}
}

void syt_awaited_close(struct syt_awaited *a)
{
	for (unsigned level = SYT_DEMAND_END; level <= SYT_DEMAND_LOCK; level++)
		syt_store_free(a->levels[level].all);
	memset(a, 0, sizeof(*a));
}

syt_time syt_awaited_part(struct syt_awaited *a, enum syt_demand_level level, syt_time from,
                          syt_time to)
{
	struct syt_awaited_spans *s = &a->levels[level];
	syt_time part = 0;

	while (s->next < s->nr && s->all[s->next].to <= from)
		s->next++;
	for (uint64_t i = s->next; i < s->nr && s->all[i].from < to; i++) {
		syt_time begin = s->all[i].from > from ? s->all[i].from : from;
		syt_time end = s->all[i].to < to ? s->all[i].to : to;

		part += end - begin;
	}
	return part;
}
