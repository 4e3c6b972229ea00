/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Deadlocks at the end of a trace: cycles of the wait-for graph. */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_DEADLOCK_H
#define SYT_DECODER_REPORT_LOCK_ORDER_DEADLOCK_H

#include "decoder/report/lock_order/lock_order.h"

/* Returns the trace-wide object that THREAD was receiving from at the end of the trace; SYT_NONE: unknown, or none. */
uint32_t syt_deadlock_receives(const struct syt_order *o, uint32_t thread);

/* The trace-wide objects of a call that has not returned; SYT_NONE: none. */
struct syt_deadlock_call {
	uint32_t object, mutex; /* the call released MUTEX if it waits for a condition */
};
struct syt_deadlock_call syt_deadlock_call_of(const struct syt_order *o, uint32_t thread);

/* Fills the deadlocks of L. The kept locks of L must be filled. */
void syt_lock_order_find_deadlocks(struct syt_lock_order *l);

#endif
