/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/graph/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "decoder/show/print.h"
#include "base/table.h"

#define MOST_NAME_BYTES 60u /* of one line in a node; longer names (C++) are cut */

/* ---- DOT ---- */

/* Text from a dump inside of a quoted string. */
static void put_quoted(struct syt_out *out, const char *text, size_t most)
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

/* "serve\nread", the last two parts of one side. */
static void put_side(struct syt_out *out, const char *side)
{
	const char *call = syt_label_short(side, 1), *fn = syt_label_short(side, 2);

	if (fn < call) {
		char name[MOST_NAME_BYTES + 4];
		size_t bytes = (size_t)(call - fn) - 1;

		snprintf(name, sizeof(name), "%.*s",
		         (int)(bytes < sizeof(name) ? bytes : sizeof(name)), fn);
		put_quoted(out, name, MOST_NAME_BYTES);
		syt_out_string(out, "\\n");
	}
	put_quoted(out, call, MOST_NAME_BYTES);
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
		put_side(out, syt_label_begin(v->labels, node->label));
		syt_out_string(out, "\", shape=diamond");
	} else {
		put_side(out, syt_label_begin(v->labels, node->label));
		syt_out_string(out, "\\n\xe2\x86\x93\\n");
		put_side(out, syt_label_end(v->labels, node->label));
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

	syt_out_string(out,
	               "digraph tasks {\n"
	               "\tgraph [rankdir=TB, fontname=\"sans-serif\", labelloc=t, nodesep=0.25, "
	               "ranksep=0.45, label=\"Leaf tasks: gray, one thread's order; blue, causes; "
	               "dashed, run after by mutual exclusion");
	if (g->nr_left_nodes || g->nr_left_arcs) {
		syt_out_printf(out, "\\nleft out: %" PRIu64 " nodes (", g->nr_left_nodes);
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

/* ---- JSON ---- */

static void put_piece(struct syt_out *out, const char *text)
{
	struct syt_json j = {.out = out};

	syt_json_piece(&j, text, strlen(text));
}

void syt_graph_json(struct syt_out *out, const struct syt_graph_view *v)
{
	const struct syt_graph *g = v->graph;
	struct syt_json j = {.out = out};
	char id[SYT_NODE_TEXT];

	syt_json_begin_line(&j, NULL);
	syt_json_begin(&j, "nodes", '[');
	for (uint64_t i = 0; i < g->nr_nodes && !out->is_closed; i++) {
		const struct syt_graph_node *n = &g->nodes[i];

		syt_json_begin(&j, NULL, '{');
		node_id(v, i, id, sizeof(id));
		syt_json_string(&j, "id", id);
		syt_json_string(&j, "type", n->is_round ? "barrier" : "task");
		syt_json_open_string(&j, "label");
		syt_label_text(v->labels, n->label, out, put_piece);
		syt_json_close_string(&j);
		syt_json_u64(&j, "count", n->nr);
		syt_json_u64(&j, "total", n->total_ns);
		syt_json_u64(&j, "max", n->max_ns);
		if (!v->is_aggregated)
			syt_json_u64(&j, "ts", SYT_TIME_NS(n->at));
		syt_json_end(&j);
	}
	syt_json_end(&j);
	syt_json_begin(&j, "arcs", '[');
	for (uint64_t i = 0; i < g->nr_arcs && !out->is_closed; i++) {
		const struct syt_arc *a = &g->arcs[i];

		syt_json_begin(&j, NULL, '{');
		node_id(v, a->from, id, sizeof(id));
		syt_json_string(&j, "from", id);
		node_id(v, a->to, id, sizeof(id));
		syt_json_string(&j, "to", id);
		syt_json_string(&j, "kind", syt_edge_kind_text(a->kind));
		syt_json_string(&j, "class", syt_edge_class_text(a->class));
		syt_json_u64(&j, "count", a->nr);
		if (a->is_ambiguous)
			syt_json_bool(&j, "ambiguous", true);
		syt_json_end(&j);
	}
	syt_json_end(&j);
	syt_json_begin(&j, "left_out", '{');
	syt_json_u64(&j, "nodes", g->nr_left_nodes);
	syt_json_u64(&j, "arcs", g->nr_left_arcs);
	syt_json_u64(&j, "total", g->left_ns);
	syt_json_end(&j);
	syt_json_end_line(&j);
}

/* ---- tables ---- */

static void text_nodes(struct syt_out *out, const struct syt_graph_view *v)
{
	struct syt_table *t =
		syt_table_create("TASK", ">COUNT", ">TOTAL", "BEGINS AFTER", "ENDS AT", NULL);
	char id[SYT_NODE_TEXT];

	for (uint64_t i = 0; i < v->graph->nr_nodes; i++) {
		const struct syt_graph_node *n = &v->graph->nodes[i];
		const char *end = syt_label_end(v->labels, n->label);

		node_id(v, i, id, sizeof(id));
		syt_table_row(t);
		syt_table_cell(t, "%s", id);
		syt_table_cell(t, "%" PRIu64, n->nr);
		syt_table_span(t, n->total_ns);
		syt_table_cell(t, "%s", syt_label_short(syt_label_begin(v->labels, n->label), 2));
		syt_table_cell(t, "%s", end ? syt_label_short(end, 2) : "(all arrive)");
	}
	syt_table_end(t, out);
}

void syt_graph_text(struct syt_out *out, const struct syt_graph_view *v)
{
	struct syt_table *t = syt_table_create("FROM", "TO", "KIND", "CLASS", ">COUNT", NULL);
	char id[SYT_NODE_TEXT];

	text_nodes(out, v);
	syt_out_char(out, '\n');
	for (uint64_t i = 0; i < v->graph->nr_arcs; i++) {
		const struct syt_arc *a = &v->graph->arcs[i];

		syt_table_row(t);
		node_id(v, a->from, id, sizeof(id));
		syt_table_cell(t, "%s", id);
		node_id(v, a->to, id, sizeof(id));
		syt_table_cell(t, "%s", id);
		syt_table_cell(t, "%s%s", syt_edge_kind_text(a->kind), a->is_ambiguous ? " ?" : "");
		syt_table_cell(t, "%s", syt_edge_class_text(a->class));
		syt_table_cell(t, "%" PRIu64, a->nr);
	}
	syt_table_end(t, out);
	if (v->graph->nr_left_nodes)
		syt_out_printf(out, "\nleft out: %" PRIu64 " tasks or labels, %" PRIu64 " arcs\n",
		               v->graph->nr_left_nodes, v->graph->nr_left_arcs);
}
