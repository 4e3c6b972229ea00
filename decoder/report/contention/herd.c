/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds thundering herds: a broadcast wakes many threads, and only few of them find work. */
#include "decoder/report/contention/contention.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"

#define HERD_LEAST 3u       /* least average of threads that one broadcast of a herd wakes */
#define HERD_LEAST_TIMES 4u /* least number of broadcasts of a herd */
/* a thread that waits again later may have found work, without another synchronization */
#define MOST_CHECK ((syt_time)50000 << SYT_TIME_SHIFT)

/* A broadcast or signal of a condition variable that woke a thread, or may have woken it. */
struct woken {
	struct syt_place by;
	uint32_t object, side;
	/* the wait is counted here: true for one of the possible broadcasts of each wait */
	bool counts;
	bool is_certain; /* no other broadcast can have woken the thread */
	bool is_in_vain, is_useful; /* neither: the thread may have worked without a synchronization */
	bool is_signal;
};

struct search {
	struct syt_contention *c;
	uint64_t nr_edges;
	uint32_t *edges; /* happens-before edges of condition variables, sorted by target */
	struct woken *all;
	size_t nr, room;
};

/* Looks at the next synchronization of the thread after WAIT. Sets IS_USEFUL unless it is a wait for the same condition.
 * Sets IS_IN_VAIN if it is one, except after a signal and more than MOST_CHECK later: the thread may have worked. */
static void judge(struct woken *w, const struct syt_order *o, struct syt_place wait)
{
	const struct syt_places *p = &o->places;
	uint32_t object = syt_place_row(p, wait)->object;
	struct syt_place at = wait;

	while (++at.row < p->threads[at.thread]->nr_rows) {
		if (!syt_place_is_point(p, at))
			continue;
		w->is_useful = syt_place_call(p, at)->shape != SYT_SHAPE_COND_WAIT ||
		               syt_place_row(p, at)->object != object;
		w->is_in_vain = !w->is_useful && (!w->is_signal ||
		                                  syt_place_row(p, at)->in <
		                                          syt_place_row(p, wait)->out + MOST_CHECK);
		return;
	}
}

static int by_target(const void *a_, const void *b_, void *edges_)
{
	const struct syt_edge *edges = edges_;
	uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;
	int order = syt_place_compare(edges[a].to, edges[b].to);

	return order ? order : syt_place_compare(edges[a].from, edges[b].from);
}

static int by_broadcast(const void *a_, const void *b_)
{
	const struct woken *a = a_, *b = b_;

	SYT_ORDER_BY(object);
	SYT_ORDER_BY(side);
	return syt_place_compare(a->by, b->by);
}

static int worst_first(const void *a_, const void *b_)
{
	const struct syt_contention_herd *a = a_, *b = b_;

	SYT_ORDER(b->nr_in_vain, a->nr_in_vain);
	SYT_ORDER(b->nr_woken, a->nr_woken);
	return syt_place_compare(a->at, b->at);
}

static void sum(struct syt_contention *c, const struct woken *all, size_t nr)
{
	struct syt_contention_herd *h = NULL;
	uint64_t of_this = 0;
	size_t room = 0, room_signals = 0;

	for (size_t i = 0; i < nr; i++) {
		bool is_new = !i || syt_place_compare(all[i - 1].by, all[i].by);

		if (!i || all[i - 1].object != all[i].object || all[i - 1].side != all[i].side) {
			h = all[i].is_signal ? SYT_ADD(c->signals, c->nr_signals, room_signals)
			                     : SYT_ADD(c->herds, c->nr_herds, room);
			*h = (struct syt_contention_herd){
				.object = all[i].object, .side = all[i].side, .at = all[i].by};
			is_new = true;
		}
		of_this = (is_new ? 0 : of_this) + all[i].is_certain;
		h->nr_broadcasts += is_new;
		h->nr_woken += all[i].counts;
		h->nr_in_vain += all[i].counts && all[i].is_in_vain;
		h->nr_useful += all[i].counts && all[i].is_useful;
		if (of_this > h->most) {
			h->most = of_this;
			h->at = all[i].by;
		}
	}
	if (c->nr_herds)
		qsort(c->herds, c->nr_herds, sizeof(*c->herds), worst_first);
	if (c->nr_signals)
		qsort(c->signals, c->nr_signals, sizeof(*c->signals), worst_first);
}

/* Adds one wait that broadcasts or signals may have ended. The NR happens-before edges from index I on are all
 * edges into this wait. If all sources are broadcasts, or all are signals, at one call path, it does not matter
 * which of them woke the waiter. */
static void see_wait(struct search *s, uint64_t i, uint64_t nr)
{
	const struct syt_order *o = s->c->order;
	const struct syt_edge *first = &o->edges.all[s->edges[i]];
	uint32_t side = SYT_NONE;
	bool is_signal = syt_place_call(&o->places, first->from)->shape == SYT_SHAPE_COND_SIGNAL;
	struct woken w = {.object = first->object, .is_certain = nr == 1, .is_signal = is_signal};

	for (uint64_t n = 0; n < nr; n++) {
		struct syt_place by = o->edges.all[s->edges[i + n]].from;
		uint32_t of_this;

		if (syt_place_call(&o->places, by)->shape !=
		    (is_signal ? SYT_SHAPE_COND_SIGNAL : SYT_SHAPE_COND_BROADCAST)) {
			s->c->nr_ambiguous_wakeups += nr > 1;
			return;
		}
		of_this = syt_label_side(s->c->labels, by);
		if (n && of_this != side) {
			s->c->nr_ambiguous_wakeups++; /* several call paths */
			return;
		}
		side = of_this;
	}
	s->c->nr_ambiguous_wakeups += is_signal && nr > 1;
	w.side = side;
	judge(&w, o, first->to);
	for (uint64_t n = 0; n < nr; n++) {
		w.by = o->edges.all[s->edges[i + n]].from;
		w.counts = n == 0;
		syt_store_widen(&s->all, &s->room, s->nr, s->nr + 1, sizeof(*s->all));
		s->all[s->nr++] = w;
	}
}

static void gather(struct search *s)
{
	const struct syt_edges *edges = &s->c->order->edges;

	s->edges = syt_store_alloc(edges->nr_of_kind[SYT_EDGE_COND], sizeof(*s->edges));
	SYT_EACH(i, 0, edges->nr < SYT_NONE ? edges->nr : SYT_NONE)
		if (edges->all[i].kind == SYT_EDGE_COND)
			s->edges[s->nr_edges++] = (uint32_t)i;
	syt_sort_with(s->edges, s->nr_edges, sizeof(*s->edges), by_target, edges->all);
}

void syt_herds_find(struct syt_contention *c)
{
	struct search s = {.c = c};
	const struct syt_edge *all = c->order->edges.all;

	gather(&s);
	for (uint64_t i = 0, nr; i < s.nr_edges; i += nr) {
		for (nr = 1; i + nr < s.nr_edges &&
		             !syt_place_compare(all[s.edges[i]].to, all[s.edges[i + nr]].to);
		     nr++)
			;
		see_wait(&s, i, nr);
	}
	syt_sort(s.all, s.nr, sizeof(*s.all), by_broadcast);
	sum(c, s.all, s.nr);
	syt_store_free(s.all);
	syt_store_free(s.edges);
}

bool syt_contention_is_herd(const struct syt_contention_herd *h)
{
	return h->nr_broadcasts >= HERD_LEAST_TIMES &&
	       h->nr_woken >= HERD_LEAST * h->nr_broadcasts && 2 * h->nr_in_vain >= h->nr_woken;
}
