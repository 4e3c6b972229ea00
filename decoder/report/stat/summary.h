/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Counts the events of a process image by call and by thread, for the report stat. */
#ifndef SYT_DECODER_REPORT_STAT_SUMMARY_H
#define SYT_DECODER_REPORT_STAT_SUMMARY_H

#include "decoder/read/trace.h"

struct syt_image_summary {
	struct syt_tally *calls;   /* [call]: number and times of its events */
	struct syt_tally *threads; /* [thread]: number and times of its events */
	struct syt_leaves leaves;
};

/* Fills S with the sums of the process image I. The caller frees S by syt_summary_fini(). */
void syt_summary_make(struct syt_image_summary *s, const struct syt_image *i);
void syt_summary_fini(struct syt_image_summary *s);

#endif
