/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Hand-offs through queues: who put in what another took out.  Inferred, never known:
 * doc/happens-before.md tells from what, and when it is wrong.  So these edges are of class
 * inferred, and nobody gets them who has not asked.
 */
#ifndef SYT_DECODER_HANDOFF_H
#define SYT_DECODER_HANDOFF_H

#include "decoder/order/order.h"
#include "decoder/read/symbol.h"

/* Adds edges of kind handoff to O's, and their queues. `bytes` of such an edge is its evidence:
 * SYT_HANDOFF_*. */
void syt_handoffs_infer(struct syt_order *o, struct syt_symbols *symbols);

/* Of an edge from Q, of one AMONG so many: in thousandths. */
unsigned syt_handoff_confidence(const struct syt_queue *q, uint32_t among);

#endif
