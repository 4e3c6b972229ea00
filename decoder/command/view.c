/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/command/view.h"

int syt_command_view_open(struct syt_view *v, struct syt_order *order, const struct syt_command *c,
                          struct syt_edges_wanted wanted)
{
	if (syt_order_open_for(order, c->trace, wanted))
		return -1;
	*v = (struct syt_view){
		.out = c->out,
		.order = order,
		.labels = syt_labels_create(&order->places, c->symbols, 0),
		.symbols = c->symbols,
		.is_json = c->format == SYT_FORMAT_JSONL,
		.has_colors = c->out->has_colors,
	};
	return 0;
}

void syt_command_view_close(struct syt_view *v, struct syt_order *order)
{
	syt_labels_destroy(v->labels);
	syt_order_close(order);
}
