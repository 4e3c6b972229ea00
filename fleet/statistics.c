/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/statistics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define CONFIDENCE 0.975
#define SHARE_MOST 0.25 /* of one host */
#define STEPS_MOST 10000u

/* ---- Student's t ---- */

/* Returns the continued fraction of the incomplete beta function (Lentz's method). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
	h = d;
	for (unsigned m = 1; m < STEPS_MOST; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
		c = fabs(c) < DBL_MIN ? DBL_MIN : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
		c = fabs(c) < DBL_MIN ? DBL_MIN : c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return h;
}

/* Returns the regularized incomplete beta function. */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
	                                 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double syt_t_probability(double t, double df)
{
	return beta(df / 2, 0.5, df / (df + t * t));
}

double syt_t_quantile(double p, double df)
{
	double low = 0, high = 1;

	while (syt_t_probability(high, df) > 2 * (1 - p) && high < 1e9)
		high *= 2;
	for (unsigned n = 0; n < 100; n++) {
		double middle = (low + high) / 2;

		if (syt_t_probability(middle, df) > 2 * (1 - p))
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

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
	half = syt_t_quantile(CONFIDENCE, (double)(nr - 1)) * sqrt(r.variance);
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
	return syt_t_probability((a->ratio - b->ratio) / sqrt(sum), df);
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
