/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Cancellation: a pthread_cancel call happens before the point at which the target thread acts on it. The thread
 * acts at the first condition variable wait that the cancellation unwound, or else at its end.
 *
 * The rule is sound because a thread is cancelled only once, by the first request. The request may stay pending
 * until the thread allows cancellation, and later requests change nothing. The source is therefore one of the
 * successful requests that may have been the first. If several requests may have been the first, their edges are
 * ambiguous.
 *
 * Missing events: a request that is missing in the trace may have been the first, so there is no edge.
 */
#include "decoder/match/match.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"

struct request {
	uint32_t target; /* trace-wide number of the thread to cancel */
	syt_time in, latest;
	struct syt_place place;
};

struct cancels {
	struct syt_match *m;
	uint64_t nr;
	struct request *requests;
	/* [trace-wide thread]: the event where the thread acted on its cancellation; thread SYT_NONE: it did not
	 * act */
	struct syt_place *ends;
};

SYT_COMPARATOR(by_target, struct request)
{
	SYT_ORDER_BY(target);
	SYT_ORDER_BY(in);
	return syt_place_compare(a->place, b->place);
}

/* Stores a cancellation request, or the first event at which the thread of AT acted on a cancellation. Events come
 * in the order of their threads, so a cancelled wait comes before the end of its thread. */
static void see(struct cancels *c, struct syt_place at)
{
	const struct syt_extra *x = syt_place_extra(c->m->places, at);
	uint32_t image = syt_place_image_idx(c->m->places, at);

	switch (syt_place_call(c->m->places, at)->shape) {
	case SYT_SHAPE_CANCEL:
		if (syt_place_succeeded(c->m->places, at) && x->thread != SYT_NONE)
			c->requests[c->nr++] =
				(struct request){c->m->places->first[image] + x->thread,
			                         syt_place_row(c->m->places, at)->in,
			                         syt_place_latest(c->m->places, at), at};
		break;
	case SYT_SHAPE_CANCELLED:
		if (c->ends[at.thread].thread == SYT_NONE)
			c->ends[at.thread] = at;
		break;
	case SYT_SHAPE_THREAD_END:
		if (x->arg != 1)
			c->ends[at.thread].thread = SYT_NONE;
		else if (c->ends[at.thread].thread == SYT_NONE)
			c->ends[at.thread] = at;
		break;
	}
}

/* Matches the NR cancellation requests OF to one thread, which acted on one of them at the event END. */
static void match_thread(struct cancels *c, const struct request *of, uint64_t nr,
                         struct syt_place end)
{
	struct syt_match *m = c->m;
	syt_time out = syt_place_row(m->places, end)->out, first_latest = UINT64_MAX;
	unsigned nr_sources = 0, nr_own = 0;

	if (m->places->complete_from[syt_place_image_idx(m->places, end)]) {
		syt_match_unattributed(m, SYT_REASON_OVERWRITTEN);
		return;
	}
	for (uint64_t i = 0; i < nr; i++)
		first_latest = of[i].latest < first_latest ? of[i].latest : first_latest;
	for (uint64_t i = 0; i < nr && of[i].in <= out && of[i].in <= first_latest; i++)
		nr_own += of[nr_sources++].place.thread == end.thread;
	if (!nr_sources || nr_sources > SYT_AMBIGUOUS_MAX) {
		syt_match_unattributed(m, nr_sources ? SYT_REASON_TOO_MANY : SYT_REASON_NO_RELEASE);
		return;
	}
	if (nr_own && nr_sources > 1) {
		syt_match_unattributed(m, SYT_REASON_UNCERTAIN);
	} else if (nr_own) { /* the thread has cancelled itself */
		syt_match_unneeded(m);
	} else {
		for (unsigned i = 0; i < nr_sources; i++)
			syt_match_cause(m, SYT_EDGE_CANCEL, of[i].place, end, SYT_NONE,
			                nr_sources > 1);
		syt_match_attributed(m, nr_sources > 1);
	}
}

void syt_match_cancels(struct syt_match *m)
{
	struct cancels c = {m, 0, syt_store_alloc(m->histories->nr_life, sizeof(*c.requests)),
	                    syt_alloc(m->places->nr_threads, sizeof(*c.ends))};
	uint64_t at = 0;

	for (uint32_t n = 0; n < m->places->nr_threads; n++)
		c.ends[n] = (struct syt_place){SYT_NONE, 0};
	for (uint64_t i = 0; i < m->histories->nr_life; i++)
		see(&c, m->histories->life[i]);
	syt_sort(c.requests, c.nr, sizeof(*c.requests), by_target);
	for (uint32_t n = 0; n < m->places->nr_threads; n++) {
		uint64_t nr = 0;

		while (at + nr < c.nr && c.requests[at + nr].target == n)
			nr++;
		if (c.ends[n].thread != SYT_NONE)
			match_thread(&c, c.requests + at, nr, c.ends[n]);
		at += nr;
	}
	syt_store_free(c.requests);
	free(c.ends);
}
