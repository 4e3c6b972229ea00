/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What every report says first: how much of the trace it could explain. */
#ifndef SYT_DECODER_COVERAGE_PRINT_H
#define SYT_DECODER_COVERAGE_PRINT_H

#include "base/out.h"
#include "decoder/order/order.h"

/* "Coverage: 12 events, 0 lost or overwritten, ..." and a newline. */
void syt_coverage_line(struct syt_out *out, const struct syt_order *o);

/* The line of type "coverage". */
void syt_coverage_json(struct syt_out *out, const struct syt_order *o);

/* Rounded down to what is printed: 100 means all. */
double syt_percent(uint64_t part, uint64_t all);

#endif
