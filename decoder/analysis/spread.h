/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The distribution of times: number, total, percentiles and maximum. All values are exact. */
#ifndef SYT_DECODER_ANALYSIS_SPREAD_H
#define SYT_DECODER_ANALYSIS_SPREAD_H

#include "decoder/read/trace.h"

struct syt_spread {
	uint64_t nr;
	syt_time total, p50, p99, max; /* percentiles are values of the list (nearest rank) */
};

/* Returns the distribution of NR times in ascending order. The first is at FIRST; they are STRIDE bytes apart. */
struct syt_spread syt_spread_of(const syt_time *first, uint64_t nr, size_t stride);

static inline uint64_t syt_spread_mean_ns(const struct syt_spread *s)
{
	return s->nr ? SYT_TIME_NS(s->total) / s->nr : 0;
}

#endif
