/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Loops and fan-out: equal nodes that follow each other in a thread, or that one node started. */
#include "decoder/model/mine.h"

#include <stdlib.h>

#include "base/err.h"

/* The equal neighbours of a class. */
struct loop {
	uint32_t nr_merged; /* number of nodes that would merge with another node */
	uint32_t nr_runs;   /* number of nodes with which others would merge */
	uint64_t weight;    /* number of leaves in runs */
	uint64_t open;      /* number of leaves in runs that take most of their thread */
};

/* Returns the last node of the chain of merges from the node at POSITION, and shortens the chain. */
static uint32_t target_of(struct syt_mine *m, uint32_t position)
{
	while (m->into[position] != position) {
		m->into[position] = m->into[m->into[position]];
		position = m->into[position];
	}
	return position;
}

static void sum_up(struct syt_mine *m, struct loop *loops)
{
	uint64_t *weight = syt_store_alloc(m->nr_live, sizeof(*weight));

	SYT_EACH(i, 0, m->nr_live) {
		uint32_t target = target_of(m, i);

		weight[target] += m->weight[i];
		loops[m->class_of[i]].nr_merged += target != i;
	}
	SYT_EACH(i, 0, m->nr_live) {
		struct loop *l = &loops[m->class_of[i]];
		uint32_t thread;

		if (weight[i] <= m->weight[i])
			continue;
		thread = m->in->leaves[syt_forest_root(m->forest, m->in, m->node[i])].thread;
		l->nr_runs++;
		l->weight += weight[i];
		l->open += 2 * weight[i] > m->thread_leaves[thread] ? weight[i] : 0;
	}
	syt_store_free(weight);
}

bool syt_mine_loops(struct syt_mine *m)
{
	size_t nr = m->nr_counted;
	struct loop *loops = syt_calloc(nr, sizeof(*loops));
	bool has_loops = false;

	sum_up(m, loops);
	for (uint32_t i = 0; i < nr; i++) {
		const struct loop *l = &loops[i];

		if (m->classes[i].is_in_key || l->nr_runs < m->least ||
		    10 * (uint64_t)l->nr_merged < m->classes[i].nr || 2 * l->open > l->weight)
			continue;
		m->becomes[i] = syt_mine_add_class(m, m->classes[i].root);
		m->is_whole[i] = m->classes[i].is_in_loop = has_loops = true;
	}
	free(loops);
	return has_loops;
}
