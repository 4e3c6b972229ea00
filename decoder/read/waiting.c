/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds the call in which each thread was blocked at the end of its dump. For each thread, the dump records the
 * last call that had to wait, and the recorder does not clear this record when the call returns. The call has
 * returned if the thread has an event that ended after the call began. If events may be missing at the end, no call
 * is reported.
 *
 * A pause of recording does not hide the return from a call that began before the pause: that call is recorded when
 * it returns. During a pause that lasts to the end of the dump, only a call that began before the pause is
 * reported. A copy of a trace that is being recorded ends with such a pause. The pause begins before anything is
 * copied, so all these calls were in progress at one common instant, in all threads.
 */
#include "decoder/read/image.h"

static uint32_t object_index(const struct syt_image *i, uint32_t id)
{
	return id - 1 < i->nr_objects ? id - 1 : SYT_NONE;
}

/* Returns true if a call that began at SINCE may have returned without a record, because recording was paused. */
static bool is_in_doubt(const struct syt_image *i, syt_time since)
{
	for (uint32_t n = 0; n < i->nr_pauses; n++) {
		const struct syt_pause_info *p = &i->pauses[n];

		if (!p->number || (p->to == UINT64_MAX && since >= p->from))
			return true;
	}
	return false;
}

/* The recording of an image ends with the pause that lasts to its end; a pause begins before a snapshot is copied. Without
 * one, the last clock pair of the header shows a time at which the process, or the launcher after its end, was running. */
static void settle_until(struct syt_loading *l)
{
	struct syt_image *i = &l->image;
	uint32_t hint = 0;

	i->until = l->is_latest_sound ? syt_clock_time(l->clock, i->file.latest.ticks, &hint) : 0;
	for (uint32_t n = 0; n < i->nr_pauses; n++)
		if (i->pauses[n].number && i->pauses[n].to == UINT64_MAX)
			i->until = i->pauses[n].from;
}

void syt_waiting_settle(struct syt_loading *l)
{
	struct syt_image *i = &l->image;
	uint32_t hint = 0;

	settle_until(l);
	if (i->nr_lost || i->nr_missing || i->is_garbled)
		return;
	for (size_t n = 0; n < l->nr_waiting; n++) {
		const struct syt_waiting *w = &l->waiting[n];
		syt_time since = syt_clock_time(l->clock, w->since, &hint);
		struct syt_thread *t;

		if (w->thread >= i->nr_threads || w->call >= i->nr_calls || !i->calls[w->call].name)
			continue;
		t = &i->threads[w->thread];
		if (since <= t->last || since <= t->waiting.since || is_in_doubt(i, since))
			continue;
		t->waiting = (struct syt_waiting_info){
			.since = since,
			.call = w->call,
			.object = object_index(i, w->object),
			.object2 = object_index(i, w->object2),
			.stack = w->stack < i->nr_stacks ? w->stack : 0,
			.thread = w->joined - 1 < i->nr_threads ? w->joined - 1 : SYT_NONE,
		};
	}
}
