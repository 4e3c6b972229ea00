/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode critical-path: what determined when the program, an event or a request of it ended. */
#include "decoder/report/critical_path/view.h"
#include "decoder/command/command.h"
#include "decoder/report/critical_path/requests.h"
#include "decoder/command/values.h"

enum { KEY_FROM = 0x2800, KEY_TO, KEY_LIMIT, KEY_STACKS, KEY_REQUEST, KEY_REQUESTS, KEY_ALL };

#define MOST_SEGMENTS 30u

struct options {
	const char *from, *to; /* ids, or NULL */
	struct syt_request_choice request;
	uint64_t limit;
	bool has_limit, has_stacks, wants_requests, has_all;
};

/* Options that mean different paths. */
static void check(const struct options *o, struct argp_state *state)
{
	bool has_ends = o->from || o->to, has_request = syt_request_is_chosen(&o->request);

	if (has_ends + has_request + o->wants_requests > 1)
		argp_error(state, "--from and --to, --request and --requests exclude each other");
	if (o->has_all && !o->wants_requests)
		argp_error(state, "--all belongs to --requests");
	if (o->has_stacks && o->wants_requests)
		argp_error(state, "--stacks shows those of a path: with --request, not --requests");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		o->limit = MOST_SEGMENTS;
		return 0;
	case ARGP_KEY_END:
		check(o, state);
		return 0;
	case KEY_FROM:
		o->from = arg;
		return 0;
	case KEY_TO:
		o->to = arg;
		return 0;
	case KEY_LIMIT:
		o->limit = syt_value_limit(arg, state);
		o->has_limit = true;
		return 0;
	case KEY_STACKS:
		o->has_stacks = true;
		return 0;
	case KEY_REQUEST:
		syt_request_choose(&o->request, arg, state);
		return 0;
	case KEY_REQUESTS:
		o->wants_requests = true;
		return 0;
	case KEY_ALL:
		o->has_all = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static enum syt_exit find_and_print(struct syt_command *c, const struct syt_order *order)
{
	const struct options *o = c->options;
	struct syt_path_view v = {
		.from = {SYT_NONE, 0}, .limit = o->limit, .has_stacks = o->has_stacks};
	struct syt_place first, last;
	syt_time from;

	if (o->wants_requests)
		return syt_requests_run(c, order,
		                        o->has_limit || c->format == SYT_FORMAT_TEXT ? o->limit : 0,
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

static const struct argp_option path_options[] = {
	{"from", KEY_FROM, "ID", 0, "from the begin of event P.T.N on (default: the first event)",
         0},
	{"to", KEY_TO, "ID", 0, "to the end of event P.T.N (default: the last one)", 0},
	{"request", KEY_REQUEST, "N", 0,
         "of request N, from when it came to the end of its answer; slowest: the one that took "
         "longest, slowest:K: the K-th",
         0},
	{"requests", KEY_REQUESTS, NULL, 0, "list the requests, the slowest first", 0},
	{"all", KEY_ALL, NULL, 0,
         "with --requests: also those without an answer, from one server to another, or in doubt",
         0},
	{"limit", KEY_LIMIT, "N", 0,
         "as text, show the N longest segments, and at most N rows of each table (30)", 0},
	{"stacks", KEY_STACKS, NULL, 0, "with call stacks", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp path_argp = {.options = path_options, .parser = parse};

const struct syt_verb syt_verb_critical_path = {
	.name = "critical-path",
	.summary = "what determined when it ended, across threads and processes",
	.doc = "Prints the chain of what ran and of what was waited for that determined when the "
	       "last event, another one or a request ended: from the end backwards, at each wait "
	       "to the thread that ended it.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.argp = &path_argp,
	.options_bytes = sizeof(struct options),
	.run = run,
};
