/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds connections that wait until a busy thread accepts them, and transfers of few bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/analysis/cause.h"

#define NS(ns_) ((syt_time)(ns_) << SYT_TIME_SHIFT)

/* ---- connections that wait to be accepted ---- */

#define LEAST_QUEUED                                                                               \
	5u /* least number of connections, and of times at which the accepting thread was busy */

/* A connection that was accepted. */
struct arrival {
	uint32_t listener;
	struct syt_place from, to; /* the connect and the accept */
};

static int by_listener(const void *a_, const void *b_)
{
	const struct arrival *a = a_, *b = b_;

	SYT_ORDER_BY(listener);
	return syt_place_compare(a->to, b->to);
}

static bool takes_connections(const struct syt_thread *t, uint32_t row)
{
	uint8_t shape = syt_row_call(t->image, syt_thread_row(t, row))->shape;

	return shape == SYT_SHAPE_ACCEPT || shape == SYT_SHAPE_READY;
}

/* Returns the first row of the accept and readiness calls up to the accept ROW without another call in between. LAST is
 * the accept before it, which has the first row LAST_RUN. */
static uint32_t first_of_run(const struct syt_thread *t, uint32_t row, uint32_t last,
                             uint32_t last_run)
{
	for (; row && takes_connections(t, row - 1); row--)
		if (row - 1 == last)
			return last_run;
	return row;
}

/* Adds the cause of the NR connections to one listening socket, if they waited. */
static void see_listener(const struct syt_cause_search *s, const struct arrival *all, size_t nr)
{
	const struct syt_places *p = &s->order->places;
	struct syt_cause c = {.kind = SYT_CAUSE_ACCEPT_QUEUE,
	                      .object = all[0].listener,
	                      .origin = SYT_NONE,
	                      .thread = SYT_NONE,
	                      .of = nr,
	                      .by = {SYT_NONE, 0}};
	struct syt_cause_tally spent = {0};
	/* [thread]: the end of its last wait. A thread with several connections loses the time of their waits once. */
	syt_time *waited_until = syt_calloc(p->nr_threads, sizeof(*waited_until));
	uint32_t last = SYT_NONE, last_run = SYT_NONE, lost_run = SYT_NONE, nr_runs = 0;
	syt_time longest = 0, busy = 0, waited = 0, in_calls = 0;

	for (size_t i = 0; i < nr; i++) {
		uint32_t thread = all[i].to.thread, client = all[i].from.thread, run, before;
		const struct syt_thread *t = p->threads[thread];
		syt_time from = syt_place_row(p, all[i].from)->in, begin;

		if (!i || all[i - 1].to.thread != thread) {
			c.limit++;
			last = last_run = lost_run = SYT_NONE;
		}
		run = first_of_run(t, all[i].to.row, last, last_run);
		last = all[i].to.row;
		last_run = run;
		begin = syt_thread_row(t, run)->in;
		if (!run || begin <= from)
			continue;
		c.nr++;
		waited += begin - from;
		if (begin - from > longest) {
			longest = begin - from;
			c.at = all[i].to;
			c.by = all[i].from;
			c.thread = thread;
		}
		if (!waited_until[client]) {
			c.nr_threads++;
			c.of_wall += syt_cause_life(s->order, client);
		}
		if (from < waited_until[client])
			from = waited_until[client];
		if (from < begin) {
			c.cost += begin - from;
			waited_until[client] = begin;
		}
		if (run == lost_run)
			continue;
		lost_run = run;
		nr_runs++;
		for (before = run; before && !takes_connections(t, before - 1); before--)
			;
		syt_cause_spend(s, &spent, thread, before ? before - 1 : 0, run);
		busy += begin - syt_thread_row(t, before ? before - 1 : 0)->out;
	}
	free(waited_until);
	/* If fewer connections wait than are being served, on average, the threads suffice. The connections of one
	 * client follow each other, so they wait for the end of its own connection before. */
	if (c.nr < LEAST_QUEUED || c.nr_threads < 2 || nr_runs < LEAST_QUEUED || c.nr * 4 < c.of ||
	    waited < busy ||
	    !syt_cause_is_large(s->causes, c.cost, c.of_wall))
		return;
	c.mean = waited / c.nr;
	c.waiter = syt_label_side(s->labels, c.at);
	syt_cause_set_inside(&c, &spent);
	/* an event loop that runs and makes many short calls serves its clients as fast as it can */
	for (unsigned i = 0; i < spent.nr; i++)
		in_calls += spent.all[i].time;
	if (in_calls >= spent.total / 2)
		syt_causes_add(s->causes, c);
}

void syt_cause_find_backlogs(const struct syt_cause_search *s)
{
	const struct syt_edges *edges = &s->order->edges;
	const struct syt_places *p = &s->order->places;
	struct arrival *all = NULL;
	size_t nr = 0, room = 0;

	SYT_EACH(i, 0, edges->nr) {
		const struct syt_edge *e = &edges->all[i];
		uint32_t listener;

		if (e->kind != SYT_EDGE_CONNECT || e->from.thread == SYT_NONE ||
		    e->to.thread == SYT_NONE || e->from.thread == e->to.thread ||
		    syt_place_call(p, e->to)->shape != SYT_SHAPE_ACCEPT)
			continue;
		listener = syt_object_of(&s->order->objects, syt_place_image_idx(p, e->to),
		                         syt_place_extra(p, e->to)->object2);
		if (listener == SYT_NONE)
			continue;
		syt_grow(&all, &room, nr + 1, sizeof(*all));
		all[nr++] = (struct arrival){listener, e->from, e->to};
	}
	if (nr)
		qsort(all, nr, sizeof(*all), by_listener);
	for (size_t i = 0, next; i < nr; i = next) {
		for (next = i + 1; next < nr && all[next].listener == all[i].listener; next++)
			;
		see_listener(s, &all[i], next - i);
	}
	free(all);
}

/* ---- transfers of few bytes ---- */

#define MOST_TINY 16u          /* bytes */
#define LEAST_TINY 1000u       /* number of tiny transfers */
#define LONGEST_TINY NS(20000) /* a longer call may have waited */
#define LONGEST_GAP NS(50000)  /* between two transfers of one sequence */
#define MOST_LATE 1000u        /* number of call paths and connections that are searched */
#define ASSUMED NS(1000)       /* time of a call with an unknown time */
#define TINY_RATE 5000u        /* per second */

/* The transfers of one thread at one call path on one object. */
struct tiny {
	uint32_t side, object, thread;
	uint64_t nr, bytes; /* tiny transfers in sequence, without a wait */
	syt_time time;
	struct syt_place at;
};

struct tinies {
	const struct syt_cause_search *s;
	size_t nr, room;
	struct tiny *all; /* of the present thread */
};

/* Returns the transfers at the call path of AT. A thread with very many connections gets several counts for one of
 * them. */
static struct tiny *tiny_of(struct tinies *w, struct syt_place at, uint32_t object)
{
	uint32_t side = syt_label_side(w->s->labels, at);

	for (size_t i = w->nr; i-- && w->nr - i <= MOST_LATE;)
		if (w->all[i].side == side && w->all[i].object == object)
			return &w->all[i];
	syt_grow(&w->all, &w->room, w->nr + 1, sizeof(*w->all));
	w->all[w->nr] =
		(struct tiny){.side = side, .object = object, .thread = at.thread, .at = at};
	return &w->all[w->nr++];
}

static bool is_stream(const struct syt_order *o, uint32_t object)
{
	enum syt_kind kind =
		object == SYT_NONE ? SYT_KIND_OTHER : syt_object_kind(&o->objects, object);

	return kind == SYT_KIND_STREAM || kind == SYT_KIND_PIPE;
}

static bool is_tiny(const struct syt_row *r)
{
	return r->result > 0 && r->result <= MOST_TINY && r->out - r->in <= LONGEST_TINY;
}

/* Returns the time of the call R, which may not have been recorded: at most the time since the call before it. */
static syt_time time_of(const struct syt_row *r, syt_time last)
{
	syt_time time = r->out > last ? r->out - last : 0;

	if (time > ASSUMED)
		time = ASSUMED;
	return r->out - r->in > time ? r->out - r->in : time;
}

/* Finds the tiny transfers of THREAD. A transfer is in a sequence if the transfer before it has the same object and
 * direction, and the thread made no other call in between. */
static void see_thread(struct tinies *w, uint32_t thread)
{
	const struct syt_thread *t = w->s->order->places.threads[thread];
	const struct syt_row *last = NULL;

	w->nr = 0;
	SYT_EACH(row, 0, (uint32_t)t->nr_rows) {
		const struct syt_row *r = syt_thread_row(t, row);
		uint8_t shape = syt_row_call(t->image, r)->shape;

		if ((shape != SYT_SHAPE_SEND && shape != SYT_SHAPE_RECV) || !is_tiny(r)) {
			last = NULL;
			continue;
		}
		if (last && last->object == r->object && last->call == r->call &&
		    r->in <= last->out + LONGEST_GAP) {
			struct syt_place at = {thread, row};
			uint32_t object = syt_cause_object(w->s->order, at);
			struct tiny *x;

			if (is_stream(w->s->order, object)) {
				x = tiny_of(w, at, object);
				x->nr++;
				x->bytes += (uint64_t)r->result;
				x->time += time_of(r, last->out);
			}
		}
		last = r;
	}
}

/* Returns the number of the transfers at X's object in the direction of X, and their bytes. */
static uint64_t transfers_of(const struct syt_order *o, const struct tiny *x, uint64_t *bytes)
{
	struct syt_history h = syt_history_of(&o->histories, x->object);
	uint8_t shape = syt_place_call(&o->places, x->at)->shape;
	uint64_t nr = 0;

	*bytes = 0;
	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];
		const struct syt_row *r;

		if (t->role != SYT_ROLE_SELF || t->shape != shape)
			continue;
		r = syt_place_row(&o->places, t->place);
		if (r->result <= 0)
			continue;
		nr++;
		*bytes += (uint64_t)r->result;
	}
	return nr;
}

static void add_tiny(const struct syt_cause_search *s, const struct tiny *x)
{
	struct syt_cause c = {.kind = SYT_CAUSE_TINY_TRANSFERS,
	                      .object = x->object,
	                      .waiter = x->side,
	                      .origin = SYT_NONE,
	                      .inside = SYT_NONE,
	                      .thread = x->thread,
	                      .nr_threads = 1,
	                      .nr = x->nr,
	                      .cost = x->time,
	                      .of_wall = syt_cause_life(s->order, x->thread),
	                      .at = x->at,
	                      .by = {SYT_NONE, 0}};
	uint64_t bytes;

	if (x->nr < LEAST_TINY)
		return;
	if ((c.cost < c.of_wall / 50 || c.cost < s->causes->observed / 200) &&
	    !syt_cause_is_frequent(s->causes, x->nr, TINY_RATE))
		return;
	c.of = transfers_of(s->order, x, &bytes);
	if (x->bytes * 2 < bytes)
		return;
	c.mean = x->time / x->nr;
	c.limit = (x->bytes + x->nr / 2) / x->nr;
	syt_causes_add(s->causes, c);
}

void syt_cause_find_tiny_transfers(const struct syt_cause_search *s)
{
	struct tinies w = {.s = s};

	for (uint32_t thread = 0; thread < s->order->places.nr_threads; thread++) {
		see_thread(&w, thread);
		for (size_t i = 0; i < w.nr; i++)
			add_tiny(s, &w.all[i]);
	}
	free(w.all);
}
