/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/lock_order/walk.h"

#include <stdlib.h>

#include "base/err.h"
#include "decoder/read/call.h"
#include "decoder/read/kept.h"

void syt_lock_walk_begin(struct syt_lock_walk *w)
{
	w->nr = 0;
	w->nr_resumes = 0;
	w->part = 0;
}

void syt_lock_walk_end(struct syt_lock_walk *w)
{
	free(w->held);
	w->held = NULL;
	w->nr = w->room = 0;
}

bool syt_lock_walk_is_blind(const struct syt_thread *t)
{
	return t->missing || t->gaps || t->is_uneven;
}

void syt_lock_walk_load(const struct syt_lock_walk *w, const struct syt_thread *t, uint64_t row)
{
	uint64_t to = row + SYT_LOCK_WALK_ROWS;

	if (row)
		syt_kept_forget(t->kept, row - SYT_LOCK_WALK_ROWS, row);
	syt_kept_load(t->kept, row, to < t->nr_rows ? to : t->nr_rows,
	              w->order->places.trace->nr_workers);
}

void syt_lock_walk_leave(const struct syt_thread *t, uint64_t row)
{
	if (t->kept && row)
		syt_kept_forget(t->kept, (row - 1) / SYT_LOCK_WALK_ROWS * SYT_LOCK_WALK_ROWS,
		                t->nr_rows);
}

static struct syt_lock_walk_held *find(struct syt_lock_walk *w, uint32_t object)
{
	for (size_t i = 0; i < w->nr; i++)
		if (w->held[i].object == object)
			return &w->held[i];
	return NULL;
}

static bool acquire(struct syt_lock_walk *w, uint32_t object, bool is_shared, bool may_wait,
                    struct syt_lock_walk_taken *taken)
{
	struct syt_lock_walk_held *m = find(w, object);

	/* the thread holds the lock already: only the outermost acquisition of a recursive mutex counts, and a
	 * reader may take its rwlock again */
	if (m) {
		m->depth++;
		return false;
	}
	*taken = (struct syt_lock_walk_taken){object, is_shared, may_wait};
	return true;
}

static void release(struct syt_lock_walk *w, uint32_t object)
{
	struct syt_lock_walk_held *m = find(w, object);

	if (m && !--m->depth)
		*m = w->held[--w->nr];
}

static uint32_t lock_of(const struct syt_lock_walk *w, struct syt_place at, uint32_t object)
{
	const struct syt_order *o = w->order;

	object = syt_object_of(&o->objects, syt_place_image_idx(&o->places, at), object);
	if (!syt_lockset_has(w->locks, object) || w->is_out[object])
		return SYT_NONE;
	return object;
}

static bool may_wait(struct syt_lock_walk *w, const struct syt_call_info *c)
{
	if (w->call != c) {
		w->call = c;
		w->call_may_wait = syt_call_may_wait_for_ever(c);
	}
	return w->call_may_wait;
}

bool syt_lock_walk_see(struct syt_lock_walk *w, struct syt_place at,
                       struct syt_lock_walk_taken *taken)
{
	const struct syt_places *p = &w->order->places;
	const struct syt_row *r = syt_place_row(p, at);
	const struct syt_call_info *c = syt_place_call(p, at);
	const struct syt_window *window = syt_places_window(p, syt_place_image_idx(p, at));
	uint32_t object;

	for (; w->nr_resumes < window->nr_resumes && r->out > window->resumes[w->nr_resumes];
	     w->nr_resumes++)
		w->nr = 0; /* after a pause of recording, the locks of the thread are unknown */
	/* the sampler may have left out releases; a ghost has no call path */
	if (w->part != syt_place_part(p, at) || syt_place_is_ghost(p, at))
		w->nr = 0;
	w->part = syt_place_part(p, at);
	if (syt_place_is_ghost(p, at))
		return false;
	switch (c->shape) {
	case SYT_SHAPE_COND_WAIT:
	case SYT_SHAPE_CANCELLED:
		object = lock_of(w, at, syt_place_extra(p, at)->object2);
		if (object == SYT_NONE || !syt_place_gave_mutex(p, at))
			return false;
		release(w, object);
		return acquire(w, object, false, true, taken);
	case SYT_SHAPE_LOCK:
	case SYT_SHAPE_RDLOCK:
	case SYT_SHAPE_UNLOCK:
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_SEM_POST:
		object = lock_of(w, at, r->object);
		if (object == SYT_NONE || !syt_row_succeeded(c, r))
			return false;
		if (c->shape != SYT_SHAPE_UNLOCK && c->shape != SYT_SHAPE_SEM_POST)
			return acquire(w, object, c->shape == SYT_SHAPE_RDLOCK, may_wait(w, c),
			               taken);
		release(w, object);
		return false;
	default:
		return false;
	}
}

void syt_lock_walk_take(struct syt_lock_walk *w, struct syt_place at,
                        const struct syt_lock_walk_taken *taken)
{
	syt_grow(&w->held, &w->room, w->nr + 1, sizeof(*w->held));
	w->held[w->nr++] = (struct syt_lock_walk_held){taken->object, 1, at, taken->is_shared};
}
