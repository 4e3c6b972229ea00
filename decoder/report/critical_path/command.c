/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode critical-path: what determined when the program, an event or a request of it ended. */
#include "decoder/report/critical_path/view.h"
#include "decoder/command/command.h"
#include "decoder/report/critical_path/requests.h"

#define MOST_SEGMENTS 30u

struct options {
	const char *from, *to; /* ids, or NULL */
	struct syt_request_choice request;
	uint64_t limit;
	bool has_stacks, wants_requests, has_all;
};

/* Options that mean different paths. */
static void check(void *options_, struct argp_state *state)
{
	const struct options *o = options_;
	bool has_ends = o->from || o->to, has_request = syt_request_is_chosen(&o->request);

	if (has_ends + has_request + o->wants_requests > 1)
		argp_error(state, "--from and --to, --request and --requests exclude each other");
	if (o->has_all && !o->wants_requests)
		argp_error(state, "--all belongs to --requests");
	if (o->has_stacks && o->wants_requests)
		argp_error(state, "--stacks shows those of a path: with --request, not --requests");
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"from", 0, "ID", 0, "from the begin of event P.T.N on (default: the first event)", 0}, AT(from), syt_parse_text},
	{{"to", 0, "ID", 0, "to the end of event P.T.N (default: the last one)", 0}, AT(to), syt_parse_text},
	{{"request", 0, "N", 0, "of request N, from its arrival to the end of its answer; slowest: the slowest request, slowest:K: the K-th slowest", 0},
	 AT(request), syt_request_choose},
	{{"requests", 0, NULL, 0, "list the requests, the slowest first", 0}, AT(wants_requests), syt_parse_true},
	{{"all", 0, NULL, 0, "with --requests: also requests without an answer, from one server to another, or in doubt", 0}, AT(has_all), syt_parse_true},
	SYT_OPTION_LIMIT(AT(limit), "as text, show the N longest segments, and at most N rows of each table (30)"),
	SYT_OPTION_STACKS(AT(has_stacks), "with call stacks"),
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {.limit = SYT_LIMIT_AUTO};

static enum syt_exit find_and_print(struct syt_command *c, const struct syt_order *order)
{
	const struct options *o = c->options;
	struct syt_path_view v = {.from = {SYT_NONE, 0},
	                          .limit = o->limit != SYT_LIMIT_AUTO ? o->limit : MOST_SEGMENTS,
	                          .has_stacks = o->has_stacks};
	struct syt_place first, last;
	syt_time from;

	if (o->wants_requests)
		return syt_requests_run(c, order,
		                        o->limit != SYT_LIMIT_AUTO     ? o->limit
		                        : c->format == SYT_FORMAT_TEXT ? MOST_SEGMENTS
		                                                       : 0,
		                        o->has_all);
	if (syt_request_is_chosen(&o->request))
		return syt_request_run(c, order, &o->request, &v, syt_path_text, syt_path_json);
	if (!syt_path_ends(&order->places, &first, &last)) {
		syt_warn("there is no event");
		return SYT_EXIT_OK;
	}
	v.to = last;
	if ((o->from && !syt_path_find_event(order, o->from, &v.from)) ||
	    (o->to && !syt_path_find_event(order, o->to, &v.to)))
		return SYT_EXIT_USAGE;
	from = syt_place_row(&order->places, o->from ? v.from : first)->in;
	if (from > syt_place_row(&order->places, v.to)->out) {
		syt_warn("'%s' ended before '%s' began", o->to ? o->to : "the last event", o->from);
		return SYT_EXIT_USAGE;
	}
	return syt_path_run(c, order, &v, from, syt_path_text, syt_path_json);
}

static enum syt_exit run(struct syt_command *c)
{
	struct syt_order order;
	enum syt_exit status;

	if (syt_order_open(&order, c->trace))
		return SYT_EXIT_UNREADABLE;
	status = find_and_print(c, &order);
	syt_order_close(&order);
	return status;
}

const struct syt_report syt_report_critical_path = {
	.name = "critical-path",
	.summary = "what determined when it ended, across threads and processes",
	.doc = "Prints the chain of what ran and of what was waited for that determined when the "
	       "last event, another one or a request ended: from the end backwards, at each wait "
	       "to the thread that ended it.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.defaults = &defaults,
	.check = check,
	.options_bytes = sizeof(struct options),
	.finding = {"The path that determined the end", "critical", 3, SYT_FINDING_EDGES_ALL, syt_path_find},
	.run = run,
};
