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

/* Returns the sum of the times for which each process image of HOST is completely recorded, in the period between two
 * pauses that ends at UNTIL. */
static syt_time length(const struct syt_places *p, uint32_t host, syt_time until)
{
	const struct syt_trace_data *t = p->trace;
	syt_time sum = 0;

	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];
		syt_time from = complete_from(i, until), to = i->end < until ? i->end : until;

		if (syt_hosts_of(t->hosts, n) != host)
			continue;
		from = from < i->begin ? i->begin : from;
		sum += from < to ? to - from : 0;
	}
	return sum;
}

/* Returns the begin of the pause of HOST that lasts until the end of the trace, or UINT64_MAX if there is none. */
static syt_time last_end(const struct syt_trace_data *t, uint32_t host)
{
	syt_time end = UINT64_MAX;

	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		for (uint32_t k = 0; syt_hosts_of(t->hosts, n) == host && k < i->nr_pauses; k++)
			if (i->pauses[k].number && i->pauses[k].to == UINT64_MAX &&
			    i->pauses[k].from < end)
				end = i->pauses[k].from;
	}
	return end;
}

static void choose(struct syt_places *p, uint32_t host, bool is_last)
{
	const struct syt_trace_data *t = p->trace;
	struct syt_window *w = &p->windows[host];
	uint64_t nr = 0;
	syt_time best;

	for (uint32_t n = 0; n < t->nr_images; n++)
		if (syt_hosts_of(t->hosts, n) == host)
			nr += t->images[n].nr_pauses;
	if (!nr)
		return;
	p->is_paused = w->is_paused = true;
	w->resumes = syt_calloc(nr, sizeof(*w->resumes));
	best = length(p, host, UINT64_MAX);
	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		for (uint32_t k = 0; syt_hosts_of(t->hosts, n) == host && k < i->nr_pauses; k++) {
			syt_time of = length(p, host, i->pauses[k].from);

			w->resumes[w->nr_resumes++] = i->pauses[k].to;
			if (of > best) {
				best = of;
				w->complete_until = i->pauses[k].from;
			}
		}
	}
	if (is_last)
		w->complete_until = last_end(t, host);
	syt_instants_sort(w->resumes, w->nr_resumes);
	for (uint32_t n = 0; n < t->nr_images; n++) {
		syt_time from = complete_from(&t->images[n], w->complete_until);

		if (syt_hosts_of(t->hosts, n) != host)
			continue;
		if (from > w->complete_until)
			from = UINT64_MAX;
		if (p->complete_from[n] < from)
			p->complete_from[n] = from;
	}
}

void syt_window_choose(struct syt_places *p, bool is_last)
{
	for (uint32_t host = 0; host < (p->trace->hosts ? p->trace->hosts->nr : 1); host++)
		choose(p, host, is_last);
}
