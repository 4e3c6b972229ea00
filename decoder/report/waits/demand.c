/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/waits/demand.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "base/work.h"

#define AHEAD 16u           /* a row is loaded so many steps before it is read */
#define ROWS_PER_JOB 65536u /* events that a worker examines at a time */

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

			if (touch > AHEAD)
				syt_place_prefetch(&o->places, (t - AHEAD)->place);
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

/* The search of several workers for demands. */
struct gathering {
	struct syt_blamer *blamer;
	bool *is_waited_for;         /* [object]: a call waited for this lock */
	struct syt_demands *demands; /* [worker] */
	const uint32_t *ends;        /* [job of add_holders_of()]: the object behind its last one */
	const struct range *ranges;  /* [job of see_rows()] */
};

/* Consecutive events of a thread. */
struct range {
	uint32_t thread;
	uint64_t from, to;
};

/* Notes the locks for which the events of a range waited. */
static void see_rows(void *context, size_t job, unsigned worker)
{
	const struct gathering *g = context;
	const struct syt_order *o = g->blamer->order;
	struct range range = g->ranges[job];
	const struct syt_thread *t = o->places.threads[range.thread];
	uint32_t image = (uint32_t)(t->image - o->places.trace->images);

	(void)worker;
	SYT_EACH(row, range.from, range.to) {
		const struct syt_row *r = syt_thread_row(t, row);
		uint32_t object;

		if (r->in >= r->out || !is_lock(syt_row_call(t->image, r)->shape))
			continue;
		object = syt_object_of(&o->objects, image, r->object);
		if (object != SYT_NONE)
			__atomic_store_n(&g->is_waited_for[object], true, __ATOMIC_RELAXED);
	}
}

static void find_waited_for(struct gathering *g, unsigned nr_workers)
{
	const struct syt_places *p = &g->blamer->order->places;
	struct range *ranges = NULL;
	size_t nr = 0, room = 0;

	for (uint32_t i = 0; i < p->nr_threads; i++)
		for (uint64_t from = 0; from < p->threads[i]->nr_rows; from += ROWS_PER_JOB) {
			uint64_t to = from + ROWS_PER_JOB;

			if (to > p->threads[i]->nr_rows)
				to = p->threads[i]->nr_rows;
			*SYT_ADD(ranges, nr, room) = (struct range){i, from, to};
		}
	g->ranges = ranges;
	syt_work(nr, nr_workers, see_rows, g);
	free(ranges);
}

static void add_holders_of(void *context, size_t job, unsigned worker)
{
	const struct gathering *g = context;
	const struct syt_order *o = g->blamer->order;

	for (uint32_t i = job ? g->ends[job - 1] : 0; i < g->ends[job]; i++)
		if (g->is_waited_for[i] && syt_holdings_has_kind(syt_object_kind(&o->objects, i)))
			add_holders(&g->demands[worker], g->blamer, i);
}

/* Adds the demands that lock holders are subject to. Their order does not matter. */
static void add_all_holders(struct syt_demands *d, struct syt_blamer *blamer)
{
	const struct syt_order *o = blamer->order;
	unsigned nr_workers = o->places.trace->nr_workers ? o->places.trace->nr_workers : 1;
	struct gathering g = {.blamer = blamer};
	uint32_t *ends;
	size_t nr = syt_blamer_share(o, &ends);

	g.ends = ends;
	g.is_waited_for = syt_store_alloc(o->objects.nr, sizeof(*g.is_waited_for));
	g.demands = syt_calloc(nr_workers, sizeof(*g.demands));
	find_waited_for(&g, nr_workers);
	syt_blamer_find_holdings(blamer, g.is_waited_for);
	syt_work(nr, nr_workers, add_holders_of, &g);
	for (unsigned n = 0; n < nr_workers; n++) {
		const struct syt_demands *more = &g.demands[n];

		syt_store_widen(&d->all, &d->room, d->nr, d->nr + more->nr, sizeof(*d->all));
		if (more->nr)
			syt_store_move(d->all + d->nr, more->all, more->nr * sizeof(*d->all));
		d->nr += more->nr;
		syt_demands_close(&g.demands[n]);
	}
	free(g.demands);
	free(ends);
	syt_store_free(g.is_waited_for);
}

void syt_demand_gather(struct syt_demands *d, struct syt_blamer *blamer,
                       struct syt_services *services)
{
	const struct syt_order *o = blamer->order;
	const struct syt_places *p = &o->places;

	*d = services->demands;
	memset(&services->demands, 0, sizeof(services->demands));
	syt_demand_client_gather(d, services);
	SYT_EACH_FAR(i, 0, o->histories.nr_life) {
		struct syt_place at = o->histories.life[i];
		const struct syt_row *r = syt_place_row(p, at);
		uint8_t shape = syt_place_call(p, at)->shape;

		if ((shape == SYT_SHAPE_JOIN || shape == SYT_SHAPE_REAP) && r->in < r->out)
			add_ended(d, blamer, at);
	}
	for (uint32_t i = 0; i < p->nr_threads; i++)
		add_unended(d, o, i);
	add_all_holders(d, blamer);
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
