/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds deadlocks: cycles of the wait-for graph at the end of the trace.
 *
 * A thread certainly waits for another thread if its call has not returned, has no timeout, and joins the other
 * thread or acquires a lock that the other thread holds. A wait for a condition, signalled or not, timed or not,
 * cannot return without its mutex. The waiting thread therefore also waits for the holder of the mutex.
 *
 * A thread that waits for a semaphore's token, a signal of a condition or a message waits for all threads that ever
 * gave one (givers). If all of them are blocked, too, a deadlock is possible, not certain. A possible deadlock is
 * reported only if one of its threads also waits for a lock: otherwise the threads may be idle. A receive that has
 * not returned is known from the recorder's data about a thread's present call (its slot).
 */
#include "decoder/report/lock_order/deadlock.h"

#include <stdlib.h>

#include "base/err.h"
#include "decoder/read/call.h"
#include "decoder/analysis/dependence.h"

#define MOST_GIVERS 16u /* maximum number of givers of one object */

enum state { NEW, ON_PATH, DONE };

/* The threads that can give the token, the signal or the message for which a thread waits. */
struct givers {
	uint32_t nr; /* number of givers; 0: the thread waits for no giver, or they are unknown */
	uint32_t threads[MOST_GIVERS];
};

struct search {
	struct syt_lock_order *l;
	/* the next two members are for the search for possible deadlocks, otherwise NULL */
	struct givers *givers; /* [thread] */
	bool *is_stuck;        /* [thread] */
	uint8_t *state;        /* [thread] */
	uint32_t *path;        /* threads of the present path in the wait-for graph */
	size_t *next;          /* [thread]: number of its waits that the search has followed */
	uint32_t nr_path;
};

struct syt_deadlock_call syt_deadlock_call_of(const struct syt_order *o, uint32_t thread)
{
	const struct syt_waiting_info *w = &o->places.threads[thread]->waiting;
	uint32_t image = syt_place_image_idx(&o->places, (struct syt_place){thread, 0});

	if (!w->since)
		return (struct syt_deadlock_call){SYT_NONE, SYT_NONE};
	return (struct syt_deadlock_call){syt_object_of(&o->objects, image, w->object),
	                                  syt_object_of(&o->objects, image, w->object2)};
}

/* Returns the thread with index N among those for which THREAD certainly waits; SYT_NONE: there are fewer. */
static uint32_t surely_waits_for(const struct syt_lock_order *l, uint32_t thread, size_t n)
{
	const struct syt_order *o = l->order;
	const struct syt_thread *t = o->places.threads[thread];

	if (!t->waiting.since)
		return SYT_NONE;
	const struct syt_call_info *c = &t->image->calls[t->waiting.call];
	struct syt_deadlock_call call = syt_deadlock_call_of(o, thread);
	uint8_t shape = c->shape;
	uint32_t object = shape == SYT_SHAPE_COND_WAIT ? call.mutex : call.object;

	if (shape != SYT_SHAPE_COND_WAIT && !syt_call_may_wait_for_ever(c))
		return SYT_NONE;
	if (shape == SYT_SHAPE_JOIN)
		return n || t->waiting.thread == SYT_NONE ? SYT_NONE
		                                          : thread - t->index + t->waiting.thread;
	if (shape != SYT_SHAPE_LOCK && shape != SYT_SHAPE_RDLOCK && shape != SYT_SHAPE_COND_WAIT &&
	    shape != SYT_SHAPE_SEM_WAIT)
		return SYT_NONE;
	for (size_t i = 0; i < l->nr_kept && object != SYT_NONE; i++)
		if (l->kept[i].object == object && !l->kept[i].has_waited &&
		    !(shape == SYT_SHAPE_RDLOCK && l->kept[i].is_shared) && !n--)
			return l->kept[i].thread;
	return SYT_NONE;
}

/* Returns the thread with index N among those for which THREAD certainly or possibly waits; SYT_NONE: there are
 * fewer. */
static uint32_t waits_for(const struct search *s, uint32_t thread, size_t n)
{
	uint32_t other = surely_waits_for(s->l, thread, n);

	if (other != SYT_NONE || !s->givers || surely_waits_for(s->l, thread, 0) != SYT_NONE)
		return other;
	return n < s->givers[thread].nr ? s->givers[thread].threads[n] : SYT_NONE;
}

/* Returns true if THREAD waits for a lock that another thread holds. */
static bool wants_lock(const struct syt_lock_order *l, uint32_t thread)
{
	const struct syt_thread *t = l->order->places.threads[thread];

	return surely_waits_for(l, thread, 0) != SYT_NONE &&
	       t->image->calls[t->waiting.call].shape != SYT_SHAPE_JOIN;
}

/* Returns true if the cycle that begins at FIRST in the path must be reported. A possible deadlock needs a thread
 * that waits for a giver, because otherwise it is reported already, and a thread that waits for a lock, because
 * otherwise the threads may be idle. Several givers make several cycles, of which only one is reported. */
static bool is_reportable(const struct search *s, uint32_t first)
{
	bool has_giver = false, has_lock = false;

	for (uint32_t i = first; i < s->nr_path; i++) {
		if (s->givers && syt_lock_order_is_deadlocked(s->l, s->path[i]))
			return false;
		has_giver |= s->givers && s->givers[s->path[i]].nr;
		has_lock |= wants_lock(s->l, s->path[i]);
	}
	return !s->givers || (has_giver && has_lock);
}

/* Adds the cycle of the wait-for graph that THREAD closes. */
static void add_deadlock(struct search *s, uint32_t thread)
{
	struct syt_lock_order *l = s->l;
	struct syt_lock_order_deadlock deadlock = {0};
	uint32_t first = s->nr_path;

	while (s->path[--first] != thread)
		;
	if (!is_reportable(s, first))
		return;
	deadlock.is_sure = !s->givers;
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

/* Returns true if THREAD waits for one of the threads in WAITING. */
static bool waits_for_one(const struct search *s, uint32_t thread, const bool *waiting)
{
	uint32_t other;

	for (size_t n = 0; (other = waits_for(s, thread, n)) != SYT_NONE; n++)
		if (waiting[other])
			return true;
	return false;
}

/* Counts the other threads that wait for the threads of deadlock D, directly or through other threads. */
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

/* ---- threads that can give a token, a signal or a message ---- */

uint32_t syt_deadlock_receives(const struct syt_order *o, uint32_t thread)
{
	const struct syt_thread *t = o->places.threads[thread];
	const struct syt_image *image = t->image;
	uint32_t object = SYT_NONE;

	if (t->waiting.since)
		return SYT_NONE;
	for (size_t i = 0; i < image->nr_in_flight; i++) {
		const struct syt_in_flight_info *m = &image->in_flight[i];

		if (m->thread != t->index || m->object >= image->nr_objects)
			continue;
		if (m->is_out || object != SYT_NONE)
			/* several receives have not returned: it is unknown which is the present call */
			return SYT_NONE;
		object = syt_object_of(
			&o->objects, syt_place_image_idx(&o->places, (struct syt_place){thread, 0}),
			m->object);
	}
	return object;
}

/* Returns the object from which THREAD waits for a token, signal or message; SYT_NONE: it waits for none. */
static uint32_t giving_object(const struct syt_lock_order *l, uint32_t thread)
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
	object = syt_deadlock_call_of(o, thread).object;
	return syt_lockset_has(&l->locks, object) ? SYT_NONE : object;
}

static void add_giver(struct givers *g, uint32_t thread, bool *is_known)
{
	for (uint32_t i = 0; i < g->nr; i++)
		if (g->threads[i] == thread)
			return;
	if (g->nr == MOST_GIVERS)
		*is_known = false;
	else
		g->threads[g->nr++] = thread;
}

/* Returns all other threads that ever gave a token, signal or message to THREAD's object and have not ended. */
static struct givers givers_of(const struct syt_lock_order *l, uint32_t thread)
{
	const struct syt_order *o = l->order;
	uint32_t object =
		surely_waits_for(l, thread, 0) == SYT_NONE ? giving_object(l, thread) : SYT_NONE;
	bool is_known = true;
	struct givers g = {0};
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

/* Returns true if THREAD waits forever when all threads in IS_STUCK wait forever. */
static bool stays(const struct search *s, uint32_t thread)
{
	const struct givers *g = &s->givers[thread];
	uint32_t other;

	for (size_t n = 0; (other = surely_waits_for(s->l, thread, n)) != SYT_NONE; n++)
		if (s->is_stuck[other])
			return true;
	for (uint32_t i = 0; i < g->nr; i++)
		if (!s->is_stuck[g->threads[i]])
			return false;
	return g->nr;
}

/* Finds the largest set of threads in which each thread waits forever if the others do. */
static void find_stuck(struct search *s, uint32_t nr_threads)
{
	bool is_done = false;

	for (uint32_t t = 0; t < nr_threads; t++) {
		s->givers[t] = givers_of(s->l, t);
		s->is_stuck[t] = s->givers[t].nr || surely_waits_for(s->l, t, 0) != SYT_NONE;
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

/* ---- the whole search ---- */

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
	if (l->nr_kept) { /* without a lock that is held at the end, there is no deadlock */
		s.givers = syt_calloc(nr_threads, sizeof(*s.givers));
		s.is_stuck = syt_calloc(nr_threads, sizeof(*s.is_stuck));
		find_stuck(&s, nr_threads);
		memset(s.state, NEW, nr_threads * sizeof(*s.state));
		memset(s.next, 0, nr_threads * sizeof(*s.next));
		search_all(&s, nr_threads);
	}
	free(s.givers);
	free(s.is_stuck);
	free(s.state);
	free(s.path);
	free(s.next);
}
