/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Labels of leaf tasks. A leaf task is the work of a thread between two synchronization events
 * (decoder/order/task.h). The label of a leaf task consists of the call paths of these two events. Each of the two
 * call paths is called a side of the label.
 *
 * The text of a side names the functions, the outermost first, and then the intercepted call. A function without a
 * symbol is named module+offset. A side contains no addresses, ids or times, so the same code has the same side in
 * every run, thread and process. Two sides with equal texts have the same number. Only one thread at a time may use
 * a struct syt_labels.
 */
#ifndef SYT_DECODER_LABEL_H
#define SYT_DECODER_LABEL_H

#include <stdio.h>

#include "base/out.h"
#include "decoder/history/place.h"
#include "decoder/order/distinguish.h"
#include "decoder/read/symbol.h"

struct syt_labels;

/* Writes NAME, the name of a function, as one part of a call path: ';', which separates the parts, becomes ':'. Names
 * of Java methods contain ';'. */
void syt_label_put_name(FILE *f, const char *name);

/* Creates an empty set of labels. PLACES and SYMBOLS must outlive it. DEPTH is the number of innermost stack frames
 * that a call path contains (0: all frames). */
struct syt_labels *syt_labels_create(const struct syt_places *places, struct syt_symbols *symbols,
                                     uint32_t depth);
void syt_labels_destroy(struct syt_labels *l);
/* Lets each call path in a signal handler begin with the handler. Call before the first label. */
void syt_labels_begin_at_signals(struct syt_labels *l);

/* The call and the call stack of an event. Both together determine the text of the event's call path. */
struct syt_label_key {
	uint32_t call, stack;
};

/* Returns the label for the time between two events of the process image with index IMAGE. BEGIN and END give the
 * call and the call stack of the events. */
uint32_t syt_label_between(struct syt_labels *l, uint32_t image, struct syt_label_key begin,
                           struct syt_label_key end);

/* Returns the label for the time between the events BEGIN and END. If END has the thread SYT_NONE, returns the
 * label of a barrier round, which has the call path of the wait BEGIN. */
uint32_t syt_label_of(struct syt_labels *l, struct syt_place begin, struct syt_place end);

/* Returns how many different labels exist so far. Labels are numbered from 0 in the order of their first use. */
uint32_t syt_labels_nr(const struct syt_labels *l);

/* Writes the text of a label: "main;serve;read -> main;serve;write". The text comes from traced programs and is
 * untrusted. */
void syt_label_text(const struct syt_labels *l, uint32_t label, struct syt_out *out,
                    void (*put)(struct syt_out *out, const char *text));
/* Return the text of the call path at the begin or the end of a label, such as "main;serve;read". The label of a
 * barrier round has no end: syt_label_end() returns NULL. */
const char *syt_label_begin(const struct syt_labels *l, uint32_t label);
const char *syt_label_end(const struct syt_labels *l, uint32_t label);

/* The same without the functions of the language's library, such as std::mutex::lock and __gthread_mutex_lock. */
const char *syt_label_own_begin(const struct syt_labels *l, uint32_t label);
const char *syt_label_own_end(const struct syt_labels *l, uint32_t label);

/* Returns the number of the call path of the event AT. Call paths are numbered from 0. */
uint32_t syt_label_side(struct syt_labels *l, struct syt_place at);
/* Returns the number of the call path with this call and call stack (KEY), in the process image with index
 * IMAGE. */
uint32_t syt_label_side_of(struct syt_labels *l, uint32_t image, struct syt_label_key key);
/* An example of an event with the text of a call path: the index of a process image, and the indices of the call
 * stack and the call in the image. */
struct syt_label_example {
	uint32_t image, stack, call;
};
struct syt_label_example syt_label_side_example(const struct syt_labels *l, uint32_t side);

/* Receives a component of a call path. NAME is untrusted text. AT and SYMBOL are the place of a function; SYMBOL is
 * NULL if the function is unknown. Both are NULL for the call, and for "..." in place of missing frames. */
typedef void syt_label_frame(void *arg, const char *name, const struct syt_location *at,
                             const struct syt_symbol *symbol);
/* Calls PUT with each component of the call path SIDE, the outermost first. The places are from the example. */
void syt_label_side_frames(struct syt_labels *l, uint32_t side, syt_label_frame *put, void *arg);

const char *syt_label_side_text(const struct syt_labels *l, uint32_t side);

/* Calls syt_distinguish() (decoder/order/distinguish.h) for the call path SIDE, without functions of the language's
 * library. The returned text is valid until
 * the next call of this function. */
const char *syt_label_distinguish(struct syt_labels *l, uint32_t side, unsigned components);

#endif
