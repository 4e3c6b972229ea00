/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Endpoints: no call uses an endpoint (socket, pipe, eventfd, ...) before the call that made it. After a process
 * has closed its last fd of an endpoint, no later call of the process uses it, except a call in progress at the
 * close.
 *
 * An endpoint with a kernel identity (socket, pipe) may return to a process through a socket, or may be opened
 * again, so its later uses are not violations. The fd operations of a vfork child do not count.
 */
#include <stdlib.h>

#include "decoder/check/check.h"
#include "base/err.h"

struct life {
	struct syt_place close; /* close of the last fd; thread SYT_NONE: an fd is open */
	bool is_known;          /* members are set up for the checked endpoint */
};

struct endpoint {
	struct syt_check *c;
	uint32_t object;
	bool is_shared;
	struct syt_place birth; /* call that made it; thread SYT_NONE: not recorded */
	struct life *of_image;
};

static bool is_endpoint(enum syt_kind kind)
{
	switch (kind) {
	case SYT_KIND_STREAM:
	case SYT_KIND_PIPE:
	case SYT_KIND_DGRAM:
	case SYT_KIND_LISTEN:
	case SYT_KIND_EVENTFD:
	case SYT_KIND_TIMERFD:
	case SYT_KIND_SIGNALFD:
	case SYT_KIND_EPOLL:
	case SYT_KIND_QUEUE:
		return true;
	default:
		return false;
	}
}

static bool is_birth(const struct syt_touch *t)
{
	return t->shape == SYT_SHAPE_OPEN ||
	       (t->shape == SYT_SHAPE_ACCEPT && t->role == SYT_ROLE_SELF);
}

/* Returns true if the call of T returned >= 0 and T concerns an existing fd, not the fd that dup2() replaces. */
static bool counts(const struct syt_places *p, const struct syt_touch *t)
{
	bool is_second = t->role == SYT_ROLE_SECOND && t->shape != SYT_SHAPE_DUP;

	return (t->role == SYT_ROLE_SELF || is_second) &&
	       !(syt_place_extra(p, t->place)->flags & SYT_EVENT_VFORK) &&
	       syt_place_row(p, t->place)->result >= 0;
}

static void check_use(struct endpoint *e, const struct syt_touch *t, uint32_t image)
{
	const struct syt_places *p = &e->c->order->places;
	struct life *life = &e->of_image[image];
	const struct syt_row *r = syt_place_row(p, t->place);

	if (life->close.thread == SYT_NONE || syt_place_row(p, life->close)->out >= r->in)
		return;
	if (e->is_shared)
		syt_check_excuse(e->c, SYT_EXCUSE_UNCERTAIN, 1);
	else
		syt_check_violation_at(e->c,
		                       "the first event closed the last file descriptor of "
		                       "this object, but the second event uses it later",
		                       e->object, life->close, t->place);
	life->close = SYT_NOWHERE;
}

static void step(struct endpoint *e, const struct syt_touch *t)
{
	const struct syt_places *p = &e->c->order->places;
	uint32_t image = syt_place_image_idx(p, t->place);
	struct life *life = &e->of_image[image];

	if (!life->is_known)
		*life = (struct life){SYT_NOWHERE, true};
	if (is_birth(t)) {
		life->close = SYT_NOWHERE;
		return;
	}
	check_use(e, t, image);
	e->c->nr_checked++;
	if (e->birth.thread != SYT_NONE && image == syt_place_image_idx(p, e->birth) &&
	    syt_place_row(p, t->place)->out < syt_place_row(p, e->birth)->in)
		syt_check_violation_at(e->c,
		                       "the first event creates this object, but the second "
		                       "event used it before",
		                       e->object, e->birth, t->place);
	if (t->shape == SYT_SHAPE_CLOSE && syt_place_extra(p, t->place)->arg == 1)
		life->close = t->place;
}

static void check_object(struct syt_check *c, uint32_t object, struct life *of_image)
{
	const struct syt_places *p = &c->order->places;
	struct syt_history h = syt_history_of(&c->order->histories, object);
	const struct syt_object_info *info = c->order->objects.all[object].info;
	struct endpoint e = {.c = c,
	                     .object = object,
	                     .is_shared = info->flags & SYT_OBJECT_SHARED,
	                     .birth = SYT_NOWHERE,
	                     .of_image = of_image};

	for (uint64_t i = 0; i < h.nr && e.birth.thread == SYT_NONE; i++)
		if (counts(p, &h.touches[i]) && is_birth(&h.touches[i]))
			e.birth = h.touches[i].place;
	for (uint64_t i = 0; i < h.nr; i++)
		if (counts(p, &h.touches[i]))
			step(&e, &h.touches[i]);
	for (uint64_t i = 0; i < h.nr; i++)
		of_image[syt_place_image_idx(p, h.touches[i].place)].is_known = false;
}

void syt_check_endpoint(struct syt_check *c)
{
	struct life *of_image = syt_calloc(c->order->places.trace->nr_images, sizeof(struct life));

	for (uint32_t i = 0; i < c->order->objects.nr; i++)
		if (is_endpoint(syt_object_kind(&c->order->objects, i)))
			check_object(c, i, of_image);
	free(of_image);
}
