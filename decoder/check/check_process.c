/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Processes: if a process image was forked by a parent image or replaced it, the parent's fork, spawn or exec event
 * began before the first event of the image. After a wait call has reaped a process, none of its images has an
 * event. The status that the wait call returned is the exit status of the process.
 *
 * A process is identified by pid and start time. In nested pid namespaces one pid means different processes, so
 * these processes are not checked. A parent that was stopped in the call has no event that names the child. A
 * parent also has no event for the forks that libc makes itself (system, popen).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "decoder/check/check.h"
#include "decoder/order/end.h"
#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"

struct begin {
	uint32_t image; /* index of the process image that made the child */
	uint64_t pid;
	struct syt_place at;
};

struct processes {
	struct syt_check *c;
	uint64_t nr_begins;
	struct begin *begins;   /* sorted by image, pid, then time */
	uint32_t *by_pid;       /* indices of the process images, sorted by host and pid */
	syt_time *first, *last; /* [image]: begin of its first event, end of its last event */
	struct syt_place *reap; /* [image]: first wait call that reaped it, or thread SYT_NONE */
};

static int by_child(const void *a_, const void *b_, void *places)
{
	const struct begin *a = a_, *b = b_;

	SYT_ORDER_BY(image);
	SYT_ORDER_BY(pid);
	if (places)
		SYT_ORDER(syt_place_row(places, a->at)->in, syt_place_row(places, b->at)->in);
	return 0;
}

static int by_pid(const void *a_, const void *b_, void *trace_)
{
	const struct syt_trace_data *trace = trace_;
	const uint32_t *a = a_, *b = b_;

	SYT_ORDER(trace->images[*a].host, trace->images[*b].host);
	SYT_ORDER(trace->images[*a].file.pid, trace->images[*b].file.pid);
	SYT_ORDER(*a, *b);
	return 0;
}

static void collect(struct processes *s)
{
	const struct syt_histories *h = &s->c->order->histories;
	const struct syt_places *p = &s->c->order->places;

	s->begins = syt_store_alloc(h->nr_life, sizeof(*s->begins));
	for (uint64_t i = 0; i < h->nr_life; i++) {
		struct syt_place at = h->life[i];
		uint8_t shape = syt_place_call(p, at)->shape;
		uint64_t pid = syt_place_extra(p, at)->pid;

		if (shape != SYT_SHAPE_FORK && shape != SYT_SHAPE_SPAWN && shape != SYT_SHAPE_EXEC)
			continue;
		if (!pid)
			pid = syt_place_image(p, at)->file.pid;
		s->begins[s->nr_begins++] = (struct begin){syt_place_image_idx(p, at), pid, at};
	}
	syt_sort_with(s->begins, s->nr_begins, sizeof(*s->begins), by_child, (void *)p);
}

static void find_ends(struct processes *s)
{
	const struct syt_trace_data *trace = s->c->order->places.trace;

	for (uint32_t i = 0; i < trace->nr_images; i++) {
		s->first[i] = UINT64_MAX;
		s->by_pid[i] = i;
		for (uint32_t t = 0; t < trace->images[i].nr_threads; t++) {
			const struct syt_thread *thread = &trace->images[i].threads[t];

			for (uint64_t r = 0; r < thread->nr_rows; r++) {
				if (thread->rows[r].in < s->first[i])
					s->first[i] = thread->rows[r].in;
				if (thread->rows[r].out > s->last[i])
					s->last[i] = thread->rows[r].out;
			}
		}
	}
	qsort_r(s->by_pid, trace->nr_images, sizeof(*s->by_pid), by_pid, (void *)trace);
}

/* Returns the first call by KEY's process image that made a child with KEY's pid, or NULL. */
static const struct begin *find_begin(const struct processes *s, const struct begin *key)
{
	uint64_t low = SYT_BISECT(i, 0, s->nr_begins, by_child(&s->begins[i], key, NULL) < 0);

	return low < s->nr_begins && !by_child(&s->begins[low], key, NULL) ? &s->begins[low] : NULL;
}

static void check_begin(struct processes *s, uint32_t image)
{
	const struct syt_places *p = &s->c->order->places;
	const struct syt_image *i = &p->trace->images[image];
	uint32_t parent = syt_image_parent(p->trace, image);
	struct begin key = {parent, i->file.pid, SYT_NOWHERE};
	const struct begin *b;

	if (s->first[image] == UINT64_MAX || i->file.parent_index == UINT32_MAX ||
	    parent == SYT_NONE)
		return;
	s->c->nr_checked++;
	b = find_begin(s, &key);
	if (!b)
		syt_check_excuse(
			s->c, p->complete_from[parent] ? SYT_EXCUSE_OVERWRITTEN : SYT_EXCUSE_UNSEEN,
			1);
	else if (syt_place_row(p, b->at)->in > s->first[image])
		syt_check_violation_at(s->c,
		                       "the process has events before the event that created it",
		                       SYT_NONE, b->at, SYT_NOWHERE)
			->image = image;
}

/* Returns the index of the first element of by_pid with a host and pid >= HOST and PID. */
static uint32_t find_pid(const struct processes *s, uint32_t host, uint64_t pid)
{
	const struct syt_trace_data *trace = s->c->order->places.trace;

	return SYT_BISECT(i, 0, trace->nr_images,
	                  trace->images[s->by_pid[i]].host < host ||
	                          (trace->images[s->by_pid[i]].host == host &&
	                           trace->images[s->by_pid[i]].file.pid < pid));
}

/* Returns true if element I of by_pid is an image of the process PID on HOST. */
static bool has_pid(const struct processes *s, uint32_t i, uint32_t host, uint64_t pid)
{
	const struct syt_trace_data *trace = s->c->order->places.trace;

	return i < trace->nr_images && trace->images[s->by_pid[i]].host == host &&
	       trace->images[s->by_pid[i]].file.pid == pid;
}

/* Compares the status that a wait call returned with the exit status of the process. An untraced process may use
 * the pid again and be reaped again, so only the first wait call that reaped the pid counts. */
static void check_status(struct processes *s, uint32_t image)
{
	const struct syt_places *p = &s->c->order->places;
	const struct syt_file *f = &p->trace->images[image].file;
	uint64_t code = f->state >> 8 & 0xff;
	int status;

	if (s->reap[image].thread == SYT_NONE || (f->state & 0xff) != SYT_STATE_EXITED)
		return;
	status = (int)syt_place_extra(p, s->reap[image])->status;
	if (WIFEXITED(status) && code != (uint64_t)WEXITSTATUS(status))
		syt_check_numbers(
			s->c, "the parent received another exit status than the process had",
			SYT_NONE, s->reap[image], SYT_NOWHERE, code, (uint64_t)WEXITSTATUS(status))
			->image = image;
}

/* Returns true if the process images A and B, which have one pid, are one process: they have one start time. */
static bool is_same(const struct syt_trace_data *trace, uint32_t a, uint32_t b)
{
	uint64_t start = trace->images[a].file.start_time;

	return a == b || (start && start == trace->images[b].file.start_time);
}

static void check_reap(struct processes *s, struct syt_place at)
{
	const struct syt_places *p = &s->c->order->places;
	const struct syt_trace_data *trace = p->trace;
	const struct syt_extra *x = syt_place_extra(p, at);
	syt_time out = syt_place_row(p, at)->out;
	uint32_t host = syt_place_image(p, at)->host;
	uint32_t best = SYT_NONE, from = find_pid(s, host, x->pid);
	int status = (int)x->status;

	if (!x->pid || (!WIFEXITED(status) && !WIFSIGNALED(status)) || syt_place_image(p, at)->pids)
		return;
	for (uint32_t i = from; has_pid(s, i, host, x->pid); i++) {
		uint32_t image = s->by_pid[i];

		if (s->first[image] <= out && !trace->images[image].pids &&
		    (best == SYT_NONE || s->first[image] > s->first[best]))
			best = image;
	}
	if (best == SYT_NONE)
		return;
	s->c->nr_checked++;
	for (uint32_t i = from; has_pid(s, i, host, x->pid); i++) {
		uint32_t image = s->by_pid[i];

		if (is_same(trace, image, best) && s->first[image] != UINT64_MAX &&
		    s->last[image] > out)
			syt_check_violation_at(
				s->c, "the process has events after wait() had returned it",
				SYT_NONE, at, SYT_NOWHERE)
				->image = image;
	}
	if (s->reap[best].thread == SYT_NONE || syt_place_row(p, s->reap[best])->out > out)
		s->reap[best] = at;
}

void syt_check_process(struct syt_check *c)
{
	const struct syt_order *o = c->order;
	uint32_t nr = o->places.trace->nr_images;
	struct processes s = {.c = c,
	                      .by_pid = syt_alloc(nr, sizeof(uint32_t)),
	                      .first = syt_calloc(nr, sizeof(syt_time)),
	                      .last = syt_calloc(nr, sizeof(syt_time)),
	                      .reap = syt_alloc(nr, sizeof(struct syt_place))};

	for (uint32_t i = 0; i < nr; i++)
		s.reap[i] = SYT_NOWHERE;
	collect(&s);
	find_ends(&s);
	for (uint32_t i = 0; i < nr; i++)
		check_begin(&s, i);
	for (uint64_t i = 0; i < o->histories.nr_life; i++)
		if (syt_place_call(&o->places, o->histories.life[i])->shape == SYT_SHAPE_REAP &&
		    syt_place_succeeded(&o->places, o->histories.life[i]))
			check_reap(&s, o->histories.life[i]);
	for (uint32_t i = 0; i < nr; i++)
		check_status(&s, i);
	free(s.reap);
	syt_store_free(s.begins);
	free(s.by_pid);
	free(s.first);
	free(s.last);
}
