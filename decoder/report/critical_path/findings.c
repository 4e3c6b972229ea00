/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the sentences about a critical path. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/analysis/holding.h"
#include "decoder/read/perf.h"
#include "decoder/show/coverage_print.h"
#include "decoder/report/critical_path/view.h"
#include "decoder/show/edge_print.h"

#define MOST_FUNCTIONS 3u
#define MOST_LOCKS 2u
/* the first function is printed, and others that take at least 1/LEAST_PART of the path */
#define LEAST_PART 20u

static syt_time length(const struct syt_path *p)
{
	return p->to - p->from;
}

static uint32_t nr_processes(const struct syt_view *v, const struct syt_path_sum *s)
{
	const struct syt_places *places = &v->order->places;
	bool *seen = syt_calloc(places->trace->nr_images, sizeof(*seen));
	uint32_t nr = 0;

	for (size_t i = 0; i < s->nr_threads; i++) {
		struct syt_place at = {s->threads[i].thread, 0};
		bool *is_seen = &seen[syt_place_image_idx(places, at)];

		nr += !*is_seen;
		*is_seen = true;
	}
	free(seen);
	return nr;
}

struct syt_host_error syt_path_report_error(const struct syt_path_report *r)
{
	const struct syt_path *p = &r->path;

	if (!p->nr)
		return (struct syt_host_error){0};
	return syt_host_error_of(&p->order->places,
	                         r->from.thread != SYT_NONE ? r->from : p->all[0].at, p->from,
	                         r->to, p->to);
}

void syt_path_headline(struct syt_out *out, const struct syt_view *v)
{
	static const char *const texts[SYT_NR_PATH_KINDS] = {
		[SYT_PATH_RUNNING] = "between calls",
		[SYT_PATH_CALL] = "in calls",
		[SYT_PATH_HANDOVER] = "in hand-offs (from an event of one thread until the thread "
				      "that waited for it ran)",
		[SYT_PATH_UNKNOWN] = "unknown",
		[SYT_PATH_NOT_SAMPLED] = "not sampled",
	};
	const struct syt_path_report *r = v->report;
	const struct syt_path *p = &r->path;
	uint32_t processes = nr_processes(v, &r->sum);

	syt_out_string(out, "Critical path: ");
	syt_host_error_put_span(out, SYT_TIME_NS(length(p)), syt_path_report_error(r));
	if (r->from.thread != SYT_NONE) {
		syt_out_string(out, " from event ");
		syt_edge_text_id(out, v->order, r->from);
	}
	syt_out_string(out, " to event ");
	syt_edge_text_id(out, v->order, r->to);
	syt_out_printf(out,
	               ", in %" PRIu64 " parts that follow each other in %zu thread%s of %" PRIu32
	               " process%s:",
	               p->nr, r->sum.nr_threads, r->sum.nr_threads == 1 ? "" : "s", processes,
	               processes == 1 ? "" : "es");
	for (unsigned k = 0; k < SYT_NR_PATH_KINDS; k++) {
		if (k == SYT_PATH_NOT_SAMPLED && !p->by_kind[k])
			continue;
		syt_out_printf(out, "%s %.1f %% %s", k ? "," : "",
		               syt_percent(p->by_kind[k], length(p)), texts[k]);
		if (k == SYT_PATH_RUNNING)
			syt_view_put_cpu_use(out, &r->sum.cpu);
	}
	syt_out_char(out, '\n');
}

void syt_path_certainty(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_path_report *r = v->report;
	const struct syt_path *p = &r->path;

	if (p->nr_handovers) {
		syt_out_printf(out, "Hand-offs: %" PRIu64 "; from a wake-up or send to the waiter ",
		               p->nr_handovers);
		syt_path_put_time(out, p->by_class[SYT_CLASS_CAUSAL]);
		syt_out_string(out, ", from the release of a lock to the next holder ");
		syt_path_put_time(out, p->by_class[SYT_CLASS_RUN_AFTER]);
		syt_out_printf(out,
		               "; %" PRIu64 " with several possible wakers, %" PRIu64 " inferred.",
		               p->nr_ambiguous, p->nr_inferred);
		if (p->nr_choices) {
			syt_out_printf(out,
			               " %" PRIu64 " hand-offs may come from another thread than "
			               "the path shows. Therefore the first ",
			               p->nr_choices);
			syt_path_put_time(out, r->unsure);
			syt_out_printf(out, " of the path (%.1f %%) are uncertain.",
			               syt_percent(r->unsure, length(p)));
		}
		syt_out_char(out, '\n');
	}
	if (r->from.thread != SYT_NONE && p->nr && !r->meets_from) {
		syt_out_string(out, "The path does not pass through event ");
		syt_edge_text_id(out, v->order, r->from);
		syt_out_string(out, ". When that event began, the path was at event ");
		syt_edge_text_id(out, v->order, p->all[0].at);
		syt_out_string(out, ".\n");
	}
}

/* Names the file of the call S, and the locks that the thread held across this call. */
static void put_held(struct syt_out *out, const struct syt_view *v,
                     const struct syt_path_segment *s)
{
	const char *file = syt_view_file(v, s->at);
	uint32_t locks[MOST_LOCKS];
	size_t nr = syt_holdings_at(v->order, s->at, locks, MOST_LOCKS);

	if (file) {
		syt_out_string(out, ", on ");
		syt_out_safe(out, file);
	}
	for (size_t i = 0; i < nr; i++) {
		syt_out_string(out, i ? " and " : "; held across it: ");
		syt_view_put_object(v, out, locks[i]);
	}
}

/* Names the functions that perf sampled in the segments of PART, which is a part of the sums of P. */
static void put_functions(struct syt_out *out, const struct syt_view *v, const struct syt_path *p,
                          const struct syt_path_part *part)
{
	struct syt_perf_sum sum;

	syt_perf_sum_open(&sum, v->perf);
	SYT_EACH_FAR(n, 0, p->nr) {
		const struct syt_path_segment *s = &p->all[n];
		const char *name;

		if (s->kind != SYT_PATH_RUNNING || syt_label_side(v->labels, s->at) != part->side)
			continue;
		name = syt_path_function(p, s, v->symbols);
		if (name && part->function ? !strcmp(name, part->function) : name == part->function)
			syt_perf_add(&sum, v->order->places.threads[s->at.thread]->tid,
			             SYT_TIME_NS(s->from), SYT_TIME_NS(s->to));
	}
	syt_view_put_functions(out, &sum);
	syt_perf_sum_close(&sum);
}

void syt_path_put_part(struct syt_out *out, const struct syt_view *v, const struct syt_path *of,
                       const struct syt_path_part *part)
{
	syt_path_put_time(out, part->time);
	if (part->nr == 1)
		syt_host_error_put(out, SYT_TIME_NS(part->time),
		                   syt_path_error(v->order, &of->all[part->longest]));
	if (part->kind == SYT_PATH_HANDOVER) {
		syt_out_printf(out,
		               " in hand-offs (from the event that ended a wait until the waiter "
		               "ran) by %s",
		               syt_edge_kind_text(part->edge_kind));
		if (part->edge_class == SYT_CLASS_RUN_AFTER)
			syt_out_string(out, ", mutual exclusion,");
	} else if (part->kind == SYT_PATH_RUNNING) {
		syt_out_string(out, " between calls");
		syt_view_put_cpu_use(out, &part->cpu);
		if (part->function) {
			syt_out_string(out, " in ");
			syt_out_safe(out, part->function);
		}
	}
	syt_out_string(out, part->kind == SYT_PATH_CALL ? " in " : " up to ");
	syt_view_put_path(v, out, part->side);
	if (part->nr > 1)
		syt_out_printf(out, " (%" PRIu64 " times)", part->nr);
	if (part->kind == SYT_PATH_RUNNING && v->perf)
		put_functions(out, v, of, part);
	if (part->kind == SYT_PATH_CALL)
		put_held(out, v, &of->all[part->longest]);
}

void syt_path_findings(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_path_report *r = v->report;
	const struct syt_path_sum *s = &r->sum;
	unsigned nr = 0;

	for (size_t i = 0; i < s->nr_functions && nr < MOST_FUNCTIONS; i++) {
		const struct syt_path_function *f = &s->functions[i];
		const struct syt_path_part *p = syt_path_sum_part(s, f);

		if (!p)
			continue;
		if (nr && f->time < length(&r->path) / LEAST_PART)
			break;
		syt_out_color(out, SYT_COLOR_BOLD);
		syt_out_printf(out, "%u. ", ++nr);
		syt_out_color(out, SYT_COLOR_NONE);
		syt_out_printf(out, "%5.1f %%  ", syt_percent(f->time, length(&r->path)));
		syt_out_safe(out, f->name                        ? f->name
		                  : p->kind == SYT_PATH_HANDOVER ? "(hand-offs)"
		                                                 : "(no call stack)");
		syt_out_string(out, "\n     ");
		syt_path_put_part(out, v, &r->path, p);
		if (p->kind == SYT_PATH_RUNNING && !p->function) {
			syt_out_string(out, " of ");
			syt_view_put_thread(v, out, r->path.all[p->longest].at.thread);
			syt_out_string(out, ", without a recorded call; a CPU profiler such as "
			                    "perf shows the functions");
		}
		syt_out_char(out, '\n');
	}
	if (!nr)
		syt_out_string(out, "No recorded call or hand-off explains this time.\n");
}
