/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * At the end of a trace a thread waits for another one when the call that has not returned, and has no
 * deadline, is for a lock that the other one has and that excludes it, or joins the other one.  A wait for a condition,
 * woken or not, timed or not, does not return without its mutex.  Who waits for himself, by others,
 * waits for ever; who waits for him, too.
 *
 * Who waits for a token, a signal or a message waits for all who were ever seen to give that, and if
 * all of them wait, too, may wait for ever.  Of a receive the slot of its thread says that it had not come
 * back; with a lock that one of the others wants that is told, and that it is not certain.
 */
#include "decoder/report/lock_order/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/read/call.h"
#include "decoder/analysis/dependence.h"

#define MOST_GIVERS 16u /* of one object */

enum state { NEW, ON_PATH, DONE };

/* Threads that wait for what others give: a token, a signal, a message. */
struct gift {
	uint32_t nr; /* 0: it does not, or it is not known from whom */
	uint32_t givers[MOST_GIVERS];
};

struct search {
	struct syt_lock_order *l;
	/* of the second search, else NULL */
	struct gift *gifts; /* [thread] */
	bool *is_stuck;     /* [thread] */
	uint8_t *state;     /* [thread] */
	uint32_t *path;     /* threads */
	size_t *next;       /* [thread]: the next of those that it waits for */
	uint32_t nr_path;
};

/* Whom THREAD waits for, for certain: the N-th of them; SYT_NONE: there are no more. */
static uint32_t surely_waits_for(const struct syt_lock_order *l, uint32_t thread, size_t n)
{
	const struct syt_order *o = l->order;
	const struct syt_thread *t = o->places.threads[thread];
	uint32_t image = (uint32_t)(t->image - o->places.trace->images), object;
	uint8_t shape;

	if (!t->waiting.since)
		return SYT_NONE;
	shape = t->image->calls[t->waiting.call].shape;
	if (shape != SYT_SHAPE_COND_WAIT &&
	    !syt_call_may_wait_for_ever(&t->image->calls[t->waiting.call]))
		return SYT_NONE;
	if (shape == SYT_SHAPE_JOIN)
		return n || t->waiting.thread == SYT_NONE
		               ? SYT_NONE
		               : o->places.first[image] + t->waiting.thread;
	if (shape != SYT_SHAPE_LOCK && shape != SYT_SHAPE_RDLOCK && shape != SYT_SHAPE_COND_WAIT &&
	    shape != SYT_SHAPE_SEM_WAIT)
		return SYT_NONE;
	object = syt_object_of(&o->objects, image,
	                       shape == SYT_SHAPE_COND_WAIT ? t->waiting.object2
	                                                    : t->waiting.object);
	if (object == SYT_NONE)
		return SYT_NONE;
	for (size_t i = 0; i < l->nr_kept; i++)
		if (l->kept[i].object == object && !l->kept[i].has_waited &&
		    !(shape == SYT_SHAPE_RDLOCK && l->kept[i].is_shared) && !n--)
			return l->kept[i].thread;
	return SYT_NONE;
}

/* Whom THREAD waits for: the N-th of them; SYT_NONE: there are no more. */
static uint32_t waits_for(const struct search *s, uint32_t thread, size_t n)
{
	uint32_t whom = surely_waits_for(s->l, thread, n);

	if (whom != SYT_NONE || !s->gifts || surely_waits_for(s->l, thread, 0) != SYT_NONE)
		return whom;
	return n < s->gifts[thread].nr ? s->gifts[thread].givers[n] : SYT_NONE;
}

/* It waits for a lock that another one has. */
static bool wants_lock(const struct syt_lock_order *l, uint32_t thread)
{
	const struct syt_thread *t = l->order->places.threads[thread];

	return surely_waits_for(l, thread, 0) != SYT_NONE &&
	       t->image->calls[t->waiting.call].shape != SYT_SHAPE_JOIN;
}

/* Of those from FIRST on in the path one waits for a gift, and one for a lock: else it has been told
 * already, or may be nothing but idle.  Of several to give there is a circle with each: one is enough. */
static bool is_news(const struct search *s, uint32_t first)
{
	bool has_gift = false, has_lock = false;

	for (uint32_t i = first; i < s->nr_path; i++) {
		if (s->gifts && syt_lock_order_is_deadlocked(s->l, s->path[i]))
			return false;
		has_gift |= s->gifts && s->gifts[s->path[i]].nr;
		has_lock |= wants_lock(s->l, s->path[i]);
	}
	return !s->gifts || (has_gift && has_lock);
}

/* The path has come back to THREAD. */
static void add_deadlock(struct search *s, uint32_t thread)
{
	struct syt_lock_order *l = s->l;
	struct syt_lock_order_deadlock deadlock = {0};
	uint32_t first = s->nr_path;

	while (s->path[--first] != thread)
		;
	if (!is_news(s, first))
		return;
	deadlock.is_sure = !s->gifts;
	deadlock.nr = s->nr_path - first;
	deadlock.threads = syt_alloc(deadlock.nr, sizeof(*deadlock.threads));
	for (uint32_t i = 0; i < deadlock.nr; i++)
		deadlock.threads[i] = s->path[first + i];
	syt_grow(&l->deadlocks, &l->room_deadlocks, l->nr_deadlocks + 1, sizeof(*l->deadlocks));
	l->deadlocks[l->nr_deadlocks++] = deadlock;
}

static void search_from(struct search *s, uint32_t start)
{
	s->path[s->nr_path++] = start;
	s->state[start] = ON_PATH;
	while (s->nr_path) {
		uint32_t at = s->path[s->nr_path - 1], to = waits_for(s, at, s->next[at]++);

		if (to == SYT_NONE) {
			s->state[at] = DONE;
			s->nr_path--;
		} else if (s->is_stuck && !s->is_stuck[to]) {
			continue;
		} else if (s->state[to] == NEW) {
			s->state[to] = ON_PATH;
			s->path[s->nr_path++] = to;
		} else if (s->state[to] == ON_PATH) {
			add_deadlock(s, to);
		}
	}
}

/* One of those whom THREAD waits for is among WAITING. */
static bool waits_for_one(const struct search *s, uint32_t thread, const bool *waiting)
{
	uint32_t whom;

	for (size_t n = 0; (whom = waits_for(s, thread, n)) != SYT_NONE; n++)
		if (waiting[whom])
			return true;
	return false;
}

/* Who waits for the doomed of D, and is not one of them. */
static void count_others(const struct search *s, struct syt_lock_order_deadlock *d)
{
	uint32_t nr_threads = s->l->order->places.nr_threads, nr_before;
	bool *waiting = syt_calloc(nr_threads, sizeof(*waiting));

	for (uint32_t i = 0; i < d->nr; i++)
		waiting[d->threads[i]] = true;
	do {
		nr_before = d->nr_others;
		for (uint32_t t = 0; t < nr_threads; t++) {
			if (waiting[t] || !waits_for_one(s, t, waiting))
				continue;
			waiting[t] = true;
			d->nr_others++;
		}
	} while (d->nr_others > nr_before);
	free(waiting);
}

/* ---- what others give ---- */

uint32_t syt_deadlock_receives(const struct syt_order *o, uint32_t thread)
{
	const struct syt_thread *t = o->places.threads[thread];
	const struct syt_image *image = t->image;
	uint32_t object = SYT_NONE;

	if (t->waiting.since)
		return SYT_NONE;
	for (size_t i = 0; i < image->nr_moving; i++) {
		const struct syt_moving_info *m = &image->moving[i];

		if (m->thread != t->index || m->object >= image->nr_objects)
			continue;
		if (m->is_out || object != SYT_NONE)
			return SYT_NONE; /* it is not known which one it is in */
		object = syt_object_of(&o->objects, (uint32_t)(image - o->places.trace->images),
		                       m->object);
	}
	return object;
}

/* By what others give what THREAD waits for; SYT_NONE: it waits for nothing of that kind. */
static uint32_t gift_object(const struct syt_lock_order *l, uint32_t thread)
{
	const struct syt_order *o = l->order;
	const struct syt_thread *t = o->places.threads[thread];
	const struct syt_call_info *c = &t->image->calls[t->waiting.call];
	uint32_t object;

	if (!t->waiting.since) {
		object = syt_deadlock_receives(o, thread);
		if (object == SYT_NONE)
			return SYT_NONE;
		switch (syt_object_kind(&o->objects, object)) {
		case SYT_KIND_STREAM:
		case SYT_KIND_DGRAM:
			return o->objects.all[object].peer;
		case SYT_KIND_PIPE:
		case SYT_KIND_EVENTFD:
		case SYT_KIND_QUEUE:
			return object;
		default:
			return SYT_NONE;
		}
	}
	if ((c->shape != SYT_SHAPE_SEM_WAIT && c->shape != SYT_SHAPE_COND_WAIT) ||
	    !syt_call_may_wait_for_ever(c))
		return SYT_NONE;
	object = syt_object_of(&o->objects, (uint32_t)(t->image - o->places.trace->images),
	                       t->waiting.object);
	return syt_lockset_has(&l->locks, object) ? SYT_NONE : object;
}

static void add_giver(struct gift *g, uint32_t thread, bool *is_known)
{
	for (uint32_t i = 0; i < g->nr; i++)
		if (g->givers[i] == thread)
			return;
	if (g->nr == MOST_GIVERS)
		*is_known = false;
	else
		g->givers[g->nr++] = thread;
}

/* All others that were ever seen to give what THREAD waits for, and have not ended. */
static struct gift gift_for(const struct syt_lock_order *l, uint32_t thread)
{
	const struct syt_order *o = l->order;
	uint32_t object =
		surely_waits_for(l, thread, 0) == SYT_NONE ? gift_object(l, thread) : SYT_NONE;
	bool is_known = true;
	struct gift g = {0};
	struct syt_history h;

	if (object == SYT_NONE || o->objects.all[object].complete_from ||
	    o->objects.all[object].info->flags & SYT_OBJECT_PRESHARED)
		return g;
	h = syt_history_of(&o->histories, object);
	SYT_EACH(i, 0, h.nr) {
		if (!is_known)
			break;
		uint32_t by = h.touches[i].place.thread;

		if (syt_dependence_gives(&h.touches[i]) && by != thread &&
		    !syt_lock_order_has_ended(&o->places, by))
			add_giver(&g, by, &is_known);
	}
	if (!is_known)
		g.nr = 0;
	return g;
}

/* Whether THREAD waits for ever if all those in IS_STUCK do. */
static bool stays(const struct search *s, uint32_t thread)
{
	const struct gift *g = &s->gifts[thread];
	uint32_t whom;

	for (size_t n = 0; (whom = surely_waits_for(s->l, thread, n)) != SYT_NONE; n++)
		if (s->is_stuck[whom])
			return true;
	for (uint32_t i = 0; i < g->nr; i++)
		if (!s->is_stuck[g->givers[i]])
			return false;
	return g->nr;
}

/* The most threads of which each waits for ever if the others do. */
static void find_stuck(struct search *s, uint32_t nr_threads)
{
	bool is_done = false;

	for (uint32_t t = 0; t < nr_threads; t++) {
		s->gifts[t] = gift_for(s->l, t);
		s->is_stuck[t] = s->gifts[t].nr || surely_waits_for(s->l, t, 0) != SYT_NONE;
	}
	while (!is_done) {
		is_done = true;
		for (uint32_t t = 0; t < nr_threads; t++) {
			if (!s->is_stuck[t] || stays(s, t))
				continue;
			s->is_stuck[t] = false;
			is_done = false;
		}
	}
}

/* ---- all ---- */

static void search_all(struct search *s, uint32_t nr_threads)
{
	size_t first = s->l->nr_deadlocks;

	for (uint32_t t = 0; t < nr_threads; t++)
		if (s->state[t] == NEW &&
		    (s->is_stuck ? s->is_stuck[t] : surely_waits_for(s->l, t, 0) != SYT_NONE))
			search_from(s, t);
	for (size_t i = first; i < s->l->nr_deadlocks; i++)
		count_others(s, &s->l->deadlocks[i]);
}

void syt_lock_order_find_deadlocks(struct syt_lock_order *l)
{
	uint32_t nr_threads = l->order->places.nr_threads;
	struct search s = {.l = l,
	                   .state = syt_calloc(nr_threads, sizeof(*s.state)),
	                   .path = syt_calloc(nr_threads, sizeof(*s.path)),
	                   .next = syt_calloc(nr_threads, sizeof(*s.next))};

	search_all(&s, nr_threads);
	if (l->nr_kept) { /* somebody has something that is waited for */
		s.gifts = syt_calloc(nr_threads, sizeof(*s.gifts));
		s.is_stuck = syt_calloc(nr_threads, sizeof(*s.is_stuck));
		find_stuck(&s, nr_threads);
		memset(s.state, NEW, nr_threads * sizeof(*s.state));
		memset(s.next, 0, nr_threads * sizeof(*s.next));
		search_all(&s, nr_threads);
	}
	free(s.gifts);
	free(s.is_stuck);
	free(s.state);
	free(s.path);
	free(s.next);
}
