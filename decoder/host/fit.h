/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The lines of one pair of hosts in a range of time, while place.h places the hosts. */
#ifndef SYT_DECODER_HOST_FIT_H
#define SYT_DECODER_HOST_FIT_H

#include "decoder/host/line.h"
#include "decoder/host/placement.h"
#include "decoder/host/thinning.h"

#define SYT_HOST_DROPPED_MAX                                                                       \
	16u /* connections that are dropped before the pair counts as contradicting */

struct syt_host_fit {
	struct syt_host_point *points[2];
	struct syt_host_side sides[2]; /* upper and lower points */
	/* limits of D at the begin and the end of the range, where an interval of thinning.h reaches beyond it; D is infinite
	 * if none does */
	struct syt_host_point edges[2][2];
	struct syt_host_gap gap;
	struct syt_host_squares squares;
	struct syt_host_line line; /* by the chosen method */
	uint64_t nr_messages[2];
	bool is_joined; /* there are points on both sides */
};

struct syt_host_pair_work {
	uint32_t dropped[SYT_HOST_DROPPED_MAX];
	uint32_t nr_dropped;
	struct syt_host_fit whole;
	int64_t base[2]; /* origin of WHOLE by both clocks */
};

struct syt_host_placing {
	const struct syt_host_pair *pairs;
	uint64_t nr_pairs;
	const struct syt_host_options *options;
	unsigned nr_workers, nr_halved;
	struct syt_placement *p;
	struct syt_host_pair_work *work; /* per pair */
	/* per host: origin by its clock, and value of the host at time x of the reference: offset + slope x */
	int64_t *base;
	struct syt_host_line *coarse;
	uint32_t *local; /* number of the host in its component */
};

/* Returns the wander of the pair as a rate. */
double syt_host_wander(const struct syt_host_placing *g, const struct syt_host_pair *pair);
bool syt_host_is_dropped(const struct syt_host_pair_work *w, uint32_t connection);

/* Fits the points of the pair with BEGIN <= x <= END, relative to BASE. The caller frees the result. */
struct syt_host_fit syt_host_fit_pair(const struct syt_host_placing *g, size_t pair,
                                      const int64_t base[2], double begin, double end);
void syt_host_fit_free(struct syt_host_fit *f);
/* Job: fits all of a pair (CONTEXT: struct syt_host_placing). */
void syt_host_fit_whole(void *context, size_t pair, unsigned worker);
/* Returns the weight of the pair in the host graph. Too few exchanges have no E_r; they count with their margin. */
double syt_host_fit_weight(const struct syt_host_fit *f);

#endif
