/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command clocks: the hosts of a trace, and how their clocks were placed on one time axis. */
#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "base/table.h"
#include "decoder/command/view.h"
#include "decoder/host/summary.h"
#include "decoder/show/coverage_print.h"

/* What the report prints. A trace with one clock has no hosts (trace->hosts is NULL), and the report makes one. */
struct clocks {
	struct syt_out *out;
	const struct syt_trace_data *trace;
	const struct syt_hosts *hosts;
	const struct syt_placement *placement; /* NULL: there is one host */
	uint32_t nr;
};

static const struct syt_host_clock *clock_of(const struct clocks *c, uint32_t host)
{
	return c->placement ? &c->placement->clocks[host] : NULL;
}

static const struct syt_host_component *component_of(const struct clocks *c, uint32_t host)
{
	const struct syt_host_clock *clock = clock_of(c, host);

	return clock && clock->component != SYT_HOST_NONE
	               ? &c->placement->components[clock->component]
	               : NULL;
}

/* Returns the offset of host A minus that of host B by their own clocks: the placement uses clocks that wall-clock time
 * has aligned. */
static int64_t own_offset(const struct clocks *c, int64_t offset_ns, uint32_t a, uint32_t b)
{
	uint64_t shift = (uint64_t)c->hosts->all[a].shift_ns - (uint64_t)c->hosts->all[b].shift_ns;

	return (int64_t)((uint64_t)offset_ns - shift);
}

/* Returns the time of the trace, in ns, at the time LOCAL_NS of the clock of HOST. */
static int64_t trace_time(const struct clocks *c, uint32_t host, int64_t local_ns)
{
	return syt_host_joined(c->placement, host, local_ns) + c->hosts->axis_ns;
}

/* ---- text ---- */

static void put_us(struct syt_table *t, double ns)
{
	if (!isfinite(ns))
		syt_table_cell(t, "unknown");
	else if (ns < 10e3)
		syt_table_cell(t, "%.1f us", ns / 1e3);
	else if (ns < 10e6)
		syt_table_cell(t, "%.0f us", ns / 1e3);
	else
		syt_table_cell(t, "%.0f ms", ns / 1e6);
}

static void host_row(const struct clocks *c, struct syt_table *t, uint32_t host)
{
	const struct syt_host_summary s = syt_host_summary_of(c->trace, host);

	syt_table_row(t);
	syt_table_cell(t, "%" PRIu32, host);
	syt_table_cell(t, "%s", s.name);
	syt_table_cell(t, "%s", s.clock);
	if (s.is_reference) {
		syt_table_cell(t, "reference");
		return;
	}
	if (!s.component) {
		syt_table_cell(t, "apart");
		return;
	}

	const struct syt_host_place *p = &clock_of(c, host)->places[0];

	if (s.by != SYT_HOST_NONE)
		syt_table_cell(t, "by %s", c->hosts->all[s.by].name);
	else
		syt_table_cell(t, "joined");
	syt_table_cell(t, "%+.6f s",
	               (double)own_offset(c, p->offset_ns, host, s.component->reference) / 1e9);
	syt_table_cell(t, "%+.3f ppm", p->drift_ppm);
	put_us(t, s.early_ns);
	put_us(t, s.late_ns);
}

static void list_hosts(const struct clocks *c)
{
	struct syt_table *t = syt_table_create(">HOST", "NAME", "CLOCK", "PLACED", ">OFFSET",
	                                       ">DRIFT", ">EARLY", ">LATE", NULL);

	for (uint32_t n = 0; n < c->nr; n++)
		host_row(c, t, n);
	syt_table_end(t, c->out);
}

static const char *const state_words[] = {
	[SYT_HOST_JOINED] = "joined",
	[SYT_HOST_ONE_WAY] = "one-way",
	[SYT_HOST_CONTRADICTS] = "contradicts",
};

/* The difference of times that makes an order certain in both directions, at the middle of the segment S. */
static double certain_from(const struct clocks *c, const struct syt_host_pair_segment *s)
{
	int64_t ns = trace_time(c, s->hosts[0], s->at_ns);
	syt_time at = ns < 0 ? 0 : (syt_time)ns << SYT_TIME_SHIFT;
	syt_time there = syt_hosts_needed(c->hosts, s->hosts[0], at, s->hosts[1]);
	syt_time back = syt_hosts_needed(c->hosts, s->hosts[1], at, s->hosts[0]);
	syt_time most = there > back ? there : back;

	return most == UINT64_MAX ? INFINITY : (double)SYT_TIME_NS(most);
}

static void pair_row(const struct clocks *c, struct syt_table *t,
                     const struct syt_host_pair_segment *s)
{
	syt_table_row(t);
	syt_table_cell(t, "%s - %s", c->hosts->all[s->hosts[0]].name,
	               c->hosts->all[s->hosts[1]].name);
	syt_table_cell(t, "%" PRIu64 ", %" PRIu64, s->messages[0], s->messages[1]);
	if (s->state != SYT_HOST_JOINED) {
		syt_table_cell(t, "%s", state_words[s->state]);
		return;
	}
	syt_table_cell(t, "%.1f us, %.1f us", (double)s->least_delay_ns[0] / 1e3,
	               (double)s->least_delay_ns[1] / 1e3);
	put_us(t, s->residual_ns);
	put_us(t, s->margin_ns);
	put_us(t, s->methods_differ_ns);
	put_us(t, certain_from(c, s));
}

static void list_pairs(const struct clocks *c)
{
	const struct syt_placement *p = c->placement;
	struct syt_table *t;

	if (!p || !p->nr_pair_segments)
		return;
	t = syt_table_create("PAIR", ">MESSAGES", ">LEAST DELAYS", ">E_r", ">MARGIN",
	                     ">METHODS DIFFER", ">CERTAIN FROM", NULL);
	for (size_t n = 0; n < p->nr_pair_segments; n++)
		pair_row(c, t, &p->pair_segments[n]);
	syt_out_char(c->out, '\n');
	syt_table_end(t, c->out);
}

static void explain(const struct clocks *c)
{
	bool is_apart = false;

	for (uint32_t n = 0; n < c->nr; n++)
		is_apart |= !component_of(c, n);
	syt_out_char(c->out, '\n');
	if (!c->placement)
		syt_out_string(c->out, "All events have one clock.\n");
	else if (is_apart)
		syt_out_string(c->out, "A host is apart if no messages in both directions place "
		                       "its clock, or with --apart.\n"
		                       "Wall-clock time places its events, and no order with other "
		                       "hosts is certain.\n");
	else
		syt_out_string(
			c->out,
			"The true time of an event lies between its time minus EARLY and its time "
			"plus LATE,\nby the clock of the reference.\n");
}

/* ---- JSON ---- */

static void put_number(struct syt_json *j, const char *key, double value)
{
	if (!isfinite(value)) {
		syt_json_null(j, key);
		return;
	}
	syt_json_key(j, key);
	syt_out_printf(j->out, "%.3f", value);
}

static void put_two(struct syt_json *j, const char *key, int64_t a, int64_t b)
{
	syt_json_begin(j, key, '[');
	syt_json_i64(j, NULL, a);
	syt_json_i64(j, NULL, b);
	syt_json_end(j);
}

static void host_line(const struct clocks *c, uint32_t host)
{
	const struct syt_host_component *k = component_of(c, host);
	const struct syt_image *i = syt_hosts_image(c->trace, host);
	struct syt_json j = {.out = c->out};

	syt_json_begin_line(&j, "host");
	syt_json_u64(&j, SYT_KEY("host", "host_index"), host);
	syt_json_string(&j, SYT_KEY("name", "host"), i ? i->file.host : NULL);
	syt_json_open_string(&j, "boot_id");
	for (unsigned n = 0; i && n < sizeof(i->file.boot_id); n++)
		syt_out_printf(c->out, "%02x", i->file.boot_id[n]);
	syt_json_close_string(&j);
	syt_json_string(&j, "clock", syt_host_summary_of(c->trace, host).clock);
	syt_json_begin(&j, SYT_KEY("processes", "process_list"), '[');
	for (uint32_t n = 0; n < c->trace->nr_images; n++)
		if (syt_hosts_of(c->hosts, n) == host)
			syt_json_u64(&j, NULL, c->trace->images[n].index);
	syt_json_end(&j);
	if (c->placement && !k)
		syt_json_null(&j, SYT_KEY("component", "component_index"));
	else
		syt_json_u64(&j, SYT_KEY("component", "component_index"),
		             k ? (uint64_t)(k - c->placement->components) : 0);
	syt_json_bool(&j, SYT_KEY("reference", "is_reference"),
	              !c->placement || (k && k->reference == host));
	syt_json_end_line(&j);
}

static void pair_line(const struct clocks *c, const struct syt_host_pair_segment *s)
{
	struct syt_json j = {.out = c->out};
	uint32_t a = s->hosts[0], b = s->hosts[1];

	syt_json_begin_line(&j, "pair");
	put_two(&j, SYT_KEY("hosts", "host_pair"), a, b);
	syt_json_u64(&j, "segment", s->segment);
	syt_json_i64(&j, SYT_KEY("begin", "begin_ns"), trace_time(c, a, s->begin_ns));
	syt_json_i64(&j, SYT_KEY("end", "end_ns"), trace_time(c, a, s->end_ns));
	put_two(&j, "messages", (int64_t)s->messages[0], (int64_t)s->messages[1]);
	syt_json_u64(&j, "used", s->used);
	syt_json_i64(&j, SYT_KEY("at", "at_ns"), trace_time(c, a, s->at_ns));
	syt_json_i64(&j, SYT_KEY("offset", "clock_offset"), own_offset(c, s->offset_ns, b, a));
	put_number(&j, "drift_ppm", s->drift_ppm);
	put_number(&j, "residual", s->residual_ns);
	put_number(&j, "offset_error", s->offset_error_ns);
	put_number(&j, "drift_error_ppm", s->drift_error_ppm);
	put_number(&j, "margin", s->margin_ns);
	put_number(&j, "methods_differ", s->methods_differ_ns);
	put_two(&j, "least_delay", s->least_delay_ns[0], s->least_delay_ns[1]);
	syt_json_begin(&j, "bounds", '[');
	put_number(&j, NULL, s->bounds_ns[0]);
	put_number(&j, NULL, s->bounds_ns[1]);
	syt_json_end(&j);
	put_number(&j, "certain_from", s->state == SYT_HOST_JOINED ? certain_from(c, s) : INFINITY);
	syt_json_string(&j, SYT_KEY("state", "pair_state"), state_words[s->state]);
	syt_json_end_line(&j);
}

static void place_line(const struct clocks *c, uint32_t host, uint32_t segment)
{
	const struct syt_host_component *k = component_of(c, host);
	const struct syt_host_place *p = &clock_of(c, host)->places[segment];
	struct syt_json j = {.out = c->out};

	syt_json_begin_line(&j, "place");
	syt_json_u64(&j, SYT_KEY("host", "host_index"), host);
	syt_json_u64(&j, "segment", segment);
	syt_json_i64(&j, SYT_KEY("begin", "begin_ns"), trace_time(c, host, p->begin_ns));
	syt_json_i64(&j, SYT_KEY("end", "end_ns"), trace_time(c, host, p->end_ns));
	syt_json_i64(&j, SYT_KEY("offset", "clock_offset"),
	             own_offset(c, p->offset_ns, host, k->reference));
	put_number(&j, "drift_ppm", p->drift_ppm);
	put_number(&j, "residual", p->residual_ns);
	syt_json_begin(&j, SYT_KEY("path", "host_path"), '[');
	for (uint32_t at = host, n = 0; at != SYT_HOST_NONE && n < c->nr; n++) {
		syt_json_u64(&j, NULL, at);
		at = clock_of(c, at)->places[segment].previous;
	}
	syt_json_end(&j);
	put_number(&j, "early", p->early_ns);
	put_number(&j, "late", p->late_ns);
	syt_json_end_line(&j);
}

static void component_line(const struct clocks *c, uint32_t component)
{
	const struct syt_host_component *k = &c->placement->components[component];
	struct syt_json j = {.out = c->out};

	syt_json_begin_line(&j, SYT_KEY("component", "component_index"));
	syt_json_u64(&j, SYT_KEY("component", "component_index"), component);
	syt_json_begin(&j, "hosts", '[');
	for (uint32_t n = 0; n < c->nr; n++)
		if (clock_of(c, n)->component == component)
			syt_json_u64(&j, NULL, n);
	syt_json_end(&j);
	syt_json_u64(&j, "reference", k->reference);
	syt_json_string(&j, "axis", "network");
	syt_json_u64(&j, "loops", k->nr_loops);
	put_number(&j, "loop", k->loop_ns);
	syt_json_end_line(&j);
}

static void put_lines(const struct clocks *c)
{
	const struct syt_placement *p = c->placement;

	for (uint32_t n = 0; n < c->nr; n++)
		host_line(c, n);
	for (size_t n = 0; p && n < p->nr_pair_segments; n++)
		pair_line(c, &p->pair_segments[n]);
	for (uint32_t n = 0; p && n < c->nr; n++)
		for (uint32_t k = 0; component_of(c, n) && k < component_of(c, n)->nr_segments; k++)
			place_line(c, n, k);
	for (uint32_t n = 0; p && n < p->nr_components; n++)
		component_line(c, n);
}

static enum syt_exit run(struct syt_command *command)
{
	const struct syt_hosts *hosts = command->trace->hosts;
	struct clocks c = {
		.out = command->out,
		.trace = command->trace,
		.hosts = hosts,
		.placement = hosts && hosts->nr > 1 ? hosts->placement : NULL,
		.nr = hosts ? hosts->nr : 1,
	};

	if (command->format == SYT_FORMAT_JSONL) {
		put_lines(&c);
		return SYT_EXIT_OK;
	}
	list_hosts(&c);
	list_pairs(&c);
	explain(&c);
	return SYT_EXIT_OK;
}

const struct syt_report syt_report_clocks = {
	.name = "clocks",
	.summary = "the hosts of a trace, and their clocks on one time axis",
	.doc = "Prints the hosts of one or several traces: the offset and the drift of each clock, "
	       "by which "
	       "messages the decoder placed it on the time axis of the reference, and the limits "
	       "of the error.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.is_sparse = syt_always,
	.run = run,
};
