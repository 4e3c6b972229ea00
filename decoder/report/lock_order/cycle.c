/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds cycles of lock-order arcs. Cycles lie inside of the strongly connected components of the locks, so locks
 * that are always taken in one order cost no search. The search tries all cycles of up to SYT_LOCK_ORDER_LENGTH
 * locks, and all choices of one arc for each step. The search is limited, and the report states if a limit was
 * reached.
 *
 * An instance of an arc is one occurrence: it lasts from the acquisition of one lock to the acquisition of the
 * other. The instances of two arcs decide whether the arcs can be under way at the same time. One instance ended
 * before the other began if happens-before edges lead from its end to the begin of the other.
 */
#include "decoder/report/lock_order/arc.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/component.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/order/reach.h"

#define MOST_STEPS 1000000u /* maximum number of steps from lock to lock, in all */
#define MOST_WAYS 20000u    /* maximum of choices of arcs and instances for one cycle of locks */
#define MOST_WAYS_IN_ALL 20000000u
/* maximum number of searches for the events that an instance of an arc happens before */
#define MOST_SEARCHES 512u
#define MOST_CYCLES 1000u /* maximum number of stored cycles */

/* All arcs from one lock to another lock. */
struct pair {
	uint32_t from, to;
	size_t first, nr; /* range of the arcs in finder.sorted */
};

/* The events after an instance of an arc and before it, by happens-before edges. */
struct reached {
	uint32_t *from;  /* [thread]: first event after the instance; SYT_NONE: none */
	uint32_t *until; /* [thread]: last event before the instance, plus one; 0: none */
};

struct finder {
	struct syt_lock_order *l;
	uint32_t *sorted; /* indices of the arcs, sorted by first lock, then second lock */
	size_t nr_pairs;
	struct pair *pairs;
	size_t *first_pair;  /* [object]: first pair that begins with this lock; one element more */
	uint32_t *component; /* [object]: number of its strongly connected component */
	uint64_t nr_steps;
	/* the cycle of locks that is being examined */
	uint32_t length;
	size_t path[SYT_LOCK_ORDER_LENGTH]; /* indices of the pairs of the cycle */
	uint32_t arcs[SYT_LOCK_ORDER_LENGTH], instances[SYT_LOCK_ORDER_LENGTH];
	uint64_t nr_ways, nr_ways_in_all;
	struct syt_lock_order_cycle best;
	/* the next five members serve the search in the order of events */
	bool has_reach, has_no_reach;
	struct syt_reach forward, back;
	struct reached **reached; /* [arc][instance]: result of the search */
	struct syt_nearest *nearest;
	unsigned nr_searches;
};

/* ---- order of events ---- */

/* Adds the events that happen before AT to R. */
static void add_past(struct finder *f, struct reached *r, struct syt_place at)
{
	syt_reach_nearest(&f->back, at, 0, f->nearest);
	for (uint32_t t = 0; t < f->l->order->places.nr_threads; t++)
		if (f->nearest[t].place.thread != SYT_NONE &&
		    f->nearest[t].place.row >= r->until[t])
			r->until[t] = f->nearest[t].place.row + 1;
}

/* Returns the event before AT in its thread. */
static struct syt_place before(struct syt_place at)
{
	return at.row ? (struct syt_place){at.thread, at.row - 1} : at;
}

static const struct reached *reached_by(struct finder *f, uint32_t arc, uint32_t instance)
{
	const struct syt_order *o = f->l->order;
	const struct syt_lock_order_arc *a = &f->l->arcs[arc];
	uint32_t nr_threads = o->places.nr_threads;
	struct reached *r;

	if (!f->has_reach) {
		f->has_reach = true;
		f->has_no_reach = syt_reach_open(&f->forward, &o->edges, false) ||
		                  syt_reach_open(&f->back, &o->edges, true);
		f->nearest = syt_calloc(nr_threads, sizeof(*f->nearest));
	}
	if (!f->reached[arc])
		f->reached[arc] = syt_calloc(SYT_LOCK_ORDER_INSTANCES, sizeof(**f->reached));
	r = &f->reached[arc][instance];
	if (r->from)
		return r;
	if (f->has_no_reach || f->nr_searches == MOST_SEARCHES)
		return NULL;
	f->nr_searches++;
	r->from = syt_alloc(nr_threads, sizeof(*r->from));
	r->until = syt_calloc(nr_threads, sizeof(*r->until));
	syt_reach_nearest(&f->forward, a->instances[instance].to, 0, f->nearest);
	for (uint32_t t = 0; t < nr_threads; t++)
		r->from[t] =
			f->nearest[t].place.thread == SYT_NONE ? SYT_NONE : f->nearest[t].place.row;
	if (!a->remote) {
		add_past(f, r, a->instances[instance].from);
		return r;
	}
	for (uint32_t i = 0; i < a->remote->nr; i++)
		add_past(f, r, before(a->remote->instances[instance][i].wait));
	add_past(f, r, before(a->instances[instance].to));
	return r;
}

enum when { TOGETHER, BEFORE, AFTER, UNKNOWN };

/* Compares the instance of R with the event AT. The results BEFORE and AFTER mean that both cannot be under way at
 * the same time. */
static enum when compare_at(const struct reached *r, struct syt_place at)
{
	if (r->from[at.thread] < at.row)
		return BEFORE;
	if (at.row < r->until[at.thread])
		return AFTER;
	return TOGETHER;
}

/* Compares instance N of arc A, which has several threads, with instance M of arc B. In a deadlock, each thread of
 * A would be in the wait or the acquisition in which it blocks. */
static enum when compare_remote(struct finder *f, uint32_t a, uint32_t n, uint32_t b, uint32_t m)
{
	const struct reached *r = reached_by(f, a, n);
	const struct syt_lock_order_arc *other = &f->l->arcs[b];
	enum when when;

	if (!r)
		return UNKNOWN;
	when = compare_at(r, other->instances[m].to);
	for (uint32_t i = 0; other->remote && i < other->remote->nr && when == TOGETHER; i++)
		when = compare_at(r, other->remote->instances[m][i].wait);
	return when;
}

/* Compares instance N of arc A with instance M of arc B. Returns BEFORE if A's ended before B's began. */
static enum when compare(struct finder *f, uint32_t a, uint32_t n, uint32_t b, uint32_t m)
{
	const struct reached *r;
	const struct syt_lock_order_arc *other = &f->l->arcs[b];

	if (f->l->arcs[a].remote)
		return compare_remote(f, a, n, b, m);
	if (other->remote) {
		enum when when = compare_remote(f, b, m, a, n);

		return when == BEFORE ? AFTER : when == AFTER ? BEFORE : when;
	}
	r = reached_by(f, a, n);
	if (!r)
		return UNKNOWN;
	if (other->instances[m].from.row >= r->from[other->thread])
		return BEFORE;
	if (other->instances[m].to.row < r->until[other->thread])
		return AFTER;
	return TOGETHER;
}

/* Returns true if all instances of one of the arcs A and B ended before any instance of the other arc began. */
static bool are_apart(struct finder *f, uint32_t a, uint32_t b)
{
	uint32_t last_a = syt_lock_order_nr_kept(f->l->arcs[a].nr) - 1,
		 last_b = syt_lock_order_nr_kept(f->l->arcs[b].nr) - 1;

	return compare(f, a, last_a, b, 0) == BEFORE || compare(f, b, last_b, a, 0) == BEFORE;
}

/* ---- the arcs of one cycle of locks ---- */

static void tell(struct finder *f, enum syt_verdict_kind verdict, uint32_t nr_chosen, uint32_t gate)
{
	struct syt_lock_order_cycle *best = &f->best;

	if (best->length && best->verdict <= verdict)
		return;
	*best = (struct syt_lock_order_cycle){
		.verdict = verdict, .length = f->length, .gate = gate, .nr = 1};
	for (uint32_t i = 0; i < f->length; i++) {
		best->arcs[i] = i < nr_chosen ? f->arcs[i] : f->sorted[f->pairs[f->path[i]].first];
		best->instances[i] = verdict == SYT_VERDICT_POSSIBLE ? f->instances[i] : 0;
	}
}

static bool is_exhausted(struct finder *f, uint32_t nr_chosen)
{
	f->nr_ways_in_all++;
	if (f->nr_ways++ < MOST_WAYS)
		return false;
	tell(f, SYT_VERDICT_UNCHECKED, nr_chosen, SYT_NONE);
	return true;
}

/* Chooses instances for the chosen arcs from number NR on, so that all can have been under way together. */
static enum syt_verdict_kind choose_instances(struct finder *f, uint32_t nr)
{
	enum syt_verdict_kind worst = SYT_VERDICT_ORDERED;

	if (nr == f->length)
		return SYT_VERDICT_POSSIBLE;
	const struct syt_lock_order_arc *a = &f->l->arcs[f->arcs[nr]];

	if (a->nr > SYT_LOCK_ORDER_INSTANCES)
		worst = SYT_VERDICT_UNCHECKED;
	for (uint32_t n = 0; n < syt_lock_order_nr_kept(a->nr); n++) {
		enum when when = TOGETHER;

		if (is_exhausted(f, f->length))
			return SYT_VERDICT_UNCHECKED;
		for (uint32_t i = 0; i < nr && when == TOGETHER; i++)
			when = compare(f, f->arcs[i], f->instances[i], f->arcs[nr], n);
		if (when == UNKNOWN)
			return SYT_VERDICT_UNCHECKED;
		if (when != TOGETHER)
			continue;
		f->instances[nr] = n;
		enum syt_verdict_kind verdict = choose_instances(f, nr + 1);

		if (verdict == SYT_VERDICT_POSSIBLE)
			return verdict;
		if (verdict < worst)
			worst = verdict;
	}
	return worst;
}

static enum syt_verdict_kind when_of_chosen(struct finder *f)
{
	for (uint32_t i = 0; i < f->length; i++)
		for (uint32_t n = i + 1; n < f->length; n++)
			if (are_apart(f, f->arcs[i], f->arcs[n]))
				return SYT_VERDICT_ORDERED;
	return choose_instances(f, 0);
}

/* Returns a lock that the threads of both arcs A and B held and that excludes one of the two threads; SYT_NONE:
 * there is none. */
static uint32_t gate_of(const struct syt_lock_order_arc *a, const struct syt_lock_order_arc *b)
{
	uint32_t i = 0, n = 0;

	while (i < a->nr_held && n < b->nr_held) {
		if (a->held[i].object == b->held[n].object) {
			if (!a->held[i].is_shared || !b->held[n].is_shared)
				return a->held[i].object;
			i++;
			n++;
		} else if (a->held[i].object < b->held[n].object) {
			i++;
		} else {
			n++;
		}
	}
	return SYT_NONE;
}

/* Returns the thread with index N of arc A; SYT_NONE: A has fewer threads. */
static uint32_t thread_of(const struct syt_lock_order_arc *a, uint32_t n)
{
	if (!n)
		return a->thread;
	return a->remote && n <= a->remote->nr ? a->remote->hops[n - 1].thread : SYT_NONE;
}

static bool has_common_thread(const struct syt_lock_order_arc *a,
                              const struct syt_lock_order_arc *b)
{
	for (uint32_t i = 0; thread_of(a, i) != SYT_NONE; i++)
		for (uint32_t n = 0; thread_of(b, n) != SYT_NONE; n++)
			if (thread_of(a, i) == thread_of(b, n))
				return true;
	return false;
}

/* Returns true if both threads only read (hold shared) the lock where arc A ends and arc B begins. */
static bool only_read(const struct syt_lock_order_arc *a, const struct syt_lock_order_arc *b)
{
	return a->to_is_shared && b->from_is_shared;
}

/* Returns true if chosen arc NR can be under way at the same time as the arcs chosen before it; otherwise stores
 * the verdict. */
static bool goes_with(struct finder *f, uint32_t nr)
{
	const struct syt_lock_order_arc *all = f->l->arcs, *a = &all[f->arcs[nr]];

	if (a->remote && a->remote->gate != SYT_NONE) {
		tell(f, SYT_VERDICT_GATED, nr + 1, a->remote->gate);
		return false;
	}
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t gate;

		if (has_common_thread(&all[f->arcs[i]], a)) {
			tell(f, SYT_VERDICT_SAME_THREAD, nr + 1, SYT_NONE);
			return false;
		}
		gate = gate_of(&all[f->arcs[i]], a);
		if (gate != SYT_NONE) {
			tell(f, SYT_VERDICT_GATED, nr + 1, gate);
			return false;
		}
	}
	if ((nr && only_read(&all[f->arcs[nr - 1]], a)) ||
	    (nr + 1 == f->length && only_read(a, &all[f->arcs[0]]))) {
		tell(f, SYT_VERDICT_SHARED, nr + 1, SYT_NONE);
		return false;
	}
	return true;
}

/* Chooses arcs for the steps of the cycle from NR on. Returns true if the worst possible verdict was found. */
static bool choose_arcs(struct finder *f, uint32_t nr)
{
	const struct pair *p;

	if (nr == f->length) {
		tell(f, when_of_chosen(f), nr, SYT_NONE);
		return f->best.verdict == SYT_VERDICT_POSSIBLE;
	}
	p = &f->pairs[f->path[nr]];
	for (size_t i = 0; i < p->nr; i++) {
		f->arcs[nr] = f->sorted[p->first + i];
		if (is_exhausted(f, nr + 1))
			return true;
		if (goes_with(f, nr) && choose_arcs(f, nr + 1))
			return true;
	}
	return false;
}

/* ---- cycles of locks ---- */

/* Returns true if two cycles have equal call paths, from whichever lock they start. */
static bool is_same(const struct syt_lock_order *l, const struct syt_lock_order_cycle *a,
                    const struct syt_lock_order_cycle *b)
{
	if (a->length != b->length)
		return false;
	for (uint32_t turn = 0; turn < a->length; turn++) {
		uint32_t i = 0;

		for (; i < a->length; i++) {
			const struct syt_lock_order_arc *x = &l->arcs[a->arcs[i]];
			const struct syt_lock_order_arc *y =
				&l->arcs[b->arcs[(i + turn) % a->length]];

			if (x->from_side != y->from_side || x->to_side != y->to_side ||
			    !syt_lock_order_has_same_hops(x->remote, y->remote, false))
				break;
		}
		if (i == a->length)
			return true;
	}
	return false;
}

static void add_cycle(struct finder *f)
{
	struct syt_lock_order *l = f->l;

	f->best = (struct syt_lock_order_cycle){0};
	f->nr_ways = 0;
	choose_arcs(f, 0);
	for (size_t i = 0; i < l->nr_cycles; i++) {
		struct syt_lock_order_cycle *known = &l->cycles[i];
		uint64_t nr = known->nr + 1;

		f->nr_ways_in_all++;
		if (!is_same(l, known, &f->best))
			continue;
		if (f->best.verdict < known->verdict)
			*known = f->best;
		known->nr = nr;
		return;
	}
	if (l->nr_cycles == MOST_CYCLES) {
		l->is_cut = true;
		return;
	}
	syt_grow(&l->cycles, &l->room_cycles, l->nr_cycles + 1, sizeof(*l->cycles));
	l->cycles[l->nr_cycles++] = f->best;
}

/* Follows the arcs from lock AT back to lock START, only through locks with greater numbers than START. */
static void follow(struct finder *f, uint32_t start, uint32_t at, uint32_t depth)
{
	for (size_t i = f->first_pair[at]; i < f->first_pair[at + 1]; i++) {
		uint32_t to = f->pairs[i].to;
		bool is_on_path = false;

		if (to < start || f->component[to] != f->component[start])
			continue;
		if (f->nr_steps++ >= MOST_STEPS || f->nr_ways_in_all >= MOST_WAYS_IN_ALL) {
			f->l->is_cut = true;
			return;
		}
		f->path[depth] = i;
		if (to == start) {
			f->length = depth + 1;
			add_cycle(f);
			continue;
		}
		for (uint32_t n = 0; n < depth; n++)
			is_on_path |= f->pairs[f->path[n]].to == to;
		if (is_on_path)
			continue;
		if (depth + 1 < SYT_LOCK_ORDER_LENGTH)
			follow(f, start, to, depth + 1);
		else
			f->l->is_cut = true;
	}
}

static void find_components(struct finder *f)
{
	uint32_t *to = syt_store_alloc(f->nr_pairs, sizeof(*to));

	for (size_t i = 0; i < f->nr_pairs; i++)
		to[i] = f->pairs[i].to;
	syt_components_find(f->l->order->objects.nr, f->first_pair, to, f->component);
	syt_store_free(to);
}

/* ---- the whole search ---- */

static int by_locks(const void *a_, const void *b_, void *arcs_)
{
	const struct syt_lock_order_arc *arcs = arcs_;
	uint32_t i = *(const uint32_t *)a_, n = *(const uint32_t *)b_;
	const struct syt_lock_order_arc *a = &arcs[i], *b = &arcs[n];

	SYT_ORDER_BY(from);
	SYT_ORDER_BY(to);
	return i < n ? -1 : i > n;
}

static void make_pairs(struct finder *f)
{
	const struct syt_lock_order *l = f->l;
	uint32_t nr_objects = l->order->objects.nr;

	f->sorted = syt_store_alloc(l->nr_arcs, sizeof(*f->sorted));
	f->pairs = syt_store_alloc(l->nr_arcs, sizeof(*f->pairs));
	f->first_pair = syt_calloc((size_t)nr_objects + 1, sizeof(*f->first_pair));
	for (size_t i = 0; i < l->nr_arcs; i++)
		f->sorted[i] = (uint32_t)i;
	syt_sort_with(f->sorted, l->nr_arcs, sizeof(*f->sorted), by_locks, l->arcs);
	for (size_t i = 0; i < l->nr_arcs; i++) {
		const struct syt_lock_order_arc *a = &l->arcs[f->sorted[i]];
		struct pair *last = f->nr_pairs ? &f->pairs[f->nr_pairs - 1] : NULL;

		if (last && last->from == a->from && last->to == a->to) {
			last->nr++;
		} else {
			f->pairs[f->nr_pairs++] = (struct pair){a->from, a->to, i, 1};
			f->first_pair[a->from + 1]++;
		}
	}
	for (uint32_t i = 0; i < nr_objects; i++)
		f->first_pair[i + 1] += f->first_pair[i];
}

static int worst_first(const void *a_, const void *b_)
{
	const struct syt_lock_order_cycle *a = a_, *b = b_;

	SYT_ORDER_BY(verdict);
	SYT_ORDER_BY(length);
	for (uint32_t i = 0; i < a->length; i++)
		SYT_ORDER_BY(arcs[i]);
	return 0;
}

void syt_lock_order_find_cycles(struct syt_lock_order *l)
{
	uint32_t nr_objects = l->order->objects.nr;
	struct finder f = {.l = l,
	                   .component = syt_calloc(nr_objects, sizeof(*f.component)),
	                   .reached = syt_calloc(l->nr_arcs, sizeof(*f.reached))};

	make_pairs(&f);
	find_components(&f);
	for (uint32_t i = 0; i < nr_objects; i++)
		follow(&f, i, i, 0);
	if (l->nr_cycles)
		qsort(l->cycles, l->nr_cycles, sizeof(*l->cycles), worst_first);
	for (size_t i = 0; i < l->nr_arcs; i++) {
		for (uint32_t n = 0; n < SYT_LOCK_ORDER_INSTANCES && f.reached[i]; n++) {
			free(f.reached[i][n].from);
			free(f.reached[i][n].until);
		}
		free(f.reached[i]);
	}
	if (f.has_reach) {
		syt_reach_close(&f.forward);
		syt_reach_close(&f.back);
	}
	free(f.nearest);
	free(f.reached);
	free(f.component);
	syt_store_free(f.sorted);
	syt_store_free(f.pairs);
	free(f.first_pair);
}
