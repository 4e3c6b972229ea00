/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds missed signals: another thread signalled a condition while no thread waited, and the next wait then timed out
 * although its thread had work. The waits are counted for each condition variable. If no count is large enough, the
 * waits at one call path are counted: each request may have its own condition variable. */
#include "decoder/analysis/cause.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/counts.h"
#include "base/err.h"
#include "base/sort.h"

#define LEAST_MISSED 3u
#define LEAST_MISSED_OF_PATH 5u

struct signal {
	syt_time at;
	struct syt_place by;
};

/* The waits at one call path for one condition variable, or for all. */
struct waits {
	struct syt_cause cause;
	uint64_t nr_timed_out;
	uint32_t last_object; /* with a missed signal, or SYT_NONE */
	uint8_t *
		has_missed; /* [thread]: 1 if it missed a signal; for one condition variable: NULL */
	bool is_named;      /* a cause for one of the condition variables exists */
};

struct waits_list {
	size_t nr, room;
	struct waits *all;
};

struct search {
	const struct syt_cause_search *s;
	uint64_t nr_edges;
	struct syt_place *received; /* signals that woke a thread, or may have woken one, sorted */
	syt_time *ended;            /* [thread]: end of its last wait for the present object */
	uint32_t *tag;              /* [thread]: number + 1 of the object of `ended` */
	size_t nr_signals, room_signals;
	struct signal *signals;             /* signals of the present object that woke no thread */
	struct waits_list here, everywhere; /* for the present object, and for all */
	struct syt_counts numbers; /* (call path, object or SYT_NONE) -> index in a list + 1 */
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
 * mutex. The thread saw all changes before that time, so only a later signal can be missed. Each wait may have a new
 * mutex, so the search ends at the first use of the mutex. */
static syt_time last_look(const struct syt_order *o, struct syt_place wait)
{
	const struct syt_thread *t = o->places.threads[wait.thread];
	uint32_t mutex = syt_place_extra(&o->places, wait)->object2;
	uint32_t object = syt_object_of(&o->objects, syt_place_image_idx(&o->places, wait), mutex);
	struct syt_history h = {0};

	if (object != SYT_NONE)
		h = syt_history_of(&o->histories, object);
	for (uint32_t row = wait.row; h.nr && row;) {
		const struct syt_row *r = syt_thread_row(t, --row);
		uint8_t shape = syt_row_call(t->image, r)->shape;

		if ((shape == SYT_SHAPE_UNLOCK && r->object == mutex) ||
		    (shape == SYT_SHAPE_COND_WAIT && syt_thread_extra(t, r)->object2 == mutex))
			return r->out;
		if (r->out < h.touches[0].at)
			break;
	}
	return 0;
}

static struct waits *waits_of(struct search *w, struct waits_list *list, uint32_t object,
                              struct syt_place at)
{
	uint32_t side = syt_label_side(w->s->labels, at);
	uint64_t *number = syt_counts_at(&w->numbers, side, object);

	if (!*number) {
		*SYT_ADD(list->all, list->nr, list->room) =
			(struct waits){.cause = {.kind = SYT_CAUSE_MISSED_SIGNAL,
		                                 .object = object,
		                                 .waiter = side,
		                                 .origin = SYT_NONE,
		                                 .inside = SYT_NONE,
		                                 .thread = at.thread,
		                                 .nr_threads = 1,
		                                 .at = at,
		                                 .by = {SYT_NONE, 0}},
		                       .last_object = SYT_NONE};
		*number = list->nr;
	}
	return &list->all[*number - 1];
}

/* Counts the wait AT of the waits OF, which missed the signal BY. */
static void add_miss(struct waits *of, uint32_t object, struct syt_place at, syt_time time,
                     struct syt_place by)
{
	of->cause.nr++;
	of->cause.cost += time;
	if (of->cause.thread != at.thread)
		of->cause.thread = SYT_NONE;
	of->cause.at = at;
	of->cause.by = by;
	if (of->last_object != object)
		of->cause.nr_objects++;
	of->last_object = object;
}

static void see_wait(struct search *w, uint32_t object, struct syt_place at)
{
	const struct syt_places *p = &w->s->order->places;
	const struct syt_row *r = syt_place_row(p, at);
	syt_time since = w->tag[at.thread] == object + 1 ? w->ended[at.thread] : 0;
	struct waits *here = waits_of(w, &w->here, object, at);
	struct waits *everywhere = waits_of(w, &w->everywhere, SYT_NONE, at);
	syt_time looked;
	size_t i;

	w->tag[at.thread] = object + 1;
	w->ended[at.thread] = r->out;
	here->cause.of++;
	everywhere->cause.of++;
	if (r->result == 0 || !syt_place_gave_mutex(p, at))
		return;
	here->nr_timed_out++;
	everywhere->nr_timed_out++;
	looked = last_look(w->s->order, at);
	since = looked > since ? looked : since;
	i = SYT_BISECT(n, 0, w->nr_signals, w->signals[n].at <= since);
	/* a thread knows the signals that it gave itself */
	while (i < w->nr_signals && w->signals[i].by.thread == at.thread)
		i++;
	if (i == w->nr_signals || w->signals[i].at >= r->in || waits_again(w->s->order, at))
		return;
	add_miss(here, object, at, r->out - r->in, w->signals[i].by);
	add_miss(everywhere, object, at, r->out - r->in, w->signals[i].by);
	if (!everywhere->has_missed)
		everywhere->has_missed = syt_calloc(p->nr_threads, 1);
	if (!everywhere->has_missed[at.thread])
		everywhere->cause.of_wall += syt_cause_life(w->s->order, at.thread);
	everywhere->has_missed[at.thread] = 1;
}

/* Adds the cause of the waits OF. Returns false if it does not pass the limits. */
static bool add_missed(const struct search *w, struct waits *of, uint64_t least)
{
	struct syt_cause *c = &of->cause;

	if (c->nr < least || c->nr * 5 < c->of ||
	    !syt_cause_is_large(w->s->causes, c->cost, c->of_wall))
		return false;
	c->mean = c->cost / c->nr;
	c->limit = of->nr_timed_out;
	c->origin = syt_label_side(w->s->labels, c->by);
	syt_causes_add(w->s->causes, *c);
	return true;
}

static void see_object(struct search *w, uint32_t object)
{
	struct syt_history h = syt_history_of(&w->s->order->histories, object);

	w->nr_signals = w->here.nr = 0;
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
	for (size_t i = 0; i < w->here.nr; i++) {
		struct waits *of = &w->here.all[i];

		of->cause.of_wall = syt_cause_life(w->s->order, of->cause.at.thread);
		if (add_missed(w, of, LEAST_MISSED))
			waits_of(w, &w->everywhere, SYT_NONE, of->cause.at)->is_named = true;
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
	for (size_t i = 0; i < w.everywhere.nr; i++) {
		if (!w.everywhere.all[i].is_named)
			add_missed(&w, &w.everywhere.all[i], LEAST_MISSED_OF_PATH);
		free(w.everywhere.all[i].has_missed);
	}
	free(w.signals);
	free(w.here.all);
	free(w.everywhere.all);
	syt_counts_fini(&w.numbers);
}
