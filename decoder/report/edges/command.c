/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command edges prints the happens-before edges. A trace may have millions of edges, and a line of text is a
 * sentence, not a row of a table. Both formats are therefore printed without a listing
 * (decoder/show/edge_print.c). */
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/ordered.h"
#include "decoder/report/edges/reach_print.h"
#include "decoder/show/edge_print.h"
#include "decoder/read/number.h"
#include "decoder/order/handoff.h"
#include "decoder/order/reach.h"
#include "decoder/order/verify.h"

/* The value of the option --from or --to: a moment, or the id of an event. */
struct bound {
	struct syt_moment moment;
	const char *id; /* id of an event; NULL: the value is a moment */
};

struct options {
	uint32_t kinds;   /* wanted kinds of edges: bits 1 << SYT_EDGE_*; 0: all */
	uint32_t classes; /* wanted classes of edges: bits 1 << SYT_CLASS_*; 0: all */
	struct bound from, to;
	uint64_t limit;
	bool has_program, has_verify, has_reach, has_run_after, has_inferred;
};

static void parse_bound(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct bound *b = field;
	const char *dot = strchr(arg, '.');

	if ((dot && strchr(dot + 1, '.')) || strchr(arg, '@'))
		b->id = arg;
	else if (!syt_moment_parse(arg, &b->moment))
		argp_error(state,
		           "--%s takes an event id (P.T.N, as the report events prints it) or a "
		           "time, not '%s': " SYT_MOMENT_HELP,
		           name, arg);
}

static void refuse_kind(const char *arg, struct argp_state *state)
{
	char *text;
	size_t bytes;
	FILE *all = syt_memstream(&text, &bytes);

	for (unsigned i = 0; i < SYT_NR_EDGE_KINDS; i++)
		fprintf(all, " %s", syt_edge_kind_text((enum syt_edge_kind)i));
	fclose(all);
	argp_error(state, "unknown kind of edge '%s'; the kinds are%s", arg, text);
	free(text);
}

static void parse_kind(void *field, const char *name, const char *arg, struct argp_state *state)
{
	(void)name;
	if (syt_edge_kind_find(arg) == SYT_NR_EDGE_KINDS)
		refuse_kind(arg, state);
	else
		*(uint32_t *)field |= 1u << syt_edge_kind_find(arg);
}

static void parse_class(void *field, const char *name, const char *arg, struct argp_state *state)
{
	for (unsigned i = 0; i < SYT_NR_CLASSES; i++) {
		if (!strcmp(arg, syt_edge_class_text(i))) {
			*(uint32_t *)field |= 1u << i;
			return;
		}
	}
	argp_error(state, "--%s takes causal, run-after or inferred, not '%s'", name, arg);
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"kind", 0, "KIND", 0, "print only edges made by this kind of object or call, for example stream or mutex (repeatable)", 0}, AT(kinds), parse_kind},
	{{"class", 0, "CLASS", 0, "print only edges of this class: causal (one event caused the other), run-after (two threads used a lock one after the other) or inferred (repeatable)", 0}, AT(classes), parse_class},
	{{"program", 0, NULL, 0, "also print the edges between consecutive events of the same thread", 0}, AT(has_program), syt_parse_true},
	{{"from", 0, "ID|TIME", 0, "print only edges that begin at event P.T.N, or only edges that "
	                           "end at this time or later: in seconds as printed, in ns as in "
	                           "JSON, or +TIME after the begin of the trace", 0}, AT(from), parse_bound},
	{{"to", 0, "ID|TIME", 0, "print only edges that end at event P.T.N, or only edges that end "
	                         "before this time. With an event for --from and for --to: print "
	                         "whether the event of --from happened before the event of --to, "
	                         "and the chain of edges between them; the exit status is 1 if it "
	                         "did not", 0}, AT(to), parse_bound},
	{{"reach", 0, NULL, 0, "with an event for --from or --to: print for each thread the first event that is ordered after --from, or the last event that is ordered before --to", 0},
	 AT(has_reach), syt_parse_true},
	{{"run-after", 0, NULL, 0, "with --from and --to, or --reach: also follow run-after edges, from the end of one critical section to the begin of the next one of the same lock", 0}, AT(has_run_after), syt_parse_true},
	{{"inferred", 0, NULL, 0, "also print inferred edges: work items that one thread put into a queue in memory and another thread took out", 0}, AT(has_inferred), syt_parse_true},
	SYT_OPTION_LIMIT(AT(limit), "print at most N edges"),
	{{"verify", 0, NULL, 0, "print only whether every edge leads forward in time and no chain of edges leads back to its begin; the exit status is 1 if not", 0}, AT(has_verify), syt_parse_true},
	SYT_OPTION_END,
};
/* clang-format on */

static void check(void *options_, struct argp_state *state)
{
	const struct options *o = options_;

	if (o->has_reach && !o->from.id == !o->to.id)
		argp_error(state, "--reach needs an event id (P.T.N) for either --from or --to");
}

/* Adds the edges between the consecutive events of each thread. An event of a signal handler that interrupted a
 * call has no such edge. */
static void add_program(struct syt_order *order)
{
	for (uint32_t n = 0; n < order->places.nr_threads; n++) {
		const struct syt_thread *t = order->places.threads[n];

		SYT_EACH(row, 1, t->nr_rows) {
			if (t->rows[row - 1].out <= t->rows[row].in)
				syt_edges_add(&order->edges,
				              (struct syt_edge){.from = {n, (uint32_t)row - 1},
				                                .to = {n, (uint32_t)row},
				                                .object = SYT_NONE,
				                                .kind = SYT_EDGE_PROGRAM});
		}
	}
	syt_edges_sort(&order->edges);
}

static bool has_id(const struct syt_order *o, struct syt_place at, const char *id)
{
	char text[SYT_NODE_TEXT];

	syt_order_node_text(o, at, text, sizeof(text));
	return !strcmp(text, id);
}

/* Tells why no edge was printed: the trace has edges of other kinds, or it has none. */
static void print_none(struct syt_out *out, const struct syt_coverage *c)
{
	const char *separator = " of these kinds: ";
	uint64_t nr = 0;

	for (unsigned i = 0; i < SYT_NR_EDGE_KINDS; i++)
		nr += c->edges[i];
	if (!nr) {
		syt_out_string(out, "The trace has no happens-before edges.\n");
		return;
	}
	syt_out_printf(
		out, "No happens-before edge matches the options. The trace has %" PRIu64 " edge%s",
		nr, nr == 1 ? "" : "s");
	for (unsigned i = 0; i < SYT_NR_EDGE_KINDS; i++) {
		if (!c->edges[i])
			continue;
		syt_out_printf(out, "%s%s (%" PRIu64 ")", separator, syt_edge_kind_text(i),
		               c->edges[i]);
		separator = ", ";
	}
	syt_out_string(out, ".\n");
}

#define EDGES_MAX 65536u /* number of edges of a batch */

/* Edges that workers print. */
struct batch {
	struct syt_command *c;
	const struct syt_order *order;
	size_t nr;
	const struct syt_edge **all;
};

static void write_edges(void *context, struct syt_out *out, size_t from, size_t to, unsigned worker)
{
	const struct batch *b = context;

	(void)worker;
	for (size_t n = from; n < to; n++)
		syt_edge_json(out, b->order, b->all[n]);
}

/* Prints the edges of B, and empties it. Workers make no text with symbols, and no names of objects: one thread makes both. */
static void print_batch(struct batch *b, struct syt_ordered *ordered)
{
	for (size_t n = 0; n < b->nr; n++) {
		if (b->c->format != SYT_FORMAT_JSONL)
			syt_edge_text(b->c->out, b->c->symbols, b->order, b->all[n]);
		else
			syt_edge_name_objects(b->order, b->all[n]);
	}
	if (b->c->format == SYT_FORMAT_JSONL)
		syt_ordered_write(ordered, b->nr, write_edges, b);
	b->nr = 0;
}

/* Returns true if the options select the edge E. FROM and TO are the times of --from and --to. */
static bool is_selected(const struct options *o, const struct syt_order *order,
                        const struct syt_edge *e, syt_time from, syt_time to)
{
	if ((o->kinds && !(o->kinds >> e->kind & 1)) ||
	    (o->classes && !(o->classes >> e->class & 1)))
		return false;
	if (from || to != UINT64_MAX) {
		syt_time end = syt_edge_end(&order->edges, e);

		if (end < from || end >= to)
			return false;
	}
	return (!o->from.id || has_id(order, e->from, o->from.id)) &&
	       (!o->to.id || has_id(order, e->to, o->to.id));
}

static void print(struct syt_command *c, const struct syt_order *order)
{
	const struct options *o = c->options;
	syt_time from = syt_moment_time(&o->from.moment, c->trace, 0);
	syt_time to = syt_moment_time(&o->to.moment, c->trace, UINT64_MAX);
	struct batch batch = {.c = c, .order = order};
	struct syt_ordered ordered;
	uint64_t nr = 0;

	batch.all = syt_alloc(EDGES_MAX, sizeof(*batch.all));
	syt_ordered_open(&ordered, c->out, c->trace->nr_workers);
	SYT_EACH_FAR(i, 0, order->edges.nr) {
		if (c->out->is_closed)
			break;
		if (!is_selected(o, order, &order->edges.all[i], from, to))
			continue;
		batch.all[batch.nr++] = &order->edges.all[i];
		if (batch.nr == EDGES_MAX)
			print_batch(&batch, &ordered);
		if (++nr == o->limit)
			break;
	}
	print_batch(&batch, &ordered);
	syt_ordered_close(&ordered);
	free(batch.all);
	if (!nr && c->format == SYT_FORMAT_TEXT)
		print_none(c->out, &order->coverage);
}

static enum syt_exit verify(struct syt_command *c, const struct syt_order *order)
{
	struct syt_verdict v;
	bool is_good = syt_verify(&order->edges, &v);

	if (c->format == SYT_FORMAT_JSONL) {
		struct syt_json j = {.out = c->out};

		syt_json_begin_line(&j, "verification");
		syt_json_bool(&j, "good", is_good);
		syt_json_u64(&j, "edges", v.nr_edges);
		syt_json_u64(&j, "backward", v.nr_backward);
		syt_json_u64(&j, "in_cycles", v.nr_in_cycles);
		syt_json_end_line(&j);
	} else {
		syt_out_printf(c->out,
		               "%" PRIu64 " happens-before edges: %" PRIu64 " lead backward in "
		               "time, %" PRIu64 " events are in a cycle of edges\n",
		               v.nr_edges, v.nr_backward, v.nr_in_cycles);
		if (v.has_example) {
			syt_out_string(c->out, "Example: ");
			syt_edge_text(c->out, c->symbols, order, &v.example);
		}
	}
	return is_good ? SYT_EXIT_OK : SYT_EXIT_FINDINGS;
}

/* Returns true if the options ask about single events: --from and --to, or --reach. */
static bool asks_about_events(const struct options *o)
{
	return o->has_reach || (o->from.id && o->to.id);
}

static bool find_event(const struct syt_order *order, const char *id, struct syt_place *at)
{
	if (!id || syt_place_find(&order->places, id, at))
		return true;
	syt_warn("there is no event '%s'; the report events prints the ids, P.T.N", id);
	return false;
}

static enum syt_exit print_reach(struct syt_command *c, const struct syt_order *order)
{
	const struct options *o = c->options;
	unsigned flags = o->has_run_after ? SYT_REACH_RUN_AFTER : 0;
	struct syt_place from = {SYT_NONE, 0}, to = {SYT_NONE, 0};

	if (!find_event(order, o->from.id, &from) || !find_event(order, o->to.id, &to))
		return SYT_EXIT_USAGE;
	if (o->has_reach)
		return syt_reach_print_nearest(c, order, o->from.id ? from : to, o->to.id,
		                               flags | (o->has_inferred ? SYT_REACH_POSSIBLE : 0));
	return syt_reach_print_before(c, order, from, to, flags);
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	enum syt_exit status = SYT_EXIT_OK;
	struct syt_edges_wanted wanted = {SYT_EDGES_ALL, SYT_EDGES_ALL};
	struct syt_order order;

	/* edges that will not be printed need no memory */
	if (o->kinds && !o->has_verify && !asks_about_events(o))
		wanted.kinds = o->kinds;
	if (o->classes && !o->has_verify && !asks_about_events(o))
		wanted.classes = o->classes;
	if (syt_order_open_for(&order, c->trace, wanted))
		return SYT_EXIT_UNREADABLE;
	if (o->has_inferred || o->kinds >> SYT_EDGE_HANDOFF & 1 ||
	    o->classes >> SYT_CLASS_INFERRED & 1)
		syt_handoffs_infer(&order, c->symbols);
	if (o->has_program || o->kinds >> SYT_EDGE_PROGRAM & 1)
		add_program(&order);
	if (o->has_verify)
		status = verify(c, &order);
	else if (asks_about_events(o))
		status = print_reach(c, &order);
	else
		print(c, &order);
	syt_order_close(&order);
	return status;
}

const struct syt_report syt_report_edges = {
	.name = "edges",
	.summary = "the happens-before edges: recorded orders between events of different threads "
	           "and processes",
	.doc = "Prints the happens-before edges in the order of time. A happens-before edge is a "
	       "recorded order between two events of different threads or processes, for example "
	       "from the unlock of a mutex to the lock that waited for it. Each line has the two "
	       "events, the sync object (such as a mutex or a socket), and how long the later "
	       "event waited.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.check = check,
	.options_bytes = sizeof(struct options),
	.run = run,
};
