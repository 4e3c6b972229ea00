/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints many events, in the order in which they are added. Several workers print a batch of events (base/ordered.h), while the
 * caller adds the events of the next one. */
#ifndef SYT_DECODER_REPORT_EVENTS_BATCH_H
#define SYT_DECODER_REPORT_EVENTS_BATCH_H

#include "decoder/command/command.h"

struct syt_event_batch;

struct syt_event_batch *syt_event_batch_create(struct syt_command *c, bool has_stacks);

/* Adds the event ROW of thread T. Begins to print the batch if it is full. Returns false if the reader has closed the output. */
bool syt_event_batch_add(struct syt_event_batch *b, const struct syt_thread *t, uint64_t row);

/* Prints the added events, and frees the batch. */
void syt_event_batch_finish(struct syt_event_batch *b);

#endif
