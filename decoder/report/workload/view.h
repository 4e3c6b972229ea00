/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The outputs of the verb workload. */
#ifndef SYT_DECODER_REPORT_WORKLOAD_VIEW_H
#define SYT_DECODER_REPORT_WORKLOAD_VIEW_H

#include "base/json.h"
#include "base/out.h"
#include "decoder/request/cluster.h"
#include "decoder/request/mix.h"
#include "decoder/request/workload.h"

/* The requests of all runs of the command line. */
struct syt_workload_view {
	struct syt_out *out;
	bool is_json;
	uint64_t limit;       /* number of clusters; 0: all */
	const char *function; /* whose calls are the requests; NULL: requests from the outside */
	struct syt_population population;
	struct syt_clusters clusters;
	/* the run and the number of each member; NULL: the members are the lines of a file */
	size_t nr_members, room_members;
	struct syt_workload_origin {
		uint32_t run;     /* from 1 */
		uint64_t request; /* from 1 */
	} * origins;
	uint32_t nr_runs;
};

void syt_workload_print(const struct syt_workload_view *v);
/* Returns the JSON key of an amount of R. */
const char *syt_workload_resource_key(enum syt_resource r);
/* Prints the JSON line of the workload: its numbers of requests, behaviours and clusters. */
void syt_workload_put_summary(const struct syt_workload_view *v);
/* Prints the automaton of A, with the symbols of P: as DOT, or as JSON lines. */
void syt_workload_print_dot(struct syt_out *out, const struct syt_automaton *a,
                            const struct syt_population *p);
void syt_workload_print_automaton(const struct syt_workload_view *v, const struct syt_automaton *a,
                                  const struct syt_population *p);

/* Compares the shares of the clusters of MODEL with the requests of V. Returns true if the mix has shifted. */
bool syt_workload_print_shift(const struct syt_workload_view *v, const struct syt_workload *model);
/* Prints NR requests that are drawn from MODEL with SEED: as text the event string of each request, as JSON also its work. */
void syt_workload_print_mix(struct syt_out *out, bool is_json, const struct syt_workload *model,
                            uint64_t nr, uint64_t seed);
#define SYT_WORKLOAD_FEW_CLUSTERS 1000u /* largest number of clusters that the user can choose */
/* Compares NR_CLUSTERS clusters with the labels in the file at PATH; 0: as many clusters as labels. Returns false after a
 * message. */
bool syt_workload_print_labels(const struct syt_workload_view *v, const char *path,
                               uint32_t nr_clusters);

#endif
