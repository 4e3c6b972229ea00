/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/mine.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

uint32_t syt_mine_add_class(struct syt_mine *m, uint32_t root)
{
	*SYT_ADD(m->classes, m->nr_classes, m->room_classes) =
		(struct syt_mine_class){.root = root};
	return (uint32_t)m->nr_classes - 1;
}

void syt_mine_keep_classes(struct syt_mine *m)
{
	syt_grow(&m->becomes, &m->room_becomes, m->nr_classes, sizeof(*m->becomes));
	syt_grow(&m->is_whole, &m->room_is_whole, m->nr_classes, sizeof(*m->is_whole));
	for (uint32_t i = 0; i < m->nr_classes; i++) {
		m->becomes[i] = i;
		m->is_whole[i] = m->classes[i].is_in_key = m->classes[i].is_in_loop = false;
	}
}

/* Replaces chains of merges by their last node. */
static void find_targets(struct syt_mine *m)
{
	SYT_EACH(i, 0, m->nr_live) {
		uint32_t target = i, next;

		while (m->into[target] != target)
			target = m->into[target];
		for (uint32_t n = i; m->into[n] != target; n = next) {
			next = m->into[n];
			m->into[n] = target;
		}
	}
}

/* Merges the nodes that `into` marks, and makes a node for each class that changes. */
static void merge(struct syt_mine *m)
{
	/* the position of a root in the new order; the lists of children are of no more use */
	uint32_t *has_members = m->child, *moved = m->next, nr = 0;

	find_targets(m);
	memset(has_members, 0, m->nr_live * sizeof(*has_members));
	SYT_EACH(i, 0, m->nr_live)
		if (m->into[i] != i)
			has_members[m->into[i]] = 1;
	/* makes the new nodes in the order of their roots */
	SYT_EACH(i, 0, m->nr_live) {
		uint32_t class = m->class_of[i], old = m->node[i];

		if (m->into[i] != i)
			continue;
		moved[i] = nr++;
		if (m->becomes[class] == class || !(has_members[i] || m->is_whole[class]))
			continue;
		m->class_of[i] = m->becomes[class];
		m->node[i] = syt_forest_add(m->forest, m->in, m->class_of[i] - m->in->nr_labels,
		                            syt_forest_root(m->forest, m->in, old));
		m->forest->up[old] = m->node[i];
	}
	SYT_EACH(i, 0, m->nr_live) {
		if (m->into[i] == i)
			continue;
		m->forest->up[m->node[i]] = m->node[m->into[i]];
		m->weight[m->into[i]] += m->weight[i];
	}
	nr = 0;
	SYT_EACH(i, 0, m->nr_live) {
		uint32_t parent = m->parent[i];

		if (m->into[i] != i)
			continue;
		m->node[nr] = m->node[i];
		m->class_of[nr] = m->class_of[i];
		m->parent[nr] = parent == SYT_NONE ? SYT_NONE : moved[m->into[parent]];
		m->weight[nr] = m->weight[i];
		m->kind[nr] = m->kind[i];
		m->is_detour[nr] = m->is_detour[i];
		nr++;
	}
	m->nr_live = nr;
}

/* Merges the nodes of the marked keys with their sources, and equal neighbours of the marked classes. */
static void contract(struct syt_mine *m)
{
	SYT_EACH(i, 0, m->nr_live) {
		uint32_t key = m->key_of[i];

		if (!m->classes[m->class_of[i]].is_in_loop)
			m->into[i] = key != SYT_NONE && m->keys[key].is_taken ? m->parent[i] : i;
	}
	merge(m);
}

static uint32_t *positions(const struct syt_mine *m)
{
	return syt_store_alloc(m->nr_live, sizeof(uint32_t));
}

static void open(struct syt_mine *m)
{
	const struct syt_model_input *in = m->in;

	m->nr_live = in->nr_leaves;
	m->node = positions(m);
	m->class_of = positions(m);
	m->parent = positions(m);
	m->weight = positions(m);
	m->into = positions(m);
	m->key_of = positions(m);
	m->child = positions(m);
	m->next = positions(m);
	m->kind = syt_store_alloc(m->nr_live, sizeof(*m->kind));
	m->is_detour = syt_store_alloc(m->nr_live, sizeof(*m->is_detour));
	m->thread_leaves = syt_calloc(in->nr_threads, sizeof(*m->thread_leaves));
	syt_store_grow(&m->forest->up, &m->forest->room_up, 0, in->nr_leaves,
	               sizeof(*m->forest->up));
	m->forest->nr_nodes = in->nr_leaves;
	for (uint32_t i = 0; i < in->nr_labels; i++)
		syt_mine_add_class(m, i);
	SYT_EACH(i, 0, in->nr_leaves) {
		m->node[i] = i;
		m->class_of[i] = in->leaves[i].label;
		m->parent[i] = in->leaves[i].start;
		m->kind[i] = in->leaves[i].kind;
		m->is_detour[i] = in->leaves[i].is_detour;
		m->weight[i] = 1;
		m->forest->up[i] = SYT_NONE;
		m->thread_leaves[in->leaves[i].thread]++;
	}
}

static void close(struct syt_mine *m)
{
	uint32_t *positions[] = {m->node, m->class_of, m->parent, m->weight,
	                         m->into, m->key_of,   m->child,  m->next};

	for (size_t i = 0; i < sizeof(positions) / sizeof(positions[0]); i++)
		syt_store_free(positions[i]);
	syt_store_free(m->kind);
	syt_store_free(m->is_detour);
	syt_store_free(m->keys);
	syt_hash_close(&m->index);
	free(m->thread_leaves);
	free(m->classes);
	free(m->becomes);
	free(m->is_whole);
}

void syt_mine(struct syt_model_forest *forest, const struct syt_model_input *in, uint32_t least)
{
	struct syt_mine m = {.in = in, .least = least, .forest = forest};

	open(&m);
	for (unsigned round = 0; round < SYT_MODEL_ROUNDS; round++) {
		bool has_keys, has_loops;

		syt_mine_count(&m);
		has_keys = syt_mine_mutual(&m, true);
		has_loops = syt_mine_loops(&m);
		if (!has_keys && !has_loops && !syt_mine_optional(&m) && !syt_mine_branches(&m, true) &&
		    !syt_mine_mutual(&m, false) && !syt_mine_branches(&m, false))
			break;
		contract(&m);
	}
	forest->nr_tasks = (uint32_t)m.nr_classes - in->nr_labels;
	close(&m);
}
