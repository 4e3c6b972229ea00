/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Makes a model from a forest: numbers the tasks, and describes their parts, arcs, shapes and instances. */
#include "decoder/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/model/profile.h"
#include "decoder/model/refine.h"
#include "decoder/model/shape.h"

struct work {
	struct syt_model *m;
	struct syt_model_forest *f;
	struct syt_forest_members members;
	struct syt_forest_parts parts;
	uint32_t *task_of_old; /* [task of the forest]: its number in the model, or SYT_NONE */
};

/* ---- labels ---- */

static int by_text(const void *a_, const void *b_)
{
	const char *const *a = a_, *const *b = b_;

	return strcmp(*a, *b);
}

/* Sorts the relative labels by text, and renumbers the labels of the leaves. */
static void take_labels(struct work *w)
{
	struct syt_model *m = w->m;
	struct syt_model_forest *f = w->f;
	uint32_t nr = m->in->nr_labels, nr_old = f->nr_relative;
	char **sorted = syt_alloc(nr_old, sizeof(*sorted));
	uint32_t *number = syt_alloc(nr_old, sizeof(*number));

	if (nr_old)
		memcpy(sorted, f->relative, nr_old * sizeof(*sorted));
	if (nr_old)
		qsort(sorted, nr_old, sizeof(*sorted), by_text);
	for (uint32_t i = 0; i < nr_old; i++) {
		char **at = bsearch(&f->relative[i], sorted, nr_old, sizeof(*sorted), by_text);

		number[i] = nr + (uint32_t)(at - sorted);
	}
	SYT_EACH(i, 0, nr_old && f->label_of ? m->in->nr_leaves : 0)
		if (f->label_of[i] >= nr)
			f->label_of[i] = number[f->label_of[i] - nr];
	free(number);
	free(f->relative);
	f->relative = sorted;
	m->nr_labels = nr + nr_old;
	m->labels = syt_alloc(m->nr_labels, sizeof(*m->labels));
	for (uint32_t i = 0; i < nr; i++)
		m->labels[i] = m->in->labels[i].text;
	for (uint32_t i = 0; i < nr_old; i++)
		m->labels[nr + i] = sorted[i];
}

/* ---- tasks ---- */

/* Adds up the leaf tasks and the layers of all instances, and counts the instances on top. */
static void sum_up(struct work *w, struct syt_model_task *tasks)
{
	const struct syt_model_input *in = w->m->in;
	const struct syt_model_forest *f = w->f;
	uint32_t nr = f->nr_nodes - in->nr_leaves;
	uint64_t *leaf_tasks = syt_store_alloc(nr, sizeof(*leaf_tasks));
	uint8_t *layer = syt_store_alloc(nr, sizeof(*layer));

	SYT_EACH(i, 0, f->nr_nodes) {
		bool is_leaf = i < in->nr_leaves;
		uint64_t own =
			is_leaf ? syt_model_leaf_tasks(in, i) : leaf_tasks[i - in->nr_leaves];
		uint8_t own_layer = is_leaf ? 0 : layer[i - in->nr_leaves] + 1;
		uint32_t up = f->up[i];

		if (is_leaf)
			w->m->nr_leaf_tasks += own;
		if (up != SYT_NONE) {
			leaf_tasks[up - in->nr_leaves] += own;
			if (own_layer > layer[up - in->nr_leaves])
				layer[up - in->nr_leaves] = own_layer;
		} else if (!is_leaf) {
			w->m->nr_in_tasks += own;
		}
		if (!is_leaf) {
			struct syt_model_task *t = &tasks[f->task_of[i - in->nr_leaves]];

			t->count++;
			t->nr_top += up == SYT_NONE;
			t->nr_leaf_tasks += own;
			t->layer = own_layer > t->layer ? own_layer : t->layer;
		}
	}
	syt_store_free(leaf_tasks);
	syt_store_free(layer);
}

/* Lets the layer of each task be above the layers of its parts. An instance without an optional part has fewer layers than its
 * task. No task contains itself, so the steps end. */
static void raise_layers(const struct work *w, struct syt_model_task *tasks)
{
	bool is_changed = true;

	for (uint32_t step = 0; is_changed && step < w->f->nr_tasks; step++) {
		is_changed = false;
		for (size_t i = 0; i < w->parts.nr; i++) {
			const struct syt_model_part *p = &w->parts.all[i];

			if (!p->what.is_task || tasks[p->task].layer > tasks[p->what.number].layer)
				continue;
			tasks[p->task].layer = tasks[p->what.number].layer + 1;
			is_changed = true;
		}
	}
}

/* Counts the threads of each instance. */
static void count_threads(struct work *w, struct syt_model_task *tasks)
{
	const struct syt_model_input *in = w->m->in;
	const struct syt_model_forest *f = w->f;
	uint32_t nr = f->nr_nodes - in->nr_leaves;
	uint32_t *last =
		syt_store_alloc(nr, sizeof(*last)); /* last thread that was counted, plus 1 */
	uint32_t *count = syt_store_alloc(nr, sizeof(*count));

	SYT_EACH(i, 0, in->nr_leaves) {
		uint32_t thread = in->leaves[i].thread + 1;

		for (uint32_t n = f->up[i]; n != SYT_NONE && last[n - in->nr_leaves] != thread;
		     n = f->up[n]) {
			last[n - in->nr_leaves] = thread;
			count[n - in->nr_leaves]++;
		}
	}
	SYT_EACH(i, 0, nr) {
		struct syt_model_task *t = &tasks[f->task_of[i]];

		t->nr_threads = count[i] > t->nr_threads ? count[i] : t->nr_threads;
	}
	syt_store_free(last);
	syt_store_free(count);
}

struct ranked {
	struct syt_model_task task;
	uint32_t old;
};

SYT_COMPARATOR(largest_first, struct ranked)
{
	SYT_ORDER(b->task.is_top, a->task.is_top);
	SYT_ORDER(b->task.nr_leaf_tasks, a->task.nr_leaf_tasks);
	return strcmp(a->task.name, b->task.name);
}

static void take_tasks(struct work *w)
{
	struct syt_model_forest *f = w->f;
	struct syt_model_task *tasks = syt_calloc(f->nr_tasks, sizeof(*tasks));
	struct ranked *ranked = syt_calloc(f->nr_tasks, sizeof(*ranked));
	struct syt_refine_names names;
	uint32_t nr = 0;

	syt_refine_names_open(&names, f, w->m->in, &w->parts);
	syt_refine_name(f, &names);
	sum_up(w, tasks);
	raise_layers(w, tasks);
	count_threads(w, tasks);
	for (uint32_t i = 0; i < f->nr_tasks; i++) {
		w->task_of_old[i] = SYT_NONE;
		if (!tasks[i].count)
			continue;
		tasks[i].name = f->names[i];
		f->names[i] = NULL;
		tasks[i].root = names.root[i];
		tasks[i].is_top = 2 * tasks[i].nr_top >= tasks[i].count;
		ranked[nr++] = (struct ranked){tasks[i], i};
	}
	if (nr)
		qsort(ranked, nr, sizeof(*ranked), largest_first);
	w->m->nr_tasks = nr;
	w->m->tasks = syt_alloc(nr, sizeof(*w->m->tasks));
	for (uint32_t i = 0; i < nr; i++) {
		w->m->tasks[i] = ranked[i].task;
		w->task_of_old[ranked[i].old] = i;
	}
	SYT_EACH(i, 0, f->nr_nodes - w->m->in->nr_leaves)
		f->task_of[i] = w->task_of_old[f->task_of[i]];
	syt_refine_names_close(&names);
	free(tasks);
	free(ranked);
}

/* ---- parts ---- */

struct ordered {
	struct syt_model_part part;
	double depth; /* mean number of steps from the root */
	const char *text;
};

SYT_COMPARATOR(in_order, struct ordered)
{
	SYT_ORDER_BY(part.task);
	SYT_ORDER(b->part.is_root, a->part.is_root);
	SYT_ORDER_BY(depth);
	SYT_ORDER_BY(part.what.is_task);
	return strcmp(a->text, b->text);
}

static void take_parts(struct work *w)
{
	struct syt_model *m = w->m;
	struct ordered *all = syt_alloc(w->parts.nr, sizeof(*all));

	for (size_t i = 0; i < w->parts.nr; i++) {
		struct syt_model_part part = w->parts.all[i];

		part.task = w->task_of_old[part.task];
		if (part.what.is_task)
			part.what.number = w->task_of_old[part.what.number];
		all[i] = (struct ordered){part,
		                          (double)w->parts.states[i].depth / (double)part.count,
		                          syt_model_part_text(m, part.what)};
	}
	if (w->parts.nr)
		qsort(all, w->parts.nr, sizeof(*all), in_order);
	m->nr_parts = (uint32_t)w->parts.nr;
	m->parts = syt_alloc(m->nr_parts, sizeof(*m->parts));
	for (uint32_t i = 0; i < m->nr_parts; i++) {
		struct syt_model_task *t = &m->tasks[all[i].part.task];

		m->parts[i] = all[i].part;
		if (!t->nr_parts++)
			t->first_part = i;
	}
	free(all);
}

/* ---- arcs ---- */

struct arcs {
	size_t nr, room;
	struct syt_model_arc *all;
	struct syt_hash index;
};

static bool is_same_arc(const struct syt_model_arc *a, const struct syt_model_arc *b)
{
	return a->task == b->task && a->from.number == b->from.number &&
	       a->from.is_task == b->from.is_task && a->to.number == b->to.number &&
	       a->to.is_task == b->to.is_task && a->kind == b->kind && a->is_start == b->is_start &&
	       a->is_inferred == b->is_inferred && a->is_across == b->is_across;
}

/* Counts the arc KIND from the leaf FROM to the leaf TO between the parts that contain them. */
static void add_arc(struct arcs *arcs, const struct syt_model *m, uint32_t from, uint32_t to,
                    struct syt_model_arc arc)
{
	uint32_t a = from, b = to, hash, number;

	arc.is_across = m->in->leaves[from].thread != m->in->leaves[to].thread;
	syt_model_meet(m->up, &a, &b);
	arc.task = m->up[a] == SYT_NONE ? SYT_NONE : m->task_of[m->up[a] - m->in->nr_leaves];
	arc.from = syt_model_what(m, a);
	arc.to = syt_model_what(m, b);
	arc.count = 1;
	hash = syt_hash_words((uint64_t)arc.from.number << 32 | arc.to.number,
	                      (uint64_t)arc.task << 32 | (uint32_t)arc.kind << 8 |
	                              (uint32_t)arc.from.is_task << 4 |
	                              (uint32_t)arc.to.is_task << 3 | (uint32_t)arc.is_start << 2 |
	                              (uint32_t)arc.is_inferred << 1 | arc.is_across);
	number = SYT_HASH_FIND(&arcs->index, hash, i, is_same_arc(&arcs->all[i], &arc));
	if (number != SYT_HASH_NONE) {
		arcs->all[number].count++;
		return;
	}
	syt_hash_add(&arcs->index, hash, arcs->nr);
	*SYT_ADD(arcs->all, arcs->nr, arcs->room) = arc;
}

SYT_COMPARATOR(arcs_in_order, struct syt_model_arc)
{
	SYT_ORDER_BY(task);
	SYT_ORDER(b->is_start, a->is_start);
	SYT_ORDER_BY(from.is_task);
	SYT_ORDER_BY(from.number);
	SYT_ORDER_BY(to.is_task);
	SYT_ORDER_BY(to.number);
	SYT_ORDER_BY(kind);
	SYT_ORDER_BY(is_inferred);
	SYT_ORDER_BY(is_across);
	return 0;
}

static void take_arcs(struct syt_model *m)
{
	const struct syt_model_input *in = m->in;
	struct arcs arcs = {0};

	SYT_EACH(i, 0, in->nr_leaves) {
		const struct syt_model_leaf *leaf = &in->leaves[i];

		if (leaf->start != SYT_NONE)
			add_arc(&arcs, m, leaf->start, i,
			        (struct syt_model_arc){.kind = leaf->kind,
			                               .is_start = true,
			                               .is_inferred = leaf->is_inferred});
	}
	SYT_EACH(i, 0, in->nr_inner)
		add_arc(&arcs, m, in->inner[i].from, in->inner[i].to,
		        (struct syt_model_arc){.kind = in->inner[i].kind,
		                               .is_inferred = in->inner[i].is_inferred});
	syt_hash_close(&arcs.index);
	if (arcs.nr)
		qsort(arcs.all, arcs.nr, sizeof(*arcs.all), arcs_in_order);
	m->arcs = arcs.all;
	m->nr_arcs = (uint32_t)arcs.nr;
	for (uint32_t i = 0; i < m->nr_arcs; i++)
		if (m->arcs[i].task != SYT_NONE && !m->tasks[m->arcs[i].task].nr_arcs++)
			m->tasks[m->arcs[i].task].first_arc = i;
}

/* ---- instances ---- */

struct dated {
	uint64_t at;
	uint32_t task, node;
};

SYT_COMPARATOR(by_task_and_time, struct dated)
{
	SYT_ORDER_BY(task);
	SYT_ORDER_BY(at);
	SYT_ORDER_BY(node);
	return 0;
}

/* Lists the instances of each task in the order of their begin, or of their first leaves without a trace. */
static void list_instances(struct syt_model *m)
{
	uint32_t nr_leaves = m->in->nr_leaves, nr = m->nr_nodes - nr_leaves, first = 0;
	struct dated *all = syt_store_alloc(nr, sizeof(*all));

	SYT_EACH(i, 0, nr) {
		const struct syt_model_leaf *root = &m->in->leaves[m->root_of[i]];

		all[i] = (struct dated){m->root_of[i], m->task_of[i], nr_leaves + i};
		if (m->in->order)
			all[i].at = syt_place_row(&m->in->order->places,
			                          (struct syt_place){root->thread, root->arrived})
			                    ->out;
	}
	syt_sort(all, nr, sizeof(*all), by_task_and_time);
	m->instances = syt_store_alloc(nr, sizeof(*m->instances));
	SYT_EACH(i, 0, nr)
		m->instances[i] = all[i].node;
	syt_store_free(all);
	for (uint32_t t = 0; t < m->nr_tasks; t++) {
		m->tasks[t].first_instance = first;
		first += (uint32_t)m->tasks[t].count;
	}
}

static int by_number(const void *a_, const void *b_)
{
	const uint64_t *a = a_, *b = b_;

	return SYT_COMPARE(*a, *b);
}

static void count_shapes(struct syt_model *m)
{
	uint64_t *shapes = syt_store_alloc(m->nr_nodes - m->in->nr_leaves, sizeof(*shapes));

	for (uint32_t t = 0; t < m->nr_tasks; t++) {
		struct syt_model_task *task = &m->tasks[t];

		for (uint32_t i = 0; i < task->count; i++)
			shapes[i] =
				m->shape[m->instances[task->first_instance + i] - m->in->nr_leaves];
		syt_sort(shapes, task->count, sizeof(*shapes), by_number);
		for (uint32_t i = 0; i < task->count; i++)
			task->nr_shapes += !i || shapes[i] != shapes[i - 1];
	}
	syt_store_free(shapes);
}

/* ---- leaves outside of tasks ---- */

static void count_rest(struct syt_model *m)
{
	uint64_t *rest = syt_calloc(m->in->nr_labels, sizeof(*rest));

	SYT_EACH(i, 0, m->in->nr_leaves)
		rest[m->in->leaves[i].label] += m->up[i] == SYT_NONE;
	m->rest = syt_alloc(m->in->nr_labels, sizeof(*m->rest));
	m->joined = syt_alloc(m->in->nr_labels, sizeof(*m->joined));
	for (uint32_t i = 0; i < m->in->nr_labels; i++) {
		if (rest[i])
			m->rest[m->nr_rest++] = (struct syt_model_count){i, rest[i]};
		if (m->in->labels[i].nr_joined)
			m->joined[m->nr_joined++] =
				(struct syt_model_count){i, m->in->labels[i].nr_joined};
	}
	free(rest);
}

void syt_model_build(struct syt_model *m, const struct syt_model_input *in,
                     const struct syt_model_options *options, struct syt_model_forest *f)
{
	struct work w = {.m = m, .f = f};

	*m = (struct syt_model){.in = in, .options = *options};
	syt_forest_compact(f, in);
	take_labels(&w);
	syt_forest_members_open(&w.members, f, in);
	syt_refine_parts(&w.parts, f, in, &w.members, NULL);
	w.task_of_old = syt_alloc(f->nr_tasks, sizeof(*w.task_of_old));
	take_tasks(&w);
	m->nr_nodes = f->nr_nodes;
	m->up = f->up;
	m->task_of = f->task_of;
	m->root_of = f->root_of;
	m->label_of = f->label_of;
	take_parts(&w);
	take_arcs(m);
	syt_model_shapes(m, f, &w.members);
	list_instances(m);
	count_shapes(m);
	count_rest(m);
	m->first_member = w.members.first;
	m->members = w.members.members;
	w.members.first = w.members.members = NULL;
	f->up = f->task_of = f->root_of = f->label_of = NULL;
	m->relative = f->relative;
	m->nr_relative = f->nr_relative;
	f->relative = NULL;
	f->nr_relative = 0;
	syt_forest_members_close(&w.members);
	syt_forest_parts_close(&w.parts);
	free(w.task_of_old);
	syt_model_forest_close(f);
	if (in->order)
		syt_model_profile(m);
}
