/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Deadlocks that a trace ends with: who waits for whom. */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_DEADLOCK_H
#define SYT_DECODER_REPORT_LOCK_ORDER_DEADLOCK_H

#include "decoder/report/lock_order/lock_order.h"

/* What THREAD was about to receive from when the trace ended, trace-wide; SYT_NONE: nothing, or that is
 * not known. */
uint32_t syt_deadlock_receives(const struct syt_order *o, uint32_t thread);

/* Fills the dooms of L, whose kept locks are there. */
void syt_lock_order_find_deadlocks(struct syt_lock_order *l);

#endif
