/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/summary.h"

#include <math.h>

uint32_t syt_hosts_nr(const struct syt_trace_data *trace)
{
	return trace->hosts ? trace->hosts->nr : 1;
}

const struct syt_image *syt_hosts_image(const struct syt_trace_data *trace, uint32_t host)
{
	for (uint32_t n = 0; n < trace->nr_images; n++)
		if (syt_hosts_of(trace->hosts, n) == host)
			return &trace->images[n];
	return NULL;
}

struct syt_host_summary syt_host_summary_of(const struct syt_trace_data *trace, uint32_t host)
{
	const struct syt_hosts *h = trace->hosts;
	struct syt_host_summary s = {.name = "", .clock = "tsc", .by = SYT_HOST_NONE};
	uint32_t source = SYT_CLOCK_TSC;

	if (h) {
		s.name = h->all[host].name;
		source = h->all[host].clock_source;
	} else if (trace->nr_images) {
		s.name = trace->images[0].file.host;
		source = trace->images[0].file.clock_source;
	}
	if (source == SYT_CLOCK_MONOTONIC)
		s.clock = "monotonic";
	if (syt_hosts_nr(trace) < 2) {
		s.is_reference = true;
		return s;
	}

	const struct syt_host_clock *c = &h->placement->clocks[host];

	if (c->component == SYT_HOST_NONE)
		return s;
	s.component_index = c->component;
	s.component = &h->placement->components[c->component];
	s.is_reference = s.component->reference == host;
	for (uint32_t n = 0; n < s.component->nr_segments; n++) {
		if (s.by == SYT_HOST_NONE)
			s.by = c->places[n].previous;
		s.early_ns = fmax(s.early_ns, c->places[n].early_ns);
		s.late_ns = fmax(s.late_ns, c->places[n].late_ns);
	}
	return s;
}
