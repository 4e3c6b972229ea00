/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/queue_take.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/order/handoff.h"

#define MOST_WAITS 10000u /* number of events of a critical section that are examined */

static uint32_t object_at(const struct syt_order *o, struct syt_place at)
{
	return syt_object_of(&o->objects, syt_place_image_idx(&o->places, at),
	                     syt_place_row(&o->places, at)->object);
}

/* Returns the mutex of the wait for a condition variable AT, or SYT_NONE. */
static uint32_t mutex_of_wait(const struct syt_order *o, struct syt_place at)
{
	if (syt_place_call(&o->places, at)->shape != SYT_SHAPE_COND_WAIT)
		return SYT_NONE;
	return syt_object_of(&o->objects, syt_place_image_idx(&o->places, at),
	                     syt_place_extra(&o->places, at)->object2);
}

/* Returns the row of the lock call of the critical section in which AT waits. */
static uint32_t lock_row(const struct syt_order *o, struct syt_place at)
{
	uint32_t mutex = mutex_of_wait(o, at), row = at.row;

	for (uint32_t i = 0; mutex != SYT_NONE && i < MOST_WAITS && row; i++) {
		struct syt_place before = {at.thread, --row};
		uint8_t shape;

		if (object_at(o, before) != mutex)
			continue;
		shape = syt_place_call(&o->places, before)->shape;
		if (shape == SYT_SHAPE_LOCK && syt_place_succeeded(&o->places, before))
			return row;
		if (shape == SYT_SHAPE_UNLOCK)
			break;
	}
	return at.row;
}

uint32_t syt_queue_takes_row(const struct syt_queue_takes *t, struct syt_place at)
{
	const struct syt_order *o = t->order;
	uint32_t row = lock_row(o, at), object;
	struct syt_place before = {at.thread, row - 1};
	uint8_t shape;

	if (!row)
		return row;
	object = object_at(o, before);
	shape = syt_place_call(&o->places, before)->shape;
	if (object != SYT_NONE && t->is_through[object] &&
	    syt_place_succeeded(&o->places, before) &&
	    (shape == SYT_SHAPE_SEM_WAIT || shape == SYT_SHAPE_RECV))
		return row - 1;
	return row;
}

static uint64_t stack_key(const struct syt_order *o, struct syt_place at, uint64_t *image)
{
	*image = syt_place_image_idx(&o->places, at);
	return syt_place_row(&o->places, at)->stack;
}

bool syt_queue_takes_begin(const struct syt_queue_takes *t, struct syt_place at)
{
	uint64_t image, stack;
	uint32_t object;

	if (!t->takes.nr)
		return false;
	object = object_at(t->order, at);
	if (object == SYT_NONE || !(t->is_mutex[object] || t->is_through[object]) ||
	    syt_place_call(&t->order->places, at)->shape == SYT_SHAPE_UNLOCK)
		return false;
	stack = stack_key(t->order, at, &image);
	return stack && syt_counts_of(&t->takes, image, stack);
}

bool syt_queue_takes_at(const struct syt_queue_takes *t, struct syt_place at, uint32_t object)
{
	uint32_t mutex = mutex_of_wait(t->order, at);

	return (object != SYT_NONE && t->is_through[object]) ||
	       (mutex != SYT_NONE && t->is_mutex[mutex]);
}

/* Decides which queues pass work. Of two queues with one mutex, such as items and free places, the one whose takers had
 * not asked passes the work. The takers of a single queue may wait for the results of their own requests; each result
 * belongs to a request, so a single queue passes work in any case. */
static void find_work(struct syt_queue_takes *t, const struct syt_services *services)
{
	const struct syt_order *o = t->order;
	const struct syt_handoffs *h = &o->handoffs;
	int64_t *balance = syt_calloc(h->nr, sizeof(*balance));

	SYT_EACH(i, 0, o->edges.nr) {
		const struct syt_edge *e = &o->edges.all[i];

		if (e->kind != SYT_EDGE_HANDOFF)
			continue;
		balance[SYT_HANDOFF_QUEUE(e->bytes)] +=
			(services->origins[i] == SYT_ORIGIN_ARRIVED) -
			(services->origins[i] == SYT_ORIGIN_ASKED);
	}
	for (size_t i = 0; i < h->nr; i++) {
		t->has_work[i] = true;
		for (size_t other = 0; other < h->nr; other++)
			if (other != i && h->queues[other].mutex == h->queues[i].mutex &&
			    balance[i] < 0 && balance[other] >= 0)
				t->has_work[i] = false;
	}
	free(balance);
}

static void note_take(struct syt_queue_takes *t, const struct syt_edge *e)
{
	uint64_t image, stack;
	uint32_t lock = lock_row(t->order, e->to), first = syt_queue_takes_row(t, e->to);

	stack = stack_key(t->order, (struct syt_place){e->to.thread, lock}, &image);
	++*syt_counts_at(&t->takes, image, stack);
	if (first == lock)
		return;
	stack = stack_key(t->order, (struct syt_place){e->to.thread, first}, &image);
	++*syt_counts_at(&t->takes, image, stack);
}

void syt_queue_takes_open(struct syt_queue_takes *t, const struct syt_order *order,
                          const struct syt_services *services)
{
	const struct syt_handoffs *h = &order->handoffs;

	*t = (struct syt_queue_takes){
		.order = order,
		.has_work = syt_calloc(h->nr, sizeof(bool)),
		.is_through = syt_calloc(order->objects.nr, sizeof(bool)),
		.is_mutex = syt_calloc(order->objects.nr, sizeof(bool)),
	};
	find_work(t, services);
	for (size_t i = 0; i < h->nr; i++) {
		if (!t->has_work[i])
			continue;
		if (h->queues[i].through != SYT_NONE)
			t->is_through[h->queues[i].through] = true;
		t->is_mutex[h->queues[i].mutex] = true;
	}
	for (size_t i = 0; i < h->nr_locks; i++)
		t->is_mutex[h->locks[i]] = true;
	SYT_EACH(i, 0, order->edges.nr) {
		const struct syt_edge *e = &order->edges.all[i];

		if (e->kind == SYT_EDGE_HANDOFF && t->has_work[SYT_HANDOFF_QUEUE(e->bytes)])
			note_take(t, e);
	}
}

void syt_queue_takes_close(struct syt_queue_takes *t)
{
	free(t->has_work);
	free(t->is_through);
	free(t->is_mutex);
	syt_counts_fini(&t->takes);
	memset(t, 0, sizeof(*t));
}
