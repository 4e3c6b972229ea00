/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/disguised_lock.h"

#include <stdlib.h>

#include "base/err.h"

/* Calls of an object. */
struct uses {
	uint64_t all, inside; /* inside: in a critical section of a lock in disguise */
};

static bool is_use(uint8_t shape)
{
	return shape == SYT_SHAPE_LOCK || shape == SYT_SHAPE_COND_WAIT ||
	       shape == SYT_SHAPE_COND_SIGNAL || shape == SYT_SHAPE_COND_BROADCAST;
}

/* Counts the calls of THREAD. If critical sections are nested, the inner one counts. */
static void count_uses(const struct syt_order *o, uint32_t thread, const bool *is_mutex,
                       struct uses *uses)
{
	const struct syt_thread *t = o->places.threads[thread];
	uint32_t held = SYT_NONE;

	SYT_EACH(row, 0, t->nr_rows) {
		struct syt_place at = {thread, (uint32_t)row};
		uint8_t shape = syt_place_call(&o->places, at)->shape;
		uint32_t object = syt_object_of(&o->objects, syt_place_image_idx(&o->places, at),
		                                syt_place_row(&o->places, at)->object);

		if (object == SYT_NONE)
			continue;
		if (shape == SYT_SHAPE_UNLOCK && object == held) {
			held = SYT_NONE;
		} else if (shape == SYT_SHAPE_LOCK && is_mutex[object]) {
			held = syt_place_succeeded(&o->places, at) ? object : held;
		} else if (is_use(shape)) {
			uses[object].all++;
			uses[object].inside += held != SYT_NONE;
		}
	}
}

bool *syt_disguised_locks(const struct syt_order *o)
{
	bool *is_part = syt_calloc(o->objects.nr, sizeof(*is_part));
	struct uses *uses;

	if (!o->handoffs.nr_locks)
		return is_part;
	for (size_t i = 0; i < o->handoffs.nr_locks; i++)
		is_part[o->handoffs.locks[i]] = true;
	uses = syt_calloc(o->objects.nr, sizeof(*uses));
	for (uint32_t i = 0; i < o->places.nr_threads; i++)
		count_uses(o, i, is_part, uses);
	for (uint32_t i = 0; i < o->objects.nr; i++)
		is_part[i] = is_part[i] || 2 * uses[i].inside > uses[i].all;
	free(uses);
	return is_part;
}
