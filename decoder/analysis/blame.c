/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/blame.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "base/work.h"

#define MOST_DEPTH (sizeof(((struct syt_blamer *)0)->chain) / sizeof(uint32_t))
#define MOST_PIECES 4096u /* maximum of pieces into which one wait is split */
#define PER_BLOCK 32768u  /* number of holdings in one shared block of memory */
#define MOST_POOLED 4096u
#define TOUCHES_PER_JOB 65536u /* uses of objects that one job handles at least */
/* maximum of holdings examined that end after a failed wait, but may have begun during this wait */
#define MOST_LATER 64u

#define WORD(name_, word_, text_) word_,
#define TEXT(name_, word_, text_) text_,

const char *syt_blame_word(enum syt_blame_kind kind)
{
	static const char *const words[] = {SYT_BLAMES(WORD)};

	return words[kind];
}

const char *syt_blame_text(enum syt_blame_kind kind)
{
	static const char *const texts[] = {SYT_BLAMES(TEXT)};

	return texts[kind];
}

/* ---- the happens-before edge that ended a wait ---- */

static int by_target(const void *a_, const void *b_, void *edges_)
{
	const struct syt_edges *edges = edges_;
	uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;
	int order = syt_place_compare(edges->all[a].to, edges->all[b].to);

	if (order)
		return order;
	SYT_ORDER(syt_edge_begin(edges, &edges->all[a]), syt_edge_begin(edges, &edges->all[b]));
	SYT_ORDER(a, b);
	return 0;
}

bool syt_blamer_tells(const struct syt_edge *e)
{
	return e->kind != SYT_EDGE_PROGRAM && SYT_EDGES_BUT_LOCKS >> e->kind & 1 &&
	       e->class != SYT_CLASS_INFERRED && !(e->flags & SYT_EDGE_INFERRED);
}

static void forget_edges(struct syt_blamer *b)
{
	syt_store_free(b->edges);
	free(b->ends);
	free(b->near);
}

/* Sorts the edges by target: first by thread, because the edges into one thread are nearly in their order. */
void syt_blamer_see_edges(struct syt_blamer *b)
{
	const struct syt_edges *edges = &b->order->edges;
	const uint32_t nr_threads = edges->places->nr_threads;
	/* next[thread + 1]: the next edge into the thread; in the end, next[thread] is the end of its edges */
	uint64_t *next = syt_calloc((size_t)nr_threads + 2, sizeof(*next));

	forget_edges(b);
	SYT_EACH(i, 0, edges->nr) {
		uint32_t thread = edges->all[i].to.thread;

		if (i < SYT_NONE && syt_blamer_tells(&edges->all[i]))
			next[1 + (thread < nr_threads ? thread : nr_threads)]++;
	}
	for (uint32_t i = 0; i <= nr_threads; i++)
		next[i + 1] += next[i];
	b->nr_edges = next[nr_threads + 1];
	b->edges = syt_store_claim(b->nr_edges, sizeof(*b->edges));
	SYT_EACH(i, 0, edges->nr) {
		uint32_t thread = edges->all[i].to.thread;

		if (i < SYT_NONE && syt_blamer_tells(&edges->all[i]))
			b->edges[next[thread < nr_threads ? thread : nr_threads]++] = (uint32_t)i;
	}
	for (uint32_t i = 0; i <= nr_threads; i++) {
		uint64_t first = i ? next[i - 1] : 0;

		syt_sort_with(b->edges + first, next[i] - first, sizeof(*b->edges), by_target,
		              (void *)(uintptr_t)edges);
	}
	b->ends = next;
	b->near = syt_calloc((size_t)nr_threads + 1, sizeof(*b->near));
}

uint32_t syt_blamer_last_into(const struct syt_blamer *b, struct syt_place target)
{
	const struct syt_edge *all = b->order->edges.all;
	const uint32_t nr_threads = b->order->places.nr_threads;
	const uint32_t thread = target.thread < nr_threads ? target.thread : nr_threads;
	const uint64_t first = thread ? b->ends[thread - 1] : 0;
	/* the number of edges into TARGET and earlier targets */
	const uint64_t low = SYT_BISECT_NEAR(i, first, b->ends[thread], b->near[thread],
	                                     all[b->edges[i]].to.row <= target.row);

	b->near[thread] = low;
	if (low == first || all[b->edges[low - 1]].to.row != target.row)
		return SYT_NONE;
	return b->edges[low - 1];
}

/* Returns EDGE, the last edge into an event or SYT_NONE, if it is certain. */
static uint32_t if_certain(const struct syt_blamer *b, uint32_t edge)
{
	if (edge != SYT_NONE && b->order->edges.all[edge].flags & SYT_EDGE_AMBIGUOUS)
		return SYT_NONE;
	return edge;
}

uint32_t syt_blamer_ended_by(const struct syt_blamer *b, struct syt_place wait)
{
	return syt_blamer_ended_by_last(b, syt_blamer_last_into(b, wait));
}

uint32_t syt_blamer_ended_by_last(const struct syt_blamer *b, uint32_t last)
{
	uint32_t edge = if_certain(b, last);

	if (edge == SYT_NONE || b->order->edges.all[edge].from.thread != SYT_NONE)
		return edge;
	/* the last arrival at a barrier */
	return if_certain(b, syt_blamer_last_into(b, b->order->edges.all[edge].from));
}

/* ---- pieces of a wait ---- */

static void add(struct syt_blamer *b, struct syt_blame piece)
{
	struct syt_blames *out = b->out;

	piece.direct = b->direct;
	piece.is_passed_on =
		b->depth > 2; /* the chain has the waiter, the first holder, and others */
	*SYT_ADD(out->all, out->nr, out->room) = piece;
	if (b->nr_left)
		b->nr_left--;
}

/* Adds a piece of a wait that is not charged to a thread. */
static void add_without_thread(struct syt_blamer *b, enum syt_blame_kind kind, syt_time time)
{
	if (time)
		add(b, (struct syt_blame){.kind = (uint8_t)kind,
		                          .side = SYT_NONE,
		                          .object = SYT_NONE,
		                          .time = time,
		                          .at = {SYT_NONE, 0}});
}

static struct syt_blame piece_at(struct syt_blamer *b, enum syt_blame_kind kind,
                                 struct syt_place at, uint32_t object)
{
	return (struct syt_blame){.kind = (uint8_t)kind,
	                          .side = syt_label_side(b->labels, at),
	                          .object = object,
	                          .at = at};
}

static bool is_followed(const struct syt_blamer *b, uint32_t thread)
{
	for (unsigned i = 0; i < b->depth; i++)
		if (b->chain[i] == thread)
			return true;
	return false;
}

static void blame_lock(struct syt_blamer *b, uint32_t object, struct syt_place wait, syt_time from,
                       syt_time to);

/* ---- the calls of a thread ---- */

/* Returns the index of the first event of thread T that may end after the time AT. It is mostly near the event NEAR. */
static uint32_t first_row(const struct syt_thread *t, syt_time at, uint32_t near)
{
	const struct syt_row *r = t->rows;
	uint64_t low = SYT_BISECT_NEAR(i, (uint64_t)0, t->nr_rows, near,
	                               syt_row_stamp(syt_row_call(t->image, &r[i]), &r[i]) <= at);

	/* the ordering stamp may be the begin of a call that ends later */
	return low ? (uint32_t)low - 1 : 0;
}

static void follow_thread(struct syt_blamer *b, uint32_t thread, syt_time from, syt_time to,
                          struct syt_blame running);

/* Charges the time [FROM, TO) of the call AT to its cause. HELD is a lock that the caller holds, or SYT_NONE. */
static void blame_call(struct syt_blamer *b, struct syt_place at, syt_time from, syt_time to,
                       uint32_t held)
{
	const struct syt_order *o = b->order;
	const struct syt_row *r = syt_place_row(&o->places, at);
	uint8_t shape = syt_place_call(&o->places, at)->shape;
	uint32_t object =
		syt_object_of(&o->objects, syt_place_image_idx(&o->places, at), r->object);
	bool may_go_on = b->depth < MOST_DEPTH && b->nr_left;
	struct syt_blame piece;
	uint32_t number;

	if (may_go_on && object != SYT_NONE &&
	    (shape == SYT_SHAPE_LOCK || shape == SYT_SHAPE_RDLOCK || shape == SYT_SHAPE_SEM_WAIT) &&
	    syt_lockset_has(&b->locks, object)) {
		blame_lock(b, object, at, from, to);
		return;
	}
	number = may_go_on ? syt_blamer_ended_by(b, at) : SYT_NONE;
	if (number != SYT_NONE) {
		const struct syt_edge *e = &o->edges.all[number];
		syt_time by = syt_edge_begin(&o->edges, e);

		if (by > from && e->from.thread != SYT_NONE && !is_followed(b, e->from.thread)) {
			if (by > to)
				by = to;
			follow_thread(b, e->from.thread, from, by,
			              piece_at(b, SYT_BLAME_RUNNING, e->from, e->object));
			add_without_thread(b, SYT_BLAME_HANDOVER, to - by);
			return;
		}
	}
	piece = piece_at(b, SYT_BLAME_CALL, at, held);
	piece.time = to - from;
	add(b, piece);
}

/* Adds the time [FROM, TO) before the event ROW of THREAD, in which the thread made no recorded call, to RUNNING. */
static void run(struct syt_blamer *b, uint32_t thread, uint32_t row, syt_time from, syt_time to,
                struct syt_blame *running)
{
	const struct syt_thread *t = b->order->places.threads[thread];

	if (row < t->nr_rows ? row && !syt_part_is_one(t, row - 1, row) : t->left_out_last != 0)
		add_without_thread(b, SYT_BLAME_NOT_SAMPLED, to - from);
	else
		syt_cpu_add(&running->cpu, syt_cpu_used(&b->cpu, thread, from, to));
}

/* Charges the time [FROM, TO) to the calls of THREAD, and the time between these calls to the cause RUNNING. */
static void follow_thread(struct syt_blamer *b, uint32_t thread, syt_time from, syt_time to,
                          struct syt_blame running)
{
	const struct syt_thread *t = b->order->places.threads[thread];
	uint32_t row = first_row(t, from, running.at.row);

	b->chain[b->depth++] = thread;
	for (; row < t->nr_rows && from < to; row++) {
		const struct syt_row *r = &t->rows[row];
		syt_time begin = r->in > from ? r->in : from, end = r->out < to ? r->out : to;
		bool is_last = syt_row_stamp(syt_row_call(t->image, r), r) >= to;

		if (begin < end) {
			if (!b->nr_left)
				break;
			run(b, thread, row, from, begin, &running);
			blame_call(b, (struct syt_place){thread, row}, begin, end,
			           running.kind == SYT_BLAME_HELD ? running.object : SYT_NONE);
			from = end;
		}
		if (is_last)
			break;
	}
	if (b->nr_left) {
		run(b, thread, row, from, to, &running);
		from = to;
	}
	running.time = running.cpu.of;
	if (running.time)
		add(b, running);
	add_without_thread(b, SYT_BLAME_CUT, to - from);
	b->depth--;
}

/* ---- the holders of a lock ---- */

/* Moves a short list of holdings into a shared block of memory, because a trace may have millions of locks. */
static void pool(struct syt_holding_blocks *b, struct syt_holdings *h)
{
	if (!h->nr || h->nr > MOST_POOLED)
		return;
	if (!b->nr || b->nr_in_last + h->nr > PER_BLOCK) {
		*SYT_ADD(b->all, b->nr, b->room) = syt_store_alloc(PER_BLOCK, sizeof(*h->all));
		b->nr_in_last = 0;
	}
	struct syt_holding *place = b->all[b->nr - 1] + b->nr_in_last;

	memcpy(place, h->all, h->nr * sizeof(*place));
	syt_store_free(h->all);
	h->all = place;
	h->room = 0;
	b->nr_in_last += h->nr;
}

static void find_holdings(struct syt_blamer *b, uint32_t object, struct syt_holding_blocks *blocks)
{
	struct syt_holdings *h = syt_calloc(1, sizeof(*h));

	syt_holdings_open(h, b->order, object);
	pool(blocks, h);
	b->holdings[object] = h;
}

const struct syt_holdings *syt_blamer_holdings(struct syt_blamer *b, uint32_t object)
{
	if (!b->holdings[object])
		find_holdings(b, object, &b->blocks);
	return b->holdings[object];
}

/* The search for the holdings of many locks: each job handles consecutive objects. */
struct finding {
	struct syt_blamer *b;
	const bool *is_wanted;
	struct syt_holding_blocks *blocks; /* [worker] */
	const uint32_t *ends;              /* [job]: the object behind its last one */
};

static void find_job(void *context, size_t job, unsigned worker)
{
	const struct finding *f = context;

	for (uint32_t i = job ? f->ends[job - 1] : 0; i < f->ends[job]; i++)
		if (!f->b->holdings[i] && syt_lockset_has(&f->b->locks, i) &&
		    (!f->is_wanted || f->is_wanted[i]))
			find_holdings(f->b, i, &f->blocks[worker]);
}

/* Moves the blocks MORE to B. The last block of B remains the last one. */
static void join_blocks(struct syt_holding_blocks *b, struct syt_holding_blocks *more)
{
	for (size_t i = 0; i < more->nr; i++) {
		*SYT_ADD(b->all, b->nr, b->room) = more->all[i];
		b->nr_in_last = PER_BLOCK;
	}
	free(more->all);
}

void syt_blamer_find_holdings(struct syt_blamer *b, const bool *is_wanted)
{
	unsigned nr_workers = b->order->places.trace->nr_workers;
	struct finding f = {.b = b, .is_wanted = is_wanted};
	uint32_t *ends;
	size_t nr = syt_blamer_share(b->order, &ends);

	nr_workers = nr_workers ? nr_workers : 1;
	f.blocks = syt_calloc(nr_workers, sizeof(*f.blocks));
	f.ends = ends;
	syt_work(nr, nr_workers, find_job, &f);
	for (unsigned n = 0; n < nr_workers; n++)
		join_blocks(&b->blocks, &f.blocks[n]);
	free(f.blocks);
	free(ends);
}

size_t syt_blamer_share(const struct syt_order *o, uint32_t **ends)
{
	const uint64_t *first = o->histories.first;
	size_t nr = 0, room = 0;

	*ends = NULL;
	for (uint32_t i = 0, from = 0; i < o->objects.nr; i++) {
		if (first[i + 1] - first[from] < TOUCHES_PER_JOB && i + 1 < o->objects.nr)
			continue;
		*SYT_ADD(*ends, nr, room) = i + 1;
		from = i + 1;
	}
	return nr;
}

static void blame_holder(struct syt_blamer *b, uint32_t object, const struct syt_holding *h,
                         syt_time from, syt_time to)
{
	struct syt_blame held = piece_at(b, SYT_BLAME_HELD, h->acquire, object);

	if (b->depth == 1)
		b->direct = held.side;
	if (is_followed(b, h->acquire.thread) || b->depth == MOST_DEPTH) {
		held.time = to - from;
		b->depth++; /* counts this holder, although its calls are not followed */
		add(b, held);
		b->depth--;
	} else {
		follow_thread(b, h->acquire.thread, from, to, held);
	}
	if (b->depth == 1)
		b->direct = SYT_NONE;
}

/* Returns true if a holding without a known end may have begun before TO. The holder may also have released the
 * lock to wait for a condition variable. */
static bool has_open(const struct syt_holdings *h, uint32_t waiter, syt_time to, bool is_shared)
{
	for (size_t i = 0; i < h->nr_open; i++)
		if (h->open[i].acquire.thread != waiter && h->open[i].from < to &&
		    !(is_shared && h->open[i].is_shared))
			return true;
	return false;
}

/* Charges the wait WAIT to the holders of the lock OBJECT, from the last holding backwards in time. */
static void blame_lock(struct syt_blamer *b, uint32_t object, struct syt_place wait, syt_time from,
                       syt_time to)
{
	const struct syt_places *p = &b->order->places;
	const struct syt_holdings *h = syt_blamer_holdings(b, object);
	const struct syt_row *r = syt_place_row(p, wait);
	bool is_shared = syt_place_call(p, wait)->shape == SYT_SHAPE_RDLOCK;
	bool has_failed = !syt_place_succeeded(p, wait) && !syt_place_gave_mutex(p, wait);
	syt_time complete_from = b->order->objects.all[object].complete_from;
	bool is_sampled = b->order->objects.all[object].is_sampled &&
	                  syt_object_kind(&b->order->objects, object) != SYT_KIND_SEM;
	enum syt_blame_kind without_holder =
		is_sampled                                                 ? SYT_BLAME_NOT_SAMPLED
		: h->nr_unended || has_open(h, wait.thread, to, is_shared) ? SYT_BLAME_UNSEEN
									   : SYT_BLAME_HANDOVER;
	syt_time gap = 0, t = to;
	size_t nr;

	if (h->state != SYT_HOLDINGS_GOOD) {
		add_without_thread(b, SYT_BLAME_UNSEEN, to - from);
		return;
	}
	/* number of holdings, sorted by end, that may have prolonged the wait */
	nr = syt_holdings_until(h, r->out, &b->near_holding);
	if (has_failed)
		nr = h->nr - nr < MOST_LATER ? h->nr : nr + MOST_LATER;
	for (size_t i = nr; i-- && t > from;) {
		const struct syt_holding *holding = &h->all[i];
		syt_time begin = holding->from > from ? holding->from : from;

		if (holding->to <= from)
			break;
		if (holding->acquire.thread == wait.thread || (is_shared && holding->is_shared) ||
		    holding->from >= t)
			continue;
		if (!b->nr_left)
			break;
		if (holding->to < t) {
			gap += t - holding->to;
			t = holding->to;
		}
		blame_holder(b, object, holding, begin, t);
		t = begin;
	}
	if (!b->nr_left) {
		add_without_thread(b, SYT_BLAME_CUT, t - from);
		t = from;
	}
	/* before the first certain event on the lock, the holder may be unknown */
	if (t > from && from < complete_from) {
		syt_time until = t < complete_from ? t : complete_from;

		add_without_thread(b, SYT_BLAME_UNSEEN, until - from);
		from = until;
	}
	add_without_thread(b, without_holder, gap + (t - from));
}

static void begin_wait(struct syt_blamer *b, struct syt_place wait, struct syt_blames *out)
{
	b->out = out;
	b->chain[0] = wait.thread;
	b->depth = 1;
	b->direct = SYT_NONE;
	b->nr_left = MOST_PIECES;
}

void syt_blame_wait(struct syt_blamer *b, uint32_t object, struct syt_place wait, syt_time from,
                    syt_time to, struct syt_blames *out)
{
	begin_wait(b, wait, out);
	if (from < to)
		blame_lock(b, object, wait, from, to);
}

void syt_blame_call(struct syt_blamer *b, struct syt_place wait, syt_time from, syt_time to,
                    struct syt_blames *out)
{
	begin_wait(b, wait, out);
	if (from < to)
		blame_call(b, wait, from, to, SYT_NONE);
}

/* ---- sums of pieces ---- */

static int by_cause(const struct syt_blame *a, const struct syt_blame *b)
{
	SYT_ORDER_BY(kind);
	SYT_ORDER_BY(side);
	SYT_ORDER_BY(direct);
	SYT_ORDER_BY(object);
	SYT_ORDER_BY(is_passed_on);
	return 0;
}

static int same_first(const void *a_, const void *b_)
{
	const struct syt_blame *a = a_, *b = b_;
	int order = by_cause(a, b);

	if (order)
		return order;
	SYT_ORDER(b->time, a->time); /* the longest piece of a wait becomes the example */
	return syt_place_compare(a->at, b->at);
}

void syt_blames_merge(struct syt_blames *blames)
{
	size_t nr = 0;

	if (blames->nr > 1)
		qsort(blames->all, blames->nr, sizeof(*blames->all), same_first);
	for (size_t i = 0; i < blames->nr; i++) {
		if (nr && !by_cause(&blames->all[nr - 1], &blames->all[i]))
			syt_blame_merge(&blames->all[nr - 1], &blames->all[i]);
		else
			blames->all[nr++] = blames->all[i];
	}
	blames->nr = nr;
}

void syt_blames_close(struct syt_blames *blames)
{
	free(blames->all);
	memset(blames, 0, sizeof(*blames));
}

/* ---- opening and closing ---- */

void syt_blamer_prepare(struct syt_blamer *b, const struct syt_order *order,
                        struct syt_labels *labels)
{
	memset(b, 0, sizeof(*b));
	b->order = order;
	b->labels = labels;
	syt_lockset_open(&b->locks, order);
	syt_cpu_times_open(&b->cpu, &order->places);
	b->holdings = syt_store_alloc(order->objects.nr, sizeof(*b->holdings));
}

void syt_blamer_open(struct syt_blamer *b, const struct syt_order *order, struct syt_labels *labels)
{
	syt_blamer_prepare(b, order, labels);
	syt_blamer_see_edges(b);
}

void syt_blamer_close(struct syt_blamer *b)
{
	for (uint32_t i = 0; i < b->order->objects.nr; i++) {
		if (!b->holdings[i])
			continue;
		if (!b->holdings[i]->room)
			b->holdings[i]->all = NULL; /* memory of a shared block */
		syt_holdings_close(b->holdings[i]);
		free(b->holdings[i]);
	}
	for (size_t i = 0; i < b->blocks.nr; i++)
		syt_store_free(b->blocks.all[i]);
	free(b->blocks.all);
	syt_lockset_close(&b->locks);
	syt_cpu_times_close(&b->cpu);
	syt_store_free(b->holdings);
	forget_edges(b);
	memset(b, 0, sizeof(*b));
}
