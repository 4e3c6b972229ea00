/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/stat/object_summary.h"

#include <stdlib.h>

#include "base/err.h"

/* The event waits for the object that it touches in this role. */
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
	case SYT_SHAPE_SEND: /* for room */
	case SYT_SHAPE_READY:
	case SYT_SHAPE_REAP:
		return t->role == SYT_ROLE_SELF;
	case SYT_SHAPE_ACCEPT:
		return t->role == SYT_ROLE_SECOND; /* the listening socket */
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

/* SEEN: [thread] the last object that it was counted for, plus one. */
static struct syt_object_summary summarize(const struct syt_order *o, uint32_t object,
                                           uint32_t *seen)
{
	struct syt_history h = syt_history_of(&o->histories, object);
	struct syt_object_summary s = {.object = object};
	uint64_t images[8] = {0}; /* a bit each; beyond 512 images the number is a lower bound */

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

static int compare(const struct syt_object_summary *a, const struct syt_object_summary *b,
                   enum syt_object_sort by)
{
	uint64_t of_a = by == SYT_SORT_WAIT ? a->wait_ns : by == SYT_SORT_BYTES ? a->bytes : 0;
	uint64_t of_b = by == SYT_SORT_WAIT ? b->wait_ns : by == SYT_SORT_BYTES ? b->bytes : 0;

	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	if (a->nr_events != b->nr_events)
		return a->nr_events > b->nr_events ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static int by_what(const void *a, const void *b, void *by)
{
	return compare(a, b, *(enum syt_object_sort *)by);
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
	qsort_r(s, *nr, sizeof(*s), by_what, &by);
	return s;
}
