/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Copies inputs of the miner, so that they outlive their traces, and makes one input of several runs. */
#ifndef SYT_DECODER_MODEL_MERGE_H
#define SYT_DECODER_MODEL_MERGE_H

#include "decoder/model/input.h"

/* Makes the input TO from copies of NR inputs: all leaves in this order, with common labels and roles. TO has no source
 * (order). Returns 0, or -1 after a message (syt_warn) if there are too many leaves. */
int syt_model_merge(struct syt_model_input *to, const struct syt_model_input *const *from,
                    size_t nr);

/* Removes the leaves of IN for which UP [leaf] is not SYT_NONE, and the arcs from and to these leaves. */
void syt_model_remove(struct syt_model_input *in, const uint32_t *up);

#endif
