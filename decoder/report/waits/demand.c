/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/waits/demand.h"

#include <string.h>

#include "base/compare.h"
#include "base/sort.h"

static bool is_lock(uint8_t shape)
{
	return shape == SYT_SHAPE_LOCK || shape == SYT_SHAPE_RDLOCK;
}

/* The two earliest begins of waits by different threads. The two times yield the earliest begin of a wait by any
 * thread except a given one. */
struct waiting {
	syt_time since;  /* earliest begin, of a wait by `thread` */
	syt_time others; /* earliest begin of a wait by any other thread; UINT64_MAX: none */
	uint32_t thread;
};

static void note_wait(struct waiting *w, uint32_t thread, syt_time in)
{
	if (in >= w->since) {
		if (thread != w->thread && in < w->others)
			w->others = in;
		return;
	}
	if (thread != w->thread)
		w->others = w->since;
	w->since = in;
	w->thread = thread;
}

/* Returns the earliest begin of a wait by any thread except THREAD. */
static syt_time since_without(const struct waiting *w, uint32_t thread)
{
	return w->thread == thread ? w->others : w->since;
}

/* Adds a demand for each time for which a thread held OBJECT while another thread waited for this lock. A wait that
 * ends after a holding overlaps it from the begin of the wait on, so the earliest begin of these waits is
 * sufficient. The function goes backwards in time, so that it meets each wait before the holdings during the
 * wait. */
static void add_holders(struct syt_demands *d, struct syt_blamer *blamer, uint32_t object)
{
	const struct syt_order *o = blamer->order;
	struct syt_history history = syt_history_of(&o->histories, object);
	const struct syt_holdings *h = syt_blamer_holdings(blamer, object);
	struct waiting alone = {UINT64_MAX, UINT64_MAX, SYT_NONE}, shared = alone;
	uint64_t touch = history.nr;

	SYT_EACH(i, 0, h->nr) {
		const struct syt_holding *x = &h->all[h->nr - 1 - i];
		syt_time since, other;

		for (; touch && history.touches[touch - 1].at >= x->to; touch--) {
			const struct syt_touch *t = &history.touches[touch - 1];

			if (is_lock(t->shape) && t->role == SYT_ROLE_SELF)
				note_wait(t->shape == SYT_SHAPE_RDLOCK ? &shared : &alone,
				          t->place.thread, syt_place_row(&o->places, t->place)->in);
		}
		since = since_without(&alone, x->acquire.thread);
		other = x->is_shared ? UINT64_MAX : since_without(&shared, x->acquire.thread);
		since = other < since ? other : since;
		syt_demands_add(d, x->acquire.thread, SYT_DEMAND_LOCK,
		                x->from > since ? x->from : since, x->to);
	}
}

/* Adds a demand on the thread that ended while AT, a call that joins a thread or reaps a process, waited for it. */
static void add_ended(struct syt_demands *d, const struct syt_blamer *blamer, struct syt_place at)
{
	const struct syt_order *o = blamer->order;
	const struct syt_row *r = syt_place_row(&o->places, at);
	uint32_t edge = syt_blamer_ended_by(blamer, at);

	if (edge != SYT_NONE && o->edges.all[edge].from.thread != SYT_NONE)
		syt_demands_add(d, o->edges.all[edge].from.thread, SYT_DEMAND_END, r->in, r->out);
}

/* Adds a demand on the thread for whose end thread NUMBER waits in a join that has not returned. */
static void add_unended(struct syt_demands *d, const struct syt_order *o, uint32_t number)
{
	const struct syt_places *p = &o->places;
	const struct syt_thread *t = p->threads[number];
	uint32_t first = p->first[t->image - p->trace->images];

	if (t->waiting.since && t->waiting.thread != SYT_NONE)
		syt_demands_add(d, first + t->waiting.thread, SYT_DEMAND_END, t->waiting.since,
		                syt_order_thread_end(o, number));
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

void syt_demand_gather(struct syt_demands *d, struct syt_blamer *blamer,
                       struct syt_services *services)
{
	const struct syt_order *o = blamer->order;
	const struct syt_places *p = &o->places;
	bool *is_waited_for = syt_store_alloc(o->objects.nr, sizeof(*is_waited_for));

	*d = services->demands;
	memset(&services->demands, 0, sizeof(services->demands));
	syt_demand_client_gather(d, services);
	for (uint32_t i = 0; i < p->nr_threads; i++) {
		const struct syt_thread *t = p->threads[i];

		SYT_EACH(row, 0, t->nr_rows) {
			struct syt_place at = {i, row};
			const struct syt_row *r = syt_place_row(p, at);
			uint8_t shape = syt_row_call(t->image, r)->shape;
			uint32_t object;

			if (r->in >= r->out)
				continue;
			if (is_lock(shape)) {
				object = syt_object_of(&o->objects, syt_place_image_idx(p, at),
				                       r->object);
				if (object != SYT_NONE)
					is_waited_for[object] = true;
			} else if (shape == SYT_SHAPE_JOIN || shape == SYT_SHAPE_REAP) {
				add_ended(d, blamer, at);
			}
		}
		add_unended(d, o, i);
	}
	for (uint32_t i = 0; i < o->objects.nr; i++)
		if (is_waited_for[i] && syt_holdings_has_kind(syt_object_kind(&o->objects, i)))
			add_holders(d, blamer, i);
	syt_store_free(is_waited_for);
	syt_sort(d->all, d->nr, sizeof(*d->all), in_order);
}

static void add_span(struct syt_demand_spans *s, const struct syt_demand *demand)
{
	struct syt_demand *last = s->nr ? &s->all[s->nr - 1] : NULL;

	if (last && demand->from <= last->to) {
		if (demand->to > last->to)
			last->to = demand->to;
		return;
	}
	syt_store_widen(&s->all, &s->room, s->nr, s->nr + 1, sizeof(*s->all));
	s->all[s->nr++] = *demand;
}

void syt_demand_cursor_begin(struct syt_demand_cursor *a, const struct syt_demands *d,
                             uint32_t thread)
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

void syt_demand_cursor_close(struct syt_demand_cursor *a)
{
	for (unsigned level = SYT_DEMAND_END; level <= SYT_DEMAND_LOCK; level++)
		syt_store_free(a->levels[level].all);
	memset(a, 0, sizeof(*a));
}

syt_time syt_demand_part(struct syt_demand_cursor *a, enum syt_demand_level level, syt_time from,
                         syt_time to)
{
	struct syt_demand_spans *s = &a->levels[level];
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
