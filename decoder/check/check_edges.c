/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Happens-before edges can all be true: decoder/order/verify.h states the proof. */
#include "decoder/check/check.h"
#include "decoder/order/verify.h"

void syt_check_edges(struct syt_check *c)
{
	struct syt_place from = SYT_NOWHERE, to = SYT_NOWHERE;
	uint32_t object = SYT_NONE;
	struct syt_verdict v;

	syt_verify(&c->order->edges, &v);
	c->nr_checked = v.nr_edges;
	syt_check_sum(c, "points", v.nr_points);
	if (!v.nr_backward && !v.nr_in_cycles)
		return;
	if (v.has_example) {
		object = v.example.object;
		from = v.example.from;
		to = v.example.to;
	}
	syt_check_violation_at(c,
	                       v.nr_backward
	                               ? "the recorded order of these two events is against their "
	                                 "time stamps"
	                               : "the recorded order of these two events is part of a "
	                                 "cycle",
	                       object, from, to);
	c->nr_violations += v.nr_backward + v.nr_in_cycles - 1;
}
