/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the coverage: the events that a trace has lost, and the waits and bytes whose cause the
 * decoder could not find. */
#ifndef SYT_DECODER_COVERAGE_PRINT_H
#define SYT_DECODER_COVERAGE_PRINT_H

#include "base/out.h"
#include "decoder/order/order.h"

/* Prints the coverage as two lines, "Coverage: 12 events, ...", and one line for each kind of blind spot. */
void syt_coverage_line(struct syt_out *out, const struct syt_order *o);

/* Prints the coverage as a JSON line of type "coverage". */
void syt_coverage_json(struct syt_out *out, const struct syt_order *o);

/* Every report calls both functions, at its begin and at its end. As JSON, the coverage is the first line. As text,
 * it comes last, or first if the trace has gaps: then it limits each statement of the report. */
void syt_coverage_begin(struct syt_out *out, const struct syt_order *o, bool is_json);
void syt_coverage_end(struct syt_out *out, const struct syt_order *o, bool is_json);

/* Returns true if no event of the trace was lost or overwritten, no dump is damaged, and recording never paused. */
bool syt_coverage_is_gapless(const struct syt_trace_data *t);

/* Returns PART as a percentage of ALL, rounded so that 100.00 means that PART equals ALL. */
double syt_percent(uint64_t part, uint64_t all);

#endif
