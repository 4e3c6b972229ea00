/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/coverage_print.h"

#include <inttypes.h>
#include <stdlib.h>

#include "decoder/host/summary.h"
#include "decoder/show/blind.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

double syt_percent(uint64_t part, uint64_t all)
{
	double p = all ? 100.0 * (double)part / (double)all : 100.0;

	return part < all && p > 99.99 ? 99.99 : p;
}

/* Returns the process image that recorded the most pauses, because each pause concerns all processes. */
static const struct syt_image *most_paused(const struct syt_trace_data *t)
{
	const struct syt_image *found = NULL;

	for (uint32_t n = 0; n < t->nr_images; n++)
		if (t->images[n].nr_pauses > (found ? found->nr_pauses : 0))
			found = &t->images[n];
	return found;
}

/* Prints the pauses of recording: ", paused 2 times for 3.1 s". Counts only the time between the first
 * and the last event of the trace. Does not count the time of a snapshot, because the program did not pause. */
static void put_pauses(struct syt_out *out, const struct syt_trace_data *t)
{
	const struct syt_image *i = most_paused(t);
	syt_time sum = 0;
	uint32_t nr = 0, nr_dropped;

	if (!i)
		return;
	/* the oldest pause begins at 0 if the ring of pauses has dropped the pauses before it */
	nr_dropped = i->pauses[0].from || !i->pauses[0].number ? 0 : i->pauses[0].number - 1;
	for (uint32_t n = 0; n < i->nr_pauses; n++) {
		syt_time from = i->pauses[n].from < t->begin ? t->begin : i->pauses[n].from;
		syt_time to = i->pauses[n].to > t->end ? t->end : i->pauses[n].to;

		if (from >= to || i->pauses[n].number == i->copied)
			continue;
		sum += to - from;
		nr++;
	}
	if (!i->pauses[0].number) {
		syt_out_printf(out, ", paused at unknown times");
	} else if (nr) {
		syt_out_printf(out, ", paused %" PRIu32 " time%s for ", nr + nr_dropped,
		               nr + nr_dropped == 1 ? "" : "s");
		syt_print_span(out, SYT_TIME_NS(sum));
		if (nr_dropped)
			syt_out_printf(out,
			               " (all time before the end of pause %" PRIu32
			               ": the trace keeps the times of the last %u pauses)",
			               nr_dropped + 1, SYT_NR_PAUSES - 1);
	}
}

/* Writes the JSON member "pauses": [{"from": ns, "to": ns}, ...]. A pause that lasted to the end of the
 * trace has no "to". */
static void json_pauses(struct syt_json *j, const struct syt_trace_data *t)
{
	const struct syt_image *i = most_paused(t);

	if (!i)
		return;
	syt_json_begin(j, "pauses", '[');
	for (uint32_t n = 0; n < i->nr_pauses; n++) {
		syt_json_begin(j, NULL, '{');
		syt_json_time(j, SYT_KEY("from", "from_ns"), SYT_TIME_NS(i->pauses[n].from));
		if (i->pauses[n].to != UINT64_MAX)
			syt_json_time(j, SYT_KEY("to", "to_ns"), SYT_TIME_NS(i->pauses[n].to));
		syt_json_end(j);
	}
	syt_json_end(j);
}

/* Prints the share of acquires and of received bytes whose cause is known. Calls and bytes that a process without
 * recording may have caused do not count; the list of blind spots contains them. */
static void put_shares(struct syt_out *out, const struct syt_coverage *c)
{
	uint64_t acquires = c->acquires - c->unattributed[SYT_REASON_UNTRACED_PEER] -
	                    c->unattributed[SYT_REASON_UNTRACED_WRITER];
	uint64_t bytes = c->bytes_received - c->bytes_unmatched[SYT_REASON_UNTRACED_PEER] -
	                 c->bytes_unmatched[SYT_REASON_UNTRACED_WRITER];
	uint64_t unknown = acquires - (c->acquires - syt_coverage_unattributed(c));

	if (acquires)
		syt_out_printf(out,
		               " The unlock, wake-up or send before %" PRIu64 " of %" PRIu64
		               " locks, waits and receives (%.2f %%) is unknown.",
		               unknown, acquires, 100 - syt_percent(acquires - unknown, acquires));
	if (bytes)
		syt_out_printf(out,
		               " The sender of %.2f %% of the bytes that recorded processes sent "
		               "to each other is known.",
		               syt_percent(c->bytes_matched, bytes));
}

/* Tells the share of the calls that the sampler selected. */
static void put_sampling(struct syt_out *out, const struct syt_trace_data *t,
                         const struct syt_coverage *c)
{
	const struct syt_calls calls = syt_calls_of(t);
	uint64_t all = syt_calls_sum(&calls);

	if (!syt_trace_is_sampled(t))
		return;
	syt_out_printf(out,
	               " The sampler %s selected %" PRIu64 " of %" PRIu64
	               " calls (%.2f %%); of %" PRIu64
	               " others, the trace has events without call stack (ghosts), and %" PRIu64
	               " (%.2f %%) were not sampled.",
	               syt_sampler_of(t), calls.whole, all, syt_percent(calls.whole, all),
	               calls.ghosts, calls.left_out, syt_percent(calls.left_out, all));
	if (c->unattributed[SYT_REASON_NOT_SAMPLED])
		syt_out_printf(out,
		               " The unlock, wake-up or send before %" PRIu64
		               " locks, waits and receives was not sampled.",
		               c->unattributed[SYT_REASON_NOT_SAMPLED]);
}

/* Writes the member "sampling" of a sampled trace. */
static void json_sampling(struct syt_json *j, const struct syt_trace_data *t)
{
	const struct syt_calls calls = syt_calls_of(t);
	struct syt_sampled_paths paths;

	if (!syt_trace_is_sampled(t))
		return;
	paths = syt_sampled_paths_of(t);
	syt_json_begin(j, "sampling", '{');
	syt_json_string(j, "sampler", syt_sampler_of(t));
	syt_json_u64(j, "calls", syt_calls_sum(&calls));
	syt_json_u64(j, "whole", calls.whole);
	syt_json_u64(j, "ghosts", calls.ghosts);
	syt_json_u64(j, SYT_KEY("left_out", "calls_left_out"), calls.left_out);
	syt_json_u64(j, SYT_KEY("paths", "call_paths"), paths.all);
	syt_json_u64(j, "paths_whole", paths.whole);
	syt_json_end(j);
}

#define MOST_HOSTS 4u /* hosts that the coverage names */

/* Names the hosts that no messages relate to the others. */
static void put_apart(struct syt_out *out, const struct syt_trace_data *t)
{
	uint32_t nr_hosts = syt_hosts_nr(t), nr = 0;

	for (uint32_t n = 0; n < nr_hosts && nr_hosts > 1; n++) {
		const struct syt_host_summary s = syt_host_summary_of(t, n);

		if (s.component || nr++ >= MOST_HOSTS)
			continue;
		syt_out_string(out, nr == 1 ? " Hosts that are apart: " : ", ");
		syt_out_safe(out, s.name);
	}
	if (nr > MOST_HOSTS)
		syt_out_printf(out, " and %" PRIu32 " more", nr - MOST_HOSTS);
	if (nr)
		syt_out_string(out, " (placed by wall clock, no order is certain).");
}

/* Tells that no messages relate groups of hosts. */
static void put_groups(struct syt_out *out, const struct syt_trace_data *t)
{
	uint32_t nr = syt_hosts_nr(t) > 1 ? t->hosts->placement->nr_components : 0;

	if (nr > 1)
		syt_out_printf(out,
		               " The hosts form %" PRIu32
		               " groups without messages between the groups (placed by wall clock, "
		               "no order between two groups is certain).",
		               nr);
}

bool syt_coverage_is_gapless(const struct syt_trace_data *t)
{
	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		if (i->nr_lost || i->nr_missing || i->nr_overwritten || i->is_damaged ||
		    i->is_sampled || i->nr_pauses > (i->copied != 0))
			return false;
	}
	return true;
}

void syt_coverage_line(struct syt_out *out, const struct syt_order *o)
{
	const struct syt_trace_data *t = o->places.trace;
	const struct syt_coverage *c = &o->coverage;
	uint64_t nr_events = 0, nr_lost = 0;

	for (uint32_t i = 0; i < t->nr_images; i++) {
		nr_events += t->images[i].nr_decoded;
		nr_lost += t->images[i].nr_lost + t->images[i].nr_missing +
		           t->images[i].nr_overwritten;
	}
	struct syt_out words, blind;

	syt_out_open(&blind, -1, false);
	syt_blind_line(&blind, o);
	syt_wrap_begin(&words, out);
	syt_out_printf(&words,
	               "Coverage: the trace has %" PRIu64 " events, %" PRIu64 " lost or "
	               "overwritten",
	               nr_events, nr_lost);
	put_pauses(&words, t);
	syt_out_char(&words, '.');
	put_sampling(&words, t, c);
	put_shares(&words, c);
	if (c->defects)
		syt_out_printf(&words,
		               " %" PRIu64 " inferred order%s of events contradict%s the clock: "
		               "please report this trace.",
		               c->defects, c->defects == 1 ? "" : "s", c->defects == 1 ? "s" : "");
	put_apart(&words, t);
	put_groups(&words, t);
	if (!blind.used)
		syt_out_string(&words, " No blind spots.");
	syt_wrap_end(&words, out, 3);
	syt_wrap_end_lines(&blind, out);
}

static void json_reasons(struct syt_json *j, const char *key, const uint64_t *reasons)
{
	syt_json_begin(j, key, '{');
	for (unsigned i = 0; i < SYT_NR_REASONS; i++)
		if (reasons[i])
			syt_json_u64(j, syt_reason_name(i), reasons[i]);
	syt_json_end(j);
}

/* Writes the numbers of the hosts that are apart. A trace of one host has no such member. */
static void json_apart(struct syt_json *j, const struct syt_trace_data *t)
{
	uint32_t nr = syt_hosts_nr(t);

	if (nr < 2)
		return;
	syt_json_begin(j, "hosts_apart", '[');
	for (uint32_t n = 0; n < nr; n++)
		if (!syt_host_summary_of(t, n).component)
			syt_json_u64(j, NULL, n);
	syt_json_end(j);
}

void syt_coverage_json(struct syt_out *out, const struct syt_order *o)
{
	const struct syt_coverage *c = &o->coverage;
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "coverage");
	syt_json_u64(&j, "acquires", c->acquires);
	syt_json_u64(&j, "attributed", c->attributed);
	syt_json_u64(&j, SYT_KEY("ambiguous", "ambiguous_acquires"), c->ambiguous);
	syt_json_u64(&j, "unneeded", c->unneeded);
	json_reasons(&j, "unattributed", c->unattributed);
	syt_json_u64(&j, "bytes_received", c->bytes_received);
	syt_json_u64(&j, "bytes_matched", c->bytes_matched);
	json_reasons(&j, "bytes_unmatched", c->bytes_unmatched);
	syt_json_begin(&j, SYT_KEY("edges", "edges_by_kind"), '{');
	for (unsigned i = 0; i < SYT_NR_EDGE_KINDS; i++)
		if (c->edges[i])
			syt_json_u64(&j, syt_edge_kind_text(i), c->edges[i]);
	syt_json_end(&j);
	syt_json_begin(&j, "pairs", '{');
	syt_json_u64(&j, "exact", c->pairs_exact);
	syt_json_u64(&j, "inferred", c->pairs_inferred);
	syt_json_u64(&j, "unknown", c->unpaired_unix);
	syt_json_end(&j);
	syt_json_u64(&j, "defects", c->defects);
	json_pauses(&j, o->places.trace);
	json_sampling(&j, o->places.trace);
	json_apart(&j, o->places.trace);
	syt_blind_json(&j, o);
	syt_json_end_line(&j);
}

static bool is_first(const struct syt_order *o)
{
	return !syt_coverage_is_gapless(o->places.trace) || o->coverage.defects;
}

void syt_coverage_begin(struct syt_out *out, const struct syt_order *o, bool is_json)
{
	if (is_json)
		syt_coverage_json(out, o);
	else if (is_first(o))
		syt_coverage_line(out, o);
}

void syt_coverage_end(struct syt_out *out, const struct syt_order *o, bool is_json)
{
	if (is_json || is_first(o))
		return;
	syt_out_blank_line(out);
	syt_coverage_line(out, o);
}
