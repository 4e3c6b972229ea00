/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/order/section.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/match/match.h"
#include "base/sort.h"

/* Maximum number of events examined inside a critical section. A thread may hold many mutexes for a long time. */
#define MOST_INSIDE 256u

struct builder {
	struct syt_sections *s;
	const struct syt_places *places;
	const struct syt_objects *objects;
	uint32_t mutex;
	uint32_t holder, depth; /* thread that holds the mutex, or SYT_NONE; recursion depth */
	size_t nr_waiting, room_waiting;
	struct waiting {
		uint32_t thread, section;
	} * waiting; /* threads that released the mutex to wait for a condition variable */
};

static uint32_t object_of(const struct builder *b, struct syt_place at)
{
	uint32_t object = syt_object_of(b->objects, syt_place_image_idx(b->places, at),
	                                syt_place_row(b->places, at)->object);

	if (object != SYT_NONE && b->objects->all[object].peer < object)
		object = b->objects->all[object].peer;
	return object;
}

static void add_use(struct builder *b, struct syt_place at, uint32_t section, enum syt_use use)
{
	struct syt_sections *s = b->s;
	uint32_t object = object_of(b, at);

	if (object == SYT_NONE)
		return;
	*SYT_STORE_ADD(s->uses, s->nr_uses, s->room_uses) =
		(struct syt_section_use){object, section, (uint8_t)use};
}

/* Returns true if data that the event AT writes to its object wakes a reader. */
static bool carries_wakeups(const struct builder *b, struct syt_place at)
{
	uint32_t object = object_of(b, at);
	enum syt_kind kind =
		object == SYT_NONE ? SYT_KIND_OTHER : syt_object_kind(b->objects, object);

	return kind == SYT_KIND_EVENTFD || kind == SYT_KIND_PIPE || kind == SYT_KIND_STREAM ||
	       kind == SYT_KIND_DGRAM;
}

/* If the event AT wakes other threads, adds this wake to the critical section SECTION. AT is inside of SECTION, or
 * is the thread's next synchronization event after SECTION. */
static void look_at_wake(struct builder *b, struct syt_place at, uint32_t section)
{
	if (!syt_place_succeeded(b->places, at))
		return;
	switch (syt_place_call(b->places, at)->shape) {
	case SYT_SHAPE_COND_BROADCAST:
		add_use(b, at, section, SYT_USE_WAKE_ALL);
		break;
	case SYT_SHAPE_COND_SIGNAL:
	case SYT_SHAPE_SEM_POST:
		add_use(b, at, section, SYT_USE_WAKE);
		break;
	case SYT_SHAPE_SEND:
		if (carries_wakeups(b, at))
			add_use(b, at, section, SYT_USE_WAKE);
		break;
	default:
		break;
	}
}

static void look_before(struct builder *b, uint32_t section)
{
	struct syt_place at = b->s->all[section].begin;

	if (syt_place_call(b->places, at)->shape == SYT_SHAPE_COND_WAIT)
		add_use(b, at, section, SYT_USE_WAIT);
	while (at.row--) {
		uint8_t shape = syt_place_call(b->places, at)->shape;

		if (!syt_place_is_point(b->places, at))
			continue;
		if (syt_place_succeeded(b->places, at) &&
		    (shape == SYT_SHAPE_SEM_WAIT ||
		     (shape == SYT_SHAPE_RECV && carries_wakeups(b, at))))
			add_use(b, at, section, SYT_USE_WAIT);
		return;
	}
}

static void look_inside(struct builder *b, uint32_t section)
{
	const struct syt_section *s = &b->s->all[section];
	struct syt_place at = s->begin;
	uint64_t nr_rows = b->places->threads[at.thread]->nr_rows;

	while (++at.row < s->end.row && at.row - s->begin.row <= MOST_INSIDE) {
		uint32_t second = syt_object_of(b->objects, syt_place_image_idx(b->places, at),
		                                syt_place_extra(b->places, at)->object2);

		if (second == b->mutex && syt_place_gave_mutex(b->places, at))
			add_use(b, at, section, SYT_USE_WAIT);
		else
			look_at_wake(b, at, section);
	}
	for (at.row = s->end.row + 1; at.row < nr_rows; at.row++) {
		if (!syt_place_is_point(b->places, at))
			continue;
		look_at_wake(b, at, section);
		return;
	}
}

/* Returns the critical section that THREAD continues after a wait for a condition variable, or SYT_NONE if the
 * trace lacks the begin of the wait. */
static uint32_t stop_waiting(struct builder *b, uint32_t thread)
{
	for (size_t i = 0; i < b->nr_waiting; i++) {
		uint32_t section = b->waiting[i].section;

		if (b->waiting[i].thread != thread)
			continue;
		b->waiting[i] = b->waiting[--b->nr_waiting];
		return section;
	}
	return SYT_NONE;
}

static void acquire(struct builder *b, const struct syt_touch *t)
{
	struct syt_sections *s = b->s;
	bool is_wait = t->role == SYT_ROLE_SECOND;

	if (b->holder == t->place.thread) {
		b->depth++;
		return;
	}
	b->holder = t->place.thread;
	b->depth = 1;
	uint32_t section = is_wait ? stop_waiting(b, t->place.thread) : SYT_NONE;

	if (section == SYT_NONE) {
		section = (uint32_t)s->nr;
		*SYT_STORE_ADD(s->all, s->nr, s->room) =
			(struct syt_section){t->place, {SYT_NONE, 0}};
	}
	*SYT_STORE_ADD(s->holds, s->nr_holds, s->room_holds) =
		(struct syt_hold){section, t->place, SYT_NONE, false,
	                          is_wait && !syt_place_succeeded(b->places, t->place)};
}

/* Handles a release of the mutex. Returns false if the thread does not hold the mutex. */
static bool release(struct builder *b, const struct syt_touch *t)
{
	struct syt_sections *s = b->s;

	if (!s->nr_holds) /* the thread took the mutex in an event that was overwritten */
		return true;
	if (b->holder != t->place.thread)
		return false;
	if (t->role == SYT_ROLE_RELEASE2) {
		s->holds[s->nr_holds - 1].waits_for = object_of(b, t->place);
		*SYT_ADD(b->waiting, b->nr_waiting, b->room_waiting) =
			(struct waiting){t->place.thread, s->holds[s->nr_holds - 1].section};
	} else {
		if (--b->depth)
			return true;
		s->holds[s->nr_holds - 1].is_last = true;
		s->all[s->holds[s->nr_holds - 1].section].end = t->place;
	}
	b->holder = SYT_NONE;
	return true;
}

static int by_object(const void *a_, const void *b_)
{
	const struct syt_section_use *a = a_, *b = b_;

	SYT_ORDER_BY(object);
	SYT_ORDER_BY(section);
	SYT_ORDER_BY(use);
	return 0;
}

bool syt_sections_open(struct syt_sections *s, const struct syt_order *o, uint32_t mutex)
{
	struct syt_history h = syt_history_of(&o->histories, mutex);
	struct builder b = {.s = s,
	                    .places = &o->places,
	                    .objects = &o->objects,
	                    .mutex = mutex,
	                    .holder = SYT_NONE};
	bool is_good = h.nr < SYT_NONE;

	memset(s, 0, sizeof(*s));
	SYT_EACH(i, 0, h.nr) {
		if (!is_good)
			break;
		const struct syt_touch *t = &h.touches[i];
		enum syt_mutex_step step = syt_mutex_step(&o->places, t);

		if (t->at < o->objects.all[mutex].complete_from)
			continue;
		if (step == SYT_MUTEX_ACQUIRE)
			acquire(&b, t);
		else if (step == SYT_MUTEX_RELEASE)
			is_good = release(&b, t);
	}
	for (uint32_t i = 0; i < s->nr && is_good; i++) {
		if (s->all[i].end.thread == SYT_NONE)
			continue;
		look_before(&b, i);
		look_inside(&b, i);
	}
	syt_sort(s->uses, s->nr_uses, sizeof(*s->uses), by_object);
	free(b.waiting);
	return is_good;
}

void syt_sections_close(struct syt_sections *s)
{
	syt_store_free(s->all);
	syt_store_free(s->holds);
	syt_store_free(s->uses);
	memset(s, 0, sizeof(*s));
}
