/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The hosts of a trace, and how certain their times are, for reports. */
#ifndef SYT_DECODER_HOST_SUMMARY_H
#define SYT_DECODER_HOST_SUMMARY_H

#include "decoder/host/join.h"

struct syt_host_summary {
	const char *name, *clock;                   /* "tsc" or "monotonic" */
	const struct syt_host_component *component; /* NULL: the host is apart */
	uint32_t component_index;
	bool is_reference;
	/* the previous host on the shortest path from the reference, in the first segment with a path; SYT_HOST_NONE: none */
	uint32_t by;
	/* The true time of an event lies between its time - early and + late; INFINITY: unknown. The largest values of all
	 * segments; only if the host has a component. */
	double early_ns, late_ns;
};

/* Returns the number of hosts of TRACE: 1 if they are not known. */
uint32_t syt_hosts_nr(const struct syt_trace_data *trace);
/* Returns the first process image of HOST, or NULL. */
const struct syt_image *syt_hosts_image(const struct syt_trace_data *trace, uint32_t host);
struct syt_host_summary syt_host_summary_of(const struct syt_trace_data *trace, uint32_t host);

#endif
