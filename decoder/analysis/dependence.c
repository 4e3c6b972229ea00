/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/dependence.h"

#include <errno.h>

#include "decoder/read/call.h"

#define MANY (SYT_NONE - 1) /* stands for several threads */

/* Returns the kinds of edges that end a call of SHAPE, as bits 1 << SYT_EDGE_*, or 0 if the call is no wait. */
static uint32_t kinds_into(uint8_t shape)
{
	switch (shape) {
	case SYT_SHAPE_RECV:
		return 1u << SYT_EDGE_STREAM | 1u << SYT_EDGE_DATAGRAM | 1u << SYT_EDGE_QUEUE;
	case SYT_SHAPE_SEM_WAIT:
		return 1u << SYT_EDGE_SEM;
	case SYT_SHAPE_COND_WAIT:
		return 1u << SYT_EDGE_COND;
	case SYT_SHAPE_JOIN:
		return 1u << SYT_EDGE_JOIN;
	default:
		return 0;
	}
}

const struct syt_edge *syt_dependence_ended_by(const struct syt_order *o, struct syt_place at)
{
	const struct syt_edges *edges = &o->edges;
	syt_time out = syt_place_row(&o->places, at)->out;
	uint32_t kinds = kinds_into(syt_place_call(&o->places, at)->shape);
	const struct syt_edge *first = NULL;

	for (uint64_t i = syt_edges_from(edges, out);
	     i < edges->nr && syt_edge_end(edges, &edges->all[i]) == out; i++) {
		const struct syt_edge *e = &edges->all[i];

		if (syt_place_compare(e->to, at) || !(kinds >> e->kind & 1))
			continue;
		if (e->class != SYT_CLASS_CAUSAL || e->flags || e->from.thread == SYT_NONE ||
		    e->from.thread == at.thread || (first && first->from.thread != e->from.thread))
			return NULL;
		if (!first || syt_edge_begin(edges, e) < syt_edge_begin(edges, first))
			first = e;
	}
	return first;
}

static uint32_t object_at(const struct syt_order *o, struct syt_place at)
{
	return syt_object_of(&o->objects, syt_place_image_idx(&o->places, at),
	                     syt_place_row(&o->places, at)->object);
}

bool syt_dependence_gives(const struct syt_touch *t)
{
	return t->role == SYT_ROLE_SELF && t->has_succeeded &&
	       (t->shape == SYT_SHAPE_SEND || t->shape == SYT_SHAPE_TRANSFER ||
	        t->shape == SYT_SHAPE_SEM_POST || t->shape == SYT_SHAPE_COND_SIGNAL ||
	        t->shape == SYT_SHAPE_COND_BROADCAST);
}

/* Returns the only thread that sends on, posts or signals OBJECT, or MANY (several threads), or SYT_NONE (none). */
static uint32_t giver_of(struct syt_dependence *d, uint32_t object)
{
	struct syt_history h = syt_history_of(&d->order->histories, object);
	uint32_t giver = SYT_NONE;

	if (d->giver[object])
		return d->giver[object] - 1;
	SYT_EACH(i, 0, h.nr) {
		if (giver == MANY)
			break;
		if (syt_dependence_gives(&h.touches[i]))
			giver = giver == SYT_NONE || giver == h.touches[i].place.thread
			                ? h.touches[i].place.thread
			                : MANY;
	}
	d->giver[object] = giver + 1;
	return giver;
}

/* Returns true if only the source thread of the edge E sends to, posts or signals the object of the wait AT. */
static bool is_only_giver(struct syt_dependence *d, const struct syt_edge *e, struct syt_place at)
{
	const struct syt_object *all = d->order->objects.all;
	uint32_t by = object_at(d->order, e->from), of = object_at(d->order, at);

	if (e->kind == SYT_EDGE_JOIN)
		return true;
	if (by == SYT_NONE || of == SYT_NONE || all[by].complete_from || all[of].complete_from ||
	    all[by].is_sampled || all[of].is_sampled ||
	    (all[by].info->flags | all[of].info->flags) & SYT_OBJECT_PRESHARED)
		return false;
	if (by != of && all[of].peer != by) /* an object without a connection has many senders */
		return false;
	return giver_of(d, by) == e->from.thread;
}

/* Returns true if a receive on OBJECT waited, and no receive failed instead of waiting (EAGAIN). */
static bool blocks(struct syt_dependence *d, uint32_t object)
{
	enum { UNKNOWN, NO, YES };
	const struct syt_order *o = d->order;
	struct syt_history h = syt_history_of(&o->histories, object);
	uint8_t answer = NO;

	if (d->blocks[object])
		return d->blocks[object] == YES;
	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];
		const struct syt_row *row;

		if (t->role != SYT_ROLE_SELF || t->shape != SYT_SHAPE_RECV)
			continue;
		row = syt_place_row(&o->places, t->place);
		if (row->result < 0 && (row->err == EAGAIN || row->err == ENOMSG)) {
			answer = NO;
			break;
		}
		if (answer == YES || !t->has_succeeded)
			continue;
		const struct syt_edge *e = syt_dependence_ended_by(o, t->place);

		if (e && syt_edge_begin(&o->edges, e) >= row->in)
			answer = YES;
	}
	d->blocks[object] = answer;
	return answer == YES;
}

bool syt_dependence_holds(struct syt_dependence *d, const struct syt_edge *e, struct syt_place at)
{
	const struct syt_order *o = d->order;

	if (syt_place_extra(&o->places, at)->count > 1 && e->kind == SYT_EDGE_SEM)
		return false; /* some of its tokens may come from another process */
	return is_only_giver(d, e, at) && (e->kind == SYT_EDGE_JOIN || e->kind == SYT_EDGE_SEM ||
	                                   e->kind == SYT_EDGE_COND || blocks(d, object_at(o, at)));
}

/* Returns true if OBJECT transports data or messages between threads (socket, pipe, eventfd, queue). */
static bool is_channel(const struct syt_order *o, uint32_t object)
{
	enum syt_kind kind =
		object == SYT_NONE ? SYT_KIND_OTHER : syt_object_kind(&o->objects, object);

	return kind == SYT_KIND_STREAM || kind == SYT_KIND_PIPE || kind == SYT_KIND_DGRAM ||
	       kind == SYT_KIND_EVENTFD || kind == SYT_KIND_QUEUE;
}

bool syt_dependence_is_wait(const struct syt_order *o, struct syt_place at)
{
	const struct syt_call_info *c = syt_place_call(&o->places, at);

	return kinds_into(c->shape) && syt_call_may_wait_for_ever(c) &&
	       syt_row_succeeded(c, syt_place_row(&o->places, at)) &&
	       (c->shape != SYT_SHAPE_RECV || is_channel(o, object_at(o, at)));
}

void syt_dependence_open(struct syt_dependence *d, const struct syt_order *order)
{
	d->order = order;
	d->giver = syt_store_alloc(order->objects.nr, sizeof(*d->giver));
	d->blocks = syt_store_alloc(order->objects.nr, sizeof(*d->blocks));
}

void syt_dependence_close(struct syt_dependence *d)
{
	syt_store_free(d->giver);
	syt_store_free(d->blocks);
}
