/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Unpacks only the plain events of a block of a sparse trace (syt_row_is_plain()), without rows. The walk skips the optional
 * fields, the call stacks and the second time stamp of events. */
#ifndef SYT_DECODER_READ_PLAIN_H
#define SYT_DECODER_READ_PLAIN_H

#include <errno.h>

#include "decoder/read/quick.h"
#include "decoder/read/sparse.h"

struct syt_plain {
	uint32_t number; /* of the event in its block */
	uint32_t object; /* index of the lock in the image's objects */
	syt_time at;     /* syt_row_stamp() */
	uint8_t shape;   /* SYT_SHAPE_LOCK or SYT_SHAPE_UNLOCK */
	bool has_succeeded;
};

/* The position of a walk. */
struct syt_plain_walk {
	const struct syt_image *image;
	const struct syt_clock_map *clock;
	uint32_t hint;
	struct syt_clock_part part;
	struct syt_quick_walk quick;
};

/* Sets E to an event without optional fields. Returns false if the event is not plain. */
static inline __attribute__((always_inline)) bool syt_plain_take(struct syt_plain_walk *w,
                                                                 struct syt_plain *e, uint32_t call,
                                                                 uint32_t object, uint64_t stamp,
                                                                 int64_t result)
{
	const struct syt_image *i = w->image;

	if (call >= i->nr_calls || object - 1 >= i->nr_objects)
		return false;
	e->shape = i->calls[call].shape;
	e->object = object - 1;
	if ((e->shape != SYT_SHAPE_LOCK && e->shape != SYT_SHAPE_UNLOCK) ||
	    !syt_kind_is_plain(i->objects[e->object].kind))
		return false;
	e->has_succeeded = !result || (result == EOWNERDEAD && e->shape == SYT_SHAPE_LOCK);
	e->at = syt_clock_part_time(w->clock, stamp, &w->hint, &w->part);
	return true;
}

/* Calls MEET for each plain event of B in turn. SCRATCH has SYT_RAW_MAX bytes. */
static inline __attribute__((always_inline)) void
syt_plain_each(const struct syt_sparse_block *b, uint8_t *scratch,
               void (*meet)(void *context, const struct syt_plain *e), void *context)
{
	const struct syt_segment *s = b->segment;
	const uint8_t *raw = syt_segment_raw(s, scratch);
	struct syt_ready ready[SYT_NR_READY];
	struct syt_event slow = {.ready = ready};
	struct syt_plain_walk w = {.image = &b->loading->image, .clock = b->loading->clock};
	uint32_t n = 0;

	if (!raw)
		return;
	syt_quick_begin(&w.quick, s->version, s->first_ticks, raw, s->raw_bytes);
	while (n < s->nr_events && w.quick.c.p < w.quick.c.end) {
		struct syt_quick_at at = syt_quick_enter(&w.quick);
		struct syt_plain e;

		for (; n < s->nr_events; n++) {
			struct syt_quick quick;
			enum syt_quick_kind kind = syt_quick_decode(&w.quick, &at, &quick);

			if (kind == SYT_QUICK_NONE)
				break;
			if (kind != SYT_QUICK_PLAIN || n < s->skip ||
			    !syt_plain_take(&w, &e, quick.call, quick.object, quick.stamp, 0))
				continue;
			e.number = n - s->skip;
			meet(context, &e);
		}
		syt_quick_leave(&w.quick, &at);
		if (n == s->nr_events || at.p == w.quick.c.end)
			break;

		bool has_extra = syt_event_has_extra(&w.quick.predictor, *at.p);

		if (syt_event_decode(&w.quick.predictor, &w.quick.c, &slow) < 0)
			break;
		if (!has_extra && n >= s->skip &&
		    syt_plain_take(&w, &e, slow.call, slow.object, slow.stamp, slow.result)) {
			e.number = n - s->skip;
			meet(context, &e);
		}
		n++;
	}
}

#endif
