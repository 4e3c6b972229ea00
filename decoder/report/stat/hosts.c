/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the hosts of a trace of several hosts, and how certain their times are. */
#include <inttypes.h>
#include <math.h>

#include "decoder/host/summary.h"
#include "decoder/report/stat/stat.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

static void text_limit(struct syt_out *o, double ns)
{
	if (isfinite(ns))
		syt_print_span(o, (uint64_t)ceil(ns));
	else
		syt_out_string(o, "an unknown time");
}

static void text_host(struct syt_out *o, const struct syt_trace_data *t, uint32_t host)
{
	const struct syt_host_summary s = syt_host_summary_of(t, host);

	syt_out_string(o, "  ");
	syt_out_safe(o, s.name);
	for (size_t n = strlen(s.name); n < 10; n++)
		syt_out_char(o, ' ');
	if (!s.component) {
		syt_out_string(o, " apart: placed by wall clock, no order is certain\n");
		return;
	}
	syt_out_string(o, s.is_reference ? " reference" : " joined");
	if (!s.is_reference) {
		if (s.by != SYT_HOST_NONE) {
			syt_out_string(o, " by ");
			syt_out_safe(o, t->hosts->all[s.by].name);
		}
		syt_out_string(o, ": the true time of an event is at most ");
		text_limit(o, s.early_ns);
		syt_out_string(o, " earlier and ");
		text_limit(o, s.late_ns);
		syt_out_string(o, " later");
	}
	if (t->hosts->placement->nr_components > 1)
		syt_out_printf(o, " (group %" PRIu32 ")", s.component_index);
	syt_out_char(o, '\n');
}

static void json_limit(struct syt_json *j, const char *key, bool is_known, double ns)
{
	if (is_known && isfinite(ns))
		syt_json_u64(j, key, (uint64_t)ceil(ns));
	else
		syt_json_null(j, key);
}

static void json_host(struct syt_out *out, const struct syt_trace_data *t, uint32_t host)
{
	const struct syt_host_summary s = syt_host_summary_of(t, host);
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "host");
	syt_json_u64(&j, SYT_KEY("host", "host_index"), host);
	syt_json_string(&j, SYT_KEY("name", "host"), s.name);
	syt_json_string(&j, "clock", s.clock);
	if (s.component)
		syt_json_u64(&j, SYT_KEY("component", "component_index"), s.component_index);
	else
		syt_json_null(&j, SYT_KEY("component", "component_index"));
	syt_json_bool(&j, SYT_KEY("reference", "is_reference"), s.is_reference);
	json_limit(&j, "early", s.component, s.early_ns);
	json_limit(&j, "late", s.component, s.late_ns);
	syt_json_end_line(&j);
}

void syt_stat_hosts(const struct syt_command *c)
{
	const struct syt_trace_data *t = c->trace;
	uint32_t nr = syt_hosts_nr(t);
	struct syt_out words;

	if (nr < 2)
		return;
	if (c->format == SYT_FORMAT_JSONL) {
		for (uint32_t n = 0; n < nr; n++)
			json_host(c->out, t, n);
		return;
	}
	syt_out_char(c->out, '\n');
	syt_wrap_begin(&words, c->out);
	syt_out_color(&words, SYT_COLOR_BOLD);
	syt_out_string(&words, "Hosts\n");
	syt_out_color(&words, SYT_COLOR_NONE);
	for (uint32_t n = 0; n < nr; n++)
		text_host(&words, t, n);
	syt_wrap_end_facts(&words, c->out);
}
