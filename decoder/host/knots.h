/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The clocks of the hosts of one component as values at common knots. The value of host H at knot K is
 * values[H * nr_knots + K] (ns, relative to an origin of each host). Host 0 is the reference; its values are 0. */
#ifndef SYT_DECODER_HOST_KNOTS_H
#define SYT_DECODER_HOST_KNOTS_H

#include <stddef.h>
#include <stdint.h>

struct syt_knots {
	uint32_t nr_hosts, nr_knots;
	double *values;
};

/* A measurement: the value of host TO minus the value of host FROM at KNOT. */
struct syt_knot_row {
	uint32_t from, to, knot;
	double difference, weight; /* weight > 0 */
};

/* A limit: D is the value of host TO minus the value of host FROM. BEGIN times D at the begin of SEGMENT plus END times D at its
 * end is at most MOST. */
struct syt_knot_limit {
	uint32_t from, to, segment, pair;
	uint32_t connection; /* whose message is the limit */
	double begin, end, most;
};

/* Replaces the values by the weighted least squares of the rows, which must be sorted by knot (conjugate gradients). Begins at
 * the present values. A value that no rows connect with the reference keeps its mean over the connected hosts. */
void syt_knots_fit(struct syt_knots *k, const struct syt_knot_row *rows, size_t nr);

/* Moves the values until they meet all limits (Agmon and Motzkin: project on the violated limits in a fixed order). Returns
 * the limit that is violated most, or NULL if all limits hold. */
const struct syt_knot_limit *syt_knots_project(struct syt_knots *k,
                                               const struct syt_knot_limit *limits, size_t nr);
/* Returns the limit that the present values violate most, or NULL. */
const struct syt_knot_limit *syt_knots_worst(const struct syt_knots *k,
                                             const struct syt_knot_limit *limits, size_t nr);

#endif
