/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The members are a contract: add, never rename.  Times are of ns that are cut off, so that those of
 * segments add up, too. */
#include "base/json.h"
#include "decoder/read/call.h"
#include "decoder/show/coverage_print.h"
#include "decoder/report/critical_path/view.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"
#include "decoder/report/critical_path/request_view.h"

static void kinds(struct syt_json *j, const syt_time *by_kind)
{
	for (unsigned k = 0; k < SYT_NR_PATH_KINDS; k++)
		syt_json_u64(j, syt_path_word((enum syt_path_kind)k), SYT_TIME_NS(by_kind[k]));
}

static void json_thread_name(struct syt_json *j, const struct syt_path_view *v, uint32_t thread)
{
	const struct syt_thread *t = v->path->order->places.threads[thread];

	syt_json_u64(j, "process", t->image->index);
	syt_json_u64(j, "thread", t->index);
	syt_json_u64(j, "pid", t->image->file.pid);
	syt_json_u64(j, "tid", t->tid);
	if (t->name)
		syt_json_string(j, "name", t->name);
}

static void json_path(struct syt_json *j, const struct syt_path_view *v)
{
	const struct syt_path *p = v->path;

	syt_json_begin_line(j, "path");
	syt_json_place(j, "from", &v->path->order->places, v->from);
	syt_json_place(j, "to", &v->path->order->places, v->to);
	syt_json_bool(j, "meets_from", v->from.thread != SYT_NONE && syt_path_meets(p, v->from));
	syt_json_u64(j, "begin", SYT_TIME_NS(p->from));
	syt_json_u64(j, "end", SYT_TIME_NS(p->to));
	syt_json_u64(j, "dur", SYT_TIME_NS(p->to) - SYT_TIME_NS(p->from));
	syt_json_u64(j, "segments", p->nr);
	syt_json_begin(j, "by_kind_ns", '{');
	kinds(j, p->by_kind);
	syt_json_end(j);
	syt_json_begin(j, "handed_over_ns", '{');
	for (unsigned c = 0; c < SYT_NR_CLASSES; c++)
		if (c != SYT_CLASS_INFERRED)
			syt_json_u64(j, syt_edge_class_text((enum syt_edge_class)c),
			             SYT_TIME_NS(p->by_class[c]));
	syt_json_end(j);
	syt_json_u64(j, "handovers", p->nr_handovers);
	syt_json_u64(j, "ambiguous", p->nr_ambiguous);
	syt_json_u64(j, "choices", p->nr_choices);
	syt_json_u64(j, "inferred", p->nr_inferred);
	syt_json_u64(j, "unsure_ns", SYT_TIME_NS(syt_path_unsure(p)));
	syt_json_u64(j, "cpu_known_ns", SYT_TIME_NS(v->sum->cpu_of));
	syt_json_u64(j, "cpu_at_most_ns", v->sum->cpu_ns);
	syt_json_end_line(j);
}

static void json_function(struct syt_json *j, const struct syt_path_function *f)
{
	syt_json_begin_line(j, "function");
	syt_json_string(j, "function", f->name);
	syt_json_u64(j, "ns", SYT_TIME_NS(f->time));
	syt_json_u64(j, "segments", f->nr);
	syt_json_begin(j, "by_kind_ns", '{');
	kinds(j, f->by_kind);
	syt_json_end(j);
	syt_json_end_line(j);
}

static void json_thread(struct syt_json *j, const struct syt_path_view *v,
                        const struct syt_path_thread *t)
{
	syt_json_begin_line(j, "thread");
	json_thread_name(j, v, t->thread);
	syt_json_u64(j, "ns", SYT_TIME_NS(t->time));
	syt_json_u64(j, "visits", t->nr_visits);
	syt_json_begin(j, "by_kind_ns", '{');
	kinds(j, t->by_kind);
	syt_json_end(j);
	syt_json_end_line(j);
}

static void json_edge(struct syt_json *j, const struct syt_path_view *v,
                      const struct syt_path_segment *s)
{
	const struct syt_order *o = v->path->order;
	const struct syt_edge *e = &o->edges.all[s->edge];
	char object[SYT_OBJECT_TEXT];

	syt_json_place(j, "source", &v->path->order->places, e->from);
	syt_json_string(j, "edge", syt_edge_kind_text((enum syt_edge_kind)e->kind));
	syt_json_string(j, "class", syt_edge_class_text((enum syt_edge_class)e->class));
	if (e->object != SYT_NONE) {
		syt_object_text(o->objects.all[e->object].info, object, sizeof(object));
		syt_json_string(j, "object", object);
	}
	if (s->nr_candidates > 1) {
		syt_json_bool(j, "ambiguous", true);
		syt_json_u64(j, "candidates", s->nr_candidates);
		syt_json_bool(j, "choice", s->flags & SYT_PATH_CHOICE);
	}
	if (s->flags & SYT_PATH_INFERRED)
		syt_json_string(j, "confidence", "inferred");
}

static void json_members(struct syt_json *j, const struct syt_path_view *v,
                         const struct syt_path_segment *s)
{
	const struct syt_places *places = &v->path->order->places;
	uint64_t cpu_ns = syt_path_cpu_ns(v->path, s);
	struct syt_place begin = {s->at.thread, s->begin};

	syt_json_string(j, "kind", syt_path_word((enum syt_path_kind)s->kind));
	json_thread_name(j, v, s->at.thread);
	syt_json_u64(j, "ts", SYT_TIME_NS(s->from));
	syt_json_u64(j, "dur", SYT_TIME_NS(s->to) - SYT_TIME_NS(s->from));
	if (s->kind == SYT_PATH_UNKNOWN)
		return;
	syt_json_place(j, "event", &v->path->order->places, s->at);
	syt_json_string(j, "function", syt_path_function(v->path, s, v->symbols));
	syt_json_string(j, "path",
	                syt_label_side_text(v->labels, syt_label_side(v->labels, s->at)));
	if (s->kind == SYT_PATH_RUNNING) {
		syt_json_place(j, "after", &v->path->order->places, begin);
		if (cpu_ns == SYT_PATH_CPU_UNKNOWN)
			syt_json_null(j, "cpu_at_most");
		else
			syt_json_u64(j, "cpu_at_most", cpu_ns);
	}
	if (s->kind == SYT_PATH_HANDOVER)
		json_edge(j, v, s);
	if (v->has_stacks)
		syt_json_stack(j, "stack", v->symbols, syt_place_image(places, s->at),
		               syt_place_row(places, s->at)->stack);
}

void syt_path_json(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_path_sum *s = v->sum;
	struct syt_json j = {.out = out};

	syt_coverage_json(out, v->path->order);
	if (v->request)
		syt_request_json(out, v);
	json_path(&j, v);
	for (size_t i = 0; i < s->nr_functions; i++)
		json_function(&j, &s->functions[i]);
	for (size_t i = 0; i < s->nr_threads; i++)
		json_thread(&j, v, &s->threads[i]);
	for (uint64_t i = 0; i < v->path->nr && !out->is_closed; i++) {
		syt_json_begin_line(&j, "segment");
		json_members(&j, v, &v->path->all[i]);
		syt_json_end_line(&j);
	}
}
