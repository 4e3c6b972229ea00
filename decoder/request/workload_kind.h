/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The kinds of requests, and the usual work of each kind (doc/requests.md, "Odd requests").
 *
 * The CPU time of a request depends on the load of the machine, so it moves requests between clusters that differ in little else.
 * A small cluster knows little about the usual amounts. A kind therefore joins clusters that are near if CPU time does not count.
 */
#ifndef SYT_DECODER_REQUEST_WORKLOAD_KIND_H
#define SYT_DECODER_REQUEST_WORKLOAD_KIND_H

#include "decoder/request/cluster.h"

#define SYT_WORKLOAD_MICRO 1000000 /* a decimal of a model is a number of millionths */

struct syt_workload_kinds {
	struct syt_clusters clusters;
	uint32_t *of; /* [cluster]: the first cluster of its kind */
};

/* Finds clusters and kinds of P, which must outlive K. */
void syt_workload_kinds_open(struct syt_workload_kinds *k, const struct syt_population *p);
void syt_workload_kinds_close(struct syt_workload_kinds *k);

/* Median and median absolute deviation of log(1 + amount) in a kind. `median` < 0: the amounts are unknown. */
struct syt_workload_norm {
	double median, mad;
};

struct syt_workload_part {
	uint32_t component;
	struct syt_workload_norm norms[SYT_NR_RESOURCES];
};

/* The norms of a kind for each component that one of its requests used, by component. */
struct syt_workload_norms {
	uint32_t nr;
	size_t room;
	struct syt_workload_part *all;
};

/* Computes the norms of each kind from the requests with IS_LEARNT[request]. COMPONENTS are the numbers of the components in the
 * model. Returns an array with an element for each cluster; the elements of the first clusters of kinds have the norms. */
struct syt_workload_norms *syt_workload_norms(const struct syt_workload_kinds *k,
                                              const bool *is_learnt, const uint32_t *components);
void syt_workload_norms_free(struct syt_workload_norms *norms, const struct syt_workload_kinds *k);

/* Rounds X to the precision of a model. */
double syt_workload_six_decimals(double x);

#endif
