/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Condition variables: a signal or broadcast happens before the wait that it woke.
 *
 * A wait that returned 0 was woken by a signal or broadcast whose time [in, latest time of effect] overlaps the
 * time [in, out] of the wait. A signal wakes one waiter, a broadcast wakes all waiters. The decoder processes the
 * waits in the order in which they returned:
 * - If only one call can have woken the waiter, this call woke it. A signal can then wake no other waiter.
 * - If several signals can have woken a waiter, the edges from these signals are ambiguous. These signals together
 *   can wake one waiter less.
 * - A broadcast surely found the waiter if the broadcasting thread took the mutex after the waiter had released it.
 *   Later calls then did not wake this waiter.
 * - If no call can have woken the waiter, the wake-up was spurious. If earlier waits had used up the signals that
 *   could have woken the waiter, one of those waits may have been the spurious one: the edges of those waits become
 *   ambiguous.
 *
 * A wait that timed out or was cancelled (abandoned wait) gets no edge. If an abandoned wait had consumed a
 * wake-up, libc wakes another waiter before the call returns. A waiter may thus be woken by a signal that was sent
 * before it began to wait, if this signal overlaps an abandoned wait.
 *
 * The rule is sound because, apart from spurious wake-ups, a thread woke each wait (glibc's waits return 0 only
 * after a wake-up), and every call that could have woken the waiter was recorded. The one exception is a call of a
 * killed process that had its effect before its event was written.
 *
 * Missing events: a signal that is missing in the trace could have woken the waiter. Therefore a wait gets no edge
 * if it began before its process's last missing event. A wait gets no edge either if an abandoned wait began before
 * that event and may have passed a wake-up on to this wait.
 */
#include "decoder/match/match.h"

#include "base/bisect.h"
#include "decoder/match/wakeup.h"

#define NR_LOOK_BACK 32u /* maximum of events searched for the locking of a mutex */

struct signal {
	syt_time in, latest;
	syt_time latest_so_far; /* maximum of `latest` up to this element */
	struct syt_place place;
	uint32_t woken; /* the only wait that this call can have woken, or SYT_NONE */
	bool is_broadcast;
};

struct wait {
	syt_time in, out;
	struct syt_place place;
	uint32_t mutex;     /* trace-wide number, or SYT_NONE */
	uint32_t first, nr; /* range in the array of candidates */
	bool is_ambiguous;
	/* the waker may be a signal of the waiting thread itself, which an abandoned wait passed on */
	bool may_be_own;
	enum syt_reason reason; /* reason why the wait has no edge, if nr is 0 */
};

/* An abandoned wait: it timed out or was cancelled, and may have passed its wake-up on to another wait. */
struct abandoned {
	syt_time in, out;
	/* earliest begin of the waits that may pass a wake-up on, directly or through other waits, to a wait in
	 * progress at `out` */
	syt_time since;
};

struct cond {
	struct syt_match *m;
	uint32_t object;
	uint32_t nr_signals, nr_waits, nr_candidates;
	struct signal *signals; /* sorted by begin (in) */
	struct syt_wakeup *wakeups;
	struct wait *waits; /* sorted by end (out) */
	uint32_t nr_abandoned;
	struct abandoned *abandoned; /* sorted by end (out) */
	uint32_t *candidates;
	size_t room;
};

/* ---- possible wakers of a wait ---- */

/* Returns true if the thread of the signal S took MUTEX after the time SINCE and still held it at the signal. */
static bool held_since(const struct cond *c, const struct signal *s, uint32_t mutex, syt_time since)
{
	const struct syt_places *p = c->m->places;
	uint32_t image = syt_place_image_idx(p, s->place);
	struct syt_place at = s->place;

	for (unsigned n = 0; mutex != SYT_NONE && n < NR_LOOK_BACK && at.row; n++) {
		if (!syt_part_is_one(syt_place_thread(p, at), at.row - 1, at.row))
			return false; /* the thread may have released the mutex in the gap */
		at.row--;
		const struct syt_row *r = syt_place_row(p, at);
		uint32_t second =
			syt_object_of(c->m->objects, image, syt_place_extra(p, at)->object2);

		if (second == mutex && syt_place_gave_mutex(p, at))
			return r->out >= since;
		if (syt_object_of(c->m->objects, image, r->object) != mutex ||
		    !syt_place_succeeded(p, at))
			continue;
		return syt_place_call(p, at)->shape == SYT_SHAPE_LOCK && r->out >= since;
	}
	return false;
}

/* Returns the index after the last signal that began by time T. */
static uint32_t signals_until(const struct cond *c, syt_time t)
{
	return SYT_BISECT(i, 0, c->nr_signals, c->signals[i].in <= t);
}

/* Returns the earliest time at which a wake-up for a wait begun by T may have been sent. The returned time is
 * before T if a wait that timed out or was cancelled may have passed a wake-up on. */
static syt_time earliest_wake(const struct cond *c, syt_time t)
{
	uint32_t first = SYT_BISECT(i, 0, c->nr_abandoned, c->abandoned[i].out < t);

	return first < c->nr_abandoned && c->abandoned[first].since < t ? c->abandoned[first].since
	                                                                : t;
}

/* Computes `since` of each abandoned wait. First, it takes the earliest begin of this wait and of all waits
 * abandoned later. Then the function includes the waits that may have passed a wake-up on to one of these waits. */
static void chain_abandoned(struct cond *c)
{
	for (uint32_t n = c->nr_abandoned; n--;) {
		c->abandoned[n].since = c->abandoned[n].in;
		if (n + 1 < c->nr_abandoned && c->abandoned[n + 1].since < c->abandoned[n].since)
			c->abandoned[n].since = c->abandoned[n + 1].since;
	}
	for (uint32_t n = 0; n < c->nr_abandoned; n++)
		c->abandoned[n].since = earliest_wake(c, c->abandoned[n].since);
}

/* Returns the latest time at which a signal or broadcast that woke W may have begun. If a broadcast surely found W
 * waiting, calls that began after this broadcast did not wake W. The latest time of effect of the broadcast is the
 * begin of its thread's next event, so this next event is excluded too. */
static syt_time latest_wake(const struct cond *c, const struct wait *w, uint32_t end)
{
	syt_time by = w->out;

	for (uint32_t i = end, n = 0; i-- && n < SYT_AMBIGUOUS_MAX; n++) {
		const struct signal *s = &c->signals[i];

		if (s->latest_so_far < w->in)
			break;
		if (s->is_broadcast && s->in >= w->in && held_since(c, s, w->mutex, w->in) &&
		    s->latest <= by)
			by = s->latest - (s->latest > s->in);
	}
	return by;
}

static void find_candidates(struct cond *c, struct wait *w)
{
	uint32_t end = signals_until(c, w->out);
	syt_time from = earliest_wake(c, w->in), by = latest_wake(c, w, end);

	if (by < w->out)
		end = signals_until(c, by);
	w->first = c->nr_candidates;
	w->nr = 0;
	for (uint32_t i = syt_wakeup_last(c->wakeups, end); i;
	     i = syt_wakeup_last(c->wakeups, i - 1)) {
		const struct signal *s = &c->signals[i - 1];

		if (s->latest_so_far < from)
			break;
		if (s->latest < from)
			continue;
		if (s->place.thread == w->place.thread) {
			w->may_be_own = true;
			continue;
		}
		if (w->nr == SYT_AMBIGUOUS_MAX) {
			w->nr = 0;
			c->nr_candidates = w->first;
			w->reason = SYT_REASON_TOO_MANY;
			return;
		}
		*SYT_STORE_ADD(c->candidates, c->nr_candidates, c->room) = i - 1;
		w->nr++;
	}
	w->is_ambiguous = w->nr > 1 || (w->nr && w->may_be_own);
}

/* Marks as ambiguous the waits that used up the signals that could have woken W, because W has no possible waker
 * left. */
static void mark_ambiguous(struct cond *c, struct wait *w)
{
	syt_time from = earliest_wake(c, w->in);

	w->reason = SYT_REASON_NO_RELEASE;
	for (uint32_t i = signals_until(c, w->out); i--;) {
		const struct signal *s = &c->signals[i];

		if (s->latest_so_far < from)
			break;
		if (s->latest >= from && s->woken != SYT_NONE)
			c->waits[s->woken].is_ambiguous = true;
	}
}

/* Subtracts one wake-up from the set of calls that can have woken WAIT. A broadcast never runs out of wake-ups. */
static void take_wakeup(struct cond *c, uint32_t wait)
{
	const struct wait *w = &c->waits[wait];
	const uint32_t *of = &c->candidates[w->first];

	for (uint32_t i = 0; i < w->nr; i++)
		if (c->signals[of[i]].is_broadcast)
			return;
	if (w->nr == 1)
		c->signals[of[0]].woken = wait;
	syt_wakeup_take(c->wakeups, of, w->nr);
}

/* ---- one condition variable ---- */

static void collect(struct cond *c, const struct syt_history *h)
{
	const struct syt_places *p = c->m->places;
	syt_time latest_so_far = 0;

	for (uint64_t i = 0; i < h->nr; i++) {
		const struct syt_touch *t = &h->touches[i];
		struct syt_place at = t->place;
		const struct syt_row *r = syt_place_row(p, at);
		bool is_broadcast = syt_touch_is(t, SYT_SHAPE_COND_BROADCAST);

		if (syt_touch_is(t, SYT_SHAPE_COND_WAIT)) {
			c->waits[c->nr_waits++] = (struct wait){
				.in = r->in,
				.out = r->out,
				.place = at,
				.mutex = syt_object_of(c->m->objects, syt_place_image_idx(p, at),
			                               syt_place_extra(p, at)->object2),
				.reason = SYT_NR_REASONS,
			};
		} else if (t->role == SYT_ROLE_SELF &&
		           (t->shape == SYT_SHAPE_CANCELLED || t->shape == SYT_SHAPE_COND_WAIT)) {
			c->abandoned[c->nr_abandoned++] =
				(struct abandoned){.in = r->in, .out = r->out};
		} else if (is_broadcast || syt_touch_is(t, SYT_SHAPE_COND_SIGNAL)) {
			uint32_t n = c->nr_signals++;
			syt_time latest = syt_place_latest(p, at);

			latest_so_far = latest > latest_so_far ? latest : latest_so_far;
			c->signals[n] = (struct signal){
				.in = r->in,
				.latest = latest,
				.latest_so_far = latest_so_far,
				.place = at,
				.woken = SYT_NONE,
				.is_broadcast = is_broadcast,
			};
			syt_wakeup_init(c->wakeups, n, 1);
		}
	}
}

static void report(struct cond *c)
{
	for (uint32_t i = 0; i < c->nr_waits; i++) {
		const struct wait *w = &c->waits[i];

		if (!w->nr) {
			if (w->reason == SYT_REASON_NO_RELEASE && w->may_be_own)
				syt_match_unneeded(c->m);
			else
				syt_match_unattributed(c->m, w->reason);
			continue;
		}
		for (uint32_t k = 0; k < w->nr; k++)
			syt_match_cause(c->m, SYT_EDGE_COND,
			                c->signals[c->candidates[w->first + k]].place, w->place,
			                c->object, w->is_ambiguous);
		syt_match_attributed(c->m, w->is_ambiguous);
	}
}

void syt_match_cond(struct syt_match *m, uint32_t object)
{
	struct syt_history h = syt_history_of(m->histories, object);
	struct cond c = {.m = m, .object = object};
	bool is_preshared = m->objects->all[object].info->flags & SYT_OBJECT_PRESHARED;
	syt_time complete_from = syt_match_complete_from(m, object);

	if (h.nr >= SYT_NONE)
		return;
	c.signals = syt_store_alloc(h.nr, sizeof(*c.signals));
	c.wakeups = syt_store_alloc(h.nr, sizeof(*c.wakeups));
	c.waits = syt_store_alloc(h.nr, sizeof(*c.waits));
	c.abandoned = syt_store_alloc(h.nr, sizeof(*c.abandoned));
	collect(&c, &h);
	chain_abandoned(&c);
	for (uint32_t i = 0; i < c.nr_waits; i++) {
		struct wait *w = &c.waits[i];

		if (is_preshared)
			w->reason = SYT_REASON_PRESHARED;
		else if (earliest_wake(&c, w->in) < complete_from)
			w->reason = SYT_REASON_OVERWRITTEN;
		if (w->reason != SYT_NR_REASONS)
			continue;
		find_candidates(&c, w);
		if (w->nr)
			take_wakeup(&c, i);
		else if (w->reason == SYT_NR_REASONS)
			mark_ambiguous(&c, w);
	}
	report(&c);
	syt_store_free(c.signals);
	syt_store_free(c.wakeups);
	syt_store_free(c.waits);
	syt_store_free(c.abandoned);
	syt_store_free(c.candidates);
}
