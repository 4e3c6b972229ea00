/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/stat/summary.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/store.h"
#include "base/work.h"
#include "decoder/read/call.h"
#include "decoder/read/part.h"

#define EVENTS_PER_WORKER 65536u /* a worker for fewer events costs more than it gains */

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

static void add_tally(struct syt_tally *u, const struct syt_tally *more)
{
	u->nr += more->nr;
	u->nr_waited += more->nr_waited;
	u->wait_ns += more->wait_ns;
	u->bytes += more->bytes;
	u->max_wait_ns = more->max_wait_ns > u->max_wait_ns ? more->max_wait_ns : u->max_wait_ns;
}

/* Adds the events of T to CALLS. Returns the leaf tasks of T. */
static struct syt_leaves count_thread(const struct syt_thread *t, struct syt_tally *calls)
{
	/* the last synchronization point of the thread so far */
	const struct syt_row *point = NULL;
	struct syt_leaves leaves = {0, 0};
	uint64_t part = 0;

	SYT_EACH(row, (uint64_t)0, t->nr_rows) {
		const struct syt_row *r = &t->rows[row];

		add(&calls[r->call], SYT_TIME_NS(r->out) - SYT_TIME_NS(r->in),
		    syt_thread_extra(t, r)->bytes);
		if (!is_point(t, r))
			continue;
		if (t->nr_parts && syt_part_of(t, row) != part) {
			part = syt_part_of(t, row);
			point = NULL; /* the sampler left out calls since the last point */
		}
		leaves.nr += !!point;
		if (point && r->in > point->out)
			leaves.ns += SYT_TIME_NS(r->in - point->out);
		point = r;
	}
	return leaves;
}

struct summing {
	const struct syt_image *image;
	struct syt_image_summary *s;
	pthread_mutex_t lock; /* protects s */
};

static void add_thread(void *context, size_t number, unsigned worker)
{
	struct summing *all = context;
	struct syt_image_summary *s = all->s;
	const struct syt_thread *t = &all->image->threads[number];

	(void)worker;
	if (!t->nr_rows)
		return;

	struct syt_tally *calls = syt_calloc(all->image->nr_calls, sizeof(*calls));
	struct syt_leaves leaves = count_thread(t, calls);

	pthread_mutex_lock(&all->lock);
	for (uint32_t n = 0; n < all->image->nr_calls; n++) {
		add_tally(&s->calls[n], &calls[n]);
		add_tally(&s->threads[number], &calls[n]);
	}
	s->leaves.nr += leaves.nr;
	s->leaves.ns += leaves.ns;
	pthread_mutex_unlock(&all->lock);
	free(calls);
}

void syt_summary_make(struct syt_image_summary *s, const struct syt_image *i)
{
	struct summing all = {i, s, PTHREAD_MUTEX_INITIALIZER};
	unsigned nr_workers = i->trace ? i->trace->nr_workers : 0;

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
	syt_work(i->nr_threads, i->nr_decoded < EVENTS_PER_WORKER || !nr_workers ? 1 : nr_workers,
	         add_thread, &all);
}

void syt_summary_fini(struct syt_image_summary *s)
{
	free(s->calls);
	free(s->threads);
}
