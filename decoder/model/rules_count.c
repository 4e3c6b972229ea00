/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Counts the tasks, parts and arcs that the rules of a baseline found in a trace. */
#include <stdlib.h>

#include "base/err.h"
#include "decoder/model/forest.h"
#include "decoder/model/rules.h"
#include "decoder/model/shape.h"

struct namer {
	const struct syt_model_input *in;
	const struct syt_model_forest *f;
};

static struct syt_model_what what_of(const void *context, uint32_t node)
{
	const struct namer *n = context;

	if (node < n->in->nr_leaves)
		return (struct syt_model_what){false, n->f->label_of[node]};
	return (struct syt_model_what){true, n->f->task_of[node - n->in->nr_leaves]};
}

static char *text_of(const struct namer *n, bool is_task, uint32_t number)
{
	if (is_task)
		return syt_asprintf("@%s", n->f->names[number]);
	return syt_rules_path_text(number < n->in->nr_labels
	                                   ? n->in->labels[number].text
	                                   : n->f->relative[number - n->in->nr_labels]);
}

/* A node as a part, in one number: tasks have odd numbers. */
static uint64_t code_of(const struct namer *n, uint32_t node)
{
	struct syt_model_what what = what_of(n, node);

	return (uint64_t)what.number << 1 | what.is_task;
}

static void count_arc(struct syt_counts *arcs, const struct namer *n, uint32_t instance,
                      enum syt_rule_arc_type type, uint8_t kind, uint32_t from, uint32_t to)
{
	uint32_t task = n->f->task_of[instance - n->in->nr_leaves];

	++*syt_counts_at(arcs, (uint64_t)task << 32 | (uint64_t)type << 8 | kind,
	                 code_of(n, from) << 32 | code_of(n, to));
}

/* Counts the arcs between the parts of the least instance that contains both ends. */
static void count_inner(struct syt_counts *arcs, const struct namer *n,
                        const struct syt_model_inner *arc)
{
	uint32_t from = arc->from, to = arc->to;

	syt_model_meet(n->f->up, &from, &to);
	if (n->f->up[from] != SYT_NONE)
		count_arc(arcs, n, n->f->up[from], SYT_RULE_INNER, arc->kind, from, to);
}

/* Counts the begin of an instance that started from a leaf. The call paths of both leaves are not relative. */
static void count_enter(struct syt_counts *arcs, const struct namer *n, uint32_t instance,
                        uint32_t root)
{
	const struct syt_model_leaf *leaves = n->in->leaves;
	uint32_t task = n->f->task_of[instance - n->in->nr_leaves];

	++*syt_counts_at(arcs,
	                 (uint64_t)task << 32 | (uint64_t)SYT_RULE_ENTER << 8 | leaves[root].kind,
	                 (uint64_t)leaves[leaves[root].start].label << 33 |
	                         (uint64_t)leaves[root].label << 1);
}

static void put_arcs(struct syt_counts *arcs, const struct namer *n, syt_rules_put *put,
                     void *context)
{
	for (size_t i = 0; i < arcs->nr; i++) {
		const struct syt_count *c = &arcs->all[i];
		char *from = text_of(n, c->b >> 32 & 1, (uint32_t)(c->b >> 33));
		char *to = text_of(n, c->b & 1, (uint32_t)c->b >> 1);

		put(context, SYT_RULE_ARC,
		    syt_rule_arc_text(n->f->names[c->a >> 32],
		                      (enum syt_rule_arc_type)(c->a >> 8 & 3), (uint8_t)c->a, from,
		                      to),
		    c->nr, c->nr);
		free(from);
		free(to);
	}
}

void syt_rules_count(const struct syt_model_forest *forest, const struct syt_rules *r,
                     const struct syt_model_input *in, syt_rules_put *put, void *context)
{
	struct namer n = {in, forest};
	struct syt_forest_members members;
	struct syt_forest_parts parts;
	struct syt_counts arcs = {.nr = 0};
	uint64_t *nr_instances = syt_calloc(r->nr_tasks, sizeof(*nr_instances));

	syt_forest_members_open(&members, forest, in);
	syt_forest_parts_open(&parts, forest, in, &members, what_of, &n, nr_instances);
	for (uint32_t i = 0; i < r->nr_tasks; i++) {
		if (!nr_instances[i])
			continue;
		put(context, SYT_RULE_TASK,
		    syt_asprintf("%s\t%u\t%s", forest->names[i], (unsigned)r->tasks[i].step,
		                 r->texts[r->tasks[i].root].text),
		    nr_instances[i], 1);
	}
	for (size_t i = 0; i < parts.nr; i++) {
		const struct syt_model_part *p = &parts.all[i];
		char *text = text_of(&n, p->what.is_task, p->what.number);

		put(context, SYT_RULE_PART, syt_asprintf("%s\t%s", forest->names[p->task], text),
		    p->count, p->most);
		free(text);
	}
	SYT_EACH(i, 0, forest->nr_nodes)
		if (forest->up[i] != SYT_NONE && members.start[i] != SYT_NONE)
			count_arc(&arcs, &n, forest->up[i], SYT_RULE_START,
			          in->leaves[syt_forest_root(forest, in, i)].kind, members.start[i],
			          i);
	SYT_EACH(i, in->nr_leaves, forest->nr_nodes) {
		uint32_t root = syt_forest_root(forest, in, i);

		if (in->leaves[root].start != SYT_NONE)
			count_enter(&arcs, &n, i, root);
	}
	for (uint64_t i = 0; i < in->nr_inner; i++)
		count_inner(&arcs, &n, &in->inner[i]);
	put_arcs(&arcs, &n, put, context);
	syt_counts_fini(&arcs);
	syt_forest_parts_close(&parts);
	syt_forest_members_close(&members);
	free(nr_instances);
}
