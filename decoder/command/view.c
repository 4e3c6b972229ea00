/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/command/view.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "decoder/read/perf.h"

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

int syt_command_view_perf(struct syt_view *v, const char *perf)
{
	struct syt_perf *p;

	if (!perf)
		return 0;
	p = syt_alloc(1, sizeof(*p));
	if (syt_perf_open(p, perf)) {
		free(p);
		return -1;
	}
	if (p->nr_skipped)
		syt_warn("%s: %" PRIu64 " samples were skipped", perf, p->nr_skipped);
	v->perf = p;
	return 0;
}

void syt_command_view_close(struct syt_view *v, struct syt_order *order)
{
	if (v->perf)
		syt_perf_close(v->perf);
	free(v->perf);
	syt_labels_destroy(v->labels);
	syt_order_close(order);
}
