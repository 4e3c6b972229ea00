/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The mix of a workload: the shares of its groups of requests. Compares two mixes, tells how well a grouping predicts the
 * work (Magpie, fig. 5), and draws synthetic requests. The functions have no state, so any thread may call them. */
#ifndef SYT_DECODER_REQUEST_MIX_H
#define SYT_DECODER_REQUEST_MIX_H

#include "decoder/request/population.h"

/* ---- level shifts ---- */

#define SYT_SHIFT_P 1e-6           /* a shift has a lower probability by chance */
#define SYT_SHIFT_VARIATION 0.1    /* and at least this total variation */
#define SYT_SHIFT_LEAST_EXPECTED 5 /* groups with fewer expected requests count as one group */

struct syt_shift {
	uint32_t degrees; /* degrees of freedom: number of groups - 1 */
	double g;         /* the statistic of the G-test */
	double p;         /* probability of at least this G if both mixes are equal */
	double variation; /* total variation: the share of the requests that changed their group, from 0 to 1 */
	bool is_shift;
};

/* Compares the counts of NR groups in a model and in a run. New groups have the count 0 in the model. Groups that are too
 * rare for the test count as one group. There is no shift if the model or the run has no request. */
struct syt_shift syt_mix_shift(const uint64_t *model, const uint64_t *run, uint32_t nr);

/* Returns the probability that a chi-square variable with DEGREES > 0 degrees of freedom is at least X. */
double syt_chi_square_tail(double x, double degrees);

/* ---- errors ---- */

/* In an array of groups: this member belongs to no group. */
#define SYT_MIX_NO_GROUP UINT32_MAX

/* Returns the member of each group that is nearest to the mean work of the group. OF[member] is the group of a member. The
 * distance is Euclidean; each amount is divided by its mean over all groups. Equal distances: the first by content. The result
 * is UINT64_MAX for a group without members. The caller frees the array with free(). */
uint64_t *syt_mix_representatives(const struct syt_population *p, const uint32_t *of, uint32_t nr);

/* Returns for each component and resource the error if the representative of a group predicts the amounts of its members:
 * sqrt(mean (x - x of the representative)^2) / mean x. Element [component * SYT_NR_RESOURCES + resource]; negative if the mean
 * is 0 or no amount is known. REPRESENTATIVES[group] is a member of the population. To compare the clusters with labels that
 * not all members have, give both calls the same members: set OF of the others to SYT_MIX_NO_GROUP. The caller frees the
 * array with free(). */
double *syt_mix_errors(const struct syt_population *p, const uint32_t *of,
                       const uint64_t *representatives);

/* ---- synthetic mixes ---- */

/* Draws NR_DRAWS of NR groups with the shares COUNTS / sum of COUNTS. Each group is drawn as often as its share demands, rounded
 * up or down; the order is random. The same SEED gives the same draws. The sum of COUNTS must be above 0 and below 2^64. The
 * caller frees the array with syt_store_free(). */
uint32_t *syt_mix_draw(const uint64_t *counts, uint32_t nr, uint64_t nr_draws, uint64_t seed);

/* Returns a random time between two requests, in ns: an exponential distribution with the mean MEAN_NS. *STATE is the state of the
 * random numbers; at first it is the seed. */
uint64_t syt_mix_interval(uint64_t *state, uint64_t mean_ns);

#endif
