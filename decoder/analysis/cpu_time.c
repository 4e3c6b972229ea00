/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/cpu_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "decoder/history/object.h"

#define WAIT_NS 100000u /* the recorder asks for the CPU time after a call of this length */
#define MOST_COPIED                                                                                \
	(1u << 16) /* a call that moves more bytes may have spent its time with copying */

struct sample {
	syt_time at;
	uint64_t cpu_ns; /* CPU time of the thread by AT */
	syt_time used;   /* CPU time since the first sample, never longer than the time */
};

struct syt_cpu_samples {
	bool is_gathered;
	size_t nr, room;
	struct sample *all; /* sorted by time */
};

void syt_cpu_times_open(struct syt_cpu_times *c, const struct syt_places *places)
{
	c->places = places;
	c->threads = syt_calloc(places->nr_threads, sizeof(*c->threads));
}

void syt_cpu_times_close(struct syt_cpu_times *c)
{
	for (uint32_t i = 0; c->threads && i < c->places->nr_threads; i++)
		free(c->threads[i].all);
	free(c->threads);
	memset(c, 0, sizeof(*c));
}

/* Returns true if the thread was off the CPU during nearly the whole long call R. Calls that run code of the
 * program, that spin or that copy many bytes do not count. */
static bool is_off_cpu(const struct syt_thread *t, const struct syt_row *r,
                       const struct syt_extra *x)
{
	const struct syt_image *i = t->image;
	enum syt_kind kind = r->object == SYT_NONE ? SYT_KIND_OTHER : i->objects[r->object].kind;

	if (r->out - r->in < (syt_time)WAIT_NS << SYT_TIME_SHIFT)
		return false;
	switch (syt_row_call(i, r)->shape) {
	case SYT_SHAPE_LOCK:
	case SYT_SHAPE_RDLOCK:
		return kind != SYT_KIND_SPIN;
	case SYT_SHAPE_COND_WAIT:
	case SYT_SHAPE_CANCELLED:
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_SEM_ZERO:
	case SYT_SHAPE_FUTEX_WAIT:
	case SYT_SHAPE_SIGNAL_RECV:
	case SYT_SHAPE_BARRIER_WAIT:
	case SYT_SHAPE_FILE_LOCK:
	case SYT_SHAPE_READY:
	case SYT_SHAPE_PAUSE:
	case SYT_SHAPE_REAP:
	case SYT_SHAPE_JOIN:
	case SYT_SHAPE_ACCEPT:
	case SYT_SHAPE_CONNECT:
		return true;
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_SEND:
		return kind != SYT_KIND_FILE && kind != SYT_KIND_OTHER && x->bytes <= MOST_COPIED;
	default:
		return false;
	}
}

/* Adds a sample. A damaged or unordered sample is left out. */
static void add(struct syt_cpu_samples *s, syt_time at, uint64_t cpu_ns)
{
	const struct sample *last = s->nr ? &s->all[s->nr - 1] : NULL;
	syt_time used = 0;

	if (last) {
		uint64_t ns = cpu_ns - last->cpu_ns;

		if (at <= last->at || cpu_ns < last->cpu_ns)
			return;
		used = ns < SYT_TIME_NS(at - last->at) ? ns << SYT_TIME_SHIFT : at - last->at;
		used += last->used;
	}
	*SYT_ADD(s->all, s->nr, s->room) = (struct sample){at, cpu_ns, used};
}

static const struct syt_cpu_samples *samples_of(const struct syt_cpu_times *c, uint32_t thread)
{
	const struct syt_thread *t = c->places->threads[thread];
	struct syt_cpu_samples *s = &c->threads[thread];

	if (s->is_gathered)
		return s;
	s->is_gathered = true;
	SYT_EACH(row, 0, t->nr_rows) {
		const struct syt_row *r = syt_thread_row(t, row);
		const struct syt_extra *x = syt_thread_extra(t, r);

		/* a new thread has used no CPU time */
		if (!row && !t->base &&
		    syt_row_call(t->image, r)->shape == SYT_SHAPE_THREAD_START)
			add(s, r->in, 0);
		if (!x->cpu)
			continue;
		if (is_off_cpu(t, r, x))
			add(s, r->in, x->cpu);
		add(s, r->out, x->cpu);
	}
	return s;
}

/* Adds the stretch of length PART from the time between sample N and its successor. */
static void add_part(struct syt_cpu_use *u, const struct syt_cpu_samples *s, size_t n,
                     syt_time part)
{
	syt_time rest = s->all[n + 1].at - s->all[n].at - part;
	syt_time used = s->all[n + 1].used - s->all[n].used;

	u->least += used > rest ? used - rest : 0;
	u->most += used < part ? used : part;
}

struct syt_cpu_use syt_cpu_used(const struct syt_cpu_times *c, uint32_t thread, syt_time from,
                                syt_time to)
{
	const struct syt_cpu_samples *s = samples_of(c, thread);
	struct syt_cpu_use u = {.of = to > from ? to - from : 0};
	uint64_t first, last; /* the samples in the stretch: FIRST to LAST - 1 */

	if (!u.of)
		return u;
	first = SYT_BISECT(i, 0, s->nr, s->all[i].at < from);
	last = SYT_BISECT(i, 0, s->nr, s->all[i].at <= to);
	if (first == last) {
		/* no sample in the stretch */
		if (first && last < s->nr)
			add_part(&u, s, first - 1, u.of);
		else
			u.most = u.of;
		return u;
	}
	u.least = u.most = s->all[last - 1].used - s->all[first].used;
	if (first)
		add_part(&u, s, first - 1, s->all[first].at - from);
	else
		u.most += s->all[first].at - from;
	if (last < s->nr)
		add_part(&u, s, last - 1, to - s->all[last - 1].at);
	else
		u.most += to - s->all[last - 1].at;
	return u;
}
