/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/holding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"

#define LEAST_CALL_NS                                                                              \
	10000u /* a shorter call does not count as a call across which a lock is held */
#define MOST_EARLIER 65536u /* number of events in which syt_holdings_at() looks for acquisitions */
#define MOST_RELEASED 32u   /* number of locks whose releases it counts */

/* A thread that holds the lock at the event that is being processed. */
struct holder {
	struct syt_place acquire;
	syt_time from; /* end of the call that acquired the lock */
	uint64_t
		part; /* part of the thread's events (decoder/read/part.h); the sampler leaves out locks, not semaphores */
	uint32_t depth;
	bool is_shared;
};

struct syt_holdings_builder {
	struct syt_holdings *h;
	const struct syt_order *order;
	const struct syt_places *places;
	uint32_t object;
	bool only_counts;
	bool is_sampled; /* the sampler may have left out acquisitions and releases */
	uint64_t nr_resumes;
	size_t nr, room;
	struct holder *holders;
};

bool syt_holdings_has_kind(enum syt_kind kind)
{
	return kind == SYT_KIND_MUTEX || kind == SYT_KIND_SPIN || kind == SYT_KIND_STDIO ||
	       kind == SYT_KIND_RWLOCK;
}

enum syt_holdings_step syt_holdings_step(const struct syt_places *places, const struct syt_touch *t)
{
	if (t->role != SYT_ROLE_SELF && syt_place_is_ghost(places, t->place))
		return SYT_HOLDINGS_NONE;
	if (t->role == SYT_ROLE_RELEASE2)
		return SYT_HOLDINGS_RELEASE;
	if (t->role == SYT_ROLE_SECOND)
		return syt_place_gave_mutex(places, t->place) ? SYT_HOLDINGS_ACQUIRE
		                                              : SYT_HOLDINGS_NONE;
	if (t->role != SYT_ROLE_SELF || !t->has_succeeded)
		return SYT_HOLDINGS_NONE;
	switch (t->shape) {
	case SYT_SHAPE_LOCK:
	case SYT_SHAPE_SEM_WAIT:
		return SYT_HOLDINGS_ACQUIRE;
	case SYT_SHAPE_RDLOCK:
		return SYT_HOLDINGS_SHARE;
	case SYT_SHAPE_UNLOCK:
	case SYT_SHAPE_SEM_POST:
		return SYT_HOLDINGS_RELEASE;
	default:
		return SYT_HOLDINGS_NONE;
	}
}

static struct holder *find(struct syt_holdings_builder *b, uint32_t thread)
{
	for (size_t i = 0; i < b->nr; i++)
		if (b->holders[i].acquire.thread == thread)
			return &b->holders[i];
	return NULL;
}

static void add(struct syt_holdings_builder *b, struct syt_holding holding)
{
	if (b->only_counts)
		b->h->nr++;
	else
		*SYT_STORE_ADD(b->h->all, b->h->nr, b->h->room) = holding;
}

/* Ends the holding of O if its thread released the lock by a wait for a condition that had not returned when the trace
 * ended. */
static bool end_by_last_wait(struct syt_holdings_builder *b, const struct holder *o)
{
	const struct syt_thread *t = b->places->threads[o->acquire.thread];
	const struct syt_waiting_info *w = &t->waiting;

	if (w->since < o->from || t->image->calls[w->call].shape != SYT_SHAPE_COND_WAIT ||
	    syt_object_of(&b->order->objects, syt_place_image_idx(b->places, o->acquire),
	                  w->object2) != b->object)
		return false;
	add(b, (struct syt_holding){o->from, w->since, o->acquire, {SYT_NONE, 0}, o->is_shared});
	return true;
}

/* Drops the holders of the lock that a new holder excludes. A dropped holder must have released the lock, or
 * died. */
static void drop_excluded(struct syt_holdings_builder *b, bool is_shared)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->nr; i++) {
		if (is_shared && b->holders[i].is_shared)
			b->holders[kept++] = b->holders[i];
		else if (!end_by_last_wait(b, &b->holders[i]))
			b->h->nr_unended++;
	}
	b->nr = kept;
}

/* Returns the end of the call of T. The time of an acquiring touch is this end, so its row, which is rarely in a cache,
 * is not read. */
static syt_time end_of(const struct syt_places *places, const struct syt_touch *t)
{
	return t->is_acquire ? t->at : syt_place_row(places, t->place)->out;
}

static uint64_t part_of(const struct syt_holdings_builder *b, struct syt_place at)
{
	return b->is_sampled ? syt_place_part(b->places, at) : 0;
}

/* Drops the holding of T's thread if it began in an earlier part: the sampler has left out the release. */
static void drop_half(struct syt_holdings_builder *b, const struct syt_touch *t)
{
	struct holder *mine = b->is_sampled ? find(b, t->place.thread) : NULL;

	if (!mine || mine->part == part_of(b, t->place))
		return;
	*mine = b->holders[--b->nr];
	b->h->nr_unended++;
}

static void acquire(struct syt_holdings_builder *b, const struct syt_touch *t, bool is_shared)
{
	struct holder *mine = find(b, t->place.thread);

	if (mine && syt_place_row(b->places, t->place)->result != EOWNERDEAD) {
		mine->depth++;
		return;
	}
	drop_excluded(b, is_shared);
	*SYT_ADD(b->holders, b->nr, b->room) =
		(struct holder){t->place, end_of(b->places, t), part_of(b, t->place), 1, is_shared};
}

/* Returns true if the thread of AT may have acquired the lock before its first recorded event, because events of
 * the thread are missing, or because the thread has the lock from its parent process (fork). */
static bool may_be_inherited(const struct syt_holdings_builder *b, struct syt_place at)
{
	const struct syt_thread *t = syt_place_thread(b->places, at);

	return t->base || t->missing || t->image->nr_lost || t->image->nr_missing ||
	       t->image->nr_pauses || (!t->index && t->image->file.parent_index != UINT32_MAX);
}

static void release(struct syt_holdings_builder *b, const struct syt_touch *t)
{
	struct holder *mine = find(b, t->place.thread);
	struct syt_holdings *h = b->h;

	if (!mine) {
		h->nr_unbegun++;
		if (!may_be_inherited(b, t->place) && !b->is_sampled)
			h->state = SYT_HOLDINGS_FOREIGN;
		return;
	}
	if (--mine->depth)
		return;
	add(b, (struct syt_holding){mine->from, t->at, mine->acquire, t->place, mine->is_shared});
	*mine = b->holders[--b->nr];
}

/* Returns true if the sampler may have left out the release of the holding O: the trace has a later gap in the thread. */
static bool is_half(const struct syt_holdings_builder *b, const struct holder *o)
{
	const struct syt_thread *t = b->places->threads[o->acquire.thread];

	return b->is_sampled &&
	       (t->left_out_last || !syt_part_is_one(t, o->acquire.row, t->nr_rows - 1));
}

static void keep_open(struct syt_holdings_builder *b)
{
	struct syt_holdings *h = b->h;

	for (size_t i = 0; i < b->nr; i++) {
		const struct holder *o = &b->holders[i];

		if (is_half(b, o)) {
			h->nr_unended++;
			continue;
		}
		if (end_by_last_wait(b, o))
			continue;
		*SYT_ADD(h->open, h->nr_open, h->room_open) = (struct syt_holding){
			o->from, UINT64_MAX, o->acquire, {SYT_NONE, 0}, o->is_shared};
	}
}

struct syt_holdings_builder *syt_holdings_begin(struct syt_holdings *h, const struct syt_order *o,
                                                uint32_t object, bool only_counts)
{
	struct syt_holdings_builder *b = syt_alloc(1, sizeof(*b));

	memset(h, 0, sizeof(*h));
	if (o->objects.all[object].info->flags & SYT_OBJECT_PRESHARED)
		h->state = SYT_HOLDINGS_PRESHARED;
	*b = (struct syt_holdings_builder){.h = h,
	                                   .order = o,
	                                   .places = &o->places,
	                                   .object = object,
	                                   .only_counts = only_counts,
	                                   .is_sampled = o->objects.all[object].is_sampled &&
	                                                 syt_object_kind(&o->objects, object) !=
	                                                         SYT_KIND_SEM};
	return b;
}

void syt_holdings_add(struct syt_holdings_builder *b, const struct syt_touch *all, uint64_t nr)
{
	const struct syt_window *window =
		syt_places_window(b->places, b->order->objects.all[b->object].image);

	SYT_EACH(i, 0, nr) {
		if (b->h->state != SYT_HOLDINGS_GOOD)
			break;
		const struct syt_touch *t = &all[i];
		enum syt_holdings_step step = syt_holdings_step(b->places, t);

		for (; b->nr_resumes < window->nr_resumes && t->at > window->resumes[b->nr_resumes];
		     b->nr_resumes++)
			b->nr = 0; /* after a pause of the recording, the holders are unknown */
		if (step != SYT_HOLDINGS_NONE)
			drop_half(b, t);
		if (step == SYT_HOLDINGS_RELEASE)
			release(b, t);
		else if (step != SYT_HOLDINGS_NONE)
			acquire(b, t, step == SYT_HOLDINGS_SHARE);
	}
}

void syt_holdings_end(struct syt_holdings_builder *b)
{
	if (b->h->state == SYT_HOLDINGS_GOOD)
		keep_open(b);
	else
		b->h->nr = 0;
	free(b->holders);
	free(b);
}

void syt_holdings_open(struct syt_holdings *h, const struct syt_order *o, uint32_t object)
{
	struct syt_holdings_builder *b = syt_holdings_begin(h, o, object, false);
	struct syt_history history = syt_history_of(&o->histories, object);

	syt_holdings_add(b, history.touches, history.nr);
	syt_holdings_end(b);
}

void syt_holdings_close(struct syt_holdings *h)
{
	syt_store_free(h->all);
	free(h->open);
	memset(h, 0, sizeof(*h));
}

size_t syt_holdings_until(const struct syt_holdings *h, syt_time until, size_t *near)
{
	*near = SYT_BISECT_NEAR(i, (size_t)0, h->nr, *near, h->all[i].to <= until);
	return *near;
}

syt_time syt_holding_next_call(const struct syt_places *places, const struct syt_holding *h,
                               uint32_t *row)
{
	const struct syt_thread *t = syt_place_thread(places, h->acquire);

	if (h->release.thread != h->acquire.thread)
		return 0;
	while (++*row < h->release.row) {
		const struct syt_row *r = syt_thread_row(t, *row);
		syt_time from = r->in > h->from ? r->in : h->from;
		syt_time to = r->out < h->to ? r->out : h->to;

		if (from < to && SYT_TIME_NS(to - from) >= LEAST_CALL_NS)
			return to - from;
	}
	return 0;
}

/* A lock, and the number of its releases between an event and the call. */
struct released {
	uint32_t object, nr;
};

/* Returns the entry of OBJECT, or a new entry; NULL: there is no space. */
static struct released *released_of(struct released *all, size_t *nr, uint32_t object)
{
	for (size_t i = 0; i < *nr; i++)
		if (all[i].object == object)
			return &all[i];
	if (*nr == MOST_RELEASED)
		return NULL;
	all[*nr] = (struct released){object, 0};
	return &all[(*nr)++];
}

size_t syt_holdings_at(const struct syt_order *o, struct syt_place at, uint32_t *locks, size_t most)
{
	struct released all[MOST_RELEASED];
	size_t nr_released = 0, nr = 0;

	for (uint32_t n = 0; at.row && n < MOST_EARLIER && nr < most; n++) {
		/* the sampler may have left out releases in a gap */
		if (!syt_part_is_one(o->places.threads[at.thread], at.row - 1, at.row))
			break;
		struct syt_place e = {at.thread, --at.row};
		const struct syt_row *r = syt_place_row(&o->places, e);
		uint8_t shape = syt_place_call(&o->places, e)->shape;
		bool is_wait = shape == SYT_SHAPE_COND_WAIT || shape == SYT_SHAPE_CANCELLED;
		uint32_t own = is_wait ? syt_place_extra(&o->places, e)->object2 : r->object;
		uint32_t object =
			syt_object_of(&o->objects, syt_place_image_idx(&o->places, e), own);
		struct released *released;

		if (object == SYT_NONE ||
		    !syt_holdings_has_kind(syt_object_kind(&o->objects, object)))
			continue;
		released = released_of(all, &nr_released, object);
		if (!released)
			break;
		if (shape == SYT_SHAPE_UNLOCK) {
			released->nr++;
		} else if (is_wait ? syt_place_gave_mutex(&o->places, e)
		                   : (shape == SYT_SHAPE_LOCK || shape == SYT_SHAPE_RDLOCK) &&
		                             syt_place_succeeded(&o->places, e)) {
			if (!released->nr)
				locks[nr++] = object;
			/* older acquisitions of this lock are outer ones, or have ended; a wait also gave the lock back */
			released->nr = is_wait || !released->nr ? UINT32_MAX / 2 : released->nr - 1;
		}
	}
	return nr;
}
