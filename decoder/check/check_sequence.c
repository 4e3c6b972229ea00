/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Sequence: the events of a thread are numbered from 0 in each of its buffers (lanes), without a gap.
 *
 * A ring buffer overwrites a thread's oldest events, so events may be missing before the first remaining event.
 * Between two remaining events, only events that found no space may be missing. The recorder counts both. A missing
 * event that the recorder did not count is a violation, unless the dump is damaged.
 */
#include "decoder/check/check.h"

static void check_thread(struct syt_check *c, uint32_t n)
{
	const struct syt_thread *t = c->order->places.threads[n];
	const struct syt_image *i = t->image;
	struct syt_place at = {n, SYT_NONE};
	uint64_t dropped = i->file.lost[SYT_LOSS_NO_SPACE];
	enum syt_excuse damage = i->is_garbled ? SYT_EXCUSE_DAMAGED : SYT_EXCUSE_OVERWRITTEN;

	c->nr_checked += t->nr_rows;
	syt_check_excuse(c, SYT_EXCUSE_DAMAGED, t->missing);
	if (t->gaps > dropped && !i->is_garbled)
		syt_check_numbers(c,
		                  "more events are missing than the counters of lost events state",
		                  SYT_NONE, at, SYT_NOWHERE, dropped, t->gaps);
	else
		syt_check_excuse(c, damage, t->gaps);
	if (t->base > i->nr_overwritten + dropped && !i->is_garbled)
		syt_check_numbers(c, "more of the first events are missing than were overwritten",
		                  SYT_NONE, at, SYT_NOWHERE, i->nr_overwritten + dropped, t->base);
	else
		syt_check_excuse(c, damage, t->base);
}

void syt_check_sequence(struct syt_check *c)
{
	for (uint32_t n = 0; n < c->order->places.nr_threads; n++)
		check_thread(c, n);
}
