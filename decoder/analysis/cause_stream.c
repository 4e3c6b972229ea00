/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds connections that wait until a busy thread accepts them, transfers of few bytes, and small sends that wait for
 * an acknowledgement. */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/analysis/cause.h"
#include "format/address.h"

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
	if (c.inside != SYT_NONE && syt_cause_is_lock_call(s->order, c.in))
		return;
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

/* ---- small sends that wait for an acknowledgement ---- */

#define LEAST_DELAYED 5u
#define LEAST_DELAY NS(35000000) /* Linux delays an acknowledgement by 40 ms or a little more */
#define MOST_DELAY NS(60000000)
#define LEAST_LATE NS(10000000) /* a shorter delay is no sign of another cause */
#define MOST_START                                                                                 \
	NS(5000000) /* by then the peer has received the first send, and waits for the second */
#define MOST_SMALL 32768u /* bytes; less than a segment of the loopback interface */

/* The small sends at one call path that follow another send. */
struct delayed {
	uint64_t nr, nr_late, of; /* delayed by an acknowledgement; late for any reason; all */
	uint64_t bytes;           /* of delayed sends */
	syt_time cost;
	uint32_t object, thread; /* SYT_NONE: several */
	struct syt_place at, by, in;
};

struct delayed_search {
	const struct syt_cause_search *s;
	size_t nr, room;
	struct delayed *all; /* [call path of the second send] */
};

static struct delayed *delayed_of(struct delayed_search *w, struct syt_place at, uint32_t object)
{
	uint32_t side = syt_label_side(w->s->labels, at);
	struct delayed *x;

	if (side >= w->nr) {
		syt_grow(&w->all, &w->room, side + (size_t)1, sizeof(*w->all));
		memset(w->all + w->nr, 0, (side + (size_t)1 - w->nr) * sizeof(*w->all));
		w->nr = side + (size_t)1;
	}
	x = &w->all[side];
	if (!x->of) {
		x->object = object;
		x->thread = at.thread;
	}
	x->object = x->object == object ? object : SYT_NONE;
	x->thread = x->thread == at.thread ? at.thread : SYT_NONE;
	return x;
}

static bool is_tcp(const struct syt_order *o, uint32_t object)
{
	const struct syt_endpoint_info *e = o->objects.all[object].info->endpoint;

	return e && (e->domain == SYT_AF_INET || e->domain == SYT_AF_INET6);
}

/* Returns the offset in the stream of the byte after the transfer T, or 0 if it is unknown. */
static uint64_t bytes_until(const struct syt_order *o, const struct syt_touch *t)
{
	const struct syt_extra *x;

	if (t->role != SYT_ROLE_SELF || !t->has_succeeded ||
	    (t->shape != SYT_SHAPE_SEND && t->shape != SYT_SHAPE_RECV))
		return 0;
	x = syt_place_extra(&o->places, t->place);
	return x->flags & SYT_EVENT_NOOFFSET || !x->bytes ? 0 : x->offset + x->bytes;
}

/* Returns the call in which the thread of the receive AT waited for its data: the receive, or the readiness call just
 * before it that reported the same socket. */
static struct syt_place wait_before(const struct syt_order *o, struct syt_place at)
{
	const struct syt_thread *t = o->places.threads[at.thread];
	const struct syt_row *r = syt_thread_row(t, at.row), *ready;
	const struct syt_extra *x;

	if (!at.row || r->out - r->in >= LEAST_LATE)
		return at;
	ready = syt_thread_row(t, at.row - 1);
	x = syt_thread_extra(t, ready);
	if (syt_row_call(t->image, ready)->shape != SYT_SHAPE_READY || ready->result <= 0 ||
	    r->in - ready->out > MOST_START)
		return at;
	for (uint32_t i = 0; i < x->nr_ready; i++)
		if (t->ready[x->ready + i].object == r->object)
			return (struct syt_place){at.thread, at.row - 1};
	return at;
}

/* Examines the send SECOND, which follows the send FIRST on OBJECT. GOT is the peer's receive of its first byte, and
 * BEFORE the receive before that, or NULL. *LAST is the end of the last delay on this connection. */
static void see_pair(struct delayed_search *w, uint32_t object, const struct syt_touch *first,
                     const struct syt_touch *second, const struct syt_touch *got,
                     const struct syt_touch *before, syt_time *last)
{
	const struct syt_order *o = w->s->order;
	struct delayed *x = delayed_of(w, second->place, object);
	struct syt_place wait = wait_before(o, got->place);
	const struct syt_row *waited = syt_place_row(&o->places, wait);
	syt_time from = syt_place_row(&o->places, second->place)->out, delay;

	x->of++;
	from = from > *last ? from : *last;
	delay = waited->out > from ? waited->out - from : 0;
	/* the peer waits for the second send, and received the first at once: neither it nor its CPU was busy */
	if (delay < LEAST_LATE || waited->in > from + MOST_START)
		return;
	x->nr_late++;
	if (delay < LEAST_DELAY || delay > MOST_DELAY ||
	    (before && bytes_until(o, before) >= bytes_until(o, first) &&
	     syt_place_row(&o->places, before->place)->out > from + MOST_START))
		return;
	x->nr++;
	x->bytes += syt_place_extra(&o->places, second->place)->bytes;
	x->cost += delay;
	x->at = second->place;
	x->by = first->place;
	x->in = wait;
	*last = waited->out;
}

/* Examines the sends on OBJECT. A send follows another one if the sender received nothing in between. */
static void see_sends(struct delayed_search *w, uint32_t object)
{
	const struct syt_order *o = w->s->order;
	struct syt_history h = syt_history_of(&o->histories, object),
			   peer = syt_history_of(&o->histories, o->objects.all[object].peer);
	const struct syt_touch *first = NULL, *before = NULL;
	syt_time last = 0;
	uint64_t next = 0;

	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];
		uint64_t until = bytes_until(o, t), bytes;

		if (syt_touch_receives(t) && t->has_succeeded)
			first = NULL;
		if (!syt_touch_sends(t) || !t->has_succeeded)
			continue;
		bytes = syt_place_extra(&o->places, t->place)->bytes;
		if (!until || bytes > MOST_SMALL) {
			first = NULL;
			continue;
		}
		for (; next < peer.nr; next++) {
			const struct syt_touch *got = &peer.touches[next];

			if (got->shape != SYT_SHAPE_RECV || !bytes_until(o, got))
				continue;
			if (bytes_until(o, got) > until - bytes)
				break;
			before = got;
		}
		if (first && next < peer.nr)
			see_pair(w, object, first, t, &peer.touches[next], before, &last);
		first = t;
	}
}

static void add_delayed(const struct syt_cause_search *s, uint32_t side, const struct delayed *x)
{
	struct syt_cause c = {.kind = SYT_CAUSE_DELAYED_ACK,
	                      .object = x->object,
	                      .waiter = side,
	                      .thread = x->thread,
	                      .nr_threads = 1,
	                      .nr = x->nr,
	                      .of = x->of,
	                      .cost = x->cost,
	                      .at = x->at,
	                      .by = x->by,
	                      .in = x->in};

	/* if other long delays are as frequent, the peer may have another reason */
	if (x->nr < LEAST_DELAYED || x->nr * 2 < x->nr_late)
		return;
	c.of_wall = syt_cause_life(s->order, x->at.thread);
	if (!syt_cause_is_large(s->causes, c.cost, c.of_wall))
		return;
	c.limit = x->bytes / x->nr;
	c.mean = x->cost / x->nr;
	c.origin = syt_label_side(s->labels, x->by);
	c.inside = syt_label_side(s->labels, x->in);
	syt_causes_add(s->causes, c);
}

void syt_cause_find_delayed_acks(const struct syt_cause_search *s)
{
	const struct syt_order *o = s->order;
	struct delayed_search w = {.s = s};

	SYT_EACH(i, 0, o->objects.nr)
		if (syt_object_kind(&o->objects, i) == SYT_KIND_STREAM && is_tcp(o, i) &&
		    o->objects.all[i].peer != SYT_NONE)
			see_sends(&w, i);
	SYT_EACH(side, 0, w.nr)
		if (w.all[side].nr)
			add_delayed(s, (uint32_t)side, &w.all[side]);
	free(w.all);
}
