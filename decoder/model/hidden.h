/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds work that passed from thread to thread along ways that no trace contains: atomic operations and direct system
 * calls. A model has no arc for this work (doc/models.md).
 */
#ifndef SYT_DECODER_MODEL_HIDDEN_H
#define SYT_DECODER_MODEL_HIDDEN_H

#include "decoder/model/input.h"

/* Finds the hidden hand-offs of the trace of IN, and stores them in IN, the most frequent ones first. */
void syt_model_find_hidden(struct syt_model_input *in);

#endif
