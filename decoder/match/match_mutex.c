/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Mutexes, spin locks and the locks of stdio streams: an unlock happens before the next acquisition by another
 * thread. A wait for a condition variable unlocks its mutex at its begin and locks it at its end. The edges have
 * class run-after, because the order of the two threads is chance.
 *
 * The rule is sound because a recorded section, from the end (out) of the lock call to the begin (in) of the unlock
 * call, lies inside the true critical section, and true critical sections do not overlap. If one section ended
 * before another began, it therefore came first, even if the sections between them are overwritten. The thread that
 * entered a section must also leave it: a mutex that some thread unlocks without having locked it gets no edges.
 *
 * Missing events: an acquisition gets no edge if all releases before it are overwritten. A thread may unlock a
 * mutex without a recorded lock if its first events were overwritten, or if it is the first thread of a forked
 * child. After a pause of the recording, the holder is unknown until a thread takes the lock again.
 *
 * Sampled traces: only whole sections count, whose lock and unlock are in one part (decoder/read/part.h). An unlock without its
 * lock in the same part is no source, and no foreign unlock. A ghost of a wait for a condition variable neither releases
 * nor takes the mutex. If two whole sections overlap, a thread unlocked the mutex without having locked it.
 */
#include "decoder/match/lock.h"

#define MOST_BACK                                                                                  \
	4096u /* number of events in which the acquisition of a released lock is searched */

static enum syt_mutex_step self_step(const struct syt_touch *t)
{
	if (!t->has_succeeded)
		return SYT_MUTEX_NONE;
	return t->shape == SYT_SHAPE_LOCK     ? SYT_MUTEX_ACQUIRE
	       : t->shape == SYT_SHAPE_UNLOCK ? SYT_MUTEX_RELEASE
	                                      : SYT_MUTEX_NONE;
}

enum syt_mutex_step syt_mutex_step(const struct syt_places *places, const struct syt_touch *t)
{
	if (t->role != SYT_ROLE_SELF && syt_place_is_ghost(places, t->place))
		return SYT_MUTEX_NONE;
	if (t->role == SYT_ROLE_RELEASE2)
		return SYT_MUTEX_RELEASE;
	if (t->role == SYT_ROLE_SECOND)
		return syt_place_gave_mutex(places, t->place) ? SYT_MUTEX_ACQUIRE : SYT_MUTEX_NONE;
	return self_step(t);
}

/* Returns true if a mutex was held across fork(), by fork handlers, so that the child's copy of the thread unlocks
 * it. */
static bool is_inherited(const struct syt_lock *l, const struct syt_match *m,
                         const struct syt_touch *t)
{
	const struct syt_thread *thread = syt_place_thread(m->places, t->place);

	return l->holder == SYT_NONE && !thread->index &&
	       thread->image->file.parent_index != UINT32_MAX;
}

/* Returns true if the thread of the release T acquired the lock earlier in the same part and has not released it. */
static bool has_acquired(const struct syt_lock *l, const struct syt_match *m,
                         const struct syt_touch *t)
{
	const struct syt_places *p = m->places;
	uint32_t image = syt_place_image_idx(p, t->place), depth = 0;
	uint64_t part = syt_place_part(p, t->place);
	struct syt_place at = t->place;

	for (unsigned n = 0; at.row-- && n < MOST_BACK && syt_place_part(p, at) == part; n++) {
		const struct syt_row *r = syt_place_row(p, at);
		uint32_t second = syt_object_of(m->objects, image, syt_place_extra(p, at)->object2);
		uint8_t shape = syt_place_call(p, at)->shape;

		if (second == l->object && syt_place_gave_mutex(p, at))
			return true;
		if (syt_object_of(m->objects, image, r->object) != l->object ||
		    !syt_place_succeeded(p, at))
			continue;
		if (shape == SYT_SHAPE_UNLOCK)
			depth++;
		else if (shape == SYT_SHAPE_LOCK && !depth--)
			return true;
	}
	return false;
}

/* Handles a release of a lock of a sampled trace by a thread that does not hold the lock by its events of this part. The sampler may
 * have left out the acquisition. If it did not, the thread had lost the lock to another thread, or the critical sections
 * of two threads overlap: the lock orders nothing. */
static void meet_half(struct syt_lock *l, const struct syt_match *m, const struct syt_touch *t)
{
	if (l->holder == t->place.thread)
		l->holder = SYT_NONE;
	else if (l->holder != SYT_NONE)
		l->is_contradicted = true;
	if (!syt_match_is_missing_before(m, t->place))
		l->is_foreign |= has_acquired(l, m, t);
}

/* Keeps track of the thread that holds the lock. Returns true if T takes a free lock, or frees the lock. */
static bool follow(struct syt_lock *l, const struct syt_match *m, enum syt_mutex_step step,
                   const struct syt_touch *t)
{
	bool is_sampled = l->is_sampled;
	uint64_t part = is_sampled ? syt_place_part(m->places, t->place) : 0;
	bool is_mine = l->holder == t->place.thread && l->part == part;

	if (step == SYT_MUTEX_ACQUIRE) {
		if (is_mine) {
			l->depth++;
			return false;
		}
		l->holder = t->place.thread; /* a dead thread left a robust mutex locked */
		l->depth = 1;
		l->part = part;
		l->is_contradicted = false;
		return true;
	}
	if (!is_mine && is_sampled) {
		meet_half(l, m, t);
		return false;
	}
	if (!is_mine) {
		if (!syt_match_is_missing_before(m, t->place) && !is_inherited(l, m, t))
			l->is_foreign = true;
		l->holder = SYT_NONE;
		return true;
	}
	if (--l->depth)
		return false;
	l->holder = SYT_NONE;
	l->is_foreign |= l->is_contradicted;
	return true;
}

/* Counts the acquisition T of a free lock. Returns the preceding release by another thread, or NULL. */
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

/* Takes the facts of the lock that no touch changes. T is its first touch. */
static void begin(struct syt_lock *l, const struct syt_match *m, const struct syt_touch *t)
{
	const struct syt_object *object = &m->objects->all[l->object];

	l->is_begun = true;
	l->is_sampled = object->is_sampled;
	l->window = syt_places_window(m->places, object->image);
	l->is_complete = t->at >= syt_match_complete_from(m, l->object) && !l->is_sampled;
}

/* Does syt_lock_meet() for any touch. */
static __attribute__((noinline)) const struct syt_touch *
meet(struct syt_lock *l, const struct syt_match *m, const struct syt_touch *t)
{
	enum syt_mutex_step step =
		t->role == SYT_ROLE_SELF ? self_step(t) : syt_mutex_step(m->places, t);

	if (!l->is_begun)
		begin(l, m, t);
	for (; l->nr_resumes < l->window->nr_resumes && t->at > l->window->resumes[l->nr_resumes];
	     l->nr_resumes++)
		l->holder = SYT_NONE; /* after a pause of the recording, the holder is unknown */
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

/* Most touches take a lock that the thread does not hold, or release a lock that the thread took once, after the last resume of
 * the recording. These need no call. */
const struct syt_touch *syt_lock_meet(struct syt_lock *l, const struct syt_match *m,
                                      const struct syt_touch *t)
{
	bool is_mine = l->holder == t->place.thread;

	if (t->role != SYT_ROLE_SELF || !t->has_succeeded || !l->is_begun || l->is_sampled ||
	    l->nr_resumes < l->window->nr_resumes)
		return meet(l, m, t);
	if (t->shape == SYT_SHAPE_LOCK && !is_mine) {
		l->holder = t->place.thread;
		l->depth = 1;
		l->part = 0;
		l->is_contradicted = false;
		return acquire(l, t);
	}
	if (t->shape != SYT_SHAPE_UNLOCK || !is_mine || l->depth != 1)
		return meet(l, m, t);
	l->depth = 0;
	l->holder = SYT_NONE;
	l->is_foreign |= l->is_contradicted;
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

	enum syt_reason unknown = m->objects->all[l->object].is_sampled ? SYT_REASON_NOT_SAMPLED
	                                                                : SYT_REASON_OVERWRITTEN;

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
	/* the sampler may have left out a section of another thread before the acquisition */
	if (unknown == SYT_REASON_NOT_SAMPLED)
		c->unattributed[unknown] += l->nr_same;
	else
		c->unneeded += l->nr_same;
	if (l->is_complete)
		c->unneeded += l->nr_first;
	else
		c->unattributed[unknown] += l->nr_first;
	if (!syt_edges_holds(m->edges, edge_kind(m, l->object), SYT_CLASS_RUN_AFTER))
		syt_edges_count(m->edges, edge_kind(m, l->object), l->nr_after);
}

/* Adds the happens-before edges of a mutex. The caller knows that only its holders unlocked it. */
static void add_edges(struct syt_match *m, uint32_t object, const struct syt_history *h)
{
	enum syt_edge_kind kind = edge_kind(m, object);
	struct syt_lock l;

	syt_lock_open(&l, object);
	SYT_EACH(i, 0, h->nr) {
		const struct syt_touch *t = &h->touches[i], *after = syt_lock_meet(&l, m, t);

		/* `at` of a release is its begin (in), `at` of an acquisition its end (out) */
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
