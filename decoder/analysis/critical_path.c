/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/critical_path.h"

#include <string.h>

#include "base/err.h"

#define MOST_READY 64u
#define NR_BEHIND 4u /* maximum of events examined after a wait, to find the collected child */

const char *syt_path_word(enum syt_path_kind kind)
{
#define WORD(name_, word_) word_,
	static const char *const words[] = {SYT_PATH_KINDS(WORD)};

	return words[kind];
}

/* ---- the event that ended a wait ---- */

static bool is_into(const struct syt_edge *e, struct syt_place to, bool is_end)
{
	return e->to.thread == to.thread && e->to.row == to.row && e->kind != SYT_EDGE_PROGRAM &&
	       e->class != SYT_CLASS_INFERRED && syt_edge_is_at_end(e, false) == is_end;
}

/* A walk over the happens-before edges into the event TO that end at time T, from the latest begin to the first. */
struct into {
	const struct syt_edges *edges;
	struct syt_place to;
	bool is_end;
	syt_time t;
	uint64_t number; /* index of the edge found last */
};

static const struct syt_edge *next_into(struct into *i)
{
	while (i->number--) {
		const struct syt_edge *e = &i->edges->all[i->number];

		if (syt_edge_end(i->edges, e) != i->t)
			return NULL;
		if (is_into(e, i->to, i->is_end))
			return e;
	}
	return NULL;
}

static struct into edges_into(const struct syt_edges *e, struct syt_place to, bool is_end,
                              syt_time t)
{
	return (struct into){e, to, is_end, t, syt_edges_from(e, t + 1)};
}

/* Returns the edge that ended the readiness call AT (poll, epoll_wait). A readiness call returns because of the
 * object that became ready first, and needs all edges of this object. If very many objects are ready, only the last
 * MOST_READY count. */
static uint32_t first_ready(const struct syt_order *o, struct syt_place at, syt_time t)
{
	struct into i = edges_into(&o->edges, at, true, t);
	uint32_t seen[MOST_READY], nr = 0, first = SYT_NONE, n;
	const struct syt_edge *e;

	while ((e = next_into(&i)) && nr < MOST_READY) {
		for (n = 0; n < nr && seen[n] != e->object; n++)
			;
		if (n < nr)
			continue;
		seen[nr++] = e->object;
		first = (uint32_t)i.number;
	}
	return first;
}

/* Returns the last edge into the wait AT, which needs all its edges. A wait for a condition variable takes its
 * mutex back only after the wake-up, so the edge of the mutex counts only if the waker is known. */
static uint32_t last_needed(const struct syt_order *o, struct syt_place at, syt_time t,
                            bool is_cond)
{
	struct into i = edges_into(&o->edges, at, true, t);
	const struct syt_edge *e = next_into(&i);
	uint32_t last = e ? (uint32_t)i.number : SYT_NONE;

	if (is_cond) {
		while (e && e->kind == SYT_EDGE_MUTEX)
			e = next_into(&i);
		if (!e)
			return SYT_NONE;
	}
	return last;
}

/* Returns EDGE, or the edge of the last arrival if EDGE leaves a barrier round. */
static uint32_t resolve_round(const struct syt_edges *edges, uint32_t edge)
{
	const struct syt_edge *e = &edges->all[edge];
	struct into i;

	if (e->from.thread != SYT_NONE)
		return edge;
	i = edges_into(edges, e->from, true, edges->rounds[e->from.row].at);
	e = next_into(&i);
	return e && e->from.thread != SYT_NONE ? (uint32_t)i.number : SYT_NONE;
}

/* Counts the edges that may have ended the wait AT, and stores whether these edges lead to different threads. */
static void count_candidates(const struct syt_order *o, struct syt_place at, syt_time in,
                             syt_time t, struct syt_path_end *end)
{
	const struct syt_edge *chosen = &o->edges.all[end->edge], *e;
	struct into i = edges_into(&o->edges, at, true, t);

	end->nr_candidates = 0;
	while ((e = next_into(&i))) {
		if (!(e->flags & SYT_EDGE_AMBIGUOUS))
			continue;
		end->nr_candidates++;
		if (e->from.thread != chosen->from.thread || syt_edge_begin(&o->edges, e) <= in)
			end->flags |= SYT_PATH_CHOICE;
	}
}

static const struct syt_path_end nobody = {SYT_NONE, 0, 0, 0};

/* Returns the end of the child process that most likely ended AT, a wait for a signal: the child that the thread
 * collects (waitpid) soon after. The kernel's SIGCHLD has no happens-before edge. */
static struct syt_path_end ended_by_child(const struct syt_order *o, struct syt_place at)
{
	const struct syt_thread *t = o->places.threads[at.thread];
	const struct syt_row *r = &t->rows[at.row];

	for (uint32_t n = 0; n < NR_BEHIND && at.row + 1 < t->nr_rows; n++) {
		struct into i;
		const struct syt_edge *e;
		syt_time begin;

		at.row++;
		if (syt_place_call(&o->places, at)->shape != SYT_SHAPE_REAP)
			continue;
		i = edges_into(&o->edges, at, true, t->rows[at.row].out);
		e = next_into(&i);
		begin = e ? syt_edge_begin(&o->edges, e) : 0;
		if (begin > r->in && begin <= r->out && e->from.thread != SYT_NONE &&
		    e->from.thread != at.thread)
			return (struct syt_path_end){(uint32_t)i.number, begin, 1,
			                             SYT_PATH_INFERRED};
	}
	return nobody;
}

struct syt_path_end syt_path_ended_by(const struct syt_order *o, struct syt_place at)
{
	const struct syt_row *r = syt_place_row(&o->places, at);
	uint8_t shape = syt_place_call(&o->places, at)->shape;
	struct syt_path_end end = nobody;
	const struct syt_edge *e;

	if (r->in == r->out)
		return end;
	end.edge = shape == SYT_SHAPE_READY ? first_ready(o, at, r->out)
	                                    : last_needed(o, at, r->out,
	                                                  shape == SYT_SHAPE_COND_WAIT ||
	                                                          shape == SYT_SHAPE_CANCELLED);
	if (end.edge == SYT_NONE)
		return shape == SYT_SHAPE_PAUSE || shape == SYT_SHAPE_SIGNAL_RECV
		               ? ended_by_child(o, at)
		               : end;
	end.nr_candidates = 1;
	if (o->edges.all[end.edge].flags & SYT_EDGE_AMBIGUOUS)
		count_candidates(o, at, r->in, r->out, &end);
	end.edge = resolve_round(&o->edges, end.edge);
	if (end.edge == SYT_NONE)
		return nobody;
	e = &o->edges.all[end.edge];
	end.at = syt_edge_begin(&o->edges, e);
	if (e->flags & SYT_EDGE_INFERRED)
		end.flags |= SYT_PATH_INFERRED;
	return end.at > r->in && e->from.thread != at.thread ? end : nobody;
}

/* Returns the event that started the thread of AT. AT is the first event of this thread. */
static struct syt_path_end begun_by(const struct syt_order *o, struct syt_place at)
{
	struct into i = edges_into(&o->edges, at, false, syt_place_row(&o->places, at)->in);
	const struct syt_edge *e = next_into(&i);
	uint32_t edge = (uint32_t)i.number;

	if (!e || e->from.thread == SYT_NONE || e->from.thread == at.thread)
		return nobody;
	return (struct syt_path_end){edge, syt_edge_begin(&o->edges, e), 1,
	                             e->flags & SYT_EDGE_INFERRED ? SYT_PATH_INFERRED : 0};
}

uint32_t syt_path_preceded_by(const struct syt_order *o, struct syt_place at)
{
	struct into i = edges_into(&o->edges, at, true, syt_place_row(&o->places, at)->out);
	const struct syt_edge *e = next_into(&i);

	if (!e) {
		i = edges_into(&o->edges, at, false, syt_place_row(&o->places, at)->in);
		e = next_into(&i);
	}
	while (e && e->from.thread == at.thread)
		e = next_into(&i);
	return e ? resolve_round(&o->edges, (uint32_t)i.number) : SYT_NONE;
}

/* ---- the walk backwards along the path ---- */

struct walker {
	struct syt_path *path;
	syt_time t;         /* the segments after the time T are known */
	uint32_t thread;    /* thread of the path at the time T */
	uint32_t nr_rows;   /* number of the thread's events that may lie before T */
	uint32_t following; /* index of the event that follows T */
	uint32_t nr_still;  /* number of hand-offs since T last decreased */
	/* the wait for a lock from which the path came to the holder of the lock; thread SYT_NONE: none */
	struct syt_place waiter;
	uint32_t object; /* trace-wide number of the lock */
	uint32_t lock;   /* the lock as an index in the image's objects */
	uint32_t nested; /* number of inner holdings of a recursive lock, all before T, that have no begin yet */
};

/* Adds the segment [FROM, T) to the path, and moves T to FROM. */
static void add(struct walker *w, struct syt_path_segment s)
{
	struct syt_path *p = w->path;

	if (s.from < p->from)
		s.from = p->from;
	s.to = w->t;
	if (s.from < s.to)
		w->nr_still = 0;
	*SYT_STORE_ADD(p->all, p->nr, p->room) = s;
	p->by_kind[s.kind] += s.to - s.from;
	w->t = s.from;
}

static struct syt_path_segment segment(enum syt_path_kind kind, syt_time from, uint32_t thread,
                                       uint32_t row)
{
	return (struct syt_path_segment){.from = from,
	                                 .at = {thread, row},
	                                 .begin = SYT_NONE,
	                                 .edge = SYT_NONE,
	                                 .kind = (uint8_t)kind};
}

/* Goes to the begin or end of an event from which the edge E comes. */
static void go_to(struct walker *w, const struct syt_edge *e)
{
	w->thread = e->from.thread;
	w->following = e->from.row;
	w->nr_rows = e->from.row + syt_edge_is_at_end(e, true);
}

static bool is_of_exclusive_lock(const struct syt_edge *e)
{
	return e->kind == SYT_EDGE_MUTEX || e->kind == SYT_EDGE_SPIN || e->kind == SYT_EDGE_STDIO;
}

/* Remembers that the event WAIT waited for the lock of the edge E, of which the walk enters the holder. If the
 * holder had waited for this lock itself, the wait that began first counts. */
static void enter_holding(struct walker *w, struct syt_place wait, const struct syt_edge *e)
{
	const struct syt_places *places = &w->path->order->places;
	const struct syt_extra *x = syt_place_extra(places, e->from);

	if (w->waiter.thread == SYT_NONE || w->object != e->object ||
	    syt_place_row(places, wait)->in < syt_place_row(places, w->waiter)->in)
		w->waiter = wait;
	w->object = e->object;
	w->lock = x->object2 != SYT_NONE ? x->object2 : syt_place_row(places, e->from)->object;
	w->nested = 0;
}

/* Goes from the event with index ROW, which waited until T, to the event that ended this wait. */
static void follow(struct walker *w, uint32_t row, struct syt_path_end end)
{
	struct syt_path *p = w->path;
	const struct syt_edge *e = &p->order->edges.all[end.edge];
	struct syt_path_segment s = segment(SYT_PATH_HANDOVER, end.at, w->thread, row);
	syt_time until = w->t;

	s.edge = end.edge;
	s.nr_candidates = end.nr_candidates;
	s.flags = end.flags;
	w->nr_still++;
	add(w, s);
	p->by_class[e->class] += until - w->t;
	p->nr_handovers++;
	p->nr_ambiguous += end.nr_candidates > 1;
	p->nr_inferred += !!(end.flags & SYT_PATH_INFERRED);
	if (end.flags & SYT_PATH_CHOICE) {
		p->nr_choices++;
		if (!p->sure_from)
			p->sure_from = until;
	}
	if (is_of_exclusive_lock(e) &&
	    syt_place_call(&p->order->places, s.at)->shape == SYT_SHAPE_LOCK)
		enter_holding(w, s.at, e);
	else
		w->waiter.thread = SYT_NONE;
	go_to(w, e);
}

/* Returns true if the hand-off END can be followed, because a damaged dump may contain cycles of hand-offs. */
static bool may_follow(const struct walker *w, const struct syt_path_end *end)
{
	return end->edge != SYT_NONE && end->at <= w->t &&
	       (end->at < w->t || w->nr_still <= w->path->order->places.nr_threads);
}

/* Returns true if a holding of the walker's lock begins at the end of the thread's event with index ROW. */
static bool begins_holding(struct walker *w, uint32_t row)
{
	const struct syt_places *places = &w->path->order->places;
	struct syt_place at = {w->thread, row};
	const struct syt_row *r = syt_place_row(places, at);
	const struct syt_call_info *call = syt_place_call(places, at);

	if (syt_place_extra(places, at)->object2 == w->lock)
		return syt_place_gave_mutex(places, at);
	if (r->object != w->lock || !syt_row_succeeded(call, r))
		return false;
	w->nested += call->shape == SYT_SHAPE_UNLOCK;
	if (call->shape != SYT_SHAPE_LOCK || !w->nested)
		return call->shape == SYT_SHAPE_LOCK;
	w->nested--;
	return false;
}

/* Finds the end of the last holding of the lock, before the holding that begins at the end of event ROW. Returns its
 * time and moves the walker there, or returns FLOOR if the lock was free since FLOOR. */
static syt_time go_to_last_holding(struct walker *w, uint32_t row, syt_time floor)
{
	const struct syt_order *o = w->path->order;
	const struct syt_row *rows = o->places.threads[w->thread]->rows;
	struct into i = edges_into(&o->edges, (struct syt_place){w->thread, row}, true, rows[row].out);
	const struct syt_edge *e;

	while ((e = next_into(&i)))
		if (is_of_exclusive_lock(e) && e->object == w->object &&
		    e->from.thread != w->thread && e->from.thread != SYT_NONE) {
			syt_time at = syt_edge_begin(&o->edges, e);

			if (at <= floor || at > w->t || w->nr_still++ > o->places.nr_threads)
				return floor;
			enter_holding(w, w->waiter, e);
			go_to(w, e);
			return at;
		}
	for (uint32_t n = row; n-- && rows[n].in > floor;) {
		struct syt_place at = {w->thread, n};

		if (rows[n].in <= w->t && (syt_place_extra(&o->places, at)->object2 == w->lock ||
		                           (rows[n].object == w->lock &&
		                            syt_place_call(&o->places, at)->shape == SYT_SHAPE_UNLOCK))) {
			w->following = n;
			w->nr_rows = n;
			w->nested = 0;
			return rows[n].in;
		}
	}
	return floor;
}

/* Leaves a holding of the lock. The call with index ROW acquired the lock until T. Before this call, the holder did
 * not delay the waiter: until the end of the last holding, the path is in the call of the waiter. */
static void leave_holding(struct walker *w, uint32_t row)
{
	const struct syt_places *places = &w->path->order->places;
	struct syt_place wait = w->waiter;
	syt_time floor = syt_place_row(places, wait)->in, until;
	syt_time in = syt_place_row(places, (struct syt_place){w->thread, row})->in;

	if (in < w->t)
		add(w, segment(SYT_PATH_CALL, in, w->thread, row));
	if (in <= floor) {
		w->waiter.thread = SYT_NONE;
		return;
	}
	until = go_to_last_holding(w, row, floor);
	if (until == floor) {
		w->thread = wait.thread;
		w->nr_rows = w->following = wait.row;
		w->waiter.thread = SYT_NONE;
	}
	if (until < w->t)
		add(w, segment(SYT_PATH_CALL, until, wait.thread, wait.row));
}

static void walk_begin(struct walker *w)
{
	const struct syt_order *o = w->path->order;
	const struct syt_thread *t = o->places.threads[w->thread];
	struct syt_path_end end = nobody;

	if (t->nr_rows && w->t >= t->rows[0].in)
		end = begun_by(o, (struct syt_place){w->thread, 0});
	if (may_follow(w, &end))
		follow(w, 0, end);
	else
		add(w, segment(SYT_PATH_UNKNOWN, 0, w->thread, 0));
}

static void walk_row(struct walker *w)
{
	const struct syt_order *o = w->path->order;
	uint32_t number = --w->nr_rows;
	const struct syt_row *rows = o->places.threads[w->thread]->rows, *r = &rows[number];
	syt_time floor = r->in;
	struct syt_path_end end;
	bool is_begin;

	if (r->in > w->t) /* a later event of a signal handler */
		return;
	if (r->out < w->t) {
		bool is_known = syt_part_is_one(o->places.threads[w->thread], number, w->following);
		struct syt_path_segment s =
			segment(is_known ? SYT_PATH_RUNNING : SYT_PATH_NOT_SAMPLED, r->out,
		                w->thread, w->following);

		s.begin = is_known ? number : SYT_NONE;
		add(w, s);
		if (w->t <= w->path->from)
			return;
	}
	w->following = number;
	if (w->waiter.thread != SYT_NONE &&
	    w->t <= syt_place_row(&o->places, w->waiter)->in)
		w->waiter.thread = SYT_NONE; /* the holding is older than the wait */
	is_begin = w->waiter.thread != SYT_NONE && r->out == w->t && begins_holding(w, number);
	if (r->in == w->t && !is_begin)
		return;
	if (r->in < w->t && r->out == w->t) {
		end = syt_path_ended_by(o, (struct syt_place){w->thread, number});
		if (may_follow(w, &end)) {
			follow(w, number, end);
			return;
		}
	}
	if (is_begin) {
		leave_holding(w, number);
		return;
	}
	/* a signal handler, or the function of pthread_once, made calls inside of this call */
	if (number && rows[number - 1].in > r->in && rows[number - 1].out <= w->t)
		floor = rows[number - 1].out;
	if (floor < w->t)
		add(w, segment(SYT_PATH_CALL, floor, w->thread, number));
}

static void reverse(struct syt_path *p)
{
	SYT_EACH(i, 0, p->nr / 2) {
		struct syt_path_segment s = p->all[i];

		p->all[i] = p->all[p->nr - 1 - i];
		p->all[p->nr - 1 - i] = s;
	}
}

int syt_path_open(struct syt_path *p, const struct syt_order *order, syt_time from,
                  struct syt_place to)
{
	struct walker w = {.path = p,
	                   .t = syt_place_row(&order->places, to)->out,
	                   .thread = to.thread,
	                   .nr_rows = to.row + 1,
	                   .following = to.row,
	                   .waiter.thread = SYT_NONE};

	memset(p, 0, sizeof(*p));
	p->order = order;
	p->to = w.t;
	p->from = from < w.t ? from : w.t;
	if (order->edges.nr >= SYT_NONE) {
		syt_warn("the trace has more than 4294967294 happens-before edges: decode the "
		         "trace files of fewer processes at a time");
		return -1;
	}
	while (w.t > p->from) {
		syt_store_look();
		if (w.nr_rows)
			walk_row(&w);
		else
			walk_begin(&w);
	}
	reverse(p);
	return 0;
}

void syt_path_close(struct syt_path *p)
{
	syt_store_free(p->all);
	memset(p, 0, sizeof(*p));
}

bool syt_path_ends(const struct syt_places *places, struct syt_place *first, struct syt_place *last)
{
	*first = *last = (struct syt_place){SYT_NONE, 0};
	for (uint32_t n = 0; n < places->nr_threads; n++) {
		const struct syt_thread *t = places->threads[n];
		struct syt_place begin = {n, 0}, end = {n, (uint32_t)t->nr_rows - 1};

		if (!t->nr_rows)
			continue;
		if (first->thread == SYT_NONE || t->rows[0].in < syt_place_row(places, *first)->in)
			*first = begin;
		if (last->thread == SYT_NONE ||
		    t->rows[end.row].out > syt_place_row(places, *last)->out)
			*last = end;
	}
	return first->thread != SYT_NONE;
}
