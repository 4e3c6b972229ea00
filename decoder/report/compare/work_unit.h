/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Units of work: the divisors of counts.
 *
 * Exchanges (decoder/analysis/exchange.h) on connections that come from outside of the trace, or from
 * processes that accept none themselves, are preferred: what servers ask each other is part of the
 * work.  A visit of a function begins with an event in it of a thread whose event before was not, or
 * with the very place again with which the last visit began.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_WORK_UNIT_H
#define SYT_DECODER_REPORT_COMPARE_WORK_UNIT_H

#include "decoder/order/order.h"
#include "decoder/analysis/call_path.h"

enum syt_work_unit_rule { SYT_WORK_UNIT_RUN, SYT_WORK_UNIT_EXCHANGE, SYT_WORK_UNIT_VISIT };

uint64_t syt_work_unit_exchanges(const struct syt_order *o);
uint64_t syt_work_unit_visits(const struct syt_order *o, struct syt_call_paths *paths,
                              const char *function);

/* "run", "exchange", "visit". */
const char *syt_work_unit_text(enum syt_work_unit_rule rule);

#endif
