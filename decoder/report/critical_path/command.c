/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command critical-path prints the work and waits that determined when a program, event or request ended. */
#include <inttypes.h>
#include <string.h>

#include "decoder/command/view.h"
#include "decoder/read/number.h"
#include "decoder/report/critical_path/view.h"

#define MOST_ROWS 30u

struct options {
	const char *from, *to; /* ids P.T.N of the first and the last event; NULL: not given */
	struct syt_request_choice request;
	uint64_t limit;
	bool has_stacks, wants_requests, has_all;
	const char *perf;
};

/* Rejects options that select different paths. */
static void check(void *options_, struct argp_state *state)
{
	const struct options *o = options_;
	bool has_ends = o->from || o->to, has_request = syt_request_is_chosen(&o->request);

	if (has_ends + has_request + o->wants_requests > 1)
		argp_error(state, "use only one of --from/--to, --request and --requests");
	if (o->has_all && !o->wants_requests)
		argp_error(state, "--all is valid only together with --requests");
	if (o->has_stacks && o->wants_requests)
		argp_error(state, "--stacks prints the call stacks of one path: use it with "
		                  "--request=N, not with --requests");
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"from", 0, "ID", 0, "begin the path where event P.T.N begins (default: the first event)", 0}, AT(from), syt_parse_text},
	{{"to", 0, "ID", 0, "end the path where event P.T.N ends (default: the last event)", 0}, AT(to), syt_parse_text},
	{{"request", 0, "N", 0, "print the path of request number N, from its arrival to the end of its answer; slowest names the slowest request, slowest:K the K-th slowest", 0},
	 AT(request), syt_request_choose},
	{{"requests", 0, NULL, 0, "list the requests that the servers in the trace received, slowest first", 0}, AT(wants_requests), syt_parse_true},
	{{"all", 0, NULL, 0, "with --requests: also list the requests without an answer, between two servers, or on connections with missing events", 0}, AT(has_all), syt_parse_true},
	SYT_OPTION_LIMIT(AT(limit), "print as text only the N longest parts of the path, and at most N rows of each table (default: 30)"),
	SYT_OPTION_STACKS(AT(has_stacks), "print the call stack of each part of the path"),
	SYT_OPTION_PERF(AT(perf)),
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {.limit = SYT_LIMIT_AUTO};

bool syt_path_find_event(const struct syt_order *order, const char *id, struct syt_place *at)
{
	if (syt_place_find(&order->places, id, at))
		return true;
	syt_warn("there is no event '%s': an id is P.T.N, as printed by syntrace-decode events",
	         id);
	return false;
}

bool syt_path_report_open(struct syt_path_report *r, const struct syt_view *v, syt_time from)
{
	const struct syt_path *path = &r->path;

	if (syt_path_open(&r->path, v->order, from, r->to))
		return false;
	syt_path_sum_open(&r->sum, path, v->times, v->labels, v->symbols);
	r->meets_from = r->from.thread != SYT_NONE && path->nr &&
	                path->all[0].at.thread == r->from.thread &&
	                path->all[0].kind != SYT_PATH_UNKNOWN;
	r->unsure = path->sure_from > path->from ? path->sure_from - path->from : 0;
	return true;
}

void syt_path_report_close(struct syt_path_report *r)
{
	syt_path_sum_close(&r->sum);
	syt_path_close(&r->path);
}

enum syt_exit syt_path_run(const struct syt_view *of, struct syt_path_report *r, syt_time from,
                           syt_path_printer *print)
{
	struct syt_view v = *of;

	if (!syt_path_report_open(r, &v, from))
		return SYT_EXIT_UNREADABLE;
	v.report = r;
	print(&v);
	syt_path_report_close(r);
	return SYT_EXIT_OK;
}

/* The time before a request began is printed if it is at least 1/LEAST_BEFORE of the request's length. */
#define LEAST_BEFORE 20u

void syt_request_choose(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct syt_request_choice *choice = field;
	static const char slowest[] = "slowest";
	uint64_t *to = &choice->number;
	const char *number = arg;

	*choice = (struct syt_request_choice){0, 0};
	if (strcmp(arg, slowest) == 0) {
		choice->rank = 1;
		return;
	}
	if (strncmp(arg, "slowest:", sizeof(slowest)) == 0) {
		number = arg + sizeof(slowest);
		to = &choice->rank;
	}
	if (!syt_number_parse(number, to) || !*to)
		argp_error(state,
		           "--%s takes a number that --requests prints, slowest, or slowest:K; "
		           "not '%s'",
		           name, arg);
}

/* Stores the index of the chosen request. Returns false after a message. */
static bool find_chosen(const struct syt_requests *rs, const struct syt_request_choice *choice,
                        uint64_t *index)
{
	if (!rs->nr) {
		syt_warn("there are no requests: no connection that was accepted in the trace "
		         "received data");
		return false;
	}
	if (choice->rank > rs->nr_counted) {
		syt_warn("only %" PRIu64 " of %" PRIu64
		         " requests count: --requests --all lists the others",
		         rs->nr_counted, rs->nr);
		return false;
	}
	if (choice->number > rs->nr) {
		syt_warn("there is no request %" PRIu64 ": the last request is number %" PRIu64,
		         choice->number, rs->nr);
		return false;
	}
	*index = choice->rank ? rs->by_length[choice->rank - 1] : choice->number - 1;
	if (rs->all[*index].end_is == SYT_REQUEST_OPEN) {
		char id[SYT_NODE_TEXT];

		syt_order_node_text(rs->order, rs->all[*index].x.received, id, sizeof(id));
		syt_warn("request %" PRIu64 ", received by event %s, has no end: the trace has no "
		         "answer to it and no close of its connection",
		         *index + 1, id);
		return false;
	}
	return true;
}

static enum syt_exit run_chosen(const struct syt_view *v, const struct syt_requests *rs,
                                uint64_t index, syt_path_printer *print)
{
	const struct syt_request_info *r = &rs->all[index];
	struct syt_request_report request = {.requests = rs, .index = index};
	struct syt_path_report report = {.from = r->begun, .to = r->ended, .request = &request},
			       before = {.from = {SYT_NONE, 0}};
	enum syt_exit status;

	if (syt_request_queued(rs, r, &request.queue) &&
	    r->begin - request.queue.from >= (r->end - r->begin) / LEAST_BEFORE) {
		before.to = request.queue.to;
		if (syt_path_report_open(&before, v, request.queue.from))
			request.before = &before;
	}
	status = syt_path_run(v, &report, r->begin, print);
	if (request.before)
		syt_path_report_close(&before);
	return status;
}

enum syt_exit syt_request_run(const struct syt_view *v, const struct syt_request_choice *choice,
                              syt_path_printer *print)
{
	struct syt_requests rs;
	enum syt_exit status = SYT_EXIT_USAGE;
	uint64_t index;

	syt_requests_open(&rs, v->order);
	if (find_chosen(&rs, choice, &index))
		status = run_chosen(v, &rs, index, print);
	syt_requests_close(&rs);
	return status;
}

static enum syt_exit list_requests(struct syt_view *v, bool has_all)
{
	struct syt_requests rs;
	struct syt_requests_report report = {&rs, has_all};

	syt_requests_open(&rs, v->order);
	v->report = &report;
	syt_requests_list(v);
	syt_requests_close(&rs);
	return SYT_EXIT_OK;
}

static enum syt_exit find_and_print(struct syt_view *v, const struct syt_command *c)
{
	const struct options *o = c->options;
	const struct syt_places *places = &v->order->places;
	struct syt_path_report r = {.from = {SYT_NONE, 0}};
	struct syt_place first;
	syt_time from;

	if (v->is_json)
		v->limit = o->wants_requests ? syt_limit_of(o->limit, false) : 0;
	else
		v->limit = o->limit != SYT_LIMIT_AUTO ? o->limit : MOST_ROWS;
	v->has_stacks = o->has_stacks;
	if (syt_command_view_perf(v, o->perf))
		return SYT_EXIT_UNREADABLE;
	if (o->wants_requests)
		return list_requests(v, o->has_all);
	if (syt_request_is_chosen(&o->request))
		return syt_request_run(v, &o->request, syt_path_list);
	if (!syt_path_ends(places, &first, &r.to)) {
		syt_warn("the trace has no events");
		return SYT_EXIT_OK;
	}
	if ((o->from && !syt_path_find_event(v->order, o->from, &r.from)) ||
	    (o->to && !syt_path_find_event(v->order, o->to, &r.to)))
		return SYT_EXIT_USAGE;
	from = syt_place_row(places, o->from ? r.from : first)->in;
	if (from > syt_place_row(places, r.to)->out) {
		syt_warn("'%s' ended before '%s' began", o->to ? o->to : "the last event", o->from);
		return SYT_EXIT_USAGE;
	}
	return syt_path_run(v, &r, from, syt_path_list);
}

enum syt_exit syt_path_command(struct syt_command *c,
                               enum syt_exit (*print)(struct syt_view *v,
                                                      const struct syt_command *c))
{
	struct syt_cpu_times times;
	struct syt_order order;
	struct syt_view v;
	enum syt_exit status;

	if (syt_command_view_open(&v, &order, c,
	                          (struct syt_edges_wanted){SYT_EDGES_ALL, SYT_EDGES_ALL}))
		return SYT_EXIT_UNREADABLE;
	syt_cpu_times_open(&times, &order.places);
	v.times = &times;
	status = print(&v, c);
	syt_cpu_times_close(&times);
	syt_command_view_close(&v, &order);
	return status;
}

static enum syt_exit run(struct syt_command *c)
{
	return syt_path_command(c, find_and_print);
}

const struct syt_report syt_report_critical_path = {
	.name = "critical-path",
	.summary = "the chain of work and waits in several threads that determined when the "
		   "program ended",
	.doc = "Prints the critical path: the work and the waits, across threads and processes, "
	       "that determined when the program, an event or a request ended. The path is "
	       "followed backwards from the end, and at each wait it changes to the thread that "
	       "ended the wait.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.defaults = &defaults,
	.check = check,
	.options_bytes = sizeof(struct options),
	.finding = {"The path that determined the end", "critical", 5, SYT_FINDING_EDGES_ALL,
                    syt_path_find, true},
	.run = run,
};
