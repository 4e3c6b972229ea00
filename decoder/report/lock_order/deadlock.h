/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds deadlocks at the end of a trace: cycles of the wait-for graph. */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_DEADLOCK_H
#define SYT_DECODER_REPORT_LOCK_ORDER_DEADLOCK_H

#include "decoder/report/lock_order/lock_order.h"

/* Returns the object (trace-wide index) from which THREAD was receiving at the end of the trace, or SYT_NONE. */
uint32_t syt_deadlock_receives(const struct syt_order *o, uint32_t thread);

/* The objects (trace-wide indices) of a call that has not returned; SYT_NONE: none. */
struct syt_deadlock_call {
	uint32_t object, mutex; /* object; mutex that a condition wait released */
};
struct syt_deadlock_call syt_deadlock_call_of(const struct syt_order *o, uint32_t thread);

/* Finds the deadlocks and stores them in L. The locks held at the end (l->kept) must be known. */
void syt_lock_order_find_deadlocks(struct syt_lock_order *l);

#endif
