/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Losses: each recorded event of a process is either decoded, overwritten or missing. The sums must agree for each
 * process and each thread. The gaps in the event numbers of the threads are at most the overwritten and lost
 * events.
 *
 * The numbers come from the event numbers in each thread's buffers (lanes), the recorder's counters and the decoded
 * events. A thread without remaining events has no numbers, so more events may be overwritten than the gaps show.
 */
#include "decoder/check/check.h"

static void expect(struct syt_check *c, uint32_t image, const char *what, uint64_t expected,
                   uint64_t found)
{
	if (expected != found)
		syt_check_numbers(c, what, SYT_NONE, SYT_NOWHERE, SYT_NOWHERE, expected, found)
			->image = image;
}

static void check_image(struct syt_check *c, uint32_t image)
{
	const struct syt_image *i = &c->order->places.trace->images[image];
	uint64_t rows = 0, missing = 0, holes = 0, numbered = 0;
	uint64_t counted = i->nr_overwritten + i->nr_lost + i->nr_missing;

	for (uint32_t n = 0; n < i->nr_threads; n++) {
		const struct syt_thread *t = &i->threads[n];

		rows += t->nr_rows;
		missing += t->missing;
		holes += t->base + t->gaps;
		numbered += t->numbered;
	}
	expect(c, image,
	       "the sum of the events of all threads is not the number of decoded "
	       "events",
	       i->nr_decoded, rows);
	expect(c, image,
	       "the number of recorded events is not the sum of decoded, overwritten and "
	       "missing events",
	       i->nr_recorded, i->nr_decoded + i->nr_overwritten + i->nr_missing);
	expect(c, image,
	       "the last event number of a thread does not match the number of its "
	       "events",
	       rows + missing + holes, numbered);
	if (holes > counted && !i->is_garbled)
		expect(c, image,
		       "more events are missing than the counters of overwritten and "
		       "lost events state",
		       counted, holes);
	c->nr_checked += i->nr_recorded;
	if (i->nr_missing)
		syt_check_excuse(c, SYT_EXCUSE_DAMAGED, i->nr_missing);
	syt_check_sum(c, "recorded", i->nr_recorded);
	syt_check_sum(c, "decoded", i->nr_decoded);
	syt_check_sum(c, "overwritten", i->nr_overwritten);
	syt_check_sum(c, "missing", i->nr_missing);
	syt_check_sum(c, "lost", i->nr_lost);
}

void syt_check_losses(struct syt_check *c)
{
	for (uint32_t i = 0; i < c->order->places.trace->nr_images; i++)
		check_image(c, i);
}
