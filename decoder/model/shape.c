/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The shape of an instance is the AHU code of its tree, as a 64-bit hash. The code of a part is made of its label or
 * shape and of the set of the codes of the parts that it started. Each inner arc then adds the codes of its two parts.
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
	uint64_t *code;  /* [node] */
	/* the inner arcs by the least instance that contains both ends: arcs[first[i]] up to arcs[first[i + 1]] */
	uint32_t *first;
	uint32_t *arcs;
	/* scratch: parts of an instance, the deepest first, and the number of parts of each depth */
	size_t room_order, room_nr;
	uint32_t *order, *nr;
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

static void find_shape(struct work *w, uint32_t instance)
{
	const struct syt_model_input *in = w->m->in;
	uint32_t nr = sort_parts(w, instance);
	uint64_t sum = 0;

	/* code[] of a part begins as the sum over the parts that it started */
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t part = w->order[i], start = w->members->start[part];
		const struct syt_model_leaf *root = &in->leaves[syt_model_root(w->m, part)];
		uint64_t own = syt_model_is_leaf(w->m, part) ? label_code(w, part)
		                                             : w->m->shape[part - in->nr_leaves];

		w->code[part] = mix(own, w->code[part]);
		if (start == SYT_NONE)
			sum += mix(w->code[part], 0);
		else
			w->code[start] +=
				mix(w->code[part], mix(root->kind, mix(label_code(w, root->start), w->members->depth[root->start])));
	}
	for (uint32_t i = w->first[instance]; i < w->first[instance + 1]; i++) {
		const struct syt_model_inner *arc = &in->inner[w->arcs[i]];
		uint32_t from = arc->from, to = arc->to;

		syt_model_meet(w->m->up, &from, &to);
		sum += mix(mix(w->code[from], label_code(w, arc->from)),
		           mix(mix(w->code[to], label_code(w, arc->to)), arc->kind));
	}
	w->m->shape[instance] = mix(sum, nr);
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
	sort_arcs(&w);
	m->shape = syt_store_alloc(nr, sizeof(*m->shape));
	SYT_EACH(i, 0, nr)
		find_shape(&w, i);
	free(w.label);
	free(w.order);
	free(w.nr);
	syt_store_free(w.code);
	syt_store_free(w.first);
	syt_store_free(w.arcs);
}
