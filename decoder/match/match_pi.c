/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Futexes used as locks through the kernel (FUTEX_LOCK_PI and related operations): an unlock happens before the
 * next acquisition by another thread. The edges have class run-after.
 *
 * The trace shows only the calls that need the kernel. Most locks and unlocks make no system call. The rule is
 * sound because the kernel lets only the holder unlock. Assume that an acquisition came before an unlock by another
 * thread. The other thread then took the lock after the acquisition had returned (out), and before its own unlock
 * began (in). An unlock that began before the acquisition returned therefore came before this acquisition.
 *
 * Missing events: if the last unlock is missing, the edge from an earlier unlock is also true.
 */
#include "decoder/match/match.h"

static bool is_acquire(const struct syt_touch *t)
{
	return syt_touch_is(t, SYT_SHAPE_LOCK) ||
	       (t->shape == SYT_SHAPE_FUTEX_WAIT && t->role == SYT_ROLE_SECOND && t->has_succeeded);
}

static void acquire(struct syt_match *m, uint32_t object, const struct syt_touch *release,
                    const struct syt_touch *t)
{
	if (m->objects->all[object].info->flags & SYT_OBJECT_PRESHARED) {
		syt_match_unattributed(m, SYT_REASON_PRESHARED);
	} else if (!release && t->at < syt_match_complete_from(m, object)) {
		syt_match_unattributed(m, SYT_REASON_OVERWRITTEN);
	} else if ((!release || release->place.thread == t->place.thread) &&
	           m->objects->all[object].is_sampled) {
		syt_match_unattributed(m, SYT_REASON_NOT_SAMPLED);
	} else if (!release || release->place.thread == t->place.thread) {
		syt_match_unneeded(m);
	} else {
		syt_match_edge(m, SYT_EDGE_FUTEX, SYT_CLASS_RUN_AFTER, release->place, t->place,
		               object, 0);
		syt_match_attributed(m, false);
	}
}

void syt_match_pi(struct syt_match *m, uint32_t object)
{
	struct syt_history h = syt_history_of(m->histories, object);
	const struct syt_touch *release = NULL;

	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];

		if (syt_touch_is(t, SYT_SHAPE_UNLOCK))
			release = t;
		else if (is_acquire(t))
			acquire(m, object, release, t);
	}
}
