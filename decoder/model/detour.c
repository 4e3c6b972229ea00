/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/detour.h"

#include <stdlib.h>

#include "base/counts.h"
#include "base/err.h"

#define MOST_LEAVES 4u /* maximum length of a detour; equal leaves that follow each other count once */
#define MOST_TURNS 64u /* maximum number of equal leaves in a detour */
#define TIMES 5u /* the usual way is at least this number of times as frequent as the detour */

struct pairs {
	const struct syt_model_input *in;
	uint64_t *nr;          /* [label]: number of leaves */
	struct syt_counts all; /* (label, label of the next leaf of the thread) -> number */
};

static bool follows_thread(const struct syt_model_input *in, uint32_t leaf)
{
	return leaf && in->leaves[leaf].start == leaf - 1 &&
	       in->leaves[leaf].kind == SYT_EDGE_PROGRAM;
}

static uint64_t nr_pairs(const struct pairs *p, uint32_t from, uint32_t to)
{
	return syt_counts_of(&p->all, p->in->leaves[from].label, p->in->leaves[to].label);
}

/* Returns true if NR, the number of times that the leaf TO follows the leaf FROM, is at least half of their number. */
static bool is_usual(const struct pairs *p, uint32_t from, uint32_t to, uint64_t nr)
{
	return 2 * nr >= p->nr[p->in->leaves[from].label] ||
	       2 * nr >= p->nr[p->in->leaves[to].label];
}

/* Returns true if at least 90 % of the leaves with the label of FROM lead to the label of TO, or to one more leaf like
 * themselves, as in a loop that tries again. */
static bool leads_to(const struct pairs *p, uint32_t from, uint32_t to)
{
	uint64_t nr = nr_pairs(p, from, to) + nr_pairs(p, from, from);

	return 10 * nr >= 9 * p->nr[p->in->leaves[from].label];
}

/* Returns the leaf before a detour that ends before LEAF, or the start of LEAF. */
static uint32_t usual_start(const struct pairs *p, uint32_t leaf)
{
	uint32_t from = leaf - 1;
	bool is_certain = true; /* the leaves of the detour lead nowhere else */

	if (2 * nr_pairs(p, from, leaf) >= p->nr[p->in->leaves[leaf].label])
		return from; /* most leaves of this label follow this label */
	for (unsigned n = 0, turns = 0; turns < MOST_TURNS && follows_thread(p->in, from); turns++) {
		uint32_t first = from--;
		uint64_t nr = nr_pairs(p, from, leaf);

		if (p->in->leaves[first].label != p->in->leaves[first + 1].label) {
			if (n++ == MOST_LEAVES)
				break;
			is_certain = is_certain && leads_to(p, first, first + 1);
		}
		if (nr && p->in->leaves[from].label != p->in->leaves[first].label &&
		    is_usual(p, from, leaf, nr) &&
		    (is_certain || nr >= TIMES * nr_pairs(p, from, first)))
			return from;
	}
	return leaf - 1;
}

void syt_model_detours(struct syt_model_input *in)
{
	struct pairs p = {.in = in, .nr = syt_calloc(in->nr_labels, sizeof(*p.nr))};

	SYT_EACH(i, 0, in->nr_leaves) {
		p.nr[in->leaves[i].label]++;
		if (follows_thread(in, i))
			++*syt_counts_at(&p.all, in->leaves[i - 1].label, in->leaves[i].label);
	}
	/* from the last leaf to the first, because a changed start no longer counts as the order of the thread */
	for (uint32_t i = in->nr_leaves; i-- > 1 && syt_store_goes_on(i, SYT_STORE_STRIDE);)
		if (follows_thread(in, i)) {
			in->leaves[i].start = usual_start(&p, i);
			if (in->leaves[i].start != i - 1)
				in->leaves[in->leaves[i].start + 1].is_detour = true;
		}
	syt_counts_fini(&p.all);
	free(p.nr);
}
