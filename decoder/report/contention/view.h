/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Contention (decoder/report/contention/contention.h) for people and as JSON lines. */
#ifndef SYT_DECODER_REPORT_CONTENTION_VIEW_H
#define SYT_DECODER_REPORT_CONTENTION_VIEW_H

#include "decoder/base/out.h"
#include "decoder/read/symbol.h"
#include "decoder/report/contention/contention.h"

struct syt_contention_view {
	const char *object;         /* only these, with * and ?; NULL: all */
	uint64_t limit;             /* of locks, and of each table's rows; 0: no limit */
	unsigned least_thousandths; /* share of the threads' time from which on a lock stands out */
	bool has_stacks;
	struct syt_symbols *symbols;
};

void syt_contention_text(struct syt_out *out, const struct syt_contention *c,
                         const struct syt_contention_view *v);
void syt_contention_json(struct syt_out *out, const struct syt_contention *c,
                         const struct syt_contention_view *v);

/* Whether V shows the object (trace-wide). */
/* Of the text: how much was looked at, in a line; and what stands out, in sentences. */
void syt_contention_headline(struct syt_out *out, const struct syt_contention *c);
void syt_contention_findings(struct syt_out *out, const struct syt_contention *c,
                             const struct syt_contention_view *v);

bool syt_contention_shows(const struct syt_contention *c, const struct syt_contention_view *v,
                          uint32_t object);

#endif
