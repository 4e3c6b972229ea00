/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints one event as a line of text or of JSON. */
#ifndef SYT_DECODER_REPORT_EVENTS_PRINT_H
#define SYT_DECODER_REPORT_EVENTS_PRINT_H

#include "decoder/report/events/stack_text.h"

/* Print the event in ROW of T. STACKS NULL: without the call stack. */
void syt_event_text(struct syt_out *o, struct syt_stack_texts *stacks, const struct syt_thread *t,
                    uint64_t row);
void syt_event_json(struct syt_out *o, struct syt_stack_texts *stacks, const struct syt_thread *t,
                    uint64_t row);

#endif
