/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * moved [--method=least-squares] [--pairs=N] [--seed=N] TRUE... -- MOVED...: judges the placement of several hosts.
 *
 * One clock timed the traces TRUE. The traces MOVED are copies of them with other clocks (tests/lib/rehost), in the same order
 * and with the same trace ids, so that both have the same events. Each clock is a linear function of the true time. Therefore
 * the true time on the clock of the reference is a line through the events of the reference.
 *
 *  - The edges of MOVED are those of TRUE, except edges between hosts that are apart.
 *  - All edges run forward in time, in MOVED and by the true clock.
 *  - The true time of each event lies in [ts - early, ts + late] of its segment.
 *  - Of N pairs of times on different hosts of one component, a certain order is the true order. Half of the pairs are near
 *    each other in time. The other half are any times of the trace.
 *  - Edges prove that an event is before another one: the first begins before the second ends.
 *
 * Prints the errors and widths in us. Exit status 1 if anything is wrong.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/store.h"
#include "decoder/host/join.h"
#include "decoder/order/order.h"
#include "decoder/order/reach.h"
#include "decoder/order/verify.h"
#include "decoder/read/clock.h"
#include "decoder/read/reader.h"
#include "tests/lib/random.h"

#define NEAR 40 /* two near times of two hosts have fewer times of the second host between them */
#define NR_SEARCHES 50 /* searches for the order that edges prove */
#define NS_PER_US 1e3
#define ROUNDING_NS 2 /* of times and clock maps */
#define SHOWN 5

/* The begin or the end of an event. */
struct instant {
	syt_time true_at, at; /* by the true clock; on the joined axis */
	uint32_t host;
};

struct side {
	struct syt_trace_data *trace;
	struct syt_order order;
};

static struct side truth, moved;
static const struct syt_hosts *hosts;
static struct instant *instants;      /* sorted by host, then by true time */
static size_t nr_instants, *first_of; /* [host]: its first instant; one more for the end */
static unsigned nr_wrong;

static void __attribute__((format(printf, 1, 2))) wrong(const char *format, ...)
{
	va_list arguments;

	if (nr_wrong++ >= SHOWN)
		return;
	printf("WRONG: ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

/* ---- reading ---- */

/* The true clock is a straight line of its ticks, as each moved clock is (decoder/host/join.c). */
static struct syt_hosts *join_true(const struct syt_join *settings, const struct syt_clocks *clocks)
{
	if (clocks->nr != 1)
		syt_die(2, "the true traces have %" PRIu32 " clocks", clocks->nr);
	syt_clock_straighten(&clocks->all[0]);
	return syt_hosts_join(settings, clocks);
}

static void open_side(struct side *s, char **traces, int nr, const struct syt_join *join)
{
	const struct syt_read_options options = {.nr_workers = 1, .join = join};
	struct syt_read_report report;

	s->trace = syt_read((const char *const *)traces, (size_t)nr, &options, &report);
	if (report.nr_unreadable || report.is_damaged || syt_order_open(&s->order, s->trace))
		syt_die(2, "%s: unreadable", traces[0]);
}

static const struct syt_thread *thread_of(const struct side *s, uint32_t thread)
{
	return s->order.places.threads[thread];
}

static uint32_t component_of(uint32_t host)
{
	return hosts->placement->clocks[host].component;
}

static int by_true_time(const void *a_, const void *b_)
{
	const struct instant *a = a_, *b = b_;

	SYT_ORDER_BY(host);
	SYT_ORDER_BY(true_at);
	return 0;
}

/* Fills INSTANTS with the two times of each event. */
static void find_instants(void)
{
	const struct syt_places *p = &moved.order.places;
	size_t nr = 0;

	for (uint32_t t = 0; t < p->nr_threads; t++)
		nr_instants += 2 * p->threads[t]->nr_rows;
	instants = syt_calloc(nr_instants, sizeof(*instants));
	for (uint32_t t = 0; t < p->nr_threads; t++) {
		const struct syt_thread *now = thread_of(&moved, t), *was = thread_of(&truth, t);
		const uint32_t host =
			syt_hosts_of(hosts, (uint32_t)(now->image - moved.trace->images));

		if (now->nr_rows != was->nr_rows || now->image->file.pid != was->image->file.pid)
			syt_die(2, "the traces have different events");
		for (uint64_t n = 0; n < now->nr_rows; n++) {
			const struct syt_row *r = syt_thread_row(now, n),
					     *w = syt_thread_row(was, n);

			instants[nr++] = (struct instant){w->in, r->in, host};
			instants[nr++] = (struct instant){w->out, r->out, host};
		}
	}
	qsort(instants, nr, sizeof(*instants), by_true_time);
	first_of = syt_calloc(hosts->nr + 1, sizeof(*first_of));
	for (size_t n = 0; n < nr; n++)
		first_of[instants[n].host + 1] = n + 1;
	for (uint32_t h = 0; h < hosts->nr; h++)
		if (first_of[h + 1] < first_of[h])
			first_of[h + 1] = first_of[h];
}

/* ---- edges ---- */

static int by_ends(const void *a_, const void *b_)
{
	const struct syt_edge *a = a_, *b = b_;

	if (syt_place_compare(a->from, b->from))
		return syt_place_compare(a->from, b->from);
	if (syt_place_compare(a->to, b->to))
		return syt_place_compare(a->to, b->to);
	SYT_ORDER_BY(kind);
	return 0;
}

static struct syt_edge *sorted_edges(const struct syt_edges *e)
{
	struct syt_edge *all = syt_alloc(e->nr + 1, sizeof(*all));

	memcpy(all, e->all, e->nr * sizeof(*all));
	qsort(all, e->nr, sizeof(*all), by_ends);
	return all;
}

static void tell_edge(const char *what, const struct side *s, const struct syt_edge *e)
{
	char from[SYT_NODE_TEXT], to[SYT_NODE_TEXT];

	syt_order_node_text(&s->order, e->from, from, sizeof(from));
	syt_order_node_text(&s->order, e->to, to, sizeof(to));
	wrong("%s edge %s from %s to %s", what, syt_edge_kind_text(e->kind), from, to);
}

static uint32_t host_of(uint32_t thread)
{
	return syt_hosts_of(hosts,
	                    (uint32_t)(thread_of(&moved, thread)->image - moved.trace->images));
}

/* Returns true if the ends of E are on one host, or on two hosts of one component. */
static bool is_joined(const struct syt_edge *e)
{
	uint32_t a, b;

	if (e->from.thread == SYT_NONE || e->to.thread == SYT_NONE)
		return true;
	a = host_of(e->from.thread);
	b = host_of(e->to.thread);
	return a == b || (component_of(a) != SYT_HOST_NONE && component_of(a) == component_of(b));
}

struct missing {
	uint64_t nr, nr_apart; /* edges between joined hosts; between hosts that are apart */
};

/* Compares the edges. */
static struct missing check_edges(void)
{
	const struct syt_edges *t = &truth.order.edges, *m = &moved.order.edges;
	struct syt_edge *true_edges = sorted_edges(t), *edges = sorted_edges(m);
	struct missing missing = {0};
	uint64_t a = 0, b = 0;
	struct syt_verdict v;

	while (a < t->nr || b < m->nr) {
		const int order = a == t->nr   ? 1
		                  : b == m->nr ? -1
		                               : by_ends(&true_edges[a], &edges[b]);

		if (order > 0)
			tell_edge("added", &moved, &edges[b]);
		if (order < 0 && is_joined(&true_edges[a])) {
			missing.nr++;
			tell_edge("missing", &truth, &true_edges[a]);
		} else if (order < 0) {
			missing.nr_apart++;
		}
		a += order <= 0;
		b += order >= 0;
	}
	/* the set refuses an edge against the estimated offset; then it is missing */
	if (!syt_verify(m, &v) && (v.nr_backward > m->nr_defects || v.nr_in_cycles))
		wrong("%" PRIu64 " edges run backward or in a circle",
		      v.nr_backward - m->nr_defects + v.nr_in_cycles);
	free(true_edges);
	free(edges);
	return missing;
}

/* ---- bounds ---- */

/* The worst host of each. */
struct quality {
	double error_ns, residual_ns, width_ns; /* width: mean of early + late */
	uint32_t nr_segments;
};

/* The times of the reference of a component, by the true clock: the line through its first and last instant. */
struct line {
	const struct instant *first;
	double rate;
};

static struct line line_of(uint32_t reference)
{
	const struct instant *first = &instants[first_of[reference]],
			     *last = &instants[first_of[reference + 1] - 1];

	return (struct line){first, (double)(last->at - first->at) /
	                                    (double)(last->true_at - first->true_at)};
}

/* Returns by how many ns the joined time of I is later than its true time by the clock of the reference. */
static double error_of(const struct line *l, const struct instant *i)
{
	/* differences first: a double has not enough digits for the times */
	return ((double)(int64_t)(i->at - l->first->at) -
	        l->rate * (double)(int64_t)(i->true_at - l->first->true_at)) /
	       (1 << SYT_TIME_SHIFT);
}

static void check_host(uint32_t host, struct quality *q)
{
	const struct syt_host_component *c = &hosts->placement->components[component_of(host)];
	const struct syt_host_place *places = hosts->placement->clocks[host].places;
	const struct line line = line_of(c->reference);
	double width = 0;

	for (size_t n = first_of[host]; n < first_of[host + 1]; n++) {
		const int64_t at = (int64_t)SYT_TIME_NS(instants[n].at) - hosts->axis_ns;
		const struct syt_host_place *p = &places[syt_host_segment(c, at)];
		const double error = error_of(&line, &instants[n]);

		q->error_ns = fmax(q->error_ns, fabs(error));
		width += p->early_ns + p->late_ns;
		if (error > p->early_ns + ROUNDING_NS || error < -p->late_ns - ROUNDING_NS)
			wrong("host %" PRIu32 ": error %.1f ns, early %.1f, late %.1f", host, error,
			      p->early_ns, p->late_ns);
	}
	q->width_ns = fmax(q->width_ns, width / (double)(first_of[host + 1] - first_of[host]));
	for (uint32_t n = 0; n < c->nr_segments; n++)
		q->residual_ns = fmax(q->residual_ns, places[n].residual_ns);
	q->nr_segments = c->nr_segments > q->nr_segments ? c->nr_segments : q->nr_segments;
}

static struct quality check_bounds(void)
{
	struct quality q = {0};

	for (uint32_t h = 0; h < hosts->nr; h++)
		if (component_of(h) != SYT_HOST_NONE && first_of[h] < first_of[h + 1])
			check_host(h, &q);
	return q;
}

/* ---- orders ---- */

static struct syt_random random_state;

static const struct instant *any_of(uint32_t host)
{
	return &instants[first_of[host] +
	                 syt_random_below(&random_state, first_of[host + 1] - first_of[host])];
}

/* Returns an instant of HOST near the instant I of another host. */
static const struct instant *near(uint32_t host, const struct instant *i)
{
	const struct instant wanted = {.true_at = i->true_at, .host = host};
	size_t low = first_of[host], high = first_of[host + 1], at;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (by_true_time(&instants[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	at = low + syt_random_below(&random_state, NEAR);
	at = at < first_of[host] + NEAR / 2 ? first_of[host] : at - NEAR / 2;
	return &instants[at < first_of[host + 1] ? at : first_of[host + 1] - 1];
}

/* Returns true if the clocks prove that A is before B. */
static bool check_order(const struct instant *a, const struct instant *b)
{
	const syt_time needed = syt_hosts_needed(hosts, a->host, a->at, b->host);

	if (needed == UINT64_MAX || b->at <= a->at || b->at - a->at <= needed)
		return false;
	if (a->true_at >= b->true_at)
		wrong("an instant of host %" PRIu32 " is not before one of host %" PRIu32
		      ": %.1f ns of %.1f ns apart, in truth %.1f ns",
		      a->host, b->host, (double)(b->at - a->at) / 16, (double)needed / 16,
		      (double)(int64_t)(b->true_at - a->true_at) / 16);
	if (component_of(a->host) == SYT_HOST_NONE ||
	    component_of(a->host) != component_of(b->host))
		wrong("an order of hosts that are apart");
	return true;
}

/* Checks the order of NR pairs. Returns how many of them have a certain order. */
static uint64_t check_clocks(uint64_t nr)
{
	uint64_t nr_certain = 0;

	for (uint64_t n = 0; n < nr; n++) {
		const uint32_t a = (uint32_t)syt_random_below(&random_state, hosts->nr),
			       other = 1 + (uint32_t)syt_random_below(&random_state, hosts->nr - 1),
			       b = (a + other) % hosts->nr;

		if (first_of[a] == first_of[a + 1] || first_of[b] == first_of[b + 1])
			syt_die(2, "a host has no events");

		const struct instant *x = any_of(a), *y = n % 2 ? near(b, x) : any_of(b);

		nr_certain += check_order(x, y) + check_order(y, x);
	}
	return nr_certain;
}

/* Checks that events which edges prove to be after the event FROM end later than it begins. Returns their number on other
 * hosts. */
static uint64_t check_reached(const struct syt_reach *r, struct syt_place from,
                              struct syt_nearest *nearest)
{
	const syt_time begin = syt_thread_row(thread_of(&truth, from.thread), from.row)->in;
	uint64_t nr = 0;

	syt_reach_nearest(r, from, 0, nearest);
	for (uint32_t t = 0; t < moved.order.places.nr_threads; t++) {
		const struct syt_place to = nearest[t].place;

		if (to.thread == SYT_NONE || host_of(t) == host_of(from.thread))
			continue;
		/* the later events of the thread are later, too */
		nr += thread_of(&truth, t)->nr_rows - to.row;
		if (syt_thread_row(thread_of(&truth, t), to.row)->out < begin)
			wrong("thread %" PRIu32 ", event %" PRIu32 " is before thread %" PRIu32
			      ", event %" PRIu32,
			      to.thread, to.row, from.thread, from.row);
	}
	return nr;
}

/* Returns the number of pairs of events on different hosts whose order edges prove. */
static uint64_t check_reach(void)
{
	const uint32_t nr_threads = moved.order.places.nr_threads;
	struct syt_nearest *nearest = syt_calloc(nr_threads, sizeof(*nearest));
	struct syt_reach r;
	uint64_t nr = 0;

	if (syt_reach_open(&r, &moved.order.edges, false))
		syt_die(2, "too many edges");
	for (unsigned n = 0; n < NR_SEARCHES; n++) {
		const uint32_t t = (uint32_t)syt_random_below(&random_state, nr_threads);
		const uint64_t nr_rows = thread_of(&moved, t)->nr_rows;

		if (nr_rows)
			nr += check_reached(&r,
			                    (struct syt_place){t, (uint32_t)syt_random_below(
									  &random_state, nr_rows)},
			                    nearest);
	}
	syt_reach_close(&r);
	free(nearest);
	return nr;
}

/* ---- */

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"method", required_argument, NULL, 'm'},
		{"pairs", required_argument, NULL, 'p'},
		{"seed", required_argument, NULL, 's'},
		{0},
	};
	struct syt_host_settings settings = {.join = SYT_HOSTS_JOIN, .wander_ppm = -1};
	struct syt_host_settings true_settings = settings;
	uint64_t nr_pairs = 10000, nr_certain, nr_reached;
	struct missing missing;
	int option, nr;

	syt_err_open("moved", 1, "");
	while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (option == 'm' && !strcmp(optarg, "least-squares"))
			settings.method = SYT_HOST_SQUARES;
		else if (option == 'p')
			nr_pairs = strtoull(optarg, NULL, 10);
		else if (option == 's')
			random_state.state = strtoull(optarg, NULL, 10);
		else if (option != 'm' || strcmp(optarg, "gap") != 0)
			return 2;
	}
	argv += optind;
	argc -= optind;
	for (nr = 0; nr < argc && strcmp(argv[nr], "--");)
		nr++;
	if (!nr || argc != 2 * nr + 1)
		syt_die(2, "usage: moved [OPTION...] TRUE... -- MOVED...");
	true_settings.join.join = join_true;
	open_side(&truth, argv, nr, &true_settings.join);
	open_side(&moved, argv + nr + 1, nr, &settings.join);
	hosts = moved.trace->hosts;
	if (!hosts || hosts->nr != (uint32_t)nr ||
	    truth.order.places.nr_threads != moved.order.places.nr_threads)
		syt_die(2, "the traces are not of %d hosts, or have different threads", nr);
	find_instants();
	missing = check_edges();

	const struct quality q = check_bounds();

	nr_certain = check_clocks(nr_pairs);
	nr_reached = check_reach();
	printf("E_r %.2f us, error %.3f us, bounds %.1f us; %" PRIu32
	       " segments, %zu times; %" PRIu64 " edges, %" PRIu64 " missing, %" PRIu64
	       " of hosts that are apart; %" PRIu64 " pairs, %" PRIu64 " certain, %" PRIu64
	       " more by edges; %u wrong\n",
	       q.residual_ns / NS_PER_US, q.error_ns / NS_PER_US, q.width_ns / NS_PER_US,
	       q.nr_segments, nr_instants, moved.order.edges.nr, missing.nr, missing.nr_apart,
	       nr_pairs, nr_certain, nr_reached, nr_wrong);
	return nr_wrong ? 1 : 0;
}
