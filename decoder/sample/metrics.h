/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Measures how much of the information of a trace a sample keeps (doc/sampling.md, "Metrics"). */
#ifndef SYT_DECODER_SAMPLE_METRICS_H
#define SYT_DECODER_SAMPLE_METRICS_H

#include "decoder/sample/input.h"

/* The kept events of a call path, and the leaf tasks after them. */
struct syt_sample_path {
	uint64_t nr, nr_tasks;
	double ms, ms2; /* sums of the durations and of their squares */
};

/* Adds the kept events to ALL, zeroed elements for each call path of IN. KEPT has an element for each event, not 0 if the event is
 * kept; NULL: all events are kept. */
void syt_sample_paths(const struct syt_sample_input *in, const uint8_t *kept,
                      struct syt_sample_path *all);

/* Returns the distance of the means and standard deviations of the leaf tasks, in ms, over NR call paths (Eq. 4). */
double syt_sample_similarity(const struct syt_sample_path *a, const struct syt_sample_path *b,
                             uint32_t nr);

/* Returns the information entropy of the events by NR call paths, with the natural logarithm (Eq. 5). */
double syt_sample_entropy(const struct syt_sample_path *all, uint32_t nr);

/* The numbers of things in a trace or in a sample of it. */
struct syt_sample_coverage {
	uint32_t paths;       /* call paths with a kept event */
	uint64_t turns;       /* whole turns */
	uint32_t turn_shapes; /* sets of call paths with a whole turn */
	uint32_t edge_kinds;  /* kinds of edges with two kept events */
	uint64_t edges;       /* edges that end at kept events */
	uint64_t edges_whole; /* those of them that begin at kept events */
};

/* Measures the sample KEPT of IN; NULL: the whole trace. */
void syt_sample_coverage(const struct syt_sample_input *in, const uint8_t *kept,
                         struct syt_sample_coverage *c);

#endif
