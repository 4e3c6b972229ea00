/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Gathers the waits for each lock, the times for which threads held it, and the causes of the waits. */
#include "decoder/report/contention/contention.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/sort.h"
#include "decoder/history/instants.h"
#include "decoder/report/contention/paths.h"

#define CONVOY_LEAST 16u /* least number of releases of a convoy */
#define ENOUGH_ACROSS 65536u
#define MOST_SKIPPED 8u
#define AHEAD 32u                /* a row is loaded so many steps before it is read */
#define LEAST_HOLDING_NS 100000u /* a shorter holding is not examined for calls */

/* An acquisition of the lock, and its call path. */
struct taken {
	struct syt_place at;
	uint32_t side;
};

/* State of the work on one lock. */
struct work {
	struct syt_contention *c;
	struct syt_blamer *blamer;
	struct syt_contention_lock *lock;
	uint32_t *seen, *seen_waiting; /* [thread]: index + 1 of the last lock that counted it */
	struct syt_contention_paths paths;
	size_t nr_taken, room_taken, next_taken;
	struct taken *taken; /* in the order of time */
	size_t nr_waits, room_begins, room_ends;
	size_t near; /* number of holdings that the last search found */
	syt_time *begins, *ends;
	size_t nr_blames, room_blames;
	struct syt_contention_blame *blames; /* each cause once */
	struct syt_hash by_cause;            /* index of `blames` */
	size_t nr_across, room_across, enough_across;
	struct syt_contention_across *across;
	struct syt_blames pieces;
};

static int by_cause(const struct syt_contention_blame *a, const struct syt_contention_blame *b)
{
	SYT_ORDER_BY(waiter);
	SYT_ORDER_BY(blame.kind);
	SYT_ORDER_BY(blame.side);
	SYT_ORDER_BY(blame.direct);
	SYT_ORDER_BY(blame.object);
	SYT_ORDER_BY(blame.is_passed_on);
	return 0;
}

/* Sorts parts of waits by their cause. */
static int same_first(const void *a_, const void *b_)
{
	const struct syt_contention_blame *a = a_, *b = b_;
	int order = by_cause(a, b);

	if (order)
		return order;
	SYT_ORDER(b->largest, a->largest);
	return syt_place_compare(a->wait, b->wait);
}

static int longest_first(const void *a_, const void *b_)
{
	const struct syt_contention_blame *a = a_, *b = b_;

	SYT_ORDER(b->blame.time, a->blame.time);
	return same_first(a, b);
}

/* Adds the parts MORE of waits to B, which has the same cause. The longest part stays the example. */
static void merge_blame(struct syt_contention_blame *b, const struct syt_contention_blame *more)
{
	const struct syt_contention_blame *first = same_first(b, more) <= 0 ? b : more;
	struct syt_contention_blame sum = *first;

	syt_blame_merge(&sum.blame, first == b ? &more->blame : &b->blame);
	sum.nr_waits = b->nr_waits + more->nr_waits;
	*b = sum;
}

/* Adds B, a part of a wait, to the parts with the same cause. */
static void add_blame(struct work *w, const struct syt_contention_blame *b)
{
	const struct syt_blame *of = &b->blame;
	uint32_t hash = syt_hash_words((uint64_t)b->waiter << 32 | of->side,
	                               ((uint64_t)of->direct << 32 | of->object) +
	                                       (2u * of->kind + of->is_passed_on) *
	                                               UINT64_C(0x9e3779b97f4a7c15));
	uint32_t n = SYT_HASH_FIND(&w->by_cause, hash, i, !by_cause(&w->blames[i], b));

	if (n != SYT_HASH_NONE) {
		merge_blame(&w->blames[n], b);
		return;
	}
	syt_hash_add(&w->by_cause, hash, w->nr_blames);
	*SYT_STORE_ADD(w->blames, w->nr_blames, w->room_blames) = *b;
}

static size_t merge(struct syt_contention_blame *all, size_t nr_all)
{
	size_t nr = 0;

	syt_sort(all, nr_all, sizeof(*all), same_first);
	for (size_t i = 0; i < nr_all; i++)
		if (nr && !by_cause(&all[nr - 1], &all[i])) {
			merge_blame(&all[nr - 1], &all[i]);
		} else {
			all[nr++] = all[i];
		}
	return nr;
}

size_t syt_contention_sum_blames(struct syt_contention_blame *all, size_t nr)
{
	nr = merge(all, nr);
	syt_sort(all, nr, sizeof(*all), longest_first);
	return nr;
}

/* Removes those parts of a wait in which no thread held the lock, and returns the sum of the other parts. When a
 * condition wait takes its mutex back, only the time of holders counts. */
static syt_time keep_holders(struct syt_blames *pieces)
{
	syt_time left = 0;
	size_t nr = 0;

	for (size_t i = 0; i < pieces->nr; i++) {
		if (pieces->all[i].direct == SYT_NONE)
			continue;
		left += pieces->all[i].time;
		pieces->all[nr++] = pieces->all[i];
	}
	pieces->nr = nr;
	return left;
}

/* Returns the number of holdings of a read-write lock that began and ended between FROM and TO. */
static uint32_t nr_passed(struct work *w, syt_time from, syt_time to)
{
	const struct syt_holdings *h;
	uint32_t nr = 0;

	if (syt_object_kind(&w->c->order->objects, w->lock->object) != SYT_KIND_RWLOCK)
		return 0;
	h = syt_blamer_holdings(w->blamer, w->lock->object);
	for (size_t i = syt_holdings_until(h, from, &w->near),
	            end = syt_holdings_until(h, to, &w->near);
	     i < end; i++)
		nr += h->all[i].from >= from;
	return nr;
}

static void add_wait(struct work *w, struct syt_place at, uint32_t side, syt_time from, syt_time to,
                     bool is_taken_back)
{
	syt_time length = to - from;

	w->pieces.nr = 0;
	syt_blame_wait(w->blamer, w->lock->object, at, from, to, &w->pieces);
	if (is_taken_back) {
		length = keep_holders(&w->pieces);
		if (!length)
			return;
	}
	syt_blames_merge(&w->pieces);
	for (size_t i = 0; i < w->pieces.nr; i++) {
		const struct syt_blame *b = &w->pieces.all[i];

		w->lock->by_kind[b->kind] += b->time;
		add_blame(w, &(struct syt_contention_blame){side, *b, 1, at, b->time});
	}
	syt_contention_add_wait(&w->paths, side, at, length, nr_passed(w, from, to));
	size_t nr = w->nr_waits + 1;

	syt_store_widen(&w->begins, &w->room_begins, w->nr_waits, nr, sizeof(*w->begins));
	syt_store_widen(&w->ends, &w->room_ends, w->nr_waits, nr, sizeof(*w->ends));
	w->begins[w->nr_waits] = from;
	w->ends[w->nr_waits++] = to;
	if (w->seen_waiting[at.thread] != w->lock->object + 1) {
		w->seen_waiting[at.thread] = w->lock->object + 1;
		w->lock->nr_waiters++;
	}
}

/* Returns the end of the waker's critical section. From this time on, WAIT, a wait on a condition variable, waited
 * only for its mutex. Returns 0 if the waker is unknown. */
static syt_time woken_at(struct work *w, struct syt_place wait)
{
	const struct syt_order *o = w->c->order;
	uint32_t number = syt_blamer_ended_by(w->blamer, wait);
	const struct syt_edge *e = number == SYT_NONE ? NULL : &o->edges.all[number];
	const struct syt_holdings *h = syt_blamer_holdings(w->blamer, w->lock->object);
	size_t next;
	syt_time at;

	if (!e || e->kind != SYT_EDGE_COND)
		return 0;
	at = syt_edge_begin(&o->edges, e);
	next = syt_holdings_until(h, at, &w->near);
	if (next < h->nr && h->all[next].acquire.thread == e->from.thread &&
	    h->all[next].from <= at)
		at = h->all[next].to;
	return at;
}

static void see_thread(struct work *w, uint32_t thread)
{
	const struct syt_thread *t = w->c->order->places.threads[thread];

	if (w->seen[thread] == w->lock->object + 1)
		return;
	w->seen[thread] = w->lock->object + 1;
	w->lock->nr_threads++;
	if (t->nr_rows)
		w->lock->lifetime += t->rows[t->nr_rows - 1].out - t->rows[0].in;
}

static void see_touch(struct work *w, const struct syt_touch *t)
{
	const struct syt_places *p = &w->c->order->places;
	const struct syt_row *r = syt_place_row(p, t->place);
	enum syt_holdings_step step = syt_holdings_step(p, t);
	uint32_t side;

	if (step == SYT_HOLDINGS_ACQUIRE || step == SYT_HOLDINGS_SHARE) {
		see_thread(w, t->place.thread);
		w->lock->nr_acquired++;
		side = syt_label_side(w->c->labels, t->place);
		syt_contention_add_acquired(&w->paths, side, t->place);
		*SYT_STORE_ADD(w->taken, w->nr_taken, w->room_taken) =
			(struct taken){t->place, side};
		if (t->role == SYT_ROLE_SECOND) {
			syt_time from = woken_at(w, t->place);

			if (!from) {
				w->lock->nr_untold++;
				w->lock->nr_timed_out += r->result != 0;
			} else if (from < r->out) {
				add_wait(w, t->place, side, from < r->in ? r->in : from, r->out,
				         true);
			}
		} else if (r->in < r->out) {
			add_wait(w, t->place, side, r->in, r->out, false);
		}
		return;
	}
	if (t->role != SYT_ROLE_SELF ||
	    (t->shape != SYT_SHAPE_LOCK && t->shape != SYT_SHAPE_RDLOCK &&
	     t->shape != SYT_SHAPE_SEM_WAIT) ||
	    t->has_succeeded)
		return;
	see_thread(w, t->place.thread);
	if (r->in < r->out) {
		w->lock->nr_given_up++;
		add_wait(w, t->place, syt_label_side(w->c->labels, t->place), r->in, r->out, false);
	} else {
		w->lock->nr_busy++;
	}
}

static int same_across(const void *a_, const void *b_)
{
	const struct syt_contention_across *a = a_, *b = b_;

	SYT_ORDER_BY(holder);
	SYT_ORDER_BY(side);
	SYT_ORDER(b->most, a->most);
	return syt_place_compare(a->at, b->at);
}

static int longest_across(const void *a_, const void *b_)
{
	const struct syt_contention_across *a = a_, *b = b_;

	SYT_ORDER(b->time, a->time);
	return same_across(a, b);
}

static void merge_across(struct work *w)
{
	size_t nr = 0;

	syt_sort(w->across, w->nr_across, sizeof(*w->across), same_across);
	for (size_t i = 0; i < w->nr_across; i++) {
		struct syt_contention_across *last = nr ? &w->across[nr - 1] : NULL;

		if (last && last->holder == w->across[i].holder &&
		    last->side == w->across[i].side) {
			last->nr += w->across[i].nr;
			last->time += w->across[i].time;
		} else {
			w->across[nr++] = w->across[i];
		}
	}
	w->nr_across = nr;
	w->enough_across = 2 * nr + ENOUGH_ACROSS;
}

/* Adds the calls that the holder made during the holding H. Short holdings have no long calls. */
static void see_calls(struct work *w, const struct syt_holding *h)
{
	struct syt_place at = h->acquire;
	syt_time time;

	if (SYT_TIME_NS(h->to - h->from) < LEAST_HOLDING_NS)
		return;
	while ((time = syt_holding_next_call(&w->c->order->places, h, &at.row))) {
		syt_store_widen(&w->across, &w->room_across, w->nr_across, w->nr_across + 1,
		               sizeof(*w->across));
		w->across[w->nr_across++] =
			(struct syt_contention_across){syt_label_side(w->c->labels, h->acquire),
		                                       syt_label_side(w->c->labels, at),
		                                       1,
		                                       time,
		                                       time,
		                                       at};
		if (w->nr_across > w->enough_across)
			merge_across(w);
	}
}

/* Returns the call path of the acquisition AT. Most holdings end in the order in which they began, so the acquisition is
 * mostly the next one. The row of AT, which is rarely in a cache, is read only for others. */
static uint32_t side_of_acquisition(struct work *w, struct syt_place at)
{
	for (size_t i = w->next_taken; i < w->nr_taken && i < w->next_taken + MOST_SKIPPED; i++) {
		const struct taken *t = &w->taken[i];

		if (t->at.thread != at.thread || t->at.row != at.row)
			continue;
		w->next_taken = i + 1;
		return t->side;
	}
	return syt_label_side(w->c->labels, at);
}

static void see_holdings(struct work *w)
{
	const struct syt_holdings *h = syt_blamer_holdings(w->blamer, w->lock->object);
	struct syt_contention_lock *l = w->lock;
	/* number of waits that began before the end of the holding, and that ended by then */
	size_t nr_begun = 0, nr_ended = 0;

	l->state = h->state;
	l->nr_unended = h->nr_unended + h->nr_open;
	l->nr_releases = h->nr;
	syt_instants_sort(w->begins, w->nr_waits);
	syt_instants_sort(w->ends, w->nr_waits);
	SYT_EACH(i, 0, h->nr) {
		const struct syt_holding *x = &h->all[i];

		syt_contention_add_hold(&w->paths, side_of_acquisition(w, x->acquire), x->acquire,
		                        x->to - x->from);
		see_calls(w, x);
		/* the holdings are sorted by their ends */
		while (nr_begun < w->nr_waits && w->begins[nr_begun] < x->to)
			nr_begun++;
		while (nr_ended < w->nr_waits && w->ends[nr_ended] <= x->to)
			nr_ended++;
		size_t nr = nr_begun - nr_ended;

		l->nr_queued += nr;
		l->nr_crowded += nr >= 2;
	}
}

static void sum_blames(struct work *w)
{
	struct syt_contention_lock *l = w->lock;

	l->nr_blames = syt_contention_sum_blames(w->blames, w->nr_blames);
	if (!l->nr_blames)
		return;
	l->blames = syt_alloc(l->nr_blames, sizeof(*l->blames));
	memcpy(l->blames, w->blames, l->nr_blames * sizeof(*l->blames));
}

static void sum_across(struct work *w)
{
	struct syt_contention_lock *l = w->lock;

	merge_across(w);
	l->nr_across = w->nr_across;
	if (!l->nr_across)
		return;
	syt_sort(w->across, w->nr_across, sizeof(*w->across), longest_across);
	l->across = syt_alloc(l->nr_across, sizeof(*l->across));
	memcpy(l->across, w->across, l->nr_across * sizeof(*l->across));
}

static void see_lock(struct work *w, struct syt_contention_lock *lock, uint32_t object)
{
	struct syt_history h = syt_history_of(&w->c->order->histories, object);

	*lock = (struct syt_contention_lock){
		.object = object, .is_inferred = syt_lockset_infers(&w->blamer->locks, object)};
	w->lock = lock;
	w->nr_taken = w->next_taken = 0;
	w->nr_waits = w->nr_blames = w->nr_across = 0;
	w->enough_across = ENOUGH_ACROSS;
	syt_hash_clear(&w->by_cause);
	SYT_EACH_FAR(i, 0, h.nr) {
		/* mostly, only the rows of acquisitions are read */
		if (h.nr - i > AHEAD && h.touches[i + AHEAD].is_acquire)
			syt_place_prefetch(&w->c->order->places, h.touches[i + AHEAD].place);
		see_touch(w, &h.touches[i]);
	}
	see_holdings(w);
	syt_contention_sum_paths(&w->paths, lock);
	sum_blames(w);
	sum_across(w);
}

static bool may_be_a_lock(enum syt_kind kind)
{
	return kind == SYT_KIND_SEM || kind == SYT_KIND_FLOCK || kind == SYT_KIND_RECORD ||
	       kind == SYT_KIND_FUTEX;
}

static int worst_first(const void *a_, const void *b_)
{
	const struct syt_contention_lock *a = a_, *b = b_;

	SYT_ORDER(b->wait.total, a->wait.total);
	SYT_ORDER(b->hold.total, a->hold.total);
	SYT_ORDER(b->nr_acquired, a->nr_acquired);
	SYT_ORDER_BY(object);
	return 0;
}

static void add_up(struct syt_contention *c, const struct syt_contention_lock *l)
{
	c->nr_acquired += l->nr_acquired;
	c->nr_waits += l->wait.nr;
	c->nr_untold += l->nr_untold;
	c->nr_timed_out += l->nr_timed_out;
	c->nr_unended += l->nr_unended;
	c->nr_unknown_locks += l->state != SYT_HOLDINGS_GOOD;
	c->nr_inferred += l->is_inferred;
	c->waited += l->wait.total;
	for (unsigned k = 0; k < SYT_NR_BLAMES; k++)
		c->by_kind[k] += l->by_kind[k];
}

void syt_contention_open(struct syt_contention *c, struct syt_blamer *blamer)
{
	const struct syt_order *order = blamer->order;
	uint32_t nr_threads = order->places.nr_threads;
	struct work w = {.c = c,
	                 .blamer = blamer,
	                 .seen = syt_calloc(nr_threads, sizeof(*w.seen)),
	                 .seen_waiting = syt_calloc(nr_threads, sizeof(*w.seen_waiting))};
	size_t room = 0;

	memset(c, 0, sizeof(*c));
	c->order = order;
	c->labels = blamer->labels;
	syt_blamer_find_holdings(blamer, NULL);
	for (uint32_t i = 0; i < order->objects.nr; i++) {
		struct syt_contention_lock lock;

		if (!syt_lockset_has(&blamer->locks, i)) {
			c->nr_others += may_be_a_lock(syt_object_kind(&order->objects, i)) &&
			                syt_history_of(&order->histories, i).nr;
			continue;
		}
		see_lock(&w, &lock, i);
		add_up(c, &lock);
		if (!lock.nr_threads) {
			free(lock.paths);
			free(lock.blames);
			free(lock.across);
			continue;
		}
		syt_grow(&c->locks, &room, c->nr_locks + 1, sizeof(*c->locks));
		c->locks[c->nr_locks++] = lock;
	}
	if (c->nr_locks)
		qsort(c->locks, c->nr_locks, sizeof(*c->locks), worst_first);
	syt_herds_find(c);
	syt_blames_close(&w.pieces);
	syt_contention_paths_close(&w.paths);
	syt_store_free(w.taken);
	syt_store_free(w.begins);
	syt_store_free(w.ends);
	syt_store_free(w.blames);
	syt_hash_close(&w.by_cause);
	syt_store_free(w.across);
	free(w.seen);
	free(w.seen_waiting);
}

void syt_contention_close(struct syt_contention *c)
{
	for (size_t i = 0; i < c->nr_locks; i++) {
		free(c->locks[i].paths);
		free(c->locks[i].blames);
		free(c->locks[i].across);
	}
	free(c->locks);
	free(c->herds);
	free(c->signals);
	memset(c, 0, sizeof(*c));
}

bool syt_contention_stands_out(const struct syt_contention_lock *l, unsigned least_thousandths)
{
	return l->wait.total && l->wait.total / 1000 >= l->lifetime / 1000000 * least_thousandths;
}

bool syt_contention_is_convoy(const struct syt_contention_lock *l)
{
	return l->nr_releases >= CONVOY_LEAST && l->nr_waiters >= 3 &&
	       l->nr_crowded * 2 >= l->nr_releases;
}
