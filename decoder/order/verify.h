/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Checks whether the edges can all be true: forward in time and, with the order of each thread,
 * without a cycle. An event is two points, its begin and its end, because a call may release at its
 * begin and acquire at its end (a cond wait, a barrier).
 */
#ifndef SYT_DECODER_VERIFY_H
#define SYT_DECODER_VERIFY_H

#include "decoder/history/edge.h"

struct syt_verdict {
	uint64_t nr_points, nr_edges; /* number checked */
	/* edges that run backwards in time, or were refused for this */
	uint64_t nr_backward;
	uint64_t nr_in_cycles;   /* points on a cycle or after one */
	struct syt_edge example; /* one of these edges, if there are any */
	bool has_example;
};

/* Returns true if both numbers are 0. */
bool syt_verify(const struct syt_edges *e, struct syt_verdict *v);

#endif
