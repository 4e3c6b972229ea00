/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/pause_print.h"

#include <inttypes.h>

/* Returns the process image that recorded the most pauses. Each pause is a pause of the whole trace. */
static const struct syt_image *find(const struct syt_trace_data *t)
{
	const struct syt_image *found = NULL;

	for (uint32_t n = 0; n < t->nr_images; n++)
		if (t->images[n].nr_pauses > (found ? found->nr_pauses : 0))
			found = &t->images[n];
	return found;
}

/* Returns the part of P between the first and the last event of the trace. */
static syt_time length(const struct syt_trace_data *t, const struct syt_pause_info *p)
{
	syt_time from = p->from < t->begin ? t->begin : p->from;
	syt_time to = p->to > t->end ? t->end : p->to;

	return from < to ? to - from : 0;
}

void syt_pauses_line(struct syt_out *out, const struct syt_trace_data *t)
{
	const struct syt_image *i = find(t);
	syt_time sum = 0;

	if (!i)
		return;
	for (uint32_t n = 0; n < i->nr_pauses; n++)
		sum += length(t, &i->pauses[n]);
	if (!i->pauses[0].number)
		syt_out_printf(out, ", paused at unknown times");
	else
		syt_out_printf(out, ", paused %" PRIu32 " time%s for %.3f s", i->nr_pauses,
		               i->nr_pauses == 1 ? "" : "s", (double)SYT_TIME_NS(sum) / 1e9);
}

void syt_pauses_json(struct syt_json *j, const struct syt_trace_data *t)
{
	const struct syt_image *i = find(t);

	if (!i)
		return;
	syt_json_begin(j, "pauses", '[');
	for (uint32_t n = 0; n < i->nr_pauses; n++) {
		syt_json_begin(j, NULL, '{');
		syt_json_u64(j, "from", SYT_TIME_NS(i->pauses[n].from));
		if (i->pauses[n].to != UINT64_MAX)
			syt_json_u64(j, "to", SYT_TIME_NS(i->pauses[n].to));
		syt_json_end(j);
	}
	syt_json_end(j);
}
