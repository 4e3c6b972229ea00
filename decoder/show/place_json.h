/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes events, call paths and objects of a report as members of JSON. */
#ifndef SYT_DECODER_PLACE_JSON_H
#define SYT_DECODER_PLACE_JSON_H

#include "base/json.h"
#include "decoder/order/label.h"
#include "decoder/order/order.h"

/* Writes the id "P.T.N" of the event AT, or null if AT.thread is SYT_NONE. */
void syt_json_place(struct syt_json *j, const char *key, const struct syt_places *p,
                    struct syt_place at);

/* Writes the call stack of the event AT. Writes no member if AT.thread is SYT_NONE. */
void syt_json_place_stack(struct syt_json *j, const char *key, struct syt_symbols *s,
                          const struct syt_places *p, struct syt_place at);

/* Writes the call path SIDE, for example "main;serve;read", or null if SIDE is SYT_NONE. */
void syt_json_side(struct syt_json *j, const char *key, const struct syt_labels *l, uint32_t side);

/* Writes the members of OBJECT (an index in the whole trace) as syt_json_object() does. */
void syt_json_object_of(struct syt_json *j, const char *key, const struct syt_order *o,
                        uint32_t object);

#endif
