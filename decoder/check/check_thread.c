/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Threads: a thread begins after the begin of the call that created it, and has ended when its join returns. A
 * thread is created once and joined once. The start event of a thread is its first event.
 *
 * The recorder numbers threads itself, so reused handles cause no error. A thread that libc started by itself has
 * no create event. A creator that was stopped in the call has no create event either.
 */
#include "decoder/check/check.h"

#define CREATED 1u /* bits in of_thread[thread] */
#define JOINED 2u

/* Returns the thread that the call AT creates or joins, or SYT_NONE if the call names no thread. */
static uint32_t named(const struct syt_places *p, struct syt_place at)
{
	uint32_t t = syt_place_extra(p, at)->thread;

	return t < syt_place_image(p, at)->nr_threads ? p->first[syt_place_image_idx(p, at)] + t
	                                              : SYT_NONE;
}

static void check_create(struct syt_check *c, struct syt_place at, uint32_t child)
{
	const struct syt_places *p = &c->order->places;
	struct syt_place first = {child, 0};

	if (c->of_thread[child] & CREATED)
		syt_check_violation_at(c, "this event creates a thread that was created before",
		                       SYT_NONE, at, (struct syt_place){child, SYT_NONE});
	c->of_thread[child] |= CREATED;
	if (p->threads[child]->nr_rows && syt_place_row(p, first)->in < syt_place_row(p, at)->in)
		syt_check_violation_at(c,
		                       "the first event creates the thread of the second event, "
		                       "which is earlier",
		                       SYT_NONE, at, first);
}

static void check_join(struct syt_check *c, struct syt_place at, uint32_t joined)
{
	const struct syt_places *p = &c->order->places;
	struct syt_place last = {joined, (uint32_t)p->threads[joined]->nr_rows - 1};

	if (c->of_thread[joined] & JOINED)
		syt_check_violation_at(c, "this event joins a thread that was joined before",
		                       SYT_NONE, at, (struct syt_place){joined, SYT_NONE});
	c->of_thread[joined] |= JOINED;
	if (p->threads[joined]->nr_rows && syt_place_row(p, last)->out > syt_place_row(p, at)->out)
		syt_check_violation_at(c,
		                       "the first event joined the thread of the second event, "
		                       "which is later",
		                       SYT_NONE, at, last);
}

static void check_start(struct syt_check *c, uint32_t n)
{
	const struct syt_thread *t = c->order->places.threads[n];
	uint8_t shape;

	if (!t->nr_rows || t->base)
		return;
	shape = syt_row_call(t->image, &t->rows[0])->shape;
	if (shape == SYT_SHAPE_THREAD_START && !(c->of_thread[n] & CREATED))
		syt_check_excuse(
			c, syt_check_is_whole(t) ? SYT_EXCUSE_UNSEEN : SYT_EXCUSE_OVERWRITTEN, 1);
	for (uint64_t i = 1; i < t->nr_rows; i++)
		if (syt_row_call(t->image, &t->rows[i])->shape == SYT_SHAPE_THREAD_START)
			syt_check_violation_at(c,
			                       "the first event is the start of a thread that "
			                       "already has the second event",
			                       SYT_NONE, (struct syt_place){n, (uint32_t)i},
			                       (struct syt_place){n, 0});
}

void syt_check_thread(struct syt_check *c)
{
	const struct syt_places *p = &c->order->places;

	for (uint64_t i = 0; i < c->order->histories.nr_life; i++) {
		struct syt_place at = c->order->histories.life[i];
		uint8_t shape = syt_place_call(p, at)->shape;
		uint32_t thread = named(p, at);

		if (thread == SYT_NONE || !syt_place_succeeded(p, at))
			continue;
		if (shape == SYT_SHAPE_CREATE)
			check_create(c, at, thread);
		else if (shape == SYT_SHAPE_JOIN)
			check_join(c, at, thread);
	}
	for (uint32_t n = 0; n < p->nr_threads; n++) {
		c->nr_checked += p->threads[n]->nr_rows != 0;
		syt_check_sum(c, "created", c->of_thread[n] & CREATED);
		syt_check_sum(c, "joined", !!(c->of_thread[n] & JOINED));
		check_start(c, n);
	}
}
