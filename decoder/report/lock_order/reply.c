/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/lock_order/reply.h"

#include <stdlib.h>

#include "base/component.h"
#include "base/err.h"

#define MOST_GROUPS 1024u
#define MOST_SEARCHES 512u              /* maximum of searches for the events before a wait */
#define MOST_ROWS (UINT64_C(200) << 20) /* maximum number of events that are read again */

/* The waits of one thread at one call path, for a message of one other thread, with the same locks held. */
struct syt_reply_group {
	uint32_t thread, side, sender;
	uint32_t nr_held;
	struct syt_lock_order_held *held;
	uint64_t nr;
	/* some of these waits: the first ones, and the last */
	struct syt_lock_order_hop hops[SYT_LOCK_ORDER_INSTANCES];
	struct syt_place *acquires; /* [instance * nr_held + lock]: event that acquired the lock */
};

/* ---- waits during which the thread held locks ---- */

static struct syt_reply_group *group_of(struct syt_replies *r, const struct syt_lock_walk *has,
                                        struct syt_place at, uint32_t sender)
{
	uint32_t side = syt_label_side(r->l->labels, at), nr_held, gate;
	struct syt_lock_order_held *held = syt_lock_order_held_by(has, NULL, 0, &nr_held, &gate);
	struct syt_reply_group *g;

	for (size_t i = r->nr_groups; i--;) {
		g = &r->groups[i];
		if (g->thread != at.thread)
			break; /* the waits of a thread are consecutive */
		if (g->side == side && g->sender == sender && g->nr_held == nr_held &&
		    syt_lock_order_is_same_held(g->held, held, nr_held)) {
			free(held);
			return g;
		}
	}
	if (r->nr_groups == MOST_GROUPS) {
		r->l->is_cut = true;
		free(held);
		return NULL;
	}
	syt_grow(&r->groups, &r->room_groups, r->nr_groups + 1, sizeof(*r->groups));
	g = &r->groups[r->nr_groups++];
	*g = (struct syt_reply_group){.thread = at.thread,
	                              .side = side,
	                              .sender = sender,
	                              .nr_held = nr_held,
	                              .held = held};
	g->acquires = syt_calloc((size_t)nr_held * SYT_LOCK_ORDER_INSTANCES, sizeof(*g->acquires));
	return g;
}

static struct syt_place acquire_of(const struct syt_lock_walk *has, uint32_t object)
{
	size_t i = 0;

	while (has->held[i].object != object)
		i++;
	return has->held[i].acquire;
}

/* Returns true if another thread than the holder used a lock of HAS. */
static bool may_delay_others(const struct syt_replies *r, const struct syt_lock_walk *has)
{
	for (uint32_t i = 0; i < has->nr; i++)
		if (!r->is_lone[has->held[i].object])
			return true;
	return false;
}

void syt_replies_see(struct syt_replies *r, const struct syt_lock_walk *has, struct syt_place at)
{
	const struct syt_order *o = r->l->order;
	uint32_t object = syt_object_of(&o->objects, syt_place_image_idx(&o->places, at),
	                                syt_place_row(&o->places, at)->object);
	const struct syt_edge *e;
	struct syt_reply_group *g;
	uint64_t n;

	if (!syt_dependence_is_wait(o, at) || !may_delay_others(r, has))
		return;
	if (syt_place_call(&o->places, at)->shape == SYT_SHAPE_SEM_WAIT &&
	    syt_lockset_infers(&r->l->locks, object))
		return; /* the wait is for a semaphore that is used as a lock */
	r->l->nr_waits++;
	e = syt_dependence_ended_by(o, at);
	g = e ? group_of(r, has, at, e->from.thread) : NULL;
	if (!g) {
		r->l->nr_waits_left_out++;
		return;
	}
	n = g->nr++;
	if (n >= SYT_LOCK_ORDER_INSTANCES)
		n = SYT_LOCK_ORDER_INSTANCES - 1;
	g->hops[n] = (struct syt_lock_order_hop){at, e->from};
	for (uint32_t i = 0; i < g->nr_held; i++)
		g->acquires[n * g->nr_held + i] = acquire_of(has, g->held[i].object);
}

void syt_replies_took(struct syt_replies *r, uint32_t thread, uint32_t object)
{
	if (r->last_taker[object] == thread + 1)
		return;
	r->last_taker[object] = thread + 1;
	syt_store_widen(&r->taken, &r->room_taken, r->nr_taken, r->nr_taken + 1, sizeof(*r->taken));
	r->taken[r->nr_taken++] = (struct syt_reply_taken){thread, object};
}

/* ---- possible links between locks and threads ---- */

struct link {
	uint32_t from, to;
};

struct links {
	uint64_t nr;
	size_t room;
	struct link *all;
};

static void add_link(struct links *l, uint32_t from, uint32_t to)
{
	syt_store_widen(&l->all, &l->room, l->nr, l->nr + 1, sizeof(*l->all));
	l->all[l->nr++] = (struct link){from, to};
}

/* Adds links to L: from each thread to the threads whose messages it may have waited for. */
static void add_message_links(struct syt_replies *r, struct links *l)
{
	const struct syt_order *o = r->l->order;
	uint32_t nr_objects = o->objects.nr;
	/* [thread]: sender of the last edge into this thread, plus one; mostly the sender of the edge before */
	uint32_t *last = syt_calloc(o->places.nr_threads, sizeof(*last));

	for (uint64_t i = 0; i < o->edges.nr; i++) {
		const struct syt_edge *e = &o->edges.all[i];

		if (e->from.thread == SYT_NONE || e->to.thread == SYT_NONE || e->flags ||
		    e->class != SYT_CLASS_CAUSAL || last[e->to.thread] == e->from.thread + 1)
			continue;
		last[e->to.thread] = e->from.thread + 1;
		add_link(l, nr_objects + e->to.thread, nr_objects + e->from.thread);
	}
	free(last);
}

/* Finds the strongly connected components of the graph of locks and threads. A cycle of lock-order arcs lies inside
 * of one component. */
static void find_components(struct syt_replies *r)
{
	const struct syt_order *o = r->l->order;
	uint32_t nr_objects = o->objects.nr, nr = nr_objects + o->places.nr_threads;
	size_t *first = syt_calloc((size_t)nr + 1, sizeof(*first));
	struct links l = {0};
	uint32_t *to;

	for (size_t i = 0; i < r->l->nr_arcs; i++)
		add_link(&l, r->l->arcs[i].from, r->l->arcs[i].to);
	for (uint64_t i = 0; i < r->nr_taken; i++)
		add_link(&l, nr_objects + r->taken[i].thread, r->taken[i].object);
	for (size_t i = 0; i < r->nr_groups; i++)
		for (uint32_t n = 0; n < r->groups[i].nr_held; n++)
			add_link(&l, r->groups[i].held[n].object, nr_objects + r->groups[i].sender);
	add_message_links(r, &l);
	for (uint64_t i = 0; i < l.nr; i++)
		first[l.all[i].from + 1]++;
	for (uint32_t i = 0; i < nr; i++)
		first[i + 1] += first[i];
	to = syt_store_alloc(l.nr, sizeof(*to));
	for (uint64_t i = l.nr;
	     /* fills the array of arcs: counts `first` of each node down from the end of its range to its begin */
	     i--;)
		to[--first[l.all[i].from + 1]] = l.all[i].to;
	memmove(first, first + 1, nr * sizeof(*first));
	first[nr] = l.nr;
	r->component = syt_calloc(nr, sizeof(*r->component));
	syt_components_find(nr, first, to, r->component);
	syt_store_free(to);
	syt_store_free(l.all);
	free(first);
}

static bool may_close(const struct syt_replies *r, uint32_t lock, uint32_t node)
{
	return r->component[lock] == r->component[node];
}

/* ---- from a wait to acquisitions of other threads ---- */

/* A wait during which the thread held locks, and the chain of threads that wait for each other from there. */
struct way {
	const struct syt_reply_group *g;
	uint32_t instance;
	uint32_t nr_hops;
	struct syt_lock_order_hop hops[SYT_LOCK_ORDER_HOPS];
	uint32_t gate, nr_held;
	struct syt_lock_order_held *held; /* locks that the waiting threads of the chain hold */
	/* [thread]: the waits of the chain can begin without the thread's events from this row on */
	const uint32_t *until;
};

/* Adds to UNTIL the events that must happen before AT can begin. Returns false at the limit of searches. */
static bool add_past(struct syt_replies *r, struct syt_place at, uint32_t *until)
{
	const struct syt_order *o = r->l->order;

	if (!at.row)
		return true; /* before the first event of a thread, no events are known */
	if (!r->has_reach) {
		r->has_reach = true;
		r->has_no_reach = syt_reach_open(&r->back, &o->edges, true);
		r->nearest = syt_calloc(o->places.nr_threads, sizeof(*r->nearest));
	}
	if (r->has_no_reach || r->nr_searches++ >= MOST_SEARCHES) {
		r->l->is_cut = true;
		return false;
	}
	at.row--;
	/* the search also follows edges that are only possible */
	syt_reach_nearest(&r->back, at, SYT_REACH_POSSIBLE, r->nearest);
	for (uint32_t t = 0; t < o->places.nr_threads; t++)
		if (r->nearest[t].place.thread != SYT_NONE && r->nearest[t].place.row >= until[t])
			until[t] = r->nearest[t].place.row + 1;
	return true;
}

/* Adds the lock-order arcs of one acquisition: the last thread of WAY holds the locks of HAS, and takes the lock
 * TAKEN at the event TO. */
static void add_arcs(struct syt_replies *r, const struct way *way, const struct syt_lock_walk *has,
                     const struct syt_lock_walk_taken *taken, struct syt_place to)
{
	const struct syt_reply_group *g = way->g;
	struct syt_labels *labels = r->l->labels;
	struct syt_lock_order_remote remote = {.nr = way->nr_hops};
	uint32_t gate;
	struct syt_lock_order_arc a = {.to = taken->object,
	                               .thread = g->thread,
	                               .to_is_shared = taken->is_shared,
	                               .remote = &remote};

	a.held = syt_lock_order_held_by(has, way->held, way->nr_held, &a.nr_held, &gate);
	remote.gate = way->gate != SYT_NONE ? way->gate : gate;
	a.to_side = syt_label_side(labels, to);
	for (uint32_t i = 0; i < way->nr_hops; i++) {
		remote.hops[i].thread = way->hops[i].send.thread;
		remote.hops[i].wait_side = syt_label_side(labels, way->hops[i].wait);
		remote.hops[i].send_side = syt_label_side(labels, way->hops[i].send);
	}
	for (uint32_t n = 0; n < g->nr_held; n++) {
		struct syt_place from = g->acquires[way->instance * g->nr_held + n];

		if (!may_close(r, g->held[n].object, taken->object))
			continue;
		a.from = g->held[n].object;
		a.from_side = syt_label_side(labels, from);
		a.from_is_shared = g->held[n].is_shared;
		syt_lock_order_add(r->table, &a, from, to, way->hops);
	}
	free(a.held);
}

static bool is_on_way(const struct way *w, uint32_t thread)
{
	bool is = w->g->thread == thread;

	for (uint32_t i = 0; i < w->nr_hops; i++)
		is |= w->hops[i].send.thread == thread;
	return is;
}

static void explore(struct syt_replies *r, const struct way *way);

/* Extends the chain WAY if its last thread, which holds the locks of HAS, waits for a thread in the event AT. */
static void go_on(struct syt_replies *r, const struct way *way, const struct syt_lock_walk *has,
                  struct syt_place at)
{
	const struct syt_order *o = r->l->order;
	uint32_t nr_threads = o->places.nr_threads, *until;
	const struct syt_edge *e;
	struct way next = *way;

	if (way->nr_hops == SYT_LOCK_ORDER_HOPS || !syt_dependence_is_wait(o, at))
		return;
	e = syt_dependence_ended_by(o, at);
	if (!e || is_on_way(way, e->from.thread) || e->from.row < way->until[e->from.thread] ||
	    !may_close(r, way->g->held[0].object, o->objects.nr + e->from.thread) ||
	    !syt_dependence_holds(&r->depends, e, at))
		return;
	until = syt_alloc(nr_threads, sizeof(*until));
	memcpy(until, way->until, nr_threads * sizeof(*until));
	if (add_past(r, at, until)) {
		next.hops[next.nr_hops++] = (struct syt_lock_order_hop){at, e->from};
		next.until = until;
		next.held = syt_lock_order_held_by(has, way->held, way->nr_held, &next.nr_held,
		                                   &next.gate);
		if (way->gate != SYT_NONE)
			next.gate = way->gate;
		explore(r, &next);
		free(next.held);
	}
	free(until);
}

/* Examines the acquisitions and waits that the last thread of WAY made before it sent its message. Skips events
 * without which the waits of the other threads could not begin. */
static void explore(struct syt_replies *r, const struct way *way)
{
	const struct syt_order *o = r->l->order;
	struct syt_place send = way->hops[way->nr_hops - 1].send;
	uint32_t from = way->until[send.thread];
	struct syt_lock_walk has = {.order = o, .locks = &r->l->locks, .is_out = r->is_out};
	const struct syt_thread *t = o->places.threads[send.thread];

	if (from >= send.row || syt_lock_walk_is_blind(t))
		return;
	r->nr_rows += send.row;
	if (r->nr_rows > MOST_ROWS) {
		r->l->is_cut = true;
		return;
	}
	syt_lock_walk_begin(&has);
	SYT_EACH(row, 0, send.row) {
		struct syt_place at = {send.thread, row};
		struct syt_lock_walk_taken taken;
		bool is_taken;

		syt_lock_walk_reach(&has, t, row);
		is_taken = syt_lock_walk_see(&has, at, &taken);

		if (row >= from)
			go_on(r, way, &has, at);
		if (!is_taken)
			continue;
		if (row >= from && taken.may_wait)
			add_arcs(r, way, &has, &taken, at);
		syt_lock_walk_take(&has, at, &taken);
	}
	syt_lock_walk_leave(t, send.row);
	syt_lock_walk_end(&has);
}

static void explore_group(struct syt_replies *r, const struct syt_reply_group *g)
{
	const struct syt_order *o = r->l->order;
	uint32_t nr_threads = o->places.nr_threads;
	uint32_t *until = syt_alloc(nr_threads, sizeof(*until));

	for (uint32_t i = 0; i < syt_lock_order_nr_kept(g->nr); i++) {
		struct syt_place wait = g->hops[i].wait;
		const struct syt_edge *e = syt_dependence_ended_by(o, wait);
		struct way way = {.g = g,
		                  .instance = i,
		                  .nr_hops = 1,
		                  .hops = {g->hops[i]},
		                  .gate = SYT_NONE,
		                  .nr_held = g->nr_held,
		                  .held = g->held,
		                  .until = until};

		if (!syt_dependence_holds(&r->depends, e, wait)) {
			r->l->nr_waits_left_out++;
			continue;
		}
		memset(until, 0, nr_threads * sizeof(*until));
		if (add_past(r, wait, until))
			explore(r, &way);
	}
	free(until);
}

void syt_replies_find_arcs(struct syt_replies *r)
{
	uint32_t nr_objects = r->l->order->objects.nr;

	if (!r->nr_groups)
		return;
	find_components(r);
	for (size_t i = 0; i < r->nr_groups; i++) {
		const struct syt_reply_group *g = &r->groups[i];
		bool is_any = false;

		for (uint32_t n = 0; n < g->nr_held; n++)
			is_any |= may_close(r, g->held[n].object, nr_objects + g->sender);
		if (is_any)
			explore_group(r, g);
	}
}

/* ---- open and close ---- */

void syt_replies_open(struct syt_replies *r, struct syt_lock_order_table *t, const bool *is_out,
                      const bool *is_lone)
{
	uint32_t nr_objects = t->l->order->objects.nr;

	*r = (struct syt_replies){.l = t->l, .table = t, .is_out = is_out, .is_lone = is_lone};
	r->last_taker = syt_store_alloc(nr_objects, sizeof(*r->last_taker));
	syt_dependence_open(&r->depends, t->l->order);
}

void syt_replies_close(struct syt_replies *r)
{
	for (size_t i = 0; i < r->nr_groups; i++) {
		free(r->groups[i].held);
		free(r->groups[i].acquires);
	}
	free(r->groups);
	syt_store_free(r->taken);
	syt_store_free(r->last_taker);
	syt_dependence_close(&r->depends);
	free(r->component);
	if (r->has_reach)
		syt_reach_close(&r->back);
	free(r->nearest);
}
