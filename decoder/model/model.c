/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/model.h"

#include <stdlib.h>
#include <string.h>

void syt_model_forest_close(struct syt_model_forest *f)
{
	for (uint32_t i = 0; i < f->nr_relative; i++)
		free(f->relative[i]);
	for (uint32_t i = 0; f->names && i < f->nr_tasks; i++)
		free(f->names[i]);
	free(f->relative);
	free(f->names);
	syt_store_free(f->up);
	syt_store_free(f->task_of);
	syt_store_free(f->root_of);
	syt_store_free(f->label_of);
	memset(f, 0, sizeof(*f));
}

void syt_model_close(struct syt_model *m)
{
	for (uint32_t i = 0; i < m->nr_tasks; i++)
		free(m->tasks[i].name);
	for (uint32_t i = 0; i < m->nr_relative; i++)
		free(m->relative[i]);
	free(m->relative);
	free(m->tasks);
	free(m->parts);
	free(m->arcs);
	free(m->rest);
	free(m->joined);
	free(m->labels);
	syt_store_free(m->label_of);
	syt_store_free(m->up);
	syt_store_free(m->task_of);
	syt_store_free(m->root_of);
	syt_store_free(m->shape);
	syt_store_free(m->first_member);
	syt_store_free(m->members);
	syt_store_free(m->instances);
	memset(m, 0, sizeof(*m));
}

uint32_t syt_model_find(const struct syt_model *m, const char *name)
{
	for (uint32_t i = 0; i < m->nr_tasks; i++)
		if (!strcmp(m->tasks[i].name, name))
			return i;
	return SYT_NONE;
}

struct syt_model_walk syt_model_walk_of(uint32_t node)
{
	return (struct syt_model_walk){.first = node};
}

uint32_t syt_model_walk_next(const struct syt_model *m, struct syt_model_walk *w)
{
	uint32_t node;

	if (!w->nr) { /* the first node; afterwards the stack is empty only at the end */
		if (w->first == SYT_NONE)
			return SYT_NONE;
		node = w->first;
		w->first = SYT_NONE;
	} else {
		for (;;) {
			uint32_t top = w->nr - 1;

			if (w->next[top] < m->first_member[w->node[top] - m->in->nr_leaves + 1]) {
				node = m->members[w->next[top]++];
				break;
			}
			w->nr--;
			if (!w->nr)
				return SYT_NONE;
		}
	}
	w->depth = w->nr;
	if (!syt_model_is_leaf(m, node) && w->nr < SYT_MODEL_DEPTH) {
		w->node[w->nr] = node;
		w->next[w->nr++] = m->first_member[node - m->in->nr_leaves];
	}
	return node;
}

struct syt_place syt_model_place(const struct syt_model *m, uint32_t node)
{
	const struct syt_model_leaf *leaf = &m->in->leaves[syt_model_root(m, node)];

	return (struct syt_place){leaf->thread, m->in->tasks->all[leaf->task].begin};
}

/* Returns the event that ends the work of LEAF: a thread that waits for the readiness of descriptors has finished its work. */
static uint32_t last_row(const struct syt_model *m, uint32_t leaf)
{
	const struct syt_model_leaf *l = &m->in->leaves[leaf];
	const struct syt_places *p = &m->in->order->places;
	uint64_t nr = syt_model_leaf_tasks(m->in, leaf);

	SYT_EACH(i, 1, nr) {
		struct syt_place at = {l->thread, m->in->tasks->all[l->task + i].begin};

		if (at.row > l->arrived && syt_place_call(p, at)->shape == SYT_SHAPE_READY)
			return at.row;
	}
	return m->in->tasks->all[l->task + nr - 1].end;
}

static struct syt_model_span leaf_span(const struct syt_model *m, uint32_t leaf)
{
	const struct syt_model_leaf *l = &m->in->leaves[leaf];
	const struct syt_thread *thread = m->in->order->places.threads[l->thread];
	struct syt_model_span s = {syt_thread_row(thread, l->arrived)->out,
	                           syt_thread_row(thread, last_row(m, leaf))->in, l->thread,
	                           l->thread, l->thread};

	s.end = s.end < s.begin ? s.begin : s.end;
	return s;
}

struct syt_model_span syt_model_span(const struct syt_model *m, uint32_t node)
{
	struct syt_model_walk w = syt_model_walk_of(node);
	struct syt_model_span all = leaf_span(m, syt_model_root(m, node));

	for (uint32_t n; (n = syt_model_walk_next(m, &w)) != SYT_NONE;) {
		struct syt_model_span s;

		if (!syt_model_is_leaf(m, n))
			continue;
		s = leaf_span(m, n);
		if (s.begin < all.begin) {
			all.begin = s.begin;
			all.first = s.first;
		}
		if (s.end > all.end) {
			all.end = s.end;
			all.last = s.last;
		}
	}
	return all;
}
