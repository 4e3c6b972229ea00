/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the listing of requests, as a table and as JSON lines. */
#include <inttypes.h>

#include "decoder/read/call.h"
#include "decoder/report/critical_path/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/client.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"

/* maximum number of requests with a printed cause, because a path may be as long as the trace */
#define MOST_PATHS 100u

/* A row of the listing: a request, and the cause of its length if REPORT is not NULL. */
struct request_row {
	const struct syt_requests *requests;
	struct syt_request_info info; /* copy of the request, for the columns */
	uint64_t number;
	/* the row shows how long the request waited in the socket */
	bool has_queue;
	/* path that explains the length; NULL: the row has no cause */
	const struct syt_path_report *report;
};

static const struct request_row *row_of(const struct syt_cell *c)
{
	return c->row;
}

static void text_begin(struct syt_table *t, const struct syt_cell *c)
{
	uint64_t ns = SYT_TIME_NS(row_of(c)->info.begin);

	char wall[SYT_WALL_CLOCK_TEXT];
	bool has_wall = syt_out_wall_clock(c->view->out, ns, wall) != NULL;

	syt_table_cell(t, "%" PRIu64 ".%06" PRIu64 "%s%s", ns / 1000000000, ns % 1000000000 / 1000,
	               has_wall ? " " : "", has_wall ? wall : "");
}

static void text_length(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_request_info *r = &row_of(c)->info;

	if (r->end_is == SYT_REQUEST_ANSWERED)
		syt_host_error_cell(t, SYT_TIME_NS(r->end - r->begin),
		                    syt_host_error_of_request(&c->view->order->places, r));
	else
		syt_table_cell(t, "%s", syt_request_end_word(r->end_is));
}

static void text_receipt(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_request_info *r = &row_of(c)->info;

	syt_host_error_cell(t, SYT_TIME_NS(r->received_at) - SYT_TIME_NS(r->begin),
	                    syt_host_error_of_receipt(&c->view->order->places, r));
}

static void json_receipt(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_request_info *r = &row_of(c)->info;

	syt_json_u64(j, key, SYT_TIME_NS(r->received_at) - SYT_TIME_NS(r->begin));
	syt_host_error_json(j, "receipt_error_ns",
	                    syt_host_error_of_receipt(&c->view->order->places, r));
}

static void json_error(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_request_info *r = &row_of(c)->info;

	if (r->end_is != SYT_REQUEST_OPEN)
		syt_host_error_json(j, key, syt_host_error_of_request(&c->view->order->places, r));
}

SYT_COLUMN_NS(duration, struct request_row,
              r->info.end_is == SYT_REQUEST_OPEN
                      ? SYT_CELL_NONE
                      : SYT_TIME_NS(r->info.end) - SYT_TIME_NS(r->info.begin));
SYT_COLUMN_NUMBER(first_answer, struct request_row,
                  r->info.x.nr_sends ? SYT_TIME_NS(r->info.x.first_answer) : SYT_CELL_NONE);
SYT_COLUMN_WORD_IF(confidence, struct request_row,
                   r->info.flags &SYT_REQUEST_INFERRED ? "inferred" : NULL);
SYT_COLUMN_WORD(begin_word, struct request_row, syt_request_begin_word(r->info.begin_is));
SYT_COLUMN_WORD(end_word, struct request_row, syt_request_end_word(r->info.end_is));
SYT_COLUMN_BOOL(is_counted, struct request_row, syt_request_counts(&r->info));
SYT_COLUMN_BOOL(is_inner, struct request_row, r->info.flags &SYT_REQUEST_INNER);
SYT_COLUMN_BOOL(is_unsure, struct request_row, r->info.flags &SYT_REQUEST_UNSURE);
SYT_COLUMN_EACH(by_begin, SYT_NR_REQUEST_BEGINS, syt_request_begin_word(i), all[i]);
SYT_COLUMN_EACH(by_end, SYT_NR_REQUEST_ENDS, syt_request_end_word(i), all[i]);
SYT_COLUMN_NUMBER_IF(quantile, struct syt_requests,
                     r->nr_counted ? SYT_TIME_NS(*(const syt_time *)c->field) : SYT_CELL_NONE);

/* Returns the time in ns for which the request may have waited in the socket, before the server received it. */
static uint64_t queued_ns(const struct request_row *row)
{
	struct syt_request_queue q;

	return syt_request_queued(row->requests, &row->info, &q)
	               ? SYT_TIME_NS(row->info.begin) - SYT_TIME_NS(q.from)
	               : 0;
}

SYT_COLUMN_NS_IF(queued, struct request_row, r->has_queue ? queued_ns(r) : SYT_CELL_NONE);

static void text_client(struct syt_table *t, const struct syt_cell *c)
{
	char text[SYT_ADDRESS_TEXT];

	syt_table_cell(
		t, "%s",
		syt_request_client(row_of(c)->requests, &row_of(c)->info, text, sizeof(text)));
}

static void json_client(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_endpoint_info *e =
		c->view->order->objects.all[row_of(c)->info.object].info->endpoint;
	char text[SYT_ADDRESS_TEXT];

	if (e && e->remote_bytes > sizeof(uint16_t))
		syt_json_string(j, key,
		                syt_request_client(row_of(c)->requests, &row_of(c)->info, text,
		                                   sizeof(text)));
}

/* Writes "(inner)" and "(unsure)" at the begin of the cell, because most cells have neither. */
static void text_cause(struct syt_table *t, const struct syt_cell *c)
{
	const struct request_row *row = row_of(c);
	bool inner = row->info.flags & SYT_REQUEST_INNER;
	bool unsure = row->info.flags & SYT_REQUEST_UNSURE;
	const char *note = inner && unsure ? "(inner, unsure) "
	                   : inner         ? "(inner) "
	                   : unsure        ? "(unsure) "
	                                   : "";
	struct syt_request_cause cause = {0};
	const struct syt_thread *of;

	if (row->report)
		cause = syt_request_cause_of(&row->report->path, &row->report->sum);
	if (!cause.function || !cause.part) {
		syt_table_cell(t, "%s%s", note, cause.function ? "unknown" : "");
		return;
	}
	of = c->view->order->places.threads[row->report->path.all[cause.part->longest].at.thread];
	syt_table_cell(
		t, "%s%.0f %% %s: %s%s (%" PRIu32 ".%" PRIu32 ")%s", note,
		syt_percent(cause.function->time, row->report->path.to - row->report->path.from),
		cause.function->name                    ? cause.function->name
		: cause.part->kind == SYT_PATH_HANDOVER ? "hand-offs"
							: "(no call stack)",
		cause.part->kind == SYT_PATH_CALL      ? "in "
		: cause.part->kind == SYT_PATH_RUNNING ? "between calls up to "
						       : "up to ",
		syt_view_path(c->view, cause.part->side), of->image->index, of->index,
		cause.lock_wait >= (row->report->path.to - row->report->path.from) / 2
			? ", blocked on a lock"
			: "");
}

static void put_cause(struct syt_json *j, const char *key, const struct syt_view *v,
                      const struct syt_path_report *report)
{
	struct syt_request_cause c = {0};
	const struct syt_places *places = &v->order->places;

	if (report)
		c = syt_request_cause_of(&report->path, &report->sum);
	if (!c.function) {
		syt_json_null(j, key);
		return;
	}
	syt_json_begin(j, key, '{');
	syt_json_string(j, "function", c.function->name);
	syt_json_u64(j, "ns", SYT_TIME_NS(c.function->time));
	if (c.part) {
		syt_json_string(j, SYT_KEY("kind", "segment_kind"), syt_path_word(c.part->kind));
		syt_json_side(j, "path", v->labels, c.part->side);
		syt_json_place(j, "event", places, report->path.all[c.part->longest].at);
	}
	if (c.lock) {
		const struct syt_edge *e = &v->order->edges.all[c.lock->edge];

		syt_json_begin(j, SYT_KEY("lock", "lock_wait"), '{');
		syt_json_u64(j, "ns", SYT_TIME_NS(c.lock_wait));
		syt_json_place(j, SYT_KEY("waited", "waited_event"), places, c.lock->at);
		syt_json_place(j, "released", places, e->from);
		if (e->object != SYT_NONE)
			syt_json_object_of(j, "object", v->order, e->object);
		syt_json_end(j);
	}
	syt_json_end(j);
}

static void json_cause(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	put_cause(j, key, c->view, row_of(c)->report);
}

static void json_before(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_request_report *one =
		row_of(c)->report ? row_of(c)->report->request : NULL;

	if (!one || !one->before)
		return;
	syt_json_begin(j, key, '{');
	syt_json_u64(j, "dur", SYT_TIME_NS(one->before->path.to) - SYT_TIME_NS(one->queue.from));
	syt_json_place(j, SYT_KEY("since", "since_event"), &c->view->order->places, one->queue.at);
	put_cause(j, "mostly", c->view, one->before);
	syt_json_end(j);
}

static const struct syt_column_type begin_time = {.text = text_begin};
static const struct syt_column_type error = {.json = json_error};
static const struct syt_column_type receipt = {.text = text_receipt, .json = json_receipt};
static const struct syt_column_type length = {.text = text_length};
static const struct syt_column_type client = {.text = text_client, .json = json_client};
static const struct syt_column_type cause = {.text = text_cause, .json = json_cause};
static const struct syt_column_type before = {.json = json_before};

/* clang-format off */
#define SUMS(member_) offsetof(struct syt_requests, member_)
#define ROW(member_)  offsetof(struct request_row, member_)
#define INFO(member_) offsetof(struct request_row, info.member_)

static const struct syt_column sums_columns[] = {
	{NULL, "requests",        &syt_column_u64, SUMS(nr)},
	{NULL, SYT_KEY("counted", "counted_requests"), &syt_column_u64, SUMS(nr_counted)},
	{NULL, "p50",             &quantile,       SUMS(median)},
	{NULL, "p99",             &quantile,       SUMS(p99)},
	{NULL, "max",             &quantile,       SUMS(longest)},
	{NULL, SYT_KEY("begin", "by_begin"), &by_begin,       SUMS(nr_of_begin)},
	{NULL, SYT_KEY("end", "by_end"), &by_end,         SUMS(nr_of_end)},
	{NULL, SYT_KEY("inner", "inner_requests"), &syt_column_u64, SUMS(nr_inner)},
	{NULL, SYT_KEY("unsure", "unsure_requests"), &syt_column_u64, SUMS(nr_unsure)},
	{NULL, "connections",     &syt_column_u64, SUMS(nr_connections)},
	{NULL, "accept_not_seen", &syt_column_u64, SUMS(nr_listened)},
};

static const struct syt_column request_columns[] = {
	{">REQUEST",      "request",        &syt_column_u64,            ROW(number)},
	{NULL,            "ts",             &syt_column_instant,        INFO(begin)},
	{">BEGIN",        NULL,             &begin_time,                0},
	{">TIME",         NULL,             &length,                    0},
	{NULL,            "dur",            &duration,                  0},
	{NULL,            SYT_HOST_ERROR_KEY, &error,                   0},
	{">?TO RECEIPT",  "before_receipt", &receipt,                   0},
	{">QUEUED UP TO", NULL,             &queued,                    0},
	{NULL,            SYT_KEY("begin", "begins"), &begin_word,                0},
	{NULL,            SYT_KEY("end", "ends"), &end_word,                0},
	{NULL,            "from",           &syt_column_place,          INFO(begun)},
	{"RECEIVED BY",   "received",       &syt_column_place,          INFO(x.received)},
	{NULL,            "to",             &syt_column_place,          INFO(ended)},
	{NULL,            "process",        &syt_column_thread_process, INFO(x.received.thread)},
	{NULL,            SYT_KEY("thread", "thread_index"), &syt_column_thread_index,   INFO(x.received.thread)},
	{"THREAD",        NULL,             &syt_column_named_thread,   INFO(x.received.thread)},
	{NULL,            "connection",     &syt_column_object,         INFO(object)},
	{"CLIENT",        "client",         &client,                    0},
	{NULL,            "receives",       &syt_column_u32,            INFO(x.nr_receives)},
	{NULL,            "sends",          &syt_column_u32,            INFO(x.nr_sends)},
	{NULL,            "bytes_received", &syt_column_u64,            INFO(x.bytes_received)},
	{NULL,            "bytes_sent",     &syt_column_u64,            INFO(x.bytes_sent)},
	{NULL,            "first_answer",   &first_answer,              0},
	{NULL,            "counted",        &is_counted,                0},
	{NULL,            "inner",          &is_inner,                0},
	{NULL,            "unsure",         &is_unsure,                0},
	{NULL,            "confidence",     &confidence,                0},
	{NULL,            "maybe_earlier",  &queued,                    0},
	{"MOSTLY",        "mostly",         &cause,                     0},
	{NULL,            SYT_KEY("before", "in_socket"),         &before,                    0},
};
/* clang-format on */

static const struct syt_listing sums_listing = SYT_LISTING("requests", sums_columns);
static const struct syt_listing requests_listing = SYT_LISTING("request", request_columns);

void syt_request_json(const struct syt_view *v)
{
	const struct syt_path_report *report = v->report;
	const struct syt_request_report *of = report->request;
	struct request_row row = {.requests = of->requests,
	                          .info = of->requests->all[of->index],
	                          .number = of->index + 1,
	                          .has_queue = true,
	                          .report = report};

	syt_listing_one(&requests_listing, v, &row, NULL);
}

/* Writes the row of request INDEX, with its cause if HAS_PATH. */
static bool list_request(struct syt_listing_writer *w, const struct syt_requests *rs,
                         uint64_t index, bool has_path)
{
	const struct syt_view *v = w->view;
	struct request_row row = {
		.requests = rs, .info = rs->all[index], .number = index + 1, .has_queue = has_path};
	struct syt_path_report report = {.from = row.info.begun, .to = row.info.ended};
	bool has_more;

	if (has_path && row.info.end_is != SYT_REQUEST_OPEN && v->order->edges.nr < SYT_NONE &&
	    syt_path_report_open(&report, v, row.info.begin))
		row.report = &report;
	has_more = syt_listing_row(w, &row, NULL);
	if (row.report)
		syt_path_report_close(&report);
	return has_more;
}

void syt_requests_list(const struct syt_view *v)
{
	const struct syt_requests_report *report = v->report;
	const struct syt_requests *rs = report->requests;
	uint64_t nr = report->has_all ? rs->nr : rs->nr_counted;
	struct syt_listing_writer w;

	syt_coverage_begin(v->out, v->order, v->is_json);
	if (v->is_json) {
		syt_listing_one(&sums_listing, v, rs, NULL);
	} else {
		syt_view_put_wrapped(v, syt_requests_headline);
		if (nr)
			syt_out_char(v->out, '\n');
	}
	syt_listing_begin(&w, &requests_listing, v);
	SYT_EACH_FAR(n, 0, nr) {
		if (v->out->is_closed || !list_request(&w, rs, rs->by_length[n], n < MOST_PATHS))
			break;
	}
	syt_listing_end(&w);
	if (!v->is_json && w.nr < nr)
		syt_out_printf(v->out, "%" PRIu64 " more; --limit=N lists more of them.\n",
		               nr - w.nr);
	if (!v->is_json && nr)
		syt_out_printf(v->out,
		               "\nFor the causes of one request, use critical-path --request=N or "
		               "why --request=N (slowest: %" PRIu64 ").\n",
		               rs->by_length[0] + 1);
	syt_coverage_end(v->out, v->order, v->is_json);
}
