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
 * forked child.
 */
#include "decoder/match/match.h"

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

struct lock {
	struct syt_match *m;
	uint32_t object;
	enum syt_edge_kind kind;
	bool is_complete; /* no event on it is missing */
	uint32_t holder;  /* trace-wide thread, or SYT_NONE */
	uint32_t depth;   /* of a recursive mutex */
	bool is_foreign;
	const struct syt_touch *release; /* the last one that freed it, or NULL */
};

/* A mutex that was held across fork (fork handlers do so): the child's copy of the thread frees it.
 */
static bool is_inherited(const struct lock *l, const struct syt_touch *t)
{
	const struct syt_thread *thread = syt_place_thread(l->m->places, t->place);

	return l->holder == SYT_NONE && !thread->index &&
	       thread->image->file.parent_index != UINT32_MAX;
}

/* Follows the holder; true when T takes a free mutex or frees it. */
static bool follow(struct lock *l, enum syt_mutex_step step, const struct syt_touch *t)
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
		if (!syt_match_is_missing_before(l->m, t->place) && !is_inherited(l, t))
			l->is_foreign = true;
		l->holder = SYT_NONE;
		return true;
	}
	if (--l->depth)
		return false;
	l->holder = SYT_NONE;
	return true;
}

static void acquire(struct lock *l, const struct syt_touch *t)
{
	struct syt_match *m = l->m;

	if (l->is_foreign) {
		syt_match_unattributed(m, SYT_REASON_FOREIGN);
	} else if (!l->release) {
		if (!l->is_complete)
			syt_match_unattributed(m, SYT_REASON_OVERWRITTEN);
		else
			syt_match_unneeded(m);
	} else if (l->release->place.thread == t->place.thread) {
		syt_match_unneeded(m);
	} else {
		/* a release stands at its `in`, an acquisition at its `out` */
		syt_match_edge_between(m, l->kind, SYT_CLASS_RUN_AFTER, l->release, t, l->object,
		                       0);
		syt_match_attributed(m, false);
	}
}

void syt_match_mutex(struct syt_match *m, uint32_t object)
{
	const struct syt_object *o = &m->objects->all[object];
	struct syt_history h = syt_history_of(m->histories, object);
	struct lock l = {m,
	                 object,
	                 o->info->kind == SYT_KIND_SPIN    ? SYT_EDGE_SPIN
	                 : o->info->kind == SYT_KIND_STDIO ? SYT_EDGE_STDIO
	                                                   : SYT_EDGE_MUTEX,
	                 h.nr && h.touches[0].at >= syt_match_complete_from(m, object),
	                 SYT_NONE,
	                 0,
	                 false,
	                 NULL};

	for (uint64_t i = 0; i < h.nr && !l.is_foreign; i++) {
		enum syt_mutex_step step = syt_mutex_step(m->places, &h.touches[i]);

		if (!(i % SYT_STORE_STRIDE))
			syt_store_settle();
		if (step != SYT_MUTEX_NONE)
			follow(&l, step, &h.touches[i]);
	}
	l.holder = SYT_NONE;
	l.depth = 0;
	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];
		enum syt_mutex_step step = syt_mutex_step(m->places, t);

		if (step == SYT_MUTEX_NONE)
			continue;
		if (o->info->flags & SYT_OBJECT_PRESHARED) {
			if (step == SYT_MUTEX_ACQUIRE)
				syt_match_unattributed(m, SYT_REASON_PRESHARED);
			continue;
		}
		bool changes = follow(&l, step, t);

		if (step == SYT_MUTEX_ACQUIRE && changes)
			acquire(&l, t);
		else if (step == SYT_MUTEX_ACQUIRE)
			syt_match_unneeded(m);
		else if (changes)
			l.release = t;
	}
}
