/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * At the end of a trace a thread waits for another one when the call that has not returned, and has no
 * deadline, is for a lock that the other one has and that excludes it, or joins the other one.  A wait for a condition,
 * woken or not, timed or not, does not return without its mutex.  Who waits for himself, by others,
 * waits for ever; who waits for him, too.
 */
#include "decoder/report/doom.h"

#include <stdlib.h>

#include "decoder/base/err.h"
#include "decoder/read/call.h"

enum state { NEW, ON_PATH, DONE };

struct search {
	struct syt_lockorder *l;
	uint8_t *state; /* [thread] */
	uint32_t *path; /* threads */
	size_t *next;   /* [thread]: the next of those that it waits for */
	uint32_t nr_path;
};

/* Whom THREAD waits for: the N-th of them; SYT_NONE: there are no more. */
static uint32_t waits_for(const struct syt_lockorder *l, uint32_t thread, size_t n)
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

/* The path has come back to THREAD. */
static void add_doom(struct search *s, uint32_t thread)
{
	struct syt_lockorder *l = s->l;
	struct syt_lockorder_doom doom = {0};
	uint32_t first = s->nr_path;

	while (s->path[--first] != thread)
		;
	doom.nr = s->nr_path - first;
	doom.threads = syt_alloc(doom.nr, sizeof(*doom.threads));
	for (uint32_t i = 0; i < doom.nr; i++)
		doom.threads[i] = s->path[first + i];
	syt_grow(&l->dooms, &l->room_dooms, l->nr_dooms + 1, sizeof(*l->dooms));
	l->dooms[l->nr_dooms++] = doom;
}

static void search_from(struct search *s, uint32_t start)
{
	s->path[s->nr_path++] = start;
	s->state[start] = ON_PATH;
	while (s->nr_path) {
		uint32_t at = s->path[s->nr_path - 1], to = waits_for(s->l, at, s->next[at]++);

		if (to == SYT_NONE) {
			s->state[at] = DONE;
			s->nr_path--;
		} else if (s->state[to] == NEW) {
			s->state[to] = ON_PATH;
			s->path[s->nr_path++] = to;
		} else if (s->state[to] == ON_PATH) {
			add_doom(s, to);
		}
	}
}

/* One of those whom THREAD waits for is among WAITING. */
static bool waits_for_one(const struct syt_lockorder *l, uint32_t thread, const bool *waiting)
{
	uint32_t whom;

	for (size_t n = 0; (whom = waits_for(l, thread, n)) != SYT_NONE; n++)
		if (waiting[whom])
			return true;
	return false;
}

/* Who waits for the doomed of D, and is not one of them. */
static void count_others(const struct syt_lockorder *l, struct syt_lockorder_doom *d)
{
	uint32_t nr_threads = l->order->places.nr_threads, nr_before;
	bool *waiting = syt_calloc(nr_threads, sizeof(*waiting));

	for (uint32_t i = 0; i < d->nr; i++)
		waiting[d->threads[i]] = true;
	do {
		nr_before = d->nr_others;
		for (uint32_t t = 0; t < nr_threads; t++) {
			if (waiting[t] || !waits_for_one(l, t, waiting))
				continue;
			waiting[t] = true;
			d->nr_others++;
		}
	} while (d->nr_others > nr_before);
	free(waiting);
}

void syt_lockorder_find_dooms(struct syt_lockorder *l)
{
	uint32_t nr_threads = l->order->places.nr_threads;
	struct search s = {.l = l,
	                   .state = syt_calloc(nr_threads, sizeof(*s.state)),
	                   .path = syt_calloc(nr_threads, sizeof(*s.path)),
	                   .next = syt_calloc(nr_threads, sizeof(*s.next))};

	for (uint32_t t = 0; t < nr_threads; t++)
		if (s.state[t] == NEW && l->order->places.threads[t]->waiting.since)
			search_from(&s, t);
	for (size_t i = 0; i < l->nr_dooms; i++)
		count_others(l, &l->dooms[i]);
	free(s.state);
	free(s.path);
	free(s.next);
}
