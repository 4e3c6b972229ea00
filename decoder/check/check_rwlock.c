/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Read-write locks: while one thread holds the lock exclusively, no other thread holds it.
 *
 * The proof of check_mutex.c is valid for every two recorded sections of which at least one is exclusive. If a
 * thread holds the lock several times at once, its section lasts from its first acquisition to its last release.
 */
#include "decoder/check/check.h"

#define HELD_BY_TWO                                                                                \
	"the second event acquired this lock while the thread of the first event held it, and "    \
	"one of them for writing"

struct hold {
	struct syt_place lock, other; /* OTHER: conflicting acquisition meanwhile */
	uint32_t depth;
	bool is_exclusive;
};

struct rwlock {
	struct syt_check *c;
	uint32_t object;
	uint32_t nr_holds;
	uint32_t nr_clear; /* holds[0..nr_clear) have no OTHER yet */
	size_t room;
	struct hold *holds; /* of_thread has index + 1 of the thread's element */
};

static void swap(struct rwlock *l, uint32_t a, uint32_t b)
{
	struct hold was = l->holds[a];

	l->holds[a] = l->holds[b];
	l->holds[b] = was;
	l->c->of_thread[l->holds[a].lock.thread] = a + 1;
	l->c->of_thread[l->holds[b].lock.thread] = b + 1;
}

static void drop(struct rwlock *l, uint32_t i)
{
	uint32_t thread = l->holds[i].lock.thread;

	if (i < l->nr_clear) {
		swap(l, i, --l->nr_clear);
		i = l->nr_clear;
	}
	swap(l, i, --l->nr_holds);
	l->c->of_thread[thread] = 0;
}

/* Marks the holders of the lock that exclude the acquisition T or are excluded by it. Each is marked only once. */
static void meet(struct rwlock *l, const struct syt_touch *t, bool is_exclusive)
{
	/* the unmarked holders are all readers, or are one writer */
	if (!l->nr_clear || (!is_exclusive && !l->holds[0].is_exclusive))
		return;
	while (l->nr_clear)
		l->holds[--l->nr_clear].other = t->place;
}

/* Ends the section of T's thread if it began in an earlier part: the sampler left out its end. */
static void drop_half(struct rwlock *l, const struct syt_touch *t)
{
	const struct syt_places *p = &l->c->order->places;
	uint32_t mine = l->c->of_thread[t->place.thread];

	if (!mine || l->holds[mine - 1].lock.row > t->place.row ||
	    syt_part_is_one(syt_place_thread(p, t->place), l->holds[mine - 1].lock.row,
	                    t->place.row))
		return;
	syt_check_excuse(l->c, SYT_EXCUSE_NOT_SAMPLED, 1);
	drop(l, mine - 1);
}

static void acquire(struct rwlock *l, const struct syt_touch *t, bool is_exclusive)
{
	drop_half(l, t);

	uint32_t mine = l->c->of_thread[t->place.thread];

	l->c->nr_checked++;
	if (mine && !is_exclusive && !l->holds[mine - 1].is_exclusive) {
		l->holds[mine - 1].depth++;
		return;
	}
	if (mine) { /* the trace has no unlock for the thread's earlier acquisition */
		syt_check_excuse(l->c, SYT_EXCUSE_UNENDED, 1);
		drop(l, mine - 1);
	}
	meet(l, t, is_exclusive);
	*SYT_STORE_ADD(l->holds, l->nr_holds, l->room) =
		(struct hold){t->place, SYT_NOWHERE, 1, is_exclusive};
	l->c->of_thread[t->place.thread] = l->nr_holds;
	swap(l, l->nr_holds - 1, l->nr_clear++);
}

static void release(struct rwlock *l, const struct syt_touch *t)
{
	drop_half(l, t);

	uint32_t mine = l->c->of_thread[t->place.thread];
	struct hold *h = mine ? &l->holds[mine - 1] : NULL;

	if (!h || --h->depth)
		return;
	if (h->other.thread != SYT_NONE) {
		if (l->c->order->objects.all[l->object].is_sampled)
			syt_check_excuse(l->c, SYT_EXCUSE_FOREIGN, 1);
		else if (syt_check_is_whole(syt_place_thread(&l->c->order->places, t->place)))
			syt_check_violation_at(l->c, HELD_BY_TWO, l->object, h->lock, h->other);
		else
			syt_check_excuse(l->c, SYT_EXCUSE_OVERWRITTEN, 1);
	}
	drop(l, mine - 1);
}

static bool is_foreign(const struct rwlock *l, const struct syt_history *h, uint64_t *nr_sections)
{
	const struct syt_places *p = &l->c->order->places;
	uint32_t *depth = l->c->of_thread;
	bool is = false;

	for (uint64_t i = 0; i < h->nr; i++) {
		const struct syt_touch *t = &h->touches[i];
		uint32_t *mine = &depth[t->place.thread];

		if (syt_touch_is(t, SYT_SHAPE_LOCK) || syt_touch_is(t, SYT_SHAPE_RDLOCK)) {
			++*nr_sections;
			++*mine;
		} else if (syt_touch_is(t, SYT_SHAPE_UNLOCK) && *mine) {
			--*mine;
		} else if (syt_touch_is(t, SYT_SHAPE_UNLOCK)) {
			is |= syt_check_knows_all(syt_place_thread(p, t->place));
		}
	}
	for (uint64_t i = 0; i < h->nr; i++)
		depth[h->touches[i].place.thread] = 0;
	return is;
}

static void check_object(struct syt_check *c, uint32_t object)
{
	const struct syt_order *o = c->order;
	struct syt_history h = syt_history_of(&o->histories, object);
	struct rwlock l = {.c = c, .object = object};
	uint64_t nr_sections = 0;
	bool foreign = is_foreign(&l, &h, &nr_sections);

	if (foreign || o->objects.all[object].info->flags & SYT_OBJECT_PRESHARED) {
		syt_check_excuse(c, foreign ? SYT_EXCUSE_FOREIGN : SYT_EXCUSE_PRESHARED,
		                 nr_sections);
		return;
	}
	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];

		if (syt_touch_is(t, SYT_SHAPE_LOCK))
			acquire(&l, t, true);
		else if (syt_touch_is(t, SYT_SHAPE_RDLOCK))
			acquire(&l, t, false);
		else if (syt_touch_is(t, SYT_SHAPE_UNLOCK))
			release(&l, t);
	}
	for (uint32_t i = 0; i < l.nr_holds; i++) {
		c->of_thread[l.holds[i].lock.thread] = 0;
		if (l.holds[i].other.thread != SYT_NONE)
			syt_check_excuse(c, SYT_EXCUSE_UNENDED, 1);
	}
	syt_store_free(l.holds);
}

void syt_check_rwlock(struct syt_check *c)
{
	for (uint32_t i = 0; i < c->order->objects.nr; i++)
		if (syt_object_kind(&c->order->objects, i) == SYT_KIND_RWLOCK)
			check_object(c, i);
}
