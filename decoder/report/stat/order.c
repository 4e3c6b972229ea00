/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The parts of stat that need the order of the whole trace: what was explained, and the objects. */
#include <inttypes.h>
#include <stdlib.h>

#include "decoder/read/call.h"
#include "decoder/show/coverage_print.h"
#include "decoder/report/stat/stat.h"
#include "base/json.h"
#include "decoder/report/stat/object_summary.h"
#include "decoder/show/print.h"
#include "base/table.h"

/* ---- coverage ---- */

static void text_reasons(struct syt_out *o, const char *what, const uint64_t *reasons)
{
	for (unsigned i = 0; i < SYT_NR_REASONS; i++)
		if (reasons[i])
			syt_out_printf(o, "    %12" PRIu64 " %s: %s\n", reasons[i], what,
			               syt_reason_text((enum syt_reason)i));
}

static void text_edges(struct syt_out *o, const struct syt_coverage *c)
{
	const char *between = "  edges      ";

	for (unsigned i = 0; i < SYT_NR_EDGE_KINDS; i++) {
		if (!c->edges[i])
			continue;
		syt_out_printf(o, "%s%s %" PRIu64, between,
		               syt_edge_kind_text((enum syt_edge_kind)i), c->edges[i]);
		if (c->edges_ambiguous[i])
			syt_out_printf(o, " (%" PRIu64 " ambiguous)", c->edges_ambiguous[i]);
		between = ", ";
	}
	syt_out_char(o, '\n');
}

static void text_coverage(struct syt_out *o, const struct syt_coverage *c)
{
	uint64_t unattributed = syt_coverage_unattributed(c);

	syt_out_char(o, '\n');
	syt_out_color(o, SYT_COLOR_BOLD);
	syt_out_string(o, "Order between threads and processes\n");
	syt_out_color(o, SYT_COLOR_NONE);
	text_edges(o, c);
	syt_out_printf(o,
	               "  acquires   %" PRIu64 ": %" PRIu64 " attributed (%" PRIu64
	               " of them ambiguous), %" PRIu64 " needed no other thread, %" PRIu64
	               " unattributed\n",
	               c->acquires, c->attributed, c->ambiguous, c->unneeded, unattributed);
	text_reasons(o, "unattributed", c->unattributed);
	syt_out_printf(o,
	               "  bytes      %" PRIu64 " received by traced endpoints, %.2f %% matched to "
	               "their sends\n",
	               c->bytes_received, syt_percent(c->bytes_matched, c->bytes_received));
	text_reasons(o, "bytes unmatched", c->bytes_unmatched);
	if (c->pairs_exact || c->pairs_inferred || c->unpaired_unix)
		syt_out_printf(o,
		               "  pairs      %" PRIu64 " connections with both ends, %" PRIu64
		               " of them inferred from order and traffic; %" PRIu64
		               " unix sockets whose other end is unknown\n",
		               c->pairs_exact + c->pairs_inferred, c->pairs_inferred,
		               c->unpaired_unix);
	if (c->defects)
		syt_out_printf(o,
		               "  DEFECTS    %" PRIu64
		               " edges ran backwards in time and were dropped: "
		               "please report this trace\n",
		               c->defects);
}

/* ---- objects ---- */

static const char *address(const uint8_t *bytes, unsigned nr, char *text)
{
	return syt_address_text(bytes, nr, text, SYT_ADDRESS_TEXT);
}

static void object_row(struct syt_table *t, const struct syt_order *o,
                       const struct syt_object_summary *s)
{
	const struct syt_object *object = &o->objects.all[s->object];
	const struct syt_endpoint_info *e = object->info->endpoint;
	char text[SYT_OBJECT_TEXT], local[SYT_ADDRESS_TEXT] = "", remote[SYT_ADDRESS_TEXT] = "";

	syt_object_text(object->info, text, sizeof(text));
	syt_table_row(t);
	syt_table_cell(t, "  %s", text);
	syt_table_cell(t, "%" PRIu32, o->places.trace->images[object->image].index);
	syt_table_cell(t, "%" PRIu32, s->nr_threads);
	syt_table_cell(t, "%" PRIu64, s->nr_events);
	syt_table_cell(t, "%" PRIu64, s->nr_waits);
	syt_table_span(t, s->wait_ns);
	syt_table_span(t, s->max_wait_ns);
	if (s->bytes)
		syt_table_cell(t, "%" PRIu64, s->bytes);
	else
		syt_table_cell(t, "%s", "");
	if (object->peer != SYT_NONE)
		syt_object_text(o->objects.all[object->peer].info, text, sizeof(text));
	syt_table_cell(t, "%s", object->peer != SYT_NONE ? text : "");
	syt_table_cell(t, "%s", e ? address(e->local, e->local_bytes, local) : "");
	syt_table_cell(t, "%s", e ? address(e->remote, e->remote_bytes, remote) : "");
	syt_table_cell(t, "%s", object->info->name ? object->info->name : "");
}

static void json_object(struct syt_out *out, const struct syt_order *o,
                        const struct syt_object_summary *s)
{
	const struct syt_object *object = &o->objects.all[s->object];
	const struct syt_object_info *info = object->info;
	const struct syt_image *image = &o->places.trace->images[object->image];
	const struct syt_endpoint_info *e = info->endpoint;
	struct syt_json j = {.out = out};
	char text[SYT_ADDRESS_TEXT];

	syt_json_begin_line(&j, "object");
	syt_json_u64(&j, "process", image->index);
	syt_json_u64(&j, "pid", image->file.pid);
	syt_object_text(info, text, sizeof(text));
	syt_json_string(&j, "object", text);
	syt_json_string(&j, "kind", syt_kind_text(info->kind));
	if (info->name)
		syt_json_string(&j, "name", info->name);
	if (info->fd != SYT_NONE)
		syt_json_u64(&j, "fd", info->fd);
	syt_json_bool(&j, "shared", info->flags & SYT_OBJECT_SHARED);
	syt_json_bool(&j, "adopted", info->flags & SYT_OBJECT_ADOPTED);
	if (e) {
		syt_json_string(&j, "local", address(e->local, e->local_bytes, text));
		syt_json_string(&j, "remote", address(e->remote, e->remote_bytes, text));
		if (e->inode)
			syt_json_u64(&j, "inode", e->inode);
		syt_json_u64(&j, "cookie", e->cookie);
		if (e->peer_pid)
			syt_json_u64(&j, "peer_pid", e->peer_pid);
	}
	if (object->peer != SYT_NONE) {
		syt_object_text(o->objects.all[object->peer].info, text, sizeof(text));
		syt_json_string(&j, "peer", text);
		syt_json_string(&j, "pairing",
		                object->pairing == SYT_PAIRING_INFERRED ? "inferred" : "exact");
	}
	syt_json_u64(&j, "events", s->nr_events);
	syt_json_u64(&j, "threads", s->nr_threads);
	syt_json_u64(&j, "processes", s->nr_images);
	syt_json_u64(&j, "timed", s->nr_waits);
	syt_json_u64(&j, "wait_ns", s->wait_ns);
	syt_json_u64(&j, "max_wait_ns", s->max_wait_ns);
	syt_json_u64(&j, "bytes", s->bytes);
	syt_json_end_line(&j);
}

static void objects(struct syt_command *c, const struct syt_order *o)
{
	const struct syt_stat_options *options = c->options;
	bool is_text = c->format == SYT_FORMAT_TEXT;
	struct syt_table *t =
		is_text ? syt_table_create("  OBJECT", ">PROCESS", ">THREADS", ">EVENTS", ">WAITS",
	                                   ">WAITED", ">LONGEST", ">BYTES IN", "PEER", "LOCAL",
	                                   "REMOTE", "NAME", NULL)
			: NULL;
	uint32_t nr;
	struct syt_object_summary *s = syt_object_summaries(o, options->sort, &nr);

	if (options->limit && nr > options->limit)
		nr = (uint32_t)options->limit;
	for (uint32_t i = 0; i < nr; i++) {
		if (is_text)
			object_row(t, o, &s[i]);
		else
			json_object(c->out, o, &s[i]);
	}
	free(s);
	if (is_text) {
		syt_out_char(c->out, '\n');
		syt_table_end(t, c->out);
	}
}

enum syt_exit syt_stat_order(struct syt_command *c)
{
	const struct syt_stat_options *options = c->options;
	struct syt_order o;

	syt_out_flush(c->out); /* ordering takes its time: what is known already may be read */
	if (syt_order_open_for(&o, c->trace,
	                       (struct syt_edges_wanted){0, 0})) /* only their numbers */
		return SYT_EXIT_UNREADABLE;
	if (options->has_objects)
		objects(c, &o);
	if (c->format == SYT_FORMAT_TEXT) {
		text_coverage(c->out, &o.coverage);
		syt_out_char(c->out, '\n');
		syt_coverage_line(c->out, &o);
	} else {
		syt_coverage_json(c->out, &o);
	}
	syt_order_close(&o);
	return SYT_EXIT_OK;
}
