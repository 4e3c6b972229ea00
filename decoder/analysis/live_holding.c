/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/live_holding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/analysis/holding.h"

enum syt_live_step syt_live_step_of(const struct syt_call_info *info)
{
	static const uint8_t steps[SYT_NR_SHAPES] = {
		[SYT_SHAPE_LOCK] = SYT_LIVE_TAKE,      [SYT_SHAPE_RDLOCK] = SYT_LIVE_SHARE,
		[SYT_SHAPE_UNLOCK] = SYT_LIVE_RELEASE, [SYT_SHAPE_INIT] = SYT_LIVE_FORGET,
		[SYT_SHAPE_DESTROY] = SYT_LIVE_FORGET, [SYT_SHAPE_COND_WAIT] = SYT_LIVE_COND,
		[SYT_SHAPE_CANCELLED] = SYT_LIVE_COND, [SYT_SHAPE_THREAD_END] = SYT_LIVE_END,
	};
	enum syt_live_step s = (enum syt_live_step)steps[info->shape];
	bool is_any = s == SYT_LIVE_COND || s == SYT_LIVE_END;

	return is_any || syt_holdings_has_kind((enum syt_kind)info->kind) ? s : SYT_LIVE_NONE;
}

const struct syt_call_info *syt_live_call(const struct syt_tail_image *i, uint32_t call)
{
	const struct syt_image *image = &i->loading.image;

	return call < image->nr_calls && image->calls[call].name ? &image->calls[call] : NULL;
}

uint32_t syt_live_object(struct syt_tail_image *i, uint32_t id)
{
	if (id && id > i->loading.image.nr_objects)
		syt_tail_define(i);
	return id - 1 < i->loading.image.nr_objects ? id - 1 : SYT_NONE;
}

struct syt_live_thread *syt_live_thread_at(struct syt_live_holds *h, uint32_t thread)
{
	if (thread >= h->nr_threads) {
		syt_grow(&h->threads, &h->room_threads, (size_t)thread + 1, sizeof(*h->threads));
		memset(h->threads + h->nr_threads, 0,
		       ((size_t)thread + 1 - h->nr_threads) * sizeof(*h->threads));
		h->nr_threads = thread + 1;
	}
	return &h->threads[thread];
}

static struct syt_live_hold *hold_of(const struct syt_live_thread *t, uint32_t object)
{
	for (size_t n = t->nr; n-- > 0;)
		if (t->holds[n].object == object)
			return &t->holds[n];
	return NULL;
}

static bool is_foreign(const struct syt_live_holds *h, uint32_t object)
{
	return object < h->nr_foreign && h->foreign[object];
}

static void set_foreign(struct syt_live_holds *h, struct syt_tail_image *i, uint32_t object)
{
	if (syt_live_object(i, object) == SYT_NONE)
		return;
	if (object >= h->nr_foreign) {
		syt_grow(&h->foreign, &h->room_foreign, (size_t)object + 1, 1);
		memset(h->foreign + h->nr_foreign, 0, object + 1 - h->nr_foreign);
		h->nr_foreign = object + 1;
	}
	h->foreign[object] = 1;
}

static void take(struct syt_live_thread *t, const struct syt_event *e, uint32_t object,
                 uint64_t since, bool is_shared)
{
	struct syt_live_hold *hold = hold_of(t, object);

	if (hold && e->result != EOWNERDEAD) {
		hold->depth++;
		return;
	}
	if (!hold)
		hold = SYT_ADD(t->holds, t->nr, t->room);
	*hold = (struct syt_live_hold){.object = object,
	                               .depth = 1,
	                               .stack = e->stack,
	                               .call = e->call,
	                               .since = since,
	                               .is_shared = is_shared};
}

static void drop(struct syt_live_thread *t, struct syt_live_hold *hold)
{
	*hold = t->holds[--t->nr];
}

/* An event and the caller's function for the holds that it ends. */
struct change {
	struct syt_live_holds *holds;
	struct syt_tail_image *image;
	uint32_t thread;
	syt_live_released *released;
	void *context;
};

/* Ends the hold of the lock OBJECT at the time AT. Of a recursive mutex, only the outermost hold counts. */
static void release(const struct change *c, uint32_t object, uint64_t at, bool is_all)
{
	struct syt_tail_image *i = c->image;
	struct syt_live_thread *t = &c->holds->threads[c->thread];
	struct syt_live_hold *hold = hold_of(t, object);

	if (!hold) {
		/* the child of fork() may hold the locks of the thread that called fork() */
		if (!t->is_incomplete && !i->resumed &&
		    (c->thread || i->loading.image.file.parent_index == UINT32_MAX))
			set_foreign(c->holds, i, object);
		return;
	}
	if (--hold->depth && !is_all)
		return;

	const struct syt_live_hold was = *hold;

	drop(t, hold);
	if (at > was.since && was.since > i->resumed && !is_foreign(c->holds, object))
		c->released(c->context, i, c->thread, &was, at);
}

void syt_live_step(struct syt_live_holds *h, struct syt_tail_image *i, uint32_t thread,
                   const struct syt_event *e, enum syt_live_step step, uint64_t in, uint64_t out,
                   syt_live_released *released, void *context)
{
	const struct change c = {h, i, thread, released, context};
	struct syt_live_thread *t = syt_live_thread_at(h, thread);
	const struct syt_call_info *info = syt_live_call(i, e->call);
	const struct syt_row row = {.result = e->result, .err = (uint16_t)e->err};
	struct syt_live_hold *hold;

	if (e->flags & SYT_EVENT_VFORK ||
	    !info) /* a vfork() child, which borrows the thread, made the event */
		return;
	switch (step) {
	case SYT_LIVE_TAKE:
	case SYT_LIVE_SHARE:
		if (e->object && syt_row_succeeded(info, &row))
			take(t, e, e->object, out, step == SYT_LIVE_SHARE);
		break;
	case SYT_LIVE_RELEASE:
		if (e->object && syt_row_succeeded(info, &row))
			release(&c, e->object, in, false);
		break;
	case SYT_LIVE_COND:
		if (!e->object2 || !syt_row_gave_mutex(info, &row))
			break;
		if (hold_of(t, e->object2))
			release(&c, e->object2, in, true);
		take(&h->threads[thread], e, e->object2, out, false);
		break;
	case SYT_LIVE_FORGET:
		hold = hold_of(t, e->object);
		if (hold)
			drop(t, hold);
		break;
	case SYT_LIVE_END:
		t->has_ended = true;
		break;
	case SYT_LIVE_NONE:
		break;
	}
}

void syt_live_gap(struct syt_live_holds *h, uint32_t thread, uint64_t ticks)
{
	struct syt_live_thread *t = syt_live_thread_at(h, thread);

	t->nr = 0;
	t->is_incomplete = true;
	if (ticks > t->last)
		t->last = ticks;
}

bool syt_live_is_waiting(struct syt_live_holds *h, const struct syt_tail_image *i,
                         const struct syt_waiting *w)
{
	return w->since && w->since > i->resumed && w->since < i->now &&
	       w->thread < i->nr_threads && syt_live_thread_at(h, w->thread)->last < w->since;
}

/* Returns true if the unreturned call W waits for a condition and has released the mutex of HOLD for this time. */
static bool is_given_away(const struct syt_tail_image *i, const struct syt_waiting *w,
                          const struct syt_live_hold *hold)
{
	const struct syt_call_info *info = w ? syt_live_call(i, w->call) : NULL;

	return info && w->object2 == hold->object && info->shape == SYT_SHAPE_COND_WAIT;
}

/* Returns true if another thread took the lock of HOLD later, so the release that ended HOLD was not recorded. */
static bool is_stale(const struct syt_live_holds *h, const struct syt_live_hold *hold)
{
	for (uint32_t n = 0; n < h->nr_threads; n++) {
		const struct syt_live_hold *other = hold_of(&h->threads[n], hold->object);

		if (other && other != hold && other->since > hold->since &&
		    !(other->is_shared && hold->is_shared))
			return true;
	}
	return false;
}

bool syt_live_is_held(const struct syt_live_holds *h, const struct syt_tail_image *i,
                      const struct syt_live_hold *hold, const struct syt_waiting *w)
{
	return hold->since > i->resumed && hold->since < i->now && !is_foreign(h, hold->object) &&
	       !is_given_away(i, w, hold) && !is_stale(h, hold);
}

void syt_live_fini(struct syt_live_holds *h)
{
	for (uint32_t n = 0; n < h->nr_threads; n++)
		free(h->threads[n].holds);
	free(h->threads);
	free(h->foreign);
}
