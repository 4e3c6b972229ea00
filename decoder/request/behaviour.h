/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The event string of a request: its segments as a tree, depth first (doc/requests.md, "Event strings").
 *
 * A step is an event with a symbol, or a bracket. Brackets after an event contain a segment to which the event gave work.
 * The segments of one event are sorted by their texts, so the order in which threads happened to run does not matter.
 * A symbol is a call path (decoder/analysis/call_path.h) without blanks: "shop:main;serve;read". One thread at a time may use
 * a struct syt_behaviours.
 */
#ifndef SYT_DECODER_REQUEST_BEHAVIOUR_H
#define SYT_DECODER_REQUEST_BEHAVIOUR_H

#include "decoder/request/extent.h"
#include "decoder/request/population.h"

struct syt_request_step {
	struct syt_place at; /* the event; thread SYT_NONE: a bracket */
	uint32_t symbol;     /* number in the set of symbols */
	uint32_t segment;    /* of the event, or of the segment in the brackets */
};

/* Returns the part of the symbol TEXT that a line has room for: the last two functions and the call. */
const char *syt_symbol_short(const char *text);

struct syt_behaviours;

/* Finds event strings of requests of E, with symbols from SET. E, SYMBOLS and SET must outlive the result. */
struct syt_behaviours *syt_behaviours_create(const struct syt_extents *e,
                                             struct syt_symbols *symbols, struct syt_text_set *set);
void syt_behaviours_destroy(struct syt_behaviours *b);

/* Finds the event string of the request with the index R. Returns its steps, valid until the next call, and their number in
 * *NR. */
const struct syt_request_step *syt_behaviours_steps(struct syt_behaviours *b, uint64_t r,
                                                    uint32_t *nr);

/* Returns the steps without their events, valid until the next call. */
const uint32_t *syt_behaviours_symbols(struct syt_behaviours *b, uint64_t r, uint32_t *nr);

#endif
