/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Gathers the lock-order arcs: from each lock that a thread held to the lock that it took. */

#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/analysis/holding.h"
#include "decoder/order/locks.h"
#include "decoder/report/lock_order/reply.h"

/* Maximum number of held locks that are examined. Each held lock makes an arc to the taken lock, and each arc
 * stores all held locks. A program that takes thousands of locks one after the other, as before a fork, would have
 * millions of arcs. */
#define MOST_HELD 64u

const struct syt_verdict_name syt_verdict_names[SYT_NR_VERDICTS] = {
#define VERDICT(name_, word_, text_) {word_, text_},
	SYT_VERDICTS(VERDICT)
#undef VERDICT
};

uint32_t syt_lock_order_nr_threads(const struct syt_lock_order *l,
                                   const struct syt_lock_order_cycle *c)
{
	uint32_t nr = c->length;

	for (uint32_t i = 0; i < c->length; i++)
		nr += l->arcs[c->arcs[i]].remote ? l->arcs[c->arcs[i]].remote->nr : 0;
	return nr;
}

struct walk {
	struct syt_lock_order *l;
	bool *is_lone; /* [object]: only one thread used it, so no other thread can wait for it */
	bool *is_out;  /* [object]: it is not examined, because its holders are unknown */
	struct syt_lock_order_table table;
	struct syt_replies replies;
	struct syt_lock_walk has;
};

/* Returns true if events A and B are one call: semop of System V takes several semaphores at once, or none. */
static bool is_one_call(const struct walk *w, struct syt_place a, struct syt_place b)
{
	const struct syt_places *p = &w->l->order->places;
	const struct syt_row *r = syt_place_row(p, a), *s = syt_place_row(p, b);

	return syt_row_call(syt_place_image(p, a), r)->shape == SYT_SHAPE_SEM_WAIT &&
	       r->call == s->call && r->in == s->in && r->out == s->out;
}

/* Adds the lock-order arcs from all locks that the thread holds to the lock TAKEN, acquired at the event TO. */
static void add_arcs(struct walk *w, const struct syt_lock_walk_taken *taken, struct syt_place to)
{
	uint32_t side = syt_label_side(w->l->labels, to), gate, nr_held;
	struct syt_lock_order_held *held =
		syt_lock_order_held_by(&w->has, NULL, 0, &nr_held, &gate);

	for (size_t i = 0; i < w->has.nr; i++) {
		const struct syt_lock_walk_held *m = &w->has.held[i];

		if (is_one_call(w, m->acquire, to))
			continue;
		struct syt_lock_order_arc a = {.from = m->object,
		                               .to = taken->object,
		                               .thread = to.thread,
		                               .from_side =
		                                       syt_label_side(w->l->labels, m->acquire),
		                               .to_side = side,
		                               .from_is_shared = m->is_shared,
		                               .to_is_shared = taken->is_shared,
		                               .nr_held = nr_held,
		                               .held = held};

		syt_lock_order_add(&w->table, &a, m->acquire, to, NULL);
	}
	free(held);
}

/* Returns true if THREAD waits, at the end, for a condition, and has released the mutex OBJECT for this. */
static bool waits_with(const struct syt_lock_order *l, uint32_t thread, uint32_t object)
{
	const struct syt_blocked_call *c = syt_blocked_call_of(&l->blocked, thread);

	return c && c->object2 == object;
}

static void keep(struct walk *w, uint32_t thread)
{
	struct syt_lock_order *l = w->l;
	const struct syt_places *p = &l->order->places;
	struct syt_place last = {thread, (uint32_t)p->threads[thread]->nr_rows - 1};
	syt_time silence =
		syt_place_image_end(p, syt_place_image_idx(p, last)) - syt_place_row(p, last)->out;

	for (size_t i = 0; i < w->has.nr; i++) {
		const struct syt_lock_walk_held *m = &w->has.held[i];

		if (waits_with(l, thread, m->object))
			continue;
		syt_grow(&l->kept, &l->room_kept, l->nr_kept + 1, sizeof(*l->kept));
		l->kept[l->nr_kept++] = (struct syt_lock_order_kept){
			m->object, thread, m->acquire, last, m->is_shared, false, silence};
	}
}

static void see_thread(struct walk *w, uint32_t thread)
{
	const struct syt_thread *t = w->l->order->places.threads[thread];

	if (syt_lock_walk_is_blind(t)) {
		w->l->nr_threads_left_out++;
		return;
	}
	syt_lock_walk_begin(&w->has);
	SYT_EACH(row, 0, t->nr_rows) {
		struct syt_place at = {thread, (uint32_t)row};
		struct syt_lock_walk_taken taken;
		bool is_taken, is_deep = w->has.nr > MOST_HELD;

		syt_lock_walk_reach(&w->has, t, row);

		is_taken = syt_lock_walk_see(&w->has, at, &taken);
		if (w->has.nr && !is_deep)
			syt_replies_see(&w->replies, &w->has, at);
		if (!is_taken)
			continue;
		if (taken.may_wait) {
			syt_replies_took(&w->replies, thread, taken.object);
			w->l->nr_deep += is_deep;
			if (w->has.nr && !is_deep)
				add_arcs(w, &taken, at);
		}
		syt_lock_walk_take(&w->has, at, &taken);
	}
	syt_lock_walk_leave(t, t->nr_rows);
	if (w->has.nr && !t->left_out_last && !syt_blocked_has_ended(&w->l->order->places, thread))
		keep(w, thread);
}

/* ---- the whole trace ---- */

/* The uses of one object. */
struct use {
	struct syt_holdings h;
	struct syt_holdings_builder *builder;
	uint32_t thread; /* the first that used it, plus one */
	bool has_two;    /* another thread used it, too */
};

struct uses {
	const struct syt_order *order;
	struct use *all; /* [object] */
};

static void use(void *context, uint32_t object, const struct syt_touch *t, uint64_t nr)
{
	struct uses *uses = context;
	struct use *u = &uses->all[object];

	if (!u->thread) {
		u->builder = syt_holdings_begin(&u->h, uses->order, object, true);
		u->thread = t[0].place.thread + 1;
	}
	syt_holdings_add(u->builder, t, nr);
	for (uint64_t i = 0; i < nr && !u->has_two; i++)
		u->has_two = t[i].place.thread + 1 != u->thread;
}

/* Finds the locks with known holders, and counts the other objects. */
static void see_objects(struct walk *w)
{
	struct syt_lock_order *l = w->l;
	const struct syt_order *o = l->order;
	struct uses uses = {o, syt_store_alloc(o->objects.nr, sizeof(*uses.all))};
	bool *is_wanted = syt_alloc(o->objects.nr, sizeof(*is_wanted));

	for (uint32_t i = 0; i < o->objects.nr; i++)
		is_wanted[i] = syt_lockset_has(&l->locks, i);
	syt_locks_visit(&(struct syt_locks_visit){&o->places, &o->objects, &o->histories, is_wanted,
	                                          use, &uses});
	free(is_wanted);
	for (uint32_t i = 0; i < o->objects.nr; i++) {
		enum syt_kind kind = syt_object_kind(&o->objects, i);
		struct use *u = &uses.all[i];

		if (!u->thread) {
			l->nr_other_locks += syt_history_of(&o->histories, i).nr &&
			                     (kind == SYT_KIND_SEM || kind == SYT_KIND_FLOCK ||
			                      kind == SYT_KIND_RECORD);
			continue;
		}
		syt_holdings_end(u->builder);
		w->is_out[i] = u->h.state != SYT_HOLDINGS_GOOD;
		w->is_lone[i] = !u->has_two;
		l->nr_locks += u->h.nr || u->h.nr_open;
		l->nr_locks_left_out += w->is_out[i];
		syt_holdings_close(&u->h);
	}
	syt_store_free(uses.all);
}

/* Returns true if other threads took the lock of K later. The holder of the lock then waits for a condition in a
 * call that has not returned and has released the lock. */
static bool is_taken_by_others(const struct syt_order *o, const struct syt_lock_order_kept *k)
{
	struct syt_history h = syt_history_of(&o->histories, k->object);
	syt_time since = syt_place_row(&o->places, k->acquire)->out;

	for (uint64_t i = h.nr; i-- && h.touches[i].at > since;) {
		enum syt_holdings_step step = syt_holdings_step(&o->places, &h.touches[i]);

		if (h.touches[i].place.thread != k->thread &&
		    (step == SYT_HOLDINGS_ACQUIRE || (step == SYT_HOLDINGS_SHARE && !k->is_shared)))
			return true;
	}
	return false;
}

static bool has_cond(const struct syt_order *o, uint32_t object)
{
	struct syt_history h = syt_history_of(&o->histories, object);

	for (uint64_t i = 0; i < h.nr; i++)
		if (h.touches[i].role == SYT_ROLE_RELEASE2)
			return true;
	return false;
}

static int silent_first(const void *a_, const void *b_)
{
	const struct syt_lock_order_kept *a = a_, *b = b_;

	SYT_ORDER(b->silence, a->silence);
	SYT_ORDER_BY(thread);
	return syt_place_compare(a->acquire, b->acquire);
}

static void settle_kept(struct syt_lock_order *l)
{
	bool *is_wanted = syt_calloc(l->order->objects.nr, sizeof(*is_wanted));
	size_t nr = 0;

	for (size_t i = 0; i < l->nr_kept; i++)
		is_wanted[l->kept[i].object] = true;
	syt_locks_complete(&l->order->places, &l->order->objects, &l->order->histories, is_wanted);
	free(is_wanted);
	for (size_t i = 0; i < l->nr_kept; i++) {
		if (is_taken_by_others(l->order, &l->kept[i]))
			continue;
		l->kept[nr] = l->kept[i];
		l->kept[nr].has_waited =
			!l->order->places.threads[l->kept[nr].thread]->waiting.since &&
			has_cond(l->order, l->kept[nr].object);
		nr++;
	}
	l->nr_kept = nr;
	if (nr)
		qsort(l->kept, nr, sizeof(*l->kept), silent_first);
}

void syt_lock_order_open(struct syt_lock_order *l, const struct syt_order *order,
                         struct syt_labels *labels)
{
	struct walk w = {.l = l};

	memset(l, 0, sizeof(*l));
	l->order = order;
	l->labels = labels;
	syt_lockset_open(&l->locks, order);
	syt_blocked_open(&l->blocked, order);
	w.is_out = syt_store_alloc(order->objects.nr, sizeof(*w.is_out));
	w.is_lone = syt_store_alloc(order->objects.nr, sizeof(*w.is_lone));
	see_objects(&w);
	w.table.l = l;
	w.has = (struct syt_lock_walk){.order = order, .locks = &l->locks, .is_out = w.is_out};
	syt_replies_open(&w.replies, &w.table, w.is_out, w.is_lone);
	for (uint32_t i = 0; i < order->places.nr_threads; i++)
		see_thread(&w, i);
	syt_replies_find_arcs(&w.replies);
	syt_replies_close(&w.replies);
	settle_kept(l);
	for (size_t i = 0; i < l->blocked.nr_groups; i++)
		l->nr_deadlocks += l->blocked.groups[i].is_cycle;
	syt_lock_order_find_cycles(l);
	syt_store_free(w.is_out);
	syt_store_free(w.is_lone);
	syt_hash_close(&w.table.index);
	syt_lock_walk_end(&w.has);
}

void syt_lock_order_close(struct syt_lock_order *l)
{
	for (size_t i = 0; i < l->nr_arcs; i++) {
		free(l->arcs[i].held);
		free(l->arcs[i].remote);
	}
	syt_store_free(l->arcs);
	free(l->cycles);
	free(l->kept);
	syt_blocked_close(&l->blocked);
	syt_lockset_close(&l->locks);
	memset(l, 0, sizeof(*l));
}

bool syt_lock_order_is_defect(const struct syt_lock_order *l)
{
	return l->nr_deadlocks || (l->nr_cycles && l->cycles[0].verdict == SYT_VERDICT_POSSIBLE);
}
