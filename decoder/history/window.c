/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/history/window.h"

#include "base/err.h"
#include "decoder/history/instants.h"

/* Returns the time from which all events of process image I are recorded, in the period without pauses that ends at
 * UNTIL. A result after UNTIL means never. */
static syt_time complete_from(const struct syt_image *i, syt_time until)
{
	syt_time from = 1; /* not 0, which would mean that no event is ever missing */

	for (uint32_t n = 0; n < i->nr_pauses && i->pauses[n].from < until; n++)
		from = i->pauses[n].complete;
	return from;
}

/* Returns the sum of the times for which each process image is completely recorded, in the period between two
 * pauses that ends at UNTIL. */
static syt_time length(const struct syt_trace_data *t, syt_time until)
{
	syt_time sum = 0;

	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];
		syt_time from = complete_from(i, until), to = i->end < until ? i->end : until;

		from = from < i->begin ? i->begin : from;
		sum += from < to ? to - from : 0;
	}
	return sum;
}

void syt_window_choose(struct syt_places *p)
{
	const struct syt_trace_data *t = p->trace;
	uint64_t nr = 0;
	syt_time best;

	p->complete_until = UINT64_MAX;
	for (uint32_t n = 0; n < t->nr_images; n++)
		nr += t->images[n].nr_pauses;
	if (!nr)
		return;
	p->is_paused = true;
	p->resumes = syt_calloc(nr, sizeof(*p->resumes));
	best = length(t, UINT64_MAX);
	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		for (uint32_t k = 0; k < i->nr_pauses; k++) {
			syt_time of = length(t, i->pauses[k].from);

			p->resumes[p->nr_resumes++] = i->pauses[k].to;
			if (of > best) {
				best = of;
				p->complete_until = i->pauses[k].from;
			}
		}
	}
	syt_instants_sort(p->resumes, p->nr_resumes);
	for (uint32_t n = 0; n < t->nr_images; n++) {
		syt_time from = complete_from(&t->images[n], p->complete_until);

		if (from > p->complete_until)
			from = UINT64_MAX;
		if (p->complete_from[n] < from)
			p->complete_from[n] = from;
	}
}
