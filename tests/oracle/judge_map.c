/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Maps events to log entries: both must be of the same thread, the same call and the same result, and
 * overlap on the program's own clock.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/oracle/judge.h"

/* Tolerated difference between the decoder's times and the program's own clock. */
#define SLACK_NS 1000u
#define MOST_LATE 4u /* log entries in a row that begin after an event: more than signal handlers are nested */
#define NO_FIT UINT64_MAX

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Returns the distance in ns of the event from the time of E, or NO_FIT if the event belongs to another call. */
static uint64_t distance(const struct syt_thread *t, uint64_t row, const struct log_entry *e)
{
	const struct syt_row *r = syt_thread_row(t, row);
	const struct syt_call_info *c = syt_row_call(t->image, r);

	if ((e->state == 2 && e->result != r->result) || !c->name ||
	    strcmp(c->name, judge_call(e)) != 0)
		return NO_FIT;
	/* The recorder may widen the other time stamp of the event (runtime/frame.h). */
	uint64_t ns = SYT_TIME_NS(syt_row_stamp(c, r));

	return above(e->begin_ns, ns) + (e->state == 2 ? above(ns, e->end_ns) : 0);
}

static bool is_inside(const struct log_entry *inner, const struct log_entry *outer)
{
	return inner->state == 2 && inner->begin_ns >= outer->begin_ns &&
	       (outer->state != 2 || inner->end_ns <= outer->end_ns);
}

/* Maps the events of THREAD (a trace-wide number) to the log entries of SLOT. */
static void map_thread(struct judge *j, uint32_t slot, uint32_t thread)
{
	const struct syt_thread *t = j->order->places.threads[thread];
	const struct log_slot *s = &j->log->slots[slot];
	uint32_t from = 0;

	for (uint64_t row = 0; row < t->nr_rows; row++) {
		syt_time after = SYT_TIME_NS(syt_thread_row(t, row)->out) + SLACK_NS;
		uint64_t least = SLACK_NS, nr = 0;
		const struct log_entry *found = NULL;
		unsigned nr_late = 0;

		/* long over: a handler's entry may begin inside of another one */
		while (from < s->nr && s->entries[from].state == 2 &&
		       s->entries[from].end_ns + SLACK_NS < SYT_TIME_NS(syt_thread_row(t, row)->in))
			from++;
		/* A handler may interrupt an entry before that has read the clock. The entries of the handler follow. */
		for (uint32_t n = from; n < s->nr && nr_late < MOST_LATE; n++) {
			const struct log_entry *e = &s->entries[n];
			uint64_t how_far;

			nr_late = e->begin_ns > after ? nr_late + 1 : 0;
			if (!e->state || j->places[slot][n].thread != SYT_NONE)
				continue;
			how_far = distance(t, row, e);
			nr += how_far <= SLACK_NS;
			/* if two log entries contain the event, the inner entry is taken */
			if (how_far > least || (how_far == least && found && !is_inside(e, found)))
				continue;
			least = how_far;
			found = e;
		}
		j->nr_unsure += nr > 1 && least;
		if (!found || (nr > 1 && least && j->mode == JUDGE_LOSSY))
			continue;
		j->places[slot][found - s->entries] = (struct syt_place){thread, (uint32_t)row};
		j->entries[thread][row] = found;
	}
}

void judge_map(struct judge *j)
{
	const struct syt_places *p = &j->order->places;

	for (uint32_t slot = 0; slot < LOG_SLOTS; slot++) {
		j->places[slot] = malloc(LOG_ENTRIES * sizeof(**j->places));
		for (uint32_t n = 0; n < LOG_ENTRIES; n++)
			j->places[slot][n] = (struct syt_place){SYT_NONE, 0};
	}
	for (uint32_t thread = 0; thread < p->nr_threads; thread++) {
		const struct syt_thread *t = p->threads[thread];

		j->entries[thread] = calloc(t->nr_rows + 1, sizeof(**j->entries));
		for (uint32_t slot = 0; slot < LOG_SLOTS; slot++)
			if (j->log->slots[slot].pid == t->image->file.pid &&
			    j->log->slots[slot].tid == t->tid)
				map_thread(j, slot, thread);
	}
	for (uint32_t slot = 0; slot < LOG_SLOTS; slot++) {
		const struct log_slot *s = &j->log->slots[slot];

		for (uint32_t n = 0; n < s->nr && n < LOG_ENTRIES; n++) {
			const struct log_entry *e = &s->entries[n];
			bool is_there = j->places[slot][n].thread != SYT_NONE;

			j->nr_entries += e->state == 2;
			j->nr_mapped += is_there;
			if (e->state == 2 && !is_there)
				judge_miss(j, "has no event", e, NULL, "");
		}
	}
}
