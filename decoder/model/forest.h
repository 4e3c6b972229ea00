/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Operations on the forest of instances, which the miner and the builder of a model use. */
#ifndef SYT_DECODER_MODEL_FOREST_H
#define SYT_DECODER_MODEL_FOREST_H

#include "base/hash.h"
#include "decoder/model/model.h"

/* Returns the first leaf of NODE. */
static inline uint32_t syt_forest_root(const struct syt_model_forest *f,
                                       const struct syt_model_input *in, uint32_t node)
{
	return node < in->nr_leaves ? node : f->root_of[node - in->nr_leaves];
}

/* Adds an instance of TASK with the first leaf ROOT, and returns its node. */
uint32_t syt_forest_add(struct syt_model_forest *f, const struct syt_model_input *in, uint32_t task,
                        uint32_t root);

/* Removes the instances whose task is SYT_NONE: their parts become parts of the instance above them. Numbers the instances
 * anew, so that parts have lower numbers. */
void syt_forest_compact(struct syt_model_forest *f, const struct syt_model_input *in);

/* The parts of each instance: members[first[i]] up to members[first[i + 1]], the root first, then in the order of the first
 * leaves. */
struct syt_forest_members {
	uint32_t *first, *members;
	uint32_t *
		start; /* [node]: the part of the same instance that contains its start, or SYT_NONE */
	/* [node]: number of steps along the starts of leaves, from the first leaf of its instance */
	uint32_t *depth;
};
void syt_forest_members_open(struct syt_forest_members *m, const struct syt_model_forest *f,
                             const struct syt_model_input *in);
void syt_forest_members_close(struct syt_forest_members *m);

/* The parts of all tasks. */
struct syt_forest_parts {
	size_t nr, room;
	struct syt_model_part *all; /* in the order of first use */
	struct syt_hash index;
	struct syt_forest_part_state {
		uint32_t instance; /* the last instance that contained the part, plus 1 */
		uint32_t nr;       /* number of occurrences in this instance */
		uint64_t nr_with;  /* number of instances that contained the part */
		uint64_t depth;    /* sum of the lengths of the ways from the root */
	} * states;                /* for each part */
	size_t room_states;
};

/* Counts the parts of all tasks. WHAT_OF returns the leaf label or the task of a node.
 * NR_INSTANCES_OF[task] gets the number of instances. */
void syt_forest_parts_open(struct syt_forest_parts *p, const struct syt_model_forest *f,
                           const struct syt_model_input *in, const struct syt_forest_members *m,
                           struct syt_model_what (*what_of)(const void *context, uint32_t node),
                           const void *context, uint64_t *nr_instances_of);
void syt_forest_parts_close(struct syt_forest_parts *p);

#endif
