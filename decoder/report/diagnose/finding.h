/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What each report says first, in its own words, for those who show several reports at once: the verb diagnose, the page of HTML.
 */
#ifndef SYT_DECODER_REPORT_DIAGNOSE_FINDING_H
#define SYT_DECODER_REPORT_DIAGNOSE_FINDING_H

#include "decoder/base/json.h"
#include "decoder/read/symbol.h"
#include "decoder/report/contention/contention.h"
#include "decoder/report/lock_order/lock_order.h"
#include "decoder/analysis/critical_path.h"
#include "decoder/report/waits/waits.h"

enum syt_tone {
	SYT_TONE_BAD,  /* something stands out */
	SYT_TONE_NOTE, /* for information, or not everything could be looked at */
	SYT_TONE_GOOD, /* nothing stands out */
};

struct syt_finding {
	const char *verb; /* that says more */
	const char *title;
	enum syt_tone tone;
	char *headline; /* how much was looked at */
	char *text;     /* what stands out, a few lines; or that nothing does */
};

/* Of the path to the end of TO. HAS_COLORS is for terminals; SYMBOLS as for the verb. Each is to be freed. */
struct syt_finding syt_finding_of_path(const struct syt_path *p, struct syt_place to,
                                       struct syt_labels *labels, struct syt_symbols *symbols,
                                       bool has_colors);
struct syt_finding syt_finding_of_contention(const struct syt_contention *c,
                                             struct syt_symbols *symbols, bool has_colors);
struct syt_finding syt_finding_of_waits(const struct syt_waits *w, struct syt_symbols *symbols,
                                        bool has_colors);
/* HAS_STEPS: with the call stacks of who takes what. */
struct syt_finding syt_finding_of_lock_order(const struct syt_lock_order *l,
                                             struct syt_symbols *symbols, bool has_steps,
                                             bool has_colors);
void syt_finding_free(struct syt_finding *f);

/* Its members, into an open object. */
void syt_finding_json(struct syt_json *j, const struct syt_finding *f);

#endif
