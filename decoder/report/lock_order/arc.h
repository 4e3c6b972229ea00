/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The table of arcs: what is the same by locks, threads, call paths and all that was held is one arc. */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_ARC_H
#define SYT_DECODER_REPORT_LOCK_ORDER_ARC_H

#include "base/hash.h"
#include "decoder/report/lock_order/lock_order.h"
#include "decoder/report/lock_order/walk.h"

struct syt_lock_order_table {
	struct syt_lock_order *l;
	struct syt_hash index; /* of l->arcs */
};

/* All that is in WALK and in MORE (may be NULL), by object; the caller's to free. *NR: how many. *GATE:
 * one that both have and cannot both have, or SYT_NONE. */
struct syt_lock_order_held *syt_lock_order_held_by(const struct syt_lock_walk_held *walk,
                                                   size_t nr_walk,
                                                   const struct syt_lock_order_held *more,
                                                   size_t nr_more, uint32_t *nr, uint32_t *gate);

/* One more time of A, from FROM to TO; HOPS: A's remote->nr, or NULL when A has none.  What A points to
 * is copied. */
void syt_lock_order_add(struct syt_lock_order_table *t, const struct syt_lock_order_arc *a,
                        struct syt_place from, struct syt_place to,
                        const struct syt_lock_order_hop *hops);
void syt_lock_order_table_close(struct syt_lock_order_table *t);

#endif
