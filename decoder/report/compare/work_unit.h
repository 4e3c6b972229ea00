/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds the units of work of a run, by which counts are divided.
 *
 * The preferred units are exchanges (request and answer, decoder/analysis/exchange.h) on connections from outside
 * of the trace, or from processes that accept no connections. Requests between servers are not units, because they
 * are part of the work.
 *
 * A visit of a function begins with an event of a thread inside the function, if the thread's event before was
 * outside. A visit also begins if the call stack that began the last visit occurs again.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_WORK_UNIT_H
#define SYT_DECODER_REPORT_COMPARE_WORK_UNIT_H

#include "decoder/order/order.h"
#include "decoder/analysis/call_path.h"

enum syt_work_unit_rule { SYT_WORK_UNIT_RUN, SYT_WORK_UNIT_EXCHANGE, SYT_WORK_UNIT_VISIT };

uint64_t syt_work_unit_exchanges(const struct syt_order *o);
uint64_t syt_work_unit_visits(const struct syt_order *o, struct syt_call_paths *paths,
                              const char *function);

/* The names of the rules for units of work, indexed by enum syt_work_unit_rule. */
extern const char *const syt_work_unit_texts[];

#endif
