/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Locks on files (flock; lockf and fcntl): the end of a lock happens before the next acquisition that conflicts
 * with it. The edges have class run-after, because the order of the two is chance.
 *
 * The decoder cuts a file into pieces at the bounds of all locked ranges. Each piece is a read-write lock: a shared
 * acquisition follows the last exclusive lock that ended, and an exclusive acquisition follows this lock and all
 * shared locks since then. The owner of a lock is a process (also over exec), or an open file description (flock,
 * F_OFD_SETLK). Changes that an owner makes to its own locks order no threads. The rule is sound for the reason
 * that match_mutex.c gives.
 *
 * A file lock ends in these ways:
 * - An unlock ends the lock.
 * - A change to a shared lock ends an exclusive lock. With flock, any change ends the old lock, even a failed
 *   change.
 * - The record locks of a process also end when the process closes any fd of the file, at exec (which may have
 *   closed an fd), and at its exit.
 * - The locks of an open file description end when the last process closes it. The close, exit or exec of each
 *   process that used it happens before the next holder's acquisition.
 *
 * Missing events and unseen ends of locks: an owner has lost its lock if another owner acquires a conflicting lock.
 * The trace contradicts itself if the first owner's process was alive then and none of its events is missing. The
 * file then gets no edges. A file gets no edges either if a description or a range is unknown, or if two threads
 * that share an owner change the same bytes at the same time.
 */
#include "decoder/match/filelock.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"

#define MOST_STEPS (UINT64_C(1) << 24) /* maximum of work for one file */
#define MANY_ENDS 32u                  /* a piece with more ends of locks merges them */

struct hold {
	uint32_t owner;
	uint32_t image;
	uint8_t mode;
};

/* An event that ended, or helped to end, a lock on a piece of a file. */
struct end {
	struct syt_place place;
	uint32_t owner;
	bool is_exclusive;
	bool is_partial; /* ended one process's use of a description that others may hold */
};

struct piece {
	uint32_t nr_holds, nr_ends, nr_calls;
	size_t room_holds, room_ends, room_calls;
	struct hold *holds;
	struct end *ends;
	struct call *calls;
	bool has_unseen; /* a lock on this piece ended without a recorded event */
};

/* A lock call in progress. */
struct call {
	uint32_t owner, thread;
	syt_time until;
};

/* A process that has used an open file description and has not closed it. */
struct use {
	uint32_t image, owner;
};

struct filelock {
	struct syt_match *m;
	uint32_t object;
	bool is_complete, is_matching;
	bool is_wrong; /* the trace shows a contradiction, such as two conflicting locks */
	struct syt_filelock given;
	uint64_t cost;
	struct piece *pieces;
	uint32_t nr_uses;
	size_t room_uses, room_sources;
	struct use *uses;
	uint64_t nr_sources;
	struct syt_place *sources; /* scratch memory: the sources of one acquisition */
};

/* Grows an array of a piece of a file, starting with one element. A file may have millions of pieces, and most
 * pieces have one element in each array. */
static void grow(void *array, size_t *room, size_t nr, size_t bytes)
{
	void *old;

	if (nr <= *room)
		return;
	memcpy(&old, array, sizeof(old));
	*room = *room ? 2 * *room : 1;
	old = syt_realloc(old, *room, bytes);
	memcpy(array, &old, sizeof(old));
}

/* ---- effects of the begin and the end of lock calls ---- */

static struct hold *find_hold(const struct piece *p, uint32_t owner)
{
	for (uint32_t i = 0; i < p->nr_holds; i++)
		if (p->holds[i].owner == owner)
			return &p->holds[i];
	return NULL;
}

static void drop_hold(struct piece *p, struct hold *h)
{
	*h = p->holds[--p->nr_holds];
}

/* Adds an event E that ended a lock on piece P. The event E replaces an earlier end by the same thread and
 * owner, because the order of events within the thread implies the earlier edge. On a piece with many ends, E
 * replaces an earlier end by the same thread for any owner. A definite end replaces the partial ends (struct
 * end) of its owner. */
static void add_end(struct filelock *f, struct piece *p, struct end e)
{
	uint32_t kept = 0;

	f->cost += p->nr_ends;
	for (uint32_t i = 0; i < p->nr_ends; i++) {
		const struct end *was = &p->ends[i];
		bool is_same = was->owner == e.owner ||
		               (p->nr_ends > MANY_ENDS && !was->is_partial && !e.is_partial);
		bool is_implied = was->place.thread == e.place.thread &&
		                  was->is_exclusive <= e.is_exclusive && is_same;

		if (is_implied || (was->owner == e.owner && was->is_partial && !e.is_partial))
			continue;
		p->ends[kept++] = *was;
	}
	p->nr_ends = kept;
	grow(&p->ends, &p->room_ends, p->nr_ends + 1, sizeof(*p->ends));
	p->ends[p->nr_ends++] = e;
}

static void release(struct filelock *f, const struct syt_filelock_step *s, uint32_t owner,
                    bool is_partial)
{
	for (uint64_t i = s->from; i < s->to && owner != SYT_NONE; i++) {
		struct piece *p = &f->pieces[i];
		struct hold *h = find_hold(p, owner);

		if (!h)
			continue;
		add_end(f, p,
		        (struct end){s->place, owner, h->mode == SYT_LOCK_EXCLUSIVE, is_partial});
		if (!is_partial)
			drop_hold(p, h);
	}
}

/* Changes the lock that OWNER holds to the mode of S. flock() begins a change with an unlock. With fcntl(), a
 * change from exclusive to shared ends only the exclusive lock. */
static void change(struct filelock *f, const struct syt_filelock_step *s, uint32_t owner)
{
	for (uint64_t i = s->from; i < s->to; i++) {
		struct piece *p = &f->pieces[i];
		struct hold *h = find_hold(p, owner);

		if (!h || h->mode == s->mode)
			continue;
		if (!f->given.is_flock && (s->mode == SYT_LOCK_EXCLUSIVE || !s->has_succeeded))
			continue;
		add_end(f, p, (struct end){s->place, owner, h->mode == SYT_LOCK_EXCLUSIVE, false});
		if (f->given.is_flock)
			drop_hold(p, h);
		else
			h->mode = s->mode;
	}
}

static void set_use(struct filelock *f, uint32_t image, uint32_t owner, bool is_open)
{
	uint32_t i = 0;

	f->cost += f->nr_uses;
	while (i < f->nr_uses && (f->uses[i].image != image || f->uses[i].owner != owner))
		i++;
	if (is_open && i == f->nr_uses) {
		*SYT_STORE_ADD(f->uses, f->nr_uses, f->room_uses) = (struct use){image, owner};
	} else if (!is_open && i < f->nr_uses) {
		f->uses[i] = f->uses[--f->nr_uses];
	}
}

/* Stores the begin of a lock call by OWNER. If two threads act for OWNER at the same time, their order is
 * unknown. */
static void enter(struct filelock *f, const struct syt_filelock_step *s, uint32_t owner)
{
	syt_time until = syt_place_row(f->m->places, s->place)->out;

	for (uint64_t i = s->from; i < s->to && owner != SYT_NONE; i++) {
		struct piece *p = &f->pieces[i];
		uint32_t kept = 0;

		f->cost += p->nr_calls;
		for (uint32_t k = 0; k < p->nr_calls; k++) {
			const struct call *c = &p->calls[k];

			if (c->until < s->at)
				continue;
			f->is_wrong |= c->owner == owner && c->thread != s->place.thread;
			p->calls[kept++] = *c;
		}
		p->nr_calls = kept;
		grow(&p->calls, &p->room_calls, p->nr_calls + 1, sizeof(*p->calls));
		p->calls[p->nr_calls++] = (struct call){owner, s->place.thread, until};
	}
}

static void begin(struct filelock *f, const struct syt_filelock_step *s)
{
	uint32_t image = syt_place_image_idx(f->m->places, s->place);
	uint32_t owner = s->process != SYT_NONE ? s->process : s->description;

	if (s->shape != SYT_SHAPE_FILE_LOCK) { /* the process image ends */
		release(f, s, s->process, false);
		for (uint32_t i = 0; i < f->nr_uses; i++)
			if (f->uses[i].image == image)
				release(f, s, f->uses[i].owner, true);
		return;
	}
	enter(f, s, s->process);
	enter(f, s, s->description);
	if (s->flags & SYT_LOCK_CLOSED) {
		release(f, s, s->process, false);
		release(f, s, s->description, true);
		if (s->description != SYT_NONE)
			set_use(f, image, s->description, false);
		return;
	}
	if (owner == SYT_NONE)
		return;
	if (s->process == SYT_NONE)
		set_use(f, image, owner, true);
	if (s->mode != SYT_LOCK_NONE)
		change(f, s, owner);
	else if (s->has_succeeded)
		release(f, s, owner, false);
}

/* Ends the lock H on piece P, because the step S has acquired a lock on P that conflicts with H. */
static void settle(struct filelock *f, const struct syt_filelock_step *s, struct piece *p,
                   struct hold *h)
{
	bool is_explained = false;

	for (uint32_t i = 0; i < p->nr_ends; i++) {
		if (p->ends[i].owner != h->owner || !p->ends[i].is_partial)
			continue;
		p->ends[i].is_partial = false;
		is_explained = true;
	}
	if (!is_explained) {
		p->has_unseen = true;
		f->is_wrong |=
			f->is_complete && syt_place_image_end(f->m->places, h->image) > s->at;
	}
	drop_hold(p, h);
}

SYT_COMPARATOR(by_place, struct syt_place)
{
	return syt_place_compare(*a, *b);
}

/* Adds the edges from the collected sources to the acquisition TO. */
static void report(struct filelock *f, struct syt_place to, bool has_unseen, bool has_ends)
{
	bool has_edge = false;

	syt_sort(f->sources, f->nr_sources, sizeof(*f->sources), by_place);
	for (uint64_t i = 0; i < f->nr_sources; i++) {
		struct syt_place from = f->sources[i];

		if (from.thread == to.thread || (i && !by_place(&from, &f->sources[i - 1])))
			continue;
		has_edge |= syt_match_edge(f->m, SYT_EDGE_FILELOCK, SYT_CLASS_RUN_AFTER, from, to,
		                           f->object, 0);
	}
	if (has_edge)
		syt_match_attributed(f->m, false);
	else if (!has_unseen && (has_ends || f->is_complete))
		syt_match_unneeded(f->m);
	else
		syt_match_unattributed(f->m, f->is_complete ? SYT_REASON_NO_RELEASE
		                                            : SYT_REASON_OVERWRITTEN);
}

static void acquire(struct filelock *f, const struct syt_filelock_step *s)
{
	uint32_t owner = s->process != SYT_NONE ? s->process : s->description;
	uint32_t image = syt_place_image_idx(f->m->places, s->place);
	bool is_exclusive = s->mode == SYT_LOCK_EXCLUSIVE, has_unseen = false, has_ends = false;

	f->nr_sources = 0;
	for (uint64_t i = s->from; i < s->to; i++) {
		struct piece *p = &f->pieces[i];
		struct hold *mine;

		f->cost += p->nr_holds + p->nr_ends;
		for (uint32_t k = p->nr_holds; k--;)
			if (p->holds[k].owner != owner &&
			    (is_exclusive || p->holds[k].mode == SYT_LOCK_EXCLUSIVE))
				settle(f, s, p, &p->holds[k]);
		for (uint32_t k = 0; k < p->nr_ends; k++) {
			const struct end *e = &p->ends[k];

			has_ends = true;
			if (e->owner != owner && !e->is_partial &&
			    (is_exclusive || e->is_exclusive))
				*SYT_STORE_ADD(f->sources, f->nr_sources, f->room_sources) =
					e->place;
		}
		has_unseen |= p->has_unseen;
		if (is_exclusive) {
			p->nr_ends = 0;
			p->has_unseen = false;
		}
		mine = find_hold(p, owner);
		if (!mine) {
			grow(&p->holds, &p->room_holds, p->nr_holds + 1, sizeof(*p->holds));
			mine = &p->holds[p->nr_holds++];
		}
		*mine = (struct hold){owner, image, s->mode};
	}
	if (f->is_matching)
		report(f, s->place, has_unseen, has_ends);
}

/* Goes through all steps of the file once. The first pass (not IS_MATCHING) only detects contradictions. */
static void walk(struct filelock *f, bool is_matching)
{
	f->is_matching = is_matching;
	f->nr_uses = 0;
	for (uint64_t i = 0; i < f->given.nr_bounds; i++) {
		f->pieces[i].nr_holds = f->pieces[i].nr_ends = f->pieces[i].nr_calls = 0;
		f->pieces[i].has_unseen = false;
	}
	for (uint64_t i = 0; i < f->given.nr_steps && (is_matching || f->cost <= MOST_STEPS); i++) {
		if (f->given.steps[i].when == SYT_FILELOCK_AT_BEGIN)
			begin(f, &f->given.steps[i]);
		else if (f->given.steps[i].process != SYT_NONE ||
		         f->given.steps[i].description != SYT_NONE)
			acquire(f, &f->given.steps[i]);
	}
}

static void give_up(struct filelock *f)
{
	for (uint64_t i = 0; i < f->given.nr_steps; i++)
		if (f->given.steps[i].when == SYT_FILELOCK_AT_END)
			syt_match_unattributed(f->m, f->given.reason);
}

void syt_match_filelock(struct syt_match *m, uint32_t object)
{
	struct filelock f = {
		.m = m, .object = object, .is_complete = !syt_match_complete_from(m, object)};

	syt_filelock_open(&f.given, m, object);
	f.cost = f.given.nr_visits;
	f.pieces = syt_store_alloc(f.given.nr_bounds, sizeof(*f.pieces));
	if (f.cost <= MOST_STEPS && f.given.reason == SYT_NR_REASONS)
		walk(&f, false);
	if (f.cost > MOST_STEPS)
		f.given.reason = SYT_REASON_TOO_MANY;
	else if (f.is_wrong && f.given.reason == SYT_NR_REASONS)
		f.given.reason = SYT_REASON_UNCERTAIN;
	if (f.given.reason == SYT_NR_REASONS)
		walk(&f, true);
	else
		give_up(&f);
	for (uint64_t i = 0; i < f.given.nr_bounds; i++) {
		free(f.pieces[i].holds);
		free(f.pieces[i].ends);
		free(f.pieces[i].calls);
	}
	syt_store_free(f.pieces);
	syt_store_free(f.uses);
	syt_store_free(f.sources);
	syt_filelock_close(&f.given);
}
