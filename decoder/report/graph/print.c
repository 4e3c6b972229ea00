/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/graph/view.h"

#include <inttypes.h>
#include <stdio.h>

#include "decoder/show/listing.h"
#include "decoder/show/print.h"

#define MOST_NAME_BYTES                                                                            \
	60u /* maximum of bytes of a line in a node; longer names (of C++) are cut */

/* ---- DOT ---- */

void syt_graph_put_quoted(struct syt_out *out, const char *text, size_t most)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
	const unsigned char *stop = most && (size_t)(end - p) > most ? p + most : end;

	while (p < stop) {
		uint32_t code;
		unsigned bytes = syt_utf8(p, end, &code);

		if (*p == '"' || *p == '\\') {
			syt_out_char(out, '\\');
			syt_out_char(out, (char)*p);
		} else if (!bytes || code < 0x20 || code == 0x7f) {
			syt_out_char(out, '?');
		} else {
			syt_out_bytes(out, p, bytes);
		}
		p += bytes ? bytes : 1;
	}
	if (stop < end)
		syt_out_string(out, "...");
}

/* Writes the last two functions of the call path SIDE: "serve\nread". */
static void put_side(struct syt_out *out, const char *side)
{
	const char *call = syt_label_short(side, 1), *fn = syt_label_short(side, 2);

	if (fn < call) {
		char name[MOST_NAME_BYTES + 4];
		size_t bytes = (size_t)(call - fn) - 1;

		snprintf(name, sizeof(name), "%.*s",
		         (int)(bytes < sizeof(name) ? bytes : sizeof(name)), fn);
		syt_graph_put_quoted(out, name, MOST_NAME_BYTES);
		syt_out_string(out, "\\n");
	}
	syt_graph_put_quoted(out, call, MOST_NAME_BYTES);
}

static void node_id(const struct syt_graph_view *v, uint64_t n, char *text, size_t bytes)
{
	if (v->is_aggregated)
		snprintf(text, bytes, "L%" PRIu64, n);
	else
		syt_order_node_text(v->order, v->graph->nodes[n].begin, text, bytes);
}

static void dot_node(struct syt_out *out, const struct syt_graph_view *v, uint64_t n)
{
	const struct syt_graph_node *node = &v->graph->nodes[n];
	char id[SYT_NODE_TEXT];

	node_id(v, n, id, sizeof(id));
	syt_out_printf(out, "\t\"%s\" [label=\"", id);
	if (node->is_round) {
		syt_out_string(out, "all arrive\\n");
		put_side(out, syt_label_own_begin(v->labels, node->label));
		syt_out_string(out, "\", shape=diamond");
	} else {
		put_side(out, syt_label_own_begin(v->labels, node->label));
		syt_out_string(out, "\\n\xe2\x86\x93\\n");
		put_side(out, syt_label_own_end(v->labels, node->label));
		syt_out_string(out, "\\n");
		if (node->nr > 1)
			syt_out_printf(out, "%" PRIu64 " times, ", node->nr);
		syt_print_span(out, node->total_ns);
		syt_out_char(out, '"');
	}
	syt_out_string(out, "];\n");
}

static void dot_arc(struct syt_out *out, const struct syt_graph_view *v, const struct syt_arc *a)
{
	char from[SYT_NODE_TEXT], to[SYT_NODE_TEXT];

	node_id(v, a->from, from, sizeof(from));
	node_id(v, a->to, to, sizeof(to));
	syt_out_printf(out, "\t\"%s\" -> \"%s\" [", from, to);
	if (a->kind == SYT_EDGE_PROGRAM) {
		syt_out_string(out, "color=gray60, weight=3");
		if (a->nr > 1)
			syt_out_printf(out, ", label=\"%" PRIu64 "\"", a->nr);
	} else {
		syt_out_printf(out, "label=\"%s", syt_edge_kind_text(a->kind));
		if (a->nr > 1)
			syt_out_printf(out, " %" PRIu64, a->nr);
		syt_out_string(out, a->is_ambiguous ? " ?\"" : "\"");
		if (a->class == SYT_CLASS_RUN_AFTER)
			syt_out_string(out, ", style=dashed, color=gray40, constraint=false");
		else
			syt_out_printf(out, ", color=\"#1f5fa8\"%s",
			               a->is_ambiguous ? ", style=dotted" : "");
	}
	syt_out_string(out, "];\n");
}

void syt_graph_dot(struct syt_out *out, const struct syt_graph_view *v)
{
	const struct syt_graph *g = v->graph;

	syt_out_string(
		out,
		"digraph tasks {\n"
		"\tgraph [rankdir=TB, fontname=\"sans-serif\", labelloc=t, nodesep=0.25, "
		"ranksep=0.45, label=\"Leaf tasks. Gray: order within a thread; blue: causal edge; "
		"dashed: order by mutual exclusion");
	if (g->nr_left_nodes || g->nr_left_arcs) {
		syt_out_printf(out, "\\nNot shown: %" PRIu64 " nodes (", g->nr_left_nodes);
		syt_print_span(out, g->left_ns);
		syt_out_printf(out, "), %" PRIu64 " arcs", g->nr_left_arcs);
	}
	syt_out_string(out, "\"];\n"
	                    "\tnode [shape=box, style=\"rounded,filled\", fillcolor=\"#f4f6f8\", "
	                    "color=\"#7a8794\", fontname=\"sans-serif\", fontsize=10];\n"
	                    "\tedge [fontname=\"sans-serif\", fontsize=9];\n");
	for (uint64_t i = 0; i < g->nr_nodes && !out->is_closed; i++)
		dot_node(out, v, i);
	for (uint64_t i = 0; i < g->nr_arcs && !out->is_closed; i++)
		dot_arc(out, v, &g->arcs[i]);
	syt_out_string(out, "}\n");
}

/* ---- JSON and tables ---- */

static const struct syt_graph_view *graph_of(const struct syt_cell *c)
{
	return c->view->report;
}

/* Returns the id of node N in a buffer that the next call overwrites. */
static const char *word_id(const struct syt_cell *c, uint64_t n)
{
	static char id[SYT_NODE_TEXT];

	node_id(graph_of(c), n, id, sizeof(id));
	return id;
}

SYT_COLUMN_WORD(type_node_id, struct syt_graph_node,
                word_id(c, (uint64_t)(r - graph_of(c)->graph->nodes)));
SYT_COLUMN_WORD(type_node_type, struct syt_graph_node, r->is_round ? "barrier" : "task");
SYT_COLUMN_WORD(type_from, struct syt_arc, word_id(c, r->from));
SYT_COLUMN_WORD(type_to, struct syt_arc, word_id(c, r->to));
SYT_COLUMN_WORD(type_class, struct syt_arc, syt_edge_class_text(r->class));

/* Writes the time of a node that is a single task. A node that stands for several tasks has no time. */
static void json_ts(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	if (!graph_of(c)->is_aggregated)
		syt_json_time(j, key, SYT_TIME_NS(*(const syt_time *)c->field));
}

static const char *word_kind(const struct syt_cell *c)
{
	return syt_edge_kind_text(((const struct syt_arc *)c->row)->kind);
}

static void text_kind(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_arc *a = c->row;

	syt_table_cell(t, "%s%s", word_kind(c), a->is_ambiguous ? " ?" : "");
}

static void json_ambiguous(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	if (*(const bool *)c->field)
		syt_json_bool(j, key, true);
}

static const struct syt_column_type type_ts = {.json = json_ts};
static const struct syt_column_type type_kind = {.text = text_kind, .word = word_kind};
static const struct syt_column_type type_ambiguous = {.json = json_ambiguous};

/* clang-format off */
#define NODE(member_) offsetof(struct syt_graph_node, member_)
static const struct syt_column node_columns[] = {
	{"TASK",         SYT_KEY("id", "node"), &type_node_id,           0},
	{NULL,           SYT_KEY("type", "node_type"), &type_node_type,         0},
	{NULL,           "label", &syt_column_label,       NODE(label)},
	{">COUNT",       "count", &syt_column_u64,         NODE(nr)},
	{">TOTAL",       "total", &syt_column_ns,          NODE(total_ns)},
	{NULL,           "max",   &syt_column_ns,          NODE(max_ns)},
	{NULL,           "ts",    &type_ts,                NODE(at)},
	{"BEGINS AFTER", NULL,    &syt_column_label_begin, NODE(label)},
	{"ENDS AT",      NULL,    &syt_column_label_end,   NODE(label)},
};

#define ARC(member_) offsetof(struct syt_arc, member_)
static const struct syt_column arc_columns[] = {
	{"FROM",   SYT_KEY("from", "from_node"), &type_from,      0},
	{"TO",     SYT_KEY("to", "to_node"), &type_to,        0},
	{"KIND",   "kind",      &type_kind,      0},
	{"CLASS",  "class",     &type_class,     0},
	{">COUNT", "count",     &syt_column_u64, ARC(nr)},
	{NULL,     "ambiguous", &type_ambiguous, ARC(is_ambiguous)},
};
/* clang-format on */

static const struct syt_listing nodes = SYT_LISTING(NULL, node_columns);
static const struct syt_listing arcs = SYT_LISTING(NULL, arc_columns);

static void json_array(struct syt_json *j, const char *key, const struct syt_listing *l,
                       const struct syt_view *v, const void *rows, uint64_t nr, size_t stride)
{
	syt_json_begin(j, key, '[');
	for (uint64_t i = 0; i < nr && !j->out->is_closed; i++) {
		syt_json_begin(j, NULL, '{');
		syt_listing_members(l, v, j, (const char *)rows + i * stride, NULL);
		syt_json_end(j);
	}
	syt_json_end(j);
}

void syt_graph_json(struct syt_out *out, const struct syt_graph_view *graph)
{
	const struct syt_view v = {.out = out, .labels = graph->labels, .report = graph};
	const struct syt_graph *g = graph->graph;
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "graph");
	json_array(&j, "nodes", &nodes, &v, g->nodes, g->nr_nodes, sizeof(*g->nodes));
	json_array(&j, "arcs", &arcs, &v, g->arcs, g->nr_arcs, sizeof(*g->arcs));
	syt_json_begin(&j, "left_out", '{');
	syt_json_u64(&j, "nodes", g->nr_left_nodes);
	syt_json_u64(&j, "arcs", g->nr_left_arcs);
	syt_json_u64(&j, "total", g->left_ns);
	syt_json_end(&j);
	syt_json_end_line(&j);
}

void syt_graph_text(struct syt_out *out, const struct syt_graph_view *graph)
{
	const struct syt_view v = {.out = out, .labels = graph->labels, .report = graph};
	const struct syt_graph *g = graph->graph;

	syt_listing_all(&nodes, &v, g->nodes, g->nr_nodes, sizeof(*g->nodes), NULL);
	syt_out_char(out, '\n');
	syt_listing_all(&arcs, &v, g->arcs, g->nr_arcs, sizeof(*g->arcs), NULL);
	if (g->nr_left_nodes)
		syt_out_printf(out,
		               "\nNot shown (--limit): %" PRIu64 " tasks or labels, %" PRIu64
		               " arcs\n",
		               g->nr_left_nodes, g->nr_left_arcs);
}
