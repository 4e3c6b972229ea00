/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/waits/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/hash.h"
#include "decoder/analysis/blocked.h"
#include "decoder/analysis/wait_walk.h"
#include "decoder/report/waits/demand.h"

/* The groups of waits, each key once. */
struct groups {
	size_t nr, room;
	struct syt_waits_group *all;
	struct syt_hash index; /* of `all`, by key */
};

struct work {
	struct syt_waits *w;
	const struct syt_waits_filter *filter;
	struct syt_blamer *blamer;
	struct syt_services services;
	struct syt_demands demands;
	struct syt_blocked blocked; /* the calls that had not returned */
	/* times in which other threads' waits depend on the present thread */
	struct syt_demand_cursor awaited;
	struct syt_blames pieces;
	struct groups groups, paths, of_thread, paths_of_thread;
};

int syt_waits_group_order(const struct syt_waits_group *a, const struct syt_waits_group *b)
{
	SYT_ORDER_BY(reason);
	SYT_ORDER_BY(kind);
	SYT_ORDER_BY(waiter);
	SYT_ORDER_BY(ender);
	SYT_ORDER_BY(blame);
	SYT_ORDER_BY(culprit);
	SYT_ORDER_BY(key_object);
	return 0;
}

static int same_first(const void *a_, const void *b_)
{
	const struct syt_waits_group *a = a_, *b = b_;
	int order = syt_waits_group_order(a, b);

	if (order)
		return order;
	SYT_ORDER(b->most, a->most); /* the longest wait comes first, as the example */
	SYT_ORDER_BY(thread);
	SYT_ORDER_BY(at.row);
	return syt_place_compare(a->by, b->by);
}

static uint32_t hash_of(const struct syt_waits_group *g)
{
	uint64_t kinds = (uint64_t)g->reason << 16 | (uint64_t)g->kind << 8 | g->blame;

	return syt_hash_words((uint64_t)g->waiter << 32 | g->ender,
	                      ((uint64_t)g->culprit << 32 | g->key_object) +
	                              kinds * UINT64_C(0x9e3779b97f4a7c15));
}

/* Adds the waits MORE to the group G, which has the same key. The longest wait stays the example. */
static void merge(struct syt_waits_group *g, const struct syt_waits_group *more)
{
	bool is_first = same_first(g, more) <= 0;
	const struct syt_waits_group *other = is_first ? more : g;
	struct syt_waits_group sum = is_first ? *g : *more;

	sum.has_others |= other->has_others || other->object != sum.object;
	sum.time += other->time;
	syt_cpu_add(&sum.cpu, other->cpu);
	sum.nr += other->nr;
	sum.nr_threads += other->nr_threads;
	sum.of_wall += other->of_wall;
	*g = sum;
}

static void add_group(struct groups *g, const struct syt_waits_group *group)
{
	uint32_t hash = hash_of(group);
	uint32_t n = SYT_HASH_FIND(&g->index, hash, i, !syt_waits_group_order(&g->all[i], group));

	if (n != SYT_HASH_NONE) {
		merge(&g->all[n], group);
		return;
	}
	syt_hash_add(&g->index, hash, g->nr);
	*SYT_ADD(g->all, g->nr, g->room) = *group;
}

static int worst_first(const void *a_, const void *b_)
{
	const struct syt_waits_group *a = a_, *b = b_;
	enum syt_waits_class x = syt_waits_reasons[a->reason].class,
			     y = syt_waits_reasons[b->reason].class;
	static const unsigned char rank[SYT_NR_WAITS_CLASSES] = {
		[SYT_WAITS_CLASS_HARMFUL] = 0,
		[SYT_WAITS_CLASS_UNDECIDED] = 1,
		[SYT_WAITS_CLASS_IDLE] = 2,
	};

	SYT_ORDER(rank[x], rank[y]);
	SYT_ORDER(b->time, a->time);
	return same_first(a, b);
}

/* The walk over the events of one thread. */
struct walk {
	struct work *w;
	uint32_t number; /* trace-wide index of the thread */
	const struct syt_thread *thread;
	struct syt_waits_sums *sums;
};

static void add_part(struct walk *k, struct syt_waits_group *g, enum syt_waits_reason reason,
                     syt_time time)
{
	if (!time)
		return;
	g->reason = (uint8_t)reason;
	g->time = g->most = time;
	k->sums->by_kind[g->kind][syt_waits_reasons[reason].class] += time;
	k->sums->by_reason[reason] += time;
	k->sums->by_class[syt_waits_reasons[reason].class] += time;
	add_group(&k->w->of_thread, g);
}

/* Adds the wait G to the group of its call path, without its cause. */
static void add_path(struct walk *k, struct syt_waits_group g, enum syt_waits_reason reason,
                     syt_time time)
{
	if (!time)
		return;
	g.reason = (uint8_t)reason;
	g.time = g.most = time;
	g.ender = g.culprit = SYT_NONE;
	g.blame = SYT_NR_BLAMES;
	add_group(&k->w->paths_of_thread, &g);
}

static void add_whole(struct walk *k, struct syt_waits_group g, enum syt_waits_reason reason,
                      syt_time time)
{
	add_path(k, g, reason, time);
	add_part(k, &g, reason, time);
}

/* Adds the parts of a wait with their causes, each to the group for its cause. */
static void add_blames(struct walk *k, struct syt_waits_group g, enum syt_waits_reason reason)
{
	struct syt_blames *pieces = &k->w->pieces;
	uint32_t ender = g.ender;

	syt_blames_merge(pieces);
	for (size_t i = 0, next; i < pieces->nr; i = next) {
		const struct syt_blame *first = &pieces->all[i];
		syt_time time = 0;

		g.cpu = (struct syt_cpu_use){0, 0, 0};
		for (next = i; next < pieces->nr && pieces->all[next].kind == first->kind &&
		               pieces->all[next].side == first->side &&
		               pieces->all[next].direct == first->direct;
		     next++) {
			time += pieces->all[next].time;
			syt_cpu_add(&g.cpu, pieces->all[next].cpu);
		}
		g.blame = first->kind;
		g.culprit = first->side;
		g.ender = first->direct != SYT_NONE ? first->direct : ender;
		if (first->at.thread != SYT_NONE)
			g.by = first->at;
		add_part(k, &g, reason, time);
	}
	pieces->nr = 0;
}

/* Returns true if the period of the filter contains the begin of the wait's call. */
static bool is_in_period(const struct walk *k, const struct syt_wait *wait)
{
	const struct syt_waits_filter *f = k->w->filter;
	syt_time begin;

	if (!f || !f->has_period)
		return true;
	begin = wait->at.thread == SYT_NONE ? k->thread->waiting.since
	                                    : syt_place_row(&k->w->w->order->places, wait->at)->in;
	return begin >= f->from && begin < f->until;
}

/* Adds the wait WAIT of the walk CONTEXT. */
static void add_wait(void *context, const struct syt_wait *wait)
{
	struct walk *k = context;
	struct work *w = k->w;
	const struct syt_order *o = w->w->order;
	struct syt_place at = wait->at;
	struct syt_wait_reason why = wait->why;
	syt_time from = wait->from, to = wait->to;
	uint32_t image = (uint32_t)(k->thread->image - o->places.trace->images);
	const struct syt_waiting_info *waiting = &k->thread->waiting;
	uint32_t object =
		at.thread == SYT_NONE ? waiting->object : syt_place_row(&o->places, at)->object;
	struct syt_waits_group g = {
		.kind = (uint8_t)why.kind,
		.blame = SYT_NR_BLAMES,
		.waiter = at.thread == SYT_NONE
	                          ? syt_label_side_of(
					    w->w->labels, image,
					    (struct syt_label_key){waiting->call, waiting->stack})
	                          : syt_label_side(w->w->labels, at),
		.object = syt_object_of(&o->objects, image, object),
		.ender = SYT_NONE,
		.culprit = SYT_NONE,
		.nr = 1,
		.at = at,
		.by = {SYT_NONE, 0},
		.thread = k->number,
	};
	syt_time part, joined;

	if (!is_in_period(k, wait))
		return;
	g.key_object = w->filter && w->filter->is_by_object ? g.object : SYT_NONE;
	k->sums->nr_waits++;
	if (why.edge != SYT_NONE) {
		g.by = o->edges.all[why.edge].from;
		g.ender = syt_label_side(w->w->labels, g.by);
	}
	if (why.reason == SYT_WAITS_TIME) {
		part = syt_demand_part(&w->awaited, SYT_DEMAND_ANSWER, from, to);
		joined = syt_demand_part(&w->awaited, SYT_DEMAND_END, from, to);
		add_whole(k, g, SYT_WAITS_AWAITED, part);
		add_whole(k, g, SYT_WAITS_JOINED, joined - part);
		add_whole(k, g, SYT_WAITS_TIME, to - from - joined);
	} else if (syt_waits_reasons[why.reason].class != SYT_WAITS_CLASS_HARMFUL) {
		part = syt_demand_part(&w->awaited, SYT_DEMAND_LOCK, from, to);
		add_whole(k, g, SYT_WAITS_AWAITED, part);
		add_whole(k, g, why.reason, to - from - part);
	} else if (why.lock == SYT_NONE && why.edge == SYT_NONE) {
		add_whole(k, g, why.reason, to - from);
	} else {
		if (why.lock != SYT_NONE)
			syt_blame_wait(w->blamer, why.lock, at, from, to, &w->pieces);
		else
			syt_blame_call(w->blamer, at, from, to, &w->pieces);
		add_path(k, g, why.reason, to - from);
		add_blames(k, g, why.reason);
	}
}

static void add_sums(struct syt_waits_sums *all, const struct syt_waits_sums *s)
{
	all->wall += s->wall;
	all->on_cpu += s->on_cpu;
	all->off_cpu += s->off_cpu;
	all->unmeasured += s->unmeasured;
	all->nr_waits += s->nr_waits;
	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++)
		for (unsigned c = 0; c < SYT_NR_WAITS_CLASSES; c++)
			all->by_kind[i][c] += s->by_kind[i][c];
	for (unsigned i = 0; i < SYT_NR_WAITS_CLASSES; i++)
		all->by_class[i] += s->by_class[i];
	for (unsigned i = 0; i < SYT_NR_WAITS_REASONS; i++)
		all->by_reason[i] += s->by_reason[i];
}

/* Moves the groups of waits of one thread to the groups of all threads. */
static void move(struct groups *to, struct groups *from, syt_time wall)
{
	for (size_t i = 0; i < from->nr; i++) {
		from->all[i].nr_threads = 1;
		from->all[i].of_wall = wall;
		add_group(to, &from->all[i]);
	}
	from->nr = 0;
	syt_hash_clear(&from->index);
}

static bool is_shown(const struct syt_waits_filter *filter, const struct syt_thread *t)
{
	return !filter || ((!filter->pid.is_given || t->image->file.pid == filter->pid.value) &&
	                   (!filter->tid.is_given || t->tid == filter->tid.value) &&
	                   (!filter->has_number ||
	                    (t->image->index == filter->image && t->index == filter->thread)));
}

static void add_thread(struct work *w, uint32_t number)
{
	const struct syt_thread *t = w->w->order->places.threads[number];
	struct walk k = {.w = w, .number = number, .thread = t, .sums = &w->w->threads[number]};
	struct syt_wait_walk walk = {.order = w->w->order,
	                             .blamer = w->blamer,
	                             .services = &w->services,
	                             .blocked = &w->blocked,
	                             .add = add_wait,
	                             .context = &k};

	if (!t->nr_rows || !is_shown(w->filter, t))
		return;
	syt_demand_cursor_begin(&w->awaited, &w->demands, number);
	syt_wait_walk(&walk, number);
	k.sums->on_cpu = walk.on_cpu;
	k.sums->off_cpu = walk.off_cpu;
	k.sums->unmeasured = walk.unmeasured;
	k.sums->wall = walk.at - walk.begin;
	w->w->nr_threads += k.sums->wall != 0;
	move(&w->groups, &w->of_thread, k.sums->wall);
	move(&w->paths, &w->paths_of_thread, k.sums->wall);
	add_sums(&w->w->all, k.sums);
}

static struct syt_waits_group *finish(struct groups *g, size_t *nr)
{
	syt_hash_close(&g->index);
	if (g->nr)
		qsort(g->all, g->nr, sizeof(*g->all), worst_first);
	*nr = g->nr;
	return g->all;
}

void syt_waits_open(struct syt_waits *waits, struct syt_blamer *blamer,
                    const struct syt_waits_filter *filter)
{
	const struct syt_order *order = blamer->order;
	struct work w = {.w = waits, .filter = filter, .blamer = blamer};

	memset(waits, 0, sizeof(*waits));
	waits->order = order;
	waits->labels = blamer->labels;
	waits->threads = syt_calloc(order->places.nr_threads, sizeof(*waits->threads));
	syt_services_open(&w.services, order);
	syt_blocked_open(&w.blocked, order);
	syt_demand_gather(&w.demands, blamer, &w.services);
	for (uint32_t i = 0; i < order->places.nr_threads; i++)
		add_thread(&w, i);
	waits->groups = finish(&w.groups, &waits->nr_groups);
	waits->paths = finish(&w.paths, &waits->nr_paths);
	syt_demand_cursor_close(&w.awaited);
	syt_demands_close(&w.demands);
	syt_services_close(&w.services);
	syt_blocked_close(&w.blocked);
	syt_blames_close(&w.pieces);
	free(w.of_thread.all);
	free(w.paths_of_thread.all);
	syt_hash_close(&w.of_thread.index);
	syt_hash_close(&w.paths_of_thread.index);
}

void syt_waits_close(struct syt_waits *w)
{
	free(w->threads);
	free(w->paths);
	free(w->groups);
	memset(w, 0, sizeof(*w));
}

bool syt_waits_is_large(const struct syt_waits_group *path, unsigned least_thousandths)
{
	return path->time / 1000 >= path->of_wall / 1000000 * least_thousandths;
}

bool syt_waits_stands_out(const struct syt_waits_group *path, unsigned least_thousandths)
{
	return syt_waits_reasons[path->reason].class == SYT_WAITS_CLASS_HARMFUL &&
	       syt_waits_is_large(path, least_thousandths);
}
