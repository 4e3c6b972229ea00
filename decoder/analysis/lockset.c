/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/lockset.h"

#include <string.h>

#include "decoder/analysis/holding.h"

/* The state of one semaphore while its events are checked for use as a lock. */
struct use {
	const struct syt_places *places;
	bool has_value, is_used; /* the value is known; a thread took or gave a token */
	uint64_t value;
	uint32_t holder; /* thread that has taken the token, or SYT_NONE */
	uint32_t first;  /* the first thread that took the token and gave it back */
	bool has_two;    /* a second thread took the token and gave it back */
};

static bool is_one_token(const struct syt_places *p, struct syt_place at)
{
	return syt_place_extra(p, at)->count <= 1; /* 0: a call without a number of tokens */
}

static bool see_value(struct use *u, uint64_t value)
{
	u->has_value = true;
	u->value = value;
	return !u->is_used; /* false: the semaphore was set again while a thread may hold it */
}

static bool see_take(struct use *u, struct syt_place at)
{
	if (u->holder != SYT_NONE || !is_one_token(u->places, at))
		return false;
	u->holder = at.thread;
	return true;
}

static bool see_give(struct use *u, struct syt_place at)
{
	if (u->holder != at.thread || !is_one_token(u->places, at))
		return false;
	u->holder = SYT_NONE;
	if (u->first == SYT_NONE)
		u->first = at.thread;
	u->has_two |= u->first != at.thread;
	return true;
}

/* Returns true if the event T fits the use of the semaphore as a lock. */
static bool see(struct use *u, const struct syt_touch *t, bool is_first)
{
	if (t->role != SYT_ROLE_SELF)
		return false;
	if (!t->has_succeeded)
		return true;
	switch (t->shape) {
	case SYT_SHAPE_INIT:
		return see_value(u, syt_place_extra(u->places, t->place)->arg);
	case SYT_SHAPE_SEM_WAIT:
		u->is_used = true;
		return see_take(u, t->place);
	case SYT_SHAPE_SEM_POST:
		u->is_used = true;
		return see_give(u, t->place);
	case SYT_SHAPE_SEM_ZERO:
		return false;
	default:
		if (is_first && !strcmp(syt_place_call(u->places, t->place)->name, "sem_open"))
			see_value(u, syt_place_extra(u->places, t->place)->arg);
		return true;
	}
}

/* Returns true if the thread that has the token ended without giving it back. */
static bool has_taken_along(const struct use *u)
{
	const struct syt_thread *t;

	if (u->holder == SYT_NONE)
		return false;
	t = u->places->threads[u->holder];
	return syt_place_call(u->places, (struct syt_place){u->holder, (uint32_t)t->nr_rows - 1})
	               ->shape == SYT_SHAPE_THREAD_END;
}

static bool is_used_as_lock(const struct syt_order *o, uint32_t object)
{
	const struct syt_object *s = &o->objects.all[object];
	struct syt_history h = syt_history_of(&o->histories, object);
	struct use u = {.places = &o->places, .holder = SYT_NONE, .first = SYT_NONE};

	if (s->info->kind != SYT_KIND_SEM || s->info->flags & SYT_OBJECT_PRESHARED ||
	    s->complete_from || syt_places_window(&o->places, s->image)->is_paused)
		return false;
	SYT_EACH(i, 0, h.nr)
		if (!see(&u, &h.touches[i], !i))
			return false;
	return u.has_value && u.value == 1 && u.has_two && !has_taken_along(&u);
}

void syt_lockset_open(struct syt_lockset *s, const struct syt_order *order)
{
	*s = (struct syt_lockset){.order = order};
	s->is_inferred = syt_store_alloc(order->objects.nr, sizeof(*s->is_inferred));
	for (uint32_t i = 0; i < order->objects.nr; i++) {
		s->is_inferred[i] = is_used_as_lock(order, i);
		s->nr_inferred += s->is_inferred[i];
	}
}

void syt_lockset_close(struct syt_lockset *s)
{
	syt_store_free(s->is_inferred);
	*s = (struct syt_lockset){0};
}

bool syt_lockset_infers(const struct syt_lockset *s, uint32_t object)
{
	return object != SYT_NONE && s->is_inferred[object];
}

bool syt_lockset_has(const struct syt_lockset *s, uint32_t object)
{
	return object != SYT_NONE &&
	       (syt_holdings_has_kind(syt_object_kind(&s->order->objects, object)) ||
	        syt_lockset_infers(s, object));
}
