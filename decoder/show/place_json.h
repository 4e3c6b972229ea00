/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Events and call paths that a report names, as members of JSON. */
#ifndef SYT_DECODER_PLACE_JSON_H
#define SYT_DECODER_PLACE_JSON_H

#include "base/json.h"
#include "decoder/history/place.h"
#include "decoder/order/label.h"
#include "decoder/read/symbol.h"

/* "P.T.N"; null when the thread is SYT_NONE. */
void syt_json_place(struct syt_json *j, const char *key, const struct syt_places *p,
                    struct syt_place at);

/* The event's call stack. Nothing when the thread is SYT_NONE. */
void syt_json_place_stack(struct syt_json *j, const char *key, struct syt_symbols *s,
                          const struct syt_places *p, struct syt_place at);

/* "main;serve;read"; null for SYT_NONE. */
void syt_json_side(struct syt_json *j, const char *key, const struct syt_labels *l, uint32_t side);

#endif
