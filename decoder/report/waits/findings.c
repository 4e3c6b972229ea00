/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the sentences of the report waits: its sums, and the waits that stand out. */
#include <inttypes.h>
#include <stdio.h>

#include "decoder/read/perf.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"
#include "decoder/show/coverage_print.h"
#include "decoder/report/waits/waits.h"

#define MOST_CULPRITS 3u
#define MOST_UNDECIDED 3u

static enum syt_waits_reason most_undecided(const struct syt_waits *w)
{
	unsigned most = SYT_WAITS_UNTOLD;

	for (unsigned i = 0; i < SYT_NR_WAITS_REASONS; i++)
		if (syt_waits_reasons[i].class == SYT_WAITS_CLASS_UNDECIDED &&
		    w->all.by_reason[i] > w->all.by_reason[most])
			most = i;
	return most;
}

void syt_waits_headline(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_waits *w = v->report;
	const struct syt_waits_sums *s = &w->all;
	struct syt_out words;

	syt_wrap_begin(&words, out);
	syt_out_printf(&words, "The %" PRIu64 " thread%s existed for ", w->nr_threads,
	               w->nr_threads == 1 ? "" : "s");
	syt_print_span(&words, SYT_TIME_NS(s->wall));
	syt_out_printf(
		&words,
		" in all: %.1f %% on a CPU, %.1f %% off the CPU between recorded calls, "
		"%.1f %% between calls without a CPU measurement; %.1f %% in harmful waits "
		"(with work to do), %.1f %% in idle waits (for new work), %.1f %% in undecided "
		"waits",
		syt_percent(s->on_cpu, s->wall), syt_percent(s->off_cpu, s->wall),
		syt_percent(s->unmeasured, s->wall),
		syt_percent(s->by_class[SYT_WAITS_CLASS_HARMFUL], s->wall),
		syt_percent(s->by_class[SYT_WAITS_CLASS_IDLE], s->wall),
		syt_percent(s->by_class[SYT_WAITS_CLASS_UNDECIDED], s->wall));
	if (s->by_class[SYT_WAITS_CLASS_UNDECIDED])
		syt_out_printf(&words, " (mostly: %s)", syt_waits_reasons[most_undecided(w)].text);
	syt_out_char(&words, '.');
	syt_wrap_end(&words, out, 0);
}

/* Names the functions that perf sampled in the thread that G blames, between its calls up to the call path of G. */
static void put_functions(struct syt_out *out, const struct syt_view *v,
                          const struct syt_waits_group *g)
{
	const struct syt_thread *t = v->order->places.threads[g->by.thread];
	struct syt_perf_sum sum;

	syt_perf_sum_open(&sum, v->perf);
	SYT_EACH(row, 1, t->nr_rows)
		if (syt_label_side(v->labels, (struct syt_place){g->by.thread, row}) == g->culprit)
			syt_perf_add(&sum, t->tid, SYT_TIME_NS(syt_thread_row(t, row - 1)->out),
			             SYT_TIME_NS(syt_thread_row(t, row)->in));
	syt_view_put_functions(out, &sum);
	syt_perf_sum_close(&sum);
}

static void put_charge(struct syt_out *out, const struct syt_view *v,
                       const struct syt_waits_group *g)
{
	switch (g->blame) {
	case SYT_NR_BLAMES:
		if (g->ender == SYT_NONE)
			return;
		syt_out_string(out, "the wait was ended by ");
		syt_view_put_call(v, out, g->ender);
		return;
	case SYT_BLAME_HELD:
		syt_out_string(out, "the lock was held since ");
		syt_view_put_call(v, out, g->culprit);
		syt_out_string(out, ", by a thread between its calls");
		syt_view_put_cpu_use(out, &g->cpu);
		if (v->perf && g->object != SYT_NONE)
			syt_view_put_held_functions(v, out, g->object, g->culprit);
		break;
	case SYT_BLAME_RUNNING:
		syt_view_put_thread(v, out, g->by.thread);
		syt_out_string(out, " was between its calls");
		syt_view_put_cpu_use(out, &g->cpu);
		syt_out_string(out, " until ");
		syt_view_put_call(v, out, g->culprit);
		if (v->perf)
			put_functions(out, v, g);
		break;
	case SYT_BLAME_CALL:
		if (g->culprit == g->waiter) {
			syt_out_string(out, "the trace shows no thread that worked for the waiter");
			break;
		}
		syt_view_put_thread(v, out, g->by.thread);
		syt_out_string(out, " was in ");
		syt_view_put_call_on(v, out, g->culprit, g->by);
		break;
	default:
		syt_out_string(out, syt_blame_text(g->blame));
		break;
	}
	if (g->ender == SYT_NONE || g->ender == g->culprit)
		return;
	syt_out_string(out, g->reason != SYT_WAITS_LOCKED ? "; the wait was ended by "
	                    : g->blame == SYT_BLAME_CALL ? ", across which the lock was held since "
	                                                 : "; the lock was held since ");
	syt_view_put_call(v, out, g->ender);
}

static void put_charges(struct syt_out *out, const struct syt_view *v,
                        const struct syt_waits_group *of)
{
	const struct syt_waits *w = v->report;
	struct syt_out words;
	unsigned nr = 0;

	for (size_t i = 0; i < w->nr_groups && nr < MOST_CULPRITS; i++) {
		const struct syt_waits_group *g = &w->groups[i];

		if (g->kind != of->kind || g->reason != of->reason || g->waiter != of->waiter ||
		    (nr && g->time < of->time / 20))
			continue;
		if (g->blame == SYT_NR_BLAMES && g->ender == SYT_NONE) {
			if (v->has_stacks)
				syt_view_put_stack(v, out, "call stack of the waiter:", g->at);
			continue;
		}
		nr++;
		syt_wrap_begin(&words, out);
		syt_out_printf(&words, "   %5.1f %%  ", syt_percent(g->time, of->time));
		put_charge(&words, v, g);
		syt_wrap_end(&words, out, 12);
		if (v->has_stacks) {
			syt_view_put_stack(v, out, "call stack of the waiter:", g->at);
			syt_view_put_stack(v, out,
			                   "call stack of the thread for which it waited:", g->by);
		}
	}
}

/* Writes the object for which the threads of G waited, if it has a name. */
static void put_object(struct syt_out *out, const struct syt_view *v,
                       const struct syt_waits_group *g)
{
	if (g->object == SYT_NONE || !syt_object_name_of(&v->order->objects, g->object))
		return;
	syt_out_string(out, ", on ");
	syt_view_put_object(v, out, g->object);
	if (g->has_others)
		syt_out_string(out, " and others");
}

/* Writes INTRODUCTION, the thread of the longest wait in G, this wait, and the reason for its class. */
static void put_path_found(struct syt_out *out, const struct syt_view *v, const char *introduction,
                           const struct syt_waits_group *g)
{
	struct syt_out words;

	syt_wrap_begin(&words, out);
	syt_out_string(&words, introduction);
	if (g->nr_threads == 1)
		syt_view_put_thread(v, &words, g->thread);
	else
		syt_out_printf(&words, "%u threads", g->nr_threads);
	syt_out_string(&words, " waited ");
	syt_print_span(&words, SYT_TIME_NS(g->time));
	syt_out_printf(&words, " %s, %.1f %% of %s time, in ", syt_waits_kinds[g->kind].text,
	               syt_percent(g->time, g->of_wall), g->nr_threads == 1 ? "its" : "their");
	syt_view_put_call_on(v, &words, g->waiter, g->at);
	put_object(&words, v, g);
	syt_out_printf(&words, ": %s", syt_waits_reasons[g->reason].text);
	syt_wrap_end(&words, out, 3);
	put_charges(out, v, g);
}

/* Returns true if G contains undecided waits that may explain a delay: not waits for the end of a thread, nor waits
 * that did not end, nor calls that may have run for a long time. */
static bool may_stand_out(const struct syt_waits_group *g, unsigned least_thousandths)
{
	enum syt_waits_reason reason = g->reason;

	return syt_waits_reasons[reason].class == SYT_WAITS_CLASS_UNDECIDED &&
	       reason != SYT_WAITS_END && reason != SYT_WAITS_JOINED &&
	       reason != SYT_WAITS_UNENDED && g->kind != SYT_WAITS_FOR_CALL &&
	       syt_waits_is_large(g, least_thousandths);
}

void syt_waits_findings(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_waits *w = v->report;
	uint64_t nr = 0, nr_undecided = 0;
	char number[24];

	for (size_t i = 0; i < w->nr_paths && (!v->limit || nr < v->limit); i++) {
		if (!syt_waits_stands_out(&w->paths[i], v->least_thousandths))
			continue;
		snprintf(number, sizeof(number), "%" PRIu64 ". ", ++nr);
		put_path_found(out, v, number, &w->paths[i]);
	}
	if (!nr)
		syt_out_printf(out,
		               "No wait stands out: in each call path, threads spent less than "
		               "%u.%u %% of their time in harmful waits (waits of threads that had "
		               "work to do).\n",
		               v->least_thousandths / 10, v->least_thousandths % 10);
	for (size_t i = 0; i < w->nr_paths && nr_undecided < MOST_UNDECIDED; i++) {
		if (!may_stand_out(&w->paths[i], v->least_thousandths))
			continue;
		nr_undecided++;
		put_path_found(out, v, "Undecided whether this wait delayed work: ", &w->paths[i]);
	}
}
