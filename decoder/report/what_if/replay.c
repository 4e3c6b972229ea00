/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The replay handles the happens-before edges in the order of their ends. When it handles an edge, all edges into
 * earlier events of the two threads are done. The replay can therefore compute the times of both threads up to the
 * two events of the edge: the calls before them take only their own time. */
#include "decoder/report/what_if/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/analysis/critical_path.h"

#define MOST_READY 64u /* maximum number of objects of one readiness call (poll, epoll_wait) */
#define MOST_DEPTH 16u

struct replayer {
	struct syt_replay *r;
	const struct syt_edges *edges;
	const struct syt_replay_change *change;
	uint32_t *nr_done; /* [thread]: number of events whose begin and end are computed */
	bool *has_begun;   /* [thread]: the begin of the next event is computed */
	syt_time *rounds;  /* [barrier round]: replayed time at which the round ended */
	unsigned depth;    /* number of nested calls of woken_by_child() */
};

/* The recorded and the replayed time at which the event that ended a wait took effect. */
struct arrival {
	syt_time was, is;
};

static syt_time changed(const struct replayer *p, syt_time time, uint32_t thread, uint32_t begin,
                        uint32_t end)
{
	unsigned left;

	if (!p->change->left || !time)
		return time;
	left = p->change->left(p->change->context, thread, begin, end);
	return left == SYT_REPLAY_WHOLE ? time
	                                : (syt_time)((double)time * left / SYT_REPLAY_WHOLE + 0.5);
}

/* Sets the replayed begin of event ROW; all events before it have their times. The first event of a thread has its
 * begin from make_thread(), or keeps the recorded begin. */
static void begin_row(struct replayer *p, uint32_t thread, uint32_t row)
{
	const struct syt_row *rows = p->r->order->places.threads[thread]->rows;
	struct syt_replayed *times = p->r->times[thread];

	if (p->has_begun[thread])
		return;
	p->has_begun[thread] = true;
	if (!row) {
		times[row].in = rows[row].in;
		return;
	}
	if (rows[row].in >= rows[row - 1].out)
		times[row].in = times[row - 1].out +
		                changed(p, rows[row].in - rows[row - 1].out, thread, row - 1, row);
	else if (times[row - 1].out >
	         rows[row - 1].out -
	                 /* ROW is a call of a signal handler that began during the event before */
	                 rows[row].in)
		times[row].in = times[row - 1].out - (rows[row - 1].out - rows[row].in);
	else
		times[row].in = times[row - 1].in;
}

static bool is_of_removed(const struct replayer *p, struct syt_place at)
{
	const struct syt_order *o = p->r->order;
	uint8_t shape = syt_place_call(&o->places, at)->shape;
	uint32_t object;

	if (!p->change->is_removed ||
	    (shape != SYT_SHAPE_LOCK && shape != SYT_SHAPE_RDLOCK && shape != SYT_SHAPE_FILE_LOCK))
		return false;
	object = syt_object_of(&o->objects, syt_place_image_idx(&o->places, at),
	                       syt_place_row(&o->places, at)->object);
	return object != SYT_NONE && p->change->is_removed[object];
}

static syt_time difference(syt_time a, syt_time b)
{
	return a > b ? a - b : b - a;
}

/* Sets the replayed end of the thread's next event. A is the arrival of the event that ended it, or zeros. */
static void end_row(struct replayer *p, uint32_t thread, struct arrival a)
{
	struct syt_replay *r = p->r;
	uint32_t number = p->nr_done[thread]++;
	const struct syt_row *row = &r->order->places.threads[thread]->rows[number];
	struct syt_replayed *t = &r->times[thread][number];

	p->has_begun[thread] = false;
	if (a.was > row->in) {
		t->out = a.is > t->in ? a.is + (row->out - a.was) : t->in;
		r->nr_followed++;
	} else {
		syt_time own = is_of_removed(p, (struct syt_place){thread, number})
		                       ? 0
		                       : row->out - row->in;

		t->out = t->in + changed(p, own, thread, number, number);
		t->out = a.is > t->out ? a.is : t->out;
		r->nr_kept += own > 0;
		r->kept += own;
	}
	if (difference(t->in, row->in) > r->error)
		r->error = difference(t->in, row->in);
	if (difference(t->out, row->out) > r->error)
		r->error = difference(t->out, row->out);
	r->begin = t->in < r->begin ? t->in : r->begin;
	r->end = t->out > r->end ? t->out : r->end;
}

static syt_time source(struct replayer *p, const struct syt_edge *e);

/* Returns the arrival that ended the thread's next event, if this event is a sleep after which the thread collected
 * a child: most likely the child's end woke it. The function may call itself in a cycle if the trace is damaged. */
static struct arrival woken_by_child(struct replayer *p, uint32_t thread)
{
	struct syt_place at = {thread, p->nr_done[thread]};
	uint8_t shape = syt_place_call(&p->r->order->places, at)->shape;
	struct arrival a = {0, 0};
	struct syt_path_end end;

	if ((shape != SYT_SHAPE_PAUSE && shape != SYT_SHAPE_SIGNAL_RECV) || p->depth == MOST_DEPTH)
		return a;
	end = syt_path_ended_by(p->r->order, at);
	if (end.edge == SYT_NONE)
		return a;
	p->depth++;
	a = (struct arrival){end.at, source(p, &p->edges->all[end.edge])};
	p->depth--;
	return a;
}

/* Computes begin and end of all events of the thread before ROW. */
static void finish_rows(struct replayer *p, uint32_t thread, uint32_t row)
{
	while (p->nr_done[thread] < row) {
		uint32_t number = p->nr_done[thread];
		struct arrival a;

		syt_store_look();
		begin_row(p, thread, number);
		a = woken_by_child(p, thread);
		/* a cycle of calls may have computed this end already */
		if (p->nr_done[thread] == number)
			end_row(p, thread, a);
	}
}

/* Computes begin and end of all events of the thread before ROW, and the begin of ROW. */
static void begin_at(struct replayer *p, uint32_t thread, uint32_t row)
{
	finish_rows(p, thread, row);
	if (p->nr_done[thread] == row)
		begin_row(p, thread, row);
}

static syt_time source(struct replayer *p, const struct syt_edge *e)
{
	struct syt_place from = e->from;

	if (from.thread == SYT_NONE)
		return p->rounds[from.row];
	if (!syt_edge_is_at_end(e, true)) {
		begin_at(p, from.thread, from.row);
		return p->r->times[from.thread][from.row].in;
	}
	finish_rows(p, from.thread, from.row + 1);
	return p->r->times[from.thread][from.row].out;
}

/* Returns the arrival of the event that edge E brings. A timer expires as long after its arming, the source of E,
 * as recorded. */
static struct arrival arrival_of(struct replayer *p, const struct syt_edge *e)
{
	syt_time begin = syt_edge_begin(p->edges, e), is = source(p, e);
	syt_time until = syt_edge_end(p->edges, e);

	if (e->kind != SYT_EDGE_TIMER)
		return (struct arrival){begin, is};
	return (struct arrival){until, is + (until - begin)};
}

static bool counts(const struct syt_edge *e)
{
	return e->kind != SYT_EDGE_PROGRAM && e->class != SYT_CLASS_INFERRED;
}

/* Returns true if edge N of the NR edges into one event, sorted by begin, is not used. If an event has several
 * possible sources, only the last of them is used. */
static bool is_unused(const struct replayer *p, const uint64_t *group, size_t nr, size_t n)
{
	if (!(p->edges->all[group[n]].flags & SYT_EDGE_AMBIGUOUS))
		return false;
	while (++n < nr)
		if (p->edges->all[group[n]].flags & SYT_EDGE_AMBIGUOUS)
			return true;
	return false;
}

static void arrive_later(struct arrival *a, struct arrival b)
{
	a->was = b.was > a->was ? b.was : a->was;
	a->is = b.is > a->is ? b.is : a->is;
}

/* Returns the arrival that ended a readiness call: that of the first object of which all edges arrived. */
static struct arrival first_ready(struct replayer *p, const uint64_t *group, size_t nr)
{
	struct arrival of[MOST_READY], first = {0, 0};
	uint32_t objects[MOST_READY], nr_objects = 0, o;

	for (size_t n = nr; n--;) {
		const struct syt_edge *e = &p->edges->all[group[n]];

		if (!counts(e) || is_unused(p, group, nr, n))
			continue;
		for (o = 0; o < nr_objects && objects[o] != e->object; o++)
			;
		if (o == MOST_READY)
			continue;
		if (o == nr_objects) {
			of[nr_objects] = (struct arrival){0, 0};
			objects[nr_objects++] = e->object;
		}
		arrive_later(&of[o], arrival_of(p, e));
	}
	for (o = 0; o < nr_objects; o++) {
		first.was = !o || of[o].was < first.was ? of[o].was : first.was;
		first.is = !o || of[o].is < first.is ? of[o].is : first.is;
	}
	return first;
}

/* Returns the arrival that ended a call which needs all its happens-before edges: the last one. */
static struct arrival last_needed(struct replayer *p, const uint64_t *group, size_t nr,
                                  bool is_cond)
{
	struct arrival a = {0, 0};
	bool is_woken = !is_cond;

	for (size_t n = 0; n < nr; n++) {
		const struct syt_edge *e = &p->edges->all[group[n]];
		struct arrival of;

		if (!counts(e) || is_unused(p, group, nr, n))
			continue;
		is_woken |= e->kind != SYT_EDGE_MUTEX;
		of = arrival_of(p, e);
		if (p->change->is_removed && e->class == SYT_CLASS_RUN_AFTER &&
		    e->object != SYT_NONE && p->change->is_removed[e->object])
			of.is = 0;
		arrive_later(&a, of);
	}
	if (!is_woken) /* taking the mutex alone does not end a condition wait */
		a.was = 0;
	return a;
}

/* Sets the begin of a thread's first event. The time from the thread's creation to this begin is as recorded. */
static void make_thread(struct replayer *p, uint32_t thread, const uint64_t *group, size_t nr)
{
	const struct syt_row *first = &p->r->order->places.threads[thread]->rows[0];
	struct arrival a = last_needed(p, group, nr, false);

	if (p->nr_done[thread] || p->has_begun[thread] || a.was > first->in || !a.was)
		return;
	p->has_begun[thread] = true;
	p->r->times[thread][0].in = a.is + (first->in - a.was);
}

/* Handles all happens-before edges into one event, sorted by begin. */
static void take_edges(struct replayer *p, const uint64_t *group, size_t nr)
{
	const struct syt_edge *e = &p->edges->all[group[nr - 1]];
	struct syt_place to = e->to;
	struct arrival a;
	uint8_t shape;

	if (to.thread == SYT_NONE) {
		a = last_needed(p, group, nr, false);
		p->rounds[to.row] = a.is;
		return;
	}
	if (!syt_edge_is_at_end(e, false)) {
		if (!to.row)
			make_thread(p, to.thread, group, nr);
		return;
	}
	begin_at(p, to.thread, to.row);
	shape = syt_place_call(&p->r->order->places, to)->shape;
	a = shape == SYT_SHAPE_READY
	            ? first_ready(p, group, nr)
	            : last_needed(p, group, nr,
	                          shape == SYT_SHAPE_COND_WAIT || shape == SYT_SHAPE_CANCELLED);
	if (p->nr_done[to.thread] != to.row) {
		p->r->nr_late += nr;
		return;
	}
	end_row(p, to.thread, a);
}

static int by_target(const void *a_, const void *b_, void *edges_)
{
	const struct syt_edges *edges = edges_;
	const struct syt_edge *a = &edges->all[*(const uint64_t *)a_],
			      *b = &edges->all[*(const uint64_t *)b_];
	int order = syt_place_compare(a->to, b->to);

	/* barrier rounds come first, because a thread may leave a round at the same instant */
	SYT_ORDER(a->to.thread != SYT_NONE, b->to.thread != SYT_NONE);
	if (order)
		return order;
	SYT_ORDER(syt_edge_is_at_end(a, false), syt_edge_is_at_end(b, false));
	return *(const uint64_t *)a_ < *(const uint64_t *)b_ ? -1 : 1;
}

static bool is_one_group(const struct syt_edge *a, const struct syt_edge *b)
{
	return !syt_place_compare(a->to, b->to) &&
	       syt_edge_is_at_end(a, false) == syt_edge_is_at_end(b, false);
}

static void replay_edges(struct replayer *p)
{
	const struct syt_edges *edges = p->edges;
	uint64_t *run = NULL, nr;
	size_t room = 0;

	for (uint64_t i = 0; i < edges->nr; i += nr) {
		syt_time end = syt_edge_end(edges, &edges->all[i]);

		syt_store_look();
		for (nr = 0; i + nr < edges->nr && syt_edge_end(edges, &edges->all[i + nr]) == end;
		     nr++) {
			syt_grow(&run, &room, nr + 1, sizeof(*run));
			run[nr] = i + nr;
		}
		if (nr > 1)
			qsort_r(run, nr, sizeof(*run), by_target, (void *)(uintptr_t)edges);
		for (uint64_t n = 0, of; n < nr; n += of) {
			for (of = 1; n + of < nr &&
			             is_one_group(&edges->all[run[n]], &edges->all[run[n + of]]);
			     of++)
				;
			take_edges(p, &run[n], of);
		}
	}
	free(run);
}

void syt_replay_open(struct syt_replay *r, const struct syt_order *order,
                     const struct syt_replay_change *change)
{
	const struct syt_places *places = &order->places;
	struct replayer p = {.r = r,
	                     .edges = &order->edges,
	                     .change = change,
	                     .nr_done = syt_calloc(places->nr_threads, sizeof(uint32_t)),
	                     .has_begun = syt_calloc(places->nr_threads, sizeof(bool)),
	                     .rounds = syt_calloc(order->edges.nr_rounds, sizeof(syt_time))};

	memset(r, 0, sizeof(*r));
	r->order = order;
	r->begin = UINT64_MAX;
	r->times = syt_calloc(places->nr_threads, sizeof(*r->times));
	for (uint32_t n = 0; n < places->nr_threads; n++)
		r->times[n] = syt_store_alloc(places->threads[n]->nr_rows, sizeof(**r->times));
	replay_edges(&p);
	for (uint32_t n = 0; n < places->nr_threads; n++)
		finish_rows(&p, n, (uint32_t)places->threads[n]->nr_rows);
	if (r->begin > r->end)
		r->begin = r->end;
	free(p.nr_done);
	free(p.has_begun);
	free(p.rounds);
}

void syt_replay_close(struct syt_replay *r)
{
	for (uint32_t n = 0; n < r->order->places.nr_threads; n++)
		syt_store_free(r->times[n]);
	free(r->times);
	memset(r, 0, sizeof(*r));
}
