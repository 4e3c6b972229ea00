/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The parts of the report diagnose. */
#ifndef SYT_DECODER_REPORT_DIAGNOSE_VIEW_H
#define SYT_DECODER_REPORT_DIAGNOSE_VIEW_H

#include "decoder/analysis/cause.h"
#include "decoder/show/finding.h"

/* Fills F with the causes of V->causes in sentences, worst first. */
void syt_diagnose_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);

/* Prints the causes as JSON lines of type "cause". */
void syt_diagnose_list(const struct syt_view *v);

#endif
