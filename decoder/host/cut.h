/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Cuts the axis of a component into segments, while place.h places the hosts. */
#ifndef SYT_DECODER_HOST_CUT_H
#define SYT_DECODER_HOST_CUT_H

#include "decoder/host/fit.h"
#include "decoder/host/knots.h"

struct syt_host_leaf {
	double begin, end;         /* by the clock of the reference */
	struct syt_host_fit *fits; /* per pair of the component */
};

struct syt_host_axis {
	struct syt_host_placing *g;
	uint32_t number, *hosts,
		nr_hosts; /* hosts in the order of the search; the reference first */
	size_t *pairs;
	size_t nr_pairs;
	struct syt_host_leaf *leaves;
	size_t nr_leaves, room;
	struct syt_knots knots;
	uint32_t *
		via; /* per leaf and host: the pair that leads to it from the reference, or SYT_HOST_NONE */
	double *path_residual;
	/* of the present job */
	double begin, end;
	bool *is_bent;
	struct syt_host_fit *fits;
};

/* Moves a value over an arc: returns the value of the other host of the pair at the same time X of the reference, of a host
 * with the value V. D(x_i) = v_j - v_i at x_i = x + v_i (composition of functions, not a sum of lines). */
double syt_host_cross(const struct syt_host_line *line, double x, double v, bool is_forward);
/* Sets origin and coarse line of a host from those of the previous host on the path. */
void syt_host_compose(struct syt_host_placing *g, uint32_t from, uint32_t to, size_t pair);
/* Returns the time by the coarse line of the host at the time X of the reference. */
double syt_host_coarse_time(const struct syt_host_placing *g, uint32_t host, double x);
/* Fits the pair of a component in [BEGIN, END] by the clock of the reference. */
struct syt_host_fit syt_host_cut_fit(const struct syt_host_axis *c, size_t i, double begin,
                                     double end);
/* Cuts the time from the first to the last message of the component into segments. */
void syt_host_cut(struct syt_host_axis *c);
void syt_host_leaf_free(struct syt_host_leaf *l, size_t nr_pairs);
/* Halves a segment in which the pair I of the component does not fit. Each half has enough messages of this pair for a line,
 * or one half has none. Returns false if that is impossible, or after many calls. */
bool syt_host_cut_halve(struct syt_host_axis *c, size_t leaf, size_t i);

#endif
