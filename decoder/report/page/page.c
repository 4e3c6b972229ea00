/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the HTML page as a whole, and those of its data that belong to no report. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "decoder/report/page/page_parts.h"
#include "decoder/command/command.h"
#include "decoder/report/page/page.h"
#include "decoder/report/page/hosts.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/print.h"

#define MOST_THREADS 8192u
#define MOST_PROGRAMS 100u

/* The contents of the page. */
struct page {
	struct syt_html h;
	struct syt_finding findings[SYT_NR_REPORTS];
	size_t nr_findings;
};

/* ---- the summary: HTML that a browser shows without JavaScript ---- */

static const char *program(const struct syt_image *i)
{
	return i->argv ? i->argv : i->exe ? i->exe : "?";
}

static void put_text(struct syt_out *out, const char *text)
{
	syt_out_xml(out, text, strlen(text));
}

static void put_program(struct syt_html *h)
{
	const struct syt_trace_data *t = h->order->places.trace;

	put_text(h->j.out, t->nr_images ? program(&t->images[0]) : "");
}

/* Writes TEXT, which may have several lines. */
static void put_lines(struct syt_out *out, const char *text)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		syt_out_xml(out, text, (size_t)(end - text));
		syt_out_char(out, '\n');
	}
	put_text(out, text);
}

static void put_found(struct syt_out *out, const struct syt_finding *f)
{
	syt_out_string(out, "<pre>");
	put_lines(out, f->text);
	syt_out_string(out, "</pre>\n");
}

/* Writes F as diagnose prints it. The section of a report with is_detail shows the rest, from a template. */
static void put_finding(struct syt_out *out, const struct syt_finding *f)
{
	static const struct {
		const char *class, *text;
	} tones[] = {
		[SYT_TONE_BAD] = {"bad", "Problem"},
		[SYT_TONE_NOTE] = {"note", "Note"},
		[SYT_TONE_GOOD] = {"good", "No problem"},
	};
	bool is_detail = f->source->is_detail;

	syt_out_printf(out, "<div class=\"finding %s\" data-section=\"%s\">\n<h2>",
	               is_detail ? "detail" : tones[f->tone].class, f->source->section);
	if (!is_detail)
		syt_out_printf(out, "<span class=\"tone\">%s</span> ", tones[f->tone].text);
	syt_out_string(out, "<span class=\"title\">");
	put_text(out, f->source->title);
	syt_out_string(out, "</span></h2>\n");
	if (!is_detail)
		put_found(out, f);
	syt_out_string(out, "<p class=\"hint\">");
	put_lines(out, f->headline);
	syt_out_string(out, "</p>\n</div>\n");
	if (is_detail) {
		syt_out_printf(out, "<template data-section=\"%s\">", f->source->section);
		put_found(out, f);
		syt_out_string(out, "</template>\n");
	}
}

/* Writes a row of the table of facts: NAME, and the text in h->words. */
static void put_fact(struct syt_html *h, const char *name)
{
	struct syt_out *out = h->j.out;
	char *text = syt_out_take(&h->words);

	syt_out_printf(out, "<tr><th scope=\"row\">%s</th><td>", name);
	put_text(out, text);
	syt_out_string(out, "</td></tr>\n");
	free(text);
}

static void put_number(struct syt_html *h, const char *name, uint64_t number)
{
	syt_out_u64(&h->words, number);
	put_fact(h, name);
}

static void put_facts(struct syt_html *h)
{
	const struct syt_trace_data *t = h->order->places.trace;
	const struct syt_html_content *c = h->content;
	uint64_t nr_events = 0;

	syt_out_string(h->j.out, "<table><tbody>\n");
	for (uint32_t n = 0; n < t->nr_images; n++) {
		nr_events += t->images[n].nr_decoded;
		if (n >= MOST_PROGRAMS)
			continue;
		syt_out_safe(&h->words, program(&t->images[n]));
		syt_out_printf(&h->words, " (process image %" PRIu32 ", pid %" PRIu32 ")",
		               t->images[n].index, t->images[n].file.pid);
		put_fact(h, "program");
	}
	put_number(h, "process images", t->nr_images);
	put_number(h, "threads", h->order->places.nr_threads);
	put_number(h, "events", nr_events);
	put_number(h, "edges", h->nr_edges);
	syt_print_span(&h->words, h->length_ns);
	put_fact(h, "time from the first event to the last event");
	syt_out_printf(&h->words,
	               "%" PRIu64 " threads, the %" PRIu64 " longest waits and %" PRIu64
	               " of their edges",
	               c->nr_threads, c->nr_waits, c->nr_edges);
	put_fact(h, "in the timeline");
	syt_out_printf(&h->words,
	               "%" PRIu64 " threads, %" PRIu64
	               " shorter waits (included in the shares) and %" PRIu64 " edges",
	               c->nr_threads_left_out, c->nr_waits_left_out, c->nr_edges_left_out);
	put_fact(h, "not in the timeline");
	if (h->nr_stacks_left_out)
		put_number(h, "call stacks left out because there are too many",
		           h->nr_stacks_left_out);
	syt_out_string(h->j.out, "</tbody></table>\n");
}

/* Writes the coverage line. If data are missing, it comes first, because then each finding may be wrong. */
static void put_coverage(struct syt_html *h, bool is_lossy)
{
	char *text;

	syt_coverage_line(&h->words, h->order);
	text = syt_out_take(&h->words);
	syt_out_printf(h->j.out, "<p id=\"coverage\"%s>", is_lossy ? " class=\"lossy\"" : "");
	put_lines(h->j.out, text);
	syt_out_string(h->j.out, "</p>\n");
	free(text);
}

static void put_summary(struct page *p)
{
	bool lossy = !syt_coverage_is_gapless(p->h.order->places.trace);
	size_t nr_shown = syt_findings_arrange(p->findings, p->nr_findings);

	if (lossy)
		put_coverage(&p->h, true);
	for (size_t n = 0; n < nr_shown; n++)
		put_finding(p->h.j.out, &p->findings[n]);
	syt_out_string(p->h.j.out, "<h2>The trace</h2>\n");
	if (!lossy)
		put_coverage(&p->h, false);
	put_facts(&p->h);
	syt_html_hosts_table(&p->h);
}

/* ---- threads ---- */

static void choose_threads(struct syt_html *h)
{
	const struct syt_places *p = &h->order->places;

	h->row_of = syt_store_alloc(p->nr_threads, sizeof(*h->row_of));
	h->drawn = syt_alloc(MOST_THREADS, sizeof(*h->drawn));
	for (uint32_t n = 0; n < p->nr_threads; n++) {
		h->row_of[n] = SYT_NONE;
		if (!p->threads[n]->nr_rows && !p->threads[n]->waiting.since)
			continue;
		if (h->nr_drawn == MOST_THREADS) {
			h->content->nr_threads_left_out++;
			continue;
		}
		h->row_of[n] = h->nr_drawn;
		h->drawn[h->nr_drawn++] = n;
	}
	h->content->nr_threads = h->nr_drawn;
}

static void put_threads(struct syt_html *h)
{
	syt_json_begin(&h->j, "threads", '[');
	for (uint32_t n = 0; n < h->nr_drawn; n++) {
		const struct syt_thread *t = h->order->places.threads[h->drawn[n]];
		syt_time begin = t->nr_rows ? syt_thread_row(t, 0)->in : t->waiting.since;
		syt_time end = syt_order_thread_end(h->order, h->drawn[n]);

		syt_json_begin(&h->j, NULL, '{');
		syt_html_put_thread(h, "id", h->drawn[n]);
		syt_json_u64(&h->j, "pid", t->image->file.pid);
		syt_json_u64(&h->j, "tid", t->tid);
		syt_json_string(&h->j, "name", syt_thread_name(t) ? syt_thread_name(t) : "");
		syt_json_u64(&h->j, "from", syt_html_at(h, begin));
		syt_json_u64(&h->j, "to", syt_html_at(h, end));
		syt_json_u64(&h->j, "events", t->nr_rows);
		syt_html_put_host_of(h, t);
		syt_json_end(&h->j);
	}
	syt_json_end(&h->j);
}

/* ---- names: stacks, calls and objects by number ---- */

static const char *call_name(const struct syt_html *h, uint32_t call)
{
	const struct syt_trace_data *t = h->order->places.trace;
	/* the last process image whose first call is not after CALL */
	uint32_t image = SYT_BISECT(i, 1, t->nr_images, h->first_call[i] <= call) - 1;

	return t->images[image].calls[call - h->first_call[image]].name;
}

static void put_names(struct syt_html *h)
{
	syt_html_put_stacks(h);
	syt_json_begin(&h->j, "calls", '[');
	for (size_t n = 0; n < h->calls.nr; n++) {
		const char *name = call_name(h, h->calls.used[n]);

		syt_json_string(&h->j, NULL, name ? name : "?");
	}
	syt_json_end(&h->j);
	syt_json_begin(&h->j, "objects", '[');
	for (size_t n = 0; n < h->objects.nr; n++) {
		syt_html_words_object(h, h->objects.used[n]);
		syt_html_put_words(h, NULL);
	}
	syt_json_end(&h->j);
}

/* ---- the page ---- */

static void put_data(struct page *p)
{
	struct syt_html *h = &p->h;
	const struct syt_view view = {
		.order = h->order, .labels = h->labels, .symbols = h->symbols};

	syt_json_begin(&h->j, NULL, '{');
	syt_json_u64(&h->j, "v", 2);
	syt_json_u64(&h->j, "length", h->length_ns);
	choose_threads(h);
	syt_findings_begin_page(h);
	syt_html_put_hosts(h);
	put_threads(h);
	syt_html_put_time(h);
	syt_html_put_edges(h);
	p->nr_findings = syt_findings_gather(p->findings, h->order, &view, h);
	syt_findings_end_page(h);
	put_names(h);
	syt_json_end(&h->j);
}

/* Writes the text of page.html from *AT up to MARK, and moves *AT behind MARK. */
static void put_until(struct syt_out *out, const char **at, const char *mark)
{
	const char *end = (const char *)page_html + sizeof(page_html);
	const char *found = memmem(*at, (size_t)(end - *at), mark, strlen(mark));

	syt_out_bytes(out, *at, (size_t)(found - *at));
	*at = found + strlen(mark);
}

void syt_html_write(struct syt_out *out, struct syt_order *order, struct syt_symbols *symbols,
                    struct syt_html_content *content)
{
	const struct syt_trace_data *t = order->places.trace;
	struct page p = {.h = {.order = order,
	                       .symbols = symbols,
	                       .content = content,
	                       .j = {.out = out, .is_in_markup = true}}};
	struct syt_html *h = &p.h;
	const char *at = (const char *)page_html;
	uint32_t nr_calls = 0;

	out->json_version = 1; /* the scripts of the page read version 1 */
	memset(content, 0, sizeof(*content));
	h->nr_edges = order->edges.nr;
	h->labels = syt_labels_create(&order->places, symbols, 0);
	h->length_ns = order->end > t->begin ? SYT_TIME_NS(order->end - t->begin) : 0;
	h->first_call = syt_calloc(t->nr_images, sizeof(*h->first_call));
	for (uint32_t n = 0; n < t->nr_images; n++) {
		h->first_call[n] = nr_calls;
		nr_calls += t->images[n].nr_calls;
	}
	/* Each sentence must fit into this buffer; the end of a longer sentence is lost. */
	syt_out_open(&h->words, -1, false);
	put_until(out, &at, "@PROGRAM@");
	put_program(h);
	put_until(out, &at, "@CSS@");
	syt_out_bytes(out, page_css, sizeof(page_css));
	put_until(out, &at, "@DATA@");
	put_data(&p);
	put_until(out, &at, "@PROGRAM@");
	put_program(h);
	put_until(out, &at, "@SUMMARY@");
	put_summary(&p);
	put_until(out, &at, "@MODEL@");
	if (h->model) {
		syt_out_string(out, "\t<section id=\"model\" data-title=\"Tasks\">\n");
		syt_out_string(out, h->model);
		syt_out_string(out, "\n\t</section>\n");
	}
	put_until(out, &at, "@JS@");
	syt_out_bytes(out, page_js, sizeof(page_js));
	syt_out_bytes(out, at, (size_t)((const char *)page_html + sizeof(page_html) - at));
	for (size_t n = 0; n < p.nr_findings; n++)
		syt_finding_free(&p.findings[n]);
	syt_html_close(h);
}
