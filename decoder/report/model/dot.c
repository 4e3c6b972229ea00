/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The model as DOT: a task is a cluster, a part that is a leaf is a node. */
#include <inttypes.h>
#include <stdlib.h>

#include "decoder/report/graph/view.h"
#include "decoder/report/model/boxes.h"

#define MOST "color=\"#b3261e\", penwidth=2, " /* a part that takes most of the time */
#define MOST_LINE_BYTES 80u /* maximum of bytes of a line in a box; longer names (of C++) are cut */

/* Writes LINES in a quoted string. */
static void put_lines(struct syt_out *out, char *lines)
{
	for (char *line = lines, *end; line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		syt_graph_put_quoted(out, line, MOST_LINE_BYTES);
		syt_out_string(out, end ? "\\n" : "");
	}
}

/* Returns the first or the last leaf inside of BOX, between which graphviz draws the arcs of BOX. */
static uint32_t leaf_of(const struct syt_model_boxes *b, uint32_t box, bool is_last)
{
	while (b->all[box].nr)
		box = b->all[box].first + (is_last ? b->all[box].nr - 1 : 0);
	return box;
}

static void put_line(struct syt_out *out, const struct syt_model_boxes *b,
                     const struct syt_model_line *l)
{
	/* graphviz draws no arc from a cluster to itself, so the arc leads from its last leaf to its first leaf */
	bool is_loop = l->from == l->to;

	syt_out_printf(out, "\tb%" PRIu32 " -> b%" PRIu32 " [label=\"",
	               leaf_of(b, l->from, is_loop), leaf_of(b, l->to, false));
	syt_model_line_text(out, l->arc);
	syt_out_string(out, "\"");
	if (b->all[l->from].nr && !is_loop)
		syt_out_printf(out, ", ltail=cluster_%" PRIu32, l->from);
	if (b->all[l->to].nr && !is_loop)
		syt_out_printf(out, ", lhead=cluster_%" PRIu32, l->to);
	if (l->arc->is_across)
		syt_out_string(out, ", style=dashed");
	if (l->arc->is_inferred)
		syt_out_string(out, ", color=\"#b35c00\", fontcolor=\"#b35c00\"");
	else if (!l->arc->is_start)
		syt_out_string(out, ", color=gray55, fontcolor=gray40");
	syt_out_string(out, l->arc->is_start && !is_loop ? "];\n" : ", constraint=false];\n");
}

void syt_model_dot(const struct syt_model_view *v)
{
	struct syt_model_boxes b;
	struct syt_out words;
	uint32_t nr_top = 0;

	syt_out_open(&words, -1, false);
	syt_model_boxes_open(&b, v);
	while (nr_top < b.nr && b.all[nr_top].up == SYT_NONE)
		nr_top++;
	syt_out_string(v->out,
	               "digraph model {\n"
	               "\tgraph [compound=true, fontname=\"sans-serif\", labelloc=t, nodesep=0.25, "
	               "ranksep=0.4, label=\"Tasks; times on average. Solid: within a thread; "
	               "dashed: to another thread; gray: not the start of a part; ? and orange: "
	               "inferred; red: at least half of the time of the task around it\\n");
	syt_model_boxes_left(v->out, &b);
	syt_out_string(v->out, v->m->in->nr_hidden ? "\\n" : "");
	syt_model_put_hidden_short(v->out, v->m->in);
	syt_out_string(v->out, "\"];\n"
	                       "\tnode [shape=box, style=\"rounded,filled\", fillcolor=white, "
	                       "color=\"#7a8794\", fontname=\"sans-serif\", fontsize=10];\n"
	                       "\tedge [fontname=\"sans-serif\", fontsize=9];\n");
	for (uint32_t i = 0; i < b.nr && !v->out->is_closed;) {
		const struct syt_model_box *box = &b.all[i];
		bool is_most = syt_model_box_share(v, box) >= SYT_MODEL_MOST;
		char *text;

		syt_model_box_text(&words, v, box);
		text = syt_out_take(&words);
		if (box->nr) {
			syt_out_printf(
				v->out,
				"\tsubgraph cluster_%" PRIu32
				" {\n\tgraph [style=\"rounded,filled\", fillcolor=\"#0b57b50c\", "
				"color=\"#7a8794\", fontsize=11, %slabel=\"",
				i, is_most ? MOST : "");
			put_lines(v->out, text);
			syt_out_string(v->out, "\"];\n");
			i = box->first;
			free(text);
			continue;
		}
		syt_out_printf(v->out, "\tb%" PRIu32 " [%s%slabel=\"", i,
		               box->what.is_task ? "fillcolor=\"#e6eef8\", " : "",
		               is_most ? MOST : "");
		put_lines(v->out, text);
		syt_out_string(v->out, "\"];\n");
		free(text);
		/* goes on behind the boxes that end here */
		for (i++; box->up != SYT_NONE; i = (uint32_t)(box - b.all) + 1) {
			if (i < b.all[box->up].first + b.all[box->up].nr)
				break;
			syt_out_string(v->out, "\t}\n");
			box = &b.all[box->up];
		}
		if (box->up == SYT_NONE && i >= nr_top)
			break;
	}
	for (size_t i = 0; i < b.nr_lines && !v->out->is_closed; i++)
		put_line(v->out, &b, &b.lines[i]);
	syt_out_string(v->out, "}\n");
	syt_model_boxes_close(&b);
	syt_out_close(&words);
}
