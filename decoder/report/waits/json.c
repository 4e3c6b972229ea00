/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The members are a contract: add, never rename. */
#include <stdio.h>

#include "decoder/base/json.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/place_json.h"
#include "decoder/report/waits/view.h"

static void thread_name(struct syt_json *j, const struct syt_thread *t)
{
	char text[32];

	snprintf(text, sizeof(text), "%u.%u", t->image->index, t->index);
	syt_json_string(j, "thread", text);
}

static void classes(struct syt_json *j, const char *key, const syt_time *by)
{
	syt_json_begin(j, key, '{');
	for (unsigned c = 0; c < SYT_NR_WAITS_CLASSES; c++)
		syt_json_u64(j, syt_waits_class_word((enum syt_waits_class)c), SYT_TIME_NS(by[c]));
	syt_json_end(j);
}

static void sums(struct syt_json *j, const struct syt_waits_sums *s)
{
	syt_json_u64(j, "wall_ns", SYT_TIME_NS(s->wall));
	syt_json_u64(j, "on_cpu_ns", SYT_TIME_NS(s->on_cpu));
	syt_json_u64(j, "off_cpu_ns", SYT_TIME_NS(s->off_cpu));
	syt_json_u64(j, "unmeasured_ns", SYT_TIME_NS(s->unmeasured));
	syt_json_u64(j, "waits", s->nr_waits);
	classes(j, "waited_ns", s->by_class);
	syt_json_begin(j, "by_kind_ns", '{');
	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++)
		classes(j, syt_waits_kind_word((enum syt_waits_kind)i), s->by_kind[i]);
	syt_json_end(j);
	syt_json_begin(j, "by_reason_ns", '{');
	for (unsigned i = 0; i < SYT_NR_WAITS_REASONS; i++)
		syt_json_u64(j, syt_waits_reason_word((enum syt_waits_reason)i),
		             SYT_TIME_NS(s->by_reason[i]));
	syt_json_end(j);
}

static void json_sums(struct syt_json *j, const struct syt_waits *w)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < w->order->places.nr_threads; i++)
		nr += w->threads[i].wall != 0;
	syt_json_begin_line(j, "waits");
	syt_json_u64(j, "threads", nr);
	sums(j, &w->all);
	syt_json_end_line(j);
}

static void json_thread(struct syt_json *j, const struct syt_waits *w, uint32_t number)
{
	const struct syt_thread *t = w->order->places.threads[number];

	syt_json_begin_line(j, "thread");
	thread_name(j, t);
	syt_json_u64(j, "pid", t->image->file.pid);
	syt_json_u64(j, "tid", t->tid);
	syt_json_string(j, "name", t->name);
	sums(j, &w->threads[number]);
	syt_json_end_line(j);
}

static void members(struct syt_json *j, const struct syt_waits *w, const struct syt_waits_group *g)
{
	enum syt_waits_reason reason = (enum syt_waits_reason)g->reason;

	syt_json_string(j, "class", syt_waits_class_word(syt_waits_class(reason)));
	syt_json_string(j, "reason", syt_waits_reason_word(reason));
	syt_json_string(j, "kind", syt_waits_kind_word((enum syt_waits_kind)g->kind));
	syt_json_side(j, "path", w->labels, g->waiter);
	syt_json_u64(j, "threads", g->nr_threads);
	syt_json_u64(j, "waits", g->nr);
	syt_json_u64(j, "wait_ns", SYT_TIME_NS(g->time));
	syt_json_u64(j, "of_ns", SYT_TIME_NS(g->of_wall));
	thread_name(j, w->order->places.threads[g->thread]);
	syt_json_u64(j, "max_ns", SYT_TIME_NS(g->most));
	syt_json_place(j, "wait", &w->order->places, g->at);
}

static void json_path(struct syt_json *j, const struct syt_waits *w, const struct syt_waits_view *v,
                      const struct syt_waits_group *g)
{
	syt_json_begin_line(j, "path");
	members(j, w, g);
	syt_json_bool(j, "stands_out", syt_waits_stands_out(g, v->least_thousandths));
	if (v->has_stacks)
		syt_json_place_stack(j, "stack", v->symbols, &w->order->places, g->at);
	syt_json_end_line(j);
}

static void json_group(struct syt_json *j, const struct syt_waits *w,
                       const struct syt_waits_view *v, const struct syt_waits_group *g)
{
	syt_json_begin_line(j, "wait");
	members(j, w, g);
	syt_json_side(j, "ended_by", w->labels, g->ender);
	syt_json_string(j, "charged",
	                g->blame == SYT_NR_BLAMES ? NULL
	                                          : syt_blame_word((enum syt_blame_kind)g->blame));
	syt_json_side(j, "culprit", w->labels, g->culprit);
	syt_json_place(j, "culprit_event", &w->order->places, g->by);
	if (v->has_stacks)
		syt_json_place_stack(j, "stack", v->symbols, &w->order->places, g->at);
	if (v->has_stacks)
		syt_json_place_stack(j, "culprit_stack", v->symbols, &w->order->places, g->by);
	syt_json_end_line(j);
}

void syt_waits_json(struct syt_out *out, const struct syt_waits *w, const struct syt_waits_view *v)
{
	struct syt_json j = {.out = out};

	syt_coverage_json(out, w->order);
	json_sums(&j, w);
	for (uint32_t i = 0, nr = 0;
	     i < w->order->places.nr_threads && (!v->limit || nr < v->limit); i++) {
		if (!w->threads[i].wall)
			continue;
		nr++;
		json_thread(&j, w, i);
	}
	for (size_t i = 0; i < w->nr_paths && (!v->limit || i < v->limit); i++)
		json_path(&j, w, v, &w->paths[i]);
	for (size_t i = 0; i < w->nr_groups && (!v->limit || i < v->limit); i++)
		json_group(&j, w, v, &w->groups[i]);
}
