/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Why a call returned when it did: the path from its begin to its end, told backwards. */
#include <errno.h>
#include <inttypes.h>

#include "base/json.h"
#include "decoder/read/call.h"
#include "decoder/show/edge_print.h"
#include "decoder/report/critical_path/view.h"
#include "decoder/show/print.h"
#include "decoder/report/critical_path/request_view.h"

#define MOST_TOLD 6u       /* hand-overs */
#define MOST_DOINGS 3u     /* of one thread between two of them */
#define WORTH_TELLING 100u /* one of so many parts of all */
#define PATH_PARTS 3u

static syt_time length(const struct syt_path_segment *s)
{
	return s->to - s->from;
}

static void put_node(struct syt_out *out, const struct syt_path_view *v, struct syt_place at)
{
	syt_edge_text_node(out, v->symbols, v->path->order, at);
}

static void put_thread(struct syt_out *out, const struct syt_path_view *v, uint32_t thread)
{
	const struct syt_thread *t = v->path->order->places.threads[thread];

	syt_out_printf(out, "thread %" PRIu32 ".%" PRIu32, t->image->index, t->index);
	if (t->name) {
		syt_out_string(out, " (");
		syt_out_safe(out, t->name);
		syt_out_char(out, ')');
	}
}

static void put_object(struct syt_out *out, const struct syt_order *o, uint32_t object)
{
	char text[SYT_OBJECT_TEXT];

	syt_object_text(o->objects.all[object].info, text, sizeof(text));
	syt_out_string(out, text);
	if (o->objects.all[object].info->name) {
		syt_out_string(out, " (");
		syt_out_safe(out, o->objects.all[object].info->name);
		syt_out_char(out, ')');
	}
}

/* ---- who ended it ---- */

static void put_handover(struct syt_out *out, const struct syt_path_view *v,
                         const struct syt_path_segment *s, bool is_first)
{
	const struct syt_order *o = v->path->order;
	const struct syt_edge *e = &o->edges.all[s->edge];

	if (is_first) {
		syt_out_string(out, "It ended because of ");
	} else {
		syt_out_string(out, "There ");
		put_node(out, v, s->at);
		syt_out_string(out, " had waited for ");
	}
	put_node(out, v, e->from);
	syt_out_string(out, " of ");
	put_thread(out, v, e->from.thread);
	syt_out_printf(out, ", by an edge of kind %s",
	               syt_edge_kind_text((enum syt_edge_kind)e->kind));
	if (e->object != SYT_NONE) {
		syt_out_string(out, " through ");
		put_object(out, o, e->object);
	}
	if (e->class == SYT_CLASS_RUN_AFTER)
		syt_out_string(out, " (mutual exclusion: who came first was chance)");
	syt_out_string(out, ", ");
	syt_print_span(out, SYT_TIME_NS(length(s)));
	syt_out_string(out, " before.");
	if (s->flags & SYT_PATH_CHOICE)
		syt_out_printf(
			out,
			" That is a choice: %" PRIu32
			" events may have been it, and not all in one thread; this is the last.",
			s->nr_candidates);
	else if (s->nr_candidates > 1)
		syt_out_printf(out,
		               " One of %" PRIu32 " that may have been it, all of that thread.",
		               s->nr_candidates);
	if (s->flags & SYT_PATH_INFERRED)
		syt_out_string(out,
		               e->kind == SYT_EDGE_REAP
		                       ? " That this is what woke it is inferred."
		                       : " That the two belong to one connection is inferred.");
	syt_out_char(out, '\n');
}

/* ---- what a thread did ---- */

static void put_doing(struct syt_out *out, const struct syt_path_view *v,
                      const struct syt_path_part *part)
{
	const char *side = syt_label_short(syt_label_side_text(v->labels, part->side), PATH_PARTS);

	syt_print_span(out, SYT_TIME_NS(part->time));
	if (part->kind == SYT_PATH_CALL) {
		syt_out_string(out, " in ");
		syt_out_safe(out, side);
	} else {
		syt_out_string(out, " running");
		if (part->function) {
			syt_out_string(out, " in ");
			syt_out_safe(out, part->function);
		}
		syt_out_string(out, ", on its way to ");
		syt_out_safe(out, side);
	}
	if (part->nr > 1)
		syt_out_printf(out, ", %" PRIu64 " times", part->nr);
}

static const char *when(const struct syt_path_view *v, uint64_t behind)
{
	if (!v->request || behind < v->path->nr)
		return "Before that ";
	return v->path->nr_handovers ? "At the end " : "All that time ";
}

/* The segments [FIRST, BEHIND), all of one thread and none a hand-over: what had most of it. */
static void put_doings(struct syt_out *out, const struct syt_path_view *v, uint64_t first,
                       uint64_t behind)
{
	struct syt_path part = {
		.order = v->path->order, .nr = behind - first, .all = v->path->all + first};
	struct syt_path_sum sum;
	syt_time left = 0;

	if (first == behind)
		return;
	syt_out_string(out, when(v, behind));
	put_thread(out, v, part.all[0].at.thread);
	syt_out_string(out, " was ");
	if (part.all[0].kind == SYT_PATH_UNKNOWN) {
		syt_out_string(out, "not known to the recorder.\n");
		return;
	}
	syt_path_sum_open(&sum, &part, v->labels, v->symbols);
	for (size_t n = 0; n < sum.nr_parts; n++)
		left += sum.parts[n].time;
	for (size_t n = 0; n < MOST_DOINGS && n < sum.nr_parts && left; n++) {
		if (n && sum.parts[n].time < (v->path->to - v->path->from) / WORTH_TELLING)
			break;
		syt_out_string(out, n ? "; " : "");
		put_doing(out, v, &sum.parts[n]);
		left -= sum.parts[n].time;
	}
	if (left) {
		syt_out_string(out, "; ");
		syt_print_span(out, SYT_TIME_NS(left));
		syt_out_string(out, " more");
	}
	syt_out_string(out, ".\n");
	syt_path_sum_close(&sum);
}

/* ---- in sentences ---- */

static bool has_timed_out(const struct syt_path_view *v)
{
	const struct syt_row *r = syt_place_row(&v->path->order->places, v->to);

	return r->result == ETIMEDOUT || (r->result < 0 && r->err == ETIMEDOUT);
}

/* It waited, and nobody is known to have ended that. */
static void put_nobody(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_call_info *call = syt_place_call(&v->path->order->places, v->to);

	if (call->shape == SYT_SHAPE_PAUSE)
		syt_out_string(out, "It waits for time to pass or for a signal: nobody else ended "
		                    "it that is known.\n");
	else if (has_timed_out(v))
		syt_out_string(out, "Its time was up.\n");
	else
		syt_out_string(out, "Nobody is known to have ended it: it worked in the kernel, or "
		                    "waited for somebody who is not in the trace.\n");
}

/* No edge leads from another thread to the event. */
static void put_source(struct syt_out *out, const struct syt_path_view *v)
{
	enum syt_reason reason;

	switch (syt_order_source_of(v->path->order, v->to, &reason)) {
	case SYT_SOURCE_UNNEEDED:
		syt_out_string(out, "Nothing of another thread had to come before it.\n");
		break;
	case SYT_SOURCE_PERHAPS_UNKNOWN:
		syt_out_printf(out,
		               "Its source may be unknown: some acquires of its object are "
		               "unattributed (%s).\n",
		               syt_reason_text(reason));
		break;
	case SYT_SOURCE_UNKNOWN:
		syt_out_printf(out, "Its source is unknown (%s).\n", syt_reason_text(reason));
		break;
	}
}

static void put_before(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_order *o = v->path->order;
	uint32_t number = syt_path_preceded_by(o, v->to);

	if (number == SYT_NONE) {
		put_source(out, v);
		return;
	}
	const struct syt_edge *e = &o->edges.all[number];

	syt_out_string(out, "Of what had to come before it, the last was ");
	put_node(out, v, e->from);
	syt_out_printf(out, " (%s, ", syt_edge_kind_text((enum syt_edge_kind)e->kind));
	syt_print_span(out, SYT_TIME_NS(syt_edge_end(&o->edges, e) - syt_edge_begin(&o->edges, e)));
	syt_out_printf(out, " before%s).\n",
	               e->flags & SYT_EDGE_AMBIGUOUS ? ", one of several possible" : "");
}

void syt_why_root(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_path_function *f = v->sum->functions; /* the longest, and there is one */
	const struct syt_path *p = v->path;

	syt_out_string(out, "In the end it is ");
	if (f->name) {
		if (f->by_kind[SYT_PATH_CALL] > f->by_kind[SYT_PATH_RUNNING])
			syt_out_string(out, "a call in ");
		syt_out_color(out, SYT_COLOR_BOLD);
		syt_out_safe(out, f->name);
		syt_out_color(out, SYT_COLOR_NONE);
	} else {
		syt_out_string(out, f->by_kind[SYT_PATH_HANDOVER] > f->by_kind[SYT_PATH_UNKNOWN]
		                            ? "the way from who ended a wait to its end"
		                            : "something that is not known");
	}
	syt_out_printf(out, " that took %.1f %% of that time.\n",
	               100.0 * (double)f->time / (double)(p->to - p->from));
}

/* From the end backwards, hand-over by hand-over. */
static void put_chain(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_path *p = v->path;
	unsigned nr_told = 0;
	uint64_t behind = p->nr, left = p->nr_handovers;

	for (uint64_t i = p->nr; i-- && nr_told < MOST_TOLD;) {
		if (p->all[i].kind != SYT_PATH_HANDOVER)
			continue;
		put_doings(out, v, i + 1, behind);
		put_handover(out, v, &p->all[i], !nr_told++ && !v->request);
		behind = i;
		left--;
	}
	if (left)
		syt_out_printf(out, "And so on, over %" PRIu64 " more hand-over%s.\n", left,
		               left == 1 ? "" : "s");
	else
		put_doings(out, v, 0, behind);
}

void syt_why_text(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_path *p = v->path;

	if (v->request) {
		syt_request_text(out, v);
		put_chain(out, v);
		return;
	}
	put_node(out, v, v->to);
	syt_out_string(out, " of ");
	put_thread(out, v, v->to.thread);
	if (p->from == p->to) {
		syt_out_string(out, " did not wait.\n");
		put_before(out, v);
		return;
	}
	syt_out_string(out, " took ");
	syt_print_span(out, SYT_TIME_NS(p->to) - SYT_TIME_NS(p->from));
	syt_out_string(out, ".\n");
	if (!p->nr_handovers && p->nr == 1) {
		put_nobody(out, v);
		put_before(out, v);
		return;
	}
	put_chain(out, v);
	syt_why_root(out, v);
}

/* ---- as JSON ---- */

void syt_why_json(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_order *o = v->path->order;
	uint32_t number = syt_path_preceded_by(o, v->to);
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "why");
	syt_json_id(&j, "event", o->places.threads[v->to.thread], v->to.row);
	if (v->request)
		syt_json_u64(&j, "request", v->request->index + 1);
	syt_json_string(&j, "call", syt_place_call(&o->places, v->to)->name);
	syt_json_bool(&j, "waited", v->path->from < v->path->to);
	enum syt_reason reason;

	if (number == SYT_NONE && syt_order_source_of(o, v->to, &reason) != SYT_SOURCE_UNNEEDED) {
		syt_json_bool(&j, "unattributed", true);
		syt_json_string(&j, "reason", syt_reason_text(reason));
	}
	if (number != SYT_NONE) {
		syt_json_begin(&j, "preceded_by", '{');
		syt_edge_json_members(&j, o, &o->edges.all[number]);
		syt_json_end(&j);
	}
	syt_json_end_line(&j);
	syt_path_json(out, v);
}
