/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The cause of a request's length, from the path to its end (decoder/analysis/critical_path.h). */
#ifndef SYT_DECODER_ANALYSIS_REQUEST_CAUSE_H
#define SYT_DECODER_ANALYSIS_REQUEST_CAUSE_H

#include "decoder/analysis/path_sum.h"

struct syt_request_cause {
	const struct syt_path_function
		*function;                /* with most of the time; NULL: the path has no length */
	const struct syt_path_part *part; /* its longest part; NULL: hand-offs, or unknown */
	const struct syt_path_segment
		*lock;      /* hand-off at the end of the longest wait for a lock, or NULL */
	syt_time lock_wait; /* the length of this wait */
};

/* P, S and the result live as long as each other. */
struct syt_request_cause syt_request_cause_of(const struct syt_path *p,
                                              const struct syt_path_sum *s);

#endif
