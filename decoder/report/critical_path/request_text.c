/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include <inttypes.h>
#include <stdio.h>

#include "base/table.h"
#include "decoder/read/call.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/edge_print.h"
#include "decoder/show/print.h"
#include "decoder/report/critical_path/request_view.h"

#define PATH_PARTS 3u     /* of a call path */
#define WORTH_TELLING 20u /* one of so many parts of the request */

uint64_t syt_requests_shown(const struct syt_requests_view *v)
{
	uint64_t nr = v->has_all ? v->requests->nr : v->requests->nr_counted;

	return v->limit && v->limit < nr ? v->limit : nr;
}

bool syt_request_explain(const struct syt_requests_view *v, const struct syt_request_info *r,
                         struct syt_path *path, struct syt_path_sum *sum,
                         struct syt_request_cause *cause)
{
	if (r->end_is == SYT_REQUEST_OPEN || v->requests->order->edges.nr >= SYT_NONE ||
	    syt_path_open(path, v->requests->order, r->begin, r->ended))
		return false;
	syt_path_sum_open(sum, path, v->labels, v->symbols);
	*cause = syt_request_cause_of(path, sum);
	return true;
}

char *syt_request_client(const struct syt_requests *rs, const struct syt_request_info *r,
                         char *text, size_t bytes)
{
	const struct syt_object_info *info = rs->order->objects.all[r->object].info;

	if (info->endpoint && info->endpoint->remote_bytes > sizeof(uint16_t))
		return syt_address_text(info->endpoint->remote, info->endpoint->remote_bytes, text,
		                        bytes);
	syt_object_text(info, text, bytes);
	return text;
}

static void put_span(struct syt_out *out, syt_time time)
{
	syt_print_span(out, SYT_TIME_NS(time));
}

static void put_thread(struct syt_out *out, const struct syt_order *o, uint32_t thread)
{
	const struct syt_thread *t = o->places.threads[thread];

	syt_out_printf(out, "thread %" PRIu32 ".%" PRIu32, t->image->index, t->index);
	if (t->name) {
		syt_out_string(out, " (");
		syt_out_safe(out, t->name);
		syt_out_char(out, ')');
	}
}

static void put_event(struct syt_out *out, const struct syt_path_view *v, struct syt_place at)
{
	syt_edge_text_node(out, v->symbols, v->path->order, at);
	syt_out_string(out, " of ");
	put_thread(out, v->path->order, at.thread);
}

static const char *short_path(struct syt_labels *labels, uint32_t side)
{
	return side == SYT_NONE ? ""
	                        : syt_label_short(syt_label_side_text(labels, side), PATH_PARTS);
}

static uint32_t thread_of(const struct syt_path *p, const struct syt_path_part *part)
{
	return p->all[part->longest].at.thread;
}

/* ---- one request ---- */

/* "mostly to flush: 74.5 %, in flush;usleep, thread 0.2" */
static void put_cause(struct syt_out *out, const struct syt_path_view *v,
                      const struct syt_request_cause *c)
{
	const struct syt_path *p = v->path;

	syt_out_color(out, SYT_COLOR_BOLD);
	if (c->function->name)
		syt_out_safe(out, c->function->name);
	else
		syt_out_string(out, c->part ? "on the way from what ended a wait to its end"
		                            : "not known");
	syt_out_color(out, SYT_COLOR_NONE);
	syt_out_printf(out, ": %.1f %%", syt_percent(c->function->time, p->to - p->from));
	if (!c->part)
		return;
	syt_out_string(out, c->part->kind == SYT_PATH_CALL      ? ", most of it in "
	                    : c->part->kind == SYT_PATH_RUNNING ? ", most of it running to "
	                                                        : ", most of it to ");
	syt_out_safe(out, short_path(v->labels, c->part->side));
	syt_out_string(out, " of ");
	put_thread(out, p->order, thread_of(p, c->part));
}

static void put_begin(struct syt_out *out, const struct syt_path_view *v,
                      const struct syt_request_info *r)
{
	syt_out_string(out, "It begins with ");
	put_event(out, v, r->begun);
	if (r->begin_is == SYT_REQUEST_SENT) {
		syt_out_string(out, ", its client");
		if (r->flags & SYT_REQUEST_INFERRED)
			syt_out_string(out, " (which is inferred)");
	} else if (r->begin_is == SYT_REQUEST_REPORTED) {
		syt_out_string(out,
		               ", which reported that there was something to receive: the trace "
		               "does not tell who sent it");
	} else {
		syt_out_string(out, ", which received it: the trace does not tell who sent it");
	}
	if (r->begin_is != SYT_REQUEST_RECEIVED) {
		syt_out_string(out, "; ");
		put_event(out, v, r->x.received);
		syt_out_string(out, " received it ");
		put_span(out, r->received_at - r->begin);
		syt_out_string(out, " later");
	}
	syt_out_string(out, ".\n");
}

static void put_end(struct syt_out *out, const struct syt_path_view *v,
                    const struct syt_request_info *r)
{
	syt_out_string(out, "It ends with ");
	put_event(out, v, r->ended);
	if (r->end_is == SYT_REQUEST_CLOSED)
		syt_out_string(out, ", without an answer");
	else if (r->x.nr_sends > 1)
		syt_out_printf(out, ", the last of %" PRIu32 " sends before the next request",
		               r->x.nr_sends);
	if (r->x.nr_sends > 1 && r->x.first_answer > r->begin) {
		syt_out_string(out, ", of which the first came after ");
		put_span(out, r->x.first_answer - r->begin);
	}
	syt_out_string(out, ".\n");
}

static void put_lock(struct syt_out *out, const struct syt_path_view *v,
                     const struct syt_request_cause *c)
{
	const struct syt_order *o = v->path->order;
	const struct syt_edge *e = &o->edges.all[c->lock->edge];
	char text[SYT_OBJECT_TEXT];

	put_span(out, c->lock_wait);
	syt_out_string(out, " of it ");
	put_event(out, v, c->lock->at);
	syt_out_string(out, " waited");
	if (e->object != SYT_NONE) {
		const struct syt_object_info *info = o->objects.all[e->object].info;

		syt_object_text(info, text, sizeof(text));
		syt_out_printf(out, " for %s", text);
		if (info->name) {
			syt_out_string(out, " (");
			syt_out_safe(out, info->name);
			syt_out_char(out, ')');
		}
	}
	syt_out_string(out, ", until ");
	put_event(out, v, e->from);
	syt_out_string(out, " gave it back.\n");
}

/* What its server did between FROM and TO, when it might have looked at it. */
static void put_meanwhile(struct syt_out *out, const struct syt_path_view *v,
                          const struct syt_request_info *r, syt_time from, syt_time to)
{
	uint64_t longest, nr = syt_request_meanwhile(v->request->requests, r, from, to, &longest);

	if (!nr)
		return;
	syt_out_string(out, "Meanwhile ");
	put_thread(out, v->path->order, r->x.received.thread);
	syt_out_printf(out, " had %" PRIu64 " other request%s in hand, ", nr, nr == 1 ? "" : "s");
	syt_out_printf(out, "%snumber %" PRIu64 ".\n", nr == 1 ? "" : "the longest of them ",
	               longest + 1);
}

static void put_before(struct syt_out *out, const struct syt_path_view *v,
                       const struct syt_request_info *r)
{
	const struct syt_path_view *before = v->request->before;
	struct syt_request_cause c = syt_request_cause_of(before->path, before->sum);

	syt_out_string(out, "Before that it may have waited in its socket for up to ");
	put_span(out, before->path->to - v->request->queue.from);
	syt_out_string(out, ", since ");
	put_event(out, v, v->request->queue.at);
	if (syt_place_call(&v->path->order->places, v->request->queue.at)->shape == SYT_SHAPE_READY)
		syt_out_string(out, ", which did not report it");
	syt_out_char(out, '.');
	if (c.function) {
		syt_out_string(out, " That time went mostly to ");
		put_cause(out, before, &c);
		syt_out_char(out, '.');
	}
	syt_out_char(out, '\n');
	put_meanwhile(out, v, r, v->request->queue.from, r->begin);
}

void syt_request_text(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_request_view *view = v->request;
	const struct syt_request_info *r = &view->requests->all[view->index];
	struct syt_request_cause c = syt_request_cause_of(v->path, v->sum);
	syt_time least = (r->end - r->begin) / WORTH_TELLING;
	char client[SYT_ADDRESS_TEXT];

	syt_out_color(out, SYT_COLOR_BOLD);
	syt_out_printf(out, "Request %" PRIu64, view->index + 1);
	syt_out_color(out, SYT_COLOR_NONE);
	syt_out_string(out, " from ");
	syt_out_safe(out, syt_request_client(view->requests, r, client, sizeof(client)));
	syt_out_string(out, " took ");
	put_span(out, r->end - r->begin);
	if (c.function) {
		syt_out_string(out, ", mostly ");
		put_cause(out, v, &c);
	}
	syt_out_string(out, ".\n");
	if (r->flags & SYT_REQUEST_UNSURE)
		syt_out_string(out, "Events of its connection may be missing: it may have begun "
		                    "earlier, or be two.\n");
	if (c.lock && c.lock_wait >= least)
		put_lock(out, v, &c);
	put_begin(out, v, r);
	if (r->begin_is != SYT_REQUEST_RECEIVED && r->received_at - r->begin >= least &&
	    r->received_at > r->begin)
		put_meanwhile(out, v, r, r->begin, r->received_at);
	if (view->before)
		put_before(out, v, r);
	put_end(out, v, r);
}

/* ---- all of them ---- */

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

static void put_none(struct syt_out *out, const struct syt_requests *rs)
{
	syt_out_string(out, "Requests: none that count.");
	if (!rs->nr)
		syt_out_string(
			out, " A request is what is received on a connection that was accepted, or "
			     "whose own address is listened on, in the trace; there is none.");
	syt_out_char(out, '\n');
}

static void put_lengths(struct syt_out *out, const struct syt_requests *rs)
{
	static const char *const begins[] = {
		[SYT_REQUEST_SENT] = "when their clients send them",
		[SYT_REQUEST_REPORTED] = "when a readiness call reports them (the trace does not "
					 "tell who sent them)",
		[SYT_REQUEST_RECEIVED] =
			"when they are received (the trace does not tell who sent them)",
	};
	bool is_first = true;

	syt_out_printf(out, "Requests: %" PRIu64 " answered; p50 ", rs->nr_counted);
	put_span(out, rs->median);
	syt_out_string(out, ", p99 ");
	put_span(out, rs->p99);
	syt_out_string(out, ", max ");
	put_span(out, rs->longest);
	syt_out_string(out, ". They begin ");
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

/* NR of them are not counted for the reason WHY. */
static void put_reason(struct syt_out *out, bool *is_first, uint64_t nr, const char *why)
{
	if (!nr)
		return;
	syt_out_printf(out, "%s%" PRIu64 " %s", *is_first ? "" : ", ", nr, why);
	*is_first = false;
}

static void put_uncounted(struct syt_out *out, const struct syt_requests *rs)
{
	bool is_first = true;

	if (rs->nr > rs->nr_counted) {
		syt_out_string(out, "Not counted: ");
		put_reason(out, &is_first, rs->nr_of_end[SYT_REQUEST_CLOSED],
		           "closed without an answer");
		put_reason(out, &is_first, rs->nr_of_end[SYT_REQUEST_OPEN],
		           "without an answer or a close");
		put_reason(out, &is_first, rs->nr_inner, "from one server to another");
		put_reason(out, &is_first, rs->nr_unsure,
		           "where events of the connection may be missing");
		syt_out_string(out, "; --all shows them.\n");
	}
	if (rs->nr_listened)
		syt_out_printf(out,
		               "Of %" PRIu64
		               " connection%s the accept is not in the trace: known by "
		               "the address that is listened on.\n",
		               rs->nr_listened, plural(rs->nr_listened));
}

static void cell_cause(struct syt_table *t, const struct syt_requests_view *v,
                       const struct syt_request_info *r)
{
	struct syt_path path;
	struct syt_path_sum sum;
	struct syt_request_cause c;
	const struct syt_thread *of;

	if (!syt_request_explain(v, r, &path, &sum, &c)) {
		syt_table_cell(t, "%s", "");
		return;
	}
	if (!c.function || !c.part) {
		syt_table_cell(t, "%s", c.function ? "not known" : "");
	} else {
		of = v->requests->order->places.threads[thread_of(&path, c.part)];
		syt_table_cell(t, "%.0f %% %s: %s%s (%" PRIu32 ".%" PRIu32 ")%s",
		               syt_percent(c.function->time, path.to - path.from),
		               c.function->name ? c.function->name : "handing over",
		               c.part->kind == SYT_PATH_CALL      ? "in "
		               : c.part->kind == SYT_PATH_RUNNING ? "running to "
		                                                  : "to ",
		               short_path(v->labels, c.part->side), of->image->index, of->index,
		               c.lock_wait >= (path.to - path.from) / 2 ? ", behind a lock" : "");
	}
	syt_path_sum_close(&sum);
	syt_path_close(&path);
}

/* How long it may have waited before it was seen. */
static void cell_unseen(struct syt_table *t, const struct syt_requests *rs,
                        const struct syt_request_info *r)
{
	struct syt_request_queue q;

	syt_table_span(
		t, syt_request_queued(rs, r, &q) ? SYT_TIME_NS(r->begin) - SYT_TIME_NS(q.from) : 0);
}

static void cell_thread(struct syt_table *t, const struct syt_thread *of)
{
	syt_table_cell(t, "%" PRIu32 ".%" PRIu32 "%s%s", of->image->index, of->index,
	               of->name ? " " : "", of->name ? of->name : "");
}

/* HAS_PATH: with what only the first ones have. */
static void request_row(struct syt_table *t, const struct syt_requests_view *v, uint64_t index,
                        bool has_path)
{
	const struct syt_requests *rs = v->requests;
	const struct syt_request_info *r = &rs->all[index];
	const struct syt_thread *received = rs->order->places.threads[r->x.received.thread];
	uint64_t begin = SYT_TIME_NS(r->begin);
	char client[SYT_ADDRESS_TEXT];

	syt_table_row(t);
	syt_table_cell(t, "%" PRIu64, index + 1);
	syt_table_cell(t, "%" PRIu64 ".%06" PRIu64, begin / 1000000000, begin % 1000000000 / 1000);
	if (r->end_is == SYT_REQUEST_ANSWERED)
		syt_table_span(t, SYT_TIME_NS(r->end - r->begin));
	else
		syt_table_cell(t, "%s", syt_request_end_word((enum syt_request_end)r->end_is));
	syt_table_span(t, SYT_TIME_NS(r->received_at - r->begin));
	if (has_path)
		cell_unseen(t, rs, r);
	else
		syt_table_cell(t, "%s", "");
	syt_table_cell(t, "%" PRIu32 ".%" PRIu32 ".%" PRIu64, received->image->index,
	               received->index, received->base + r->x.received.row);
	cell_thread(t, received);
	syt_table_cell(t, "%s", syt_request_client(rs, r, client, sizeof(client)));
	if (has_path)
		cell_cause(t, v, r);
	else
		syt_table_cell(t, "%s", "");
	if (v->has_all)
		syt_table_cell(t, "%s%s%s", r->flags & SYT_REQUEST_INNER ? "inner" : "",
		               (r->flags & SYT_REQUEST_INNER) && (r->flags & SYT_REQUEST_UNSURE)
		                       ? ", "
		                       : "",
		               r->flags & SYT_REQUEST_UNSURE ? "unsure" : "");
}

void syt_requests_text(struct syt_out *out, const struct syt_requests_view *v)
{
	const struct syt_requests *rs = v->requests;
	uint64_t nr = syt_requests_shown(v), nr_all = v->has_all ? rs->nr : rs->nr_counted;
	struct syt_table *t;

	syt_coverage_line(out, rs->order);
	if (rs->nr_counted)
		put_lengths(out, rs);
	else
		put_none(out, rs);
	put_uncounted(out, rs);
	if (!nr)
		return;
	syt_out_char(out, '\n');
	t = syt_table_create(">REQUEST", ">BEGIN", ">TIME", ">BEFORE RECEIPT", ">MAYBE EARLIER",
	                     "RECEIVED BY", "THREAD", "CLIENT", "MOSTLY",
	                     v->has_all ? "NOTE" : NULL, NULL);
	for (uint64_t n = 0; n < nr && !out->is_closed; n++)
		request_row(t, v, rs->by_length[n], n < SYT_REQUEST_PATHS);
	syt_table_end(t, out);
	if (nr < nr_all)
		syt_out_printf(out, "%" PRIu64 " more; --limit shows them.\n", nr_all - nr);
	syt_out_printf(out,
	               "\nWhere the time of one went tell critical-path and why with --request N "
	               "(slowest: number %" PRIu64 ").\n",
	               rs->by_length[0] + 1);
}
