/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Semaphores: the sem_post -> the sem_wait that took its token.  Tokens are taken in the order in
 * which they were given, the initial ones first, so the n-th wait takes the n-th token.
 *
 * Sound: when the n-th wait takes effect, at least n tokens have been there; so the n-th token was
 * given before it.  What has to be known is which post and which wait are the n-th.  A post takes
 * effect in [in, latest], a wait in [earliest, out]; an order that these intervals leave open
 * leaves a range of ranks. Where all posts made (in) so far are used up by waits that have returned
 * (out), the ranges end: those posts and waits go with each other ("a busy period").  A wait gets
 * an edge from every post whose range overlaps its own; more than one are ambiguous.
 *
 * Class: run-after when every thread only posts what it has taken by a wait (a lock in disguise),
 * else causal.
 *
 * Missing events: counting starts where the value is known: at sem_init, or, when that or anything
 * after it may be missing, at a wait that found the value 0 (it blocked) while nothing else was
 * going on.  Waits before that count as unattributed.
 */
#include "decoder/match.h"

#include <stdlib.h>

#include "decoder/err.h"

struct op {
	syt_time from, to; /* took effect in here */
	struct syt_place place;
	uint32_t low, high; /* range of ranks in its busy period */
	bool is_post, has_blocked;
};

struct sem {
	struct syt_match *m;
	uint32_t object;
	enum syt_edge_class class;
	uint64_t nr;
	struct op *ops; /* posts at `from`, waits at `to`, in this order */
	uint64_t initial;
	uint64_t start;             /* ops before this one are from before the value was known */
	syt_time *times;            /* scratch for ranking */
	struct op **posts, **waits; /* scratch: of one busy period */
	uint32_t *lowest;           /* scratch: lowest rank of this and all later waits */
};

/* ---- what happened ---- */

static void collect(struct sem *s, const struct syt_history *h)
{
	const struct syt_places *p = s->m->places;

	for (uint64_t i = 0; i < h->nr; i++) {
		struct syt_place at = h->touches[i].place;
		const struct syt_row *r = syt_place_row(p, at);
		const struct syt_extra *x = syt_place_extra(p, at);

		if (h->touches[i].role != SYT_ROLE_SELF || !syt_place_succeeded(p, at))
			continue;
		switch (syt_place_call(p, at)->shape) {
		case SYT_SHAPE_SEM_POST:
			s->ops[s->nr++] = (struct op){.from = r->in,
			                              .to = syt_place_latest(p, at),
			                              .place = at,
			                              .is_post = true};
			break;
		case SYT_SHAPE_SEM_WAIT:
			s->ops[s->nr++] = (struct op){.from = syt_place_earliest(p, at),
			                              .to = r->out,
			                              .place = at,
			                              .has_blocked = x->flags & SYT_EVENT_BLOCKED};
			break;
		case SYT_SHAPE_INIT:
			s->start = s->nr;
			s->initial = x->arg;
			break;
		}
	}
}

#define SEEN 0x80000000u /* in the thread's scratch word, beside how many tokens it holds */

/* Every post gives back what its thread has taken; the first one of a thread that lost its
 * beginning may give back what it had taken then. */
static enum syt_edge_class classify(const struct sem *s)
{
	uint32_t *held = s->m->of_thread;
	bool is_lock = true;

	for (uint64_t i = 0; i < s->nr && is_lock; i++) {
		const struct op *op = &s->ops[i];
		uint32_t *of_thread = &held[op->place.thread];

		if (!op->is_post)
			++*of_thread;
		else if (*of_thread & ~SEEN)
			--*of_thread;
		else
			is_lock = !*of_thread && syt_match_is_missing_before(s->m, op->place);
		*of_thread |= SEEN;
	}
	for (uint64_t i = 0; i < s->nr; i++)
		held[s->ops[i].place.thread] = 0;
	return is_lock ? SYT_CLASS_RUN_AFTER : SYT_CLASS_CAUSAL;
}

static int by_begin(const void *a_, const void *b_)
{
	const struct op *const *a = a_, *const *b = b_;

	if ((*a)->from != (*b)->from)
		return (*a)->from < (*b)->from ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

static syt_time key(const struct op *op)
{
	return op->is_post ? op->from : op->to;
}

/*
 * Without a known initial value: the first wait that blocked, after COMPLETE_FROM, when no post and
 * no other wait was going on.  It had found the value 0 between its thread's event before it and
 * its `in`; so everything that began earlier had ended, and everything later counts from 0.
 */
static void find_start(struct sem *s, syt_time complete_from)
{
	struct op **ops = s->posts; /* scratch */
	syt_time busy_until = 0;
	uint32_t busy_thread = SYT_NONE; /* the only one busy then */

	s->initial = 0;
	s->start = s->nr;
	if (complete_from == UINT64_MAX)
		return;
	for (uint64_t i = 0; i < s->nr; i++)
		ops[i] = &s->ops[i];
	qsort(ops, s->nr, sizeof(*ops), by_begin);
	for (uint64_t i = 0; i < s->nr; i++) {
		struct syt_place before = ops[i]->place;
		syt_time seen_from = 0;

		if (!ops[i]->is_post && ops[i]->has_blocked && before.row--)
			seen_from = syt_place_row(s->m->places, before)->out;
		if (seen_from > complete_from &&
		    (seen_from > busy_until ||
		     (seen_from == busy_until && busy_thread == ops[i]->place.thread))) {
			for (s->start = 0; key(&s->ops[s->start]) < ops[i]->from;)
				s->start++;
			return;
		}
		if (ops[i]->to >= busy_until) {
			bool is_tie =
				ops[i]->to == busy_until && busy_thread != ops[i]->place.thread;

			busy_thread = is_tie ? SYT_NONE : ops[i]->place.thread;
			busy_until = ops[i]->to;
		}
	}
}

/* ---- ranks ---- */

static int by_time(const void *a_, const void *b_)
{
	const syt_time *a = a_, *b = b_;

	return *a < *b ? -1 : *a > *b;
}

/* How many of TIMES[0..NR), sorted, are < T. */
static uint32_t below(const syt_time *times, uint32_t nr, syt_time t)
{
	uint32_t low = 0, high = nr;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (times[mid] < t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Two operations of one thread follow each other, even when the bounds of their effects touch. */
static void part_neighbours(struct sem *s, struct op **ops, uint32_t nr)
{
	uint32_t *last = s->m->of_thread;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t *of_thread = &last[ops[i]->place.thread];

		if (*of_thread && ops[*of_thread - 1]->to == ops[i]->from) {
			ops[*of_thread - 1]->high--;
			ops[i]->low++;
		}
		*of_thread = i + 1;
	}
	for (uint32_t i = 0; i < nr; i++)
		last[ops[i]->place.thread] = 0;
}

static void rank(struct sem *s, struct op **ops, uint32_t nr, uint32_t first)
{
	for (uint32_t i = 0; i < nr; i++)
		s->times[i] = ops[i]->to;
	qsort(s->times, nr, sizeof(*s->times), by_time);
	for (uint32_t i = 0; i < nr; i++)
		ops[i]->low = first + below(s->times, nr, ops[i]->from);
	for (uint32_t i = 0; i < nr; i++)
		s->times[i] = ops[i]->from;
	qsort(s->times, nr, sizeof(*s->times), by_time);
	for (uint32_t i = 0; i < nr; i++) {
		syt_time to = ops[i]->to;
		uint32_t begun = to == UINT64_MAX ? nr : below(s->times, nr, to + 1);

		ops[i]->high = first + begun - 1;
	}
	part_neighbours(s, ops, nr);
}

/* ---- edges ---- */

static bool may_precede(const struct op *post, const struct op *wait)
{
	if (post->place.thread == wait->place.thread)
		return post->place.row < wait->place.row;
	return post->from <= wait->to;
}

/* WAIT against the posts from FROM on, in a busy period that began with FREE tokens of no post. */
static void match_wait(struct sem *s, const struct op *wait, uint32_t nr_posts, uint32_t from,
                       uint64_t free)
{
	const struct op *found[SYT_AMBIGUOUS_MAX];
	uint32_t nr = 0;
	bool may_be_free = wait->low < free;

	for (uint32_t i = from; i < nr_posts && s->posts[i]->low <= wait->high; i++) {
		if (s->posts[i]->high < wait->low || !may_precede(s->posts[i], wait))
			continue;
		if (nr == SYT_AMBIGUOUS_MAX) {
			syt_match_unattributed(s->m, SYT_REASON_TOO_MANY);
			return;
		}
		found[nr++] = s->posts[i];
	}
	if (may_be_free && !nr) {
		syt_match_unneeded(s->m);
	} else if (may_be_free || !nr) {
		syt_match_unattributed(s->m, nr ? SYT_REASON_UNCERTAIN : SYT_REASON_NO_RELEASE);
	} else if (nr == 1 && s->class == SYT_CLASS_RUN_AFTER &&
	           found[0]->place.thread == wait->place.thread) {
		syt_match_unneeded(s->m); /* as with a mutex: implied by the thread's own order */
	} else {
		for (uint32_t i = 0; i < nr; i++)
			syt_match_edge(s->m, SYT_EDGE_SEM, s->class, found[i]->place, wait->place,
			               s->object, nr > 1 ? SYT_EDGE_AMBIGUOUS : 0);
		syt_match_attributed(s->m, nr > 1);
	}
}

/* Posts [0, free) are the tokens that were there at the beginning. */
static void match_period(struct sem *s, struct op *ops, uint64_t nr, uint64_t free)
{
	uint32_t nr_posts = 0, nr_waits = 0, from = 0;

	for (uint64_t i = 0; i < nr; i++) {
		if (ops[i].is_post)
			s->posts[nr_posts++] = &ops[i];
		else
			s->waits[nr_waits++] = &ops[i];
	}
	rank(s, s->posts, nr_posts, (uint32_t)free);
	rank(s, s->waits, nr_waits, 0);
	for (uint32_t i = nr_waits, lowest = UINT32_MAX; i--;) {
		lowest = s->waits[i]->low < lowest ? s->waits[i]->low : lowest;
		s->lowest[i] = lowest;
	}
	for (uint32_t i = 0; i < nr_waits; i++) {
		while (from < nr_posts && s->posts[from]->high < s->lowest[i])
			from++;
		match_wait(s, s->waits[i], nr_posts, from, free);
	}
}

/* The waits from before the value was known; those of a semaphore that one thread uses need no
 * other. */
static void give_up(struct sem *s)
{
	bool is_complete = !syt_match_complete_from(s->m, s->object), is_alone = is_complete;

	for (uint64_t i = 1; i < s->nr; i++)
		is_alone &= s->ops[i].place.thread == s->ops[0].place.thread;
	for (uint64_t i = 0; i < s->start; i++) {
		if (s->ops[i].is_post)
			continue;
		if (is_alone)
			syt_match_unneeded(s->m);
		else
			syt_match_unattributed(s->m, is_complete ? SYT_REASON_BEFORE
			                                         : SYT_REASON_OVERWRITTEN);
	}
}

static void match_all(struct sem *s)
{
	uint64_t begin = s->start, free = s->initial, value = s->initial;

	give_up(s);
	for (uint64_t i = s->start; i < s->nr; i++) {
		if (s->ops[i].is_post) {
			value++;
			continue;
		}
		if (value)
			value--;
		if (!value) {
			match_period(s, &s->ops[begin], i + 1 - begin, free);
			begin = i + 1;
			free = 0;
		}
	}
	match_period(s, &s->ops[begin], s->nr - begin, free);
}

void syt_match_sem(struct syt_match *m, uint32_t object)
{
	struct syt_history h = syt_history_of(m->histories, object);
	struct sem s = {.m = m, .object = object, .start = UINT64_MAX};
	syt_time complete_from = syt_match_complete_from(m, object);

	if (!h.nr || h.nr >= SYT_NONE)
		return;
	s.ops = syt_calloc(h.nr, sizeof(*s.ops));
	s.times = syt_alloc(h.nr, sizeof(*s.times));
	s.posts = syt_alloc(h.nr, sizeof(*s.posts));
	s.waits = syt_alloc(h.nr, sizeof(*s.waits));
	s.lowest = syt_alloc(h.nr, sizeof(*s.lowest));
	collect(&s, &h);
	s.class = classify(&s);
	if (m->objects->all[object].info->flags & SYT_OBJECT_PRESHARED) {
		for (uint64_t i = 0; i < s.nr; i++)
			if (!s.ops[i].is_post)
				syt_match_unattributed(m, SYT_REASON_PRESHARED);
	} else {
		if (s.start == UINT64_MAX || h.touches[0].at < complete_from)
			find_start(&s, complete_from);
		match_all(&s);
	}
	free(s.ops);
	free(s.times);
	free(s.posts);
	free(s.waits);
	free(s.lowest);
}
