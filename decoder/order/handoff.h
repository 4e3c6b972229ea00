/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Hand-offs of items through queues, from the thread that put an item in to the thread that took the item.
 * doc/happens-before.md states the evidence and the limits. Edges of the kind handoff are never certain: they
 * have the class inferred, and appear only on request. */
#ifndef SYT_DECODER_HANDOFF_H
#define SYT_DECODER_HANDOFF_H

#include "decoder/order/order.h"
#include "decoder/read/symbol.h"

/* Infers the queues of the program, and adds them and edges of the kind handoff to O. The member `bytes` of such an
 * edge contains SYT_HANDOFF_EVIDENCE(). */
void syt_handoffs_infer(struct syt_order *o, struct syt_symbols *symbols);

#define SYT_HANDOFF_EVIDENCE(queue_, among_) ((uint64_t)(queue_) << 32 | (among_))
#define SYT_HANDOFF_QUEUE(bytes_) ((uint32_t)((bytes_) >> 32)) /* index in the array of queues */
/* The number of items in the queue at the time at which the item was put in, or at which the item was taken,
 * whichever is larger. If this number of items is 1, the happens-before edge is right in whatever order the queue
 * returns its items. */
#define SYT_HANDOFF_AMONG(bytes_) ((uint32_t)(bytes_))

/* Returns the confidence of a hand-off edge through queue Q, in thousandths. AMONG is SYT_HANDOFF_AMONG() of the
 * edge. */
unsigned syt_handoff_confidence(const struct syt_queue *q, uint32_t among);

#endif
