/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/statistics.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#define CONFIDENCE 0.975
#define CONFIDENCE_LOW 0.95 /* of a bound on one side */
#define SHARE_MOST 0.25     /* of one host */

/* ---- ratios ---- */

struct syt_ratio syt_ratio_of(const struct syt_host_sum *hosts, size_t nr)
{
	struct syt_ratio r = {.nr_hosts = nr};
	double z = 0, x = 0, most = 0, squares = 0, half;

	for (size_t n = 0; n < nr; n++) {
		z += hosts[n].z;
		x += hosts[n].x;
		most = hosts[n].z > most ? hosts[n].z : most;
	}
	if (!(x > 0))
		return r;
	r.ratio = z / x;
	for (size_t n = 0; n < nr; n++) {
		double residue = hosts[n].z - r.ratio * hosts[n].x;

		squares += residue * residue;
	}
	if (nr > 1)
		r.variance = (double)nr / (double)(nr - 1) * squares / (x * x);
	r.has_interval = nr >= SYT_HOSTS_LEAST && most <= SHARE_MOST * z;
	if (!r.has_interval)
		return r;
	half = gsl_cdf_tdist_Pinv(CONFIDENCE, (double)(nr - 1)) * sqrt(r.variance);
	r.low = r.ratio > half ? r.ratio - half : 0;
	r.high = r.ratio + half;
	return r;
}

double syt_welch(const struct syt_ratio *a, const struct syt_ratio *b)
{
	double sum = a->variance + b->variance, df;

	if (!a->has_interval || !b->has_interval || !(sum > 0))
		return 1;
	df = sum * sum /
	     (a->variance * a->variance / (double)(a->nr_hosts - 1) +
	      b->variance * b->variance / (double)(b->nr_hosts - 1));
	/* sums of large weights may exceed a double */
	return isfinite(df) ? 2 * gsl_cdf_tdist_Q(fabs(a->ratio - b->ratio) / sqrt(sum), df) : 1;
}

double syt_wilson_low(uint64_t nr_true, uint64_t nr)
{
	const double z = gsl_cdf_ugaussian_Pinv(CONFIDENCE_LOW);
	double n = (double)nr, p = (double)nr_true / n;

	if (!nr)
		return 0;
	return (p + z * z / (2 * n) - z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) /
	       (1 + z * z / n);
}

/* ---- sets of numbers ---- */

static int ascending(const void *a_, const void *b_)
{
	double a = *(const double *)a_, b = *(const double *)b_;

	return a < b ? -1 : a > b;
}

double syt_benjamini_hochberg(double *p, size_t nr, double level)
{
	double most = -1;

	if (nr)
		qsort(p, nr, sizeof(*p), ascending);
	for (size_t n = 0; n < nr; n++)
		if (p[n] <= level * (double)(n + 1) / (double)nr)
			most = p[n];
	return most;
}

double syt_median(double *v, size_t nr)
{
	if (!nr)
		return 0;
	qsort(v, nr, sizeof(*v), ascending);
	return nr % 2 ? v[nr / 2] : (v[nr / 2 - 1] + v[nr / 2]) / 2;
}

double syt_quantile(double *v, size_t nr, double p)
{
	size_t at = (size_t)ceil(p * (double)nr);

	if (!nr)
		return 0;
	qsort(v, nr, sizeof(*v), ascending);
	return v[at ? at - 1 : 0];
}

static double sum_of(const double *w, size_t nr)
{
	double sum = 0;

	for (size_t n = 0; n < nr; n++)
		sum += w[n];
	return sum;
}

double syt_entropy(const double *w, size_t nr)
{
	double sum = sum_of(w, nr), bits = 0;

	for (size_t n = 0; n < nr; n++)
		if (w[n] > 0)
			bits -= w[n] / sum * log2(w[n] / sum);
	return bits;
}

double syt_distance(const double *a, const double *b, size_t nr)
{
	double sum_a = sum_of(a, nr), sum_b = sum_of(b, nr), distance = 0;

	for (size_t n = 0; n < nr; n++)
		distance += fabs((sum_a > 0 ? a[n] / sum_a : 0) - (sum_b > 0 ? b[n] / sum_b : 0));
	return distance;
}
