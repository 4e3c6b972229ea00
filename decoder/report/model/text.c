/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The model as text. */
#include <inttypes.h>
#include <string.h>

#include "decoder/order/label.h"
#include "decoder/report/model/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

#define MOST_SUMMARY 8u /* number of parts in the summary of a part that is not shown itself */
#define MOST_BELOW 12u  /* number of names of tasks that are parts of other tasks */

struct syt_model_arc syt_model_view_start(const struct syt_model *m, uint32_t task,
                                          struct syt_model_what part)
{
	const struct syt_model_task *t = &m->tasks[task];
	struct syt_model_arc best = {.kind = SYT_EDGE_PROGRAM};

	for (uint32_t i = t->first_arc; i < t->first_arc + t->nr_arcs; i++) {
		const struct syt_model_arc *a = &m->arcs[i];

		if (a->is_start && a->to.is_task == part.is_task && a->to.number == part.number &&
		    a->count > best.count)
			best = *a;
	}
	return best;
}

static void put_kind(struct syt_out *o, const struct syt_model *m, const struct syt_model_part *p)
{
	struct syt_model_arc start = syt_model_view_start(m, p->task, p->what);

	if (p->is_root || start.kind == SYT_EDGE_PROGRAM)
		return;
	syt_out_printf(o, "[%s%s] ", syt_arc_kind_text(start.kind),
	               start.is_inferred ? ", inferred" : "");
}

static void put_times(struct syt_out *o, const struct syt_model_part *p)
{
	if (p->least == p->most)
		syt_out_printf(o, "%" PRIu64, p->most);
	else
		syt_out_printf(o, "%" PRIu64 "..%" PRIu64, p->least, p->most);
}

static void put_name(struct syt_out *o, const struct syt_model *m, const struct syt_model_part *p)
{
	const char *text = syt_model_part_text(m, p->what);

	if (!p->what.is_task) {
		const char *colon = strstr(text, ": "); /* after the name of the program */

		text = syt_label_short(colon ? colon + 2 : text, 2);
	}
	syt_out_safe(o, text);
	if (!p->what.is_task && (p->least != 1 || p->most != 1)) {
		syt_out_string(o, " x");
		put_times(o, p);
	}
}

/* Prints the begin of the parts of TASK in one line. */
static void put_summary(struct syt_out *o, const struct syt_model *m, uint32_t task)
{
	const struct syt_model_task *t = &m->tasks[task];

	for (uint32_t i = 0; i < t->nr_parts; i++) {
		syt_out_string(o, i ? ", " : "");
		if (i == MOST_SUMMARY) {
			syt_out_printf(o, "and %u more", t->nr_parts - i);
			return;
		}
		put_kind(o, m, &m->parts[t->first_part + i]);
		put_name(o, m, &m->parts[t->first_part + i]);
	}
}

static uint64_t sum_of(const uint64_t *waited)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++)
		sum += waited[i];
	return sum;
}

/* Prints the waits of COUNT occurrences of a task on average, by kind of wait, after BEFORE. */
static void put_waits(struct syt_out *o, const char *before, const uint64_t *waited, uint64_t count)
{
	const char *comma = " (";
	uint64_t sum = sum_of(waited);

	if (sum < count)
		return;
	syt_out_string(o, before);
	syt_print_span(o, sum / count);
	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++) {
		if (waited[i] < count)
			continue;
		syt_out_printf(o, "%s%s ", comma, syt_waits_kinds[i].noun);
		syt_print_span(o, waited[i] / count);
		comma = ", ";
	}
	syt_out_string(o, *comma == ',' ? ")" : "");
}

struct level {
	uint32_t next, end; /* parts that are still to be printed */
};

/* Prints the parts of TASK, and of its parts down to the depth of the view. */
static void put_parts(const struct syt_model_view *v, uint32_t task)
{
	const struct syt_model *m = v->m;
	struct level levels[SYT_MODEL_DEPTH + 1];
	uint64_t depth = v->depth < SYT_MODEL_DEPTH ? v->depth : SYT_MODEL_DEPTH;
	unsigned nr = 0;

	if (!depth)
		return;
	levels[nr++] = (struct level){m->tasks[task].first_part,
	                              m->tasks[task].first_part + m->tasks[task].nr_parts};
	while (nr) {
		unsigned level = nr;
		struct level *l = &levels[nr - 1];
		const struct syt_model_part *p = &m->parts[l->next];
		struct syt_out words;

		if (l->next >= l->end) {
			nr--;
			continue;
		}
		syt_wrap_begin(&words, v->out);
		syt_out_printf(&words, "%*s", 1 + 2 * (int)nr, "");
		if (p->what.is_task) {
			l->next++;
			put_kind(&words, m, p);
			syt_out_char(&words, '@');
			put_name(&words, m, p);
			syt_out_string(&words, " x");
			put_times(&words, p);
			put_waits(&words, ", waited ", p->waited, m->tasks[p->task].count);
			if (nr >= depth) {
				syt_out_string(&words, ": ");
				put_summary(&words, m, p->what.number);
			}
		} else { /* leaves that follow each other share a line */
			const char *comma = "";

			for (; l->next < l->end && !m->parts[l->next].what.is_task; l->next++) {
				syt_out_string(&words, comma);
				put_kind(&words, m, &m->parts[l->next]);
				put_name(&words, m, &m->parts[l->next]);
				comma = ", ";
			}
		}
		syt_wrap_end(&words, v->out, 5 + 2 * level);
		if (p->what.is_task && nr < depth) {
			const struct syt_model_task *t = &m->tasks[p->what.number];

			levels[nr++] = (struct level){t->first_part, t->first_part + t->nr_parts};
		}
	}
}

static void put_task(const struct syt_model_view *v, uint32_t number, uint32_t task)
{
	const struct syt_model_task *t = &v->m->tasks[task];
	uint64_t mean = (t->nr_leaf_tasks + t->count / 2) / t->count;
	struct syt_out words;

	syt_wrap_begin(&words, v->out);
	syt_out_printf(&words, "%u. ", number);
	syt_out_safe(&words, t->name);
	syt_out_printf(&words, " x%" PRIu64 ": %" PRIu64 " leaf task%s, %u thread%s, %u shape%s",
	               t->count, mean, mean == 1 ? "" : "s", t->nr_threads,
	               t->nr_threads == 1 ? "" : "s", t->nr_shapes, t->nr_shapes == 1 ? "" : "s");
	if (!t->is_top)
		syt_out_string(&words, ", part of other tasks");
	syt_wrap_end(&words, v->out, 7);
	syt_wrap_begin(&words, v->out);
	syt_out_string(&words, "   latency p50 ");
	syt_print_span(&words, t->profile.latency_p50);
	syt_out_string(&words, ", p99 ");
	syt_print_span(&words, t->profile.latency_p99);
	syt_out_string(&words, "; on average ");
	if (t->nr_threads > 1)
		syt_out_printf(&words, "its %u threads together ", t->nr_threads);
	syt_out_string(&words, "ran ");
	syt_print_span(&words, t->profile.ran / t->count);
	if (t->profile.cpu != SYT_CPU_UNKNOWN) {
		syt_out_string(&words, " (CPU ");
		syt_print_span(&words, t->profile.cpu / t->count);
		syt_out_char(&words, ')');
	}
	put_waits(&words, ", waited ", t->profile.waited, t->count);
	if (t->profile.sent)
		syt_out_printf(&words, ", sent %" PRIu64 " bytes", t->profile.sent / t->count);
	if (t->profile.received)
		syt_out_printf(&words, ", received %" PRIu64 " bytes",
		               t->profile.received / t->count);
	syt_wrap_end(&words, v->out, 7);
	put_parts(v, task);
	if (v->depth && t->layer > 1 && sum_of(t->profile.own_waited) >= t->count &&
	    100 * (sum_of(t->profile.own_waited) / t->count) >=
	            sum_of(t->profile.waited) / t->count) { /* at least 1 % */
		syt_wrap_begin(&words, v->out);
		put_waits(&words, "   between these parts: waited ", t->profile.own_waited,
		          t->count);
		syt_wrap_end(&words, v->out, 7);
	}
}

static void put_instances(const struct syt_model_view *v, uint32_t task)
{
	const struct syt_model *m = v->m;
	const struct syt_model_task *t = &m->tasks[task];

	for (uint64_t i = 0; i < t->count; i++) {
		uint32_t node = m->instances[t->first_instance + i];
		struct syt_place at = syt_model_place(m, node);
		struct syt_model_span s = syt_model_span(m, node);

		if (v->limit && i == v->limit) {
			syt_out_printf(v->out,
			               "   %" PRIu64 " more occurrences; --limit=%" PRIu64
			               " prints them\n",
			               t->count - i, t->count);
			return;
		}
		syt_out_string(v->out, "   ");
		syt_print_id(v->out, m->in->order->places.threads[at.thread], at.row);
		syt_out_string(v->out, "  at ");
		syt_print_seconds(v->out, SYT_TIME_NS(s.begin));
		syt_out_string(v->out, " s, ");
		syt_print_span(v->out, SYT_TIME_NS(s.end - s.begin));
		syt_out_char(v->out, '\n');
	}
}

/* Explains the signs of the report. */
static void put_legend(struct syt_out *out)
{
	struct syt_out words;

	syt_wrap_begin(&words, out);
	syt_out_string(
		&words,
		"@NAME: a part that is a task too, with its share of the waits; xA..B: how often a "
		"part occurs in one occurrence of the task; [stream] or another kind: how the "
		"work came to a part, unless the same thread went on.");
	syt_wrap_end(&words, out, 0);
}

/* Prints the names of the tasks that are parts of the printed tasks. */
static void put_below(const struct syt_model_view *v)
{
	const struct syt_model *m = v->m;
	struct syt_out words;
	uint32_t nr = 0;

	for (uint32_t t = 0; t < m->nr_tasks; t++) {
		if (v->task == SYT_NONE ? m->tasks[t].is_top : !v->is_shown[t] || t == v->task)
			continue;
		if (nr++ >= MOST_BELOW)
			continue;
		if (nr == 1) {
			syt_wrap_begin(&words, v->out);
			syt_out_string(&words, "Tasks that are parts of other tasks: ");
		} else {
			syt_out_string(&words, ", ");
		}
		syt_out_safe(&words, m->tasks[t].name);
		syt_out_printf(&words, " x%" PRIu64, m->tasks[t].count);
	}
	if (!nr)
		return;
	if (nr > MOST_BELOW)
		syt_out_printf(&words, ", and %u more", nr - MOST_BELOW);
	syt_out_string(&words, ". --task='NAME' prints a task, --depth=9 all parts.");
	syt_wrap_end(&words, v->out, 3);
}

void syt_model_text(const struct syt_model_view *v)
{
	const struct syt_model *m = v->m;
	uint32_t nr = 0, nr_left = 0, layers = 0;
	struct syt_out words;

	for (uint32_t t = 0; t < m->nr_tasks; t++)
		layers = m->tasks[t].layer > layers ? m->tasks[t].layer : layers;
	syt_wrap_begin(&words, v->out);
	syt_out_printf(&words,
	               "%" PRIu64 " leaf tasks, %.1f %% in %u task%s of %u layer%s; %" PRIu64
	               " arrival%s of unknown sender",
	               m->nr_leaf_tasks, syt_percent(m->nr_in_tasks, m->nr_leaf_tasks), m->nr_tasks,
	               m->nr_tasks == 1 ? "" : "s", layers, layers == 1 ? "" : "s",
	               m->in->nr_unseen, m->in->nr_unseen == 1 ? "" : "s");
	syt_wrap_end(&words, v->out, 0);
	if (m->nr_tasks)
		put_legend(v->out);
	for (uint32_t t = 0; t < m->nr_tasks; t++) {
		/* the parts show the tasks that are part of others */
		if (v->task == SYT_NONE ? !m->tasks[t].is_top : t != v->task)
			continue;
		if (v->limit && nr == v->limit) {
			nr_left++;
			continue;
		}
		put_task(v, ++nr, t);
		if (v->has_instances)
			put_instances(v, t);
	}
	if (nr_left)
		syt_out_printf(v->out, "%u more task%s; --limit=%u prints %s\n", nr_left,
		               nr_left == 1 ? "" : "s", nr + nr_left, nr_left == 1 ? "it" : "them");
	put_below(v);
	syt_out_char(v->out, '\n');
}
