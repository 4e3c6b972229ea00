/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The sentences of the report waits: what is known, and what stands out. */
#include <inttypes.h>

#include "decoder/show/print.h"
#include "decoder/show/coverage_print.h"
#include "decoder/report/waits/view.h"

#define MOST_CULPRITS 3u
#define MOST_UNDECIDED 3u

/* ---- what is known, and the sums ---- */

static enum syt_waits_reason most_undecided(const struct syt_waits *w)
{
	unsigned most = SYT_WAITS_UNTOLD;

	for (unsigned i = 0; i < SYT_NR_WAITS_REASONS; i++)
		if (syt_waits_class((enum syt_waits_reason)i) == SYT_WAITS_CLASS_UNDECIDED &&
		    w->all.by_reason[i] > w->all.by_reason[most])
			most = i;
	return (enum syt_waits_reason)most;
}

void syt_waits_headline(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_waits *w = v->report;
	const struct syt_waits_sums *s = &w->all;
	uint64_t nr_threads = 0;

	for (uint32_t i = 0; i < w->order->places.nr_threads; i++)
		nr_threads += w->threads[i].wall != 0;
	syt_out_printf(out, "Time of %" PRIu64 " threads: ", nr_threads);
	syt_print_span(out, SYT_TIME_NS(s->wall));
	syt_out_printf(
		out,
		": %.1f %% on a processor, %.1f %% off it between calls, %.1f %% of either "
		"kind, not measured; waited: %.1f %% harmful, %.1f %% idle by design, %.1f %% "
		"undecided",
		syt_percent(s->on_cpu, s->wall), syt_percent(s->off_cpu, s->wall),
		syt_percent(s->unmeasured, s->wall),
		syt_percent(s->by_class[SYT_WAITS_CLASS_HARMFUL], s->wall),
		syt_percent(s->by_class[SYT_WAITS_CLASS_IDLE], s->wall),
		syt_percent(s->by_class[SYT_WAITS_CLASS_UNDECIDED], s->wall));
	if (s->by_class[SYT_WAITS_CLASS_UNDECIDED])
		syt_out_printf(out, " (mostly it waited %s)",
		               syt_waits_reason_text(most_undecided(w)));
	syt_out_char(out, '\n');
}

/* ---- what stands out ---- */

static bool is_of(const struct syt_waits_group *g, const struct syt_waits_group *of)
{
	return g->kind == of->kind && g->reason == of->reason && g->waiter == of->waiter;
}

static void put_charge(struct syt_out *out, const struct syt_view *v,
                       const struct syt_waits_group *g)
{
	switch (g->blame) {
	case SYT_NR_BLAMES:
		if (g->ender == SYT_NONE)
			return;
		syt_out_string(out, "ended by ");
		syt_view_put_path(v, out, g->ender);
		return;
	case SYT_BLAME_HELD:
		syt_out_string(out, "held since ");
		syt_view_put_path(v, out, g->culprit);
		break;
	case SYT_BLAME_RUNNING:
		syt_out_string(out, "a thread ran, on its way to ");
		syt_view_put_path(v, out, g->culprit);
		break;
	case SYT_BLAME_CALL:
		syt_out_string(out, g->culprit == g->waiter
		                            ? "nobody is known to have worked at it, in "
		                            : "a thread was in ");
		syt_view_put_path(v, out, g->culprit);
		break;
	default:
		syt_out_string(out, syt_blame_text((enum syt_blame_kind)g->blame));
		break;
	}
	if (g->ender == SYT_NONE || g->ender == g->culprit)
		return;
	syt_out_string(out, g->reason == SYT_WAITS_LOCKED ? "; held since " : "; ended by ");
	syt_view_put_path(v, out, g->ender);
}

static void put_stack(struct syt_out *out, const struct syt_view *v, const char *what,
                      struct syt_place at)
{
	const struct syt_places *p = &v->order->places;

	if (at.thread == SYT_NONE)
		return;
	syt_out_printf(out, "       %s\n", what);
	syt_print_stack(out, v->symbols, syt_place_image(p, at), syt_place_row(p, at)->stack,
	                "         ");
}

static void put_charges(struct syt_out *out, const struct syt_view *v,
                        const struct syt_waits_group *of)
{
	const struct syt_waits *w = v->report;
	unsigned nr = 0;

	for (size_t i = 0; i < w->nr_groups && nr < MOST_CULPRITS; i++) {
		const struct syt_waits_group *g = &w->groups[i];

		if (!is_of(g, of) || (nr && g->time < of->time / 20))
			continue;
		if (g->blame == SYT_NR_BLAMES && g->ender == SYT_NONE) {
			if (v->has_stacks)
				put_stack(out, v, "waited in", g->at);
			continue;
		}
		nr++;
		syt_out_printf(out, "   %5.1f %%  ", syt_percent(g->time, of->time));
		put_charge(out, v, g);
		syt_out_char(out, '\n');
		if (v->has_stacks) {
			put_stack(out, v, "waited in", g->at);
			put_stack(out, v, "for", g->by);
		}
	}
}

static void put_path_found(struct syt_out *out, const struct syt_view *v,
                           const struct syt_waits_group *g)
{
	syt_view_put_path(v, out, g->waiter);
	syt_out_string(out, " waited ");
	syt_print_span(out, SYT_TIME_NS(g->time));
	syt_out_printf(out, " %s, %.1f %% of the time of %u thread%s: it waited %s\n",
	               syt_waits_kind_text((enum syt_waits_kind)g->kind),
	               syt_percent(g->time, g->of_wall), g->nr_threads,
	               g->nr_threads == 1 ? "" : "s",
	               syt_waits_reason_text((enum syt_waits_reason)g->reason));
	put_charges(out, v, g);
}

/* What may be what is looked for: but for threads that have nothing else to do than to wait for an end,
 * those that were never woken, and calls that may only have taken long. */
static bool may_stand_out(const struct syt_waits_group *g, unsigned least_thousandths)
{
	enum syt_waits_reason reason = (enum syt_waits_reason)g->reason;

	return syt_waits_class(reason) == SYT_WAITS_CLASS_UNDECIDED && reason != SYT_WAITS_END &&
	       reason != SYT_WAITS_JOINED && reason != SYT_WAITS_UNENDED &&
	       g->kind != SYT_WAITS_FOR_CALL && syt_waits_is_large(g, least_thousandths);
}

void syt_waits_findings(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_waits *w = v->report;
	uint64_t nr = 0, nr_undecided = 0;

	for (size_t i = 0; i < w->nr_paths && (!v->limit || nr < v->limit); i++) {
		if (!syt_waits_stands_out(&w->paths[i], v->least_thousandths))
			continue;
		syt_out_color(out, SYT_COLOR_BOLD);
		syt_out_printf(out, "%" PRIu64 ". ", ++nr);
		syt_out_color(out, SYT_COLOR_NONE);
		put_path_found(out, v, &w->paths[i]);
	}
	if (!nr)
		syt_out_printf(
			out,
			"Nothing stands out: no call path waited harmfully for %u.%u %% of its "
			"threads' time.\n",
			v->least_thousandths / 10, v->least_thousandths % 10);
	for (size_t i = 0; i < w->nr_paths && nr_undecided < MOST_UNDECIDED; i++) {
		if (!may_stand_out(&w->paths[i], v->least_thousandths))
			continue;
		nr_undecided++;
		syt_out_string(out, "Undecided: ");
		put_path_found(out, v, &w->paths[i]);
	}
}
