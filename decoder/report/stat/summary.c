/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/stat/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/read/call.h"
#include "decoder/read/part.h"

static void add(struct syt_tally *u, uint64_t wait_ns, uint64_t bytes)
{
	u->nr++;
	u->bytes += bytes;
	if (!wait_ns)
		return;
	u->nr_waited++;
	u->wait_ns += wait_ns;
	if (wait_ns > u->max_wait_ns)
		u->max_wait_ns = wait_ns;
}

/* Returns true if R is a synchronization point. Only the rule for transfers reads the optional fields. */
static bool is_point(const struct syt_thread *t, const struct syt_row *r)
{
	return syt_row_is_point(t->image, r,
	                        syt_row_call(t->image, r)->shape == SYT_SHAPE_TRANSFER
	                                ? syt_thread_extra(t, r)
	                                : NULL);
}

static void add_thread(struct syt_image_summary *s, const struct syt_thread *t)
{
	/* the last synchronization point of the thread so far */
	const struct syt_row *point = NULL;
	struct syt_tally all = s->threads[t->index];
	uint64_t part = 0;

	SYT_EACH(row, (uint64_t)0, t->nr_rows) {
		const struct syt_row *r = &t->rows[row];
		uint64_t wait_ns = SYT_TIME_NS(r->out) - SYT_TIME_NS(r->in);
		uint64_t bytes = syt_thread_extra(t, r)->bytes;

		add(&s->calls[r->call], wait_ns, bytes);
		add(&all, wait_ns, bytes);
		if (!is_point(t, r))
			continue;
		if (t->nr_parts && syt_part_of(t, row) != part) {
			part = syt_part_of(t, row);
			point = NULL; /* the sampler left out calls since the last point */
		}
		s->leaves.nr += !!point;
		if (point && r->in > point->out)
			s->leaves.ns += SYT_TIME_NS(r->in - point->out);
		point = r;
	}
	s->threads[t->index] = all;
}

void syt_summary_make(struct syt_image_summary *s, const struct syt_image *i)
{
	s->calls = syt_calloc(i->nr_calls, sizeof(*s->calls));
	s->threads = syt_calloc(i->nr_threads, sizeof(*s->threads));
	s->leaves = i->leaves;
	/* a sparse trace contains the sums of all events, but only some of the events */
	if (i->call_uses) {
		memcpy(s->calls, i->call_uses, i->nr_calls * sizeof(*s->calls));
		if (i->nr_threads)
			memcpy(s->threads, i->thread_uses, i->nr_threads * sizeof(*s->threads));
		return;
	}
	for (uint32_t n = 0; n < i->nr_threads; n++)
		add_thread(s, &i->threads[n]);
}

void syt_summary_fini(struct syt_image_summary *s)
{
	free(s->calls);
	free(s->threads);
}
