/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/request_cause.h"

/* Returns true for a wait for a lock alone.  A wait for a condition mostly waits for its signal. */
static bool is_lock_wait(const struct syt_path *p, const struct syt_path_segment *g)
{
	uint8_t shape;

	if (g->kind != SYT_PATH_HANDOVER ||
	    p->order->edges.all[g->edge].class != SYT_CLASS_RUN_AFTER)
		return false;
	shape = syt_place_call(&p->order->places, g->at)->shape;
	return shape != SYT_SHAPE_COND_WAIT && shape != SYT_SHAPE_CANCELLED;
}

struct syt_request_cause syt_request_cause_of(const struct syt_path *p,
                                              const struct syt_path_sum *s)
{
	struct syt_request_cause c = {NULL, NULL, NULL, 0};

	SYT_EACH_FAR(n, 0, p->nr) {
		const struct syt_path_segment *g = &p->all[n];
		syt_time from, wait;

		if (!is_lock_wait(p, g))
			continue;
		from = syt_place_row(&p->order->places, g->at)->in;
		wait = g->to - (from > p->from ? from : p->from);
		if (wait > c.lock_wait) {
			c.lock = g;
			c.lock_wait = wait;
		}
	}
	if (s->nr_functions && s->functions[0].time) {
		c.function = &s->functions[0];
		c.part = syt_path_sum_part(s, c.function);
	}
	return c;
}
