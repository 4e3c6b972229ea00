/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/lock_order/arc.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint32_t hash(const struct syt_lock_order_arc *a)
{
	uint64_t h =
		mix((uint64_t)a->from << 32 | a->to, (uint64_t)a->from_side << 32 | a->to_side);

	h = mix(h, (uint64_t)a->thread << 2 | (uint64_t)a->from_is_shared << 1 | a->to_is_shared);
	for (uint32_t i = 0; i < a->nr_held; i++)
		h = mix(h, (uint64_t)a->held[i].object << 1 | a->held[i].is_shared);
	for (uint32_t i = 0; a->remote && i < a->remote->nr; i++)
		h = mix(mix(h, a->remote->hops[i].thread),
		        (uint64_t)a->remote->hops[i].wait_side << 32 |
		                a->remote->hops[i].send_side);
	return (uint32_t)h;
}

bool syt_lock_order_has_same_hops(const struct syt_lock_order_remote *a,
                                  const struct syt_lock_order_remote *b, bool has_same_threads)
{
	if (!a || !b)
		return a == b;
	if (a->nr != b->nr)
		return false;
	for (uint32_t i = 0; i < a->nr; i++)
		if ((has_same_threads && a->hops[i].thread != b->hops[i].thread) ||
		    a->hops[i].wait_side != b->hops[i].wait_side ||
		    a->hops[i].send_side != b->hops[i].send_side)
			return false;
	return true;
}

bool syt_lock_order_is_same_held(const struct syt_lock_order_held *a,
                                 const struct syt_lock_order_held *b, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (a[i].object != b[i].object || a[i].is_shared != b[i].is_shared)
			return false;
	return true;
}

static bool is_same(const struct syt_lock_order_arc *a, const struct syt_lock_order_arc *b)
{
	return a->from == b->from && a->to == b->to && a->thread == b->thread &&
	       a->from_side == b->from_side && a->to_side == b->to_side &&
	       a->from_is_shared == b->from_is_shared && a->to_is_shared == b->to_is_shared &&
	       a->nr_held == b->nr_held &&
	       syt_lock_order_has_same_hops(a->remote, b->remote, true) &&
	       syt_lock_order_is_same_held(a->held, b->held, a->nr_held);
}

static void add_new(struct syt_lock_order *l, const struct syt_lock_order_arc *a)
{
	struct syt_lock_order_arc *new;

	syt_store_widen(&l->arcs, &l->room_arcs, l->nr_arcs, l->nr_arcs + 1, sizeof(*l->arcs));
	new = &l->arcs[l->nr_arcs++];
	*new = *a;
	new->held = syt_alloc(a->nr_held, sizeof(*new->held));
	memcpy(new->held, a->held, a->nr_held * sizeof(*new->held));
	if (a->remote) {
		new->remote = syt_alloc(1, sizeof(*new->remote));
		*new->remote = *a->remote;
	}
}

void syt_lock_order_add(struct syt_lock_order_table *t, const struct syt_lock_order_arc *a,
                        struct syt_place from, struct syt_place to,
                        const struct syt_lock_order_hop *hops)
{
	struct syt_lock_order_arc *known;
	uint32_t h = hash(a), at = SYT_HASH_FIND(&t->index, h, i, is_same(&t->l->arcs[i], a));
	uint64_t n;

	if (at == SYT_HASH_NONE) {
		at = syt_hash_add(&t->index, h, t->l->nr_arcs);
		add_new(t->l, a);
	}
	known = &t->l->arcs[at];
	n = known->nr++;
	if (n >= SYT_LOCK_ORDER_INSTANCES)
		n = SYT_LOCK_ORDER_INSTANCES - 1;
	known->instances[n].from = from;
	known->instances[n].to = to;
	if (known->remote)
		memcpy(known->remote->instances[n], hops, known->remote->nr * sizeof(*hops));
}

static int by_object(const void *a_, const void *b_)
{
	const struct syt_lock_order_held *a = a_, *b = b_;

	SYT_ORDER_BY(object);
	SYT_ORDER_BY(is_shared); /* the exclusive holding comes first */
	return 0;
}

struct syt_lock_order_held *syt_lock_order_held_by(const struct syt_lock_walk *has,
                                                   const struct syt_lock_order_held *more,
                                                   size_t nr_more, uint32_t *nr, uint32_t *gate)
{
	size_t nr_all = has->nr + nr_more;
	struct syt_lock_order_held *held = syt_alloc(nr_all, sizeof(*held));
	uint32_t kept = 0;

	*gate = SYT_NONE;
	for (size_t i = 0; i < has->nr; i++)
		held[i] = (struct syt_lock_order_held){has->held[i].object, has->held[i].is_shared};
	if (nr_more)
		memcpy(held + has->nr, more, nr_more * sizeof(*held));
	if (nr_all)
		qsort(held, nr_all, sizeof(*held), by_object);
	for (size_t i = 0; i < nr_all; i++) {
		if (!kept || held[kept - 1].object != held[i].object)
			held[kept++] = held[i];
		else if (!held[kept - 1].is_shared)
			*gate = held[i].object;
	}
	*nr = kept;
	return held;
}
