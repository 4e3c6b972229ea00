/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the listings of a critical path, as tables and as JSON lines. */
#include <inttypes.h>
#include <stdio.h>

#include "decoder/read/call.h"
#include "decoder/report/critical_path/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/wrap.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"

/* A row of the listing: one segment of the path, or in text a gap of NR_SHORTER shorter segments. */
struct segment_row {
	struct syt_path_segment s;
	uint64_t nr_shorter;    /* number of segments in the gap; 0: the row is one segment */
	struct syt_cpu_use cpu; /* CPU time of a segment between calls */
	/* call path of the segment (decoder/order/label.h); SYT_NONE: it is unknown, or the row is a gap */
	uint32_t side;
	const char *function;
};

static const struct segment_row *row_of(const struct syt_cell *c)
{
	return c->row;
}

static const struct syt_path_report *report_of(const struct syt_cell *c)
{
	return c->view->report;
}

/* Only the path of a sampled trace has the last kind. */
SYT_COLUMN_EACH(by_kind, SYT_PATH_NOT_SAMPLED + !!all[SYT_PATH_NOT_SAMPLED], syt_path_word(i),
                SYT_TIME_NS(all[i]));
/* No critical path contains inferred happens-before edges. */
SYT_COLUMN_EACH(by_class, SYT_CLASS_INFERRED, syt_edge_class_text(i), SYT_TIME_NS(all[i]));
SYT_COLUMN_NS(cpu_known, void, SYT_TIME_NS(report_of(c)->sum.known.of));
SYT_COLUMN_NS(cpu_most, void, SYT_TIME_NS(report_of(c)->sum.known.most));
SYT_COLUMN_PERCENT(share, void,
                   syt_percent(*(const syt_time *)c->field,
                               report_of(c)->path.to - report_of(c)->path.from));
SYT_COLUMN_WORD(function_name, struct syt_path_function,
                r->name ? r->name : "(no call stack, or hand-offs)");
SYT_COLUMN_WORD(kind_word, struct segment_row, syt_path_word(r->s.kind));
/* JSON keeps the old word for a hand-off between threads, because other programs read it. */
SYT_COLUMN_WORD(kind_title, struct segment_row,
                r->nr_shorter                    ? NULL
                : r->s.kind == SYT_PATH_HANDOVER ? "hand-off"
                : r->s.kind == SYT_PATH_RUNNING  ? "between calls"
                                                 : syt_path_word(r->s.kind));

static void text_after(struct syt_table *t, const struct syt_cell *c)
{
	uint64_t ns = SYT_TIME_NS(row_of(c)->s.from) - SYT_TIME_NS(report_of(c)->path.from);

	if (row_of(c)->nr_shorter)
		syt_table_cell(t, "...");
	else
		syt_table_cell(t, "+%" PRIu64 ".%06" PRIu64, ns / 1000000000,
		               ns % 1000000000 / 1000);
}

static struct syt_host_error error_of(const struct syt_cell *c)
{
	if (row_of(c)->nr_shorter)
		return (struct syt_host_error){0};
	return syt_path_error(c->view->order, &row_of(c)->s);
}

static void text_segment_length(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_path_segment *s = &row_of(c)->s;

	syt_host_error_cell(t, SYT_TIME_NS(s->to) - SYT_TIME_NS(s->from), error_of(c));
}

static void json_segment_length(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_path_segment *s = &row_of(c)->s;

	syt_json_u64(j, key, SYT_TIME_NS(s->to) - SYT_TIME_NS(s->from));
	syt_host_error_json(j, SYT_HOST_ERROR_KEY, error_of(c));
}

/* Writes the error of the length of the whole path. */
static void json_path_error(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_host_error_json(j, key, syt_path_report_error(report_of(c)));
}

static void text_segment_thread(struct syt_table *t, const struct syt_cell *c)
{
	if (row_of(c)->nr_shorter)
		syt_table_cell(t, "%" PRIu64 " shorter", row_of(c)->nr_shorter);
	else
		syt_column_named_thread.text(t, c);
}

/* Writes the event before a time between calls, with KEY, and the CPU time of this time. */
static void json_running(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct segment_row *row = row_of(c);

	if (row->s.kind != SYT_PATH_RUNNING)
		return;
	syt_json_place(j, key, &c->view->order->places,
	               (struct syt_place){row->s.at.thread, row->s.begin});
	if (!syt_cpu_is_known(&row->cpu)) {
		syt_json_null(j, "cpu_at_most");
		return;
	}
	syt_json_u64(j, "cpu_at_most", SYT_TIME_NS(row->cpu.most));
	syt_json_u64(j, "cpu_at_least", SYT_TIME_NS(row->cpu.least));
}

static void text_edge(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_path_segment *s = &row_of(c)->s;
	const struct syt_order *o = c->view->order;
	char from[SYT_NODE_TEXT], several[64] = "";
	const char *object = "";
	const struct syt_edge *e;

	if (row_of(c)->nr_shorter || s->kind != SYT_PATH_HANDOVER) {
		syt_table_cell(t, "%s", "");
		return;
	}
	e = &o->edges.all[s->edge];
	syt_order_node_text(o, e->from, from, sizeof(from));
	if (e->object != SYT_NONE)
		object = syt_object_title_of(&o->objects, e->object);
	if (s->nr_candidates > 1)
		snprintf(several, sizeof(several), ", one of %" PRIu32 " possible%s",
		         s->nr_candidates, s->flags & SYT_PATH_CHOICE ? " (several threads)" : "");
	syt_table_cell(t, "%s from %s%s%s%s%s%s", syt_edge_kind_text(e->kind), from,
	               object[0] ? ", " : "", object,
	               e->class == SYT_CLASS_RUN_AFTER ? ", mutual exclusion" : "", several,
	               s->flags & SYT_PATH_INFERRED ? ", inferred" : "");
}

/* Writes the members of the happens-before edge of a hand-off between threads; they replace the member KEY. */
static void json_edge(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_path_segment *s = &row_of(c)->s;
	const struct syt_order *o = c->view->order;
	const struct syt_edge *e;

	if (s->kind != SYT_PATH_HANDOVER)
		return;
	e = &o->edges.all[s->edge];
	syt_json_place(j, "source", &o->places, e->from);
	syt_json_string(j, key, syt_edge_kind_text(e->kind));
	syt_json_string(j, "class", syt_edge_class_text(e->class));
	if (e->object != SYT_NONE)
		syt_json_object_of(j, "object", o, e->object);
	if (s->nr_candidates > 1) {
		syt_json_bool(j, "ambiguous", true);
		syt_json_u64(j, "candidates", s->nr_candidates);
		syt_json_bool(j, "choice", s->flags & SYT_PATH_CHOICE);
	}
	if (s->flags & SYT_PATH_INFERRED)
		syt_json_string(j, "confidence", "inferred");
}

static const struct syt_column_type after = {.text = text_after};
static const struct syt_column_type segment_thread = {.text = text_segment_thread};
static const struct syt_column_type segment_length = {.text = text_segment_length,
                                                      .json = json_segment_length};
static const struct syt_column_type path_error = {.json = json_path_error};
static const struct syt_column_type running = {.json = json_running};
static const struct syt_column_type edge = {.text = text_edge, .json = json_edge};

/* clang-format off */
#define PATH(member_)     offsetof(struct syt_path, member_)
#define REPORT(member_)   (offsetof(struct syt_path_report, member_) | SYT_OF_PARENT)
#define FUNCTION(member_) offsetof(struct syt_path_function, member_)
#define THREAD(member_)   offsetof(struct syt_path_thread, member_)
#define SEGMENT(member_)  offsetof(struct segment_row, member_)

#define KIND_COLUMNS(at_) \
	{NULL,           "by_kind_ns", &by_kind,         (at_)}, \
	{">BETWEEN CALLS", NULL,       &syt_column_time, (at_) + SYT_PATH_RUNNING * sizeof(syt_time)}, \
	{">IN CALLS",    NULL,         &syt_column_time, (at_) + SYT_PATH_CALL * sizeof(syt_time)}, \
	{">IN HAND-OFFS", NULL,        &syt_column_time, (at_) + SYT_PATH_HANDOVER * sizeof(syt_time)}, \
	{">?UNKNOWN",    NULL,         &syt_column_time, (at_) + SYT_PATH_UNKNOWN * sizeof(syt_time)}

/* In this listing, the parent of a row is the report. */
static const struct syt_column path_columns[] = {
	{NULL, "from",           &syt_column_place,  REPORT(from)},
	{NULL, "to",             &syt_column_place,  REPORT(to)},
	{NULL, "meets_from",     &syt_column_bool,   REPORT(meets_from)},
	{NULL, SYT_KEY("begin", "begin_ns"), &syt_column_instant, PATH(from)},
	{NULL, SYT_KEY("end", "end_ns"), &syt_column_instant, PATH(to)},
	{NULL, "dur",            &syt_column_length, PATH(from)},
	{NULL, SYT_HOST_ERROR_KEY, &path_error,      0},
	{NULL, "segments",       &syt_column_u64,    PATH(nr)},
	{NULL, "by_kind_ns",     &by_kind,           PATH(by_kind)},
	{NULL, "handed_over_ns", &by_class,          PATH(by_class)},
	{NULL, "handovers",      &syt_column_u64,    PATH(nr_handovers)},
	{NULL, SYT_KEY("ambiguous", "ambiguous_handovers"), &syt_column_u64,    PATH(nr_ambiguous)},
	{NULL, "choices",        &syt_column_u64,    PATH(nr_choices)},
	{NULL, SYT_KEY("inferred", "inferred_handovers"), &syt_column_u64,    PATH(nr_inferred)},
	{NULL, "unsure_ns",      &syt_column_time,   REPORT(unsure)},
	{NULL, "cpu_known_ns",   &cpu_known,         0},
	{NULL, "cpu_at_most_ns", &cpu_most,          0},
	{NULL, SYT_KEY("cpu", "cpu_use"),            &syt_column_cpu_use, REPORT(sum.cpu)},
};

static const struct syt_column function_columns[] = {
	{NULL,        "function", &syt_column_string, FUNCTION(name)},
	{"FUNCTION",  NULL,       &function_name,     FUNCTION(name)},
	{">TIME",     "ns",       &syt_column_time,   FUNCTION(time)},
	{">SHARE",    NULL,       &share,             FUNCTION(time)},
	{">?PARTS",   "segments", &syt_column_u64,    FUNCTION(nr)},
	KIND_COLUMNS(FUNCTION(by_kind)),
	{">ON CPU",   SYT_KEY("cpu", "cpu_use"),      &syt_column_cpu_use, FUNCTION(cpu)},
};

static const struct syt_column thread_columns[] = {
	SYT_THREAD_MEMBERS(THREAD(thread)),
	{"THREAD",  NULL,     &syt_column_named_thread, THREAD(thread)},
	{">TIME",   "ns",     &syt_column_time,         THREAD(time)},
	{">SHARE",  NULL,     &share,                   THREAD(time)},
	{">?VISITS", "visits", &syt_column_u64,          THREAD(nr_visits)},
	KIND_COLUMNS(THREAD(by_kind)),
	{">ON CPU", SYT_KEY("cpu", "cpu_use"),    &syt_column_cpu_use,      THREAD(cpu)},
};

#define SEGMENT_COLUMNS \
	{NULL,            SYT_KEY("kind", "segment_kind"), &kind_word,         0}, \
	SYT_THREAD_MEMBERS(SEGMENT(s.at.thread)), \
	{NULL,            "ts",          &syt_column_instant, SEGMENT(s.from)}, \
	{">AFTER",        NULL,          &after,             0}, \
	{">TIME",         "dur",         &segment_length,    0}

static const struct syt_column segment_columns[] = {
	SEGMENT_COLUMNS,
	{"THREAD",        NULL,          &segment_thread,    SEGMENT(s.at.thread)},
	{"KIND",          NULL,          &kind_title,        0},
	{">?ON CPU",      NULL,          &syt_column_cpu_use, SEGMENT(cpu)},
	{NULL,            "event",       &syt_column_place,  SEGMENT(s.at)},
	{"FUNCTION",      "function",    &syt_column_string, SEGMENT(function)},
	{"HAND-OFF",      NULL,          &edge,              0},
	{"CALL PATH",     "path",        &syt_column_path,   SEGMENT(side)},
	{NULL,            "after",       &running,           0},
	{NULL,            "edge",        &edge,              0},
	{NULL,            "stack",       &syt_column_stack,  SEGMENT(s.at)},
};

/* The columns of a segment without a known activity, for JSON. */
static const struct syt_column unknown_columns[] = {SEGMENT_COLUMNS};
/* clang-format on */

static const struct syt_listing path_listing = SYT_LISTING("path", path_columns);
static const struct syt_listing functions = SYT_LISTING("function", function_columns);
static const struct syt_listing threads = SYT_LISTING("thread", thread_columns);
static const struct syt_listing segments = SYT_LISTING("segment", segment_columns);

static const struct syt_listing unknown_segments = SYT_LISTING("segment", unknown_columns);

static void list_gap(struct syt_listing_writer *w, const struct syt_path *p, uint64_t from,
                     uint64_t to)
{
	struct segment_row row = {.nr_shorter = to - from, .side = SYT_NONE};

	if (from >= to)
		return;
	row.s.from = p->all[from].from;
	row.s.to = p->all[to - 1].to;
	syt_listing_row(w, &row, NULL);
}

static void list_segment(struct syt_listing_writer *w, const struct syt_path *p, uint64_t n)
{
	const struct syt_view *v = w->view;
	const struct syt_path_report *report = v->report;
	struct segment_row row = {.s = p->all[n], .side = SYT_NONE};

	if (!syt_path_is_unknown(row.s.kind)) {
		row.cpu = syt_path_cpu_use(&report->sum, &p->all[n]);
		row.side = syt_label_side(v->labels, row.s.at);
		row.function = syt_path_function(p, &p->all[n], v->symbols);
	}
	if (v->is_json && syt_path_is_unknown(row.s.kind))
		syt_listing_one(&unknown_segments, v, &row, NULL);
	else
		syt_listing_row(w, &row, NULL);
}

struct syt_html_span *syt_path_longest(const struct syt_path *p, uint64_t most, uint64_t *nr)
{
	struct syt_longest longest;

	syt_longest_open(&longest, most);
	for (uint64_t n = 0; n < p->nr; n++)
		syt_longest_add(&longest, (struct syt_html_span){.from = p->all[n].from,
		                                                 .to = p->all[n].to,
		                                                 .thread = (uint32_t)(n >> 32),
		                                                 .row = (uint32_t)n});
	return syt_longest_take(&longest, nr);
}

/* Lists the longest segments of the path in the order of time, and the gaps between them. */
static void list_longest(const struct syt_view *of, const struct syt_path *p)
{
	struct syt_view v = *of;
	struct syt_listing_writer w;
	uint64_t nr, next = 0;
	struct syt_html_span *all = syt_path_longest(p, v.limit, &nr);

	v.limit = 0;
	syt_listing_begin(&w, &segments, &v);
	for (uint64_t n = 0; n < nr; n++) {
		uint64_t number = syt_path_segment_number(&all[n]);

		list_gap(&w, p, next, number);
		list_segment(&w, p, number);
		next = number + 1;
	}
	list_gap(&w, p, next, p->nr);
	syt_listing_end(&w);
	syt_store_free(all);
}

static void list_segments(const struct syt_view *v, const struct syt_path *p)
{
	struct syt_listing_writer w;

	if (v->limit && v->limit < p->nr) {
		list_longest(v, p);
		return;
	}
	syt_listing_begin(&w, &segments, v);
	SYT_EACH_FAR(n, 0, p->nr) {
		if (v->out->is_closed)
			break;
		list_segment(&w, p, n);
	}
	syt_listing_end(&w);
}

static void put_stacks(const struct syt_view *v, const struct syt_path_report *r)
{
	const struct syt_places *places = &v->order->places;

	for (size_t i = 0; i < r->sum.nr_parts && (!v->limit || i < v->limit); i++) {
		const struct syt_path_part *p = &r->sum.parts[i];
		struct syt_place at = r->path.all[p->longest].at;
		struct syt_out words;

		if (syt_path_is_unknown(p->kind))
			continue;
		syt_out_char(v->out, '\n');
		syt_wrap_begin(&words, v->out);
		syt_path_put_part(&words, v, &r->path, p);
		syt_out_string(&words, ", for example ");
		syt_view_put_event(v, &words, at);
		syt_wrap_end_lines(&words, v->out);
		syt_print_stack(v->out, v->symbols, syt_place_image(places, at),
		                syt_place_row(places, at)->stack, "        ");
	}
}

void syt_path_list(const struct syt_view *v)
{
	const struct syt_path_report *r = v->report;
	const struct syt_path_sum *s = &r->sum;

	syt_coverage_begin(v->out, v->order, v->is_json);
	if (v->is_json) {
		if (r->request)
			syt_request_json(v);
		syt_listing_one(&path_listing, v, &r->path, r);
	} else {
		if (r->request)
			syt_view_put_wrapped(v, syt_request_sentences);
		syt_view_put_wrapped(v, syt_path_headline);
		syt_view_put_wrapped(v, syt_path_certainty);
		syt_out_char(v->out, '\n');
		syt_view_put_wrapped(v, syt_path_findings);
		syt_out_char(v->out, '\n');
	}
	syt_listing_all(&functions, v, s->functions, s->nr_functions, sizeof(*s->functions), NULL);
	if (!v->is_json)
		syt_out_char(v->out, '\n');
	syt_listing_all(&threads, v, s->threads, s->nr_threads, sizeof(*s->threads), NULL);
	if (!v->is_json)
		syt_out_char(v->out, '\n');
	list_segments(v, &r->path);
	if (v->has_stacks && !v->is_json)
		put_stacks(v, r);
	syt_coverage_end(v->out, v->order, v->is_json);
}
