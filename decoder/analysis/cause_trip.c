/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds requests that need many round trips, senders that wait for each acknowledgement, and threads, processes
 * and connections that live for a short time. */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/analysis/cause.h"
#include "decoder/history/instants.h"

#define NS(ns_) ((syt_time)(ns_) << SYT_TIME_SHIFT)

/* ---- round trips ---- */

#define LEAST_TRIPS 5u  /* least mean number of round trips of a request */
#define LEAST_GROUPS 3u /* least number of such requests of each thread */
#define MOST_TRIPS 1000u /* a longer group is a run of a load generator, and not one request */
#define LEAST_BLOCKS 16u
#define LEAST_PERIODS                                                                              \
	10u              /* least number of groups that are recognized by the pauses between them */
#define MOST_PERIOD 256u /* most round trips of such a group */
#define MOST_GAPS 16384u /* number of pauses that are examined */
#define LEAST_PAUSE NS(2000)     /* shorter pauses are noise */
#define MOST_ACKNOWLEDGEMENT 64u /* bytes */
#define MOST_PARTS 2u /* sends of one block: a header and the data; more blocks are a window */

/* The round trips at one call path. A group consists of round trips in sequence at one call path, up to a round
 * trip at another call path or another request. */
struct trips {
	uint64_t nr, nr_groups, nr_sends, sent, received;
	uint64_t nr_large,
		nr_in_large; /* groups of LEAST_TRIPS round trips or more, and their round trips */
	uint64_t nr_threads; /* number of threads with such groups */
	syt_time time, waited;
	syt_time peer_ran; /* part of `waited` in which the peer computed between the receive and its answer */
	uint32_t object, thread, last_thread;
	struct syt_place at;
};

/* The time between two round trips of a group. */
struct gap {
	syt_time run;  /* time between calls */
	bool has_call; /* the thread made another call than a sleep */
	bool has_sleep;
};

/* The state of the walk over one thread. */
struct trip_walk {
	const struct syt_cause_search *s;
	struct trips **all; /* [call path of the first send] */
	size_t *nr, *room;
	/* the present round trip: its socket, or SYT_NONE; its first send and last receive */
	uint32_t object, send, receive;
	uint64_t nr_sends, sent, received;
	syt_time waited;
	/* the present group: the call stack and the call path of its round trips, and their number */
	uint32_t group_stack, group_side;
	uint64_t nr_in_group;
	bool is_in_group;
	uint32_t last_receive; /* of the last round trip of the group */
	size_t nr_gaps, room_gaps;
	struct gap *gaps;
};

static struct trips *trips_of(struct trip_walk *k, struct syt_place at)
{
	uint32_t side = syt_label_side(k->s->labels, at);

	if (side >= *k->nr) {
		syt_grow(k->all, k->room, side + (size_t)1, sizeof(**k->all));
		memset(*k->all + *k->nr, 0, (side + (size_t)1 - *k->nr) * sizeof(**k->all));
		*k->nr = side + (size_t)1;
	}
	if (!(*k->all)[side].nr)
		(*k->all)[side].thread = at.thread;
	else if ((*k->all)[side].thread != at.thread)
		(*k->all)[side].thread = SYT_NONE;
	return &(*k->all)[side];
}

static void add_gap(struct trip_walk *k, uint32_t thread)
{
	const struct syt_thread *t = k->s->order->places.threads[thread];
	syt_time from = syt_thread_row(t, k->last_receive)->out;
	struct gap gap = {0};

	if (k->nr_gaps == MOST_GAPS)
		return;
	for (uint32_t i = k->last_receive + 1; i <= k->send; i++) {
		const struct syt_row *r = syt_thread_row(t, i);

		gap.run += r->in > from ? r->in - from : 0;
		from = r->out > from ? r->out : from;
		if (i < k->send && syt_row_call(t->image, r)->shape == SYT_SHAPE_PAUSE)
			gap.has_sleep = true;
		else if (i < k->send)
			gap.has_call = true;
	}
	syt_grow(&k->gaps, &k->room_gaps, k->nr_gaps + 1, sizeof(*k->gaps));
	k->gaps[k->nr_gaps++] = gap;
}

/* Marks the gaps that are much longer than most, or that have a call unlike most: has_call is then true. A sleep is no
 * sign of a new request. */
static void mark_long_gaps(struct trip_walk *k)
{
	syt_time *runs = syt_alloc(k->nr_gaps, sizeof(*runs)), least;
	size_t nr_calls = 0;

	for (size_t i = 0; i < k->nr_gaps; i++) {
		runs[i] = k->gaps[i].run;
		nr_calls += k->gaps[i].has_call;
	}
	syt_instants_sort(runs, k->nr_gaps);
	least = runs[k->nr_gaps / 2] * 3;
	least = least > LEAST_PAUSE ? least : LEAST_PAUSE;
	for (size_t i = 0; i < k->nr_gaps; i++) {
		struct gap *g = &k->gaps[i];

		g->has_call = !g->has_sleep &&
		              ((g->has_call && nr_calls * 2 < k->nr_gaps) || g->run >= least);
	}
	free(runs);
}

/* Returns the number N if the thread made a long pause after every N round trips of its group, and hardly any
 * between them: each N round trips are one request. Returns 0 if the pauses are irregular. */
static uint32_t period_of_group(struct trip_walk *k)
{
	uint32_t nr = (uint32_t)k->nr_gaps, nr_long = 0, found = 0;

	if (nr < LEAST_TRIPS * LEAST_PERIODS)
		return 0;
	mark_long_gaps(k);
	SYT_EACH(i, 0, nr)
		nr_long += k->gaps[i].has_call;
	for (uint32_t n = LEAST_TRIPS; n <= MOST_PERIOD && n * LEAST_PERIODS <= nr && !found; n++) {
		uint32_t hits[MOST_PERIOD] = {0}, most = 0;

		SYT_EACH(i, 0, nr)
			hits[i % n] += k->gaps[i].has_call;
		SYT_EACH(i, 0, n)
			most = hits[i] > most ? hits[i] : most;
		if (most * 5 >= nr / n * 4 && (nr_long - most) * 10 <= nr - nr / n)
			found = n;
	}
	return found;
}

static void end_group(struct trip_walk *k, uint32_t thread)
{
	uint32_t period;

	if (k->is_in_group && k->nr_in_group >= LEAST_TRIPS &&
	    ((period = period_of_group(k)) || k->nr_in_group <= MOST_TRIPS)) {
		struct trips *x = &(*k->all)[k->group_side];

		x->nr_large += period ? k->nr_in_group / period : 1;
		x->nr_in_large += k->nr_in_group;
		x->nr_threads += x->last_thread != thread + 1;
		x->last_thread = thread + 1;
	}
	k->is_in_group = false;
	k->nr_in_group = 0;
	k->nr_gaps = 0;
}

/* Returns the time for which the peer ran between its calls from the receive of data to the answer, which the thread
 * received by UNTIL. */
static syt_time ran_for(const struct syt_order *o, uint32_t object, syt_time from, syt_time until)
{
	uint32_t peer = o->objects.all[object].peer;
	struct syt_history h = {0};
	const struct syt_touch *answer = NULL;
	const struct syt_thread *t;
	syt_time ran = 0;

	if (peer != SYT_NONE)
		h = syt_history_of(&o->histories, peer);
	for (uint64_t i = SYT_BISECT(n, 0, h.nr, h.touches[n].at <= until);
	     i-- && h.touches[i].at >= from;) {
		const struct syt_touch *x = &h.touches[i];

		if (!answer && syt_touch_sends(x))
			answer = x;
		if (!answer || !syt_touch_receives(x))
			continue;
		if (x->place.thread != answer->place.thread)
			break;
		t = o->places.threads[x->place.thread];
		for (uint32_t row = x->place.row; row < answer->place.row; row++) {
			syt_time end = syt_thread_row(t, row)->out,
				 next = syt_thread_row(t, row + 1)->in;

			ran += next > end ? next - end : 0;
		}
		break;
	}
	return ran;
}

static void end_trip(struct trip_walk *k, uint32_t thread)
{
	const struct syt_thread *t = k->s->order->places.threads[thread];
	const struct syt_row *first;
	struct trips *x;

	if (k->object == SYT_NONE || k->receive == SYT_NONE) {
		k->object = SYT_NONE;
		return;
	}
	first = syt_thread_row(t, k->send);
	x = trips_of(k, (struct syt_place){thread, k->send});
	if (!k->is_in_group || k->group_stack != first->stack) {
		end_group(k, thread);
		x->nr_groups++;
		k->group_side = syt_label_side(k->s->labels, (struct syt_place){thread, k->send});
		k->is_in_group = true;
		k->group_stack = first->stack;
	} else {
		add_gap(k, thread);
	}
	k->last_receive = k->receive;
	k->nr_in_group++;
	x->nr++;
	x->sent += k->sent;
	x->nr_sends += k->nr_sends;
	x->received += k->received;
	x->time += syt_thread_row(t, k->receive)->out - first->in;
	x->waited += k->waited;
	x->peer_ran += ran_for(k->s->order, k->object, first->in, syt_thread_row(t, k->receive)->out);
	x->object = k->object;
	x->at = (struct syt_place){thread, k->receive};
	k->object = SYT_NONE;
}

/* Returns true if OBJECT, one end of a connection, answers requests: it accepted the connection, or its first transfer
 * receives. The end that connected may receive a greeting first. */
static bool is_server(const struct syt_order *o, uint32_t object)
{
	struct syt_history h = syt_history_of(&o->histories, object);

	for (uint64_t i = 0; i < h.nr; i++) {
		if (h.touches[i].shape == SYT_SHAPE_ACCEPT || syt_touch_receives(&h.touches[i]))
			return true;
		if (syt_touch_sends(&h.touches[i]) || syt_touch_is(&h.touches[i], SYT_SHAPE_CONNECT))
			return false;
	}
	return false;
}

static void see_transfer(struct trip_walk *k, uint32_t thread, uint32_t row, uint8_t shape)
{
	const struct syt_thread *t = k->s->order->places.threads[thread];
	struct syt_place at = {thread, row};
	uint32_t object = syt_cause_object(k->s->order, at);
	const struct syt_row *r = syt_thread_row(t, row);
	enum syt_kind kind = object == SYT_NONE ? SYT_KIND_OTHER
	                                        : syt_object_kind(&k->s->order->objects, object);

	if (r->result <= 0)
		return;
	if (shape == SYT_SHAPE_RECV && (kind == SYT_KIND_EVENTFD || kind == SYT_KIND_PIPE)) {
		/* another thread hands work to this thread: a request */
		end_trip(k, thread);
		end_group(k, thread);
		return;
	}
	if (kind != SYT_KIND_STREAM && kind != SYT_KIND_DGRAM)
		return;
	if (shape == SYT_SHAPE_SEND) {
		if (is_server(k->s->order, object)) {
			end_trip(k, thread);
			return;
		}
		if (k->object == object && k->receive == SYT_NONE) {
			k->sent += (uint64_t)r->result;
			k->nr_sends++;
			return;
		}
		end_trip(k, thread);
		k->object = object;
		k->send = row;
		k->receive = SYT_NONE;
		k->sent = (uint64_t)r->result;
		k->nr_sends = 1;
		k->received = 0;
		k->waited = 0;
	} else if (k->object == object) {
		k->receive = row;
		k->received += (uint64_t)r->result;
		k->waited += r->out - r->in;
	} else {
		/* A request to this thread ends a group. An answer on another connection during a round trip shows
		 * that the thread has several requests under way: its round trips do not follow each other. */
		if (k->object != SYT_NONE && k->receive == SYT_NONE &&
		    !is_server(k->s->order, object))
			k->is_in_group = false;
		end_trip(k, thread);
		end_group(k, thread);
	}
}

static void add_trips(const struct syt_cause_search *s, uint32_t side, const struct trips *x)
{
	syt_time wall = x->nr ? syt_cause_life(s->order, x->at.thread) : 0;
	struct syt_cause c = {.waiter = side,
	                      .object = x->object,
	                      .origin = SYT_NONE,
	                      .inside = SYT_NONE,
	                      .thread = x->thread,
	                      .nr_threads = 1,
	                      .nr = x->nr,
	                      .of = x->nr_groups,
	                      .of_wall = wall,
	                      .at = x->at,
	                      .by = {SYT_NONE, 0}};

	if (!x->nr)
		return;
	c.mean = x->time / x->nr;
	if (x->nr_large && x->nr_large >= LEAST_GROUPS * x->nr_threads &&
	    x->nr_in_large * 2 >= x->nr) {
		c.kind = SYT_CAUSE_ROUND_TRIPS;
		c.of = x->nr_large;
		c.nr = x->nr_in_large;
		c.limit = (x->nr_in_large + x->nr_large / 2) / x->nr_large;
		c.cost = c.mean * (x->nr_in_large -
		                   x->nr_large); /* one round trip of each request is necessary */
	} else if (x->nr >= LEAST_BLOCKS && x->nr >= LEAST_BLOCKS * x->nr_groups &&
	           x->nr_sends <= x->nr * MOST_PARTS && x->peer_ran * 2 < x->waited &&
	           x->received <= x->nr * MOST_ACKNOWLEDGEMENT && x->sent >= 16 * x->received) {
		c.kind = SYT_CAUSE_STOP_AND_WAIT;
		c.limit = x->sent / x->nr;
		c.cost = x->waited;
		c.mean = x->waited / x->nr;
	} else {
		return;
	}
	if (syt_cause_is_large(s->causes, c.cost, wall))
		syt_causes_add(s->causes, c);
}

void syt_cause_find_round_trips(const struct syt_cause_search *s)
{
	const struct syt_places *p = &s->order->places;
	struct trips *all = NULL;
	size_t nr = 0, room = 0;

	for (uint32_t thread = 0; thread < p->nr_threads; thread++) {
		const struct syt_thread *t = p->threads[thread];
		struct trip_walk k = {
			.s = s, .all = &all, .nr = &nr, .room = &room, .object = SYT_NONE};

		SYT_EACH(row, 0, (uint32_t)t->nr_rows) {
			uint8_t shape = syt_row_call(t->image, syt_thread_row(t, row))->shape;

			if (shape == SYT_SHAPE_SEND || shape == SYT_SHAPE_RECV)
				see_transfer(&k, thread, row, shape);
		}
		end_trip(&k, thread);
		end_group(&k, thread);
		free(k.gaps);
	}
	for (uint32_t side = 0; side < nr; side++)
		add_trips(s, side, &all[side]);
	free(all);
}

/* ---- short lives ---- */

#define LEAST_LIVES 20u
#define MOST_LIFE NS(10000000)
#define MOST_SENDS 2u /* sends at each end of a connection that carries few requests */
#define MOST_HANDSHAKE 8u /* sends of a client before its request, for example the steps of a login */

struct life {
	uint32_t side; /* call path of the creation */
	syt_time begin, end;
	syt_time overhead; /* time of the creating call */
	struct syt_place at;
	uint32_t object; /* of a connection, or SYT_NONE */
	uint32_t nr_before; /* number of sends of the client before its request */
};

struct lives {
	size_t nr, room;
	struct life *all;
};

static int by_side(const void *a_, const void *b_)
{
	const struct life *a = a_, *b = b_;

	SYT_ORDER_BY(side);
	SYT_ORDER_BY(begin);
	return syt_place_compare(a->at, b->at);
}

static void add_life(struct lives *l, struct life life)
{
	syt_grow(&l->all, &l->room, l->nr + 1, sizeof(*l->all));
	l->all[l->nr++] = life;
}

/* Returns the largest number of the NR lives at one time. */
static uint64_t most_alive(const struct life *all, size_t nr)
{
	syt_time *ends = syt_alloc(nr, sizeof(*ends));
	uint64_t most = 0;

	for (size_t i = 0; i < nr; i++)
		ends[i] = all[i].end;
	syt_instants_sort(ends, nr);
	for (size_t i = 0; i < nr; i++) {
		uint64_t alive = i + 1 - syt_instants_until(ends, nr, all[i].begin);

		most = alive > most ? alive : most;
	}
	free(ends);
	return most;
}

/* Returns the time of the creating call ROW, and of a switch to the new thread. The time until the new thread runs
 * depends on the other load of the CPUs, so it does not count. Other calls during the call do not count either, for
 * example calls of handlers of pthread_atfork(). */
static syt_time time_of_creation(const struct syt_thread *t, uint32_t row)
{
	syt_time until = syt_thread_row(t, row)->out, from = syt_thread_row(t, row)->in;
	syt_time time = until - from + NS(SYT_CAUSE_SWITCH_NS);

	for (uint32_t i = row + 1; i < t->nr_rows && syt_thread_row(t, i)->in < until; i++) {
		const struct syt_row *r = syt_thread_row(t, i);
		syt_time begin = r->in > from ? r->in : from, end = r->out < until ? r->out : until;

		time -= end > begin ? end - begin : 0;
		from = end > from ? end : from;
	}
	return time;
}

/* Returns the time for NR creations, each of which takes the median time. The creations that another process on a
 * busy CPU delays do not count. */
static syt_time time_of_creations(const struct life *all, size_t nr)
{
	syt_time *times = syt_alloc(nr, sizeof(*times)), sum;

	for (size_t i = 0; i < nr; i++)
		times[i] = all[i].overhead;
	syt_instants_sort(times, nr);
	sum = times[nr / 2] * nr;
	free(times);
	return sum;
}

/* Returns true if the creation of C's threads or processes is a loss: it takes as long as they live, or much of the
 * life of the thread that creates them. A task that runs long compared with its creation may have its own thread. */
static bool is_creation_large(const struct syt_cause_search *s, const struct syt_cause *c)
{
	if (c->nr_objects)
		return c->cost >= c->of_wall / 3 &&
		       syt_cause_is_large(s->causes, c->cost, c->of_wall);
	/* the life of a connection includes its creation */
	if (c->kind == SYT_CAUSE_SHORT_CONNECTIONS || c->mean <= c->cost / c->nr)
		return c->cost / 10 >= s->causes->observed / 1000;
	return c->mean / 10 <= c->cost / c->nr &&
	       syt_cause_is_large(s->causes, c->cost, syt_cause_life(s->order, c->at.thread));
}

/* Adds a cause for each creating call path if most of its lives are short. */
static void add_lives(const struct syt_cause_search *s, struct lives *l, enum syt_cause_kind kind)
{
	if (l->nr)
		qsort(l->all, l->nr, sizeof(*l->all), by_side);
	for (size_t i = 0, next; i < l->nr; i = next) {
		struct syt_cause c = {.kind = (uint8_t)kind,
		                      .waiter = l->all[i].side,
		                      .object = l->all[i].object,
		                      .origin = SYT_NONE,
		                      .inside = SYT_NONE,
		                      .thread = l->all[i].at.thread,
		                      .nr_threads = 1,
		                      .nr_objects = l->all[i].nr_before,
		                      .at = l->all[i].at,
		                      .by = {SYT_NONE, 0}};
		syt_time life = 0;

		for (next = i; next < l->nr && l->all[next].side == l->all[i].side; next++) {
			life += l->all[next].end - l->all[next].begin;
			if (l->all[next].at.thread != c.thread)
				c.thread = SYT_NONE;
		}
		c.nr = c.of = next - i;
		c.cost = time_of_creations(&l->all[i], next - i);
		c.mean = life / c.nr;
		if (c.nr < LEAST_LIVES || (c.mean > MOST_LIFE && !c.nr_objects))
			continue;
		c.limit = most_alive(&l->all[i], next - i);
		c.of_wall = life;
		if (c.limit * 2 <= c.nr && is_creation_large(s, &c))
			syt_causes_add(s->causes, c);
	}
	free(l->all);
}

static void find_threads(const struct syt_cause_search *s)
{
	const struct syt_places *p = &s->order->places;
	struct lives l = {0};

	for (uint32_t thread = 0; thread < p->nr_threads; thread++) {
		const struct syt_thread *t = p->threads[thread];

		SYT_EACH(row, 0, (uint32_t)t->nr_rows) {
			const struct syt_row *r = syt_thread_row(t, row);
			uint32_t created = syt_thread_extra(t, r)->thread;
			const struct syt_thread *new;
			syt_time begin, end;

			if (syt_row_call(t->image, r)->shape != SYT_SHAPE_CREATE ||
			    created >= t->image->nr_threads)
				continue;
			new = &t->image->threads[created];
			if (!new->nr_rows ||
			    syt_row_call(new->image, syt_thread_row(new, new->nr_rows - 1))
			                    ->shape != SYT_SHAPE_THREAD_END)
				continue;
			begin = syt_thread_row(new, 0)->in;
			end = syt_thread_row(new, new->nr_rows - 1)->out;
			add_life(&l, (struct life){syt_label_side(s->labels,
			                                          (struct syt_place){thread, row}),
			                           begin,
			                           end < begin ? begin : end,
			                           time_of_creation(t, row),
			                           {thread, row},
			                           SYT_NONE,
			                           0});
		}
	}
	add_lives(s, &l, SYT_CAUSE_SHORT_THREADS);
}

static void find_processes(const struct syt_cause_search *s)
{
	const struct syt_places *p = &s->order->places;
	const struct syt_edges *edges = &s->order->edges;
	struct lives l = {0};

	SYT_EACH(i, 0, edges->nr) {
		const struct syt_edge *e = &edges->all[i];
		const struct syt_image *child;

		if (e->kind != SYT_EDGE_FORK || e->from.thread == SYT_NONE ||
		    e->to.thread == SYT_NONE)
			continue;
		child = syt_place_image(p, e->to);
		if (child->begin < child->end)
			add_life(&l, (struct life){syt_label_side(s->labels, e->from), child->begin,
			                           child->end,
			                           time_of_creation(p->threads[e->from.thread],
			                                            e->from.row),
			                           e->from, SYT_NONE, 0});
	}
	add_lives(s, &l, SYT_CAUSE_SHORT_PROCESSES);
}

/* The sends of the client of a connection. */
struct handshake {
	uint32_t nr;
	struct syt_place sends[MOST_HANDSHAKE + 1]; /* the first ones, and the last one */
	bool has_received;                          /* there was an answer before the last send */
};

/* Returns true if the connection of the thread CLIENT carries one request after the handshake H: the sends of the
 * handshake come from another call path than the request. */
static bool is_handshake(const struct syt_cause_search *s, const struct handshake *h, uint32_t client)
{
	uint32_t request;

	if (h->nr <= MOST_SENDS || h->nr > MOST_HANDSHAKE + 1 || !h->has_received)
		return false;
	request = syt_label_side(s->labels, h->sends[h->nr - 1]);
	for (uint32_t i = 0; i + 1 < h->nr; i++)
		if (h->sends[i].thread != client || syt_label_side(s->labels, h->sends[i]) == request)
			return false;
	return true;
}

/* Finds connections for one or two requests, or for a handshake and one request. The client decides how often it
 * connects, so a server with clients that are not in the trace has no cause. */
static void find_connections(const struct syt_cause_search *s)
{
	const struct syt_order *o = s->order;
	struct lives l = {0}, handshakes = {0};

	for (uint32_t i = 0; i < o->objects.nr; i++) {
		struct syt_history h = syt_history_of(&o->histories, i);
		struct syt_place at = {SYT_NONE, 0};
		struct handshake sent = {0};
		bool has_received = false;
		syt_time begin = 0, end = 0;
		struct life life;

		if (syt_object_kind(&o->objects, i) != SYT_KIND_STREAM)
			continue;
		SYT_EACH(n, 0, h.nr) {
			const struct syt_touch *t = &h.touches[n];
			const struct syt_row *r = syt_place_row(&o->places, t->place);

			if (t->role != SYT_ROLE_SELF)
				continue;
			if (t->shape == SYT_SHAPE_CONNECT) {
				at = t->place;
				begin = r->in;
			}
			has_received |= t->shape == SYT_SHAPE_RECV && t->has_succeeded;
			if (t->shape == SYT_SHAPE_SEND) {
				sent.has_received = has_received;
				if (sent.nr <= MOST_HANDSHAKE)
					sent.sends[sent.nr] = t->place;
				sent.nr++;
			}
			if (t->shape == SYT_SHAPE_CLOSE)
				end = r->out;
		}
		if (at.thread == SYT_NONE || end <= begin)
			continue;
		life = (struct life){syt_label_side(s->labels, at), begin, end,
		                     time_of_creation(o->places.threads[at.thread], at.row), at, i,
		                     0};
		if (sent.nr <= MOST_SENDS) {
			add_life(&l, life);
		} else if (is_handshake(s, &sent, at.thread)) {
			life.nr_before = sent.nr - 1;
			life.overhead =
				syt_place_row(&o->places, sent.sends[sent.nr - 1])->in - begin;
			add_life(&handshakes, life);
		}
	}
	add_lives(s, &l, SYT_CAUSE_SHORT_CONNECTIONS);
	add_lives(s, &handshakes, SYT_CAUSE_SHORT_CONNECTIONS);
}

void syt_cause_find_lives(const struct syt_cause_search *s)
{
	find_threads(s);
	find_processes(s);
	find_connections(s);
}
