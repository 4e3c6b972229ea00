/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Call stacks for a long output, in which the same ones come again and again: each is made into text
 * once, while there is room for it.  One thread at a time.
 */
#ifndef SYT_DECODER_REPORT_EVENTS_STACK_TEXT_H
#define SYT_DECODER_REPORT_EVENTS_STACK_TEXT_H

#include "base/out.h"
#include "decoder/read/symbol.h"

struct syt_stack_texts;

/* TRACE and SYMBOLS must outlive it. */
struct syt_stack_texts *syt_stack_texts_create(const struct syt_trace_data *trace,
                                               struct syt_symbols *symbols);
void syt_stack_texts_destroy(struct syt_stack_texts *t); /* may be NULL */

/* Writes STACK of IMAGE as a JSON array, or (IS_JSON false) as an indented line per function. One of
 * the two for all the life of T. */
void syt_stack_texts_put(struct syt_stack_texts *t, struct syt_out *o,
                         const struct syt_image *image, uint32_t stack, bool is_json);

#endif
