/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Makes the leaves of a model from the leaf tasks of a trace: joins leaf tasks at points that only timing decides. */
#ifndef SYT_DECODER_MODEL_JOIN_H
#define SYT_DECODER_MODEL_JOIN_H

#include "decoder/model/input.h"
#include "decoder/read/symbol.h"

/* Fills the leaves (without starts), the labels and the roles of IN, whose members order, tasks and paths are set.
 * SYMBOLS may be NULL. */
void syt_model_join(struct syt_model_input *in, struct syt_symbols *symbols);

/* Sets the roles of IN: equal numbers for the threads that begin with the same function. */
void syt_model_find_roles(struct syt_model_input *in);

#endif
