/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/model/boxes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "decoder/order/label.h"
#include "decoder/show/print.h"

static void add(struct syt_model_boxes *b, struct syt_model_box box)
{
	b->all[b->nr++] = box;
}

static void add_parts(struct syt_model_boxes *b, const struct syt_model *m, uint32_t box)
{
	const struct syt_model_task *t = &m->tasks[b->all[box].what.number];

	if (t->nr_parts > SYT_MODEL_BOXES - b->nr) {
		b->nr_closed++;
		return;
	}
	b->all[box].first = b->nr;
	b->all[box].nr = t->nr_parts;
	for (uint32_t i = 0; i < t->nr_parts; i++) {
		const struct syt_model_part *p = &m->parts[t->first_part + i];

		add(b, (struct syt_model_box){.what = p->what, .part = p, .up = box});
	}
}

/* Adds the arcs between the parts of the task BOX. BOX_OF[number] is SYT_NONE for all leaves and for all tasks. */
static void add_lines(struct syt_model_boxes *b, const struct syt_model *m, uint32_t box,
                      uint32_t *const box_of[2])
{
	struct syt_model_box *at = &b->all[box];
	const struct syt_model_task *t = &m->tasks[at->what.number];

	at->first_line = b->nr_lines;
	for (uint32_t i = at->first; i < at->first + at->nr; i++)
		box_of[b->all[i].what.is_task][b->all[i].what.number] = i;
	for (uint32_t i = t->first_arc; i < t->first_arc + t->nr_arcs; i++) {
		const struct syt_model_arc *a = &m->arcs[i];
		uint32_t from = box_of[a->from.is_task][a->from.number];
		uint32_t to = box_of[a->to.is_task][a->to.number];

		if (from == SYT_NONE || to == SYT_NONE)
			continue;
		syt_grow(&b->lines, &b->room_lines, b->nr_lines + 1, sizeof(*b->lines));
		b->lines[b->nr_lines++] = (struct syt_model_line){from, to, a};
	}
	at->nr_lines = b->nr_lines - at->first_line;
	for (uint32_t i = at->first; i < at->first + at->nr; i++)
		box_of[b->all[i].what.is_task][b->all[i].what.number] = SYT_NONE;
}

void syt_model_boxes_open(struct syt_model_boxes *b, const struct syt_model_view *v)
{
	const struct syt_model *m = v->m;
	uint32_t *box_of[2] = {syt_alloc(m->nr_labels, sizeof(uint32_t)),
	                       syt_alloc(m->nr_tasks, sizeof(uint32_t))};
	uint64_t depth = 0;
	uint32_t end;

	memset(box_of[false], 0xff, m->nr_labels * sizeof(uint32_t));
	memset(box_of[true], 0xff, m->nr_tasks * sizeof(uint32_t));
	memset(b, 0, sizeof(*b));
	b->all = syt_alloc(SYT_MODEL_BOXES, sizeof(*b->all));
	for (uint32_t i = 0; i < m->nr_tasks; i++) {
		uint32_t t = v->digest ? syt_model_digest_order(v->digest)[i] : i;

		if (v->task == SYT_NONE ? !m->tasks[t].is_top : t != v->task)
			continue;
		if (b->nr == SYT_MODEL_BOXES || (v->limit && b->nr == v->limit))
			b->nr_left++;
		else
			add(b, (struct syt_model_box){.what = {true, t}, .up = SYT_NONE});
	}
	/* layer by layer, so that a limit cuts the lowest layers */
	end = b->nr;
	for (uint32_t i = 0; i < b->nr; i++) {
		if (i == end) {
			depth++;
			end = b->nr;
		}
		if (!b->all[i].what.is_task || depth >= v->depth)
			continue;
		add_parts(b, m, i);
		add_lines(b, m, i, box_of);
	}
	free(box_of[false]);
	free(box_of[true]);
}

void syt_model_boxes_close(struct syt_model_boxes *b)
{
	free(b->all);
	free(b->lines);
}

/* ---- texts ---- */

void syt_model_boxes_left(struct syt_out *out, const struct syt_model_boxes *b)
{
	if (b->nr_left)
		syt_out_printf(out, "Not shown: %" PRIu32 " task%s. ", b->nr_left,
		               b->nr_left == 1 ? "" : "s");
	if (b->nr_closed)
		syt_out_printf(out, "Without parts: %" PRIu32 " task%s.", b->nr_closed,
		               b->nr_closed == 1 ? "" : "s");
}

static void put_times(struct syt_out *out, const struct syt_model_part *p)
{
	if (p->least == p->most && p->most == 1)
		return;
	syt_out_printf(out, " x%" PRIu64, p->least);
	if (p->least != p->most)
		syt_out_printf(out, "..%" PRIu64, p->most);
}

static void put_waits(struct syt_out *out, const struct syt_model_task *t)
{
	const char *comma = "\nwaited ";

	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++) {
		if (t->profile.waited[i] < t->count)
			continue;
		syt_out_string(out, comma);
		syt_print_span(out, t->profile.waited[i] / t->count);
		syt_out_printf(out, " %s", syt_waits_kinds[i].word);
		comma = ", ";
	}
}

double syt_model_box_share(const struct syt_model_view *v, const struct syt_model_box *box)
{
	return box->part ? syt_model_digest_share(v->digest, (uint32_t)(box->part - v->m->parts))
	                 : 0;
}

static void put_share(struct syt_out *out, const struct syt_model_view *v,
                      const struct syt_model_box *box)
{
	double share = syt_model_box_share(v, box);

	if (share >= SYT_MODEL_MARKED)
		syt_out_printf(out, ", %.0f %% of the time", share);
}

void syt_model_box_text(struct syt_out *out, const struct syt_model_view *v,
                        const struct syt_model_box *box)
{
	const struct syt_model *m = v->m;
	const struct syt_model_task *t = &m->tasks[box->what.number];
	const char *text = syt_model_part_text(m, box->what);

	if (!box->what.is_task) {
		const char *colon = strstr(text, ": "); /* after the name of the program */

		syt_out_safe(out, syt_label_short(colon ? colon + 2 : text, 2));
		put_times(out, box->part);
		put_share(out, v, box);
		return;
	}
	syt_out_safe(out, text);
	if (box->part)
		put_times(out, box->part);
	syt_out_printf(out, " (%" PRIu64 " in all)", t->count);
	put_share(out, v, box);
	if (syt_model_digest_latency(v->digest, box->what.number)->all) {
		syt_out_char(out, '\n');
		syt_model_put_costs(out, v->m,
		                    syt_model_digest_latency(v->digest, box->what.number), 1);
	}
	syt_out_string(out, "\np50 ");
	syt_print_span(out, t->profile.latency_p50);
	syt_out_string(out, ", p99 ");
	syt_print_span(out, t->profile.latency_p99);
	syt_out_string(out, "; ran ");
	syt_print_span(out, t->profile.ran / t->count);
	if (t->profile.cpu != SYT_CPU_UNKNOWN) {
		syt_out_string(out, ", CPU ");
		syt_print_span(out, t->profile.cpu / t->count);
	}
	put_waits(out, t);
	if (t->profile.sent || t->profile.received)
		syt_out_printf(out, "\nsent %" PRIu64 ", received %" PRIu64 " bytes",
		               t->profile.sent / t->count, t->profile.received / t->count);
}

void syt_model_line_text(struct syt_out *out, const struct syt_model_arc *arc)
{
	const char *space = "";

	if (arc->kind != SYT_EDGE_PROGRAM) {
		syt_out_printf(out, "%s%s", syt_arc_kind_text(arc->kind),
		               arc->is_inferred ? " ?" : "");
		space = " ";
	}
	syt_out_printf(out, "%s%" PRIu64, space, arc->count);
}
