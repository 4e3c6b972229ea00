/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/forest.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

uint32_t syt_forest_add(struct syt_model_forest *f, const struct syt_model_input *in, uint32_t task,
                        uint32_t root)
{
	uint32_t instance = f->nr_nodes - in->nr_leaves;

	syt_store_grow(&f->task_of, &f->room_task_of, instance, instance + 1, sizeof(*f->task_of));
	syt_store_grow(&f->root_of, &f->room_root_of, instance, instance + 1, sizeof(*f->root_of));
	syt_store_grow(&f->up, &f->room_up, f->nr_nodes, f->nr_nodes + 1, sizeof(*f->up));
	f->task_of[instance] = task;
	f->root_of[instance] = root;
	f->up[f->nr_nodes] = SYT_NONE;
	return f->nr_nodes++;
}

/* ---- compaction ---- */

/* Lets each node skip the removed instances above it. */
static void skip_removed(struct syt_model_forest *f, uint32_t nr_leaves)
{
	SYT_EACH(i, 0, f->nr_nodes) {
		uint32_t up = f->up[i];

		while (up != SYT_NONE && f->task_of[up - nr_leaves] == SYT_NONE)
			up = f->up[up];
		f->up[i] = up;
	}
}

/* Fills VALUE[i] for all i in [0, NR) with the number of steps from i along NEXT (SYT_NONE: the end). In a cycle, the
 * steps end where the walk comes back. */
static void count_steps(const uint32_t *next, uint32_t nr, uint32_t *value)
{
	uint32_t *walk = NULL;
	size_t nr_walk = 0, room = 0;

	memset(value, 0xff, nr * sizeof(*value));
	SYT_EACH(i, 0, nr) {
		uint32_t n = i, steps;

		for (; n != SYT_NONE && value[n] == SYT_NONE; n = next[n]) {
			value[n] = 0;
			*SYT_STORE_ADD(walk, nr_walk, room) = n;
		}
		for (steps = n == SYT_NONE ? 0 : value[n] + 1; nr_walk; steps++)
			value[walk[--nr_walk]] = steps;
	}
	syt_store_free(walk);
}

/* Returns the new numbers of the instances, from 0: the deepest instances first, and no number for removed ones. */
static uint32_t *number_anew(const struct syt_model_forest *f, uint32_t nr_leaves,
                             uint32_t *nr_left)
{
	uint32_t nr = f->nr_nodes - nr_leaves, deepest = 0, next = 0;
	uint32_t *up = syt_store_alloc(nr, sizeof(*up));
	uint32_t *depth = syt_store_alloc(nr, sizeof(*depth));
	uint32_t *number = syt_store_alloc(nr, sizeof(*number)), *nr_of;

	SYT_EACH(i, 0, nr) {
		uint32_t above = f->up[nr_leaves + i];

		up[i] = above == SYT_NONE ? SYT_NONE : above - nr_leaves;
	}
	count_steps(up, nr, depth);
	SYT_EACH(i, 0, nr)
		deepest = depth[i] > deepest ? depth[i] : deepest;
	nr_of = syt_calloc((size_t)deepest + 1, sizeof(*nr_of));
	SYT_EACH(i, 0, nr)
		nr_of[depth[i]] += f->task_of[i] != SYT_NONE;
	for (uint32_t d = deepest + 1; d-- > 0;) {
		uint32_t here = nr_of[d];

		nr_of[d] = next;
		next += here;
	}
	SYT_EACH(i, 0, nr)
		number[i] = f->task_of[i] == SYT_NONE ? SYT_NONE : nr_of[depth[i]]++;
	*nr_left = next;
	free(nr_of);
	syt_store_free(up);
	syt_store_free(depth);
	return number;
}

void syt_forest_compact(struct syt_model_forest *f, const struct syt_model_input *in)
{
	uint32_t nr = f->nr_nodes - in->nr_leaves, nr_left, *number;
	struct syt_model_forest new = *f;

	skip_removed(f, in->nr_leaves);
	number = number_anew(f, in->nr_leaves, &nr_left);
	new.room_up = (size_t)in->nr_leaves + nr_left;
	new.up = syt_store_alloc(new.room_up, sizeof(*new.up));
	new.room_task_of = new.room_root_of = nr_left;
	new.task_of = syt_store_alloc(nr_left, sizeof(*new.task_of));
	new.root_of = syt_store_alloc(nr_left, sizeof(*new.root_of));
	new.nr_nodes = in->nr_leaves + nr_left;
	SYT_EACH(i, 0, f->nr_nodes) {
		uint32_t to = i, up = f->up[i];

		if (i >= in->nr_leaves && number[i - in->nr_leaves] == SYT_NONE)
			continue;
		if (i >= in->nr_leaves)
			to = in->nr_leaves + number[i - in->nr_leaves];
		new.up[to] = up == SYT_NONE ? SYT_NONE : in->nr_leaves + number[up - in->nr_leaves];
	}
	SYT_EACH(i, 0, nr) {
		if (number[i] == SYT_NONE)
			continue;
		new.task_of[number[i]] = f->task_of[i];
		new.root_of[number[i]] = f->root_of[i];
	}
	syt_store_free(number);
	syt_store_free(f->up);
	syt_store_free(f->task_of);
	syt_store_free(f->root_of);
	*f = new;
}

/* ---- members ---- */

/* Puts the root of each instance before its other parts, and keeps the order of these. */
static void put_roots_first(struct syt_forest_members *m, const struct syt_model_forest *f,
                            const struct syt_model_input *in, uint32_t nr)
{
	SYT_EACH(i, 0, nr) {
		for (uint32_t n = m->first[i]; n < m->first[i + 1]; n++) {
			uint32_t member = m->members[n];

			if (syt_forest_root(f, in, member) != f->root_of[i])
				continue;
			memmove(&m->members[m->first[i] + 1], &m->members[m->first[i]],
			        (n - m->first[i]) * sizeof(*m->members));
			m->members[m->first[i]] = member;
			break;
		}
	}
}

/* Returns the part of the same instance as NODE that contains the start of NODE, or SYT_NONE. */
static uint32_t start_of(const struct syt_model_forest *f, const struct syt_model_input *in,
                         uint32_t node)
{
	uint32_t at = in->leaves[syt_forest_root(f, in, node)].start;

	if (f->up[node] == SYT_NONE)
		return SYT_NONE;
	while (at != SYT_NONE && f->up[at] != f->up[node])
		at = f->up[at];
	return at == node ? SYT_NONE : at;
}

/* Sets m->depth. The depth of a node in the trees of all starts is the least depth of its leaves. The result therefore does not
 * depend on the numbers of the leaves, although the root of a fan-out is the first of its leaves by number. */
static void count_depth(struct syt_forest_members *m, const struct syt_model_forest *f,
                        const struct syt_model_input *in)
{
	uint32_t *start = syt_store_alloc(in->nr_leaves, sizeof(*start));

	m->depth = syt_store_alloc(f->nr_nodes, sizeof(*m->depth));
	SYT_EACH(i, 0, in->nr_leaves)
		start[i] = in->leaves[i].start;
	count_steps(start, in->nr_leaves, m->depth);
	syt_store_free(start);
	SYT_EACH(i, in->nr_leaves, f->nr_nodes)
		m->depth[i] = UINT32_MAX;
	/* the number of an instance is greater than the numbers of its parts */
	SYT_EACH(i, 0, f->nr_nodes) {
		uint32_t up = f->up[i];

		if (up != SYT_NONE && m->depth[i] < m->depth[up])
			m->depth[up] = m->depth[i];
	}
	SYT_EACH(i, 0, f->nr_nodes)
		m->depth[i] = f->up[i] == SYT_NONE ? 0 : m->depth[i] - m->depth[f->up[i]];
}

void syt_forest_members_open(struct syt_forest_members *m, const struct syt_model_forest *f,
                             const struct syt_model_input *in)
{
	uint32_t nr = f->nr_nodes - in->nr_leaves, nr_members = 0;
	uint32_t *fill = syt_store_alloc(nr, sizeof(*fill));

	m->first = syt_store_alloc((uint64_t)nr + 1, sizeof(*m->first));
	SYT_EACH(i, 0, f->nr_nodes)
		if (f->up[i] != SYT_NONE)
			m->first[f->up[i] - in->nr_leaves + 1]++;
	SYT_EACH(i, 0, nr) {
		m->first[i + 1] += m->first[i];
		fill[i] = m->first[i];
	}
	nr_members = m->first[nr];
	m->members = syt_store_alloc(nr_members, sizeof(*m->members));
	/* the nodes in the order of their first leaves: from each leaf up, while it is the first leaf */
	SYT_EACH(leaf, 0, in->nr_leaves) {
		for (uint32_t n = leaf; n != SYT_NONE && syt_forest_root(f, in, n) == leaf;
		     n = f->up[n])
			if (f->up[n] != SYT_NONE)
				m->members[fill[f->up[n] - in->nr_leaves]++] = n;
	}
	syt_store_free(fill);
	put_roots_first(m, f, in, nr);
	m->start = syt_store_alloc(f->nr_nodes, sizeof(*m->start));
	SYT_EACH(i, 0, f->nr_nodes)
		m->start[i] = start_of(f, in, i);
	count_depth(m, f, in);
}

void syt_forest_members_close(struct syt_forest_members *m)
{
	syt_store_free(m->first);
	syt_store_free(m->members);
	syt_store_free(m->start);
	syt_store_free(m->depth);
}

/* ---- parts ---- */

static uint32_t find_part(struct syt_forest_parts *p, uint32_t task, struct syt_model_what what)
{
	uint32_t hash = syt_hash_words((uint64_t)task << 32 | what.number, what.is_task);
	uint32_t part =
		SYT_HASH_FIND(&p->index, hash, i,
	                      p->all[i].task == task && p->all[i].what.number == what.number &&
	                              p->all[i].what.is_task == what.is_task);

	if (part != SYT_HASH_NONE)
		return part;
	syt_grow(&p->states, &p->room_states, p->nr + 1, sizeof(*p->states));
	p->states[p->nr] = (struct syt_forest_part_state){0, 0, 0, 0};
	part = syt_hash_add(&p->index, hash, p->nr);
	*SYT_ADD(p->all, p->nr, p->room) =
		(struct syt_model_part){.task = task, .what = what, .least = UINT64_MAX};
	return part;
}

/* Ends the count of the part in an instance. */
static void end_instance(struct syt_model_part *part, struct syt_forest_part_state *state)
{
	if (!state->nr)
		return;
	part->least = state->nr < part->least ? state->nr : part->least;
	part->most = state->nr > part->most ? state->nr : part->most;
	state->nr_with++;
	state->nr = 0;
}

void syt_forest_parts_open(struct syt_forest_parts *p, const struct syt_model_forest *f,
                           const struct syt_model_input *in, const struct syt_forest_members *m,
                           struct syt_model_what (*what_of)(const void *context, uint32_t node),
                           const void *context, uint64_t *nr_instances_of)
{
	uint32_t nr = f->nr_nodes - in->nr_leaves;

	memset(p, 0, sizeof(*p));
	memset(nr_instances_of, 0, f->nr_tasks * sizeof(*nr_instances_of));
	SYT_EACH(i, 0, nr) {
		nr_instances_of[f->task_of[i]]++;
		for (uint32_t n = m->first[i]; n < m->first[i + 1]; n++) {
			uint32_t member = m->members[n];
			uint32_t part = find_part(p, f->task_of[i], what_of(context, member));

			if (p->states[part].instance != i + 1)
				end_instance(&p->all[part], &p->states[part]);
			p->states[part].instance = i + 1;
			p->states[part].nr++;
			p->states[part].depth += m->depth[member];
			p->all[part].count++;
			p->all[part].is_root |= n == m->first[i];
		}
	}
	for (size_t i = 0; i < p->nr; i++) {
		end_instance(&p->all[i], &p->states[i]);
		if (p->states[i].nr_with < nr_instances_of[p->all[i].task])
			p->all[i].least = 0;
	}
}

void syt_forest_parts_close(struct syt_forest_parts *p)
{
	free(p->all);
	free(p->states);
	syt_hash_close(&p->index);
}
