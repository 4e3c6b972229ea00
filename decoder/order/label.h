/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Labels of leaf tasks: the call stack at the begin and the call stack at the end.
 *
 * A label is canonical: functions (module+offset if there is no symbol), outermost first, then the
 * intercepted call. It contains no addresses, ids or times, so the same code has the same label in
 * every run, thread and process. Equal labels have equal numbers. One thread at a time.
 */
#ifndef SYT_DECODER_LABEL_H
#define SYT_DECODER_LABEL_H

#include "base/out.h"
#include "decoder/history/place.h"
#include "decoder/order/distinguish.h"
#include "decoder/read/symbol.h"

struct syt_labels;

/* Creates the labels. PLACES and SYMBOLS must outlive them. DEPTH: number of frames, from the
 * innermost, that distinguish stacks; 0: all frames. */
struct syt_labels *syt_labels_create(const struct syt_places *places, struct syt_symbols *symbols,
                                     uint32_t depth);
void syt_labels_destroy(struct syt_labels *l);

/* An event's part of a label. */
struct syt_label_key {
	uint32_t call, stack;
};

/* Returns the label of the stretch between two events with these keys, in the image with index
 * IMAGE. */
uint32_t syt_label_between(struct syt_labels *l, uint32_t image, struct syt_label_key begin,
                           struct syt_label_key end);

/* Returns the label of the stretch between the events BEGIN and END. END with thread SYT_NONE: the
 * virtual task of a barrier's round, which has the stack of its wait BEGIN. */
uint32_t syt_label_of(struct syt_labels *l, struct syt_place begin, struct syt_place end);

/* Returns the number of labels. They are numbered from 0 in order of their first use. */
uint32_t syt_labels_nr(const struct syt_labels *l);

/* Writes "main;serve;read -> main;serve;write". The text comes from dumps and is untrusted. */
void syt_label_text(const struct syt_labels *l, uint32_t label, struct syt_out *out,
                    void (*put)(struct syt_out *out, const char *text));
/* Return one side, "main;serve;read"; NULL as the end of a barrier's round. */
const char *syt_label_begin(const struct syt_labels *l, uint32_t label);
const char *syt_label_end(const struct syt_labels *l, uint32_t label);

/* Returns the number of one side, the call stack of the event AT. Sides are numbered from 0. */
uint32_t syt_label_side(struct syt_labels *l, struct syt_place at);
/* Returns the number of the side with this KEY in the image with index IMAGE. */
uint32_t syt_label_side_of(struct syt_labels *l, uint32_t image, struct syt_label_key key);
/* One of the stacks with the side's text: the index of its image, and its id there. */
struct syt_label_example {
	uint32_t image, stack;
};
struct syt_label_example syt_label_side_example(const struct syt_labels *l, uint32_t side);

/* "main;serve;read" */
const char *syt_label_side_text(const struct syt_labels *l, uint32_t side);

/* Returns the last COMPONENTS parts of SIDE, with its distinguishing frame
 * (decoder/order/distinguish.h). Valid until the next call. */
const char *syt_label_distinguish(struct syt_labels *l, uint32_t side, unsigned components);

#endif
