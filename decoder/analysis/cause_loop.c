/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds event loops in which one slow handler delays the messages of other connections. */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "decoder/analysis/cause.h"

#define NS(ns_) ((syt_time)(ns_) << SYT_TIME_SHIFT)
#define LONG_CALL NS(1000000) /* a shorter call delays other connections little */
#define LEAST_LATE 5u   /* least number of late messages, of long calls, and of readiness calls */
#define MOST_BETWEEN 3u /* calls of a client between its request and its wait for the answer */

/* A message to a thread with readiness calls. */
struct message {
	struct syt_place from, to; /* send, and receive */
};

struct loop {
	const struct syt_cause_search *s;
	uint32_t thread, nr_ready;
	size_t nr, room;
	uint32_t *long_calls; /* rows of the thread's long calls that are no readiness calls */
	/* [thread]: the end of its last wait for this loop: a client loses the time of several messages once */
	syt_time *waited_until;
};

/* Finds the long calls and counts the readiness calls of the thread. Returns true if it may be a loop with slow handlers. */
static bool has_long_calls(struct loop *l)
{
	const struct syt_thread *t = l->s->order->places.threads[l->thread];

	l->nr = 0;
	l->nr_ready = 0;
	SYT_EACH(row, 0, (uint32_t)t->nr_rows) {
		const struct syt_row *r = syt_thread_row(t, row);
		uint8_t shape = syt_row_call(t->image, r)->shape;

		if (shape == SYT_SHAPE_READY) {
			l->nr_ready++;
		} else if (r->out > r->in && r->out - r->in >= LONG_CALL) {
			syt_grow(&l->long_calls, &l->room, l->nr + 1, sizeof(*l->long_calls));
			l->long_calls[l->nr++] = row;
		}
	}
	return l->nr >= LEAST_LATE && l->nr_ready >= LEAST_LATE;
}

/* Returns true if the sender of M waits for the answer while M waits for the loop. */
static bool is_awaited(const struct syt_places *p, const struct message *m)
{
	const struct syt_thread *t = p->threads[m->from.thread];
	syt_time taken = syt_place_row(p, m->to)->in;

	for (uint32_t i = m->from.row + 1; i < t->nr_rows && i <= m->from.row + MOST_BETWEEN; i++) {
		const struct syt_row *r = syt_thread_row(t, i);
		uint8_t shape = syt_row_call(t->image, r)->shape;

		if (r->out >= taken)
			return (shape == SYT_SHAPE_RECV || shape == SYT_SHAPE_READY) &&
			       r->in < taken;
	}
	return false;
}

/* Adds the time for which the message M waited while the loop was in long calls for other connections. */
static syt_time see_message(struct loop *l, const struct message *m, struct syt_cause *c,
                            struct syt_cause_tally *spent)
{
	const struct syt_order *o = l->s->order;
	const struct syt_thread *t = o->places.threads[l->thread];
	syt_time sent = syt_place_row(&o->places, m->from)->out, late = 0;
	uint32_t own = syt_place_row(&o->places, m->to)->object;
	size_t i = SYT_BISECT(n, 0, l->nr, syt_thread_row(t, l->long_calls[n])->out <= sent);

	for (; i < l->nr && l->long_calls[i] < m->to.row; i++) {
		struct syt_place at = {l->thread, l->long_calls[i]};
		const struct syt_row *r = syt_thread_row(t, at.row);
		syt_time from = r->in > sent ? r->in : sent;

		if (r->object == own || r->out <= from)
			continue;
		late += r->out - from;
		syt_cause_spend_at(l->s, spent, at, r->out - from);
		if (c->by.thread == SYT_NONE || c->by.row != at.row) {
			c->limit++;
			c->by = at;
		}
	}
	return late;
}

static void see_loop(struct loop *l, const struct message *all, size_t nr)
{
	const struct syt_order *o = l->s->order;
	struct syt_cause c = {.kind = SYT_CAUSE_SLOW_HANDLER,
	                      .object = SYT_NONE,
	                      .origin = SYT_NONE,
	                      .thread = l->thread,
	                      .by = {SYT_NONE, 0}};
	struct syt_cause_tally spent = {0};
	syt_time waited = 0, longest = 0;

	memset(l->waited_until, 0, o->places.nr_threads * sizeof(*l->waited_until));
	for (size_t i = 0; i < nr; i++) {
		uint32_t client = all[i].from.thread;
		syt_time late, begin = syt_place_row(&o->places, all[i].from)->out,
			       end = syt_place_row(&o->places, all[i].to)->in;

		if (begin >= end || !is_awaited(&o->places, &all[i]))
			continue;
		c.of++;
		if (!l->waited_until[client]) {
			c.nr_threads++;
			c.of_wall += syt_cause_life(o, client);
			l->waited_until[client] = 1;
		}
		late = see_message(l, &all[i], &c, &spent);
		if (!late)
			continue;
		c.nr++;
		waited += late;
		if (late > longest) {
			longest = late;
			c.at = all[i].to;
		}
		begin = begin > l->waited_until[client] ? begin : l->waited_until[client];
		if (begin < end) {
			c.cost += late < end - begin ? late : end - begin;
			l->waited_until[client] = end;
		}
	}
	/* a thread that sends once may be a worker with its result, and not a client that waits for an answer */
	if (c.nr < LEAST_LATE || c.limit < LEAST_LATE || c.nr_threads < 2 ||
	    c.of < 2 * c.nr_threads || !syt_cause_is_large(l->s->causes, c.cost, c.of_wall))
		return;
	c.mean = waited / c.nr;
	c.waiter = syt_label_side(l->s->labels, c.at);
	syt_cause_set_inside(&c, &spent);
	if (c.inside != SYT_NONE && !syt_cause_is_lock_call(o, c.in))
		syt_causes_add(l->s->causes, c);
}

/* Returns true if the messages come over two connections or more. */
static bool are_several(const struct syt_places *p, const struct message *all, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (syt_place_row(p, all[i].to)->object != syt_place_row(p, all[0].to)->object)
			return true;
	return false;
}

/* Stores in ALL the messages that the loop L received, in the order of the receives. Returns their number. */
static size_t find_messages(const struct loop *l, struct message **all, size_t *room)
{
	const struct syt_blamer *b = l->s->blamer;
	const struct syt_places *p = &l->s->order->places;
	size_t nr = 0;

	SYT_EACH(i, l->thread ? b->ends[l->thread - 1] : 0, b->ends[l->thread]) {
		const struct syt_edge *e = &l->s->order->edges.all[b->edges[i]];

		if (e->kind != SYT_EDGE_STREAM || e->from.thread == SYT_NONE ||
		    e->from.thread == l->thread ||
		    syt_place_call(p, e->to)->shape != SYT_SHAPE_RECV)
			continue;
		syt_grow(all, room, nr + 1, sizeof(**all));
		(*all)[nr++] = (struct message){e->from, e->to};
	}
	return nr;
}

void syt_cause_find_slow_handlers(const struct syt_cause_search *s)
{
	const struct syt_places *p = &s->order->places;
	struct loop l = {.s = s,
	                 .waited_until = syt_calloc(p->nr_threads, sizeof(*l.waited_until))};
	struct message *all = NULL;
	size_t nr, room = 0;

	for (l.thread = 0; l.thread < p->nr_threads; l.thread++) {
		if (!has_long_calls(&l))
			continue;
		nr = find_messages(&l, &all, &room);
		if (nr >= LEAST_LATE && are_several(p, all, nr))
			see_loop(&l, all, nr);
	}
	free(all);
	free(l.long_calls);
	free(l.waited_until);
}
