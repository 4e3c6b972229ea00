/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The listings of a critical path, as tables and as JSON lines. */
#include <inttypes.h>
#include <stdio.h>

#include "decoder/read/call.h"
#include "decoder/report/critical_path/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/wrap.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"

/* A row of the segments: one segment, or in text a gap of NR_SHORTER segments. */
struct segment_row {
	struct syt_path_segment s;
	uint64_t nr_shorter; /* 0: one segment */
};

static const struct segment_row *row_of(const struct syt_cell *c)
{
	return c->row;
}

static bool is_known(const struct segment_row *r)
{
	return !r->nr_shorter && r->s.kind != SYT_PATH_UNKNOWN;
}

static const struct syt_path *path_of(const struct syt_cell *c)
{
	return ((const struct syt_path_report *)c->view->report)->path;
}

/* ---- types of columns ---- */

static void json_by_kind(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const syt_time *by_kind = c->field;

	syt_json_begin(j, key, '{');
	for (unsigned k = 0; k < SYT_NR_PATH_KINDS; k++)
		syt_json_u64(j, syt_path_word(k), SYT_TIME_NS(by_kind[k]));
	syt_json_end(j);
}

static void json_by_class(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const syt_time *by_class = c->field;

	syt_json_begin(j, key, '{');
	for (unsigned n = 0; n < SYT_NR_CLASSES; n++)
		if (n != SYT_CLASS_INFERRED)
			syt_json_u64(j, syt_edge_class_text(n), SYT_TIME_NS(by_class[n]));
	syt_json_end(j);
}

SYT_COLUMN_NS(cpu_known, void,
              SYT_TIME_NS(((const struct syt_path_report *)c->parent)->sum->cpu_of));
SYT_COLUMN_NS(cpu_most, void, ((const struct syt_path_report *)c->parent)->sum->cpu_ns);

static void text_share(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_path *p = path_of(c);

	syt_table_cell(t, "%.1f %%", syt_percent(*(const syt_time *)c->field, p->to - p->from));
}

static void text_function_name(struct syt_table *t, const struct syt_cell *c)
{
	const char *name = *(const char *const *)c->field;

	syt_table_cell(t, "%s", name ? name : "(no call stack, or hand-offs)");
}

static void text_after(struct syt_table *t, const struct syt_cell *c)
{
	uint64_t ns = SYT_TIME_NS(row_of(c)->s.from) - SYT_TIME_NS(path_of(c)->from);

	if (row_of(c)->nr_shorter)
		syt_table_cell(t, "...");
	else
		syt_table_cell(t, "+%" PRIu64 ".%06" PRIu64, ns / 1000000000,
		               ns % 1000000000 / 1000);
}

static void text_segment_thread(struct syt_table *t, const struct syt_cell *c)
{
	if (row_of(c)->nr_shorter)
		syt_table_cell(t, "%" PRIu64 " shorter", row_of(c)->nr_shorter);
	else
		syt_column_named_thread.text(t, c);
}

static const char *word_segment_kind(const struct syt_cell *c)
{
	return row_of(c)->nr_shorter ? NULL : syt_path_word(row_of(c)->s.kind);
}

/* The same, except in the JSON contract, where the word stays as it was. */
static void text_segment_kind(struct syt_table *t, const struct syt_cell *c)
{
	const char *word = word_segment_kind(c);

	if (word && row_of(c)->s.kind == SYT_PATH_HANDOVER)
		word = "hand-off";
	syt_table_cell(t, "%s", word ? word : "");
}

static void json_segment_kind(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_string(j, key, word_segment_kind(c));
}

static void text_cpu(struct syt_table *t, const struct syt_cell *c)
{
	uint64_t ns = is_known(row_of(c)) ? syt_path_cpu_ns(path_of(c), &row_of(c)->s)
	                                  : SYT_PATH_CPU_UNKNOWN;

	syt_table_span(t, ns == SYT_PATH_CPU_UNKNOWN ? 0 : ns);
}

static void json_cpu(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	uint64_t ns = syt_path_cpu_ns(path_of(c), &row_of(c)->s);

	if (row_of(c)->s.kind != SYT_PATH_RUNNING)
		return;
	if (ns == SYT_PATH_CPU_UNKNOWN)
		syt_json_null(j, key);
	else
		syt_json_u64(j, key, ns);
}

static const char *word_segment_function(const struct syt_cell *c)
{
	return is_known(row_of(c)) ? syt_path_function(path_of(c), &row_of(c)->s, c->view->symbols)
	                           : NULL;
}

static void json_segment_function(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	if (is_known(row_of(c)))
		syt_json_string(j, key, word_segment_function(c));
}

static void text_segment_path(struct syt_table *t, const struct syt_cell *c)
{
	uint32_t side =
		is_known(row_of(c)) ? syt_label_side(c->view->labels, row_of(c)->s.at) : SYT_NONE;

	syt_table_cell(t, "%s", syt_view_path(c->view, side));
}

static void json_segment_path(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	if (is_known(row_of(c)))
		syt_json_side(j, key, c->view->labels,
		              syt_label_side(c->view->labels, row_of(c)->s.at));
}

static void json_segment_event(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	if (is_known(row_of(c)))
		syt_column_place.json(j, key, c);
}

static void json_after(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_path_segment *s = &row_of(c)->s;

	if (s->kind == SYT_PATH_RUNNING)
		syt_json_place(j, key, &c->view->order->places,
		               (struct syt_place){s->at.thread, s->begin});
}

static void json_segment_stack(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	if (is_known(row_of(c)))
		syt_column_stack.json(j, key, c);
}

static void text_edge(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_path_segment *s = &row_of(c)->s;
	const struct syt_order *o = c->view->order;
	char from[SYT_NODE_TEXT], object[SYT_OBJECT_TEXT] = "", several[64] = "";
	const struct syt_edge *e;

	if (row_of(c)->nr_shorter || s->kind != SYT_PATH_HANDOVER) {
		syt_table_cell(t, "%s", "");
		return;
	}
	e = &o->edges.all[s->edge];
	syt_order_node_text(o, e->from, from, sizeof(from));
	if (e->object != SYT_NONE)
		syt_object_text(o->objects.all[e->object].info, object, sizeof(object));
	if (s->nr_candidates > 1)
		snprintf(several, sizeof(several), ", one of %" PRIu32 " possible%s",
		         s->nr_candidates, s->flags & SYT_PATH_CHOICE ? " (several threads)" : "");
	syt_table_cell(t, "%s from %s%s%s%s%s%s", syt_edge_kind_text(e->kind), from,
	               object[0] ? ", " : "", object,
	               e->class == SYT_CLASS_RUN_AFTER ? ", mutual exclusion" : "", several,
	               s->flags & SYT_PATH_INFERRED ? ", inferred" : "");
}

/* Writes the members of the edge of a hand-off; none has the key. */
static void json_edge(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_path_segment *s = &row_of(c)->s;
	const struct syt_order *o = c->view->order;
	const struct syt_edge *e;
	char object[SYT_OBJECT_TEXT];

	if (s->kind != SYT_PATH_HANDOVER)
		return;
	e = &o->edges.all[s->edge];
	syt_json_place(j, "source", &o->places, e->from);
	syt_json_string(j, key, syt_edge_kind_text(e->kind));
	syt_json_string(j, "class", syt_edge_class_text(e->class));
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

static const struct syt_column_type by_kind = {.json = json_by_kind};
static const struct syt_column_type by_class = {.json = json_by_class};
static const struct syt_column_type share = {.text = text_share};
static const struct syt_column_type function_name = {.text = text_function_name};
static const struct syt_column_type after = {.text = text_after, .json = json_after};
static const struct syt_column_type segment_thread = {.text = text_segment_thread};
static const struct syt_column_type segment_kind = {.text = text_segment_kind,
                                                    .json = json_segment_kind};
static const struct syt_column_type cpu = {.text = text_cpu, .json = json_cpu};
static const struct syt_column_type segment_function = {.word = word_segment_function,
                                                        .json = json_segment_function};
static const struct syt_column_type segment_path = {.text = text_segment_path,
                                                    .json = json_segment_path};
static const struct syt_column_type segment_event = {.json = json_segment_event};
static const struct syt_column_type segment_stack = {.json = json_segment_stack};
static const struct syt_column_type edge = {.text = text_edge, .json = json_edge};

/* ---- listings ---- */

/* clang-format off */
#define PATH(member_)     offsetof(struct syt_path, member_)
#define REPORT(member_)   (offsetof(struct syt_path_report, member_) | SYT_OF_PARENT)
#define FUNCTION(member_) offsetof(struct syt_path_function, member_)
#define THREAD(member_)   offsetof(struct syt_path_thread, member_)
#define SEGMENT(member_)  offsetof(struct segment_row, s.member_)

#define KIND_COLUMNS(at_) \
	{NULL,           "by_kind_ns", &by_kind,         (at_)}, \
	{">RUNNING",     NULL,         &syt_column_time, (at_) + SYT_PATH_RUNNING * sizeof(syt_time)}, \
	{">IN CALLS",    NULL,         &syt_column_time, (at_) + SYT_PATH_CALL * sizeof(syt_time)}, \
	{">IN HAND-OFFS", NULL,        &syt_column_time, (at_) + SYT_PATH_HANDOVER * sizeof(syt_time)}, \
	{">UNKNOWN",     NULL,         &syt_column_time, (at_) + SYT_PATH_UNKNOWN * sizeof(syt_time)}

/* The parent is the report. */
static const struct syt_column path_columns[] = {
	{NULL, "from",           &syt_column_place,  REPORT(from)},
	{NULL, "to",             &syt_column_place,  REPORT(to)},
	{NULL, "meets_from",     &syt_column_bool,   REPORT(meets_from)},
	{NULL, "begin",          &syt_column_time,   PATH(from)},
	{NULL, "end",            &syt_column_time,   PATH(to)},
	{NULL, "dur",            &syt_column_length, PATH(from)},
	{NULL, "segments",       &syt_column_u64,    PATH(nr)},
	{NULL, "by_kind_ns",     &by_kind,           PATH(by_kind)},
	{NULL, "handed_over_ns", &by_class,          PATH(by_class)},
	{NULL, "handovers",      &syt_column_u64,    PATH(nr_handovers)},
	{NULL, "ambiguous",      &syt_column_u64,    PATH(nr_ambiguous)},
	{NULL, "choices",        &syt_column_u64,    PATH(nr_choices)},
	{NULL, "inferred",       &syt_column_u64,    PATH(nr_inferred)},
	{NULL, "unsure_ns",      &syt_column_time,   REPORT(unsure)},
	{NULL, "cpu_known_ns",   &cpu_known,         0},
	{NULL, "cpu_at_most_ns", &cpu_most,          0},
};

static const struct syt_column function_columns[] = {
	{NULL,        "function", &syt_column_string, FUNCTION(name)},
	{"FUNCTION",  NULL,       &function_name,     FUNCTION(name)},
	{">TIME",     "ns",       &syt_column_time,   FUNCTION(time)},
	{">SHARE",    NULL,       &share,             FUNCTION(time)},
	{">SEGMENTS", "segments", &syt_column_u64,    FUNCTION(nr)},
	KIND_COLUMNS(FUNCTION(by_kind)),
};

static const struct syt_column thread_columns[] = {
	SYT_THREAD_MEMBERS(THREAD(thread)),
	{"THREAD",  NULL,     &syt_column_named_thread, THREAD(thread)},
	{">TIME",   "ns",     &syt_column_time,         THREAD(time)},
	{">SHARE",  NULL,     &share,                   THREAD(time)},
	{">VISITS", "visits", &syt_column_u64,          THREAD(nr_visits)},
	KIND_COLUMNS(THREAD(by_kind)),
};

static const struct syt_column segment_columns[] = {
	{NULL,            "kind",        &segment_kind,      0},
	SYT_THREAD_MEMBERS(SEGMENT(at.thread)),
	{NULL,            "ts",          &syt_column_time,   SEGMENT(from)},
	{">AFTER",        NULL,          &after,             0},
	{">TIME",         "dur",         &syt_column_length, SEGMENT(from)},
	{"THREAD",        NULL,          &segment_thread,    SEGMENT(at.thread)},
	{"KIND",          NULL,          &segment_kind,      0},
	{">CPU",          NULL,          &cpu,               0},
	{NULL,            "event",       &segment_event,     SEGMENT(at)},
	{"FUNCTION",      "function",    &segment_function,  0},
	{"HAND-OFF",      NULL,          &edge,              0},
	{"CALL PATH",     "path",        &segment_path,      0},
	{NULL,            "after",       &after,             0},
	{NULL,            "cpu_at_most", &cpu,               0},
	{NULL,            "edge",        &edge,              0},
	{NULL,            "stack",       &segment_stack,     SEGMENT(at)},
};
/* clang-format on */

static const struct syt_listing path_listing = SYT_LISTING("path", path_columns);
static const struct syt_listing functions = SYT_LISTING("function", function_columns);
static const struct syt_listing threads = SYT_LISTING("thread", thread_columns);
static const struct syt_listing segments = SYT_LISTING("segment", segment_columns);

static void list_gap(struct syt_listing_writer *w, const struct syt_path *p, uint64_t from,
                     uint64_t to)
{
	if (from < to)
		syt_listing_row(
			w,
			&(struct segment_row){{.from = p->all[from].from, .to = p->all[to - 1].to},
		                              to - from},
			NULL);
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

/* Lists the longest segments in the order of time, and between them the gaps. */
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
		syt_listing_row(&w, &(struct segment_row){p->all[number], 0}, NULL);
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
		syt_listing_row(&w, &(struct segment_row){p->all[n], 0}, NULL);
	}
	syt_listing_end(&w);
}

static void put_stacks(const struct syt_view *v, const struct syt_path_report *r)
{
	const struct syt_places *places = &v->order->places;

	for (size_t i = 0; i < r->sum->nr_parts && (!v->limit || i < v->limit); i++) {
		const struct syt_path_part *p = &r->sum->parts[i];
		struct syt_place at = r->path->all[p->longest].at;
		struct syt_out words;

		if (p->kind == SYT_PATH_UNKNOWN)
			continue;
		syt_out_char(v->out, '\n');
		syt_wrap_begin(&words, v->out);
		syt_path_put_part(&words, v, p);
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
	const struct syt_path_sum *s = r->sum;

	if (v->is_json) {
		syt_coverage_json(v->out, v->order);
		if (r->request)
			syt_request_json(v);
		syt_listing_one(&path_listing, v, r->path, r);
	} else {
		syt_coverage_line(v->out, v->order);
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
	list_segments(v, r->path);
	if (v->has_stacks && !v->is_json)
		put_stacks(v, r);
}
