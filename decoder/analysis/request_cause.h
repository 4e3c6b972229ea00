/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What made a request take as long as it did, in one line: of the path to its end (decoder/analysis/critical_path.h). */
#ifndef SYT_DECODER_ANALYSIS_REQUEST_CAUSE_H
#define SYT_DECODER_ANALYSIS_REQUEST_CAUSE_H

#include "decoder/analysis/path_sum.h"

struct syt_request_cause {
	const struct syt_path_function
		*function; /* that has most of it; NULL: the path has no length */
	const struct syt_path_part
		*part; /* most of that; NULL: what is handed over, or not known */
	const struct syt_path_segment
		*lock;      /* hand-over at the end of its longest wait for a lock, or NULL */
	syt_time lock_wait; /* and how long that was */
};

/* P, S and the result live as long as each other. */
struct syt_request_cause syt_request_cause_of(const struct syt_path *p,
                                              const struct syt_path_sum *s);

#endif
