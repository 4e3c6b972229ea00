/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Timers: the call that armed a timer -> the read, the readiness report or the sigwait that its
 * expiry ended.
 *
 * Of a timerfd: arming or disarming it forgets the expirations so far, so a read that returned
 * some, or a report, comes from the last arming that took effect before it.  Of a timer that sends
 * a signal: one signal is pending at most, and a take leaves none, so it comes from the arming that
 * was the last one at the take before, or from a later one.  An arming that is surely followed by
 * another one that surely took effect by then is none of these.  One that expires once is used up
 * by the read or take that surely came from it.  One is left: that is it; several are ambiguous.
 *
 * Sound as far as every arming was recorded; a timerfd that was not seen being made may be another
 * process', too, and has no edges.
 *
 * Missing events: a missing arming may have been the last one, until one that is there surely
 * followed it.
 */
#include "decoder/match/match.h"

#include <errno.h>
#include "base/bisect.h"
#include "base/sort.h"
#include "base/store.h"

#define READY_READ (SYT_READY_IN | SYT_READY_RDHUP | SYT_READY_HUP)

enum { DISARM, ONCE, AGAIN }; /* the event's `arg` */

struct set {
	syt_time in, latest;
	syt_time latest_so_far;
	syt_time spent; /* all that it gave was surely taken by then; UINT64_MAX: no */
	struct syt_place place;
	uint8_t what;
};

/* Of the sets that surely took effect before `latest`, one began at `in`. */
struct cut {
	syt_time latest, in;
};

struct use {
	syt_time earliest, out;
	struct syt_place place;
	bool is_take; /* the expiry is gone then */
};

struct timer {
	struct syt_match *m;
	uint32_t object;
	bool is_fd;
	uint32_t nr_sets, nr_uses;
	struct set *sets;  /* by in */
	struct cut *cuts;  /* by latest; `in` rises */
	struct use *uses;  /* by out */
	struct cut *takes; /* of the takes so far: by out (latest), greatest earliest (in) */
	uint32_t nr_takes;
};

/* timerfd_settime says ECANCELED when the clock was set before, and arms all the same. */
static bool has_set(const struct syt_row *r)
{
	return r->result == 0 || (r->result == -1 && r->err == ECANCELED);
}

static bool find_use(const struct timer *t, const struct syt_touch *touch)
{
	const struct syt_places *p = t->m->places;
	const struct syt_row *r = syt_place_row(p, touch->place);

	switch (touch->role) {
	case SYT_ROLE_SELF:
		return t->is_fd && r->result > 0 &&
		       syt_place_call(p, touch->place)->shape == SYT_SHAPE_RECV;
	case SYT_ROLE_SECOND:
		return !t->is_fd && syt_place_call(p, touch->place)->shape == SYT_SHAPE_SIGNAL_RECV;
	case SYT_ROLE_READY:
		return t->is_fd && syt_place_thread(p, touch->place)
		                                   ->ready[syt_place_extra(p, touch->place)->ready +
		                                           touch->part]
		                                   .events &
		                           READY_READ;
	default:
		return false;
	}
}

static int by_latest(const void *a_, const void *b_)
{
	const struct cut *a = a_, *b = b_;

	if (a->latest != b->latest)
		return a->latest < b->latest ? -1 : 1;
	return a->in < b->in ? -1 : a->in > b->in;
}

static void collect(struct timer *t)
{
	struct syt_history h = syt_history_of(t->m->histories, t->object);
	const struct syt_places *p = t->m->places;
	syt_time latest_so_far = 0;

	t->sets = syt_store_alloc(h.nr, sizeof(*t->sets));
	t->uses = syt_store_alloc(h.nr, sizeof(*t->uses));
	for (uint64_t i = 0; i < h.nr; i++) {
		struct syt_place at = h.touches[i].place;
		const struct syt_row *r = syt_place_row(p, at);

		if (h.touches[i].role == SYT_ROLE_SELF &&
		    syt_place_call(p, at)->shape == SYT_SHAPE_TIMER_SET && has_set(r)) {
			syt_time latest = syt_place_latest(p, at);
			uint64_t what = syt_place_extra(p, at)->arg;

			latest_so_far = latest > latest_so_far ? latest : latest_so_far;
			t->sets[t->nr_sets++] = (struct set){
				r->in,      latest, latest_so_far,
				UINT64_MAX, at,     what < AGAIN ? (uint8_t)what : AGAIN};
		} else if (find_use(t, &h.touches[i])) {
			t->uses[t->nr_uses++] = (struct use){syt_place_earliest(p, at), r->out, at,
			                                     h.touches[i].role != SYT_ROLE_READY};
		}
	}
	t->takes = syt_store_alloc(t->nr_uses, sizeof(*t->takes));
	t->cuts = syt_store_alloc(t->nr_sets, sizeof(*t->cuts));
	for (uint32_t i = 0; i < t->nr_sets; i++)
		t->cuts[i] = (struct cut){t->sets[i].latest, t->sets[i].in};
	syt_sort(t->cuts, t->nr_sets, sizeof(*t->cuts), by_latest);
	for (uint32_t i = 1; i < t->nr_sets; i++)
		if (t->cuts[i].in < t->cuts[i - 1].in)
			t->cuts[i].in = t->cuts[i - 1].in;
}

/* The greatest `in` of those that are before T; 0: there is none. */
static syt_time cut_at(const struct cut *cuts, uint32_t nr, syt_time t)
{
	uint32_t low = SYT_BISECT(i, 0, nr, cuts[i].latest < t);

	return low ? cuts[low - 1].in : 0;
}

/* How many sets began by T. */
static uint32_t sets_until(const struct timer *t, syt_time at)
{
	return SYT_BISECT(i, 0, t->nr_sets, t->sets[i].in <= at);
}

static void remember(struct timer *t, const struct use *u)
{
	struct cut *c = &t->takes[t->nr_takes];

	*c = (struct cut){u->out, u->earliest};
	if (t->nr_takes && c->in < c[-1].in)
		c->in = c[-1].in;
	t->nr_takes++;
}

static void match_use(struct timer *t, const struct use *u)
{
	syt_time since = t->is_fd ? u->earliest : cut_at(t->takes, t->nr_takes, u->earliest);
	syt_time cut = cut_at(t->cuts, t->nr_sets, since);
	struct set *found[SYT_AMBIGUOUS_MAX];
	unsigned nr = 0;

	if (t->m->objects->all[t->object].info->flags & SYT_OBJECT_ADOPTED) {
		syt_match_unattributed(t->m, SYT_REASON_BEFORE);
		return;
	}
	if (cut < syt_match_complete_from(t->m, t->object)) {
		syt_match_unattributed(t->m, SYT_REASON_OVERWRITTEN);
		return;
	}
	for (uint32_t i = sets_until(t, u->out); i-- && t->sets[i].latest_so_far >= cut;) {
		struct set *s = &t->sets[i];

		if (s->what == DISARM || s->latest < cut || s->spent < u->earliest ||
		    (s->place.thread == u->place.thread && s->place.row >= u->place.row))
			continue;
		if (nr == SYT_AMBIGUOUS_MAX) {
			syt_match_unattributed(t->m, SYT_REASON_TOO_MANY);
			return;
		}
		found[nr++] = s;
	}
	if (!nr) {
		syt_match_unattributed(t->m, SYT_REASON_NO_RELEASE);
		return;
	}
	for (unsigned i = 0; i < nr; i++)
		syt_match_edge(t->m, SYT_EDGE_TIMER, SYT_CLASS_CAUSAL, found[i]->place, u->place,
		               t->object, nr > 1 ? SYT_EDGE_AMBIGUOUS : 0);
	syt_match_attributed(t->m, nr > 1);
	if (nr == 1 && u->is_take && found[0]->what == ONCE && u->out < found[0]->spent)
		found[0]->spent = u->out;
}

void syt_match_timer(struct syt_match *m, uint32_t object)
{
	struct timer t = {.m = m,
	                  .object = object,
	                  .is_fd = syt_object_kind(m->objects, object) == SYT_KIND_TIMERFD};

	if (syt_history_of(m->histories, object).nr >= SYT_NONE)
		return;
	collect(&t);
	for (uint32_t i = 0; i < t.nr_uses; i++) {
		match_use(&t, &t.uses[i]);
		if (t.uses[i].is_take)
			remember(&t, &t.uses[i]);
	}
	syt_store_free(t.sets);
	syt_store_free(t.cuts);
	syt_store_free(t.uses);
	syt_store_free(t.takes);
}
