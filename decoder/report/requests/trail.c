/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The audit trail of a request (Magpie, fig. 4): the steps of its event string, with times. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/read/call.h"
#include "decoder/report/requests/view.h"
#include "decoder/show/host_error.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"

#define LEAST_SHOWN (UINT64_C(10000) << SYT_TIME_SHIFT) /* shortest time that a line mentions */

bool syt_trail_is_bracket(const struct syt_request_step *s)
{
	return s->at.thread == SYT_NONE;
}

bool syt_trail_opens(const struct syt_gathered *g, const struct syt_request_step *s)
{
	return syt_trail_is_bracket(s) && !strcmp(g->population->symbols.all[s->symbol], "[");
}

const char *syt_trail_by(const struct syt_request_segment *s)
{
	return s->by == SYT_EXTENT_PAIRED ? "paired" : syt_edge_kind_text(s->by);
}

struct syt_host_error syt_trail_error(const struct syt_places *p,
                                      const struct syt_request_segment *s, uint32_t thread)
{
	struct syt_place taken = {thread, s->taken};

	if (s->parent == SYT_NONE)
		return (struct syt_host_error){0};
	return syt_host_error_of(p, s->from, s->since, taken, syt_place_row(p, taken)->out);
}

/* ---- JSON ---- */

static void put_step(const struct syt_requests_view *v, const struct syt_request_step *step,
                     unsigned depth)
{
	struct syt_json j = {.out = v->of->out};
	const struct syt_request_segment *s = &v->g->extents.segments[step->segment];
	const struct syt_places *p = &v->g->order->places;
	const struct syt_row *r = syt_place_row(p, step->at);

	syt_json_begin_line(&j, "step");
	syt_json_place(&j, "event", p, step->at);
	syt_json_place(&j, SYT_KEY("parent", "parent_event"), p, s->from);
	if (s->parent == SYT_NONE)
		syt_json_null(&j, SYT_KEY("by", "given_by"));
	else
		syt_json_string(&j, SYT_KEY("by", "given_by"), syt_trail_by(s));
	syt_json_string(&j, "class", s->is_inferred ? "inferred" : "causal");
	syt_json_u64(&j, SYT_KEY("depth", "step_depth"), depth);
	syt_json_string(&j, "symbol", v->g->population->symbols.all[step->symbol]);
	syt_json_time(&j, "ts", SYT_TIME_NS(r->in));
	syt_json_u64(&j, SYT_KEY("ns", "dur"), SYT_TIME_NS(r->out) - SYT_TIME_NS(r->in));
	syt_host_error_json(&j, SYT_HOST_ERROR_KEY, syt_trail_error(p, s, step->at.thread));
	syt_json_end_line(&j);
}

/* ---- text ---- */

static void indent(struct syt_out *out, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		syt_out_string(out, "  ");
}

static void put_thread(const struct syt_requests_view *v, uint32_t thread)
{
	const struct syt_thread *t = v->g->order->places.threads[thread];

	syt_out_safe(v->of->out, syt_image_component(t->image));
	syt_out_printf(v->of->out, " %u.%u", t->image->index, t->index);
}

/* Writes how long the thread waited in the call of the step, and how long it ran after it. */
static void put_times(const struct syt_requests_view *v, const struct syt_request_step *step)
{
	struct syt_out *out = v->of->out;
	uint32_t piece = syt_extents_piece(&v->g->extents, step->at);
	struct syt_work_step w;

	if (piece == SYT_NONE)
		return;
	w = syt_works_step(v->g->works, piece, step->at);
	if (w.waited >= LEAST_SHOWN) {
		syt_out_string(out, "  waited ");
		syt_print_span(out, SYT_TIME_NS(w.waited));
	}
	if (w.ran >= LEAST_SHOWN) {
		syt_out_string(out, w.waited >= LEAST_SHOWN ? ", then ran " : "  then ran ");
		syt_print_span(out, SYT_TIME_NS(w.ran));
	}
}

/* Writes the way on which THREAD got the work of the segment S at AT. */
static void put_by(const struct syt_requests_view *v, const struct syt_request_segment *s,
                   uint32_t thread, syt_time at)
{
	struct syt_out *out = v->of->out;

	syt_out_printf(out, "  by %s%s", syt_trail_by(s), s->is_inferred ? " (inferred)" : "");
	if (at > s->since && s->parent != SYT_NONE) {
		syt_out_string(out, ", ");
		syt_host_error_put_span(out, SYT_TIME_NS(at - s->since),
		                        syt_trail_error(&v->g->order->places, s, thread));
		syt_out_string(out, s->by == SYT_EDGE_HANDOFF ? " in the queue" : " on its way");
	}
}

static void put_line(const struct syt_requests_view *v, const struct syt_request_step *step,
                     unsigned depth, syt_time begin, bool is_first)
{
	struct syt_out *out = v->of->out;
	const struct syt_request_segment *s = &v->g->extents.segments[step->segment];
	const struct syt_row *r = syt_place_row(&v->g->order->places, step->at);
	syt_time at = r->in > begin && r->in > s->since ? r->in : r->out, taken;

	at = at > s->since ? at : s->since; /* the thread had waited for the work */
	taken = syt_place_row(&v->g->order->places, (struct syt_place){step->at.thread, s->taken})
	                ->out;

	syt_out_printf(out, "%10.3f ms  ",
	               (double)(int64_t)(at - begin) / (1 << SYT_TIME_SHIFT) / 1e6);
	indent(out, depth);
	if (is_first) {
		put_thread(v, step->at.thread);
		syt_out_string(out, "  ");
	}
	syt_out_safe(out, syt_symbol_short(v->g->population->symbols.all[step->symbol]));
	if (is_first && s->parent != SYT_NONE)
		put_by(v, s, step->at.thread, taken);
	put_times(v, step);
	syt_out_char(out, '\n');
}

/* The depths at which the threads of a request began. The text shows a thread that gets an answer at its old depth. */
struct depths {
	size_t nr, room;
	struct {
		uint32_t thread;
		unsigned depth;
	} * all;
};

static unsigned depth_of(struct depths *d, uint32_t thread, unsigned depth)
{
	for (size_t i = 0; i < d->nr; i++)
		if (d->all[i].thread == thread)
			return d->all[i].depth;
	syt_grow(&d->all, &d->room, d->nr + 1, sizeof(*d->all));
	d->all[d->nr].thread = thread;
	d->all[d->nr++].depth = depth;
	return depth;
}

void syt_requests_print_trail(const struct syt_requests_view *v, uint64_t r)
{
	const struct syt_request_info *info = &v->g->requests.all[r];
	uint32_t nr, segment = SYT_NONE;
	const struct syt_request_step *steps = syt_behaviours_steps(v->g->behaviours, r, &nr);
	struct depths depths = {0};
	unsigned depth = 0;

	if (v->of->is_json) {
		syt_requests_put_json(v, r);
	} else {
		syt_out_printf(v->of->out, "Request %llu: ", (unsigned long long)r + 1);
		if (info->end_is == SYT_REQUEST_OPEN)
			syt_out_string(v->of->out, "no answer");
		else
			syt_host_error_put_span(
				v->of->out, SYT_TIME_NS(info->end - info->begin),
				syt_host_error_of_request(&v->g->order->places, info));
		if (info->object != SYT_NONE)
			syt_out_printf(v->of->out, ", %llu bytes received, %llu bytes sent",
			               (unsigned long long)info->x.bytes_received,
			               (unsigned long long)info->x.bytes_sent);
		if (info->flags & SYT_REQUEST_PIPELINED)
			syt_out_string(v->of->out, "; pipelining: may cover several requests");
		syt_out_char(v->of->out, '\n');
	}
	for (uint32_t i = 0; i < nr; i++) {
		if (syt_trail_is_bracket(&steps[i])) {
			depth += syt_trail_opens(v->g, &steps[i]) ? 1 : (unsigned)-1;
			continue;
		}
		if (v->of->is_json)
			put_step(v, &steps[i], depth);
		else
			put_line(v, &steps[i], depth_of(&depths, steps[i].at.thread, depth),
			         info->begin, steps[i].segment != segment);
		segment = steps[i].segment;
	}
	free(depths.all);
}
