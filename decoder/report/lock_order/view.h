/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the output of the report lock-order (decoder/report/lock_order/lock_order.h). */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_VIEW_H
#define SYT_DECODER_REPORT_LOCK_ORDER_VIEW_H

#include "decoder/report/lock_order/lock_order.h"
#include "decoder/show/finding.h"

/* The result of the analysis, and options; the member `report` of a struct syt_view points to it. */
struct syt_lock_order_report {
	const struct syt_lock_order *l;
	bool has_all;      /* lists also cycles that cannot become deadlocks */
	bool has_no_steps; /* omits the steps (arcs) of each finding and their call stacks */
};

static inline const struct syt_lock_order *syt_lock_order_of(const struct syt_view *v)
{
	return ((const struct syt_lock_order_report *)v->report)->l;
}

void syt_lock_order_list(const struct syt_view *v);

void syt_lock_order_headline(struct syt_out *out, const struct syt_view *v);
void syt_lock_order_findings(struct syt_out *out, const struct syt_view *v);
void syt_lock_order_json(const struct syt_view *v);

/* Writes the headline of a cycle: "2 threads can deadlock, because they took A and B in both orders". */
void syt_lock_order_put_cycle(struct syt_out *out, const struct syt_view *v,
                              const struct syt_lock_order_cycle *c);
/* Writes the headline of a deadlock: "Deadlock: 2 threads wait for each other until the end of the trace". */
void syt_lock_order_put_deadlock(struct syt_out *out, const struct syt_blocked_group *g);

/* The report's part of diagnose and of the HTML page. */
void syt_lock_order_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);

#endif
