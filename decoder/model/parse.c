/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Applies the rules of a baseline to a trace (doc/models.md, "The rules of a baseline").
 *
 * A node is live if it is part of no other node yet. Each step joins live nodes to instances of the tasks of this step.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/model/forest.h"
#include "decoder/model/rules.h"
#include "decoder/model/shape.h"

/* maximum number of leaves between a part and the part from which it started */
#define MOST_PASSED 4u

struct parse {
	const struct syt_rules *r;
	const struct syt_model_input *in;
	struct syt_model_forest *f;
	/* [label], and one more: its texts in the rules are texts[first_text[label]] up to the next */
	uint32_t *first_text;
	size_t nr_texts, room_texts;
	uint32_t *texts;
	uint32_t *
		whole_text; /* [label]: the text of its whole call path in the rules, or SYT_NONE */
	uint32_t *
		part_text; /* [leaf]: its text in the rules, as a part of an instance; SYT_NONE: none */
	size_t room_top;
	uint32_t *top; /* [node]: a node that contains it, or itself if it is live */
};

/* What one step knows about the nodes. */
struct step {
	uint32_t number;
	uint32_t nr;      /* number of nodes at the begin of the step */
	uint32_t *before; /* the live node that contains the start of a live node, or SYT_NONE */
	uint32_t *arc;    /* the first arc that leads from `before` to the node, or SYT_NONE */
	uint32_t *text;   /* the text of the node at the end of this arc */
	uint32_t *head;   /* the node where the chain of arcs to this node begins */
	uint32_t *task;   /* the task whose instance begins with the node, or SYT_NONE */
	bool *is_odd; /* `task` is set, but its instances start otherwise: NODE may be further work of the last one */
	uint32_t *into; /* the instance that the node joins, SYT_NONE, or UNKNOWN */
};

#define UNKNOWN (SYT_NONE - 1)

static uint32_t *make(uint32_t nr, uint32_t value)
{
	uint32_t *array = syt_store_alloc(nr, sizeof(*array));

	SYT_EACH(i, 0, nr)
		array[i] = value;
	return array;
}

/* ---- texts of nodes ---- */

static void add_text(struct parse *p, const char *text)
{
	uint32_t number = syt_rule_text_find(p->r, text, strlen(text));

	if (number != SYT_NONE)
		*SYT_ADD(p->texts, p->nr_texts, p->room_texts) = number;
}

/* Finds the texts of a label: the whole call path first, then the call paths that begin with one of its functions. */
static void find_texts(struct parse *p, const char *path, uint32_t *whole)
{
	const char *colon = strstr(path, ": ");
	char *text = syt_rules_path_text(path);

	add_text(p, text);
	*whole = syt_rule_text_find(p->r, text, strlen(text));
	free(text);
	if (!colon)
		return;
	for (const char *at = strchr(colon, ';'); at && strchr(at + 1, ';');
	     at = strchr(at + 1, ';')) {
		char *relative = syt_asprintf("%.*s%s", (int)(colon + 2 - path), path, at + 1);

		text = syt_rules_path_text(relative);
		add_text(p, text);
		free(text);
		free(relative);
	}
}

bool syt_rules_have_part(const struct syt_rules *r, const char *path)
{
	struct parse p = {.r = r};
	uint32_t whole;
	bool has = false;

	find_texts(&p, path, &whole);
	for (size_t i = 0; i < p.nr_texts; i++)
		has |= r->texts[p.texts[i]].nr_in > 0;
	free(p.texts);
	return has;
}

static void find_all_texts(struct parse *p)
{
	p->first_text = syt_alloc((size_t)p->in->nr_labels + 1, sizeof(*p->first_text));
	p->whole_text = syt_alloc(p->in->nr_labels, sizeof(*p->whole_text));
	syt_grow(&p->texts, &p->room_texts, 1, sizeof(*p->texts)); /* never NULL */
	for (uint32_t i = 0; i < p->in->nr_labels; i++) {
		p->first_text[i] = (uint32_t)p->nr_texts;
		find_texts(p, p->in->labels[i].text, &p->whole_text[i]);
	}
	p->first_text[p->in->nr_labels] = (uint32_t)p->nr_texts;
}

/* Returns the texts of NODE, and their number in *NR. */
static const uint32_t *texts_of(const struct parse *p, uint32_t node, uint32_t *nr)
{
	if (node >= p->in->nr_leaves) {
		*nr = 1;
		return &p->r->tasks[p->f->task_of[node - p->in->nr_leaves]].name;
	}

	uint32_t label = p->in->leaves[node].label;

	*nr = p->first_text[label + 1] - p->first_text[label];
	return p->texts + p->first_text[label];
}

static bool is_root(const struct parse *p, uint32_t node)
{
	uint32_t nr;
	const uint32_t *texts = texts_of(p, node, &nr);

	for (uint32_t i = 0; i < nr; i++)
		if (p->r->texts[texts[i]].first_task != SYT_NONE)
			return true;
	return false;
}

/* ---- nodes ---- */

/* Returns the live node that contains NODE. */
static uint32_t live(struct parse *p, uint32_t node)
{
	while (p->top[node] != node)
		node = p->top[node] = p->top[p->top[node]];
	return node;
}

static uint32_t start_of(const struct parse *p, uint32_t node)
{
	return p->in->leaves[syt_forest_root(p->f, p->in, node)].start;
}

static uint8_t kind_of(const struct parse *p, uint32_t node)
{
	return p->in->leaves[syt_forest_root(p->f, p->in, node)].kind;
}

static void join(struct parse *p, uint32_t node, uint32_t instance, uint32_t text)
{
	p->f->up[node] = instance;
	p->top[node] = instance;
	if (node < p->in->nr_leaves)
		p->part_text[node] = text;
}

static uint32_t add_instance(struct parse *p, uint32_t task, uint32_t root)
{
	uint32_t node = syt_forest_add(p->f, p->in, task, syt_forest_root(p->f, p->in, root));

	syt_store_grow(&p->top, &p->room_top, node, (uint64_t)node + 1, sizeof(*p->top));
	p->top[node] = node;
	join(p, root, node, p->r->tasks[task].root);
	return node;
}

/* ---- arcs between live nodes ---- */

static uint32_t find_arc(const struct parse *p, const struct step *s, uint32_t from, uint8_t kind,
                         uint32_t to, uint32_t *text)
{
	uint32_t nr_from, nr_to;
	const uint32_t *from_texts = texts_of(p, from, &nr_from),
		       *to_texts = texts_of(p, to, &nr_to);

	for (uint32_t a = 0; a < nr_from; a++) {
		for (uint32_t b = 0; b < nr_to; b++) {
			uint64_t arc = syt_counts_of(&p->r->by_key, (uint64_t)s->number << 8 | kind,
			                             (uint64_t)from_texts[a] << 32 | to_texts[b]);

			if (!arc)
				continue;
			*text = to_texts[b];
			return (uint32_t)arc - 1;
		}
	}
	return SYT_NONE;
}

/* Finds the arc to NODE. The search passes a few leaves that lie between NODE and the other end of the arc: they are more
 * work than the rules expect. It passes neither another instance nor its begin. */
static void find_before(struct parse *p, struct step *s, uint32_t node)
{
	uint32_t start = start_of(p, node), first = SYT_NONE;
	uint8_t kind = kind_of(p, node);

	for (unsigned i = 0; i <= MOST_PASSED && start != SYT_NONE; i++) {
		uint32_t from = live(p, start);

		first = i ? first : from;
		s->arc[node] = find_arc(p, s, from, kind, node, &s->text[node]);
		if (s->arc[node] != SYT_NONE) {
			s->before[node] = from;
			return;
		}
		if (from >= p->in->nr_leaves || is_root(p, from) || kind_of(p, from) != kind)
			break;
		start = start_of(p, from);
	}
	s->before[node] = first;
}

static void find_heads(struct parse *p, struct step *s)
{
	SYT_EACH(i, 0, s->nr) {
		uint32_t head = i, next;

		if (p->f->up[i] != SYT_NONE)
			continue;
		while (s->head[head] == SYT_NONE && s->arc[head] != SYT_NONE)
			head = s->before[head];
		head = s->head[head] == SYT_NONE ? head : s->head[head];
		for (uint32_t n = i; n != head && s->head[n] == SYT_NONE; n = next) {
			next = s->before[n];
			s->head[n] = head;
		}
		s->head[head] = head;
	}
}

/* ---- instances ---- */

static bool begins_with(const struct parse *p, uint32_t task, uint32_t node)
{
	uint32_t nr;
	const uint32_t *texts = texts_of(p, node, &nr);

	for (uint32_t i = 0; i < nr; i++)
		if (texts[i] == p->r->tasks[task].root)
			return true;
	return false;
}

/* Returns true if instances of TASK begin with the first leaf of NODE, as far as the rules know. The root of a task may be the
 * task of a function that other tasks call too; the call path of the leaf tells them apart. */
static bool has_begun_so(const struct parse *p, uint32_t task, uint32_t node)
{
	uint32_t leaf = syt_forest_root(p->f, p->in, node);
	uint32_t text = p->whole_text[p->in->leaves[leaf].label];

	return text != SYT_NONE &&
	       syt_counts_of(&p->r->enters, (uint64_t)task << 8 | kind_of(p, node),
	                     (uint64_t)SYT_NONE << 32 | text);
}

/* Returns true if TASK fits the node HEAD better than the task BEST. */
static bool is_better(const struct parse *p, const uint32_t *votes, uint32_t head, uint32_t task,
                      uint32_t best)
{
	bool is_known = has_begun_so(p, task, head), is_best_known = has_begun_so(p, best, head);

	if (is_known != is_best_known)
		return is_known;
	return votes[task] > votes[best] || (votes[task] == votes[best] && task < best);
}

/* Chooses the tasks of the instances: for each node where chains of arcs begin, a task that begins with the same call path, if
 * there is one; of these, the task with most of the arcs; of equally many, the first. */
static void choose_tasks(struct parse *p, struct step *s)
{
	uint32_t *first = make(s->nr, SYT_NONE), *next = make(s->nr, SYT_NONE);
	uint32_t *votes = syt_calloc(p->r->nr_tasks, sizeof(*votes));

	SYT_EACH(i, 0, s->nr) {
		if (p->f->up[i] != SYT_NONE || s->arc[i] == SYT_NONE)
			continue;
		next[i] = first[s->head[i]];
		first[s->head[i]] = i;
	}
	SYT_EACH(head, 0, s->nr) {
		uint32_t best = SYT_NONE;

		for (uint32_t i = first[head]; i != SYT_NONE; i = next[i])
			for (uint32_t arc = s->arc[i]; arc != SYT_NONE;
			     arc = p->r->arcs[arc].next) {
				uint32_t task = p->r->arcs[arc].task;

				if (!begins_with(p, task, head))
					continue;
				votes[task]++;
				if (best == SYT_NONE ||
				    (task != best && is_better(p, votes, head, task, best)))
					best = task;
			}
		s->task[head] = best;
		for (uint32_t i = first[head]; i != SYT_NONE; i = next[i])
			for (uint32_t arc = s->arc[i]; arc != SYT_NONE; arc = p->r->arcs[arc].next)
				votes[p->r->arcs[arc].task] = 0;
	}
	free(votes);
	syt_store_free(first);
	syt_store_free(next);
}

/* Returns true if NODE follows other work of its thread or connection, as in the runs from which the rules come. */
static bool continues(const struct parse *p, uint32_t node)
{
	uint8_t kind = kind_of(p, node);
	uint32_t nr;
	const uint32_t *texts = texts_of(p, syt_forest_root(p->f, p->in, node), &nr);

	if (kind != SYT_EDGE_PROGRAM && kind != SYT_ARC_CONNECTION)
		return false;
	for (uint32_t i = 0; i < nr; i++)
		if (syt_counts_of(&p->r->kinds, kind, texts[i]))
			return true;
	return false;
}

/* Returns true if instances of TASK never follow the work before NODE, as far as the rules know. Work that arrives from
 * another thread always begins an instance: only timing decides from which wake-up it arrives. */
static bool enters_oddly(const struct parse *p, uint32_t task, uint32_t node)
{
	uint32_t start = start_of(p, node);
	uint8_t kind = kind_of(p, node);

	if ((kind != SYT_EDGE_PROGRAM && kind != SYT_ARC_CONNECTION) || start == SYT_NONE)
		return false;

	uint32_t from = p->whole_text[p->in->leaves[start].label];
	uint32_t to = p->whole_text[p->in->leaves[syt_forest_root(p->f, p->in, node)].label];
	uint64_t key = (uint64_t)task << 8 | kind;

	return to != SYT_NONE && syt_counts_of(&p->r->enters, key, (uint64_t)SYT_NONE << 32 | to) &&
	       (from == SYT_NONE || !syt_counts_of(&p->r->enters, key, (uint64_t)from << 32 | to));
}

/* Returns the first task of the step that begins with the node HEAD and has a part with one of NR texts, or SYT_NONE. */
static uint32_t task_with(const struct parse *p, const struct step *s, uint32_t head,
                          const uint32_t *texts, uint32_t nr)
{
	uint32_t nr_roots, best = SYT_NONE;
	const uint32_t *roots = texts_of(p, head, &nr_roots);

	for (uint32_t n = 0; n < nr; n++)
		for (uint32_t i = 0; i < nr_roots; i++) {
			uint64_t task = syt_counts_of(
				&p->r->by_part, (uint64_t)s->number << 32 | roots[i], texts[n]);

			if (task && task - 1 < best)
				best = (uint32_t)task - 1;
		}
	return best;
}

/* Chooses tasks for nodes from which no known arc leads, but from which another part of a task starts: the parts between both
 * are absent. */
static void choose_by_parts(struct parse *p, struct step *s)
{
	SYT_EACH(i, 0, s->nr) {
		uint32_t head = s->before[i], nr;
		const uint32_t *texts;

		if (p->f->up[i] != SYT_NONE || s->arc[i] != SYT_NONE || head == SYT_NONE ||
		    s->head[head] != head || s->task[head] != SYT_NONE || is_root(p, i) ||
		    !continues(p, i))
			continue;
		texts = texts_of(p, i, &nr);
		s->task[head] = task_with(p, s, head, texts, nr);
	}
}

/* Chooses tasks for leaves that only one task contains, as its begin, if they begin in the usual way: all other parts of the
 * instance are absent. */
static void choose_alone(struct parse *p, struct step *s)
{
	SYT_EACH(i, 0, p->in->nr_leaves) {
		const struct syt_model_leaf *leaf = &p->in->leaves[i];
		uint32_t text = p->whole_text[leaf->label], from, task;

		if (p->f->up[i] != SYT_NONE || s->head[i] != i || s->task[i] != SYT_NONE ||
		    text == SYT_NONE || leaf->start == SYT_NONE || p->r->texts[text].nr_in != 1)
			continue;
		task = p->r->texts[text].first_task;
		from = p->whole_text[p->in->leaves[leaf->start].label];
		if (task != SYT_NONE && p->r->tasks[task].step == s->number && from != SYT_NONE &&
		    syt_counts_of(&p->r->enters, (uint64_t)task << 8 | leaf->kind,
		                  (uint64_t)from << 32 | text))
			s->task[i] = task;
	}
}

/* If NODE follows a node with the same begin, which is in no instance, the instance begins there: its first part occurs
 * twice. */
static void begin_earlier(struct parse *p, struct step *s, uint32_t node)
{
	uint32_t task = s->task[node], at = s->before[node];

	for (unsigned i = 0; i < MOST_PASSED && at != SYT_NONE && s->task[at] == SYT_NONE &&
	                     s->arc[at] == SYT_NONE && begins_with(p, task, at);
	     i++, at = s->before[at]) {
		if (enters_oddly(p, task, at))
			continue;
		s->task[at] = task;
		return;
	}
}

/* Lets NODE join an instance, if an arc leads to it from another node of this instance, or if its task has such a part. */
static uint32_t join_known(struct parse *p, const struct step *s, uint32_t node, uint32_t instance)
{
	uint32_t task = p->f->task_of[instance - p->in->nr_leaves], nr;
	const uint32_t *texts = texts_of(p, node, &nr);

	if (syt_counts_of(&p->r->of_arc, s->arc[node], task)) {
		join(p, node, instance, s->text[node]);
		return instance;
	}
	if (!continues(p, node))
		return SYT_NONE;
	for (uint32_t i = 0; i < nr && (s->is_odd[node] || !is_root(p, node)); i++) {
		if (!syt_counts_of(&p->r->parts, task, texts[i]))
			continue;
		join(p, node, instance, texts[i]);
		return instance;
	}
	return SYT_NONE;
}

/* Decides about NODE, and first about the nodes from which it started. WALK has memory for all nodes. */
static void resolve(struct parse *p, struct step *s, uint32_t node, uint32_t *walk)
{
	uint32_t nr = 0, instance;

	for (; node != SYT_NONE && s->into[node] == UNKNOWN; node = s->before[node]) {
		walk[nr++] = node;
		if (s->task[node] != SYT_NONE && !s->is_odd[node])
			break;
	}
	instance = node == SYT_NONE || s->into[node] == UNKNOWN ? SYT_NONE : s->into[node];
	while (nr) {
		node = walk[--nr];
		if (instance != SYT_NONE && (s->task[node] == SYT_NONE || s->is_odd[node]))
			instance = join_known(p, s, node, instance);
		else
			instance = SYT_NONE;
		if (instance == SYT_NONE && s->task[node] != SYT_NONE)
			instance = add_instance(p, s->task[node], node);
		s->into[node] = instance;
	}
}

static void run_step(struct parse *p, uint32_t number)
{
	uint32_t nr = p->f->nr_nodes;
	struct step s = {number,
	                 nr,
	                 make(nr, SYT_NONE),
	                 make(nr, SYT_NONE),
	                 make(nr, SYT_NONE),
	                 make(nr, SYT_NONE),
	                 make(nr, SYT_NONE),
	                 syt_store_alloc(nr, sizeof(bool)),
	                 make(nr, UNKNOWN)};
	uint32_t *walk = syt_store_alloc(nr, sizeof(*walk));

	SYT_EACH(i, 0, nr)
		if (p->f->up[i] == SYT_NONE)
			find_before(p, &s, i);
	find_heads(p, &s);
	choose_tasks(p, &s);
	choose_by_parts(p, &s);
	choose_alone(p, &s);
	SYT_EACH(i, 0, nr)
		s.is_odd[i] = s.task[i] != SYT_NONE && enters_oddly(p, s.task[i], i);
	SYT_EACH(i, 0, nr)
		if (s.is_odd[i])
			begin_earlier(p, &s, i);
	SYT_EACH(i, 0, nr)
		if (s.into[i] == UNKNOWN && s.head[i] != SYT_NONE)
			resolve(p, &s, i, walk);
	syt_store_free(walk);
	syt_store_free(s.before);
	syt_store_free(s.arc);
	syt_store_free(s.text);
	syt_store_free(s.head);
	syt_store_free(s.task);
	syt_store_free(s.is_odd);
	syt_store_free(s.into);
}

/* ---- leaves that match no rule ---- */

/* Returns true if LEAF does work that the rules do not expect: its call path is new, or it is a part of tasks only. */
static bool is_unexpected(const struct parse *p, uint32_t leaf, syt_rules_known *is_known,
                          const void *context)
{
	uint32_t nr;
	const uint32_t *texts = texts_of(p, leaf, &nr);

	for (uint32_t i = 0; i < nr; i++)
		if (p->r->texts[texts[i]].nr_in)
			return !is_root(p, leaf);
	return !is_known(context, p->in->labels[p->in->leaves[leaf].label].text);
}

static uint32_t instance_for(const struct parse *p, uint32_t leaf)
{
	const struct syt_model_leaf *l = p->in->leaves;
	uint32_t both = SYT_NONE;

	if (l[leaf].start == SYT_NONE)
		return SYT_NONE;
	if (leaf + 1 < p->in->nr_leaves && l[leaf + 1].thread == l[leaf].thread) {
		uint32_t from = l[leaf].start, next = leaf + 1;

		syt_model_meet(p->f->up, &from, &next);
		both = p->f->up[from];
	}
	return both == SYT_NONE ? p->f->up[l[leaf].start] : both;
}

/* Lets the leaves that match no rule join the instances from which they started, in the order of their starts. */
static void take_unexpected(struct parse *p, syt_rules_known *is_known, const void *context)
{
	uint32_t nr = p->in->nr_leaves, *walk = syt_store_alloc(nr, sizeof(*walk));
	bool *is_done = syt_store_alloc(nr, sizeof(*is_done));
	bool *is_new = syt_calloc(p->in->nr_labels, sizeof(*is_new));
	bool *has_looked = syt_calloc(p->in->nr_labels, sizeof(*has_looked));

	SYT_EACH(i, 0, nr) {
		uint32_t depth = 0;

		for (uint32_t n = i; n != SYT_NONE && !is_done[n] && p->f->up[n] == SYT_NONE;
		     n = p->in->leaves[n].start) {
			is_done[n] = true;
			walk[depth++] = n;
		}
		while (depth) {
			uint32_t leaf = walk[--depth], label = p->in->leaves[leaf].label, instance;

			if (!has_looked[label]) {
				has_looked[label] = true;
				is_new[label] = is_unexpected(p, leaf, is_known, context);
			}
			if (!is_new[label])
				continue;
			instance = instance_for(p, leaf);
			if (instance != SYT_NONE)
				join(p, leaf, instance, SYT_NONE);
		}
	}
	syt_store_free(walk);
	syt_store_free(is_done);
	free(is_new);
	free(has_looked);
}

/* ---- the whole ---- */

/* Gives the leaves the labels by which the rules name them, if a label begins with the function of a task. */
static void set_labels(struct parse *p)
{
	struct syt_model_forest *f = p->f;
	uint32_t nr = p->in->nr_labels;
	uint32_t *number = syt_alloc(p->r->nr_texts, sizeof(*number)); /* [text]: relative label */

	for (uint32_t i = 0; i < p->r->nr_texts; i++)
		number[i] = SYT_NONE;
	for (uint32_t i = 0; i < nr; i++) {
		char *own = syt_rules_path_text(p->in->labels[i].text);
		uint32_t text = syt_rule_text_find(p->r, own, strlen(own));

		if (text != SYT_NONE)
			number[text] = i;
		free(own);
	}
	f->label_of = syt_store_alloc(p->in->nr_leaves, sizeof(*f->label_of));
	SYT_EACH(i, 0, p->in->nr_leaves) {
		uint32_t text = p->part_text[i];

		f->label_of[i] = p->in->leaves[i].label;
		if (text == SYT_NONE)
			continue;
		if (number[text] == SYT_NONE) {
			number[text] = nr + f->nr_relative;
			*SYT_ADD(f->relative, f->nr_relative, f->room_relative) =
				syt_asprintf("%s", syt_rules_path(p->r->texts[text].text));
		}
		f->label_of[i] = number[text];
	}
	free(number);
}

void syt_rules_apply(struct syt_model_forest *forest, const struct syt_rules *r,
                     const struct syt_model_input *in, syt_rules_known *is_known,
                     const void *context)
{
	struct parse p = {.r = r, .in = in, .f = forest};

	*forest = (struct syt_model_forest){.nr_nodes = in->nr_leaves,
	                                    .room_up = in->nr_leaves,
	                                    .up = make(in->nr_leaves, SYT_NONE),
	                                    .nr_tasks = r->nr_tasks,
	                                    .names = syt_calloc(r->nr_tasks, sizeof(char *))};
	for (uint32_t i = 0; i < r->nr_tasks; i++)
		forest->names[i] = syt_asprintf("%s", r->texts[r->tasks[i].name].text + 1);
	find_all_texts(&p);
	p.part_text = make(in->nr_leaves, SYT_NONE);
	p.room_top = in->nr_leaves;
	p.top = syt_store_alloc(in->nr_leaves, sizeof(*p.top));
	SYT_EACH(i, 0, in->nr_leaves)
		p.top[i] = i;
	for (uint32_t step = 1; step <= SYT_RULE_STEPS; step++)
		if (r->has_step >> (step - 1) & 1)
			run_step(&p, step);
	if (r->nr_tasks)
		take_unexpected(&p, is_known, context);
	set_labels(&p);
	free(p.first_text);
	free(p.whole_text);
	free(p.texts);
	syt_store_free(p.part_text);
	syt_store_free(p.top);
}
