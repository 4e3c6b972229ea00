/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds missed signals: a condition was signalled while no thread waited, and the next wait then timed out
 * although its thread had work. */
#include "decoder/analysis/cause.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "base/sort.h"

#define LEAST_MISSED 3u

struct signal {
	syt_time at;
	struct syt_place by;
};

/* The waits at one call path for one condition variable. */
struct waits {
	struct syt_cause cause;
	uint64_t nr_timed_out;
};

struct search {
	const struct syt_cause_search *s;
	uint64_t nr_edges;
	struct syt_place *received; /* signals that woke a thread, or may have woken one, sorted */
	syt_time *ended;            /* [thread]: end of its last wait for the present object */
	uint32_t *tag;              /* [thread]: number + 1 of the object of `ended` */
	size_t nr_signals, room_signals;
	struct signal *signals; /* signals of the present object that woke no thread */
	size_t nr_waits, room_waits;
	struct waits *waits;
};

static int by_place(const void *a, const void *b)
{
	return syt_place_compare(*(const struct syt_place *)a, *(const struct syt_place *)b);
}

static bool is_received(const struct search *w, struct syt_place by)
{
	uint64_t i = SYT_BISECT(n, 0, w->nr_edges, syt_place_compare(w->received[n], by) < 0);

	return i < w->nr_edges && !syt_place_compare(w->received[i], by);
}

/* Returns true if the next synchronization of the thread after WAIT is another wait for the same condition: the
 * wait found no work. */
static bool waits_again(const struct syt_order *o, struct syt_place wait)
{
	const struct syt_places *p = &o->places;
	uint32_t object = syt_place_row(p, wait)->object;
	struct syt_place at = wait;

	while (++at.row < p->threads[at.thread]->nr_rows)
		if (syt_place_is_point(p, at))
			return syt_place_call(p, at)->shape == SYT_SHAPE_COND_WAIT &&
			       syt_place_row(p, at)->object == object;
	return false;
}

/* Returns the end of the last critical section of the thread before the one that contains WAIT, in the same
 * mutex. The thread saw all changes before that time, so only a later signal can be missed. */
static syt_time last_look(const struct syt_order *o, struct syt_place wait)
{
	const struct syt_thread *t = o->places.threads[wait.thread];
	uint32_t mutex = syt_place_extra(&o->places, wait)->object2;

	for (uint32_t row = wait.row; row;) {
		const struct syt_row *r = syt_thread_row(t, --row);
		uint8_t shape = syt_row_call(t->image, r)->shape;

		if ((shape == SYT_SHAPE_UNLOCK && r->object == mutex) ||
		    (shape == SYT_SHAPE_COND_WAIT && syt_thread_extra(t, r)->object2 == mutex))
			return r->out;
	}
	return 0;
}

static struct waits *waits_of(struct search *w, uint32_t object, struct syt_place at)
{
	uint32_t side = syt_label_side(w->s->labels, at);

	for (size_t i = 0; i < w->nr_waits; i++)
		if (w->waits[i].cause.waiter == side)
			return &w->waits[i];
	syt_grow(&w->waits, &w->room_waits, w->nr_waits + 1, sizeof(*w->waits));
	w->waits[w->nr_waits] = (struct waits){.cause = {.kind = SYT_CAUSE_MISSED_SIGNAL,
	                                                 .object = object,
	                                                 .waiter = side,
	                                                 .origin = SYT_NONE,
	                                                 .inside = SYT_NONE,
	                                                 .thread = at.thread,
	                                                 .nr_threads = 1,
	                                                 .at = at,
	                                                 .by = {SYT_NONE, 0}}};
	return &w->waits[w->nr_waits++];
}

static void see_wait(struct search *w, uint32_t object, struct syt_place at)
{
	const struct syt_places *p = &w->s->order->places;
	const struct syt_row *r = syt_place_row(p, at);
	syt_time since = w->tag[at.thread] == object + 1 ? w->ended[at.thread] : 0;
	struct waits *of = waits_of(w, object, at);
	size_t i;

	syt_time looked = last_look(w->s->order, at);

	since = looked > since ? looked : since;
	w->tag[at.thread] = object + 1;
	w->ended[at.thread] = r->out;
	of->cause.of++;
	if (r->result == 0 || !syt_place_gave_mutex(p, at))
		return;
	of->nr_timed_out++;
	i = SYT_BISECT(n, 0, w->nr_signals, w->signals[n].at <= since);
	if (i == w->nr_signals || w->signals[i].at >= r->in || waits_again(w->s->order, at))
		return;
	of->cause.nr++;
	of->cause.cost += r->out - r->in;
	if (of->cause.thread != at.thread)
		of->cause.thread = SYT_NONE;
	of->cause.at = at;
	of->cause.by = w->signals[i].by;
}

static void see_object(struct search *w, uint32_t object)
{
	struct syt_history h = syt_history_of(&w->s->order->histories, object);

	w->nr_signals = w->nr_waits = 0;
	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];

		if (t->role != SYT_ROLE_SELF)
			continue;
		if (t->shape == SYT_SHAPE_COND_WAIT) {
			see_wait(w, object, t->place);
		} else if ((t->shape == SYT_SHAPE_COND_SIGNAL ||
		            t->shape == SYT_SHAPE_COND_BROADCAST) &&
		           !is_received(w, t->place)) {
			syt_grow(&w->signals, &w->room_signals, w->nr_signals + 1,
			         sizeof(*w->signals));
			w->signals[w->nr_signals++] = (struct signal){t->at, t->place};
		}
	}
	for (size_t i = 0; i < w->nr_waits; i++) {
		struct syt_cause *c = &w->waits[i].cause;

		if (c->nr < LEAST_MISSED || c->nr * 5 < c->of ||
		    !syt_cause_is_large(w->s->causes, c->cost,
		                        syt_cause_life(w->s->order, c->at.thread)))
			continue;
		c->mean = c->cost / c->nr;
		c->limit = w->waits[i].nr_timed_out;
		c->of_wall = syt_cause_life(w->s->order, c->at.thread);
		c->origin = syt_label_side(w->s->labels, c->by);
		syt_causes_add(w->s->causes, *c);
	}
}

void syt_cause_find_missed_signals(const struct syt_cause_search *s)
{
	const struct syt_edges *edges = &s->order->edges;
	struct search w = {.s = s,
	                   .received = syt_store_alloc(edges->nr, sizeof(*w.received)),
	                   .ended = syt_calloc(s->order->places.nr_threads, sizeof(*w.ended)),
	                   .tag = syt_calloc(s->order->places.nr_threads, sizeof(*w.tag))};

	SYT_EACH(i, 0, edges->nr)
		if (edges->all[i].kind == SYT_EDGE_COND)
			w.received[w.nr_edges++] = edges->all[i].from;
	syt_sort(w.received, w.nr_edges, sizeof(*w.received), by_place);
	for (uint32_t i = 0; i < s->order->objects.nr; i++)
		if (syt_object_kind(&s->order->objects, i) == SYT_KIND_COND)
			see_object(&w, i);
	syt_store_free(w.received);
	free(w.ended);
	free(w.tag);
	free(w.signals);
	free(w.waits);
}
