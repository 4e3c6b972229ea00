/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The arcs: from what each thread had to what it took.  Cycles: lockorder_cycle.c. */
#include "decoder/report/lockorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/base/compare.h"
#include "decoder/base/err.h"
#include "decoder/base/store.h"
#include "decoder/read/call.h"
#include "decoder/report/doom.h"
#include "decoder/report/holding.h"
#include "decoder/report/lockorder_cycle.h"

static const struct {
	const char *word, *text;
} verdict_texts[] = {
#define VERDICT(name_, word_, text_) {word_, text_},
	SYT_VERDICTS(VERDICT)
#undef VERDICT
};

const char *syt_verdict_word(enum syt_verdict_kind verdict)
{
	return verdict_texts[verdict].word;
}

const char *syt_verdict_text(enum syt_verdict_kind verdict)
{
	return verdict_texts[verdict].text;
}

/* What the thread has. */
struct mine {
	uint32_t object, side, depth;
	struct syt_place acquire;
	bool is_shared;
};

struct walk {
	struct syt_lockorder *l;
	bool *is_out;        /* [object]: its holders are unknown */
	uint32_t *first_arc; /* hash table: index plus one */
	size_t room_table;
	size_t nr, room;
	struct mine *mine;
};

/* ---- the table of arcs ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t hash(const struct syt_lockorder_arc *a)
{
	uint64_t h =
		mix((uint64_t)a->from << 32 | a->to, (uint64_t)a->from_side << 32 | a->to_side);

	h = mix(h, (uint64_t)a->thread << 2 | (uint64_t)a->from_is_shared << 1 | a->to_is_shared);
	for (uint32_t i = 0; i < a->nr_held; i++)
		h = mix(h, (uint64_t)a->held[i].object << 1 | a->held[i].is_shared);
	return h;
}

static bool is_same(const struct syt_lockorder_arc *a, const struct syt_lockorder_arc *b)
{
	if (a->from != b->from || a->to != b->to || a->thread != b->thread ||
	    a->from_side != b->from_side || a->to_side != b->to_side ||
	    a->from_is_shared != b->from_is_shared || a->to_is_shared != b->to_is_shared ||
	    a->nr_held != b->nr_held)
		return false;
	for (uint32_t i = 0; i < a->nr_held; i++)
		if (a->held[i].object != b->held[i].object ||
		    a->held[i].is_shared != b->held[i].is_shared)
			return false;
	return true;
}

/* Where A is in the table, or where it would be. */
static uint32_t *slot(const struct walk *w, const struct syt_lockorder_arc *a)
{
	uint64_t h = hash(a);

	for (size_t i = (size_t)h;; i++) {
		uint32_t *s = &w->first_arc[i & (w->room_table - 1)];

		if (!*s || is_same(&w->l->arcs[*s - 1], a))
			return s;
	}
}

static void grow_table(struct walk *w)
{
	struct syt_lockorder *l = w->l;

	if (2 * (l->nr_arcs + 1) <= w->room_table)
		return;
	syt_store_free(w->first_arc);
	w->room_table = w->room_table ? 2 * w->room_table : 1024;
	w->first_arc = syt_store_alloc(w->room_table, sizeof(*w->first_arc));
	for (size_t i = 0; i < l->nr_arcs; i++)
		*slot(w, &l->arcs[i]) = (uint32_t)i + 1;
}

static void add_arc(struct walk *w, struct syt_lockorder_arc *a, struct syt_place from,
                    struct syt_place to)
{
	struct syt_lockorder *l = w->l;
	uint32_t *s;

	grow_table(w);
	s = slot(w, a);
	if (!*s) {
		struct syt_lockorder_held *held = syt_alloc(a->nr_held, sizeof(*held));

		memcpy(held, a->held, a->nr_held * sizeof(*held));
		syt_store_grow(&l->arcs, &l->room_arcs, l->nr_arcs, l->nr_arcs + 1,
		               sizeof(*l->arcs));
		l->arcs[l->nr_arcs] = *a;
		l->arcs[l->nr_arcs].held = held;
		*s = (uint32_t)++l->nr_arcs;
	}
	struct syt_lockorder_arc *known = &l->arcs[*s - 1];

	uint64_t n = known->nr++;

	if (n >= SYT_LOCKORDER_INSTANCES)
		n = SYT_LOCKORDER_INSTANCES - 1;
	known->instances[n].from = from;
	known->instances[n].to = to;
}

static int by_object(const void *a_, const void *b_)
{
	const struct syt_lockorder_held *a = a_, *b = b_;

	SYT_ORDER_BY(object);
	return 0;
}

/* System V's semop takes several semaphores at once or none. */
static bool is_one_call(const struct walk *w, struct syt_place a, struct syt_place b)
{
	const struct syt_places *p = &w->l->order->places;
	const struct syt_row *r = syt_place_row(p, a), *s = syt_place_row(p, b);

	return syt_row_call(syt_place_image(p, a), r)->shape == SYT_SHAPE_SEM_WAIT &&
	       r->call == s->call && r->in == s->in && r->out == s->out;
}

/* From all that the thread has to OBJECT, which it takes at TO. */
static void add_arcs(struct walk *w, uint32_t object, struct syt_place to, uint32_t side,
                     bool is_shared)
{
	struct syt_lockorder_held *held = syt_alloc(w->nr, sizeof(*held));

	for (size_t i = 0; i < w->nr; i++)
		held[i] = (struct syt_lockorder_held){w->mine[i].object, w->mine[i].is_shared};
	qsort(held, w->nr, sizeof(*held), by_object);
	for (size_t i = 0; i < w->nr; i++) {
		const struct mine *m = &w->mine[i];

		if (is_one_call(w, m->acquire, to))
			continue;
		struct syt_lockorder_arc a = {.from = m->object,
		                              .to = object,
		                              .thread = to.thread,
		                              .from_side = m->side,
		                              .to_side = side,
		                              .from_is_shared = m->is_shared,
		                              .to_is_shared = is_shared,
		                              .nr_held = (uint32_t)w->nr,
		                              .held = held};

		add_arc(w, &a, m->acquire, to);
	}
	free(held);
}

/* ---- one thread ---- */

static struct mine *find(struct walk *w, uint32_t object)
{
	for (size_t i = 0; i < w->nr; i++)
		if (w->mine[i].object == object)
			return &w->mine[i];
	return NULL;
}

static void acquire(struct walk *w, uint32_t object, struct syt_place at, bool is_shared,
                    bool may_wait)
{
	struct mine *m = find(w, object);
	uint32_t side;

	if (m) { /* of a recursive mutex the outermost counts; of an rwlock the reader has it, too */
		m->depth++;
		return;
	}
	side = syt_label_side(w->l->labels, at);
	if (w->nr && may_wait)
		add_arcs(w, object, at, side, is_shared);
	syt_grow(&w->mine, &w->room, w->nr + 1, sizeof(*w->mine));
	w->mine[w->nr++] = (struct mine){object, side, 1, at, is_shared};
}

static void release(struct walk *w, uint32_t object)
{
	struct mine *m = find(w, object);

	if (m && !--m->depth)
		*m = w->mine[--w->nr];
}

static uint32_t lock_of(const struct walk *w, struct syt_place at, uint32_t object)
{
	const struct syt_order *o = w->l->order;

	object = syt_object_of(&o->objects, syt_place_image_idx(&o->places, at), object);
	if (object == SYT_NONE || !syt_lockset_has(&w->l->locks, object) || w->is_out[object])
		return SYT_NONE;
	return object;
}

static void see_row(struct walk *w, struct syt_place at)
{
	const struct syt_places *p = &w->l->order->places;
	const struct syt_row *r = syt_place_row(p, at);
	const struct syt_call_info *c = syt_place_call(p, at);
	uint32_t object;

	switch (c->shape) {
	case SYT_SHAPE_COND_WAIT:
	case SYT_SHAPE_CANCELLED:
		object = lock_of(w, at, syt_place_extra(p, at)->object2);
		if (object == SYT_NONE || !syt_place_gave_mutex(p, at))
			return;
		release(w, object);
		acquire(w, object, at, false, true);
		return;
	case SYT_SHAPE_LOCK:
	case SYT_SHAPE_RDLOCK:
	case SYT_SHAPE_UNLOCK:
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_SEM_POST:
		object = lock_of(w, at, r->object);
		if (object == SYT_NONE || !syt_row_succeeded(c, r))
			return;
		if (c->shape == SYT_SHAPE_UNLOCK || c->shape == SYT_SHAPE_SEM_POST)
			release(w, object);
		else
			acquire(w, object, at, c->shape == SYT_SHAPE_RDLOCK,
			        syt_call_may_wait_for_ever(c));
		return;
	default:
		return;
	}
}

/* It waits for a condition, and so has given the mutex OBJECT back. */
static bool waits_with(const struct syt_order *o, uint32_t thread, uint32_t object)
{
	const struct syt_thread *t = o->places.threads[thread];
	uint32_t image = (uint32_t)(t->image - o->places.trace->images);

	return t->waiting.since && t->image->calls[t->waiting.call].shape == SYT_SHAPE_COND_WAIT &&
	       syt_object_of(&o->objects, image, t->waiting.object2) == object;
}

static bool has_ended(const struct syt_places *p, uint32_t thread)
{
	const struct syt_thread *t = p->threads[thread];
	uint8_t shape;

	if (!t->nr_rows)
		return true;
	shape = syt_place_call(p, (struct syt_place){thread, (uint32_t)t->nr_rows - 1})->shape;
	return shape == SYT_SHAPE_THREAD_END || shape == SYT_SHAPE_EXIT || shape == SYT_SHAPE_EXEC;
}

static void keep(struct walk *w, uint32_t thread)
{
	struct syt_lockorder *l = w->l;
	const struct syt_places *p = &l->order->places;
	struct syt_place last = {thread, (uint32_t)p->threads[thread]->nr_rows - 1};
	syt_time end = syt_place_image_end(p, syt_place_image_idx(p, last));

	for (size_t i = 0; i < w->nr; i++) {
		const struct mine *m = &w->mine[i];

		if (waits_with(l->order, thread, m->object))
			continue;
		syt_grow(&l->kept, &l->room_kept, l->nr_kept + 1, sizeof(*l->kept));
		l->kept[l->nr_kept++] =
			(struct syt_lockorder_kept){m->object,
		                                    thread,
		                                    m->acquire,
		                                    last,
		                                    m->is_shared,
		                                    false,
		                                    end - syt_place_row(p, last)->out};
	}
}

static void see_thread(struct walk *w, uint32_t thread)
{
	const struct syt_thread *t = w->l->order->places.threads[thread];

	if (t->missing || t->gaps || t->is_uneven) {
		w->l->nr_threads_left_out++;
		return;
	}
	const struct syt_places *p = &w->l->order->places;
	uint64_t nr_resumes = 0;

	w->nr = 0;
	for (uint64_t row = 0; row < t->nr_rows; row++) {
		if (!(row % SYT_STORE_STRIDE))
			syt_store_settle();
		for (; nr_resumes < p->nr_resumes &&
		       syt_thread_row(t, row)->out > p->resumes[nr_resumes];
		     nr_resumes++)
			w->nr = 0; /* what it holds after a pause is not known */
		see_row(w, (struct syt_place){thread, (uint32_t)row});
	}
	if (w->nr && !has_ended(&w->l->order->places, thread))
		keep(w, thread);
}

/* ---- all ---- */

/* Which locks are of use, and what else there is. */
static void see_objects(struct walk *w)
{
	struct syt_lockorder *l = w->l;
	const struct syt_order *o = l->order;

	for (uint32_t i = 0; i < o->objects.nr; i++) {
		enum syt_kind kind = syt_object_kind(&o->objects, i);
		struct syt_holdings h;

		if (!syt_history_of(&o->histories, i).nr)
			continue;
		if (!syt_lockset_has(&l->locks, i)) {
			l->nr_other_locks += kind == SYT_KIND_SEM || kind == SYT_KIND_FLOCK ||
			                     kind == SYT_KIND_RECORD;
			continue;
		}
		syt_holdings_open(&h, &o->places, &o->objects, &o->histories, i);
		w->is_out[i] = h.state != SYT_HOLDINGS_GOOD;
		l->nr_locks += h.nr || h.nr_open;
		l->nr_locks_left_out += w->is_out[i];
		syt_holdings_close(&h);
	}
}

/* Others have taken it since: it has been given back, by a cond wait that has not returned. */
static bool is_taken_by_others(const struct syt_order *o, const struct syt_lockorder_kept *k)
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
	const struct syt_lockorder_kept *a = a_, *b = b_;

	SYT_ORDER(b->silence, a->silence);
	SYT_ORDER_BY(thread);
	return syt_place_compare(a->acquire, b->acquire);
}

static void settle_kept(struct syt_lockorder *l)
{
	size_t nr = 0;

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

void syt_lockorder_open(struct syt_lockorder *l, const struct syt_order *order,
                        struct syt_labels *labels)
{
	struct walk w = {.l = l};

	memset(l, 0, sizeof(*l));
	l->order = order;
	l->labels = labels;
	syt_lockset_open(&l->locks, order);
	w.is_out = syt_store_alloc(order->objects.nr, sizeof(*w.is_out));
	see_objects(&w);
	for (uint32_t i = 0; i < order->places.nr_threads; i++)
		see_thread(&w, i);
	settle_kept(l);
	syt_lockorder_find_dooms(l);
	syt_lockorder_find_cycles(l);
	syt_store_free(w.is_out);
	syt_store_free(w.first_arc);
	free(w.mine);
}

void syt_lockorder_close(struct syt_lockorder *l)
{
	for (size_t i = 0; i < l->nr_arcs; i++)
		free(l->arcs[i].held);
	syt_store_free(l->arcs);
	free(l->cycles);
	free(l->kept);
	for (size_t i = 0; i < l->nr_dooms; i++)
		free(l->dooms[i].threads);
	free(l->dooms);
	syt_lockset_close(&l->locks);
	memset(l, 0, sizeof(*l));
}
