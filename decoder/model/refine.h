/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Refines the forest that the miner found: removes rare tasks, makes tasks of functions, inlines tasks, and finds names. */
#ifndef SYT_DECODER_MODEL_REFINE_H
#define SYT_DECODER_MODEL_REFINE_H

#include "base/counts.h"
#include "decoder/model/forest.h"

/* Counts the parts of all tasks of a forest. NR_INSTANCES_OF[task] gets the number of instances, unless it is NULL. */
void syt_refine_parts(struct syt_forest_parts *p, const struct syt_model_forest *f,
                      const struct syt_model_input *in, const struct syt_forest_members *m,
                      uint64_t *nr_instances_of);

/* Removes the instances of tasks with less than LEAST instances. */
void syt_refine_prune(struct syt_model_forest *f, const struct syt_model_input *in, uint32_t least);
/* Makes tasks of functions that have several callers. */
void syt_refine_functions(struct syt_model_forest *f, const struct syt_model_input *in);
/* Makes tasks that occur in one place of one task parts of this task, unless they have a name of their own. Removes their
 * other instances if there are less than LEAST. */
void syt_refine_inline(struct syt_model_forest *f, const struct syt_model_input *in, uint32_t least);

/* Names of tasks, from the functions that their leaves have in common. */
struct syt_refine_names {
	const struct syt_model_input *in;
	const struct syt_model_forest *f;
	const struct syt_forest_parts *p;
	size_t *first_part; /* [task], and one more: its parts in `parts` */
	uint32_t *parts;    /* indices in p->all, by task */
	uint32_t *root;     /* [task]: label of most of its first leaves */
	struct syt_counts roots; /* (task, label) -> number of its first leaves with this label */
	/* [task]: deepest function of the program that its leaves have in common, or NULL; then the deepest function of a
	 * library, or NULL */
	char **function, **other;
};
void syt_refine_names_open(struct syt_refine_names *n, const struct syt_model_forest *f,
                           const struct syt_model_input *in, const struct syt_forest_parts *p);
void syt_refine_names_close(struct syt_refine_names *n);

/* Sets the names of all tasks without a name. The names are unique. */
void syt_refine_name(struct syt_model_forest *f, struct syt_refine_names *n);

#endif
