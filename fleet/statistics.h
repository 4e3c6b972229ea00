/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Statistics of a fleet (doc/fleet.md, "Statistics"). The hosts are the clusters of a sample: windows of one host resemble
 * each other, hosts are independent. All functions are pure.
 */
#ifndef SYT_FLEET_STATISTICS_H
#define SYT_FLEET_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYT_HOSTS_LEAST 20u /* fewer hosts give no interval */

/* The weighted time of one host: waits, and lifetimes of threads. */
struct syt_host_sum {
	double z, x;
};

/* The ratio of the sums of z and x, with its variance. */
struct syt_ratio {
	size_t nr_hosts;
	double ratio, variance;
	bool has_interval; /* enough hosts, and none of them has more than a quarter of the sum of z */
	double low, high; /* 95 % interval */
};

struct syt_ratio syt_ratio_of(const struct syt_host_sum *hosts, size_t nr);

/* Returns the probability of a difference at least as large as that of A and B if both are equal (Welch's test), or 1 if one
 * of them has no interval. */
double syt_welch(const struct syt_ratio *a, const struct syt_ratio *b);

/* Returns the largest probability of the NR in P that the procedure of Benjamini and Hochberg rejects at the LEVEL, or -1.
 * Sorts P. */
double syt_benjamini_hochberg(double *p, size_t nr, double level);

/* Returns the lower bound, with a confidence of 95 %, of a probability of which NR_TRUE of NR trials are true (Wilson's score
 * interval), or 0 without trials. */
double syt_wilson_low(uint64_t nr_true, uint64_t nr);

/* Returns the median of the NR numbers in V, or 0. Sorts V. */
double syt_median(double *v, size_t nr);

/* Returns the value below which the share P of the NR numbers in V lies. Sorts V. */
double syt_quantile(double *v, size_t nr, double p);

/* Returns the entropy in bits of the distribution of NR weights W, and the Manhattan distance of the distributions of two
 * arrays of weights. The weights need no sum of 1. */
double syt_entropy(const double *w, size_t nr);
double syt_distance(const double *a, const double *b, size_t nr);

#endif
