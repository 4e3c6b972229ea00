/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints one happens-before edge as a line of text or of JSON. */
#ifndef SYT_DECODER_EDGE_PRINT_H
#define SYT_DECODER_EDGE_PRINT_H

#include "base/json.h"
#include "decoder/order/order.h"
#include "decoder/read/symbol.h"
#include "decoder/show/host_error.h"

/* Prints the two events of an edge, the sync object, and how long the later event waited. Prints no
 * functions if SYMBOLS is NULL. */
void syt_edge_text(struct syt_out *out, struct syt_symbols *symbols, const struct syt_order *o,
                   const struct syt_edge *edge);
/* Prints the id "P.T.N" of the event AT, or the name of a barrier round. */
void syt_edge_text_id(struct syt_out *out, const struct syt_order *o, struct syt_place at);
/* Prints a sync object, and its name if it has one: "mutex:0x55..#2 (NAME)". */
void syt_edge_text_object(struct syt_out *out, const struct syt_order *o, uint32_t object);
/* Prints the event AT as "P.T.N call in function", or the name of a barrier round. */
void syt_edge_text_node(struct syt_out *out, struct syt_symbols *symbols, const struct syt_order *o,
                        struct syt_place at);
/* Prints the end of an edge's line: ", mutex:0x..#0 (name), 12 bytes, waited 3 us, ...". */
void syt_edge_text_rest(struct syt_out *out, const struct syt_order *o,
                        const struct syt_edge *edge);

/* Returns the error of the time from the begin of EDGE to its end. */
struct syt_host_error syt_edge_host_error(const struct syt_order *o, const struct syt_edge *edge);

/* Makes the names of the objects of EDGE. One thread makes them before several threads print edges. */
void syt_edge_name_objects(const struct syt_order *o, const struct syt_edge *edge);
/* Writes the members of EDGE into a JSON object that J has begun. */
void syt_edge_json_members(struct syt_json *j, const struct syt_order *o,
                           const struct syt_edge *edge);
void syt_edge_json(struct syt_out *out, const struct syt_order *o, const struct syt_edge *edge);

#endif
