/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The part of the report critical-path in diagnose and in the HTML page. */
#include "decoder/analysis/blame.h"
#include "decoder/html/write.h"
#include "decoder/report/critical_path/view.h"
#include "decoder/show/client.h"
#include "decoder/show/coverage_print.h"

#define MOST_SEGMENTS 3000u
#define MOST_REQUESTS 500u /* the slowest requests */
#define MOST_PATHS                                                                                 \
	50u /* requests with a critical path, because a path may be as long as the trace */
#define MOST_PARTS 8u /* parts of the critical path of a request */

static void put_activity(struct syt_html *h, const struct syt_path_segment *s)
{
	if (s->kind == SYT_PATH_HANDOVER)
		syt_out_printf(&h->words, "hand-off by %s",
		               syt_edge_kind_text(h->order->edges.all[s->edge].kind));
	else
		syt_out_string(&h->words, s->kind == SYT_PATH_RUNNING   ? "between calls"
		                          : s->kind == SYT_PATH_CALL    ? "in a call"
		                          : s->kind == SYT_PATH_UNKNOWN ? "unknown"
		                                                        : "not sampled");
	if (s->kind == SYT_PATH_HANDOVER && s->flags & SYT_PATH_CHOICE)
		syt_out_string(&h->words, ", one of several possible");
	syt_html_put_words(h, "text");
}

/* Returns the row of THREAD in the timeline, or -1. */
static int64_t row_of(const struct syt_html *h, uint32_t thread)
{
	return h->row_of[thread] == SYT_NONE ? -1 : (int64_t)h->row_of[thread];
}

static void put_segment(struct syt_html *h, const struct syt_path_segment *s)
{
	uint64_t at = syt_html_at(h, s->from);

	syt_json_begin(&h->j, NULL, '{');
	syt_json_i64(&h->j, "thread", row_of(h, s->at.thread));
	syt_json_u64(&h->j, "at", at);
	syt_json_u64(&h->j, "length", syt_html_at(h, s->to) - at);
	syt_host_error_json(&h->j, "error", syt_path_error(h->order, s));
	put_activity(h, s);
	syt_json_u64(&h->j, "stack",
	             syt_path_is_unknown(s->kind)
	                     ? 0
	                     : syt_html_stack(h, syt_label_side(h->labels, s->at)));
	syt_json_end(&h->j);
}

static void put_segments(struct syt_html *h, const struct syt_path *p)
{
	uint64_t nr;
	struct syt_html_span *all = syt_path_longest(p, MOST_SEGMENTS, &nr);

	for (uint64_t n = 0; n < nr; n++)
		put_segment(h, &p->all[syt_path_segment_number(&all[n])]);
	syt_store_free(all);
}

/* ---- requests ---- */

static void put_part(struct syt_html *h, const struct syt_view *v, const struct syt_path *p,
                     const struct syt_path_part *part)
{
	const struct syt_path_segment *s = &p->all[part->longest];
	uint64_t at = syt_html_at(h, s->from);

	syt_json_begin(&h->j, NULL, '{');
	syt_json_i64(&h->j, "thread", row_of(h, s->at.thread));
	syt_html_put_thread(h, "threadId", s->at.thread);
	syt_json_u64(&h->j, "at", at);
	syt_json_u64(&h->j, "length", syt_html_at(h, s->to) - at);
	syt_json_u64(&h->j, "time", SYT_TIME_NS(part->time));
	if (syt_path_is_unknown(part->kind))
		syt_out_string(&h->words,
		               part->kind == SYT_PATH_UNKNOWN ? "unknown" : "not sampled");
	else
		syt_path_put_part(&h->words, v, p, part);
	syt_html_put_words(h, "text");
	syt_json_u64(&h->j, "stack", syt_html_stack(h, part->side));
	syt_json_end(&h->j);
}

/* Writes the cause of the length of the request R and the longest parts of its critical path. */
static void put_path(struct syt_html *h, const struct syt_view *v, const struct syt_request_info *r)
{
	struct syt_path_report report = {.from = r->begun, .to = r->ended};
	struct syt_request_cause cause;

	if (!syt_path_report_open(&report, v, r->begin))
		return;
	cause = syt_request_cause_of(&report.path, &report.sum);
	if (cause.function && cause.part) {
		syt_out_printf(
			&h->words, "%.0f %%: ",
			syt_percent(cause.function->time, report.path.to - report.path.from));
		syt_path_put_part(&h->words, v, &report.path, cause.part);
		syt_html_put_words(h, "cause");
	}
	syt_json_begin(&h->j, "parts", '[');
	for (size_t n = 0; n < report.sum.nr_parts && n < MOST_PARTS; n++)
		put_part(h, v, &report.path, &report.sum.parts[n]);
	syt_json_end(&h->j);
	syt_path_report_close(&report);
}

static void put_request(struct syt_html *h, const struct syt_view *v, const struct syt_requests *rs,
                        uint64_t index, bool has_path)
{
	const struct syt_request_info *r = &rs->all[index];
	const struct syt_thread *t = h->order->places.threads[r->x.received.thread];
	uint64_t at = syt_html_at(h, r->begin);
	char client[SYT_ADDRESS_TEXT];

	syt_json_begin(&h->j, NULL, '{');
	syt_json_u64(&h->j, "number", index + 1);
	syt_json_u64(&h->j, "at", at);
	syt_json_u64(&h->j, "length", syt_html_at(h, r->end) - at);
	syt_host_error_json(&h->j, "error", syt_host_error_of_request(&h->order->places, r));
	syt_json_u64(&h->j, "toReceipt", syt_html_at(h, r->received_at) - at);
	syt_host_error_json(&h->j, "receiptError", syt_host_error_of_receipt(&h->order->places, r));
	syt_json_i64(&h->j, "row", row_of(h, r->x.received.thread));
	syt_html_put_thread(h, "thread", r->x.received.thread);
	syt_print_id(&h->words, t, r->x.received.row);
	syt_html_put_words(h, "received");
	syt_json_string(&h->j, "client", syt_request_client(rs, r, client, sizeof(client)));
	syt_json_u64(&h->j, "bytesReceived", r->x.bytes_received);
	syt_json_u64(&h->j, "bytesSent", r->x.bytes_sent);
	if (has_path)
		put_path(h, v, r);
	syt_json_end(&h->j);
}

/* Writes the slowest requests, or null if no process in the trace is a server with requests. */
static void put_requests(struct syt_html *h, const struct syt_view *of)
{
	struct syt_requests *rs = syt_html_requests(h);
	struct syt_requests_report report = {rs, false};
	struct syt_view v = *of;

	v.report = &report;
	if (!rs->nr_counted) {
		syt_json_null(&h->j, "requests");
		return;
	}
	syt_json_begin(&h->j, "requests", '{');
	syt_requests_headline(&h->words, &v);
	syt_html_put_words(h, "headline");
	syt_json_u64(&h->j, "counted", rs->nr_counted);
	syt_json_begin(&h->j, "list", '[');
	for (uint64_t n = 0; n < rs->nr_counted && n < MOST_REQUESTS; n++)
		put_request(h, &v, rs, rs->by_length[n],
		            n < MOST_PATHS && v.order->edges.nr < SYT_NONE);
	syt_json_end(&h->j);
	syt_json_end(&h->j);
}

/* Finds the path that determined the end. */
static void find_path(struct syt_view v, struct syt_finding *f, struct syt_html *page)
{
	const struct syt_places *places = &v.order->places;
	struct syt_path_report r = {.from = {SYT_NONE, 0}};
	struct syt_place first;

	if (!syt_path_ends(places, &first, &r.to) ||
	    !syt_path_report_open(&r, &v, syt_place_row(places, first)->in)) {
		if (page)
			syt_json_null(&page->j, "critical");
		return;
	}
	v.report = &r;
	f->tone = SYT_TONE_NOTE;
	syt_finding_write(f, &v, page || v.is_json, syt_path_headline, syt_path_findings);
	if (page) {
		syt_json_begin(&page->j, "critical", '[');
		put_segments(page, &r.path);
		syt_json_end(&page->j);
	}
	syt_path_report_close(&r);
}

void syt_path_find(const struct syt_view *of, struct syt_finding *f, struct syt_html *page)
{
	struct syt_view v = *of;

	v.times = &of->blamer->cpu;
	if (page)
		put_requests(page, &v);
	find_path(v, f, page);
}
