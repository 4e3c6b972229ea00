/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The graph of the bounds of all pairs of a component in a segment. The arc from host A to host B has the largest possible
 * lead of clock B over clock A on the joined axis, so a shortest path bounds the lead of its last host over its first one.
 *
 * A bound is valid at one time of the axis. On the way along a path, the times of the hosts differ by at most the length of the
 * path. So the arcs also cover a span of time before and after, and a path longer than this span proves nothing.
 */
#ifndef SYT_DECODER_HOST_BOUNDS_H
#define SYT_DECODER_HOST_BOUNDS_H

#include "decoder/host/placement.h"

struct syt_host_bounds {
	struct syt_host_graph graph;
	double span_ns; /* longer paths prove nothing */
};

/* The time for which bounds are wanted: a segment with some time before and after it. */
struct syt_host_when {
	uint32_t component, segment;
	double before_ns, after_ns;
};

/* Builds the graph of WHEN with the least span that all paths from and to the reference fit into. LOCAL: number of each host in
 * its component. If LATE and EARLY are not NULL, stores the lengths of the paths [local number] to and from the reference. */
struct syt_host_bounds syt_host_bounds_create(const struct syt_placement *p,
                                              const struct syt_host_when *when,
                                              const uint32_t *local, double *early, double *late);
void syt_host_bounds_free(struct syt_host_bounds *b);

#endif
