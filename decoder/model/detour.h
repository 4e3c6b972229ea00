/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Detours: leaves that a thread executes only sometimes between two leaves that mostly follow each other. */
#ifndef SYT_DECODER_MODEL_DETOUR_H
#define SYT_DECODER_MODEL_DETOUR_H

#include "decoder/model/input.h"

/* Changes the starts of leaves behind detours of one to four leaves to the leaf before the detour. */
void syt_model_detours(struct syt_model_input *in);

#endif
