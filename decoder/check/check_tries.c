/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Failed tries: a failed trylock, trywait or timed wait shows the state of its object at a time between its begin
 * and its end. A lock was held (EBUSY, ETIMEDOUT), or a semaphore had no token (EAGAIN, ETIMEDOUT). Together with
 * check_mutex.c, check_rwlock.c and check_sem.c, this shows that no operation is false or missing.
 *
 * A thread may have held a lock from the earliest time of its acquisition to the latest time of its release. A
 * mutex that was released in a condition variable wait counts as held. A waiting call for a read-write lock may
 * also exclude other threads. A semaphore has at least the tokens that were certainly given (latest) before the try
 * began, minus the tokens that may have been taken (earliest) by its end.
 *
 * An object is not checked if events are missing, or if processes outside of the trace may use it. A failed try
 * without an explanation is not a violation in a forked child, which has a copy of the held objects. If a thread
 * was stopped before, a failed try is not a violation either, because this thread may have taken the lock or the
 * token.
 */
#include <errno.h>
#include "decoder/check/check.h"
#include "base/bisect.h"
#include "base/compare.h"
#include "base/sort.h"
#include "decoder/history/instants.h"

struct span {
	syt_time from, to;
	uint32_t depth; /* > 1: lock held recursively or shared several times */
};

struct object {
	struct syt_check *c;
	uint32_t number;
	bool is_rwlock, is_forked;
	uint64_t nr;
	size_t room;
	struct span *spans; /* times at which the lock may have been held */
	uint64_t value, nr_posts, nr_waits;
	syt_time *posts, *waits; /* latest times of posts, earliest times of waits; sorted */
};

SYT_COMPARATOR(by_from, struct span)
{
	return SYT_COMPARE(a->from, b->from);
}

static void judge(struct object *o, struct syt_place at, bool is_explained, const char *what)
{
	syt_time out = syt_place_row(&o->c->order->places, at)->out;

	if (is_explained)
		o->c->nr_checked++;
	else if (o->is_forked)
		syt_check_excuse(o->c, SYT_EXCUSE_BEFORE, 1);
	else if (o->c->has_untraced)
		syt_check_excuse(o->c, SYT_EXCUSE_UNTRACED, 1);
	else if (syt_check_unrecorded(o->c, o->number, out))
		syt_check_excuse(o->c, SYT_EXCUSE_UNENDED, 1);
	else
		syt_check_violation_at(o->c, what, o->number, at, SYT_NOWHERE);
}

/* ---- locks ---- */

static void add_span(struct object *o, syt_time from, syt_time to)
{
	*SYT_STORE_ADD(o->spans, o->nr, o->room) = (struct span){from, to, 1};
}

static bool is_failed_try(const struct syt_places *p, const struct syt_touch *t)
{
	int64_t result;

	if (t->role != SYT_ROLE_SELF || t->has_succeeded ||
	    (t->shape != SYT_SHAPE_LOCK && t->shape != SYT_SHAPE_RDLOCK))
		return false;
	result = syt_place_row(p, t->place)->result;
	return result == EBUSY || result == ETIMEDOUT;
}

static bool has_failed_try(const struct syt_places *p, const struct syt_history *h)
{
	SYT_EACH(i, 0, h->nr)
		if (is_failed_try(p, &h->touches[i]))
			return true;
	return false;
}

/* Collects the times at which threads may have held the lock. of_thread: index + 1 of the thread's open span. */
static void collect_spans(struct object *o, const struct syt_history *h)
{
	const struct syt_places *p = &o->c->order->places;
	uint32_t *open = o->c->of_thread;

	for (uint64_t i = 0; i < h->nr; i++) {
		const struct syt_touch *t = &h->touches[i];
		bool is_lock = syt_touch_is(t, SYT_SHAPE_LOCK) || syt_touch_is(t, SYT_SHAPE_RDLOCK);
		uint32_t *mine = &open[t->place.thread];
		const struct syt_row *r = syt_place_row(p, t->place);

		if (is_failed_try(p, t) && o->is_rwlock && r->in < r->out)
			add_span(o, r->in, r->out);
		if (syt_touch_is(t, SYT_SHAPE_UNLOCK) && *mine && !--o->spans[*mine - 1].depth) {
			o->spans[*mine - 1].to = syt_place_latest(p, t->place);
			*mine = 0;
		} else if (is_lock && *mine) {
			o->spans[*mine - 1].depth++;
		} else if (is_lock) {
			add_span(o, syt_place_earliest(p, t->place), UINT64_MAX);
			*mine = (uint32_t)o->nr;
		}
	}
	for (uint64_t i = 0; i < h->nr; i++)
		open[h->touches[i].place.thread] = 0;
	syt_sort(o->spans, o->nr, sizeof(*o->spans), by_from);
	for (uint64_t i = 1; i < o->nr; i++)
		if (o->spans[i].to < o->spans[i - 1].to)
			o->spans[i].to = o->spans[i - 1].to;
}

static bool may_be_held(const struct object *o, syt_time in, syt_time out)
{
	uint64_t low = SYT_BISECT(i, 0, o->nr, o->spans[i].from <= out);

	return low && o->spans[low - 1].to >= in; /* the latest end of spans begun by `out` */
}

static void check_lock(struct object *o, const struct syt_history *h)
{
	const struct syt_places *p = &o->c->order->places;

	if (!has_failed_try(p, h))
		return;
	collect_spans(o, h);
	for (uint64_t i = 0; i < h->nr; i++) {
		const struct syt_row *r = syt_place_row(p, h->touches[i].place);

		if (is_failed_try(p, &h->touches[i]))
			judge(o, h->touches[i].place, may_be_held(o, r->in, r->out),
			      "the try failed, but no thread can have held the lock");
	}
	syt_store_free(o->spans);
}

/* ---- semaphores ---- */

/* Collects the times at which tokens may be given or taken. Returns false if the first value is unknown, or if some
 * call moves several tokens. */
static bool collect_tokens(struct object *o, const struct syt_history *h)
{
	const struct syt_places *p = &o->c->order->places;

	for (uint64_t i = 0; i < h->nr; i++) {
		struct syt_place at = h->touches[i].place;
		const struct syt_extra *x = syt_place_extra(p, at);

		if ((h->touches[i].shape == SYT_SHAPE_INIT) != !i || x->count)
			return false;
		if (!i)
			o->value = x->arg;
		if (syt_touch_is(&h->touches[i], SYT_SHAPE_SEM_POST))
			o->posts[o->nr_posts++] = syt_place_latest(p, at);
		else if (syt_touch_is(&h->touches[i], SYT_SHAPE_SEM_WAIT))
			o->waits[o->nr_waits++] = syt_place_earliest(p, at);
	}
	syt_instants_sort(o->posts, o->nr_posts);
	syt_instants_sort(o->waits, o->nr_waits);
	return h->nr;
}

static void check_sem(struct object *o, const struct syt_history *h)
{
	const struct syt_places *p = &o->c->order->places;
	bool is_known;

	o->posts = syt_store_alloc(h->nr, sizeof(*o->posts));
	o->waits = syt_store_alloc(h->nr, sizeof(*o->waits));
	is_known = collect_tokens(o, h);
	for (uint64_t i = 0; i < h->nr && is_known; i++) {
		struct syt_place at = h->touches[i].place;
		const struct syt_row *r = syt_place_row(p, at);

		if (h->touches[i].shape == SYT_SHAPE_SEM_WAIT && r->result == -1 &&
		    (r->err == EAGAIN || r->err == ETIMEDOUT))
			judge(o, at,
			      o->value + syt_instants_until(o->posts, o->nr_posts, r->in) <=
			              syt_instants_until(o->waits, o->nr_waits, r->out),
			      "the try failed, although the semaphore was not zero");
	}
	syt_store_free(o->posts);
	syt_store_free(o->waits);
}

void syt_check_tries(struct syt_check *c)
{
	const struct syt_order *o = c->order;

	for (uint32_t i = 0; i < o->objects.nr; i++) {
		const struct syt_object *object = &o->objects.all[i];
		const struct syt_image *image = &o->places.trace->images[object->image];
		struct syt_history h = syt_history_of(&o->histories, i);
		struct object s = {.c = c,
		                   .number = i,
		                   .is_rwlock = object->info->kind == SYT_KIND_RWLOCK,
		                   .is_forked = image->file.parent_index != UINT32_MAX};

		/* a thread may have held the lock by calls that the sampler left out; it leaves out no calls of semaphores */
		if (object->is_sampled && object->info->kind != SYT_KIND_SEM)
			continue;
		if (object->complete_from || syt_check_is_open(c, i) ||
		    object->info->flags & SYT_OBJECT_PRESHARED)
			continue;
		if (object->info->kind == SYT_KIND_MUTEX || object->info->kind == SYT_KIND_SPIN ||
		    s.is_rwlock)
			check_lock(&s, &h);
		else if (object->info->kind == SYT_KIND_SEM)
			check_sem(&s, &h);
	}
}
