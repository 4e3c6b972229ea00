/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the sentences of the report why: the path from the begin of a call to its end, described from the end
 * backwards. */
#include <errno.h>
#include <inttypes.h>

#include "decoder/show/coverage_print.h"
#include "decoder/report/critical_path/view.h"
#include "decoder/show/edge_print.h"
#include "decoder/show/print.h"

#define MOST_HANDOFFS 6u
/* maximum number of described activities of one thread between two hand-offs */
#define MOST_ACTIVITIES 3u
#define LEAST_PART 100u /* an activity is printed if it is at least 1/LEAST_PART of the path */

static const struct syt_path_report *report_of(const struct syt_view *v)
{
	return v->report;
}

static void put_doubts(struct syt_out *out, const struct syt_path_segment *s, uint8_t edge_kind)
{
	if (s->flags & SYT_PATH_CHOICE)
		syt_out_printf(out,
		               " This is the last of %" PRIu32
		               " events of several threads that can have ended the wait.",
		               s->nr_candidates);
	else if (s->nr_candidates > 1)
		syt_out_printf(out,
		               " This event is one of %" PRIu32 " events of the same thread that "
		               "can have ended the wait.",
		               s->nr_candidates);
	if (s->flags & SYT_PATH_INFERRED)
		syt_out_string(out, edge_kind == SYT_EDGE_REAP
		                            ? " The decoder inferred that this event woke the "
		                              "waiter."
		                            : " The decoder inferred that the two sockets belong "
		                              "to one connection.");
}

static void put_handoff(struct syt_out *out, const struct syt_view *v,
                        const struct syt_path_segment *s, bool is_first)
{
	const struct syt_edge *e = &v->order->edges.all[s->edge];

	if (is_first)
		syt_out_string(out, "This call");
	else
		syt_edge_text_node(out, v->symbols, v->order, s->at);
	syt_out_string(out, " ended ");
	syt_host_error_put_span(out, SYT_TIME_NS(s->to - s->from), syt_path_error(v->order, s));
	syt_out_string(out, " after ");
	syt_view_put_event(v, out, e->from);
	syt_out_printf(out, " (happens-before edge: %s", syt_edge_kind_text(e->kind));
	if (e->object != SYT_NONE) {
		syt_out_string(out, ", ");
		syt_view_put_object(v, out, e->object);
	}
	if (e->class == SYT_CLASS_RUN_AFTER)
		syt_out_string(out, "; mutual exclusion, so the two events may have the other "
		                    "order in another run");
	syt_out_string(out, ").");
	put_doubts(out, s, e->kind);
	syt_out_char(out, '\n');
}

static const char *when(const struct syt_path_report *r, uint64_t behind)
{
	if (!r->request || behind < r->path.nr)
		return "Before that, ";
	return r->path.nr_handovers ? "At the end, " : "All that time, ";
}

/* Describes the activities of one thread between two hand-offs to another thread: sums the path's segments from
 * FIRST up to, not including, BEHIND. */
static void put_activities(struct syt_out *out, const struct syt_view *v, uint64_t first,
                           uint64_t behind)
{
	const struct syt_path *p = &report_of(v)->path;
	struct syt_path part = {.order = v->order, .nr = behind - first, .all = p->all + first};
	struct syt_path_sum sum;
	syt_time left = 0;

	if (first == behind)
		return;
	syt_out_string(out, when(report_of(v), behind));
	syt_view_put_thread(v, out, part.all[0].at.thread);
	if (part.all[0].kind == SYT_PATH_UNKNOWN) {
		syt_out_string(out, " did something that was not recorded.\n");
		return;
	}
	syt_out_string(out, " spent ");
	syt_path_sum_open(&sum, &part, v->times, v->labels, v->symbols);
	for (size_t n = 0; n < sum.nr_parts; n++)
		left += sum.parts[n].time;
	for (size_t n = 0; n < MOST_ACTIVITIES && n < sum.nr_parts && left; n++) {
		if (n && sum.parts[n].time < (p->to - p->from) / LEAST_PART)
			break;
		syt_out_string(out, n ? "; " : "");
		syt_path_put_part(out, v, &part, &sum.parts[n]);
		left -= sum.parts[n].time;
	}
	if (left) {
		syt_out_string(out, "; ");
		syt_print_span(out, SYT_TIME_NS(left));
		syt_out_string(out, " in other calls and code");
	}
	syt_out_string(out, ".\n");
	syt_path_sum_close(&sum);
}

/* Explains a wait that no known event ended. */
static void put_no_waker(struct syt_out *out, const struct syt_view *v)
{
	struct syt_place to = report_of(v)->to;
	const struct syt_row *r = syt_place_row(&v->order->places, to);

	if (syt_place_call(&v->order->places, to)->shape == SYT_SHAPE_PAUSE)
		syt_out_string(out, "This call waits for time to pass or for a signal. No recorded "
		                    "event ended this call.\n");
	else if (r->result == ETIMEDOUT || (r->result < 0 && r->err == ETIMEDOUT))
		syt_out_string(out, "This call timed out.\n");
	else
		syt_out_string(out, "No recorded event ended this call: it worked in the kernel, "
		                    "or waited for a process that is not recorded.\n");
}

/* Explains that no happens-before edge leads from another thread to the event. */
static void put_no_predecessor(struct syt_out *out, const struct syt_view *v)
{
	enum syt_reason reason;

	switch (syt_order_source_of(v->order, report_of(v)->to, &reason)) {
	case SYT_SOURCE_UNNEEDED:
		syt_out_string(out, "This call did not depend on any event of another thread.\n");
		break;
	case SYT_SOURCE_PERHAPS_UNKNOWN:
		syt_out_printf(out,
		               "Another event may have ended this call: for some calls on the same "
		               "object, the unlock, wake-up or send before is unknown (%s).\n",
		               syt_reason_text(reason));
		break;
	case SYT_SOURCE_UNKNOWN:
		syt_out_printf(out, "The event that ended this call is unknown (%s).\n",
		               syt_reason_text(reason));
		break;
	}
}

static void put_predecessor(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_edges *edges = &v->order->edges;
	uint32_t number = syt_path_preceded_by(v->order, report_of(v)->to);
	const struct syt_edge *e;

	if (number == SYT_NONE) {
		put_no_predecessor(out, v);
		return;
	}
	e = &edges->all[number];
	syt_out_string(out, "The last event that had to come before this call is ");
	syt_view_put_event(v, out, e->from);
	syt_out_printf(out, " (happens-before edge: %s", syt_edge_kind_text(e->kind));
	syt_out_string(out,
	               e->flags & SYT_EDGE_AMBIGUOUS ? ", one of several possible events; " : ", ");
	syt_host_error_put_span(out, SYT_TIME_NS(syt_edge_end(edges, e) - syt_edge_begin(edges, e)),
	                        syt_edge_host_error(v->order, e));
	syt_out_string(out, " earlier).\n");
}

static void put_root_cause(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_path *p = &report_of(v)->path;
	/* the function with the most time; a path with a length has one */
	const struct syt_path_function *f = report_of(v)->sum.functions;

	syt_out_string(out, "Root cause: ");
	if (f->name) {
		syt_print_colored(out, SYT_COLOR_BOLD, f->name);
	} else {
		syt_out_string(out, f->by_kind[SYT_PATH_HANDOVER] > f->by_kind[SYT_PATH_UNKNOWN]
		                            ? "hand-offs (from the event that ended a wait until "
		                              "the waiter ran)"
		                            : "an activity that was not recorded");
	}
	syt_out_printf(out, " took %.1f %% of this time", syt_percent(f->time, p->to - p->from));
	if (f->name && f->by_kind[SYT_PATH_CALL] > f->by_kind[SYT_PATH_RUNNING]) {
		syt_out_string(out, ", in calls");
	} else if (f->name) {
		syt_out_string(out, ", between calls");
		syt_view_put_cpu_use(out, &f->cpu);
	}
	syt_out_string(out, ".\n");
}

/* Describes the hand-offs between threads on the path, from its end backwards. */
static void put_chain(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_path *p = &report_of(v)->path;
	uint64_t behind = p->nr, nr_left = p->nr_handovers;
	unsigned nr = 0;

	for (uint64_t i = p->nr; i-- && nr < MOST_HANDOFFS;) {
		if (p->all[i].kind != SYT_PATH_HANDOVER)
			continue;
		put_activities(out, v, i + 1, behind);
		put_handoff(out, v, &p->all[i], !nr++ && !report_of(v)->request);
		behind = i;
		nr_left--;
	}
	if (nr_left)
		syt_out_printf(out,
		               "%" PRIu64 " earlier hand-off%s between threads lead%s to "
		               "this.\n",
		               nr_left, nr_left == 1 ? "" : "s", nr_left == 1 ? "s" : "");
	else
		put_activities(out, v, 0, behind);
}

static void put_sentences(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_path_report *r = report_of(v);
	const struct syt_path *p = &r->path;

	if (r->request) {
		syt_request_sentences(out, v);
		put_chain(out, v);
		return;
	}
	syt_view_put_event(v, out, r->to);
	if (p->from == p->to) {
		syt_out_string(out, " did not wait.\n");
		put_predecessor(out, v);
		return;
	}
	syt_out_string(out, " took ");
	syt_print_span(out, SYT_TIME_NS(p->to - p->from));
	syt_out_string(out, ".\n");
	if (!p->nr_handovers && p->nr == 1) {
		put_no_waker(out, v);
		put_predecessor(out, v);
		return;
	}
	put_chain(out, v);
	put_root_cause(out, v);
}

SYT_COLUMN_NUMBER_IF(request, struct syt_path_report,
                     r->request ? r->request->index + 1 : SYT_CELL_NONE);
SYT_COLUMN_WORD(call, struct syt_path_report, syt_place_call(&c->view->order->places, r->to)->name);
SYT_COLUMN_BOOL(waited, struct syt_path_report, r->path.from < r->path.to);

/* Writes the happens-before edge into the event, or the reason why it is unknown. */
static void json_predecessor(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_order *o = c->view->order;
	uint32_t number = syt_path_preceded_by(o, report_of(c->view)->to);
	enum syt_reason reason;

	if (number == SYT_NONE) {
		if (syt_order_source_of(o, report_of(c->view)->to, &reason) == SYT_SOURCE_UNNEEDED)
			return;
		syt_json_bool(j, SYT_KEY("unattributed", "is_unattributed"), true);
		syt_json_string(j, SYT_KEY("reason", "unattributed_reason"),
		                syt_reason_text(reason));
		return;
	}
	syt_json_begin(j, key, '{');
	syt_edge_json_members(j, o, &o->edges.all[number]);
	syt_json_end(j);
}

static const struct syt_column_type predecessor = {.json = json_predecessor};

static const struct syt_column columns[] = {
	{NULL, "event", &syt_column_place, offsetof(struct syt_path_report, to)},
	{NULL, "request", &request, 0},
	{NULL, "call", &call, 0},
	{NULL, "waited", &waited, 0},
	{NULL, "preceded_by", &predecessor, 0},
};

static const struct syt_listing why = SYT_LISTING("why", columns);

void syt_why_list(const struct syt_view *v)
{
	if (v->is_json) {
		syt_listing_one(&why, v, v->report, NULL);
		syt_path_list(v);
	} else {
		syt_view_put_wrapped(v, put_sentences);
	}
}
