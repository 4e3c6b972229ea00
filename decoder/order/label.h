/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Labels of leaf tasks (decoder/order/task.h): the call path at the begin and the call path at the end. Each of the
 * two call paths is a side of the label.
 *
 * A side names the functions (module+offset without a symbol), the outermost first, and then the intercepted call.
 * It contains no addresses, ids or times: the same code has the same side in every run, thread and process. Equal
 * texts have equal numbers. One thread at a time.
 */
#ifndef SYT_DECODER_LABEL_H
#define SYT_DECODER_LABEL_H

#include "base/out.h"
#include "decoder/history/place.h"
#include "decoder/order/distinguish.h"
#include "decoder/read/symbol.h"

struct syt_labels;

/* PLACES and SYMBOLS must outlive the result. DEPTH: number of innermost frames that distinguish stacks; 0: all. */
struct syt_labels *syt_labels_create(const struct syt_places *places, struct syt_symbols *symbols,
                                     uint32_t depth);
void syt_labels_destroy(struct syt_labels *l);

/* The call and the call stack of an event, which determine a side of a label. */
struct syt_label_key {
	uint32_t call, stack;
};

/* Returns the label for the time between two events with the keys BEGIN and END, in the image with index IMAGE. */
uint32_t syt_label_between(struct syt_labels *l, uint32_t image, struct syt_label_key begin,
                           struct syt_label_key end);

/* Returns the label for the time between the events BEGIN and END. If END has the thread SYT_NONE, the label is the
 * one of a barrier's round, with the call path of the wait BEGIN. */
uint32_t syt_label_of(struct syt_labels *l, struct syt_place begin, struct syt_place end);

/* Returns the number of labels. Labels are numbered from 0 in the order of their first use. */
uint32_t syt_labels_nr(const struct syt_labels *l);

/* Writes "main;serve;read -> main;serve;write". The text comes from dumps and is untrusted. */
void syt_label_text(const struct syt_labels *l, uint32_t label, struct syt_out *out,
                    void (*put)(struct syt_out *out, const char *text));
/* Return the text of a side, "main;serve;read". The end of the label of a barrier's round is NULL. */
const char *syt_label_begin(const struct syt_labels *l, uint32_t label);
const char *syt_label_end(const struct syt_labels *l, uint32_t label);

/* Returns the number of the side with the call path of the event AT. Sides are numbered from 0. */
uint32_t syt_label_side(struct syt_labels *l, struct syt_place at);
/* Returns the number of the side with this KEY in the image with index IMAGE. */
uint32_t syt_label_side_of(struct syt_labels *l, uint32_t image, struct syt_label_key key);
/* One of the call stacks with the text of a side: the index of an image, and the stack's index in it. */
struct syt_label_example {
	uint32_t image, stack;
};
struct syt_label_example syt_label_side_example(const struct syt_labels *l, uint32_t side);

const char *syt_label_side_text(const struct syt_labels *l, uint32_t side);

/* Calls syt_distinguish() (decoder/order/distinguish.h) for SIDE. The result is valid until the next call. */
const char *syt_label_distinguish(struct syt_labels *l, uint32_t side, unsigned components);

#endif
