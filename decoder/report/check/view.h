/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the results of checks as text and as JSON. */
#ifndef SYT_DECODER_REPORT_CHECK_VIEW_H
#define SYT_DECODER_REPORT_CHECK_VIEW_H

#include "decoder/check/check.h"
#include "decoder/show/listing.h"

/* A check and its result. */
struct syt_checked {
	const struct syt_invariant *invariant;
	struct syt_check result;
};

/* Prints a table of the checks, the sums, the unproven cases and the stored violations. */
void syt_check_text(const struct syt_view *v, const struct syt_checked *all, unsigned nr);
/* Prints a JSON line for each check and for each stored violation, and the verdict. */
void syt_check_json(const struct syt_view *v, const struct syt_checked *all, unsigned nr);

#endif
