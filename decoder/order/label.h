/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Labels of leaf tasks: the call stack where one begins and the call stack where it ends.
 *
 * Canonical: functions, or module+offset where there is no symbol, outermost first, then the
 * intercepted call; no addresses, ids or times, so that the same code gives the same label in every
 * run, thread and process.  Equal labels have equal numbers.  One thread at a time.
 */
#ifndef SYT_DECODER_LABEL_H
#define SYT_DECODER_LABEL_H

#include "base/out.h"
#include "decoder/history/place.h"
#include "decoder/order/distinguish.h"
#include "decoder/read/symbol.h"

struct syt_labels;

/* PLACES and SYMBOLS must outlive it. DEPTH: how many frames, from the innermost one on, tell one
 * stack from another; 0: all of them. */
struct syt_labels *syt_labels_create(const struct syt_places *places, struct syt_symbols *symbols,
                                     uint32_t depth);
void syt_labels_destroy(struct syt_labels *l);

/* What an event's side of a label is made of. */
struct syt_label_key {
	uint32_t call, stack;
};

/* The number of the label of what stands between two such events of the image with index IMAGE. */
uint32_t syt_label_between(struct syt_labels *l, uint32_t image, struct syt_label_key begin,
                           struct syt_label_key end);

/* The number of the label of what stands between the events BEGIN and END. A thread that is
 * SYT_NONE as END names the virtual task of a barrier's round, whose waits look like BEGIN. */
uint32_t syt_label_of(struct syt_labels *l, struct syt_place begin, struct syt_place end);

/* How many labels there are; they are numbered from 0 in order of their first use. */
uint32_t syt_labels_nr(const struct syt_labels *l);

/* "main;serve;read -> main;serve;write". Trusted for nothing: it holds text from dumps. */
void syt_label_text(const struct syt_labels *l, uint32_t label, struct syt_out *out,
                    void (*put)(struct syt_out *out, const char *text));
/* One side, "main;serve;read"; NULL as the end of a barrier's round. */
const char *syt_label_begin(const struct syt_labels *l, uint32_t label);
const char *syt_label_end(const struct syt_labels *l, uint32_t label);

/* The number of one side alone, the call stack of the event AT; sides are numbered from 0, too. */
uint32_t syt_label_side(struct syt_labels *l, struct syt_place at);
/* The same of what is no event, in the image with index IMAGE. */
uint32_t syt_label_side_of(struct syt_labels *l, uint32_t image, struct syt_label_key key);
/* One of the stacks whose text is the side's: the index of its image, and its number there. */
struct syt_label_example {
	uint32_t image, stack;
};
struct syt_label_example syt_label_side_example(const struct syt_labels *l, uint32_t side);

/* "main;serve;read" */
const char *syt_label_side_text(const struct syt_labels *l, uint32_t side);

/* The same of SIDE, with what tells it from others that end so (decoder/order/distinguish.h).  Valid until the
 * next call. */
const char *syt_label_distinguish(struct syt_labels *l, uint32_t side, unsigned components);

#endif
