/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Loops and fan-out: equal nodes that follow each other in a thread, or that one node started. */
#include "decoder/model/mine.h"

#include <stdlib.h>

#include "base/err.h"

#define FEW_RUNS 20 /* the variance of fewer runs is uncertain */

/* The equal neighbours of a class. */
struct loop {
	uint32_t nr_merged;  /* number of nodes that would merge with another node */
	uint32_t nr_turns;   /* number of these that follow the other node in a thread */
	uint32_t nr_runs;    /* number of nodes with which others would merge */
	uint32_t nr_detours; /* number of runs and of single nodes that begin as a detour */
	uint64_t
		squares; /* sum of the squares of the numbers of nodes in runs, and of single nodes */
	uint64_t weight; /* number of leaves in runs */
	uint64_t open;   /* number of leaves in runs that take most of their thread */
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
	uint32_t *length = syt_store_alloc(m->nr_live, sizeof(*length));

	SYT_EACH(i, 0, m->nr_live)
		loops[m->class_of[i]].nr_turns += m->into[i] != i && m->into[i] == m->parent[i];
	SYT_EACH(i, 0, m->nr_live) {
		uint32_t target = target_of(m, i);

		weight[target] += m->weight[i];
		length[target]++;
		loops[m->class_of[i]].nr_merged += target != i;
	}
	SYT_EACH(i, 0, m->nr_live) {
		struct loop *l = &loops[m->class_of[i]];
		uint32_t root, thread;

		if (m->into[i] != i)
			continue;
		l->nr_detours += m->is_detour[i];
		l->squares += (uint64_t)length[i] * length[i];
		if (length[i] < 2)
			continue;
		root = syt_forest_root(m->forest, m->in, m->node[i]);
		thread = m->in->leaves[root].thread;
		l->nr_runs++;
		l->weight += weight[i];
		l->open += 2 * weight[i] > m->thread_leaves[thread] ? weight[i] : 0;
	}
	syt_store_free(weight);
	syt_store_free(length);
}

/* Returns true if the lengths of the runs are as if each turn decided by chance whether another one follows: the turns of
 * a longer loop, which executes another part now and then. The variance of these lengths is mean * (mean - 1); the
 * variance of a loop over 1 to n items is a third of this. */
static bool is_memoryless(const struct loop *l, uint32_t nr)
{
	double nr_all = (double)(nr - l->nr_merged), mean = nr / nr_all;
	double variance = (double)l->squares / nr_all - mean * mean;

	if (10 * (uint64_t)l->nr_detours >= 9 * (uint64_t)(nr - l->nr_merged))
		return false; /* the way around the detour shows that the turns belong together */
	return 2 * (uint64_t)l->nr_turns > l->nr_merged &&
	       variance >= (nr_all < FEW_RUNS ? 0.6 : 0.5) * mean * (mean - 1);
}

bool syt_mine_loops(struct syt_mine *m)
{
	size_t nr = m->nr_counted;
	struct loop *loops = syt_calloc(nr, sizeof(*loops));
	bool has_loops = false;

	sum_up(m, loops);
	for (uint32_t i = 0; i < nr; i++) {
		const struct loop *l = &loops[i];

		if (m->classes[i].is_loop || m->classes[i].is_in_key || l->nr_runs < m->least ||
		    10 * (uint64_t)l->nr_merged < m->classes[i].nr || 2 * l->open > l->weight ||
		    is_memoryless(l, m->classes[i].nr))
			continue;
		m->becomes[i] = syt_mine_add_class(m, m->classes[i].root);
		m->classes[m->becomes[i]].is_loop = true;
		m->is_whole[i] = m->classes[i].is_in_loop = has_loops = true;
	}
	free(loops);
	return has_loops;
}
