/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Where threads' time went (decoder/report/waits/waits.h) for people and as JSON lines. */
#ifndef SYT_DECODER_REPORT_WAITS_VIEW_H
#define SYT_DECODER_REPORT_WAITS_VIEW_H

#include "decoder/base/out.h"
#include "decoder/read/symbol.h"
#include "decoder/report/waits/waits.h"

struct syt_waits_view {
	uint64_t limit;             /* of each table's rows; 0: no limit */
	unsigned least_thousandths; /* of the threads' time, from which on a wait stands out */
	bool has_stacks;
	struct syt_symbols *symbols;
};

void syt_waits_text(struct syt_out *out, const struct syt_waits *w, const struct syt_waits_view *v);
void syt_waits_json(struct syt_out *out, const struct syt_waits *w, const struct syt_waits_view *v);

/* Of the text: where the time went, in a line; and what stands out, in sentences. */
void syt_waits_headline(struct syt_out *out, const struct syt_waits *w);
void syt_waits_findings(struct syt_out *out, const struct syt_waits *w,
                        const struct syt_waits_view *v);

#endif
