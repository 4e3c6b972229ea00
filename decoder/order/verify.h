/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Checks whether the happens-before edges can all be true. The edges must run forward in time and, together
 * with the order of events in each thread, form no cycle. An event consists of two points, its begin and its
 * end, because a call may release at its begin and acquire at its end (a wait for a condition variable or at a
 * barrier). */
#ifndef SYT_DECODER_VERIFY_H
#define SYT_DECODER_VERIFY_H

#include "decoder/history/edge.h"

struct syt_verdict {
	uint64_t nr_points, nr_edges; /* numbers of checked points and edges */
	uint64_t nr_backward;         /* number of edges backwards in time, also refused edges */
	uint64_t nr_in_cycles;        /* number of points on a cycle or after a cycle */
	struct syt_edge example;      /* a backward edge, or an edge between points in cycles */
	bool has_example;
};

/* Returns true if no happens-before edge runs backwards in time and no point is on or after a cycle. */
bool syt_verify(const struct syt_edges *e, struct syt_verdict *v);

#endif
