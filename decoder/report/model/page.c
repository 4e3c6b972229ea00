/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The section of the HTML page with the model: tasks inside tasks, which the reader opens. The section is HTML, so that it
 * needs no script. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/work.h"
#include "decoder/html/write.h"
#include "decoder/model/start.h"
#include "decoder/order/label.h"
#include "decoder/report/model/boxes.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/print.h"

#define MOST_BYTES 900000u    /* the buffer of the section has 1 MiB */
#define LEAST_SHARE 1.0       /* percent from which the share of a part is printed */
#define MOST_NAME_BYTES 2000u /* maximum of bytes of a name */

static void put_text(struct syt_out *out, const char *text)
{
	size_t bytes = strlen(text);

	syt_out_xml(out, text, bytes < MOST_NAME_BYTES ? bytes : MOST_NAME_BYTES);
}

/* ---- the columns of a task ---- */

static void put_span(struct syt_out *out, uint64_t ns)
{
	if (ns)
		syt_print_span(out, ns);
}

static void put_p50(struct syt_out *out, const struct syt_model_task *t)
{
	put_span(out, t->profile.latency_p50);
}

static void put_p99(struct syt_out *out, const struct syt_model_task *t)
{
	put_span(out, t->profile.latency_p99);
}

static void put_ran(struct syt_out *out, const struct syt_model_task *t)
{
	put_span(out, t->profile.ran / t->count);
}

static void put_cpu(struct syt_out *out, const struct syt_model_task *t)
{
	if (t->profile.cpu != SYT_CPU_UNKNOWN)
		put_span(out, t->profile.cpu / t->count);
}

static void put_waited(struct syt_out *out, const struct syt_model_task *t)
{
	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++) {
		if (t->profile.waited[i] < t->count)
			continue;
		syt_out_string(out, "<div>");
		syt_print_span(out, t->profile.waited[i] / t->count);
		syt_out_printf(out, " %s</div>", syt_waits_kinds[i].word);
	}
}

static void put_bytes(struct syt_out *out, const struct syt_model_task *t)
{
	if (t->profile.sent || t->profile.received)
		syt_out_printf(out, "%" PRIu64 " / %" PRIu64, t->profile.sent / t->count,
		               t->profile.received / t->count);
}

static const struct {
	const char *title;
	void (*put)(struct syt_out *out, const struct syt_model_task *t);
} columns[] = {{"median", put_p50},    {"99th percentile", put_p99},
               {"ran", put_ran},       {"CPU", put_cpu},
               {"waited", put_waited}, {"bytes sent / received", put_bytes}};

#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* ---- rows ---- */

/* Writes where the latency of TASK goes, and its threads. */
static void put_costs(struct syt_out *out, const struct syt_model_view *v, uint32_t task)
{
	struct syt_out words;
	char *text;

	syt_out_open(&words, -1, false);
	syt_model_put_costs(&words, v->m, syt_model_digest_latency(v->digest, task), 3);
	syt_out_string(&words, words.used ? "; " : "");
	syt_model_digest_put_threads(&words, v->digest, task);
	text = syt_out_take(&words);
	syt_out_string(out, "<span class=\"hint costs\">");
	put_text(out, text);
	syt_out_string(out, "</span>");
	free(text);
	syt_out_close(&words);
}

/* Writes the name of the box: the arc that leads to it, the function or task, the number of its occurrences. */
static void put_name(struct syt_out *out, const struct syt_model_view *v,
                     const struct syt_model_box *box)
{
	const struct syt_model *m = v->m;
	double share = syt_model_box_share(v, box);
	const char *text = syt_model_part_text(m, box->what);
	const char *colon = strstr(text, ": "); /* after the name of the program */
	const struct syt_model_part *p = box->part;

	syt_out_string(out, "<span class=\"code\"");
	if (!box->what.is_task) {
		syt_out_string(out, " title=\"");
		put_text(out, text);
		syt_out_char(out, '"');
	}
	syt_out_char(out, '>');
	if (p && !p->is_root) {
		struct syt_model_arc start = syt_model_view_start(m, p->task, p->what);

		if (start.count && start.kind != SYT_EDGE_PROGRAM)
			syt_out_printf(out, "<span class=\"hint\">%s%s \xe2\x86\x92</span> ",
			               syt_arc_kind_text(start.kind),
			               start.is_inferred ? ", inferred" : "");
	}
	put_text(out, box->what.is_task ? text : syt_label_short(colon ? colon + 2 : text, 2));
	if (box->what.is_task)
		put_costs(out, v, box->what.number);
	syt_out_string(out, "</span><span data-title=\"occurrences\">");
	if (!p)
		syt_out_u64(out, m->tasks[box->what.number].count);
	else if (p->least == p->most)
		syt_out_printf(out, "\xc3\x97 %" PRIu64, p->most);
	else
		syt_out_printf(out, "\xc3\x97 %" PRIu64 " to %" PRIu64, p->least, p->most);
	syt_out_string(out, "</span><span data-title=\"share of the time\">");
	if (share >= LEAST_SHARE)
		syt_out_printf(out, share >= SYT_MODEL_MOST ? "<b>%.0f %%</b>" : "%.0f %%", share);
	syt_out_string(out, "</span>");
}

static void put_row(struct syt_out *out, const struct syt_model_view *v,
                    const struct syt_model_box *box)
{
	put_name(out, v, box);
	for (size_t i = 0; box->what.is_task && i < NR_COLUMNS; i++) {
		syt_out_printf(out, "<span data-title=\"%s\">", columns[i].title);
		columns[i].put(out, &v->m->tasks[box->what.number]);
		syt_out_string(out, "</span>");
	}
}

static void put_head(struct syt_out *out, const struct syt_model *m)
{
	syt_out_string(out, "<h2>Tasks</h2>\n<p>");
	syt_out_printf(out, "%" PRIu64 " leaf tasks, %.1f %% in %" PRIu32 " tasks.",
	               m->nr_leaf_tasks, syt_percent(m->nr_in_tasks, m->nr_leaf_tasks),
	               m->nr_tasks);
	syt_out_string(
		out,
		"</p>\n<p class=\"hint\">A task is work that occurs again and again. Open a task "
		"to "
		"see its parts: tasks and calls. Times and bytes are averages of an occurrence; "
		"the number of occurrences of a part is within one occurrence of the task around "
		"it. "
		"The share is the part of the mean latency of the task around "
		"it, without the time in which its thread did other work; below the name of a task "
		"are the calls in which its latency passes, and its "
		"threads. "
		"An arrow leads from other work than the thread\xe2\x80\x99s own.</p>\n"
		"<div class=\"tasks\">\n<div class=\"task head\" aria-hidden=\"true\"><span>task "
		"or call</span>"
		"<span>occurrences</span><span>share of the time</span>");
	for (size_t i = 0; i < NR_COLUMNS; i++)
		syt_out_printf(out, "<span>%s</span>", columns[i].title);
	syt_out_string(out, "</div>\n");
}

/* Writes the work that passed between threads along ways that the trace does not contain. */
static void put_hidden(struct syt_out *out, const struct syt_model_input *in)
{
	for (unsigned kind = 0; kind < SYT_NR_HIDDEN; kind++) {
		char *text = syt_model_hidden_text(in, (enum syt_hidden)kind);

		if (!text)
			continue;
		syt_out_string(out, "<p>");
		put_text(out, text);
		syt_out_string(out, "</p>\n");
		free(text);
	}
}

/* Writes the section of the model M. */
static void put_section(struct syt_out *out, const struct syt_model *m)
{
	const struct syt_model_view v = {.m = m,
	                                 .digest = syt_model_digest_create(m),
	                                 .task = SYT_NONE,
	                                 .depth = SYT_MODEL_DEPTH};
	uint64_t nr_left = 0;
	struct syt_model_boxes b;
	uint32_t nr_top = 0;

	syt_model_boxes_open(&b, &v);
	while (nr_top < b.nr && b.all[nr_top].up == SYT_NONE)
		nr_top++;
	put_head(out, m);
	for (uint32_t i = 0; i < b.nr;) {
		const struct syt_model_box *box = &b.all[i];

		if (out->used > MOST_BYTES) {
			nr_left++;
		} else if (box->nr) {
			syt_out_string(out, box->part ? "<details>" : "<details open>");
			syt_out_string(out, "<summary class=\"task\">");
			put_row(out, &v, box);
			syt_out_string(out, "</summary>\n");
			i = box->first;
			continue;
		} else {
			syt_out_string(out, "<div class=\"task\">");
			put_row(out, &v, box);
			syt_out_string(out, "</div>\n");
		}
		for (i++; box->up != SYT_NONE; i = (uint32_t)(box - b.all) + 1) {
			if (i < b.all[box->up].first + b.all[box->up].nr)
				break;
			syt_out_string(out, "</details>\n");
			box = &b.all[box->up];
		}
		if (box->up == SYT_NONE && i >= nr_top)
			break;
	}
	syt_out_string(out, "</div>\n");
	put_hidden(out, m->in);
	if (nr_left + b.nr_left)
		syt_out_printf(out,
		               "<p class=\"hint\">The page leaves out %" PRIu64
		               " tasks; syntrace-decode model prints them.</p>\n",
		               nr_left + b.nr_left);
	syt_model_boxes_close(&b);
	syt_model_digest_destroy(v.digest);
}

/* ---- the section beside the other parts of the page ---- */

struct syt_model_section {
	struct syt_beside beside;
	struct syt_order order;
	struct syt_symbols *symbols;
	char *text; /* NULL: there are no tasks */
};

static void make_section(void *context)
{
	const struct syt_model_options options = {.least = SYT_MODEL_LEAST};
	struct syt_model_section *s = context;
	struct syt_model_input in;
	struct syt_tasks tasks;
	struct syt_model m;

	syt_tasks_open(&tasks, &s->order.places, NULL);
	if (!syt_model_input_open(&in, &s->order, &tasks, s->symbols)) {
		if (!syt_model_open(&m, &in, &options)) {
			struct syt_out out;

			if (m.nr_tasks) {
				syt_out_open(&out, -1, false);
				put_section(&out, &m);
				s->text = syt_out_take(&out);
				syt_out_close(&out);
			}
			syt_model_close(&m);
		}
		syt_model_input_close(&in);
	}
	syt_tasks_close(&tasks);
}

void syt_model_begin_page(struct syt_html *page)
{
	const struct syt_edges_wanted wanted = {SYT_EDGES_BUT_LOCKS, SYT_EDGES_ALL};
	struct syt_model_section *s = syt_calloc(1, sizeof(*s));

	page->tasks = s;
	s->symbols = syt_symbols_fork();
	if (!syt_order_branch(&s->order, page->order, wanted))
		syt_beside_begin(&s->beside, page->order->places.trace->nr_workers, make_section,
		                 s);
}

void syt_model_end_page(struct syt_html *page)
{
	struct syt_model_section *s = page->tasks;

	if (s->beside.run)
		syt_beside_end(&s->beside);
	page->model = s->text;
	syt_symbols_join(page->symbols, s->symbols);
	syt_order_close(&s->order);
	free(s);
	page->tasks = NULL;
}
