/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the parts of the report stat that need the order of the whole trace: the objects and the coverage. */
#include <inttypes.h>

#include "decoder/show/coverage_print.h"
#include "decoder/show/wrap.h"
#include "decoder/report/stat/stat.h"

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
	const char *between = "  edges      recorded orders between two threads, by kind: ";

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

static void text_coverage(struct syt_out *to, const struct syt_coverage *c)
{
	uint64_t unattributed = syt_coverage_unattributed(c);
	struct syt_out words, *o = &words;

	syt_out_char(to, '\n');
	syt_wrap_begin(&words, to);
	syt_out_color(o, SYT_COLOR_BOLD);
	syt_out_string(o, "Order between threads and processes\n");
	syt_out_color(o, SYT_COLOR_NONE);
	text_edges(o, c);
	syt_out_printf(o,
	               "  acquires   %" PRIu64 " locks, waits and receives: %" PRIu64
	               " after a known unlock, wake-up or send\n             (%" PRIu64
	               " of them after one of several possible), %" PRIu64
	               " that needed no other thread, %" PRIu64 " with an unknown cause\n",
	               c->acquires, c->attributed, c->ambiguous, c->unneeded, unattributed);
	text_reasons(o, "locks, waits and receives with an unknown cause", c->unattributed);
	syt_out_printf(o,
	               "  bytes      %" PRIu64 " received by recorded processes, %.2f %% of them "
	               "with a known send\n",
	               c->bytes_received, syt_percent(c->bytes_matched, c->bytes_received));
	text_reasons(o, "received bytes with an unknown sender", c->bytes_unmatched);
	if (c->pairs_exact || c->pairs_inferred || c->unpaired_unix)
		syt_out_printf(
			o,
			"  pairs      %" PRIu64 " connections with both ends in the trace, %" PRIu64
			" of them inferred from order and traffic;\n             %" PRIu64
			" unix sockets with an unknown other end\n",
			c->pairs_exact + c->pairs_inferred, c->pairs_inferred, c->unpaired_unix);
	if (c->defects)
		syt_out_printf(o,
		               "  DEFECTS    %" PRIu64 " inferred orders contradicted the clock "
		               "and were dropped; please report this trace\n",
		               c->defects);
	syt_wrap_end_facts(&words, to);
}

enum syt_exit syt_stat_order(struct syt_command *c)
{
	const struct syt_stat_options *options = c->options;
	struct syt_order o;

	syt_out_flush(
		/* flushes first: the order takes long to compute, so the user can read the first part now */
		c->out);
	/* the report needs only the numbers of edges */
	if (syt_order_open_for(&o, c->trace, (struct syt_edges_wanted){0, 0}))
		return SYT_EXIT_UNREADABLE;
	if (options->has_objects)
		syt_stat_list_objects(&(struct syt_view){.out = c->out,
		                                         .order = &o,
		                                         .limit = options->limit,
		                                         .is_json = c->format == SYT_FORMAT_JSONL},
		                      options->sort);
	if (c->format == SYT_FORMAT_TEXT) {
		text_coverage(c->out, &o.coverage);
		syt_out_blank_line(c->out);
		syt_coverage_line(c->out, &o);
	} else {
		syt_coverage_json(c->out, &o);
	}
	syt_order_close(&o);
	return SYT_EXIT_OK;
}
