/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What a trace says of itself that it did not see, by kind and over all processes. */
#ifndef SYT_DECODER_BLIND_H
#define SYT_DECODER_BLIND_H

#include "base/json.h"
#include "decoder/order/order.h"
#include "base/out.h"

/* For people, of one process (enum syt_blind). */
const char *syt_blind_text(uint32_t what);

/* "2 static programs (/a, /b), io_uring (...)", or "nothing". */
void syt_blind_line(struct syt_out *out, const struct syt_order *o);

/* The member "blind": an array of {"what", "count", "bytes", "examples"}. */
void syt_blind_json(struct syt_json *j, const struct syt_order *o);

#endif
