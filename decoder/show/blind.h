/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the blind spots of a trace, by kind: operations that syntrace could not record. */
#ifndef SYT_DECODER_BLIND_H
#define SYT_DECODER_BLIND_H

#include "base/json.h"
#include "decoder/order/order.h"

/* Returns the description of a blind spot of one process (enum syt_blind). */
const char *syt_blind_text(uint32_t what);

/* Prints the blind spots in one line: "Blind spots (...): 2 static programs (/a, /b), ...". Prints no text if there
 * are none. */
void syt_blind_line(struct syt_out *out, const struct syt_order *o);

/* Writes the JSON member "blind": an array of {"what", "count", "bytes", "examples"}. */
void syt_blind_json(struct syt_json *j, const struct syt_order *o);

#endif
