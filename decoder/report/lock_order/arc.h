/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The table of lock-order arcs (a thread held one lock when it took another). Acquisitions with equal locks,
 * threads, call paths and held locks are one arc. */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_ARC_H
#define SYT_DECODER_REPORT_LOCK_ORDER_ARC_H

#include "base/hash.h"
#include "decoder/report/lock_order/lock_order.h"
#include "decoder/report/lock_order/walk.h"

struct syt_lock_order_table {
	struct syt_lock_order *l;
	struct syt_hash index; /* hash index of l->arcs */
};

/* Returns the *NR locks of HAS and of MORE (may be NULL), sorted by object. The caller frees them. Sets *GATE to a
 * lock that both contain, unless both hold it shared, or to SYT_NONE. */
struct syt_lock_order_held *syt_lock_order_held_by(const struct syt_lock_walk *has,
                                                   const struct syt_lock_order_held *more,
                                                   size_t nr_more, uint32_t *nr, uint32_t *gate);

/* Returns true if two arcs lead through the same call paths of other threads. With HAS_SAME_THREADS, the threads
 * must also be equal. */
bool syt_lock_order_has_same_hops(const struct syt_lock_order_remote *a,
                                  const struct syt_lock_order_remote *b, bool has_same_threads);

/* Returns true if the NR locks of A and of B are equal, with equal modes (shared or exclusive). */
bool syt_lock_order_is_same_held(const struct syt_lock_order_held *a,
                                 const struct syt_lock_order_held *b, uint32_t nr);

/* Adds one instance of arc A: the acquisitions FROM and TO. HOPS has remote->nr elements (the waits between the two
 * threads that took the locks), or is NULL if one thread took both locks. The arrays of A are copied. */
void syt_lock_order_add(struct syt_lock_order_table *t, const struct syt_lock_order_arc *a,
                        struct syt_place from, struct syt_place to,
                        const struct syt_lock_order_hop *hops);

#endif
