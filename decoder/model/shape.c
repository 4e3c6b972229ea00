/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The shape of an instance is the AHU code of its tree, as a 64-bit hash. The code of a part is made of its label or
 * shape and of the set of the codes of the parts that it started. Each inner arc then adds the codes of its two parts.
 *
 * A fan-out can start at several parts: the miner joined its instances while these parts were one node. Its root is only the
 * first of its leaves by number, so all of its starts count, like inner arcs.
 */
#include "decoder/model/shape.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/err.h"

struct work {
	struct syt_model *m;
	const struct syt_forest_members *members;
	uint64_t *label; /* [label]: hash of its text */
	/* [node]: the code of the part; after its instance is complete, the code of its position in the instance */
	uint64_t *code;
	uint8_t *is_fan; /* [instance]: it begins with several leaves */
	/* the inner arcs by the least instance that contains both ends: arcs[first[i]] up to arcs[first[i + 1]] */
	uint32_t *first;
	uint32_t *arcs;
	/* scratch: parts of an instance, the deepest first, and the number of parts of each depth */
	size_t room_order, room_nr;
	uint32_t *order, *nr;
	/* scratch: the leaves that begin a part */
	size_t room_begins, nr_begins;
	uint32_t *begins;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);

	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

static uint64_t label_code(const struct work *w, uint32_t leaf)
{
	return w->label[syt_model_what(w->m, leaf).number];
}

/* Sorts the parts of an instance into w->order: the deepest first. Returns their number. */
static uint32_t sort_parts(struct work *w, uint32_t instance)
{
	const uint32_t *all = w->members->members + w->members->first[instance];
	uint32_t nr = w->members->first[instance + 1] - w->members->first[instance], deepest = 0;
	uint32_t next = 0;

	for (uint32_t i = 0; i < nr; i++)
		deepest = w->members->depth[all[i]] > deepest ? w->members->depth[all[i]] : deepest;
	syt_grow(&w->order, &w->room_order, nr, sizeof(*w->order));
	syt_grow(&w->nr, &w->room_nr, (size_t)deepest + 1, sizeof(*w->nr));
	memset(w->nr, 0, ((size_t)deepest + 1) * sizeof(*w->nr));
	for (uint32_t i = 0; i < nr; i++)
		w->nr[w->members->depth[all[i]]]++;
	for (uint32_t d = deepest + 1; d-- > 0;) {
		uint32_t here = w->nr[d];

		w->nr[d] = next;
		next += here;
	}
	for (uint32_t i = 0; i < nr; i++)
		w->order[w->nr[w->members->depth[all[i]]]++] = all[i];
	return nr;
}

static bool is_fan(const struct work *w, uint32_t part)
{
	return !syt_model_is_leaf(w->m, part) && w->is_fan[part - w->m->in->nr_leaves];
}

/* Replaces the code of each part by the code of its position: the parts on the way to the root. */
static void find_positions(struct work *w, uint32_t instance)
{
	for (uint32_t i = sort_parts(w, instance); i-- > 0;) {
		uint32_t part = w->order[i], start = w->members->start[part];

		w->code[part] = mix(w->code[part], start == SYT_NONE || is_fan(w, part) ? 0 : w->code[start]);
	}
}

/* Returns the part of INSTANCE that contains the leaf LEAF, or SYT_NONE. */
static uint32_t part_with(const struct work *w, uint32_t instance, uint32_t leaf)
{
	uint32_t node = leaf;

	while (node != SYT_NONE && w->m->up[node] != instance + w->m->in->nr_leaves)
		node = w->m->up[node];
	return node;
}

/* Returns the code of a leaf inside of a part: its label and its position. */
static uint64_t leaf_code(const struct work *w, uint32_t leaf, uint32_t part)
{
	return leaf == part ? label_code(w, leaf) : mix(label_code(w, leaf), w->code[leaf]);
}

/* Finds the leaves with which PART begins. */
static void find_begins(struct work *w, uint32_t part)
{
	uint32_t nr_leaves = w->m->in->nr_leaves;

	w->nr_begins = 0;
	*SYT_ADD(w->begins, w->nr_begins, w->room_begins) = part;
	for (size_t i = 0; i < w->nr_begins;) {
		uint32_t node = w->begins[i];

		if (syt_model_is_leaf(w->m, node)) {
			i++;
			continue;
		}
		w->begins[i] = w->begins[--w->nr_begins];
		for (uint32_t k = w->members->first[node - nr_leaves];
		     k < w->members->first[node - nr_leaves + 1]; k++) {
			uint32_t member = w->members->members[k];

			if (w->members->start[member] == SYT_NONE)
				*SYT_ADD(w->begins, w->nr_begins, w->room_begins) = member;
		}
	}
}

/* Returns the code of the arc from the start of LEAF, which lies in the part FROM. */
static uint64_t start_code(const struct work *w, uint32_t leaf, uint32_t from)
{
	const struct syt_model_leaf *l = &w->m->in->leaves[leaf];

	return mix(l->kind, leaf_code(w, l->start, from));
}

static void find_shape(struct work *w, uint32_t instance)
{
	const struct syt_model_input *in = w->m->in;
	uint32_t nr = sort_parts(w, instance), nr_fans = 0, nr_first = 0;
	uint64_t sum = 0;

	/* code[] of a part begins as the sum over the parts that it started */
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t part = w->order[i], start = w->members->start[part];
		uint64_t own = syt_model_is_leaf(w->m, part) ? label_code(w, part)
		                                             : w->m->shape[part - in->nr_leaves];

		w->code[part] = mix(own, w->code[part]);
		if (start == SYT_NONE) {
			sum += mix(w->code[part], 0);
			w->is_fan[instance] |= nr_first++ > 0 || is_fan(w, part);
		} else if (is_fan(w, part)) {
			w->order[nr_fans++] = part; /* at most I: the part itself has been seen */
		} else {
			w->code[start] += mix(w->code[part],
			                      start_code(w, syt_model_root(w->m, part), start));
		}
	}
	for (uint32_t i = 0; i < nr_fans; i++) {
		find_begins(w, w->order[i]);
		for (size_t k = 0; k < w->nr_begins; k++) {
			uint32_t from = part_with(w, instance, in->leaves[w->begins[k]].start);

			sum += mix(w->code[w->order[i]],
			           from == SYT_NONE ? 0
			                            : mix(w->code[from], start_code(w, w->begins[k], from)));
		}
	}
	for (uint32_t i = w->first[instance]; i < w->first[instance + 1]; i++) {
		const struct syt_model_inner *arc = &in->inner[w->arcs[i]];
		uint32_t from = arc->from, to = arc->to;

		syt_model_meet(w->m->up, &from, &to);
		sum += mix(mix(w->code[from], leaf_code(w, arc->from, from)),
		           mix(mix(w->code[to], leaf_code(w, arc->to, to)), arc->kind));
	}
	w->m->shape[instance] = mix(sum, nr);
	find_positions(w, instance);
}

/* Sorts the inner arcs by the least instance that contains both ends. */
static void sort_arcs(struct work *w)
{
	const struct syt_model_input *in = w->m->in;
	uint32_t nr = w->m->nr_nodes - in->nr_leaves;
	uint32_t *at = syt_store_alloc(in->nr_inner, sizeof(*at));

	w->first = syt_store_alloc((uint64_t)nr + 2, sizeof(*w->first));
	w->arcs = syt_store_alloc(in->nr_inner, sizeof(*w->arcs));
	SYT_EACH(i, 0, in->nr_inner) {
		uint32_t from = in->inner[i].from, to = in->inner[i].to;

		syt_model_meet(w->m->up, &from, &to);
		at[i] = w->m->up[from] == SYT_NONE ? SYT_NONE : w->m->up[from] - in->nr_leaves;
		if (at[i] != SYT_NONE)
			w->first[at[i] + 2]++;
	}
	SYT_EACH(i, 1, nr + 1)
		w->first[i + 1] += w->first[i];
	SYT_EACH(i, 0, in->nr_inner)
		if (at[i] != SYT_NONE)
			w->arcs[w->first[at[i] + 1]++] = (uint32_t)i;
	syt_store_free(at);
}

void syt_model_shapes(struct syt_model *m, const struct syt_model_forest *f,
                      const struct syt_forest_members *members)
{
	struct work w = {.m = m, .members = members};
	uint32_t nr = f->nr_nodes - m->in->nr_leaves;

	w.label = syt_alloc(m->nr_labels, sizeof(*w.label));
	for (uint32_t i = 0; i < m->nr_labels; i++)
		w.label[i] = XXH3_64bits(m->labels[i], strlen(m->labels[i]));
	w.code = syt_store_alloc(f->nr_nodes, sizeof(*w.code));
	w.is_fan = syt_store_alloc(nr, sizeof(*w.is_fan));
	sort_arcs(&w);
	m->shape = syt_store_alloc(nr, sizeof(*m->shape));
	SYT_EACH(i, 0, nr)
		find_shape(&w, i);
	free(w.label);
	free(w.order);
	free(w.nr);
	free(w.begins);
	syt_store_free(w.code);
	syt_store_free(w.is_fan);
	syt_store_free(w.first);
	syt_store_free(w.arcs);
}
