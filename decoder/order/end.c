/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/order/end.h"

#include "base/err.h"

bool syt_image_is_over(const struct syt_image *i)
{
	return (i->file.state & 0xff) != SYT_STATE_RUNNING;
}

/* Returns the last instant at which IMAGE is known to have run. */
static syt_time known_end(const struct syt_image *i)
{
	syt_time end = i->until > i->end ? i->until : i->end;

	for (uint32_t t = 0; t < i->nr_threads; t++)
		if (i->threads[t].waiting.since > end)
			end = i->threads[t].waiting.since;
	return end;
}

/* Returns the image that was there before the process of the image I began, or SYT_NONE. In a damaged trace, parents can
 * follow their children or form a circle: these are not used. */
static uint32_t parent_process(const struct syt_trace_data *trace, uint32_t i)
{
	uint32_t at = i, parent;

	do {
		parent = syt_image_parent(trace, at);
		if (parent >= at)
			return SYT_NONE;
		at = parent;
	} while (trace->images[parent].file.pid == trace->images[i].file.pid);
	return parent;
}

syt_time *syt_ends_find(const struct syt_places *p, const struct syt_edges *edges)
{
	const struct syt_trace_data *trace = p->trace;
	syt_time *end = syt_alloc(trace->nr_images, sizeof(*end));

	/* a child that its parent has not reaped was there as long as its parent; parents come first */
	for (uint32_t i = 0; i < trace->nr_images; i++) {
		uint32_t parent = parent_process(trace, i);

		end[i] = known_end(&trace->images[i]);
		if (parent != SYT_NONE && !syt_image_is_over(&trace->images[i]) && end[parent] > end[i])
			end[i] = end[parent];
	}
	for (uint64_t n = 0; n < edges->nr; n++) {
		const struct syt_edge *e = &edges->all[n];

		if (e->kind == SYT_EDGE_REAP && e->from.thread != SYT_NONE)
			end[syt_place_image_idx(p, e->from)] = syt_edge_end(edges, e);
	}
	return end;
}
