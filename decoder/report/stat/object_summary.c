/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/stat/object_summary.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"

/* Returns true if a call of SHAPE waits for an object that it uses in the role of T. */
static bool is_wait(const struct syt_touch *t, uint8_t shape)
{
	switch (shape) {
	case SYT_SHAPE_LOCK:
	case SYT_SHAPE_RDLOCK:
	case SYT_SHAPE_COND_WAIT:
	case SYT_SHAPE_CANCELLED:
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_FUTEX_WAIT:
	case SYT_SHAPE_BARRIER_WAIT:
	case SYT_SHAPE_ONCE:
	case SYT_SHAPE_JOIN:
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_SEND: /* a send waits for free space in the socket or pipe */
	case SYT_SHAPE_READY:
	case SYT_SHAPE_REAP:
		return t->role == SYT_ROLE_SELF;
	case SYT_SHAPE_ACCEPT:
		/* the second object of accept() is the listening socket */
		return t->role == SYT_ROLE_SECOND;
	case SYT_SHAPE_TRANSFER:
		return t->role == SYT_ROLE_SELF || t->role == SYT_ROLE_SECOND;
	default:
		return false;
	}
}

static bool receives(const struct syt_touch *t, uint8_t shape)
{
	return (shape == SYT_SHAPE_RECV && t->role == SYT_ROLE_SELF) ||
	       (shape == SYT_SHAPE_TRANSFER && t->role == SYT_ROLE_SECOND);
}

/* Sums up the events on OBJECT. SEEN[thread] is the last object that counted this thread, plus one. */
static struct syt_object_summary summarize(const struct syt_order *o, uint32_t object,
                                           uint32_t *seen)
{
	struct syt_history h = syt_history_of(&o->histories, object);
	struct syt_object_summary s = {.object = object};
	/* set of process images, one bit each; more than 512 images are not counted */
	uint64_t images[8] = {0};

	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];
		const struct syt_row *r = syt_place_row(&o->places, t->place);
		uint8_t shape = syt_place_call(&o->places, t->place)->shape;
		uint32_t image = syt_place_image_idx(&o->places, t->place);

		s.nr_events += t->role != SYT_ROLE_RELEASE2;
		if (seen[t->place.thread] != object + 1) {
			seen[t->place.thread] = object + 1;
			s.nr_threads++;
			if (image < 512 && !(images[image / 64] >> image % 64 & 1)) {
				images[image / 64] |= UINT64_C(1) << image % 64;
				s.nr_images++;
			}
		}
		if (receives(t, shape) && r->result > 0)
			s.bytes += syt_place_extra(&o->places, t->place)->bytes;
		if (!is_wait(t, shape) || r->in >= r->out)
			continue;
		uint64_t ns = SYT_TIME_NS(r->out - r->in);

		s.nr_waits++;
		s.wait_ns += ns;
		if (ns > s.max_wait_ns) {
			s.max_wait_ns = ns;
			s.longest = t->place;
		}
	}
	return s;
}

/* Returns the value by which the option BY sorts objects. */
static uint64_t sort_value(const struct syt_object_summary *s, enum syt_object_sort by)
{
	return by == SYT_SORT_WAIT ? s->wait_ns : by == SYT_SORT_BYTES ? s->bytes : s->nr_events;
}

static int most_first(const void *a_, const void *b_, void *by_)
{
	const struct syt_object_summary *a = a_, *b = b_;
	enum syt_object_sort by = *(const enum syt_object_sort *)by_;

	SYT_ORDER(sort_value(b, by), sort_value(a, by));
	SYT_ORDER(b->nr_events, a->nr_events);
	SYT_ORDER_BY(object);
	return 0;
}

struct syt_object_summary *syt_object_summaries(const struct syt_order *o, enum syt_object_sort by,
                                                uint32_t *nr)
{
	struct syt_object_summary *s = syt_calloc(o->objects.nr, sizeof(*s));
	uint32_t *seen = syt_calloc(o->places.nr_threads, sizeof(*seen));

	*nr = 0;
	for (uint32_t i = 0; i < o->objects.nr; i++)
		if (syt_history_of(&o->histories, i).nr)
			s[(*nr)++] = summarize(o, i, seen);
	free(seen);
	qsort_r(s, *nr, sizeof(*s), most_first, &by);
	return s;
}
