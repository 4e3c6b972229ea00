/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Shapes: a number for the exact tree of an instance, with its inner arcs. */
#ifndef SYT_DECODER_MODEL_SHAPE_H
#define SYT_DECODER_MODEL_SHAPE_H

#include "decoder/model/forest.h"

/* Fills M->shape. MEMBERS are the parts of the instances, and up and the labels of M are set. */
void syt_model_shapes(struct syt_model *m, const struct syt_model_forest *f,
                      const struct syt_forest_members *members);

/* Moves *A and *B, two different leaves, up to the parts that contain them in the least instance that contains both, or to
 * nodes that are part of no other. */
static inline void syt_model_meet(const uint32_t *up, uint32_t *a, uint32_t *b)
{
	while (up[*a] != up[*b]) {
		if (up[*a] < up[*b])
			*a = up[*a];
		else
			*b = up[*b];
	}
}

#endif
