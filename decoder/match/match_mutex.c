/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Mutexes, spin locks, the locks of stdio streams: unlock -> the next acquisition; also the unlock
 * and the lock inside of a cond wait.  Class run-after: who came first was chance.
 *
 * Sound, because recorded critical sections [out of the lock, in of the unlock] lie inside of the
 * true ones, and those are disjoint: of two sections of one mutex, the one that was left (in)
 * before the other was recorded as entered (out) came first.  This needs no other event, so it also
 * holds between sections that had others, now overwritten, between them.  It needs that a section
 * is left by the thread that entered it: a mutex that some thread unlocks without having locked it
 * orders nothing here.
 *
 * Missing events: an acquisition whose predecessors are all overwritten gets no edge.  Of a thread
 * whose beginning is missing, an unlock without a lock is believed; so is the first thread's in a
 * forked child.  After a pause it is not known who holds it.
 */
#include "decoder/match/lock.h"

enum syt_mutex_step syt_mutex_step(const struct syt_places *places, const struct syt_touch *t)
{
	if (t->role == SYT_ROLE_RELEASE2)
		return SYT_MUTEX_RELEASE;
	if (t->role == SYT_ROLE_SECOND)
		return syt_place_gave_mutex(places, t->place) ? SYT_MUTEX_ACQUIRE : SYT_MUTEX_NONE;
	if (!t->has_succeeded)
		return SYT_MUTEX_NONE;
	switch (t->shape) {
	case SYT_SHAPE_LOCK:
		return SYT_MUTEX_ACQUIRE;
	case SYT_SHAPE_UNLOCK:
		return SYT_MUTEX_RELEASE;
	default:
		return SYT_MUTEX_NONE;
	}
}

/* A mutex that was held across fork (fork handlers do so): the child's copy of the thread frees it.
 */
static bool is_inherited(const struct syt_lock *l, const struct syt_match *m,
                         const struct syt_touch *t)
{
	const struct syt_thread *thread = syt_place_thread(m->places, t->place);

	return l->holder == SYT_NONE && !thread->index &&
	       thread->image->file.parent_index != UINT32_MAX;
}

/* Follows the holder; true when T takes a free mutex or frees it. */
static bool follow(struct syt_lock *l, const struct syt_match *m, enum syt_mutex_step step,
                   const struct syt_touch *t)
{
	if (step == SYT_MUTEX_ACQUIRE) {
		if (l->holder == t->place.thread) {
			l->depth++;
			return false;
		}
		l->holder = t->place.thread; /* a holder that died leaves it held (robust mutex) */
		l->depth = 1;
		return true;
	}
	if (l->holder != t->place.thread) {
		if (!syt_match_is_missing_before(m, t->place) && !is_inherited(l, m, t))
			l->is_foreign = true;
		l->holder = SYT_NONE;
		return true;
	}
	if (--l->depth)
		return false;
	l->holder = SYT_NONE;
	return true;
}

/* An acquisition of a free mutex; returns the release by another thread that it came after. */
static const struct syt_touch *acquire(struct syt_lock *l, const struct syt_touch *t)
{
	if (!l->has_release) {
		l->nr_first++;
	} else if (l->release.place.thread == t->place.thread) {
		l->nr_same++;
	} else {
		l->nr_after++;
		return &l->release;
	}
	return NULL;
}

void syt_lock_open(struct syt_lock *l, uint32_t object)
{
	*l = (struct syt_lock){.object = object, .holder = SYT_NONE};
}

const struct syt_touch *syt_lock_meet(struct syt_lock *l, const struct syt_match *m,
                                      const struct syt_touch *t)
{
	enum syt_mutex_step step = syt_mutex_step(m->places, t);

	if (!l->is_begun) {
		l->is_begun = true;
		l->is_complete = t->at >= syt_match_complete_from(m, l->object);
	}
	for (; l->nr_resumes < m->places->nr_resumes && t->at > m->places->resumes[l->nr_resumes];
	     l->nr_resumes++)
		l->holder = SYT_NONE; /* it is not known who has it */
	if (step == SYT_MUTEX_NONE)
		return NULL;
	if (!follow(l, m, step, t)) {
		l->nr_again += step == SYT_MUTEX_ACQUIRE;
		return NULL;
	}
	if (step == SYT_MUTEX_ACQUIRE)
		return acquire(l, t);
	l->release = *t;
	l->has_release = true;
	return NULL;
}

static enum syt_edge_kind edge_kind(const struct syt_match *m, uint32_t object)
{
	enum syt_kind kind = syt_object_kind(m->objects, object);

	return kind == SYT_KIND_SPIN    ? SYT_EDGE_SPIN
	       : kind == SYT_KIND_STDIO ? SYT_EDGE_STDIO
	                                : SYT_EDGE_MUTEX;
}

bool syt_lock_is_ordered(const struct syt_lock *l, const struct syt_match *m)
{
	return !l->is_foreign && !(m->objects->all[l->object].info->flags & SYT_OBJECT_PRESHARED);
}

void syt_lock_count(const struct syt_lock *l, struct syt_match *m)
{
	struct syt_coverage *c = m->coverage;
	uint64_t nr_taken = l->nr_first + l->nr_same + l->nr_after;

	c->acquires += nr_taken + l->nr_again;
	if (m->objects->all[l->object].info->flags & SYT_OBJECT_PRESHARED) {
		c->unattributed[SYT_REASON_PRESHARED] += nr_taken + l->nr_again;
		return;
	}
	c->unneeded += l->nr_again;
	if (l->is_foreign) {
		c->unattributed[SYT_REASON_FOREIGN] += nr_taken;
		return;
	}
	c->attributed += l->nr_after;
	c->unneeded += l->nr_same;
	if (l->is_complete)
		c->unneeded += l->nr_first;
	else
		c->unattributed[SYT_REASON_OVERWRITTEN] += l->nr_first;
	if (!syt_edges_holds(m->edges, edge_kind(m, l->object), SYT_CLASS_RUN_AFTER))
		syt_edges_count(m->edges, edge_kind(m, l->object), l->nr_after);
}

/* The edges themselves, now that it is known that the mutex orders something. */
static void add_edges(struct syt_match *m, uint32_t object, const struct syt_history *h)
{
	enum syt_edge_kind kind = edge_kind(m, object);
	struct syt_lock l;

	syt_lock_open(&l, object);
	SYT_EACH(i, 0, h->nr) {
		const struct syt_touch *t = &h->touches[i], *after = syt_lock_meet(&l, m, t);

		/* a release stands at its `in`, an acquisition at its `out` */
		if (after)
			syt_match_edge_between(m, kind, SYT_CLASS_RUN_AFTER, after, t, object, 0);
	}
}

void syt_match_mutex(struct syt_match *m, uint32_t object)
{
	struct syt_history h = syt_history_of(m->histories, object);
	struct syt_lock l;

	syt_lock_open(&l, object);
	SYT_EACH(i, 0, h.nr)
		syt_lock_meet(&l, m, &h.touches[i]);
	syt_lock_count(&l, m);
	if (syt_lock_is_ordered(&l, m) &&
	    syt_edges_holds(m->edges, edge_kind(m, object), SYT_CLASS_RUN_AFTER))
		add_edges(m, object, &h);
}
