/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Processes: fork and posix_spawn happen before the first event of the child. An exec happens before the first
 * event of the next image of the process. The last events of a process happen before the wait call that reaped it.
 *
 * The decoder finds a process image by host, pid and time: the first image with this pid that begins after the fork or
 * exec, or the last image that began before the reaping. A reused pid causes no error: after a fork, the image must
 * name the forking image as its parent. After a spawn, it must not name another image as its parent. After an exec,
 * its process must have the same start time. When a process ends or calls exec, all its threads have ended, so the
 * last event of each thread comes before.
 *
 * Missing events: an edge to the first remaining event is also true. A child without events, or an untraced child,
 * gets no edge.
 */
#include "decoder/match/match.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"

struct processes {
	struct syt_match *m;
	bool *is_reaped; /* [process image]: a wait call has reaped its process */
	bool *has_begin; /* [process image]: some edge leads to its first event */
	/* [process image]: the last exec call that may have started it, or thread SYT_NONE */
	struct syt_place *exec;
};

/* Finds the first event of a process image. Returns false if the image has no event. */
static bool first_event(const struct syt_match *m, uint32_t image, struct syt_place *first)
{
	const struct syt_image *i = &m->places->trace->images[image];
	bool has = false;

	for (uint32_t t = 0; t < i->nr_threads; t++) {
		if (!i->threads[t].nr_rows)
			continue;
		struct syt_place at = {m->places->first[image] + t, 0};

		if (!has || syt_place_row(m->places, at)->in < syt_place_row(m->places, *first)->in)
			*first = at;
		has = true;
	}
	return has;
}

/* Returns the first process image with PID on the host of the image OF that begins after T, or SYT_NONE. */
static uint32_t next_image(const struct syt_match *m, const struct syt_image *of, uint64_t pid,
                           syt_time t)
{
	const struct syt_trace_data *trace = m->places->trace;
	uint32_t best = SYT_NONE;
	syt_time best_begin = 0;

	for (uint32_t i = 0; i < trace->nr_images; i++) {
		struct syt_place first;

		if (trace->images[i].host != of->host || trace->images[i].file.pid != pid ||
		    !first_event(m, i, &first))
			continue;
		syt_time begin = syt_place_row(m->places, first)->in;

		if (begin < t || (best != SYT_NONE && begin >= best_begin))
			continue;
		best = i;
		best_begin = begin;
	}
	return best;
}

/* Returns true if the child has the number of PARENT as the number of its parent. */
static bool is_child(const struct syt_image *child, const struct syt_image *parent)
{
	return child->recording == parent->recording &&
	       child->file.parent_index == parent->file.index;
}

/* Returns the process image of a forked child, or SYT_NONE if the image has another parent. */
static uint32_t forked_image(const struct syt_match *m, const struct syt_image *parent,
                             uint64_t pid, syt_time t)
{
	uint32_t next = next_image(m, parent, pid, t);

	return next != SYT_NONE && is_child(&m->places->trace->images[next], parent) ? next
	                                                                             : SYT_NONE;
}

/* Returns true if both process images may belong to one process: exec keeps the pid and the start time. */
static bool is_same_process(const struct syt_file *a, const struct syt_file *b)
{
	return a->pid != b->pid || !a->start_time || !b->start_time ||
	       a->start_time == b->start_time;
}

/* Returns the process image of a spawned child, unless the image is known to have another parent. */
static uint32_t spawned_image(const struct syt_match *m, const struct syt_image *parent,
                              uint64_t pid, syt_time t)
{
	uint32_t next = next_image(m, parent, pid, t);
	const struct syt_image *child = next == SYT_NONE ? NULL : &m->places->trace->images[next];

	return child && (child->file.ppid == parent->file.pid ||
	                 child->file.parent_index == UINT32_MAX || is_child(child, parent))
	               ? next
	               : SYT_NONE;
}

static void begin_edge(struct processes *p, enum syt_edge_kind kind, struct syt_place from,
                       uint32_t image)
{
	struct syt_match *m = p->m;
	struct syt_place first;

	if (image != SYT_NONE && first_event(m, image, &first))
		p->has_begin[image] |= syt_match_cause(m, kind, from, first, SYT_NONE, false);
}

/* Adds an edge to AT from the last event of each thread of the process image IMAGE, except the thread of EXCEPT. */
static bool end_edges(struct processes *p, enum syt_edge_kind kind, uint32_t image,
                      struct syt_place except, struct syt_place at)
{
	struct syt_match *m = p->m;
	const struct syt_image *i = &m->places->trace->images[image];
	bool has_edge = false;

	for (uint32_t t = 0; t < i->nr_threads; t++) {
		struct syt_place last = {m->places->first[image] + t, 0};

		if (!i->threads[t].nr_rows || last.thread == except.thread)
			continue;
		last.row = (uint32_t)i->threads[t].nr_rows - 1;
		has_edge |= syt_match_cause(m, kind, last, at, SYT_NONE, false);
	}
	return has_edge;
}

/* Stores the last exec call that may have started a process image. If several exec calls follow each other (a
 * search along PATH), only the last one succeeded. */
static void see_exec(struct processes *p, struct syt_place at)
{
	struct syt_match *m = p->m;
	const struct syt_row *r = syt_place_row(m->places, at);
	const struct syt_extra *x = syt_place_extra(m->places, at);
	uint64_t pid = x->pid ? x->pid : syt_place_image(m->places, at)->file.pid;
	uint32_t next = next_image(m, syt_place_image(m->places, at), pid, r->in);

	if (r->result >= 0 && next != SYT_NONE && next != syt_place_image_idx(m->places, at) &&
	    is_same_process(&syt_place_image(m->places, at)->file,
	                    &m->places->trace->images[next].file))
		p->exec[next] = at;
}

static void match_exec(struct processes *p, uint32_t next)
{
	struct syt_match *m = p->m;
	struct syt_place at = p->exec[next], first;
	const struct syt_image *i;

	if (at.thread == SYT_NONE || !first_event(m, next, &first))
		return;
	i = syt_place_image(m->places, at);
	begin_edge(p, SYT_EDGE_EXEC, at, next);
	if (i->file.pid == m->places->trace->images[next].file.pid &&
	    (i->file.state & 0xff) == SYT_STATE_EXECED)
		end_edges(p, SYT_EDGE_EXEC, syt_place_image_idx(m->places, at), at, first);
}

/* Returns true if the wait status STATUS reports the end of a process, not a stop or a continuation. */
static bool has_ended(uint64_t status)
{
	return (status & 0xff) != 0x7f && (status & 0xffff) != 0xffff;
}

static void match_reap(struct processes *p, struct syt_place at)
{
	struct syt_match *m = p->m;
	const struct syt_trace_data *trace = m->places->trace;
	const struct syt_extra *x = syt_place_extra(m->places, at);
	syt_time out = syt_place_row(m->places, at)->out, best_begin = 0;
	uint32_t best = SYT_NONE, host = syt_place_image(m->places, at)->host;
	struct syt_place no_place = {SYT_NONE, 0};

	if (!x->pid || !has_ended(x->status))
		return;
	for (uint32_t i = 0; i < trace->nr_images; i++) {
		struct syt_place first;

		if (trace->images[i].host != host || trace->images[i].file.pid != x->pid ||
		    p->is_reaped[i] || !first_event(m, i, &first))
			continue;
		syt_time begin = syt_place_row(m->places, first)->in;

		if (begin <= out && (best == SYT_NONE || begin > best_begin)) {
			best = i;
			best_begin = begin;
		}
	}
	if (best == SYT_NONE) {
		syt_match_unattributed(m, SYT_REASON_UNTRACED_PEER);
		return;
	}
	p->is_reaped[best] = true;
	if (end_edges(p, SYT_EDGE_REAP, best, no_place, at))
		syt_match_attributed(m, false);
	else
		syt_match_unattributed(m, SYT_REASON_BACKWARDS);
}

static int by_time(const void *a_, const void *b_, void *places)
{
	const struct syt_place *a = a_, *b = b_;

	SYT_ORDER(syt_place_row(places, *a)->out, syt_place_row(places, *b)->out);
	return syt_place_compare(*a, *b);
}

static void match_one(struct processes *p, struct syt_place at)
{
	struct syt_match *m = p->m;
	uint64_t pid = syt_place_extra(m->places, at)->pid;
	syt_time in = syt_place_row(m->places, at)->in;
	const struct syt_image *image = syt_place_image(m->places, at);

	switch (syt_place_call(m->places, at)->shape) {
	case SYT_SHAPE_FORK:
		if (pid)
			begin_edge(p, SYT_EDGE_FORK, at, forked_image(m, image, pid, in));
		break;
	case SYT_SHAPE_SPAWN:
		if (pid)
			begin_edge(p, SYT_EDGE_FORK, at, spawned_image(m, image, pid, in));
		break;
	case SYT_SHAPE_EXEC:
		see_exec(p, at);
		break;
	case SYT_SHAPE_REAP:
		match_reap(p, at);
		break;
	}
}

void syt_match_processes(struct syt_match *m)
{
	uint32_t nr_images = m->places->trace->nr_images;
	uint64_t nr = m->histories->nr_life;
	struct syt_place *life = syt_store_alloc(nr, sizeof(*life));
	struct processes p = {m, syt_calloc(nr_images, sizeof(bool)),
	                      syt_calloc(nr_images, sizeof(bool)),
	                      syt_alloc(nr_images, sizeof(struct syt_place))};

	for (uint64_t i = 0; i < nr; i++)
		life[i] = m->histories->life[i];
	for (uint32_t i = 0; i < nr_images; i++)
		p.exec[i] = (struct syt_place){SYT_NONE, 0};
	syt_sort_with(life, nr, sizeof(*life), by_time, (void *)m->places);
	for (uint64_t i = 0; i < nr; i++)
		match_one(&p, life[i]);
	for (uint32_t i = 0; i < nr_images; i++) {
		match_exec(&p, i);
		if (p.has_begin[i])
			syt_match_attributed(m, false);
	}
	syt_store_free(life);
	free(p.is_reaped);
	free(p.has_begin);
	free(p.exec);
}
