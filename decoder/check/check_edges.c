/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Edges: decoder/order/verify.h states the proof. */
#include "decoder/check/check.h"
#include "decoder/order/verify.h"

static void add_end(struct syt_violation *f, struct syt_place at)
{
	if (at.thread != SYT_NONE)
		f->at[f->nr_at++] = at;
}

void syt_check_edges(struct syt_check *c)
{
	struct syt_violation f = {.object = SYT_NONE, .image = SYT_NONE};
	struct syt_verdict v;

	syt_verify(&c->order->edges, &v);
	c->nr_checked = v.nr_edges;
	syt_check_sum(c, "points", v.nr_points);
	if (!v.nr_backward && !v.nr_in_cycles)
		return;
	f.what = v.nr_backward ? "the edge between them runs backwards in time"
	                       : "the edge between them is part of a cycle";
	if (v.has_example) {
		f.object = v.example.object;
		add_end(&f, v.example.from);
		add_end(&f, v.example.to);
	}
	syt_check_violation(c, f);
	c->nr_violations += v.nr_backward + v.nr_in_cycles - 1;
}
