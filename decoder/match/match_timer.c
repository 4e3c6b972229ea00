/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Timers: the call that armed a timer happens before the read, the readiness report or the sigwait that its expiry
 * ended.
 *
 * Arming or disarming a timerfd discards its earlier expirations, so a read or report comes from the last arming
 * that took effect before it. The signal of a POSIX timer is pending at most once, also across the next arming. The
 * source of the signal is the arming in effect when the timer's previous signal was taken, or a later one. An
 * arming is excluded if another arming surely followed it and surely took effect before that time. An arming that
 * expires once is used up by the read or sigwait that surely came from it. If several armings are possible, the
 * edges are ambiguous.
 *
 * The rule is sound because every arming was recorded. If the creation of a timerfd was not recorded, another
 * process may share the timerfd, so it gets no edges.
 *
 * Missing events: an arming that is missing may have been the last one, until a recorded arming surely followed it.
 */
#include "decoder/match/match.h"

#include <errno.h>
#include "base/bisect.h"
#include "base/compare.h"
#include "base/sort.h"

enum { DISARM, ONCE, AGAIN }; /* the `arg` of a call that sets a timer */

struct set {
	syt_time in, latest;
	syt_time latest_so_far;
	syt_time spent; /* time by which its expiry was surely taken, or UINT64_MAX */
	struct syt_place place;
	uint8_t mode;
};

/* A call that set the timer began at `in` and surely took effect before `latest`. */
struct cut {
	syt_time latest, in;
};

struct use {
	syt_time earliest, out;
	struct syt_place place;
	bool is_take; /* this call consumes the expiry */
};

struct timer {
	struct syt_match *m;
	uint32_t object;
	bool is_fd;
	uint32_t nr_sets, nr_uses;
	struct set *sets;  /* sorted by begin (in) */
	struct cut *cuts;  /* sorted by latest; `in` never decreases */
	struct use *uses;  /* sorted by end (out) */
	struct cut *takes; /* reads and sigwaits so far, with out and greatest earliest */
	uint32_t nr_takes;
};

/* Returns true if the call armed the timer. timerfd_settime() reports ECANCELED if the clock was set before, but
 * arms the timer. */
static bool has_set(const struct syt_row *r)
{
	return r->result == 0 || (r->result == -1 && r->err == ECANCELED);
}

static bool find_use(const struct timer *t, const struct syt_touch *touch)
{
	switch (touch->role) {
	case SYT_ROLE_SELF:
		return t->is_fd && touch->shape == SYT_SHAPE_RECV &&
		       syt_place_row(t->m->places, touch->place)->result > 0;
	case SYT_ROLE_SECOND:
		return !t->is_fd && touch->shape == SYT_SHAPE_SIGNAL_RECV;
	case SYT_ROLE_READY:
		return t->is_fd && syt_match_reported(t->m, touch) & SYT_MATCH_READABLE;
	default:
		return false;
	}
}

SYT_COMPARATOR(by_latest, struct cut)
{
	SYT_ORDER_BY(latest);
	return SYT_COMPARE(a->in, b->in);
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
		    h.touches[i].shape == SYT_SHAPE_TIMER_SET && has_set(r)) {
			syt_time latest = syt_place_latest(p, at);
			uint64_t mode = syt_place_extra(p, at)->arg;

			latest_so_far = latest > latest_so_far ? latest : latest_so_far;
			t->sets[t->nr_sets++] = (struct set){
				r->in,      latest, latest_so_far,
				UINT64_MAX, at,     mode < AGAIN ? (uint8_t)mode : AGAIN};
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

/* Returns the greatest `in` of the elements whose `latest` is before T, or 0 if no `latest` is before T. */
static syt_time cut_at(const struct cut *cuts, uint32_t nr, syt_time t)
{
	uint32_t low = SYT_BISECT(i, 0, nr, cuts[i].latest < t);

	return low ? cuts[low - 1].in : 0;
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
	bool is_adopted = t->m->objects->all[t->object].info->flags & SYT_OBJECT_ADOPTED;
	uint32_t i = SYT_BISECT(k, 0, t->nr_sets, t->sets[k].in <= u->out);
	unsigned nr = 0;

	if (is_adopted || cut < syt_match_complete_from(t->m, t->object)) {
		syt_match_unattributed(t->m,
		                       is_adopted ? SYT_REASON_BEFORE : SYT_REASON_OVERWRITTEN);
		return;
	}
	while (i-- && t->sets[i].latest_so_far >= cut) {
		struct set *s = &t->sets[i];

		if (s->mode == DISARM || s->latest < cut || s->spent < u->earliest ||
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
	for (unsigned k = 0; k < nr; k++)
		syt_match_cause(t->m, SYT_EDGE_TIMER, found[k]->place, u->place, t->object, nr > 1);
	syt_match_attributed(t->m, nr > 1);
	if (nr == 1 && u->is_take && found[0]->mode == ONCE && u->out < found[0]->spent)
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
