/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints a causal graph as DOT for graphviz, as one JSON object, or as tables. Text from dumps is escaped. */
#ifndef SYT_DECODER_REPORT_GRAPH_VIEW_H
#define SYT_DECODER_REPORT_GRAPH_VIEW_H

#include "decoder/order/graph.h"

struct syt_graph_view {
	const struct syt_graph *graph;
	const struct syt_order *order;
	struct syt_labels *labels;
	bool is_aggregated;
};

void syt_graph_dot(struct syt_out *out, const struct syt_graph_view *v);
void syt_graph_json(struct syt_out *out, const struct syt_graph_view *v);
void syt_graph_text(struct syt_out *out, const struct syt_graph_view *v);

/* Writes TEXT from a dump into a quoted string of DOT. MOST is the maximum number of bytes of TEXT, or 0. */
void syt_graph_put_quoted(struct syt_out *out, const char *text, size_t most);

#endif
