/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The results of checks as text and as JSON. */
#ifndef SYT_DECODER_REPORT_CHECK_VIEW_H
#define SYT_DECODER_REPORT_CHECK_VIEW_H

#include "decoder/check/check.h"
#include "base/out.h"
#include "decoder/read/symbol.h"

/* One check that was run. */
struct syt_checked {
	const struct syt_invariant *invariant;
	struct syt_check result;
};

/* A table of ALL that were run, then what could not be proven, sums, and the violations kept. */
void syt_check_text(struct syt_out *out, struct syt_symbols *symbols, const struct syt_order *o,
                    const struct syt_checked *all, unsigned nr);
/* A line for each check and for each violation kept, and a last one that sums up. */
void syt_check_json(struct syt_out *out, const struct syt_order *o, const struct syt_checked *all,
                    unsigned nr);

#endif
