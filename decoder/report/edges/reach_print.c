/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The members of the JSON line must keep their names, because other programs read them; others may be added. */
#include "decoder/report/edges/reach_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/show/edge_print.h"
#include "decoder/show/print.h"
#include "base/compare.h"
#include "decoder/host/join.h"
#include "decoder/order/reach.h"

enum verdict { NO, PERHAPS, YES };

static const char *const verdict_texts[] = {"no", "perhaps", "yes"};

/* The two events about which the user asks, and the chain of happens-before edges between them. */
struct pair {
	struct syt_command *c;
	const struct syt_order *o;
	struct syt_place from, to;
	struct syt_chain chain;
};

static enum verdict find_chain(struct pair *a, const struct syt_reach *r, unsigned flags)
{
	if (syt_reach_find(r, a->from, a->to, flags, &a->chain))
		return YES;
	syt_chain_close(&a->chain);
	if (syt_reach_find(r, a->from, a->to, flags | SYT_REACH_POSSIBLE, &a->chain))
		return PERHAPS;
	return NO;
}

/* The events of one thread from A to B, between two consecutive edges of the chain. */
struct span {
	struct syt_place a, b;
	uint64_t nr_between;
};

/* Finds the events of a thread between edge I - 1 and edge I of the chain, or after the last edge. Returns false if
 * there is only one event. */
static bool span_before(const struct pair *a, uint64_t i, struct span *s)
{
	const struct syt_edge *all = a->o->edges.all;

	s->a = i ? all[a->chain.edges[i - 1]].to : a->from;
	s->b = i < a->chain.nr ? all[a->chain.edges[i]].from : a->to;
	s->nr_between = s->b.row > s->a.row ? s->b.row - s->a.row - 1 : 0;
	return s->a.thread != SYT_NONE && s->a.row != s->b.row;
}

static syt_time time_of(const struct syt_order *o, struct syt_place at)
{
	if (at.thread == SYT_NONE)
		return o->edges.rounds[at.row].at;
	return syt_row_stamp(syt_place_call(&o->places, at), syt_place_row(&o->places, at));
}

/* ---- text ---- */

static void text_event(const struct pair *a, struct syt_place at)
{
	struct syt_out *out = a->c->out;

	syt_out_string(out, "  ");
	syt_print_seconds(out, SYT_TIME_NS(time_of(a->o, at)));
	syt_out_char(out, ' ');
	syt_edge_text_node(out, a->c->symbols, a->o, at);
	syt_out_char(out, '\n');
}

static void text_edge(const struct pair *a, const struct syt_edge *e)
{
	struct syt_out *out = a->c->out;
	bool is_dim = e->class == SYT_CLASS_RUN_AFTER;

	syt_out_printf(out, "      %s ", is_dim ? "..>" : "-->");
	syt_out_color(out, is_dim ? SYT_COLOR_DIM : SYT_COLOR_CYAN);
	syt_out_string(out, syt_edge_kind_text(e->kind));
	syt_out_color(out, SYT_COLOR_NONE);
	syt_out_printf(out, ", %s", syt_edge_class_text(e->class));
	syt_edge_text_rest(out, a->o, e);
	syt_out_char(out, '\n');
}

static void text_chain(const struct pair *a)
{
	struct span s;

	text_event(a, a->from);
	for (uint64_t i = 0; i <= a->chain.nr; i++) {
		if (span_before(a, i, &s)) {
			if (s.nr_between)
				syt_out_printf(a->c->out, "      ... %" PRIu64 " %s\n",
				               s.nr_between,
				               s.nr_between == 1 ? "event" : "events");
			text_event(a, s.b);
		}
		if (i == a->chain.nr)
			break;
		const struct syt_edge *e = &a->o->edges.all[a->chain.edges[i]];

		text_edge(a, e);
		text_event(a, e->to);
	}
}

/* The order of two events on different hosts. */
struct host_order {
	bool is_asked;    /* the events are on different hosts */
	const char *word; /* before, after or undecided */
	const char *by;   /* edges or clocks; NULL: undecided */
	/* time from the end of the earlier call to the begin of the later call; 0: the calls overlap */
	uint64_t gap_ns;
	uint64_t needed_ns; /* the clocks prove the order if the gap is longer; UINT64_MAX: never */
};

/* Sets the gap of O if A ended before B began. Returns true if the clocks prove this order. */
static bool clocks_prove(const struct pair *p, struct host_order *o, struct syt_place a,
                         struct syt_place b)
{
	const struct syt_places *places = &p->o->places;
	const struct syt_hosts *hosts = places->trace->hosts;
	syt_time end = syt_place_row(places, a)->out, begin = syt_place_row(places, b)->in;
	syt_time needed =
		syt_hosts_needed(hosts, syt_hosts_of(hosts, syt_place_image_idx(places, a)), end,
	                         syt_hosts_of(hosts, syt_place_image_idx(places, b)));

	if (end > begin)
		return false;
	o->gap_ns = SYT_TIME_NS(begin - end);
	o->needed_ns = needed == UINT64_MAX ? UINT64_MAX : SYT_TIME_NS(needed);
	return begin - end > needed;
}

static struct host_order order_of(const struct pair *a, enum verdict there, enum verdict back)
{
	const struct syt_places *p = &a->o->places;
	const struct syt_hosts *hosts = p->trace->hosts;
	struct host_order o = {.word = "undecided", .needed_ns = UINT64_MAX};

	o.is_asked = hosts && a->from.thread != SYT_NONE && a->to.thread != SYT_NONE &&
	             syt_hosts_of(hosts, syt_place_image_idx(p, a->from)) !=
	                     syt_hosts_of(hosts, syt_place_image_idx(p, a->to));
	if (!o.is_asked)
		return o;

	bool is_before = clocks_prove(a, &o, a->from, a->to);
	bool is_after = !is_before && clocks_prove(a, &o, a->to, a->from);

	if (there == YES || back == YES) {
		o.word = there == YES ? "before" : "after";
		o.by = "edges";
	} else if (is_before || is_after) {
		o.word = is_before ? "before" : "after";
		o.by = "clocks";
	}
	return o;
}

/* Tells what the clocks of two hosts say about two events that no chain of edges connects. */
static void text_clocks(const struct pair *a, const struct host_order *o, const char *from,
                        const char *to)
{
	struct syt_out *out = a->c->out;

	if (!o->is_asked)
		return;
	syt_out_string(out, "The events are on two hosts: ");
	if (o->by) {
		bool is_before = !strcmp(o->word, "before");

		syt_out_printf(out,
		               "%s ended %.1f us before %s began, and %.1f us prove this order\n",
		               is_before ? from : to, (double)o->gap_ns / 1e3,
		               is_before ? to : from, (double)o->needed_ns / 1e3);
	} else if (o->needed_ns == UINT64_MAX) {
		syt_out_string(out, "their clocks do not tell the order\n");
	} else {
		syt_out_printf(out,
		               "%.1f us lie between them, and only more than %.1f us would prove "
		               "their order\n",
		               (double)o->gap_ns / 1e3, (double)o->needed_ns / 1e3);
	}
}

static void text(const struct pair *a, enum verdict there, enum verdict back)
{
	struct syt_out *out = a->c->out;
	char from[SYT_NODE_TEXT], to[SYT_NODE_TEXT];
	enum verdict shown = there != NO ? there : back;

	syt_order_node_text(a->o, a->from, from, sizeof(from));
	syt_order_node_text(a->o, a->to, to, sizeof(to));
	syt_out_color(out, SYT_COLOR_BOLD);
	syt_out_string(out, verdict_texts[there]);
	syt_out_color(out, SYT_COLOR_NONE);
	if (shown == NO) {
		struct host_order o = order_of(a, there, back);

		syt_out_printf(out, ": %s and %s are concurrent: no chain of edges connects them\n",
		               from, to);
		text_clocks(a, &o, from, to);
		return;
	}
	syt_out_printf(out, ": %s %s before %s, by %" PRIu32 " %s", from,
	               shown == YES ? "happened" : "may have happened", to, a->chain.nr_handoffs,
	               a->chain.nr_handoffs == 1 ? "hand-off" : "hand-offs");
	if (there != NO && back != NO)
		syt_out_string(out, "; the two calls overlap");
	syt_out_char(out, '\n');
	text_chain(a);
}

/* ---- JSON ---- */

static void json_event(struct syt_json *j, const struct pair *a, const char *call_key,
                       const char *function_key, struct syt_place at)
{
	if (at.thread == SYT_NONE)
		return;
	const struct syt_row *r = syt_place_row(&a->o->places, at);
	const struct syt_image *image = syt_place_image(&a->o->places, at);

	syt_json_string(j, call_key, syt_row_call(image, r)->name);
	if (r->stack)
		syt_json_string(j, function_key,
		                syt_symbol_locate(a->c->symbols, image, r->stack)->label);
}

static void json_step(struct syt_json *j, const struct pair *a, const struct syt_edge *e,
                      uint64_t nr_between)
{
	syt_json_begin(j, NULL, '{');
	syt_edge_json_members(j, a->o, e);
	if (e->kind == SYT_EDGE_PROGRAM)
		syt_json_u64(j, "events", nr_between);
	json_event(j, a, "from_call", "from_function", e->from);
	json_event(j, a, "to_call", "to_function", e->to);
	syt_json_end(j);
}

static void json_chain(struct syt_json *j, const struct pair *a)
{
	struct span s;

	syt_json_begin(j, "chain", '[');
	for (uint64_t i = 0; i <= a->chain.nr; i++) {
		if (span_before(a, i, &s))
			json_step(j, a,
			          &(struct syt_edge){.from = s.a,
			                             .to = s.b,
			                             .object = SYT_NONE,
			                             .kind = SYT_EDGE_PROGRAM},
			          s.nr_between);
		if (i < a->chain.nr)
			json_step(j, a, &a->o->edges.all[a->chain.edges[i]], 0);
	}
	syt_json_end(j);
}

static void json_id(struct syt_json *j, const char *key, const struct syt_order *o,
                    struct syt_place at)
{
	char id[SYT_NODE_TEXT];

	syt_order_node_text(o, at, id, sizeof(id));
	syt_json_string(j, key, id);
}

static void json_order(struct syt_json *j, const struct pair *a, enum verdict there,
                       enum verdict back)
{
	struct pair asked = *a;

	if (there == NO && back != NO) { /* A is the pair in the other direction */
		asked.from = a->to;
		asked.to = a->from;
	}
	struct host_order o = order_of(&asked, there, back);

	if (!o.is_asked)
		return;
	syt_json_string(j, "order", o.word);
	syt_json_string(j, SYT_KEY("by", "order_by"), o.by);
	syt_json_u64(j, "gap", o.gap_ns);
	if (o.needed_ns == UINT64_MAX)
		syt_json_null(j, SYT_KEY("needed", "needed_gap"));
	else
		syt_json_u64(j, SYT_KEY("needed", "needed_gap"), o.needed_ns);
}

static void json(const struct pair *a, enum verdict there, enum verdict back)
{
	struct syt_json j = {.out = a->c->out};
	bool is_back = there == NO && back != NO;

	syt_json_begin_line(&j, "reach");
	json_id(&j, "from", a->o, is_back ? a->to : a->from);
	json_id(&j, "to", a->o, is_back ? a->from : a->to);
	syt_json_string(&j, SYT_KEY("before", "happens_before"), verdict_texts[there]);
	syt_json_string(&j, SYT_KEY("after", "happens_after"), verdict_texts[back]);
	if (there != NO || back != NO) {
		syt_json_u64(&j, "handoffs", a->chain.nr_handoffs);
		json_chain(&j, a);
	}
	json_order(&j, a, there, back);
	syt_json_end_line(&j);
}

/* ---- entry points ---- */

enum syt_exit syt_reach_print_before(struct syt_command *c, const struct syt_order *o,
                                     struct syt_place from, struct syt_place to, unsigned flags)
{
	struct pair there = {c, o, from, to, {0}}, back = {c, o, to, from, {0}};
	struct syt_reach r;

	if (syt_reach_open(&r, &o->edges, false))
		return SYT_EXIT_UNREADABLE;
	enum verdict is_before = find_chain(&there, &r, flags),
		     is_after = find_chain(&back, &r, flags);

	(c->format == SYT_FORMAT_JSONL ? json : text)(
		is_before == NO && is_after != NO ? &back : &there, is_before, is_after);
	syt_chain_close(&there.chain);
	syt_chain_close(&back.chain);
	syt_reach_close(&r);
	return is_before == YES ? SYT_EXIT_OK : SYT_EXIT_FINDINGS;
}

struct timed {
	syt_time at;
	const struct syt_nearest *nearest;
};

static int by_time(const void *a_, const void *b_)
{
	const struct timed *a = a_, *b = b_;

	SYT_ORDER_BY(at);
	SYT_ORDER_BY(nearest);
	return 0;
}

static void text_nearest(const struct pair *a, const struct syt_nearest *n)
{
	struct syt_out *out = a->c->out;

	syt_print_seconds(out, SYT_TIME_NS(time_of(a->o, n->place)));
	syt_out_char(out, ' ');
	syt_edge_text_node(out, a->c->symbols, a->o, n->place);
	syt_out_printf(out, ", %" PRIu32 " %s", n->nr_handoffs,
	               n->nr_handoffs == 1 ? "hand-off" : "hand-offs");
	if (n->edge != SYT_NONE)
		syt_out_printf(out, ", by %s", syt_edge_kind_text(a->o->edges.all[n->edge].kind));
	syt_out_char(out, '\n');
}

static void json_nearest(const struct pair *a, const struct syt_nearest *n, bool is_back)
{
	struct syt_json j = {.out = a->c->out};

	syt_json_begin_line(&j, "nearest");
	json_id(&j, "from", a->o, is_back ? n->place : a->from);
	json_id(&j, "to", a->o, is_back ? a->from : n->place);
	syt_json_u64(&j, "handoffs", n->nr_handoffs);
	if (n->edge != SYT_NONE)
		syt_json_string(&j, "kind", syt_edge_kind_text(a->o->edges.all[n->edge].kind));
	syt_json_time(&j, "ts", SYT_TIME_NS(time_of(a->o, n->place)));
	json_event(&j, a, "call", "function", n->place);
	syt_json_end_line(&j);
}

enum syt_exit syt_reach_print_nearest(struct syt_command *c, const struct syt_order *o,
                                      struct syt_place at, bool is_back, unsigned flags)
{
	struct pair a = {c, o, at, at, {0}};
	struct syt_nearest *nearest = syt_calloc(o->places.nr_threads, sizeof(*nearest));
	struct timed *sorted = syt_calloc(o->places.nr_threads, sizeof(*sorted));
	uint32_t nr = 0;
	struct syt_reach r;

	if (syt_reach_open(&r, &o->edges, is_back)) {
		free(nearest);
		free(sorted);
		return SYT_EXIT_UNREADABLE;
	}
	syt_reach_nearest(&r, at, flags, nearest);
	for (uint32_t n = 0; n < o->places.nr_threads; n++)
		if (nearest[n].place.thread != SYT_NONE && n != at.thread)
			sorted[nr++] = (struct timed){time_of(o, nearest[n].place), &nearest[n]};
	qsort(sorted, nr, sizeof(*sorted), by_time);
	for (uint32_t n = 0; n < nr && !c->out->is_closed; n++) {
		if (c->format == SYT_FORMAT_JSONL)
			json_nearest(&a, sorted[n].nearest, is_back);
		else
			text_nearest(&a, sorted[n].nearest);
	}
	syt_reach_close(&r);
	free(nearest);
	free(sorted);
	return SYT_EXIT_OK;
}
