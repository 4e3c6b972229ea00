/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/blocked_object.h"

#include <stdlib.h>

#include "base/err.h"
#include "decoder/analysis/dependence.h"
#include "decoder/history/instants.h"

static void add_gift(struct syt_gifts *g, struct syt_place at)
{
	uint32_t n = 0;

	if (at.thread != g->last.thread)
		g->other = g->last;
	g->last = at;
	while (n < g->nr && g->all[n].thread != at.thread)
		n++;
	if (n > SYT_BLOCKED_GIVERS) {
		g->has_more = true;
		return;
	}
	g->all[n] = at;
	g->nr += n == g->nr;
}

/* Counts the bytes, and stores the gifts, of the touch T of a pipe, connection or queue of messages. */
static void see_transfer(struct syt_blocked_object *f, const struct syt_order *o,
                         const struct syt_touch *t)
{
	if (t->shape == SYT_SHAPE_RECV)
		add_gift(&f->taken, t->place);
	if (syt_touch_sends(t))
		f->bytes_sent += syt_place_extra(&o->places, t->place)->bytes;
	if (syt_touch_receives(t))
		f->bytes_received += syt_place_extra(&o->places, t->place)->bytes;
}

void syt_blocked_object_gifts(struct syt_blocked_object *f, const struct syt_order *o,
                              uint32_t object)
{
	struct syt_history h = syt_history_of(&o->histories, object);

	if (f->has_gifts)
		return;
	f->has_gifts = true;
	f->given.last = f->given.other = f->taken.last = f->taken.other = SYT_NO_PLACE;
	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];
		bool is_post = t->shape == SYT_SHAPE_SEM_POST || t->shape == SYT_SHAPE_COND_SIGNAL;
		bool is_wait =
			syt_touch_is(t, SYT_SHAPE_SEM_WAIT) || syt_touch_is(t, SYT_SHAPE_COND_WAIT);
		syt_time out = syt_place_row(&o->places, t->place)->out;

		if (syt_dependence_gives(t)) {
			add_gift(&f->given, t->place);
			if (is_post)
				*SYT_ADD(f->posts, f->nr_posts, f->room_posts) = out;
		}
		if (is_wait)
			*SYT_ADD(f->waits, f->nr_waits, f->room_waits) = out;
		if (t->shape == SYT_SHAPE_COND_BROADCAST && out > f->broadcast)
			f->broadcast = out;
		if (t->shape == SYT_SHAPE_BARRIER_WAIT || t->shape == SYT_SHAPE_INIT) {
			uint64_t count = syt_place_extra(&o->places, t->place)->count;

			f->nr_needed = count ? count : f->nr_needed;
		}
		if (t->has_succeeded)
			see_transfer(f, o, t);
	}
	syt_instants_sort(f->posts, f->nr_posts);
	syt_instants_sort(f->waits, f->nr_waits);
}

bool syt_blocked_object_has_gift(const struct syt_blocked_object *f, syt_time since)
{
	uint64_t posts = f->nr_posts - syt_instants_until(f->posts, f->nr_posts, since);
	uint64_t waits = f->nr_waits - syt_instants_until(f->waits, f->nr_waits, since);

	return f->broadcast > since || posts > waits;
}

void syt_blocked_object_close(struct syt_blocked_object *f)
{
	free(f->posts);
	free(f->waits);
	free(f->enders);
	syt_holdings_close(&f->holdings);
	free(f);
}
