/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/json.h"
#include "decoder/read/call.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"
#include "decoder/report/critical_path/request_view.h"

static void json_connection(struct syt_json *j, const struct syt_order *o,
                            const struct syt_request_info *r)
{
	const struct syt_object_info *info = o->objects.all[r->object].info;
	char text[SYT_ADDRESS_TEXT], object[SYT_OBJECT_TEXT];

	syt_object_text(info, object, sizeof(object));
	syt_json_string(j, "connection", object);
	if (info->endpoint && info->endpoint->remote_bytes > sizeof(uint16_t))
		syt_json_string(j, "client",
		                syt_address_text(info->endpoint->remote,
		                                 info->endpoint->remote_bytes, text, sizeof(text)));
}

static void json_members(struct syt_json *j, const struct syt_requests *rs, uint64_t index)
{
	const struct syt_request_info *r = &rs->all[index];
	const struct syt_places *p = &rs->order->places;
	const struct syt_thread *t = p->threads[r->x.received.thread];

	syt_json_u64(j, "request", index + 1);
	syt_json_u64(j, "ts", SYT_TIME_NS(r->begin));
	if (r->end_is == SYT_REQUEST_OPEN)
		syt_json_null(j, "dur");
	else
		syt_json_u64(j, "dur", SYT_TIME_NS(r->end) - SYT_TIME_NS(r->begin));
	syt_json_u64(j, "before_receipt", SYT_TIME_NS(r->received_at) - SYT_TIME_NS(r->begin));
	syt_json_string(j, "begin", syt_request_begin_word((enum syt_request_begin)r->begin_is));
	syt_json_string(j, "end", syt_request_end_word((enum syt_request_end)r->end_is));
	syt_json_place(j, "from", p, r->begun);
	syt_json_place(j, "received", p, r->x.received);
	syt_json_place(j, "to", p, r->ended);
	syt_json_u64(j, "process", t->image->index);
	syt_json_u64(j, "thread", t->index);
	json_connection(j, rs->order, r);
	syt_json_u64(j, "receives", r->x.nr_receives);
	syt_json_u64(j, "sends", r->x.nr_sends);
	syt_json_u64(j, "bytes_received", r->x.bytes_received);
	syt_json_u64(j, "bytes_sent", r->x.bytes_sent);
	if (r->x.nr_sends)
		syt_json_u64(j, "first_answer", SYT_TIME_NS(r->x.first_answer));
	else
		syt_json_null(j, "first_answer");
	syt_json_bool(j, "counted", syt_request_counts(r));
	syt_json_bool(j, "inner", r->flags & SYT_REQUEST_INNER);
	syt_json_bool(j, "unsure", r->flags & SYT_REQUEST_UNSURE);
	if (r->flags & SYT_REQUEST_INFERRED)
		syt_json_string(j, "confidence", "inferred");
}

/* How long it may have waited before it was seen. */
static void json_unseen(struct syt_json *j, const struct syt_requests *rs,
                        const struct syt_request_info *r)
{
	struct syt_request_queue q;

	syt_json_u64(j, "maybe_earlier",
	             syt_request_queued(rs, r, &q) ? SYT_TIME_NS(r->begin) - SYT_TIME_NS(q.from)
	                                           : 0);
}

static void json_cause(struct syt_json *j, const char *key, const struct syt_path *path,
                       struct syt_labels *labels, const struct syt_request_cause *c)
{
	const struct syt_order *o = path->order;
	char object[SYT_OBJECT_TEXT];

	if (!c->function) {
		syt_json_null(j, key);
		return;
	}
	syt_json_begin(j, key, '{');
	syt_json_string(j, "function", c->function->name);
	syt_json_u64(j, "ns", SYT_TIME_NS(c->function->time));
	if (c->part) {
		const struct syt_place at = path->all[c->part->longest].at;

		syt_json_string(j, "kind", syt_path_word((enum syt_path_kind)c->part->kind));
		syt_json_side(j, "path", labels, c->part->side);
		syt_json_place(j, "event", &o->places, at);
	}
	if (c->lock) {
		const struct syt_edge *e = &o->edges.all[c->lock->edge];

		syt_json_begin(j, "lock", '{');
		syt_json_u64(j, "ns", SYT_TIME_NS(c->lock_wait));
		syt_json_place(j, "waited", &o->places, c->lock->at);
		syt_json_place(j, "released", &o->places, e->from);
		if (e->object != SYT_NONE) {
			syt_object_text(o->objects.all[e->object].info, object, sizeof(object));
			syt_json_string(j, "object", object);
		}
		syt_json_end(j);
	}
	syt_json_end(j);
}

void syt_request_json(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_request_view *view = v->request;
	struct syt_request_cause c = syt_request_cause_of(v->path, v->sum);
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "request");
	json_members(&j, view->requests, view->index);
	json_unseen(&j, view->requests, &view->requests->all[view->index]);
	json_cause(&j, "mostly", v->path, v->labels, &c);
	if (view->before) {
		const struct syt_path_view *before = view->before;

		c = syt_request_cause_of(before->path, before->sum);
		syt_json_begin(&j, "before", '{');
		syt_json_u64(&j, "dur",
		             SYT_TIME_NS(before->path->to) - SYT_TIME_NS(view->queue.from));
		syt_json_place(&j, "since", &v->path->order->places, view->queue.at);
		json_cause(&j, "mostly", before->path, before->labels, &c);
		syt_json_end(&j);
	}
	syt_json_end_line(&j);
}

static void json_summary(struct syt_json *j, const struct syt_requests *rs)
{
	syt_json_begin_line(j, "requests");
	syt_json_u64(j, "requests", rs->nr);
	syt_json_u64(j, "counted", rs->nr_counted);
	if (rs->nr_counted) {
		syt_json_u64(j, "p50", SYT_TIME_NS(rs->median));
		syt_json_u64(j, "p99", SYT_TIME_NS(rs->p99));
		syt_json_u64(j, "max", SYT_TIME_NS(rs->longest));
	}
	syt_json_begin(j, "begin", '{'); /* of the counted */
	for (unsigned b = 0; b < SYT_NR_REQUEST_BEGINS; b++)
		syt_json_u64(j, syt_request_begin_word((enum syt_request_begin)b),
		             rs->nr_of_begin[b]);
	syt_json_end(j);
	syt_json_begin(j, "end", '{');
	for (unsigned e = 0; e < SYT_NR_REQUEST_ENDS; e++)
		syt_json_u64(j, syt_request_end_word((enum syt_request_end)e), rs->nr_of_end[e]);
	syt_json_end(j);
	syt_json_u64(j, "inner", rs->nr_inner);
	syt_json_u64(j, "unsure", rs->nr_unsure);
	syt_json_u64(j, "connections", rs->nr_connections);
	syt_json_u64(j, "accept_not_seen", rs->nr_listened);
	syt_json_end_line(j);
}

void syt_requests_json(struct syt_out *out, const struct syt_requests_view *v)
{
	const struct syt_requests *rs = v->requests;
	uint64_t nr = syt_requests_shown(v);
	struct syt_json j = {.out = out};

	syt_coverage_json(out, rs->order);
	json_summary(&j, rs);
	SYT_EACH_FAR(n, 0, nr) {
		if (out->is_closed)
			break;
		uint64_t index = rs->by_length[n];
		struct syt_path path;
		struct syt_path_sum sum;
		struct syt_request_cause c;

		syt_json_begin_line(&j, "request");
		json_members(&j, rs, index);
		if (n < SYT_REQUEST_PATHS)
			json_unseen(&j, rs, &rs->all[index]);
		if (n < SYT_REQUEST_PATHS &&
		    syt_request_explain(v, &rs->all[index], &path, &sum, &c)) {
			json_cause(&j, "mostly", &path, v->labels, &c);
			syt_path_sum_close(&sum);
			syt_path_close(&path);
		} else {
			syt_json_null(&j, "mostly");
		}
		syt_json_end_line(&j);
	}
}
