/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compares expectations with the instances of a model. */
#include "decoder/model/expect.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "base/store.h"

/* How a name occurs in a call path. */
enum match { MATCH_NONE, MATCH_FUNCTION, MATCH_CALL };

/* A name of an expectation. */
struct name {
	uint8_t *match; /* [label of the model]: enum match */
	uint32_t task; /* the task with this name, if no call path contains the name; or SYT_NONE */
	uint64_t nr;   /* number of instances that contain the name */
};

/* A leaf of the present instance. */
struct leaf {
	uint32_t number;
	bool is_in_task
		[2]; /* the leaf belongs to an instance of the task with the first, or the second, name */
	bool is_reached;
};

struct check {
	const struct syt_model *m;
	const struct syt_expectation *e;
	struct name names[2];
	size_t nr, room;
	struct leaf *leaves; /* of the present instance, by number */
	uint64_t
		nr_of_tasks; /* number of instances of the task with the first name in the present instance */
	size_t nr_stack, room_stack;
	uint32_t *stack;
	/* [leaf], and one more: the inner arcs to the leaf are inner[first_inner[leaf]] up to the next */
	uint64_t *first_inner;
	uint64_t *inner; /* their indices in the input */
	const struct syt_model_profile *profiles;
	uint32_t first, second; /* two leaves in the wrong order */
};

/* ---- names ---- */

/* Tells how NAME, one or several functions or a call, occurs in the call path PATH: "server: main;serve;read". */
static enum match match_of(const char *path, const char *name)
{
	const char *colon = strstr(path, ": "), *functions = colon ? colon + 2 : path;
	size_t bytes = strlen(name);
	enum match found = MATCH_NONE;

	if (!strcmp(path, name))
		return MATCH_CALL;
	for (const char *p = functions; (p = strstr(p, name)); p++) {
		const char *end = p + bytes;

		if (p > functions && p[-1] != ';')
			continue;
		if (!*end || (*end == '(' && !strchr(end, ';')))
			return MATCH_CALL;
		if (*end == ';' || *end == '(')
			found = MATCH_FUNCTION;
	}
	return found;
}

/* A task often has the name of a function. The visits of the function count then, because they do not depend on the other
 * tasks of the model. */
static void open_name(struct name *n, const struct syt_model *m, const char *text)
{
	bool is_in_path = false;

	n->match = syt_alloc(m->nr_labels, 1);
	for (uint32_t i = 0; i < m->nr_labels; i++) {
		n->match[i] = (uint8_t)match_of(m->labels[i], text);
		is_in_path |= n->match[i] != MATCH_NONE;
	}
	n->task = is_in_path ? SYT_NONE : syt_model_find(m, text);
}

/* Tells how the name N occurs in the call path of LEAF, with all its functions, or as the model shows it. */
static enum match leaf_match(const struct syt_model *m, const struct name *n, uint32_t leaf)
{
	uint8_t whole = n->match[m->in->leaves[leaf].label];

	return whole ? whole : n->match[syt_model_what(m, leaf).number];
}

/* ---- the leaves of an instance ---- */

static int by_number(const void *a_, const void *b_)
{
	const struct leaf *a = a_, *b = b_;

	return SYT_COMPARE(a->number, b->number);
}

/* Collects the leaves of the instance NODE, in the order of their threads and times. */
static void collect(struct check *c, uint32_t node)
{
	const struct syt_model *m = c->m;
	struct syt_model_walk w = syt_model_walk_of(node);
	uint32_t until[2] = {UINT32_MAX,
	                     UINT32_MAX}; /* the depth of the instance of a task, while in it */

	c->nr = 0;
	c->nr_of_tasks = 0;
	for (uint32_t n; (n = syt_model_walk_next(m, &w)) != SYT_NONE;) {
		struct leaf leaf = {.number = n};

		for (unsigned i = 0; i < 2; i++) {
			if (until[i] != UINT32_MAX && w.depth <= until[i])
				until[i] = UINT32_MAX;
			if (n != node && !syt_model_is_leaf(m, n) && c->names[i].match &&
			    c->names[i].task == syt_model_what(m, n).number &&
			    until[i] == UINT32_MAX) {
				until[i] = w.depth;
				c->nr_of_tasks += !i;
			}
			leaf.is_in_task[i] = until[i] != UINT32_MAX;
		}
		if (syt_model_is_leaf(m, n))
			*SYT_ADD(c->leaves, c->nr, c->room) = leaf;
	}
	syt_sort(c->leaves, c->nr, sizeof(*c->leaves), by_number);
}

/* Counts the first name in the present instance: instances of the task, visits of the function, or calls. */
static uint64_t count(const struct check *c)
{
	const struct syt_model_leaf *all = c->m->in->leaves;
	uint64_t nr = c->nr_of_tasks;
	uint32_t first = SYT_NONE; /* label of the leaf with which the present visit began */

	for (size_t i = 0; i < c->nr; i++) {
		const struct leaf *l = &c->leaves[i];
		uint32_t label = all[l->number].label;
		enum match match =
			l->is_in_task[0] ? MATCH_NONE : leaf_match(c->m, &c->names[0], l->number);
		/* the function did not return if the leaves are adjacent; the same call again is another visit */
		bool goes_on = match == MATCH_FUNCTION && first != SYT_NONE && first != label &&
		               l[-1].number + 1 == l->number &&
		               all[l[-1].number].thread == all[l->number].thread;

		nr += match != MATCH_NONE && !goes_on;
		first = match != MATCH_FUNCTION ? SYT_NONE : goes_on ? first : label;
	}
	return nr;
}

static uint64_t count_threads(const struct check *c)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < c->nr; i++)
		nr += !i || c->m->in->leaves[c->leaves[i].number].thread !=
		                    c->m->in->leaves[c->leaves[i - 1].number].thread;
	return nr;
}

/* ---- the order of leaves ---- */

static void index_inner(struct check *c)
{
	const struct syt_model_input *in = c->m->in;
	uint64_t sum = 0;

	c->first_inner = syt_store_alloc((uint64_t)in->nr_leaves + 1, sizeof(*c->first_inner));
	c->inner = syt_store_alloc(in->nr_inner, sizeof(*c->inner));
	for (uint64_t i = 0; i < in->nr_inner; i++)
		c->first_inner[in->inner[i].to]++;
	for (uint32_t i = 0; i <= in->nr_leaves; i++) {
		sum += c->first_inner[i];
		c->first_inner[i] = sum;
	}
	for (uint64_t i = 0; i < in->nr_inner; i++)
		c->inner[--c->first_inner[in->inner[i].to]] = i;
}

/* Marks the leaf NUMBER as reached, if it belongs to the present instance. */
static void reach(struct check *c, uint32_t number)
{
	size_t low = 0, high = c->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->leaves[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == c->nr || c->leaves[low].number != number || c->leaves[low].is_reached)
		return;
	c->leaves[low].is_reached = true;
	*SYT_ADD(c->stack, c->nr_stack, c->room_stack) = (uint32_t)low;
}

/* Marks the leaves from which an arc of KIND leads from the leaf FROM to a reached leaf. An edge begins at the event at which
 * the leaf FROM ends and the next leaf begins. */
static void reach_from(struct check *c, uint32_t from, uint8_t kind)
{
	const struct syt_model_input *in = c->m->in;

	reach(c, from);
	if (kind != SYT_EDGE_PROGRAM && kind != SYT_ARC_CONNECTION && from + 1 < in->nr_leaves &&
	    in->leaves[from + 1].thread == in->leaves[from].thread)
		reach(c, from + 1);
}

/* Marks all leaves of the present instance that begin before the leaf TO (an index in c->leaves). */
static void reach_back(struct check *c, size_t to)
{
	const struct syt_model_input *in = c->m->in;

	for (size_t i = 0; i < c->nr; i++)
		c->leaves[i].is_reached = false;
	c->nr_stack = 0;
	*SYT_ADD(c->stack, c->nr_stack, c->room_stack) = (uint32_t)to;
	while (c->nr_stack) {
		uint32_t at = c->stack[--c->nr_stack], number = c->leaves[at].number;

		if (at && in->leaves[c->leaves[at - 1].number].thread == in->leaves[number].thread)
			reach(c, c->leaves[at - 1].number);
		if (in->leaves[number].start != SYT_NONE)
			reach_from(c, in->leaves[number].start, in->leaves[number].kind);
		for (uint64_t i = c->first_inner[number]; i < c->first_inner[number + 1]; i++)
			reach_from(c, in->inner[c->inner[i]].from, in->inner[c->inner[i]].kind);
	}
	/* a cycle through a joined leaf is no order */
	c->leaves[to].is_reached = false;
}

static bool has_name(const struct check *c, const struct leaf *l, unsigned name)
{
	return l->is_in_task[name] || leaf_match(c->m, &c->names[name], l->number);
}

static bool is_next_in_thread(const struct check *c, size_t i)
{
	return i && c->m->in->leaves[c->leaves[i].number].thread ==
	                    c->m->in->leaves[c->leaves[i - 1].number].thread;
}

/* Returns true if all leaves with the first name happen before all leaves with the second name. In each thread, this is true
 * for all leaves with the second name if it is true for the first of them. */
static bool is_before(struct check *c, bool *has_both)
{
	bool has[2] = {false, false}, is_good = true, was = false;

	for (size_t i = 0; i < c->nr; i++)
		for (unsigned n = 0; n < 2; n++)
			has[n] |= has_name(c, &c->leaves[i], n);
	c->names[0].nr += has[0];
	c->names[1].nr += has[1];
	*has_both = has[0] && has[1];
	for (size_t i = 0; *has_both && is_good && i < c->nr; i++) {
		was &= is_next_in_thread(c, i);
		if (was || !has_name(c, &c->leaves[i], 1))
			continue;
		was = true;
		reach_back(c, i);
		for (size_t k = 0; is_good && k < c->nr; k++) {
			is_good = c->leaves[k].is_reached || !has_name(c, &c->leaves[k], 0);
			c->first = c->leaves[k].number;
			c->second = c->leaves[i].number;
		}
	}
	return is_good;
}

/* ---- values ---- */

/* Stores the value of the instance NODE in *VALUE. Returns false if it has none. */
static bool value_of(struct check *c, uint32_t node, uint64_t *value)
{
	const struct syt_model_profile *p =
		c->profiles ? &c->profiles[node - c->m->in->nr_leaves] : NULL;
	bool has_both = true;

	switch (c->e->what) {
	case SYT_EXPECT_COUNT:
		collect(c, node);
		*value = count(c);
		return true;
	case SYT_EXPECT_BEFORE:
		collect(c, node);
		*value = is_before(c, &has_both);
		return has_both;
	case SYT_EXPECT_THREADS:
		collect(c, node);
		*value = count_threads(c);
		return true;
	default:
		break;
	}
	if (!p) /* a model without a trace */
		return false;
	switch (c->e->what) {
	case SYT_EXPECT_RAN:
		*value = p->ran;
		break;
	case SYT_EXPECT_CPU:
		*value = p->cpu;
		return p->cpu != SYT_CPU_UNKNOWN;
	case SYT_EXPECT_SENT:
		*value = p->sent;
		break;
	case SYT_EXPECT_RECEIVED:
		*value = p->received;
		break;
	case SYT_EXPECT_WAIT:
		*value = 0;
		for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++)
			if (c->e->wait == SYT_NR_WAITS_KINDS || c->e->wait == i)
				*value += p->waited[i];
		break;
	default:
		*value = p->latency_max;
		break;
	}
	return true;
}

static void check_task(struct check *c, uint32_t task, struct syt_expect_result *r)
{
	const struct syt_model_task *t = &c->m->tasks[task];

	for (uint64_t i = 0; i < t->count; i++) {
		uint32_t node = c->m->instances[t->first_instance + i];
		uint64_t value;

		if (!value_of(c, node, &value))
			continue;
		r->nr++;
		if (value >= c->e->least && value <= c->e->most)
			continue;
		if (!r->nr_failed++) {
			r->node = node;
			r->value = value;
			r->first = c->first;
			r->second = c->second;
		}
	}
}

bool syt_expect_needs_profiles(const struct syt_expect *e)
{
	for (size_t i = 0; i < e->nr; i++)
		if (e->all[i].what != SYT_EXPECT_COUNT && e->all[i].what != SYT_EXPECT_BEFORE &&
		    e->all[i].what != SYT_EXPECT_THREADS)
			return true;
	return false;
}

struct syt_expect_result syt_expect_check(const struct syt_expectation *e,
                                          const struct syt_model *m,
                                          const struct syt_model_profile *profiles)
{
	struct syt_expect_result r = {.e = e, .node = SYT_NONE};
	struct check c = {.m = m, .e = e, .profiles = profiles};
	uint32_t task = e->subject ? syt_model_find(m, e->subject) : SYT_NONE;

	if (e->subject ? task == SYT_NONE : !m->nr_tasks) {
		r.verdict = SYT_EXPECT_NO_TASK;
		return r;
	}
	if (e->name)
		open_name(&c.names[0], m, e->name);
	if (e->later)
		open_name(&c.names[1], m, e->later);
	if (e->what == SYT_EXPECT_BEFORE)
		index_inner(&c);
	for (uint32_t t = 0; t < m->nr_tasks; t++)
		if (task == SYT_NONE || t == task)
			check_task(&c, t, &r);
	if (!r.nr)
		r.verdict = e->what == SYT_EXPECT_BEFORE ? SYT_EXPECT_NO_PART : SYT_EXPECT_NO_VALUE;
	else if ((r.nr - r.nr_failed) * SYT_EXPECT_ALL < r.nr * e->share) /* nr has 32 bits */
		r.verdict = SYT_EXPECT_FAILS;
	r.missing = c.names[0].nr ? c.names[1].nr ? NULL : e->later : e->name;
	for (unsigned i = 0; i < 2; i++)
		free(c.names[i].match);
	free(c.leaves);
	free(c.stack);
	syt_store_free(c.first_inner);
	syt_store_free(c.inner);
	return r;
}
