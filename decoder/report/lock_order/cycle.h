/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Cycles of lock-order arcs, and which of them can be deadlocks. */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_CYCLE_H
#define SYT_DECODER_REPORT_LOCK_ORDER_CYCLE_H

#include "decoder/report/lock_order/lock_order.h"

/* Fills the cycles of L. The arcs of L must be filled. */
void syt_lock_order_find_cycles(struct syt_lock_order *l);

#endif
