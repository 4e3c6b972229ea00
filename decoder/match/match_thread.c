/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Threads: a pthread_create happens before the first event of the child. The last event of a thread happens before
 * the join that returned it.
 *
 * The rule is sound because the recorder assigns the number of a new thread before the real pthread_create(), and
 * looks up the thread number of a handle before the real pthread_join(). A reused pthread_t therefore causes no
 * error.
 *
 * Missing events: an edge to the first remaining event is also true. A thread without any event gets no edge.
 */
#include "decoder/match/match.h"

/* Finds the first event of the thread that the call AT creates or joins. Returns false if this thread has no
 * event. */
static bool find(const struct syt_match *m, struct syt_place at, struct syt_place *found)
{
	const struct syt_image *image = syt_place_image(m->places, at);
	uint32_t t = syt_place_extra(m->places, at)->thread;

	if (t >= image->nr_threads || !image->threads[t].nr_rows)
		return false;
	*found = (struct syt_place){m->places->first[syt_place_image_idx(m->places, at)] + t, 0};
	return true;
}

static uint32_t object_of(const struct syt_match *m, struct syt_place at)
{
	return syt_object_of(m->objects, syt_place_image_idx(m->places, at),
	                     syt_place_row(m->places, at)->object);
}

static void match_create(struct syt_match *m, struct syt_place at)
{
	struct syt_place child;

	/* the child's first event is counted as an acquire */
	if (find(m, at, &child) &&
	    syt_match_cause(m, SYT_EDGE_CREATE, at, child, object_of(m, at), false))
		m->of_thread[child.thread] = 1;
}

static void match_join(struct syt_match *m, struct syt_place at)
{
	struct syt_place last;

	if (!find(m, at, &last)) {
		syt_match_unattributed(m, SYT_REASON_NO_RELEASE);
		return;
	}
	last.row = (uint32_t)syt_place_thread(m->places, last)->nr_rows - 1;
	if (syt_match_cause(m, SYT_EDGE_JOIN, last, at, object_of(m, at), false))
		syt_match_attributed(m, false);
	else
		syt_match_unattributed(m, SYT_REASON_BACKWARDS);
}

void syt_match_threads(struct syt_match *m)
{
	for (uint64_t i = 0; i < m->histories->nr_life; i++) {
		struct syt_place at = m->histories->life[i];
		uint8_t shape = syt_place_call(m->places, at)->shape;

		if (!syt_place_succeeded(m->places, at))
			continue;
		if (shape == SYT_SHAPE_CREATE)
			match_create(m, at);
		else if (shape == SYT_SHAPE_JOIN)
			match_join(m, at);
	}
	for (uint32_t n = 0; n < m->places->nr_threads; n++) {
		const struct syt_thread *t = m->places->threads[n];

		if (m->of_thread[n])
			syt_match_attributed(m, false);
		else if (t->nr_rows && !t->base &&
		         syt_row_call(t->image, syt_thread_row(t, 0))->shape ==
		                 SYT_SHAPE_THREAD_START)
			syt_match_unattributed(m, SYT_REASON_OVERWRITTEN);
		m->of_thread[n] = 0;
	}
}
