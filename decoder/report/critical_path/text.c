/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* First what is not known, then which functions make most of the path, then tables, then the path. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/table.h"
#include "decoder/read/call.h"
#include "decoder/show/coverage_print.h"
#include "decoder/report/critical_path/view.h"
#include "decoder/show/print.h"
#include "decoder/report/critical_path/request_view.h"

#define PATH_PARTS 3u /* of a call path */
#define MOST_FUNCTIONS 3u

syt_time syt_path_unsure(const struct syt_path *p)
{
	return p->sure_from > p->from ? p->sure_from - p->from : 0;
}

bool syt_path_meets(const struct syt_path *p, struct syt_place from)
{
	return p->nr && p->all[0].at.thread == from.thread && p->all[0].kind != SYT_PATH_UNKNOWN;
}

static syt_time length(const struct syt_path *p)
{
	return p->to - p->from;
}

static const char *path_of(const struct syt_path_view *v, uint32_t side)
{
	return side == SYT_NONE ? ""
	                        : syt_label_short(syt_label_side_text(v->labels, side), PATH_PARTS);
}

static void put_share(struct syt_out *out, const struct syt_path *p, enum syt_path_kind kind,
                      const char *text)
{
	syt_out_printf(out, "%.1f %% %s", syt_percent(p->by_kind[kind], length(p)), text);
}

/* ---- what is known and what is not ---- */

static void put_event(struct syt_out *out, const struct syt_order *o, struct syt_place at)
{
	char id[SYT_NODE_TEXT];

	syt_order_node_text(o, at, id, sizeof(id));
	syt_out_string(out, id);
}

static uint32_t nr_processes(const struct syt_path_view *v)
{
	const struct syt_places *places = &v->path->order->places;
	bool *seen = syt_calloc(places->trace->nr_images, sizeof(*seen));
	uint32_t nr = 0;

	for (size_t i = 0; i < v->sum->nr_threads; i++) {
		struct syt_place at = {v->sum->threads[i].thread, 0};
		bool *is_seen = &seen[syt_place_image_idx(places, at)];

		nr += !*is_seen;
		*is_seen = true;
	}
	free(seen);
	return nr;
}

void syt_path_headline(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_path *p = v->path;
	uint32_t processes = nr_processes(v);

	syt_out_string(out, "Critical path: ");
	syt_print_span(out, SYT_TIME_NS(p->to) - SYT_TIME_NS(p->from));
	if (v->from.thread != SYT_NONE) {
		syt_out_string(out, " from ");
		put_event(out, p->order, v->from);
	}
	syt_out_string(out, " to ");
	put_event(out, p->order, v->to);
	syt_out_printf(out,
	               ", %" PRIu64 " segments in %zu thread%s of %" PRIu32 " process%s: ", p->nr,
	               v->sum->nr_threads, v->sum->nr_threads == 1 ? "" : "s", processes,
	               processes == 1 ? "" : "es");
	put_share(out, p, SYT_PATH_RUNNING, "running, ");
	put_share(out, p, SYT_PATH_CALL, "in calls, ");
	put_share(out, p, SYT_PATH_HANDOVER, "handing over, ");
	put_share(out, p, SYT_PATH_UNKNOWN, "not known\n");
}

static void trust(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_path *p = v->path;

	syt_out_printf(out, "Hand-overs: %" PRIu64 ", of which causal ", p->nr_handovers);
	syt_print_span(out, SYT_TIME_NS(p->by_class[SYT_CLASS_CAUSAL]));
	syt_out_string(out, " and of locks ");
	syt_print_span(out, SYT_TIME_NS(p->by_class[SYT_CLASS_RUN_AFTER]));
	syt_out_printf(out, "; %" PRIu64 " ambiguous", p->nr_ambiguous);
	if (p->nr_ambiguous)
		syt_out_printf(out, ", %" PRIu64 " of them a choice between threads",
		               p->nr_choices);
	syt_out_printf(out, "; %" PRIu64 " inferred", p->nr_inferred);
	if (p->nr_choices) {
		syt_out_string(out, "; the first ");
		syt_print_span(out, SYT_TIME_NS(syt_path_unsure(p)));
		syt_out_printf(out, " of the path (%.1f %%) rest on choices",
		               syt_percent(syt_path_unsure(p), length(p)));
	}
	if (SYT_TIME_NS(v->sum->cpu_of) > v->sum->cpu_ns) {
		syt_out_string(out, "; at least ");
		syt_print_span(out, SYT_TIME_NS(v->sum->cpu_of) - v->sum->cpu_ns);
		syt_out_string(out, " of the ");
		syt_print_span(out, SYT_TIME_NS(v->sum->cpu_of));
		syt_out_string(out, " running whose CPU time is known without a processor");
	}
	syt_out_char(out, '\n');
	if (v->from.thread != SYT_NONE && p->nr && !syt_path_meets(p, v->from)) {
		syt_out_string(out, "The path does not come from ");
		put_event(out, p->order, v->from);
		syt_out_string(out, ": when that began, what determined the end was in ");
		put_event(out, p->order, p->all[0].at);
		syt_out_char(out, '\n');
	}
}

/* ---- what stands out ---- */

static void put_part(struct syt_out *out, const struct syt_path_view *v,
                     const struct syt_path_part *p)
{
	if (p->kind == SYT_PATH_HANDOVER)
		syt_out_printf(out, "by %s%s to ",
		               syt_edge_kind_text((enum syt_edge_kind)p->edge_kind),
		               p->edge_class == SYT_CLASS_RUN_AFTER ? " (run-after)" : "");
	else
		syt_out_string(out, p->kind == SYT_PATH_CALL ? "in " : "running to ");
	syt_out_color(out, SYT_COLOR_CYAN);
	syt_out_safe(out, path_of(v, p->side));
	syt_out_color(out, SYT_COLOR_NONE);
	syt_out_printf(out, ", %" PRIu64 " time%s, ", p->nr, p->nr == 1 ? "" : "s");
	syt_print_span(out, SYT_TIME_NS(p->time));
}

void syt_path_findings(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_path_sum *s = v->sum;
	unsigned nr = 0;

	for (size_t i = 0; i < s->nr_functions && nr < MOST_FUNCTIONS; i++) {
		const struct syt_path_function *f = &s->functions[i];
		const struct syt_path_part *p = syt_path_sum_part(s, f);

		if (!p)
			continue;
		if (nr && f->time < length(v->path) / 20)
			break;
		syt_out_color(out, SYT_COLOR_BOLD);
		syt_out_printf(out, "%u. ", ++nr);
		syt_out_color(out, SYT_COLOR_NONE);
		syt_out_printf(out, "%5.1f %%  ", syt_percent(f->time, length(v->path)));
		syt_out_safe(out, f->name ? f->name : "(handing over)");
		syt_out_string(out, "\n             ");
		put_part(out, v, p);
		syt_out_char(out, '\n');
	}
}

/* ---- tables ---- */

static void kinds(struct syt_table *t, const syt_time *by_kind)
{
	for (unsigned k = 0; k < SYT_NR_PATH_KINDS; k++)
		syt_table_span(t, SYT_TIME_NS(by_kind[k]));
}

static void functions_table(struct syt_out *out, const struct syt_path_view *v)
{
	struct syt_table *t =
		syt_table_create("FUNCTION", ">TIME", ">SHARE", ">SEGMENTS", ">RUNNING",
	                         ">IN CALLS", ">HANDING OVER", ">NOT KNOWN", NULL);

	for (size_t i = 0; i < v->sum->nr_functions && (!v->limit || i < v->limit); i++) {
		const struct syt_path_function *f = &v->sum->functions[i];

		syt_table_row(t);
		syt_table_cell(t, "%s", f->name ? f->name : "(no stack, or handing over)");
		syt_table_span(t, SYT_TIME_NS(f->time));
		syt_table_cell(t, "%.1f %%", syt_percent(f->time, length(v->path)));
		syt_table_cell(t, "%" PRIu64, f->nr);
		kinds(t, f->by_kind);
	}
	syt_table_end(t, out);
}

static void cell_thread(struct syt_table *t, const struct syt_path_view *v, uint32_t thread)
{
	const struct syt_thread *of = v->path->order->places.threads[thread];

	syt_table_cell(t, "%" PRIu32 ".%" PRIu32 "%s%s", of->image->index, of->index,
	               of->name ? " " : "", of->name ? of->name : "");
}

static void threads_table(struct syt_out *out, const struct syt_path_view *v)
{
	struct syt_table *t = syt_table_create("THREAD", ">TIME", ">SHARE", ">VISITS", ">RUNNING",
	                                       ">IN CALLS", ">HANDING OVER", ">NOT KNOWN", NULL);

	for (size_t i = 0; i < v->sum->nr_threads && (!v->limit || i < v->limit); i++) {
		const struct syt_path_thread *of = &v->sum->threads[i];

		syt_table_row(t);
		cell_thread(t, v, of->thread);
		syt_table_span(t, SYT_TIME_NS(of->time));
		syt_table_cell(t, "%.1f %%", syt_percent(of->time, length(v->path)));
		syt_table_cell(t, "%" PRIu64, of->nr_visits);
		kinds(t, of->by_kind);
	}
	syt_table_end(t, out);
}

/* ---- the path ---- */

struct ranked {
	syt_time length;
	uint64_t number;
};

static int longest_first(const void *a_, const void *b_)
{
	const struct ranked *a = a_, *b = b_;

	SYT_ORDER(b->length, a->length);
	SYT_ORDER_BY(number);
	return 0;
}

static int in_order(const void *a_, const void *b_)
{
	const struct ranked *a = a_, *b = b_;

	SYT_ORDER_BY(number);
	return 0;
}

/* The numbers of the segments to show, *NR, in order: a heap of the longest ones with the shortest of
 * them on top. */
static struct ranked *longest_segments(const struct syt_path_view *v, uint64_t *nr)
{
	const struct syt_path *p = v->path;
	uint64_t most = v->limit && v->limit < p->nr ? v->limit : p->nr, used = 0;
	struct ranked *heap = syt_alloc(most + 1, sizeof(*heap));

	for (uint64_t i = 0; i < p->nr && most; i++) {
		struct ranked r = {p->all[i].to - p->all[i].from, i};
		uint64_t hole = 0;

		if (used < most) {
			for (hole = used++; hole && longest_first(&heap[(hole - 1) / 2], &r) < 0;
			     hole = (hole - 1) / 2)
				heap[hole] = heap[(hole - 1) / 2];
			heap[hole] = r;
			continue;
		}
		if (longest_first(&heap[0], &r) < 0)
			continue;
		for (uint64_t child; (child = 2 * hole + 1) < used; hole = child) {
			if (child + 1 < used && longest_first(&heap[child + 1], &heap[child]) > 0)
				child++;
			if (longest_first(&heap[child], &r) <= 0)
				break;
			heap[hole] = heap[child];
		}
		heap[hole] = r;
	}
	if (used)
		qsort(heap, used, sizeof(*heap), in_order);
	*nr = used;
	return heap;
}

static void cell_object(struct syt_table *t, const struct syt_path_view *v,
                        const struct syt_path_segment *s)
{
	const struct syt_order *o = v->path->order;
	const struct syt_edge *e = &o->edges.all[s->edge];
	char from[SYT_NODE_TEXT], object[SYT_OBJECT_TEXT] = "", several[40] = "";

	syt_order_node_text(o, e->from, from, sizeof(from));
	if (e->object != SYT_NONE)
		syt_object_text(o->objects.all[e->object].info, object, sizeof(object));
	if (s->nr_candidates > 1)
		snprintf(several, sizeof(several), ", one of %" PRIu32 " possible%s",
		         s->nr_candidates, s->flags & SYT_PATH_CHOICE ? ": a choice" : "");
	syt_table_cell(t, "%s%s from %s%s%s%s%s", syt_edge_kind_text((enum syt_edge_kind)e->kind),
	               e->class == SYT_CLASS_RUN_AFTER ? " (run-after)" : "", from,
	               object[0] ? ", " : "", object, several,
	               s->flags & SYT_PATH_INFERRED ? ", inferred" : "");
}

static void segment_row(struct syt_table *t, const struct syt_path_view *v, uint64_t number)
{
	const struct syt_path *p = v->path;
	const struct syt_path_segment *s = &p->all[number];
	uint64_t at = SYT_TIME_NS(s->from) - SYT_TIME_NS(p->from);
	uint64_t cpu_ns = syt_path_cpu_ns(p, s);
	const char *function = syt_path_function(p, s, v->symbols);

	syt_table_row(t);
	syt_table_cell(t, "+%" PRIu64 ".%06" PRIu64, at / 1000000000, at % 1000000000 / 1000);
	syt_table_span(t, SYT_TIME_NS(s->to) - SYT_TIME_NS(s->from));
	cell_thread(t, v, s->at.thread);
	syt_table_cell(t, "%s", syt_path_word((enum syt_path_kind)s->kind));
	if (cpu_ns == SYT_PATH_CPU_UNKNOWN)
		syt_table_cell(t, "%s", "");
	else
		syt_table_span(t, cpu_ns);
	syt_table_cell(t, "%s", function ? function : "");
	syt_table_cell(t, "%s",
	               s->kind == SYT_PATH_UNKNOWN ? ""
	                                           : path_of(v, syt_label_side(v->labels, s->at)));
	if (s->kind == SYT_PATH_HANDOVER)
		cell_object(t, v, s);
}

static void gap_row(struct syt_table *t, const struct syt_path *p, uint64_t from, uint64_t to)
{
	if (from == to)
		return;
	syt_table_row(t);
	syt_table_cell(t, "%s", "...");
	syt_table_span(t, SYT_TIME_NS(p->all[to - 1].to) - SYT_TIME_NS(p->all[from].from));
	syt_table_cell(t, "%" PRIu64 " shorter", to - from);
}

static void segments_table(struct syt_out *out, const struct syt_path_view *v)
{
	struct syt_table *t = syt_table_create(">AFTER", ">TIME", "THREAD", "WHAT", ">CPU",
	                                       "FUNCTION", "CALL PATH", "HANDED OVER BY", NULL);
	const struct syt_path *p = v->path;
	uint64_t nr, next = 0;
	struct ranked *shown = longest_segments(v, &nr);

	for (uint64_t i = 0; i < nr; i++) {
		gap_row(t, p, next, shown[i].number);
		segment_row(t, v, shown[i].number);
		next = shown[i].number + 1;
	}
	gap_row(t, p, next, p->nr);
	syt_table_end(t, out);
	free(shown);
}

static void stacks(struct syt_out *out, const struct syt_path_view *v)
{
	const struct syt_places *places = &v->path->order->places;

	for (size_t i = 0; i < v->sum->nr_parts && (!v->limit || i < v->limit); i++) {
		const struct syt_path_part *p = &v->sum->parts[i];
		struct syt_place at = v->path->all[p->longest].at;

		if (p->kind == SYT_PATH_UNKNOWN)
			continue;
		syt_out_char(out, '\n');
		syt_out_string(out, syt_path_word((enum syt_path_kind)p->kind));
		syt_out_string(out, p->kind == SYT_PATH_RUNNING ? " to " : " in ");
		syt_out_safe(out, path_of(v, p->side));
		syt_out_string(out, ", ");
		syt_print_span(out, SYT_TIME_NS(p->time));
		syt_out_string(out, ", for example at ");
		put_event(out, v->path->order, at);
		syt_out_char(out, '\n');
		syt_print_stack(out, v->symbols, syt_place_image(places, at),
		                syt_place_row(places, at)->stack, "        ");
	}
}

void syt_path_text(struct syt_out *out, const struct syt_path_view *v)
{
	syt_coverage_line(out, v->path->order);
	if (v->request)
		syt_request_text(out, v);
	syt_path_headline(out, v);
	trust(out, v);
	syt_out_char(out, '\n');
	syt_path_findings(out, v);
	syt_out_char(out, '\n');
	functions_table(out, v);
	syt_out_char(out, '\n');
	threads_table(out, v);
	syt_out_char(out, '\n');
	segments_table(out, v);
	if (v->has_stacks)
		stacks(out, v);
}
