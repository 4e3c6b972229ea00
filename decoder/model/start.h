/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Makes the input of the miner from a trace: leaves, their starts, and the inner arcs. */
#ifndef SYT_DECODER_MODEL_START_H
#define SYT_DECODER_MODEL_START_H

#include "decoder/model/input.h"
#include "decoder/read/symbol.h"

/* The edges that ORDER must contain, the same as for the verb waits. syt_model_input_open() adds the hand-offs. */
extern const struct syt_edges_wanted syt_model_edges;

/* Makes the input IN from the trace. ORDER, TASKS (without labels) and SYMBOLS must outlive IN. The function infers the
 * hand-offs of ORDER, unless ORDER has them. Returns 0, or -1 after a message (syt_warn) if the trace has too many leaf tasks. */
int syt_model_input_open(struct syt_model_input *in, struct syt_order *order,
                         const struct syt_tasks *tasks, struct syt_symbols *symbols);

#endif
