/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Lock order (decoder/report/lock_order/lock_order.h) for people and as JSON lines. */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_VIEW_H
#define SYT_DECODER_REPORT_LOCK_ORDER_VIEW_H

#include "base/out.h"
#include "decoder/read/symbol.h"
#include "decoder/report/lock_order/lock_order.h"
#include "decoder/show/finding.h"

struct syt_lock_order_view {
	bool has_all;      /* also cycles that are no deadlocks */
	uint64_t limit;    /* of cycles and of locks that were kept; 0: none */
	bool has_no_steps; /* only what there is, and not who takes what where */
	struct syt_symbols *symbols;
};

void syt_lock_order_text(struct syt_out *out, const struct syt_lock_order *l,
                         const struct syt_lock_order_view *v);
void syt_lock_order_json(struct syt_out *out, const struct syt_lock_order *l,
                         const struct syt_lock_order_view *v);

/* Of the text: how much was looked at, in a line; and deadlocks and what can become one. */
void syt_lock_order_headline(struct syt_out *out, const struct syt_lock_order *l);
void syt_lock_order_findings(struct syt_out *out, const struct syt_lock_order *l,
                             const struct syt_lock_order_view *v);

/* "they take A, B in both orders"; PUT writes a lock's name. */
void syt_lock_order_sentence(struct syt_out *out, const struct syt_lock_order *l,
                             const struct syt_lock_order_cycle *c,
                             void (*put)(void *context, uint32_t object), void *context);

/* The report's part of diagnose and of the HTML page. */
void syt_lock_order_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);

#endif
