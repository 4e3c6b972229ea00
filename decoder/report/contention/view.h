/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The output of the report contention.  view->report is a struct syt_contention. */
#ifndef SYT_DECODER_REPORT_CONTENTION_VIEW_H
#define SYT_DECODER_REPORT_CONTENTION_VIEW_H

#include "decoder/report/contention/contention.h"
#include "decoder/show/finding.h"
#include "decoder/show/listing.h"

#define SYT_CONTENTION_LEAST 10u /* default limit for findings: thousandths of the threads' time */

/* Prints the whole report, as text or as JSON lines. */
void syt_contention_list(const struct syt_view *v);

/* Parts of the text: one line of sums, and the findings in sentences.  Both write to OUT. */
void syt_contention_headline(struct syt_out *out, const struct syt_view *v);
void syt_contention_findings(struct syt_out *out, const struct syt_view *v);
void syt_contention_put_lock(struct syt_out *out, const struct syt_view *v,
                             const struct syt_contention_lock *l);

/* The report's part of diagnose and of the HTML page. */
void syt_contention_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);

#endif
