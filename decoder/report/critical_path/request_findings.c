/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the sentences about requests. */
#include <inttypes.h>

#include "decoder/show/client.h"
#include "decoder/show/coverage_print.h"
#include "decoder/report/critical_path/view.h"

#define LEAST_PART 20u /* a wait is printed if it is at least 1/LEAST_PART of the request */

/* Returns the request that V->report, a path, explains. */
static const struct syt_request_report *request_of(const struct syt_view *v)
{
	return ((const struct syt_path_report *)v->report)->request;
}

/* Writes the main cause of a request's length: "flush took 74.5 % of it, mostly in flush;usleep in thread 0.2." */
static void put_cause(struct syt_out *out, const struct syt_view *v,
                      const struct syt_path_report *r)
{
	struct syt_request_cause c = syt_request_cause_of(&r->path, &r->sum);
	const struct syt_path *p = &r->path;

	if (!c.function)
		return;
	syt_out_char(out, ' ');
	syt_print_colored(out, SYT_COLOR_BOLD,
	                  c.function->name                    ? c.function->name
	                  : !c.part                           ? "An activity that was not recorded"
	                  : c.part->kind == SYT_PATH_HANDOVER ? "Hand-offs"
	                                                      : "Code without a call stack");
	syt_out_printf(out, " took %.1f %% of this time",
	               syt_percent(c.function->time, p->to - p->from));
	if (c.part) {
		syt_out_string(out, c.part->kind == SYT_PATH_CALL      ? ", mostly in "
		                    : c.part->kind == SYT_PATH_RUNNING ? ", mostly between calls"
		                                                       : ", mostly up to the "
		                                                         "call ");
		if (c.part->kind == SYT_PATH_RUNNING) {
			syt_view_put_cpu_use(out, &c.part->cpu);
			syt_out_string(out, " up to the call ");
		}
		syt_view_put_path(v, out, c.part->side);
		syt_out_string(out, " in ");
		syt_view_put_thread(v, out, p->all[c.part->longest].at.thread);
	}
	syt_out_string(out, ".");
}

static void put_lock(struct syt_out *out, const struct syt_view *v, syt_time least)
{
	const struct syt_path_report *r = v->report;
	struct syt_request_cause c = syt_request_cause_of(&r->path, &r->sum);
	const struct syt_edge *e;

	if (!c.lock || c.lock_wait < least)
		return;
	e = &v->order->edges.all[c.lock->edge];
	syt_out_string(out, "For ");
	syt_path_put_time(out, c.lock_wait);
	syt_out_string(out, " of this time, ");
	syt_view_put_event(v, out, c.lock->at);
	syt_out_string(out, " waited for ");
	if (e->object == SYT_NONE)
		syt_out_string(out, "a lock");
	else
		syt_view_put_object(v, out, e->object);
	syt_out_string(out, " until ");
	syt_view_put_event(v, out, e->from);
	syt_out_string(out, " released it.\n");
}

static void put_begin(struct syt_out *out, const struct syt_view *v,
                      const struct syt_request_info *r)
{
	syt_out_string(out, r->begin_is == SYT_REQUEST_SENT ? "The request begins when its client "
	                                                      "sends it: "
	                    : r->begin_is == SYT_REQUEST_REPORTED
	                            ? "The request begins when a readiness call such as epoll_wait "
	                              "reports it: "
	                            : "The request begins when it is received: ");
	syt_view_put_event(v, out, r->begun);
	syt_out_char(out, '.');
	if (r->begin_is != SYT_REQUEST_SENT)
		syt_out_string(out, " The trace does not show the sender of the request.");
	else if (r->flags & SYT_REQUEST_INFERRED)
		syt_out_string(out, " The decoder inferred that this is the client.");
	syt_out_char(out, '\n');
	if (r->begin_is == SYT_REQUEST_RECEIVED)
		return;
	syt_host_error_put_span(out, SYT_TIME_NS(r->received_at - r->begin),
	                        syt_host_error_of_receipt(&v->order->places, r));
	syt_out_string(out, " later, the request is received: ");
	syt_view_put_event(v, out, r->x.received);
	syt_out_string(out, ".\n");
}

static void put_end(struct syt_out *out, const struct syt_view *v, const struct syt_request_info *r)
{
	syt_out_string(out, r->end_is == SYT_REQUEST_CLOSED
	                            ? "The request ends without an answer, when its connection is "
	                              "closed: "
	                            : "The request ends with the answer: ");
	syt_view_put_event(v, out, r->ended);
	if (r->x.nr_sends > 1) {
		syt_out_printf(out, ", the last of %" PRIu32 " sends", r->x.nr_sends);
		if (r->x.first_answer > r->begin) {
			syt_out_string(out, ". The first send comes after ");
			syt_path_put_time(out, r->x.first_answer - r->begin);
		}
	}
	syt_out_string(out, ".\n");
}

/* Names the other requests that the thread which received request R handled between FROM and TO. */
static void put_meanwhile(struct syt_out *out, const struct syt_view *v,
                          const struct syt_request_info *r, syt_time from, syt_time to)
{
	uint64_t longest,
		nr = syt_request_meanwhile(request_of(v)->requests, r, from, to, &longest);

	if (!nr)
		return;
	syt_out_string(out, "Meanwhile ");
	syt_view_put_thread(v, out, r->x.received.thread);
	syt_out_printf(out, " handled %" PRIu64 " other request%s, %snumber %" PRIu64 ".\n", nr,
	               nr == 1 ? "" : "s", nr == 1 ? "" : "the longest of them ", longest + 1);
}

static void put_before(struct syt_out *out, const struct syt_view *v,
                       const struct syt_request_info *r)
{
	const struct syt_path_report *before = request_of(v)->before;
	const struct syt_request_queue *q = &request_of(v)->queue;

	syt_out_string(out, "Before that, the request may have waited in the socket for up to ");
	syt_path_put_time(out, before->path.to - q->from);
	syt_out_string(out, ", since ");
	syt_view_put_event(v, out, q->at);
	if (syt_place_call(&v->order->places, q->at)->shape == SYT_SHAPE_READY)
		syt_out_string(out, ", which did not report the request");
	syt_out_char(out, '.');
	put_cause(out, v, before);
	syt_out_char(out, '\n');
	put_meanwhile(out, v, r, q->from, r->begin);
}

void syt_request_sentences(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_request_report *request = request_of(v);
	const struct syt_request_info *r = &request->requests->all[request->index];
	syt_time least = (r->end - r->begin) / LEAST_PART;
	char client[SYT_ADDRESS_TEXT];

	syt_out_color(out, SYT_COLOR_BOLD);
	syt_out_printf(out, "Request %" PRIu64, request->index + 1);
	syt_out_color(out, SYT_COLOR_NONE);
	syt_out_string(out, " from ");
	syt_out_safe(out, syt_request_client(request->requests, r, client, sizeof(client)));
	syt_out_string(out, " took ");
	syt_host_error_put_span(out, SYT_TIME_NS(r->end - r->begin),
	                        syt_host_error_of_request(&v->order->places, r));
	syt_out_char(out, '.');
	put_cause(out, v, v->report);
	syt_out_char(out, '\n');
	if (r->flags & SYT_REQUEST_UNSURE)
		syt_out_string(out, "Events of the connection may be missing: the request may have "
		                    "begun earlier, or may be two requests.\n");
	put_lock(out, v, least);
	put_begin(out, v, r);
	if (r->begin_is != SYT_REQUEST_RECEIVED && r->received_at - r->begin >= least &&
	    r->received_at > r->begin)
		put_meanwhile(out, v, r, r->begin, r->received_at);
	if (request->before)
		put_before(out, v, r);
	put_end(out, v, r);
}

static void put_none(struct syt_out *out, const struct syt_requests *rs)
{
	syt_out_string(out, "No request has an answer that is counted.");
	if (!rs->nr)
		syt_out_string(
			out, " A request is data received on a connection that a recorded process "
			     "accepted, or whose local address a recorded process listens on.");
	syt_out_char(out, '\n');
}

static void put_lengths(struct syt_out *out, const struct syt_requests *rs)
{
	static const char *const begins[] = {
		[SYT_REQUEST_SENT] = "when the clients send the requests",
		[SYT_REQUEST_REPORTED] = "when a readiness call such as epoll_wait reports the "
					 "requests (the trace does not show the senders)",
		[SYT_REQUEST_RECEIVED] =
			"when the requests are received (the trace does not show the senders)",
	};
	bool is_first = true;

	syt_out_printf(out, "Requests: %" PRIu64 " answered; their durations: p50 ",
	               rs->nr_counted);
	syt_path_put_time(out, rs->median);
	syt_out_string(out, ", p99 ");
	syt_path_put_time(out, rs->p99);
	syt_out_string(out, ", max ");
	syt_path_put_time(out, rs->longest);
	syt_out_string(out, ". The durations begin ");
	for (unsigned b = 0; b < SYT_NR_REQUEST_BEGINS; b++) {
		uint64_t nr = rs->nr_of_begin[b];

		if (!nr)
			continue;
		if (nr < rs->nr_counted)
			syt_out_printf(out, "%s%" PRIu64 " ", is_first ? "" : ", ", nr);
		syt_out_string(out, begins[b]);
		is_first = false;
	}
	syt_out_string(out, ".\n");
}

static void put_uncounted(struct syt_out *out, const struct syt_requests *rs)
{
	const struct {
		uint64_t nr;
		const char *why;
	} reasons[] = {
		{rs->nr_of_end[SYT_REQUEST_CLOSED], "closed without an answer"},
		{rs->nr_of_end[SYT_REQUEST_OPEN], "without an answer or a close"},
		{rs->nr_inner, "from one server to another"},
		{rs->nr_unsure, "on connections whose events may be incomplete"},
	};
	const char *separator = "Requests that are not counted: ";

	if (rs->nr == rs->nr_counted)
		return;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].nr) {
			syt_out_printf(out, "%s%" PRIu64 " %s", separator, reasons[i].nr,
			               reasons[i].why);
			separator = ", ";
		}
	syt_out_string(out, "; --all lists them.\n");
}

void syt_requests_headline(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_requests *rs = ((const struct syt_requests_report *)v->report)->requests;

	if (rs->nr_counted)
		put_lengths(out, rs);
	else
		put_none(out, rs);
	put_uncounted(out, rs);
	if (rs->nr_listened)
		syt_out_printf(out,
		               "The accept of %" PRIu64 " connection%s was not recorded, but a "
		               "recorded socket listens on the address.\n",
		               rs->nr_listened, rs->nr_listened == 1 ? "" : "s");
}
