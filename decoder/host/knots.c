/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/knots.h"

#include <math.h>

#include "base/store.h"

#define SWEEPS_MAX 500
#define STEPS_MAX 1000

static double *value(const struct syt_knots *k, uint32_t host, uint32_t knot)
{
	return &k->values[(size_t)host * k->nr_knots + knot];
}

/* ---- network effect ---- */

/* Computes OUT = A^T W A x, with x the difference of the present values and the measurements in the first call, and a
 * direction later: all sums run in the order of the rows. */
static void apply(const struct syt_knot_row *rows, size_t nr, uint32_t nr_hosts, const double *x,
                  double *out)
{
	SYT_EACH(i, 0, nr_hosts)
		out[i] = 0;
	SYT_EACH(i, 0, nr) {
		const double pull = rows[i].weight * (x[rows[i].to] - x[rows[i].from]);

		out[rows[i].to] += pull;
		out[rows[i].from] -= pull;
	}
	out[0] = 0;
}

static double product(const double *a, const double *b, uint32_t nr)
{
	double sum = 0;

	SYT_EACH(i, 0, nr)
		sum += a[i] * b[i];
	return sum;
}

/* Fits the values of one knot. */
static void fit_knot(struct syt_knots *k, uint32_t knot, const struct syt_knot_row *rows, size_t nr,
                     double *memory)
{
	const uint32_t n = k->nr_hosts;
	double *residual = memory, *direction = memory + n, *image = memory + 2 * (size_t)n, left,
	       first;

	SYT_EACH(i, 0, n)
		residual[i] = 0;
	SYT_EACH(i, 0, nr) {
		const struct syt_knot_row *r = &rows[i];
		const double pull =
			r->weight *
			(r->difference - (*value(k, r->to, knot) - *value(k, r->from, knot)));

		residual[r->to] += pull;
		residual[r->from] -= pull;
	}
	residual[0] = 0;
	SYT_EACH(i, 0, n)
		direction[i] = residual[i];
	first = left = product(residual, residual, n);
	for (unsigned step = 0; step < STEPS_MAX && left > 1e-20 * first; step++) {
		double length, next;

		apply(rows, nr, n, direction, image);
		length = product(direction, image, n);
		if (!(length > 0))
			return;
		length = left / length;
		SYT_EACH(i, 0, n) {
			*value(k, i, knot) += length * direction[i];
			residual[i] -= length * image[i];
		}
		next = product(residual, residual, n);
		SYT_EACH(i, 0, n)
			direction[i] = residual[i] + next / left * direction[i];
		left = next;
	}
}

void syt_knots_fit(struct syt_knots *k, const struct syt_knot_row *rows, size_t nr)
{
	double *memory = syt_store_alloc(3 * (uint64_t)k->nr_hosts, sizeof(*memory));

	for (size_t first = 0, end; first < nr; first = end) {
		for (end = first; end < nr && rows[end].knot == rows[first].knot; end++)
			;
		fit_knot(k, rows[first].knot, &rows[first], end - first, memory);
	}
	syt_store_free(memory);
}

/* ---- projection ---- */

static double excess(const struct syt_knots *k, const struct syt_knot_limit *l)
{
	const double at_begin = *value(k, l->to, l->segment) - *value(k, l->from, l->segment),
		     at_end = *value(k, l->to, l->segment + 1) - *value(k, l->from, l->segment + 1);

	return l->begin * at_begin + l->end * at_end - l->most;
}

/* Moves the values of the hosts to the limit and half a ns beyond, so that the sweeps end. */
static void project(struct syt_knots *k, const struct syt_knot_limit *l, double by)
{
	const double norm = l->begin * l->begin + l->end * l->end;
	const double hosts = (l->from != 0) + (l->to != 0), step = (by + 0.5) / (norm * hosts);

	if (l->to != 0) {
		*value(k, l->to, l->segment) -= step * l->begin;
		*value(k, l->to, l->segment + 1) -= step * l->end;
	}
	if (l->from != 0) {
		*value(k, l->from, l->segment) += step * l->begin;
		*value(k, l->from, l->segment + 1) += step * l->end;
	}
}

const struct syt_knot_limit *syt_knots_project(struct syt_knots *k,
                                               const struct syt_knot_limit *limits, size_t nr)
{
	const struct syt_knot_limit *worst = NULL;

	for (unsigned sweep = 0; sweep < SWEEPS_MAX; sweep++) {
		double most = 0;

		worst = NULL;
		SYT_EACH(i, 0, nr) {
			const double by = excess(k, &limits[i]);

			if (!(by > 0))
				continue;
			if (by > most) {
				most = by;
				worst = &limits[i];
			}
			project(k, &limits[i], by);
		}
		if (!worst)
			break;
	}
	return worst;
}

const struct syt_knot_limit *syt_knots_worst(const struct syt_knots *k,
                                             const struct syt_knot_limit *limits, size_t nr)
{
	const struct syt_knot_limit *worst = NULL;
	double most = 0;

	SYT_EACH(i, 0, nr) {
		const double by = excess(k, &limits[i]);

		if (!(by > most))
			continue;
		most = by;
		worst = &limits[i];
	}
	return worst;
}
