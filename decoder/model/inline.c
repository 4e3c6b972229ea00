/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/refine.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Tasks of which at most this percentage of the instances is outside of their only parent are inlined. */
#define MOST_OUTSIDE 5u

struct nodes {
	const struct syt_model_forest *f;
	const struct syt_model_input *in;
};

static struct syt_model_what what_of(const void *context, uint32_t node)
{
	const struct nodes *n = context;

	if (node >= n->in->nr_leaves)
		return (struct syt_model_what){true, n->f->task_of[node - n->in->nr_leaves]};
	return (struct syt_model_what){false, n->f->label_of ? n->f->label_of[node]
	                                                     : n->in->leaves[node].label};
}

void syt_refine_parts(struct syt_forest_parts *p, const struct syt_model_forest *f,
                      const struct syt_model_input *in, const struct syt_forest_members *m,
                      uint64_t *nr_instances_of)
{
	uint64_t *nr = nr_instances_of ? nr_instances_of : syt_calloc(f->nr_tasks, sizeof(*nr));

	syt_forest_parts_open(p, f, in, m, what_of, &(struct nodes){f, in}, nr);
	if (!nr_instances_of)
		free(nr);
}

void syt_refine_prune(struct syt_model_forest *f, const struct syt_model_input *in, uint32_t least)
{
	uint32_t nr = f->nr_nodes - in->nr_leaves;
	uint64_t *count = syt_calloc(f->nr_tasks, sizeof(*count));

	SYT_EACH(i, 0, nr)
		count[f->task_of[i]]++;
	/* the leaves of a removed function have their own labels again */
	SYT_EACH(i, 0, f->label_of ? in->nr_leaves : 0)
		if (f->up[i] != SYT_NONE && count[f->task_of[f->up[i] - in->nr_leaves]] < least)
			f->label_of[i] = in->leaves[i].label;
	SYT_EACH(i, 0, nr)
		if (count[f->task_of[i]] < least)
			f->task_of[i] = SYT_NONE;
	free(count);
	syt_forest_compact(f, in);
}

/* The tasks that contain a task. */
struct place {
	uint32_t parent; /* the first of them */
	bool has_other;
	bool is_once; /* each instance of the parent contains the task once */
	uint64_t nr;  /* number of instances inside of the parent */
};

/* Returns true if the instances of TASK inside of its parent become part of the parent. */
static bool is_inlined(const struct syt_refine_names *n, uint32_t task, const struct place *at,
                       uint64_t count)
{
	const char *own = n->function[task], *outer;

	if (!at->nr || at->has_other || !at->is_once || n->f->names[task] ||
	    100 * (count - at->nr) > MOST_OUTSIDE * count)
		return false;
	outer = n->function[at->parent];
	return !own || (outer && !strcmp(own, outer));
}

/* Returns true if all instances of TASK consist of one instance of another task. */
static bool is_wrapper(const struct syt_refine_names *n, uint32_t task)
{
	const struct syt_model_part *part = &n->p->all[n->parts[n->first_part[task]]];

	return n->first_part[task + 1] - n->first_part[task] == 1 && part->what.is_task &&
	       part->least == 1 && part->most == 1;
}

void syt_refine_inline(struct syt_model_forest *f, const struct syt_model_input *in, uint32_t least)
{
	struct place *places = syt_calloc(f->nr_tasks, sizeof(*places));
	uint64_t *count = syt_calloc(f->nr_tasks, sizeof(*count));
	uint32_t nr = f->nr_nodes - in->nr_leaves;
	struct syt_forest_members m;
	struct syt_forest_parts p;
	struct syt_refine_names n;

	syt_forest_members_open(&m, f, in);
	syt_refine_parts(&p, f, in, &m, count);
	syt_refine_names_open(&n, f, in, &p);
	for (size_t i = 0; i < p.nr; i++) {
		const struct syt_model_part *part = &p.all[i];
		struct place *at;

		if (!part->what.is_task)
			continue;
		at = &places[part->what.number];
		at->has_other |= at->nr && at->parent != part->task;
		at->parent = part->task;
		at->is_once = part->least == 1 && part->most == 1;
		at->nr += part->count;
	}
	SYT_EACH(i, 0, nr) {
		uint32_t task = f->task_of[i], up = f->up[in->nr_leaves + i];

		/* the instances outside of the parent remain, unless they are too few for a task */
		if (is_wrapper(&n, task) ||
		    (is_inlined(&n, task, &places[task], count[task]) &&
		     (up != SYT_NONE || count[task] - places[task].nr < least)))
			f->task_of[i] = SYT_NONE;
	}
	free(places);
	free(count);
	syt_refine_names_close(&n);
	syt_forest_parts_close(&p);
	syt_forest_members_close(&m);
	syt_forest_compact(f, in);
}
