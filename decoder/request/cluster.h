/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Groups the requests of a population into clusters of similar behaviour and work (doc/requests.md). The result depends on
 * neither the order in which threads ran nor the number of workers. */
#ifndef SYT_DECODER_REQUEST_CLUSTER_H
#define SYT_DECODER_REQUEST_CLUSTER_H

#include "decoder/request/distance.h"
#include "decoder/request/population.h"

#define SYT_CLUSTER_RADIUS 0.25 /* a request belongs to a leader within this distance */

struct syt_cluster {
	uint64_t count;          /* number of requests */
	uint64_t representative; /* the number of the member that is nearest to the others */
};

struct syt_clusters {
	const struct syt_population *population;
	uint32_t nr;
	struct syt_cluster *
		all; /* most requests first; equal counts: by the behaviours of the representatives */
	uint32_t *of;  /* [member]: its cluster */
	double *scale; /* syt_work_scale() of the population */
};

/* POPULATION must outlive C, and must not change. */
void syt_clusters_open(struct syt_clusters *c, const struct syt_population *population);
/* Finds at most MOST > 0 clusters: small clusters are merged (decoder/request/merge.h) until MOST are left. The radius does not
 * matter, so a cluster may contain requests that are far from its representative. */
void syt_clusters_open_few(struct syt_clusters *c, const struct syt_population *population,
                           uint32_t most);
void syt_clusters_close(struct syt_clusters *c);

#endif
