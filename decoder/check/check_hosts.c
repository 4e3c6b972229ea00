/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The joined time axis of several hosts (doc/clocks.md) contradicts neither the events nor itself:
 *
 * - Each edge between two hosts runs forward. A message is received after it is sent, so a backward edge shows that a clock
 *   is in the wrong place or that two sockets of different connections were paired.
 * - The clock map of each host increases, and meets the axis at the limits of the segments. The order of the events within
 *   one host is therefore kept.
 * - The bounds of each pair of hosts contain the estimate, because the estimate fits to all messages.
 *
 * The clocks confirm an edge if its length exceeds the proven bound between both hosts; the sums count these edges. No messages
 * relate a host that is apart to the others, so such a host has only a map to check. The invariant says nothing about a trace of
 * one host.
 */
#include <inttypes.h>
#include <math.h>

#include "base/err.h"
#include "decoder/check/check.h"
#include "decoder/host/summary.h"

/* ---- edges ---- */

static uint32_t host_at(const struct syt_places *p, struct syt_place at)
{
	return syt_hosts_of(p->trace->hosts, syt_place_image_idx(p, at));
}

static bool is_between(const struct syt_places *p, const struct syt_edge *e)
{
	return e->from.thread != SYT_NONE && e->to.thread != SYT_NONE &&
	       host_at(p, e->from) != host_at(p, e->to);
}

static void report_edge(struct syt_check *c, const struct syt_edge *e)
{
	syt_check_violation_at(
		c,
		"on the joined time axis, the first event is after the second event, "
		"which it precedes",
		e->object, e->from, e->to);
}

static void check_edges(struct syt_check *c)
{
	const struct syt_places *p = &c->order->places;
	const struct syt_edges *edges = &c->order->edges;
	uint64_t nr_confirmed = 0;

	for (uint64_t n = 0; n < edges->nr; n++) {
		const struct syt_edge *e = &edges->all[n];

		if (!is_between(p, e))
			continue;

		syt_time begin = syt_edge_begin(edges, e), end = syt_edge_end(edges, e);

		c->nr_checked++;
		if (begin > end)
			report_edge(c, e);
		else
			nr_confirmed +=
				end - begin > syt_hosts_needed(p->trace->hosts, host_at(p, e->from),
			                                       begin, host_at(p, e->to));
	}
	syt_check_sum(c, "confirmed_by_clocks", nr_confirmed);
	/* the matchers refused such edges, and kept only the first of them */
	if (edges->nr_defects && is_between(p, &edges->first_defect))
		report_edge(c, &edges->first_defect);
}

/* ---- clocks and bounds ---- */

static void report_host(struct syt_check *c, uint32_t host, char *text)
{
	const struct syt_trace_data *t = c->order->places.trace;
	const struct syt_image *i = syt_hosts_image(t, host);

	syt_check_violation(c, (struct syt_violation){
				       .what = text,
				       .text = text,
				       .object = SYT_NONE,
				       .image = i ? (uint32_t)(i - t->images) : SYT_NONE,
			       });
}

/* Returns true if the map of HOST increases, and its segments meet at the knots of the component. */
static bool is_increasing(const struct syt_placement *p, uint32_t host)
{
	const struct syt_host_clock *clock = &p->clocks[host];
	const struct syt_host_component *k = &p->components[clock->component];

	for (uint32_t n = 0; n < k->nr_segments; n++) {
		int64_t next = clock->local_ns[n + 1];
		int64_t end = syt_host_joined(p, host, next - 1);
		/* the slope of a segment has 40 fraction bits */
		int64_t rounded = 2 + ((next - clock->local_ns[n]) >> 39);

		if (clock->local_ns[n] >= next || clock->slopes[n] <= 0 ||
		    end > syt_host_joined(p, host, next) || end > k->knots_ns[n + 1] + rounded ||
		    end < k->knots_ns[n + 1] - rounded)
			return false;
	}
	return true;
}

static void check_clocks(struct syt_check *c)
{
	const struct syt_hosts *h = c->order->places.trace->hosts;
	uint64_t nr_apart = 0;

	for (uint32_t n = 0; n < h->nr; n++) {
		if (h->placement->clocks[n].component == SYT_HOST_NONE)
			nr_apart++;
		else if (!is_increasing(h->placement, n))
			report_host(c, n,
			            syt_asprintf("the clock map of host %s does not increase",
			                         h->all[n].name));
	}
	syt_check_sum(c, "clocks", h->nr - nr_apart);
	syt_check_sum(c, "hosts_apart", nr_apart);
}

static void check_bounds(struct syt_check *c)
{
	const struct syt_hosts *h = c->order->places.trace->hosts;
	const struct syt_placement *p = h->placement;
	uint64_t nr = 0;

	for (size_t n = 0; n < p->nr_pair_segments; n++) {
		const struct syt_host_pair_segment *s = &p->pair_segments[n];

		if (s->state != SYT_HOST_JOINED || !isfinite(s->bounds_ns[0]) ||
		    !isfinite(s->bounds_ns[1]))
			continue;
		nr++;
		if (s->bounds_ns[0] > 0 || s->bounds_ns[1] < 0)
			report_host(c, s->hosts[0],
			            syt_asprintf("the offset between the hosts %s and %s is "
			                         "outside of its bounds in segment %" PRIu32,
			                         h->all[s->hosts[0]].name, h->all[s->hosts[1]].name,
			                         s->segment));
	}
	syt_check_sum(c, "bounds", nr);
}

void syt_check_hosts(struct syt_check *c)
{
	c->is_void = syt_hosts_nr(c->order->places.trace) < 2;
	if (c->is_void)
		return;
	check_edges(c);
	check_clocks(c);
	check_bounds(c);
}
