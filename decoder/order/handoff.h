/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Hand-offs through queues: from the thread that put an item in to the thread that took the item.
 * doc/happens-before.md states the evidence and the limits. The edges are never certain: they have class inferred,
 * and appear only on request.
 */
#ifndef SYT_DECODER_HANDOFF_H
#define SYT_DECODER_HANDOFF_H

#include "decoder/order/order.h"
#include "decoder/read/symbol.h"

/* Adds edges of kind handoff, and their queues, to O. The `bytes` of such an edge are SYT_HANDOFF_EVIDENCE(). */
void syt_handoffs_infer(struct syt_order *o, struct syt_symbols *symbols);

#define SYT_HANDOFF_EVIDENCE(queue_, among_) ((uint64_t)(queue_) << 32 | (among_))
#define SYT_HANDOFF_QUEUE(bytes_) ((uint32_t)((bytes_) >> 32)) /* index in the queues */
/* The number of items in the queue when the item was put in, or taken: the larger number. If this number is 1, the
 * edge is right in whatever order the queue returns items. */
#define SYT_HANDOFF_AMONG(bytes_) ((uint32_t)(bytes_))

/* Returns the confidence of an edge of Q in thousandths. AMONG: SYT_HANDOFF_AMONG(). */
unsigned syt_handoff_confidence(const struct syt_queue *q, uint32_t among);

#endif
