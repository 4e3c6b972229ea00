/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Makes tasks of functions that have several callers. */
#include "decoder/model/refine.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/counts.h"
#include "base/err.h"

/* The leaves of one task in one function, below one caller. */
struct group {
	uint32_t task;
	uint64_t caller;    /* hash of the call path up to the function */
	uint64_t signature; /* sum of the hashes of the call paths from the function on */
	uint32_t nr;        /* number of labels */
	const char *text;   /* the function, in the text of a label */
};

/* Groups with equal leaves. */
struct same {
	uint64_t caller;  /* of the first group */
	bool has_callers; /* several groups with different callers */
	uint32_t task;    /* SYT_NONE: no task yet */
};

struct functions {
	struct syt_model_forest *f;
	const struct syt_model_input *in;
	struct syt_counts group_of; /* (task, caller) -> index of the group, plus 1 */
	size_t nr_groups, room_groups;
	struct group *groups;
	struct syt_counts same_of; /* (signature, number of labels) -> index, plus 1 */
	size_t nr_same, room_same;
	struct same *same;
	struct syt_counts
		chosen; /* (task, label) -> index of the outermost function's group, plus 1 */
	struct syt_counts relative; /* hash of a text -> number of the relative label, plus 1 */
};

/* The begin of the call path in the text of a label, after the name of the program. */
static const char *path_of(const char *text)
{
	const char *colon = strstr(text, ": ");

	return colon ? colon + 2 : text;
}

/* Calls SEE for each function on the call path of a label that has a caller, the outermost first. Ends if SEE returns
 * true. */
static void each_function(struct functions *x, uint32_t task, uint32_t label,
                          bool (*see)(struct functions *x, uint32_t task, uint32_t label,
                                      uint64_t caller, const char *function))
{
	const char *text = x->in->labels[label].text;
	const char *function = strchr(path_of(text), ';');

	while (function) {
		const char *end = strchr(++function, ';');

		if (!end) /* the intercepted call */
			return;
		if (see(x, task, label, XXH3_64bits(text, (size_t)(end - text)), function))
			return;
		function = end;
	}
}

static bool add_to_group(struct functions *x, uint32_t task, uint32_t label, uint64_t caller,
                         const char *function)
{
	uint64_t *number = syt_counts_at(&x->group_of, task, caller);

	(void)label;
	if (!*number) {
		*SYT_ADD(x->groups, x->nr_groups, x->room_groups) =
			(struct group){.task = task, .caller = caller, .text = function};
		*number = x->nr_groups;
	}
	x->groups[*number - 1].nr++;
	x->groups[*number - 1].signature += XXH3_64bits(function, strlen(function));
	return false;
}

static struct same *same_as(struct functions *x, const struct group *g)
{
	uint64_t *number = syt_counts_at(&x->same_of, g->signature, g->nr);

	if (!*number) {
		*SYT_ADD(x->same, x->nr_same, x->room_same) =
			(struct same){g->caller, false, SYT_NONE};
		*number = x->nr_same;
	}
	return &x->same[*number - 1];
}

static bool choose(struct functions *x, uint32_t task, uint32_t label, uint64_t caller,
                   const char *function)
{
	uint64_t number = syt_counts_of(&x->group_of, task, caller);
	const struct group *g = &x->groups[number - 1];

	(void)function;
	if (g->nr < 2 || !same_as(x, g)->has_callers)
		return false;
	*syt_counts_at(&x->chosen, task, label) = number;
	return true;
}

/* Returns the task of the function of group G. */
static uint32_t task_of(struct functions *x, const struct group *g)
{
	struct same *same = same_as(x, g);

	if (same->task == SYT_NONE) {
		same->task = x->f->nr_tasks++;
		x->f->names = syt_realloc(x->f->names, x->f->nr_tasks, sizeof(*x->f->names));
		x->f->names[same->task] = syt_strndup(g->text, strcspn(g->text, ";"));
	}
	return same->task;
}

/* Returns the number of the label "program: function;..;call" for the end of the call path LABEL from the function of G. */
static uint32_t relative_label(struct functions *x, const struct group *g, uint32_t label)
{
	const char *text = x->in->labels[label].text, *path = path_of(text);
	size_t before = 0;
	char *relative;
	uint64_t *number;

	/* the caller has as many functions in this label as in the text of the group */
	for (const char *function = path;; function = strchr(function, ';') + 1) {
		const char *end = strchrnul(function, ';');

		if (XXH3_64bits(text, (size_t)(end - text)) == g->caller) {
			before = (size_t)(function - path);
			break;
		}
		if (!*end)
			break;
	}
	relative = syt_asprintf("%.*s%s", (int)(path - text), text, path + before);
	number = syt_counts_at(&x->relative, XXH3_64bits(relative, strlen(relative)), 0);
	if (*number) {
		free(relative);
	} else {
		*SYT_ADD(x->f->relative, x->f->nr_relative, x->f->room_relative) = relative;
		*number = x->f->nr_relative;
	}
	return x->in->nr_labels + (uint32_t)*number - 1;
}

/* Makes nodes for the functions in an instance. GROUP_OF and FUNCTION_OF are arrays for the leaves. */
static void split_instance(struct functions *x, const struct syt_forest_members *m,
                           uint32_t instance, uint32_t *group_of, uint32_t *function_of)
{
	const struct syt_model_input *in = x->in;
	uint32_t task = x->f->task_of[instance];

	for (uint32_t n = m->first[instance]; n < m->first[instance + 1]; n++) {
		uint32_t leaf = m->members[n], start = m->start[leaf], group, node;

		if (leaf >= in->nr_leaves)
			continue;
		group = (uint32_t)syt_counts_of(&x->chosen, task, in->leaves[leaf].label);
		group_of[leaf] = group;
		function_of[leaf] = leaf;
		if (!group || start == SYT_NONE || start >= in->nr_leaves ||
		    in->leaves[leaf].kind != SYT_EDGE_PROGRAM || group_of[start] != group)
			continue;
		node = function_of[start];
		if (node < in->nr_leaves) {
			const struct group *g = &x->groups[group - 1];

			/* the function begins with the leaf START */
			node = syt_forest_add(x->f, in, task_of(x, g), start);
			x->f->up[node] = in->nr_leaves + instance;
			x->f->up[start] = node;
			function_of[start] = node; /* a detour also starts there */
			x->f->label_of[start] = relative_label(x, g, in->leaves[start].label);
		} else if (in->leaves[x->f->root_of[node - in->nr_leaves]].label ==
		           in->leaves[leaf].label) {
			continue; /* the function begins again */
		}
		function_of[leaf] = node;
		x->f->up[leaf] = node;
		x->f->label_of[leaf] =
			relative_label(x, &x->groups[group - 1], in->leaves[leaf].label);
	}
}

static void split_instances(struct functions *x, const struct syt_forest_members *m)
{
	uint32_t *group_of = syt_store_alloc(x->in->nr_leaves, sizeof(*group_of));
	uint32_t *function_of = syt_store_alloc(x->in->nr_leaves, sizeof(*function_of));
	uint32_t nr = x->f->nr_nodes - x->in->nr_leaves;

	x->f->label_of = syt_store_alloc(x->in->nr_leaves, sizeof(*x->f->label_of));
	SYT_EACH(i, 0, x->in->nr_leaves)
		x->f->label_of[i] = x->in->leaves[i].label;
	SYT_EACH(i, 0, nr)
		split_instance(x, m, i, group_of, function_of);
	syt_store_free(group_of);
	syt_store_free(function_of);
}

void syt_refine_functions(struct syt_model_forest *f, const struct syt_model_input *in)
{
	struct functions x = {.f = f, .in = in};
	struct syt_forest_members m;
	struct syt_forest_parts p;
	bool is_any = false;

	f->names = syt_calloc(f->nr_tasks, sizeof(*f->names));
	syt_forest_members_open(&m, f, in);
	syt_refine_parts(&p, f, in, &m, NULL);
	for (size_t i = 0; i < p.nr; i++)
		if (!p.all[i].what.is_task)
			each_function(&x, p.all[i].task, p.all[i].what.number, add_to_group);
	for (size_t i = 0; i < x.nr_groups; i++) {
		struct same *same = same_as(&x, &x.groups[i]);

		same->has_callers |= same->caller != x.groups[i].caller;
		is_any |= same->has_callers;
	}
	for (size_t i = 0; i < p.nr; i++)
		if (!p.all[i].what.is_task)
			each_function(&x, p.all[i].task, p.all[i].what.number, choose);
	if (is_any)
		split_instances(&x, &m);
	syt_forest_parts_close(&p);
	syt_forest_members_close(&m);
	free(x.groups);
	free(x.same);
	syt_counts_fini(&x.group_of);
	syt_counts_fini(&x.same_of);
	syt_counts_fini(&x.chosen);
	syt_counts_fini(&x.relative);
}
