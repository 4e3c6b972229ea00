/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/cause.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"

#define LEAST_LABELLED                                                                             \
	((syt_time)20000 << SYT_TIME_SHIFT) /* shorter calls are not named in a tally */

static const char *const words[] = {
#define WORD(name_, word_) word_,
	SYT_CAUSES(WORD)
#undef WORD
};

const char *syt_cause_word(enum syt_cause_kind kind)
{
	return words[kind];
}

void syt_causes_open(struct syt_causes *c, const struct syt_order *order)
{
	const struct syt_trace_data *trace = order->places.trace;

	*c = (struct syt_causes){.order = order};
	if (trace->begin < trace->end)
		c->observed = trace->end - trace->begin;
}

void syt_causes_close(struct syt_causes *c)
{
	free(c->all);
	c->all = NULL;
}

void syt_causes_add(struct syt_causes *c, struct syt_cause cause)
{
	syt_grow(&c->all, &c->room, c->nr + 1, sizeof(*c->all));
	if (cause.inside == SYT_NONE)
		cause.in.thread = SYT_NONE;
	c->all[c->nr++] = cause;
}

bool syt_cause_is_large(const struct syt_causes *c, syt_time cost, syt_time wall)
{
	return cost && cost / SYT_CAUSE_LEAST >= c->observed / 1000 &&
	       cost / SYT_CAUSE_LEAST_OWN >= wall / 1000;
}

bool syt_cause_is_frequent(const struct syt_causes *c, uint64_t nr, unsigned per_second)
{
	return nr * 1000 / per_second >= SYT_TIME_NS(c->observed) / 1000000;
}

static int worst_first(const void *a_, const void *b_)
{
	const struct syt_cause *a = a_, *b = b_;

	SYT_ORDER(b->cost, a->cost);
	SYT_ORDER_BY(kind);
	SYT_ORDER_BY(object);
	SYT_ORDER_BY(waiter);
	SYT_ORDER_BY(origin);
	return 0;
}

/* Returns true if the loss of B is a consequence of A: both have the same object, or the same call of the
 * causing thread. */
static bool explains(const struct syt_cause *a, const struct syt_cause *b)
{
	/* a full queue says more than its busy consumers */
	if (a->kind == SYT_CAUSE_SLOW_CONSUMER && b->kind == SYT_CAUSE_SMALL_POOL &&
	    a->inside == b->inside)
		return true;
	if (a->object != SYT_NONE && a->object == b->object)
		return true;
	if (a->kind == SYT_CAUSE_MISSED_SIGNAL && b->kind == SYT_CAUSE_TIMEOUTS &&
	    a->waiter == b->waiter)
		return true;
	/* the same sends on several connections */
	if (a->kind == SYT_CAUSE_DELAYED_ACK && b->kind == SYT_CAUSE_STOP_AND_WAIT &&
	    (a->origin == b->waiter || a->waiter == b->waiter))
		return true;
	return a->inside != SYT_NONE && a->inside == b->inside &&
	       (a->kind == b->kind || a->kind <= SYT_CAUSE_HELD_ACROSS_WAIT);
}

static void drop_explained(struct syt_causes *c)
{
	size_t nr = 0;

	/* a full queue, and a delayed acknowledgement, say more than a larger cause that they explain */
	for (size_t i = 0; i < c->nr; i++) {
		bool is_explained = false;

		for (size_t n = 0; n < nr && !is_explained; n++)
			is_explained = explains(&c->all[n], &c->all[i]);
		for (size_t n = i + 1; n < c->nr && !is_explained; n++)
			is_explained = (c->all[i].kind == SYT_CAUSE_SMALL_POOL ||
			                c->all[n].kind == SYT_CAUSE_DELAYED_ACK) &&
			               explains(&c->all[n], &c->all[i]);
		if (!is_explained)
			c->all[nr++] = c->all[i];
	}
	c->nr = nr;
}

void syt_causes_find(struct syt_causes *c, struct syt_blamer *blamer)
{
	struct syt_cause_search s = {c, c->order, blamer->labels, blamer};

	/* the causes count events that follow each other, and some follow from the absence of an event */
	if (syt_trace_is_sampled(c->order->places.trace))
		return;
	syt_cause_find_missed_signals(&s);
	syt_cause_find_barriers(&s);
	syt_cause_find_semaphores(&s);
	syt_cause_find_polls(&s);
	syt_cause_find_readiness(&s);
	syt_cause_find_queues(&s);
	syt_cause_find_round_trips(&s);
	syt_cause_find_backlogs(&s);
	syt_cause_find_slow_handlers(&s);
	syt_cause_find_tiny_transfers(&s);
	syt_cause_find_deadlines(&s);
	syt_cause_find_flushes(&s);
	syt_cause_find_delayed_acks(&s);
	syt_cause_find_lives(&s);
	if (c->nr)
		qsort(c->all, c->nr, sizeof(*c->all), worst_first);
	drop_explained(c);
}

static void add_part(struct syt_cause_tally *t, uint32_t side, syt_time time, struct syt_place at)
{
	unsigned i = 0;

	while (i < t->nr && t->all[i].side != side)
		i++;
	if (i == SYT_CAUSE_MOST_SIDES)
		return;
	if (i == t->nr)
		t->all[t->nr++] = (struct syt_cause_part){.side = side, .at = at};
	t->all[i].time += time;
	if (time > t->all[i].most) {
		t->all[i].most = time;
		t->all[i].at = at;
	}
}

void syt_cause_spend_at(const struct syt_cause_search *s, struct syt_cause_tally *t,
                        struct syt_place at, syt_time time)
{
	t->total += time;
	if (time >= LEAST_LABELLED)
		add_part(t, syt_label_side(s->labels, at), time, at);
}

void syt_cause_spend(const struct syt_cause_search *s, struct syt_cause_tally *t, uint32_t thread,
                     uint32_t from, uint32_t to)
{
	const struct syt_thread *of = s->order->places.threads[thread];
	syt_time begin = syt_thread_row(of, from)->out, end = syt_thread_row(of, to)->in;

	if (begin < end)
		t->total += end - begin;
	for (uint32_t i = from + 1; i < to; i++) {
		const struct syt_row *r = syt_thread_row(of, i);

		if (r->out > r->in && r->out - r->in >= LEAST_LABELLED)
			add_part(t, syt_label_side(s->labels, (struct syt_place){thread, i}),
			         r->out - r->in, (struct syt_place){thread, i});
	}
}

const struct syt_cause_part *syt_cause_most(const struct syt_cause_tally *t)
{
	const struct syt_cause_part *most = NULL;

	for (unsigned i = 0; i < t->nr; i++)
		if (!most || t->all[i].time > most->time)
			most = &t->all[i];
	return most;
}

void syt_cause_set_inside(struct syt_cause *cause, const struct syt_cause_tally *t)
{
	const struct syt_cause_part *most = syt_cause_most(t);

	cause->inside = SYT_NONE;
	cause->in = (struct syt_place){SYT_NONE, 0};
	if (!most || most->time < t->total / 2)
		return;
	cause->inside = most->side;
	cause->in = most->at;
	cause->inside_thousandths = (unsigned)(most->time / (t->total / 1000 + 1));
}

syt_time syt_cause_life(const struct syt_order *o, uint32_t thread)
{
	const struct syt_thread *t = o->places.threads[thread];

	return t->nr_rows ? syt_thread_row(t, t->nr_rows - 1)->out - syt_thread_row(t, 0)->in : 0;
}

uint32_t syt_cause_object(const struct syt_order *o, struct syt_place at)
{
	return syt_object_of(&o->objects, syt_place_image_idx(&o->places, at),
	                     syt_place_row(&o->places, at)->object);
}

bool syt_cause_is_lock_call(const struct syt_order *o, struct syt_place at)
{
	uint8_t shape = syt_place_call(&o->places, at)->shape;

	return shape == SYT_SHAPE_LOCK || shape == SYT_SHAPE_RDLOCK ||
	       shape == SYT_SHAPE_COND_WAIT || shape == SYT_SHAPE_SEM_WAIT ||
	       shape == SYT_SHAPE_JOIN || shape == SYT_SHAPE_BARRIER_WAIT;
}
