/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds waits that run to their timeout although work is there, or because a message was lost; and files that a
 * thread writes to the disk after each record. */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "decoder/analysis/cause.h"

#define NS(ns_) ((syt_time)(ns_) << SYT_TIME_SHIFT)
#define LEAST_LATE 5u
#define LEAST_FLUSHES 20u
#define MOST_RECORD 65536u   /* bytes; a larger write is a batch already */
#define MOST_GAP NS(1000000) /* a thread with a longer gap made the next record in between */

/* The occurrences at one call path. */
struct group {
	uint64_t nr, of, bytes;
	syt_time cost, of_wall;
	uint32_t object, thread, nr_threads; /* object and thread: SYT_NONE: several */
	uint32_t last_thread;
	struct syt_place at, by;
};

struct groups {
	const struct syt_cause_search *s;
	size_t nr, room;
	struct group *all; /* [call path] */
};

static struct group *group_of(struct groups *w, struct syt_place at, uint32_t object)
{
	uint32_t side = syt_label_side(w->s->labels, at);
	struct group *x;

	if (side >= w->nr) {
		syt_grow(&w->all, &w->room, side + (size_t)1, sizeof(*w->all));
		memset(w->all + w->nr, 0, (side + (size_t)1 - w->nr) * sizeof(*w->all));
		w->nr = side + (size_t)1;
	}
	x = &w->all[side];
	if (!x->nr) {
		x->object = object;
		x->thread = at.thread;
		x->by = (struct syt_place){SYT_NONE, 0};
	}
	x->object = x->object == object ? object : SYT_NONE;
	x->thread = x->thread == at.thread ? at.thread : SYT_NONE;
	x->nr++;
	x->at = at;
	return x;
}

/* Counts THREAD as one that lost time in X, if X did not lose time of THREAD just before. */
static void add_loser(const struct groups *w, struct group *x, uint32_t thread)
{
	if (x->nr_threads && x->last_thread == thread)
		return;
	x->nr_threads++;
	x->last_thread = thread;
	x->of_wall += syt_cause_life(w->s->order, thread);
}

static void add_groups(struct groups *w, enum syt_cause_kind kind, uint64_t least)
{
	for (size_t side = 0; side < w->nr; side++) {
		const struct group *x = &w->all[side];
		struct syt_cause c = {.kind = (uint8_t)kind,
		                      .object = x->object,
		                      .waiter = (uint32_t)side,
		                      .origin = SYT_NONE,
		                      .inside = SYT_NONE,
		                      .thread = x->thread,
		                      .nr_threads = x->nr_threads,
		                      .nr = x->nr,
		                      .of = x->of,
		                      .cost = x->cost,
		                      .of_wall = x->of_wall,
		                      .at = x->at,
		                      .by = x->by};

		if (x->nr < least || !syt_cause_is_large(w->s->causes, x->cost, x->of_wall))
			continue;
		c.mean = x->cost / x->nr;
		c.limit = x->bytes / x->nr;
		if (x->by.thread != SYT_NONE)
			c.origin = syt_label_side(w->s->labels, x->by);
		if (kind == SYT_CAUSE_FLUSHES) {
			c.inside = c.waiter;
			c.in = c.at;
		}
		syt_causes_add(w->s->causes, c);
	}
	free(w->all);
}

/* ---- datagrams that are sent again after a timeout ---- */

/* Stores the numbers of datagrams that the socket OBJECT sent and received. */
static void count_datagrams(const struct syt_order *o, uint32_t object, uint64_t *nr_sent,
                            uint64_t *nr_received)
{
	struct syt_history h = syt_history_of(&o->histories, object);

	*nr_sent = *nr_received = 0;
	SYT_EACH(i, 0, h.nr) {
		*nr_sent += syt_touch_sends(&h.touches[i]) && h.touches[i].has_succeeded;
		*nr_received += syt_touch_receives(&h.touches[i]) && h.touches[i].has_succeeded;
	}
}

/* Finds the sends of THREAD that follow a wait for an answer to an earlier send, if this wait timed out. */
static void see_sends(struct groups *w, uint32_t thread)
{
	const struct syt_order *o = w->s->order;
	const struct syt_thread *t = o->places.threads[thread];
	uint32_t sent = SYT_NONE, timed_out = SYT_NONE;

	SYT_EACH(row, 0, (uint32_t)t->nr_rows) {
		const struct syt_row *r = syt_thread_row(t, row);
		const struct syt_call_info *c = syt_row_call(t->image, r);
		struct syt_place at = {thread, row};
		uint32_t object;

		if ((c->shape == SYT_SHAPE_RECV || c->shape == SYT_SHAPE_READY) &&
		    syt_cause_has_timed_out(c, r))
			timed_out = row;
		else if (c->shape == SYT_SHAPE_RECV && r->result > 0)
			timed_out = SYT_NONE;
		if (c->shape != SYT_SHAPE_SEND || r->result <= 0)
			continue;
		object = syt_cause_object(o, at);
		if (object == SYT_NONE ||
		    syt_object_kind(&o->objects, object) != SYT_KIND_DGRAM) {
			timed_out = SYT_NONE;
			continue;
		}
		if (timed_out != SYT_NONE && sent == object) {
			const struct syt_row *wait = syt_thread_row(t, timed_out);
			struct group *x = group_of(w, (struct syt_place){thread, timed_out}, object);

			add_loser(w, x, thread);
			x->cost += wait->out - wait->in;
			x->by = at;
		}
		sent = object;
		timed_out = SYT_NONE;
	}
}

/* Finds datagrams that are sent again. The socket receives answers, so the thread expects one. At least as many
 * answers as repetitions are missing. */
static void find_sent_again(const struct syt_cause_search *s)
{
	struct groups w = {.s = s};

	for (uint32_t thread = 0; thread < s->order->places.nr_threads; thread++)
		see_sends(&w, thread);
	for (size_t side = 0; side < w.nr; side++) {
		struct group *x = &w.all[side];
		uint64_t nr_sent, nr_received;
		uint32_t object;

		if (!x->nr)
			continue;
		object = syt_cause_object(s->order, x->by);
		count_datagrams(s->order, object, &nr_sent, &nr_received);
		x->of = nr_sent;
		x->bytes = nr_received * x->nr; /* the mean is the number of answers */
		if (nr_received < LEAST_LATE || nr_received * 10 < nr_sent ||
		    (x->object != SYT_NONE && nr_sent < nr_received + x->nr))
			x->nr = 0;
	}
	add_groups(&w, SYT_CAUSE_SENT_AGAIN, LEAST_LATE);
}

/* ---- work that waits for a timer ---- */

/* A thread got a signal for its condition variable at FROM, waited again, and timed out at TO. It then gave results in
 * the rows ROW to UNTIL - 1. */
struct delay {
	uint32_t thread, row, until;
	syt_time from, to;
	struct syt_place wait, signalled;
	bool is_counted;
};

struct delays {
	size_t nr, room;
	struct delay *all; /* by thread and row */
};

/* Finds the delays of THREAD: waits for one condition variable that follow each other without another call. */
static void see_delays(const struct syt_cause_search *s, struct delays *d, uint32_t thread)
{
	const struct syt_thread *t = s->order->places.threads[thread];
	uint32_t object = SYT_NONE, signalled = SYT_NONE;
	bool is_open = false; /* the last delay of D is this thread's, and still without an end */

	SYT_EACH(row, 0, (uint32_t)t->nr_rows) {
		const struct syt_row *r = syt_thread_row(t, row);
		const struct syt_call_info *c = syt_row_call(t->image, r);

		if (c->shape != SYT_SHAPE_COND_WAIT) {
			object = SYT_NONE;
			continue;
		}
		if (is_open)
			d->all[d->nr - 1].until = row;
		is_open = false;
		if (object != r->object)
			signalled = SYT_NONE;
		object = r->object;
		if (!syt_cause_has_timed_out(c, r)) {
			if (signalled == SYT_NONE && r->result == 0)
				signalled = row;
			continue;
		}
		if (signalled != SYT_NONE) {
			*SYT_ADD(d->all, d->nr, d->room) =
				(struct delay){.thread = thread,
			                       .row = row + 1,
			                       .until = (uint32_t)t->nr_rows,
			                       .from = syt_thread_row(t, signalled)->out,
			                       .to = r->out,
			                       .wait = {thread, row},
			                       .signalled = {thread, signalled}};
			is_open = true;
		}
		object = SYT_NONE;
	}
}

/* Returns the delay before the event AT, or NULL. */
static struct delay *delay_before(const struct delays *d, struct syt_place at)
{
	size_t i = SYT_BISECT(n, 0, d->nr,
	                      d->all[n].thread < at.thread ||
	                              (d->all[n].thread == at.thread && d->all[n].row <= at.row));

	if (!i || d->all[i - 1].thread != at.thread || at.row >= d->all[i - 1].until)
		return NULL;
	return &d->all[i - 1];
}

/* Finds work that waits for a timer: another thread waited for the result all the time. */
static void find_delays(const struct syt_cause_search *s)
{
	const struct syt_order *o = s->order;
	struct groups w = {.s = s};
	struct delays d = {0};
	bool *has_lost = syt_calloc(o->places.nr_threads, sizeof(*has_lost));

	for (uint32_t thread = 0; thread < o->places.nr_threads; thread++)
		see_delays(s, &d, thread);
	SYT_EACH(i, 0, d.nr ? o->edges.nr : 0) {
		const struct syt_edge *e = &o->edges.all[i];
		struct delay *x;
		const struct syt_row *r;
		struct group *g;
		syt_time begin;

		if (e->from.thread == SYT_NONE || e->to.thread == SYT_NONE ||
		    e->from.thread == e->to.thread || e->class != SYT_CLASS_CAUSAL ||
		    !(x = delay_before(&d, e->from)))
			continue;
		r = syt_place_row(&o->places, e->to);
		begin = r->in > x->from ? r->in : x->from;
		if (r->out < x->to || begin >= x->to)
			continue;
		g = group_of(&w, x->wait, syt_cause_object(o, x->wait));
		g->nr -= x->is_counted;
		x->is_counted = true;
		g->cost += x->to - begin;
		g->by = e->to;
		if (!has_lost[e->to.thread]) {
			has_lost[e->to.thread] = true;
			add_loser(&w, g, e->to.thread);
		}
	}
	add_groups(&w, SYT_CAUSE_TIMER_WAIT, LEAST_LATE);
	free(has_lost);
	free(d.all);
}

void syt_cause_find_deadlines(const struct syt_cause_search *s)
{
	find_sent_again(s);
	find_delays(s);
}

/* ---- flushes ---- */

bool syt_cause_is_flush(const struct syt_call_info *c)
{
	return !strcmp(c->name, "fsync") || !strcmp(c->name, "fdatasync");
}

/* Finds the flushes of THREAD that follow another flush of the same file, with writes of one record in between and
 * without any other call: the record was there already at the flush before. */
static void see_flushes(struct groups *w, uint32_t thread)
{
	const struct syt_order *o = w->s->order;
	const struct syt_thread *t = o->places.threads[thread];
	uint32_t last = SYT_NONE;
	uint64_t bytes = 0;

	SYT_EACH(row, 0, (uint32_t)t->nr_rows) {
		const struct syt_row *r = syt_thread_row(t, row), *before;
		const struct syt_call_info *c = syt_row_call(t->image, r);
		struct syt_place at = {thread, row};

		if (last != SYT_NONE && syt_thread_row(t, last)->object != r->object)
			last = SYT_NONE;
		if (!syt_cause_is_flush(c)) {
			bytes += r->result > 0 ? (uint64_t)r->result : 0;
			continue;
		}
		before = last == SYT_NONE ? NULL : syt_thread_row(t, last);
		last = r->result ? SYT_NONE : row;
		if (before && bytes && bytes <= MOST_RECORD && before->stack == r->stack &&
		    r->in - before->out <= MOST_GAP) {
			struct group *x = group_of(w, at, syt_cause_object(o, at));

			add_loser(w, x, thread);
			x->bytes += bytes;
			x->cost += r->out - r->in;
		}
		bytes = 0;
	}
}

void syt_cause_find_flushes(const struct syt_cause_search *s)
{
	struct groups w = {.s = s};

	for (uint32_t thread = 0; thread < s->order->places.nr_threads; thread++)
		see_flushes(&w, thread);
	add_groups(&w, SYT_CAUSE_FLUSHES, LEAST_FLUSHES);
}
