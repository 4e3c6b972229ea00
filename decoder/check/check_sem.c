/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Semaphores: no thread takes a token that does not exist. Initial plus posted tokens equal taken plus left tokens,
 * and the number of left tokens is never negative.
 *
 * When a wait has returned (out), its tokens had been given, and each post that gave one of them had begun (in). At
 * each time, the initial value plus the posts that have begun is therefore at least the number of tokens that
 * returned waits took. For a semaphore used as a lock, this also proves that its critical sections exclude each
 * other. The tokens that SEM_UNDO gives back count from the last event of their process.
 *
 * sem_open() gives the initial value, if no earlier use of the semaphore is known. The recorder stores the value of
 * a private semaphore before the first operation of its process. Setting the value (semctl) begins a new count. If
 * a post may overlap this call, the value is then unknown. A wait that overlaps this call is not counted. Waits
 * before the first known value, or before the last missing event, are not proven. A post that was not recorded in
 * time excuses one wait.
 */
#include <stdlib.h>
#include <string.h>

#include "decoder/check/check.h"
#include "base/compare.h"
#include "base/err.h"

#define MOST_TOKENS (UINT64_C(1) << 32) /* keeps sums from overflowing if a dump is damaged */

struct credit {
	syt_time at;
	uint64_t tokens;
};

struct sem {
	struct syt_check *c;
	uint32_t object;
	syt_time complete_from;
	bool is_known;    /* the value of the semaphore is known */
	uint64_t value;   /* upper limit of the value */
	syt_time set_at;  /* calls that began before this time may precede the value */
	syt_time busy_to; /* time by which all posts so far have ended */
	uint64_t taken;   /* number of tokens taken so far that did not exist */
	uint32_t nr_credits, next_credit;
	struct credit *credits;
};

static uint64_t tokens_of(const struct syt_extra *x)
{
	return !x->count ? 1 : x->count < MOST_TOKENS ? x->count : MOST_TOKENS;
}

SYT_COMPARATOR(by_time, struct credit)
{
	return SYT_COMPARE(a->at, b->at);
}

/* Finds the tokens that each process took with SEM_UNDO. The kernel gives them back at the end of the process. */
static void find_credits(struct sem *s, const struct syt_history *h)
{
	const struct syt_places *p = &s->c->order->places;
	uint32_t nr_images = p->trace->nr_images;
	uint64_t *owed = NULL;

	for (uint64_t i = 0; i < h->nr; i++) {
		struct syt_place at = h->touches[i].place;
		const struct syt_extra *x = syt_place_extra(p, at);

		if (x->arg != 1 || h->touches[i].shape != SYT_SHAPE_SEM_WAIT)
			continue;
		if (!owed)
			owed = syt_calloc(nr_images, sizeof(*owed));
		owed[syt_place_image_idx(p, at)] += tokens_of(x);
	}
	if (!owed)
		return;
	s->credits = syt_alloc(nr_images, sizeof(*s->credits));
	for (uint32_t i = 0; i < nr_images; i++)
		if (owed[i])
			s->credits[s->nr_credits++] = (struct credit){
				syt_check_last_begin(&p->trace->images[i]), owed[i]};
	qsort(s->credits, s->nr_credits, sizeof(*s->credits), by_time);
	free(owed);
}

static void set(struct sem *s, const struct syt_row *r, const struct syt_extra *x)
{
	bool is_birth = x->count || r->in == r->out;

	s->is_known = r->in >= s->complete_from && (is_birth || s->busy_to < r->in);
	s->value = x->arg < MOST_TOKENS ? x->arg : MOST_TOKENS;
	s->set_at = is_birth ? 0 : r->out;
	s->taken = 0;
	syt_check_sum(s->c, "given", s->is_known ? s->value : 0);
}

static void post(struct sem *s, struct syt_place at, const struct syt_extra *x)
{
	syt_time latest = syt_place_latest(&s->c->order->places, at);

	s->busy_to = latest > s->busy_to ? latest : s->busy_to;
	if (!s->is_known)
		return;
	s->value += tokens_of(x);
	syt_check_sum(s->c, "given", tokens_of(x));
}

/* Counts an excuse or a violation, because the wait AT took MISSING tokens more than were given. */
static void overdraw(struct sem *s, struct syt_place at, uint64_t missing)
{
	syt_time out = syt_place_row(&s->c->order->places, at)->out;

	s->taken += missing;
	if (s->taken <= syt_check_unrecorded(s->c, s->object, out))
		syt_check_excuse(s->c, SYT_EXCUSE_UNENDED, 1);
	else if (syt_check_is_open(s->c, s->object))
		syt_check_excuse(s->c, SYT_EXCUSE_UNTRACED, 1);
	else
		syt_check_violation_at(s->c, "the wait succeeded, although the semaphore was zero",
		                       s->object, at, SYT_NOWHERE);
}

static void wait_for(struct sem *s, struct syt_place at, const struct syt_extra *x)
{
	uint64_t amount = tokens_of(x);

	if (!s->is_known || syt_place_earliest(&s->c->order->places, at) < s->set_at) {
		syt_check_excuse(s->c,
		                 s->is_known        ? SYT_EXCUSE_UNCERTAIN
		                 : s->complete_from ? SYT_EXCUSE_OVERWRITTEN
		                                    : SYT_EXCUSE_BEFORE,
		                 1);
		return;
	}
	s->c->nr_checked++;
	syt_check_sum(s->c, "taken", amount);
	if (s->value < amount) {
		overdraw(s, at, amount - s->value);
		syt_check_sum(s->c, "unexplained", amount - s->value);
		s->value = amount;
	}
	s->value -= amount;
}

static void step(struct sem *s, const struct syt_touch *t)
{
	const struct syt_places *p = &s->c->order->places;
	const struct syt_extra *x = syt_place_extra(p, t->place);

	for (; s->next_credit < s->nr_credits && s->credits[s->next_credit].at <= t->at;
	     s->next_credit++) {
		if (!s->is_known)
			continue;
		s->value += s->credits[s->next_credit].tokens;
		syt_check_sum(s->c, "given", s->credits[s->next_credit].tokens);
	}
	if (syt_touch_is(t, SYT_SHAPE_INIT)) {
		syt_check_sum(s->c, "left", s->is_known ? s->value : 0);
		set(s, syt_place_row(p, t->place), x);
	} else if (syt_touch_is(t, SYT_SHAPE_SEM_POST)) {
		post(s, t->place, x);
	} else if (syt_touch_is(t, SYT_SHAPE_SEM_WAIT)) {
		wait_for(s, t->place, x);
	}
}

/* Takes the initial value of the semaphore from sem_open(), if its history begins with this call. */
static void start_where_opened(struct sem *s, const struct syt_touch *first)
{
	const struct syt_places *p = &s->c->order->places;
	const struct syt_call_info *call = syt_place_call(p, first->place);
	uint64_t value = syt_place_extra(p, first->place)->arg;

	if (s->complete_from || !call->name || strcmp(call->name, "sem_open") ||
	    !syt_place_succeeded(p, first->place))
		return;
	s->is_known = true;
	s->value = value < MOST_TOKENS ? value : MOST_TOKENS;
	s->set_at = first->at;
	syt_check_sum(s->c, "given", s->value);
}

/* Takes the value of a private semaphore that the recorder stored before the first operation of its process. */
static void start_where_met(struct sem *s, const struct syt_object_info *info)
{
	if (!(info->flags & SYT_OBJECT_VALUE) || info->first < s->complete_from)
		return;
	s->is_known = true;
	s->value = info->value;
	s->set_at = 0;
	syt_check_sum(s->c, "given", s->value);
}

static void check_object(struct syt_check *c, uint32_t object)
{
	struct syt_history h = syt_history_of(&c->order->histories, object);
	const struct syt_object *o = &c->order->objects.all[object];
	struct sem s = {
		.c = c, .object = object, .complete_from = syt_check_complete_from(c, object)};

	if (o->info->flags & SYT_OBJECT_PRESHARED) {
		syt_check_excuse(c, SYT_EXCUSE_PRESHARED, h.nr);
		return;
	}
	find_credits(&s, &h);
	if (h.nr) {
		start_where_met(&s, o->info);
		start_where_opened(&s, &h.touches[0]);
	}
	for (uint64_t i = 0; i < h.nr; i++)
		step(&s, &h.touches[i]);
	syt_check_sum(c, "left", s.is_known ? s.value : 0);
	free(s.credits);
}

void syt_check_sem(struct syt_check *c)
{
	for (uint32_t i = 0; i < c->order->objects.nr; i++)
		if (syt_object_kind(&c->order->objects, i) == SYT_KIND_SEM)
			check_object(c, i);
}
