/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Mutexes, spin locks, and the locks of stdio streams and of OpenMP: no two threads hold a lock at the same time.
 *
 * A recorded section, from the end (out) of the lock call to the begin (in) of the unlock call, lies inside of the
 * true critical section. Recorded sections of different threads must therefore not overlap. A wait for a condition
 * variable ends a section at its begin and begins a section at its end, even if it timed out or was cancelled. The
 * inner sections of a recursive mutex do not count. A lock call that returns EOWNERDEAD ends the section of the
 * previous owner, and this owner must have no later event.
 *
 * If a section has no recorded end, the begin of another section is not a violation: its thread may be in a
 * condition variable wait that never returned, or the memory of the mutex may have been freed. Mutexes that a
 * thread releases without holding them, and threads with missing events, are not checked.
 *
 * A sampled trace has sections without their begin or end. If two whole sections overlap there, the thread may have lost the
 * mutex to a thread that released it without holding it.
 */
#include <errno.h>
#include "decoder/check/check.h"
#include "decoder/match/match.h"

#define AHEAD 16u /* a row is loaded so many steps before it is read */

struct hold {
	struct syt_place lock, other; /* OTHER: acquisition by another thread meanwhile */
	uint64_t part;                /* part of the thread's events (decoder/read/part.h) */
	uint32_t depth;
};

struct mutex {
	struct syt_check *c;
	uint32_t object;
	uint64_t nr_sections;
	uint32_t last; /* thread that acquired the mutex last, or SYT_NONE */
	uint32_t nr_holds;
	size_t room;
	struct hold *holds; /* of_thread has index + 1 of the thread's element */
};

static void drop(struct mutex *m, struct hold *h)
{
	uint32_t *of_thread = m->c->of_thread;

	of_thread[h->lock.thread] = 0;
	*h = m->holds[--m->nr_holds];
	if (h < m->holds + m->nr_holds)
		of_thread[h->lock.thread] = (uint32_t)(h - m->holds) + 1;
}

/* Ends all held sections of the mutex, because the lock call AT returned EOWNERDEAD: the owner had died. */
static void bury(struct mutex *m, const struct syt_touch *at)
{
	const struct syt_places *p = &m->c->order->places;

	while (m->nr_holds) {
		struct hold *h = &m->holds[m->nr_holds - 1];
		struct syt_place last = h->lock;

		last.row = (uint32_t)syt_place_thread(p, last)->nr_rows - 1;
		/* the sampler may have left out the end of the section */
		if (m->c->order->objects.all[m->object].is_sampled)
			syt_check_excuse(m->c, SYT_EXCUSE_NOT_SAMPLED, 1);
		else if (syt_place_row(p, last)->in > at->at && h->lock.thread != at->place.thread)
			syt_check_violation_at(m->c,
			                       "EOWNERDEAD was returned for this mutex, but its "
			                       "owner has later events",
			                       m->object, at->place, last);
		drop(m, h);
	}
}

/* Ends the section of T's thread if it began in an earlier part: the sampler left out its end. */
static void drop_half(struct mutex *m, const struct syt_touch *t)
{
	uint32_t mine = m->c->of_thread[t->place.thread];

	if (!mine || m->holds[mine - 1].part == syt_place_part(&m->c->order->places, t->place))
		return;
	syt_check_excuse(m->c, SYT_EXCUSE_NOT_SAMPLED, 1);
	drop(m, &m->holds[mine - 1]);
}

static void acquire(struct mutex *m, const struct syt_touch *t)
{
	uint32_t *mine = &m->c->of_thread[t->place.thread];
	const struct syt_row *r = syt_place_row(&m->c->order->places, t->place);

	m->nr_sections++;
	drop_half(m, t);
	if (r->result == EOWNERDEAD)
		bury(m, t);
	if (*mine) {
		m->holds[*mine - 1].depth++;
		return;
	}
	if (m->last != SYT_NONE && m->c->of_thread[m->last])
		m->holds[m->c->of_thread[m->last] - 1].other = t->place;
	m->last = t->place.thread;
	*SYT_STORE_ADD(m->holds, m->nr_holds, m->room) = (struct hold){
		t->place, SYT_NOWHERE, syt_place_part(&m->c->order->places, t->place), 1};
	*mine = m->nr_holds;
}

static void release(struct mutex *m, const struct syt_touch *t)
{
	drop_half(m, t);

	uint32_t mine = m->c->of_thread[t->place.thread];
	struct hold *h = mine ? &m->holds[mine - 1] : NULL;

	if (!h || --h->depth)
		return;
	if (h->other.thread != SYT_NONE) {
		if (m->c->order->objects.all[m->object].is_sampled)
			syt_check_excuse(m->c, SYT_EXCUSE_FOREIGN, 1);
		else if (syt_check_is_whole(syt_place_thread(&m->c->order->places, t->place)))
			syt_check_violation_at(m->c,
			                       "the second event acquired this lock while the "
			                       "thread of the first event held it",
			                       m->object, h->lock, h->other);
		else
			syt_check_excuse(m->c, SYT_EXCUSE_OVERWRITTEN, 1);
	}
	drop(m, h);
}

/* Returns true if a thread of which no event is missing releases the mutex without holding it. */
static bool is_foreign(const struct mutex *m, const struct syt_history *h)
{
	const struct syt_places *p = &m->c->order->places;
	uint32_t *depth = m->c->of_thread;
	bool is = false;

	for (uint64_t i = 0; i < h->nr && !is; i++) {
		const struct syt_touch *t = &h->touches[i];
		const struct syt_thread *thread = syt_place_thread(p, t->place);
		enum syt_mutex_step step = syt_mutex_step(p, t);

		if (step == SYT_MUTEX_ACQUIRE)
			depth[t->place.thread]++;
		else if (step == SYT_MUTEX_RELEASE && depth[t->place.thread])
			depth[t->place.thread]--;
		else if (step == SYT_MUTEX_RELEASE)
			is = syt_check_knows_all(thread);
	}
	for (uint64_t i = 0; i < h->nr; i++)
		depth[h->touches[i].place.thread] = 0;
	return is;
}

static uint64_t count_sections(const struct syt_places *p, const struct syt_history *h)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < h->nr; i++)
		nr += syt_mutex_step(p, &h->touches[i]) == SYT_MUTEX_ACQUIRE;
	return nr;
}

static void check_object(struct syt_check *c, uint32_t object)
{
	const struct syt_order *o = c->order;
	enum syt_kind kind = syt_object_kind(&o->objects, object);
	struct syt_history h = syt_history_of(&o->histories, object);
	struct mutex m = {.c = c, .object = object, .last = SYT_NONE};
	bool is_preshared = o->objects.all[object].info->flags & SYT_OBJECT_PRESHARED;

	if (kind != SYT_KIND_MUTEX && kind != SYT_KIND_SPIN && kind != SYT_KIND_STDIO)
		return;
	if (is_preshared || is_foreign(&m, &h)) {
		syt_check_excuse(c, is_preshared ? SYT_EXCUSE_PRESHARED : SYT_EXCUSE_FOREIGN,
		                 count_sections(&o->places, &h));
		return;
	}
	for (uint64_t i = 0; i < h.nr; i++) {
		enum syt_mutex_step step = syt_mutex_step(&o->places, &h.touches[i]);

		if (h.nr - i > AHEAD)
			syt_place_prefetch(&o->places, h.touches[i + AHEAD].place);
		if (step == SYT_MUTEX_ACQUIRE)
			acquire(&m, &h.touches[i]);
		else if (step == SYT_MUTEX_RELEASE)
			release(&m, &h.touches[i]);
	}
	for (uint32_t i = 0; i < m.nr_holds; i++) {
		c->of_thread[m.holds[i].lock.thread] = 0;
		if (m.holds[i].other.thread != SYT_NONE)
			syt_check_excuse(c, SYT_EXCUSE_UNENDED, 1);
	}
	c->nr_checked += m.nr_sections;
	syt_store_free(m.holds);
}

void syt_check_mutex(struct syt_check *c)
{
	syt_check_objects(c, check_object);
}
