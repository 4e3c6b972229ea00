/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/latency.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/analysis/call_path.h"

struct syt_model_walker {
	const struct syt_model *m;
	uint64_t *
		first_inner; /* [leaf], and one more: its incoming inner arcs are from[first_inner[leaf]] ... */
	uint32_t *from; /* sources of the inner arcs, by target */
	/* the leaves of the present instance, sorted by number */
	size_t nr, room;
	uint32_t *leaves;
	uint32_t instance;
	/* the present task */
	struct syt_model_latency *latency;
	struct syt_counts costs;   /* (kind and path, path until) -> time */
	struct syt_counts part_of; /* (is task, number) -> number of the part, plus 1 */
	syt_time *part;            /* time of the part that contains the present leaf */
	uint32_t label;            /* of the present leaf, as a part of the task */
	const char *path;          /* call path at the begin of the present leaf */
};

struct syt_model_walker *syt_model_walker_create(const struct syt_model *m)
{
	struct syt_model_walker *w = syt_calloc(1, sizeof(*w));
	const struct syt_model_input *in = m->in;

	w->m = m;
	w->first_inner = syt_store_alloc((uint64_t)in->nr_leaves + 2, sizeof(*w->first_inner));
	w->from = syt_store_alloc(in->nr_inner, sizeof(*w->from));
	SYT_EACH(i, 0, in->nr_inner)
		w->first_inner[in->inner[i].to + 2]++;
	SYT_EACH(i, 0, in->nr_leaves)
		w->first_inner[i + 2] += w->first_inner[i + 1];
	SYT_EACH(i, 0, in->nr_inner)
		w->from[w->first_inner[in->inner[i].to + 1]++] = in->inner[i].from;
	return w;
}

void syt_model_walker_destroy(struct syt_model_walker *w)
{
	syt_store_free(w->first_inner);
	syt_store_free(w->from);
	free(w->leaves);
	free(w);
}

/* ---- times of leaves ---- */

static const struct syt_row *row_of(const struct syt_model_walker *w, uint32_t leaf, uint32_t row)
{
	const struct syt_model_input *in = w->m->in;

	return syt_thread_row(in->order->places.threads[in->leaves[leaf].thread], row);
}

/* Returns the event that ends a leaf. */
static uint32_t end_row(const struct syt_model_walker *w, uint32_t leaf)
{
	const struct syt_model_input *in = w->m->in;

	return in->tasks->all[in->leaves[leaf].task + syt_model_leaf_tasks(in, leaf) - 1].end;
}

static syt_time end_of(const struct syt_model_walker *w, uint32_t leaf)
{
	return row_of(w, leaf, end_row(w, leaf))->in;
}

/* ---- the leaves of an instance ---- */

SYT_COMPARATOR(by_number, uint32_t)
{
	return SYT_COMPARE(*a, *b);
}

static void find_leaves(struct syt_model_walker *w, uint32_t instance)
{
	struct syt_model_walk walk = syt_model_walk_of(instance);

	w->instance = instance;
	w->nr = 0;
	for (uint32_t n; (n = syt_model_walk_next(w->m, &walk)) != SYT_NONE;)
		if (syt_model_is_leaf(w->m, n))
			*SYT_ADD(w->leaves, w->nr, w->room) = n;
	qsort(w->leaves, w->nr, sizeof(*w->leaves), by_number);
}

/* Returns the index of the first leaf of the instance with a number of at least LEAF. */
static size_t index_of(const struct syt_model_walker *w, uint32_t leaf)
{
	size_t low = 0, high = w->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->leaves[middle] < leaf)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool contains(const struct syt_model_walker *w, uint32_t leaf)
{
	size_t i = index_of(w, leaf);

	return i < w->nr && w->leaves[i] == leaf;
}

/* Returns the last leaf of the instance in the same thread before LEAF, or SYT_NONE. */
static uint32_t before_in_thread(const struct syt_model_walker *w, uint32_t leaf)
{
	const struct syt_model_leaf *leaves = w->m->in->leaves;
	size_t i = index_of(w, leaf);

	return i && leaves[w->leaves[i - 1]].thread == leaves[leaf].thread ? w->leaves[i - 1]
	                                                                   : SYT_NONE;
}

/* Sets `part` to the part of the task that contains LEAF. */
static void find_part(struct syt_model_walker *w, uint32_t leaf)
{
	struct syt_model_what what;
	uint32_t node = leaf;

	w->label = syt_model_what(w->m, leaf).number;
	w->path = w->m->in->labels[w->m->in->leaves[leaf].label].text;
	while (w->m->up[node] != w->instance)
		node = w->m->up[node];
	what = syt_model_what(w->m, node);
	w->part = &w->latency->parts[syt_counts_of(&w->part_of, what.is_task, what.number) - 1];
}

/* ---- costs ---- */

static void add(struct syt_model_walker *w, enum syt_cost_kind kind, struct syt_place at,
                syt_time from, syt_time to)
{
	struct syt_call_paths *paths = w->m->in->paths;
	uint64_t path, until = SYT_NONE;
	bool is_inside;

	if (from >= to)
		return;
	path = syt_call_path_of(paths, at);
	at.row++;
	if (kind == SYT_COST_AFTER && at.row < w->m->in->order->places.threads[at.thread]->nr_rows)
		until = syt_call_path_of(paths, at);
	*syt_counts_at(&w->costs, (uint64_t)kind << 32 | path, until) += to - from;
	if (kind == SYT_COST_BEHIND_IN || kind == SYT_COST_BEHIND_AFTER)
		return;
	is_inside = kind == SYT_COST_IN &&
	            strcmp(syt_call_path_text(paths, (uint32_t)path), w->path) != 0;
	*syt_counts_at(&w->latency->leaves, w->label, is_inside ? path : SYT_NONE) += to - from;
	*w->part += to - from;
	*syt_counts_at(&w->latency->places,
	               (uint64_t)kind << 32 | (uint64_t)(w->part - w->latency->parts), path) +=
		to - from;
}

/* Adds the time from FROM to TO of the events BEGIN to END of a thread, from the last to the first. IS_PART: the thread
 * executed parts of the instance. */
static void add_thread(struct syt_model_walker *w, uint32_t thread, uint32_t begin, uint32_t end,
                       syt_time from, syt_time to, bool is_part)
{
	const struct syt_places *p = &w->m->in->order->places;
	struct syt_place at = {thread, begin};

	for (uint32_t row = end + 1; row-- > begin && to > from;) {
		const struct syt_row *r;
		bool waits;

		at.row = row;
		r = syt_place_row(p, at);
		/* a thread that waits for the readiness of descriptors has no other work */
		waits = is_part || syt_place_call(p, at)->shape == SYT_SHAPE_READY;
		if (r->out < to) {
			syt_time since = r->out > from ? r->out : from;

			add(w, is_part ? SYT_COST_AFTER : SYT_COST_BEHIND_AFTER, at, since, to);
			to = since;
		}
		if (r->in < to) {
			syt_time since = r->in > from ? r->in : from;

			add(w, waits ? SYT_COST_IN : SYT_COST_BEHIND_IN, at, since, to);
			to = since;
		}
	}
	add(w, is_part ? SYT_COST_IN : SYT_COST_BEHIND_IN, at, from, to);
}

/* ---- the walk ---- */

/* Returns the leaf of the instance, in another thread, that let LEAF begin, and that ended last; or SYT_NONE. */
static uint32_t sender_of(const struct syt_model_walker *w, uint32_t leaf)
{
	const struct syt_model_leaf *l = w->m->in->leaves;
	uint32_t best = SYT_NONE;

	if (l[leaf].start != SYT_NONE && l[l[leaf].start].thread != l[leaf].thread &&
	    contains(w, l[leaf].start))
		best = l[leaf].start;
	SYT_EACH(i, w->first_inner[leaf], w->first_inner[leaf + 1]) {
		uint32_t from = w->from[i];

		if (l[from].thread != l[leaf].thread && contains(w, from) &&
		    (best == SYT_NONE || end_of(w, from) > end_of(w, best)))
			best = from;
	}
	return best;
}

/* Returns the leaf of the instance that ends last; of several, the first by text. */
static uint32_t last_leaf(const struct syt_model_walker *w)
{
	const struct syt_model_leaf *leaves = w->m->in->leaves;
	uint32_t best = w->leaves[0];

	for (size_t i = 1; i < w->nr; i++) {
		uint32_t leaf = w->leaves[i];
		syt_time end = syt_model_span(w->m, leaf).end,
			 best_end = syt_model_span(w->m, best).end;

		if (end > best_end || (end == best_end && leaves[leaf].label < leaves[best].label))
			best = leaf;
	}
	return best;
}

static void walk_instance(struct syt_model_walker *w)
{
	const struct syt_model_leaf *leaves = w->m->in->leaves;
	syt_time begin = syt_model_span(w->m, w->instance).begin;
	uint32_t leaf = last_leaf(w);
	syt_time to = syt_model_span(w->m, leaf).end;

	w->latency->all += to > begin ? to - begin : 0;
	/* each turn goes back to another leaf; only events of signal handlers can prevent this */
	for (size_t turn = 0; turn < 2 * w->nr && to > begin; turn++) {
		const struct syt_model_leaf *l = &leaves[leaf];
		const struct syt_row *r = row_of(w, leaf, l->arrived);
		uint32_t before = before_in_thread(w, leaf), sender = sender_of(w, leaf);
		syt_time from = r->out > begin ? r->out : begin, since;

		find_part(w, leaf);
		add_thread(w, l->thread, l->arrived, end_row(w, leaf), from, to, true);
		to = from < to ? from : to;
		if (sender != SYT_NONE && before != SYT_NONE && end_of(w, sender) <= r->in)
			sender = SYT_NONE; /* the call did not wait for the sender */
		if (sender == SYT_NONE && before == SYT_NONE)
			break;
		from = end_of(w, sender != SYT_NONE ? sender : before);
		from = from > begin ? from : begin;
		since = r->in > from ? r->in : from;
		add_thread(w, l->thread, l->arrived, l->arrived, since, to, true);
		to = since < to ? since : to;
		/* before the call, the thread executed other work */
		add_thread(w, l->thread, sender != SYT_NONE ? 0 : end_row(w, before), l->arrived,
		           from, to, false);
		to = from < to ? from : to;
		leaf = sender != SYT_NONE ? sender : before;
	}
	add_thread(w, leaves[leaf].thread, 0, leaves[leaf].arrived, begin, to, false);
}

/* ---- a task ---- */

struct text {
	const char *text, *until;
	struct syt_model_cost cost;
};

SYT_COMPARATOR(by_time, struct text)
{
	if (a->cost.time != b->cost.time)
		return a->cost.time > b->cost.time ? -1 : 1;
	SYT_ORDER_BY(cost.kind);
	return strcmp(a->text, b->text) ? strcmp(a->text, b->text) : strcmp(a->until, b->until);
}

static void take_costs(struct syt_model_walker *w, struct syt_model_latency *l)
{
	struct text *all = syt_calloc(w->costs.nr, sizeof(*all));

	for (size_t i = 0; i < w->costs.nr; i++) {
		const struct syt_count *c = &w->costs.all[i];

		all[i].cost = (struct syt_model_cost){(uint32_t)c->a, (uint32_t)c->b,
		                                      (uint8_t)(c->a >> 32), c->nr};
		all[i].text = syt_call_path_text(w->m->in->paths, all[i].cost.path);
		all[i].until = all[i].cost.until == SYT_NONE
		                       ? ""
		                       : syt_call_path_text(w->m->in->paths, all[i].cost.until);
	}
	if (w->costs.nr)
		qsort(all, w->costs.nr, sizeof(*all), by_time);
	for (size_t i = 0; i < w->costs.nr; i++)
		*SYT_ADD(l->costs, l->nr, l->room) = all[i].cost;
	free(all);
}

void syt_model_latency_open(struct syt_model_latency *l, struct syt_model_walker *w, uint32_t task)
{
	const struct syt_model_task *t = &w->m->tasks[task];

	*l = (struct syt_model_latency){.parts = syt_calloc(t->nr_parts, sizeof(*l->parts))};
	w->latency = l;
	w->costs = w->part_of = (struct syt_counts){0};
	for (uint32_t i = 0; i < t->nr_parts; i++) {
		struct syt_model_what what = w->m->parts[t->first_part + i].what;

		*syt_counts_at(&w->part_of, what.is_task, what.number) = i + 1;
	}
	for (uint64_t i = 0; i < t->count; i++) {
		find_leaves(w, w->m->instances[t->first_instance + i]);
		walk_instance(w);
	}
	take_costs(w, l);
	syt_counts_fini(&w->costs);
	syt_counts_fini(&w->part_of);
}

void syt_model_latency_close(struct syt_model_latency *l)
{
	free(l->costs);
	free(l->parts);
	syt_counts_fini(&l->leaves);
	syt_counts_fini(&l->places);
}
