/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The options --request and --requests. */
#include "decoder/report/critical_path/view.h"

#include <inttypes.h>
#include <string.h>

#include "decoder/read/number.h"

/* The time before a request is printed if it is at least this part of the request's length. */
#define LEAST_PART 20u

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

/* Stores the index of the chosen request.  Returns false after a message. */
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
	    r->begin - request.queue.from >= (r->end - r->begin) / LEAST_PART) {
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

enum syt_exit syt_requests_run(struct syt_view *v, bool has_all)
{
	struct syt_requests rs;
	struct syt_requests_report report = {&rs, has_all};

	syt_requests_open(&rs, v->order);
	v->report = &report;
	syt_requests_list(v);
	syt_requests_close(&rs);
	return SYT_EXIT_OK;
}
