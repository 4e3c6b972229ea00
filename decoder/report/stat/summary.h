/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Counts per image, call and thread, for stat. */
#ifndef SYT_DECODER_REPORT_STAT_SUMMARY_H
#define SYT_DECODER_REPORT_STAT_SUMMARY_H

#include "decoder/read/trace.h"

struct syt_image_summary {
	struct syt_tally *calls;   /* by call */
	struct syt_tally *threads; /* by T */
	struct syt_leaves leaves;
};

/* Owned by the caller. */
void syt_summary_make(struct syt_image_summary *s, const struct syt_image *i);
void syt_summary_fini(struct syt_image_summary *s);

#endif
