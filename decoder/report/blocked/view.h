/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The output of the report blocked.  view->report is a struct syt_blocked. */
#ifndef SYT_DECODER_REPORT_BLOCKED_VIEW_H
#define SYT_DECODER_REPORT_BLOCKED_VIEW_H

#include "decoder/analysis/blocked.h"
#include "decoder/show/finding.h"
#include "decoder/show/listing.h"

/* Prints the pending calls, as a table or as JSON lines, and in JSON the groups of calls that block each other. */
void syt_blocked_list(const struct syt_view *v);

/* Write one line of sums, and the groups in sentences. */
void syt_blocked_headline(struct syt_out *out, const struct syt_view *v);
void syt_blocked_findings(struct syt_out *out, const struct syt_view *v);

/* Returns the call path of C (decoder/order/label.h). */
uint32_t syt_blocked_side(const struct syt_view *v, const struct syt_blocked_call *c);

/* The report's part of diagnose and of the HTML page. */
void syt_blocked_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);

#endif
