/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Read-write locks, with edges of class run-after. A reader follows the last writer. A writer follows the last
 * writer and the last section of every reader since then. The order of events within the reader's thread implies
 * the edges from its earlier sections. The last acquisition by a thread decides whether its unlock ends a reader's
 * or a writer's section.
 *
 * The rule is sound because the argument of match_mutex.c is valid for every two sections of which at least one is
 * a writer's.
 *
 * Missing events: an unlock ends a section of unknown mode if its acquisition is missing or came before the end of
 * a pause. In both modes, this unlock happens before the sections of later writers. Later readers get no edge from
 * an unlock of unknown mode.
 *
 * Sampled traces: an unlock without its lock in the same part (decoder/read/part.h) is no source, and no foreign unlock.
 */
#include "decoder/match/match.h"

#include <stdlib.h>

#include "base/err.h"

/* of_thread[thread] holds HOLDS_WRITE or the number of read locks that the thread holds. */
#define HOLDS_WRITE UINT32_MAX /* the thread holds the write lock */

struct rwlock {
	struct syt_match *m;
	uint32_t object;
	bool is_complete, is_foreign;
	uint64_t *part_of; /* [thread]: part in which of_thread counts; NULL: full trace */
	bool has_unknown;  /* an unlock of unknown mode came after `write` */
	const struct syt_touch *write;  /* last release of the write lock, or NULL */
	const struct syt_touch **reads; /* read-lock releases since, and releases of unknown mode */
	size_t room, nr_reads;
};

static void add_read(struct rwlock *l, const struct syt_touch *t)
{
	for (size_t i = l->nr_reads; i-- && i + 8 >= l->nr_reads;) {
		if (l->reads[i]->place.thread == t->place.thread) {
			l->reads[i] = t;
			return;
		}
	}
	*SYT_STORE_ADD(l->reads, l->nr_reads, l->room) = t;
}

static bool edge(struct rwlock *l, const struct syt_touch *from, const struct syt_touch *to)
{
	if (from->place.thread == to->place.thread)
		return false;
	return syt_match_edge_between(l->m, SYT_EDGE_RWLOCK, SYT_CLASS_RUN_AFTER, from, to,
	                              l->object, 0);
}

static void acquire(struct rwlock *l, const struct syt_touch *t, bool is_exclusive)
{
	bool has_edge = false, has_release = l->write || (is_exclusive && l->nr_reads);

	if (l->is_foreign) {
		syt_match_unattributed(l->m, SYT_REASON_FOREIGN);
		return;
	}
	if (l->write)
		has_edge |= edge(l, l->write, t);
	for (size_t i = 0; is_exclusive && i < l->nr_reads; i++)
		has_edge |= edge(l, l->reads[i], t);
	if (has_edge)
		syt_match_attributed(l->m, false);
	else if (l->part_of)
		syt_match_unattributed(l->m, SYT_REASON_NOT_SAMPLED);
	else if ((has_release || l->is_complete) && !l->has_unknown)
		syt_match_unneeded(l->m);
	else
		syt_match_unattributed(l->m, SYT_REASON_OVERWRITTEN);
	if (is_exclusive) {
		l->nr_reads = 0;
		l->has_unknown = false;
	}
}

static void release(struct rwlock *l, const struct syt_touch *t)
{
	uint32_t *holds = &l->m->of_thread[t->place.thread];

	if (*holds == HOLDS_WRITE) {
		*holds = 0;
		l->write = t;
		l->nr_reads = 0;
		l->has_unknown = false;
	} else if (*holds) {
		--*holds;
		add_read(l, t);
	} else if (!l->part_of) {
		if (!syt_match_is_missing_before(l->m, t->place))
			l->is_foreign = true;
		l->has_unknown = true;
		add_read(l, t);
	}
}

/* Forgets which threads hold the lock, and how, as after a pause of the recording. */
static void forget(struct syt_match *m, const struct syt_history *h)
{
	for (uint64_t i = 0; i < h->nr; i++)
		m->of_thread[h->touches[i].place.thread] = 0;
}

/* Goes through the history of the lock once. The first pass (not IS_MATCHING) only looks for unlocks by threads
 * that do not hold the lock. */
static void walk(struct rwlock *l, const struct syt_history *h, bool is_matching)
{
	struct syt_match *m = l->m;
	const struct syt_window *window =
		syt_places_window(m->places, m->objects->all[l->object].image);
	uint64_t nr_resumes = 0;

	for (uint64_t i = 0; i < h->nr; i++) {
		const struct syt_touch *t = &h->touches[i];
		uint32_t *holds = &m->of_thread[t->place.thread];

		for (; nr_resumes < window->nr_resumes && t->at > window->resumes[nr_resumes];
		     nr_resumes++)
			forget(m, h);
		if (l->part_of &&
		    l->part_of[t->place.thread] != syt_place_part(m->places, t->place)) {
			l->part_of[t->place.thread] = syt_place_part(m->places, t->place);
			*holds = 0; /* the sampler may have left out unlocks */
		}
		bool is_write = syt_touch_is(t, SYT_SHAPE_LOCK);
		bool is_read = syt_touch_is(t, SYT_SHAPE_RDLOCK);

		if (is_matching && (is_write || is_read))
			acquire(l, t, is_write);
		if (is_write)
			*holds = HOLDS_WRITE;
		else if (is_read)
			*holds = *holds == HOLDS_WRITE ? 1 : *holds + 1;
		else if (syt_touch_is(t, SYT_SHAPE_UNLOCK))
			release(l, t);
	}
	forget(m, h);
}

void syt_match_rwlock(struct syt_match *m, uint32_t object)
{
	struct syt_history h = syt_history_of(m->histories, object);
	struct rwlock l = {.m = m, .object = object};

	if (m->objects->all[object].is_sampled)
		l.part_of = syt_calloc(m->places->nr_threads, sizeof(*l.part_of));
	l.is_complete = h.nr && h.touches[0].at >= syt_match_complete_from(m, object);
	walk(&l, &h, false);
	l.is_foreign |= !!(m->objects->all[object].info->flags & SYT_OBJECT_PRESHARED);
	l.has_unknown = false;
	l.write = NULL;
	l.nr_reads = 0;
	walk(&l, &h, true);
	syt_store_free(l.reads);
	free(l.part_of);
}
