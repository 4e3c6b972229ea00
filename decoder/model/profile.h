/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The profiles of tasks: time, CPU time, bytes and waits. */
#ifndef SYT_DECODER_MODEL_PROFILE_H
#define SYT_DECODER_MODEL_PROFILE_H

#include "decoder/model/model.h"

/* Fills the profiles of all tasks of M, a model of a trace, and of the work outside of tasks. */
void syt_model_profile(struct syt_model *m);

/* Returns the profiles of all instances of M, a model of a trace: element [node - in->nr_leaves]. The caller frees the array
 * with syt_store_free(). */
struct syt_model_profile *syt_model_profile_instances(const struct syt_model *m);

#endif
