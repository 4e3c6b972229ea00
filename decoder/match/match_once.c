/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * pthread_once: the end of the initializer happens before the first return of every other thread. The recorder
 * records the first return in each thread, and rarely a later one.
 *
 * The rule is sound because pthread_once() returns only when the initializer is done. The end time (`out`) of the
 * event that ran the initializer (arg 1) is the end of the initializer.
 *
 * Missing events: there is no edge if the event of the initializer is missing, or if it ends after the other
 * thread's return. If a forked child finds the initializer done, the initializer ran before the fork.
 */
#include "decoder/match/match.h"

static bool is_inherited(const struct syt_match *m, struct syt_place at)
{
	return syt_place_image(m->places, at)->file.parent_index != UINT32_MAX;
}

void syt_match_once(struct syt_match *m, uint32_t object)
{
	struct syt_history h = syt_history_of(m->histories, object);
	const struct syt_touch *ran = NULL;

	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];

		if (t->shape != SYT_SHAPE_ONCE)
			continue;
		if (syt_place_extra(m->places, t->place)->arg == 1) {
			ran = t;
			syt_match_unneeded(m);
		} else if (!ran) {
			bool is_late = i + 1 < h.nr && t->at < h.touches[h.nr - 1].at &&
			               t->at >= syt_match_complete_from(m, object);

			if (!is_late && is_inherited(m, t->place) &&
			    t->at >= syt_match_complete_from(m, object))
				syt_match_unneeded(m);
			else
				syt_match_unattributed(m, is_late ? SYT_REASON_BACKWARDS
				                                  : SYT_REASON_OVERWRITTEN);
		} else if (ran->place.thread == t->place.thread) {
			syt_match_unneeded(m);
		} else {
			syt_match_cause(m, SYT_EDGE_ONCE, ran->place, t->place, object, false);
			syt_match_attributed(m, false);
		}
	}
}
