/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints one event as a line of text or of JSON. */
#ifndef SYT_DECODER_REPORT_EVENTS_PRINT_H
#define SYT_DECODER_REPORT_EVENTS_PRINT_H

#include <pthread.h>

#include "base/out.h"
#include "decoder/read/symbol.h"

/* A cache of the texts of call stacks, because a long output contains the same call stacks again and again. */
struct syt_stack_texts;

/* Creates a cache. TRACE and SYMBOLS must outlive the cache. SYMBOLS_LOCK protects SYMBOLS,
 * which the caches of several threads use. */
struct syt_stack_texts *syt_stack_texts_create(const struct syt_trace_data *trace,
                                               struct syt_symbols *symbols,
                                               pthread_mutex_t *symbols_lock);
void syt_stack_texts_destroy(struct syt_stack_texts *t); /* T may be NULL */

/* Print the event with row number ROW of thread T. If STACKS is NULL, the call stack is omitted. */
void syt_event_text(struct syt_out *o, struct syt_stack_texts *stacks, const struct syt_thread *t,
                    uint64_t row);
void syt_event_json(struct syt_out *o, struct syt_stack_texts *stacks, const struct syt_thread *t,
                    uint64_t row);

#endif
