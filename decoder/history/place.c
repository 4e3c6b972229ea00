/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/history/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/read/call.h"
#include "decoder/read/number.h"

/* The value of thrd_timedout in <threads.h>. C11 calls return it where pthread calls return ETIMEDOUT. */
#define C11_TIMEDOUT 4

static uint32_t nr_hosts(const struct syt_places *p)
{
	return p->trace->hosts ? p->trace->hosts->nr : 1;
}

int syt_places_open(struct syt_places *p, const struct syt_trace_data *trace)
{
	uint64_t nr_threads = 0;
	uint32_t nr_windows;

	memset(p, 0, sizeof(*p));
	p->trace = trace;
	p->first = syt_calloc(trace->nr_images, sizeof(*p->first));
	p->complete_from = syt_calloc(trace->nr_images, sizeof(*p->complete_from));
	for (uint32_t i = 0; i < trace->nr_images; i++) {
		p->first[i] = (uint32_t)nr_threads;
		nr_threads += trace->images[i].nr_threads;
	}
	if (nr_threads >= SYT_NONE)
		return -1;
	p->threads = syt_calloc(nr_threads, sizeof(*p->threads));
	for (uint32_t i = 0; i < trace->nr_images; i++) {
		const struct syt_image *image = &trace->images[i];

		p->complete_from[i] = image->nr_lost || image->nr_missing
		                              ? UINT64_MAX
		                              : syt_image_complete_from(image);
		for (uint32_t t = 0; t < image->nr_threads; t++) {
			if (image->threads[t].nr_rows >= SYT_NONE)
				return -1;
			p->threads[p->nr_threads++] = &image->threads[t];
		}
	}
	nr_windows = nr_hosts(p);
	p->windows = syt_calloc(nr_windows, sizeof(*p->windows));
	for (uint32_t h = 0; h < nr_windows; h++)
		p->windows[h].complete_until = UINT64_MAX;
	return 0;
}

void syt_places_close(struct syt_places *p)
{
	free(p->first);
	free(p->complete_from);
	for (uint32_t h = 0; p->windows && h < nr_hosts(p); h++)
		free(p->windows[h].resumes);
	free(p->windows);
	free(p->threads);
	memset(p, 0, sizeof(*p));
}

/* Parses the number at *P, which ends at the character AFTER. Advances *P behind this character. */
static bool parse_part(const char **p, uint64_t *v, char after)
{
	const char *end = strchr(*p, after);
	char digits[24];

	if (!end || (size_t)(end - *p) >= sizeof(digits))
		return false;
	memcpy(digits, *p, (size_t)(end - *p));
	digits[end - *p] = '\0';
	*p = end + 1;
	return syt_number_parse(digits, v);
}

bool syt_place_find(const struct syt_places *p, const char *id, struct syt_place *at)
{
	uint64_t image, thread, event;

	if (!parse_part(&id, &image, '.') || !parse_part(&id, &thread, '.') ||
	    !parse_part(&id, &event, '\0'))
		return false;
	for (uint32_t n = 0; n < p->nr_threads; n++) {
		const struct syt_thread *t = p->threads[n];

		if (t->image->index != image || t->index != thread || event < t->base ||
		    event - t->base >= t->nr_rows)
			continue;
		*at = (struct syt_place){n, (uint32_t)(event - t->base)};
		return true;
	}
	return false;
}

syt_time syt_place_image_end(const struct syt_places *p, uint32_t image)
{
	const struct syt_image *i = &p->trace->images[image];
	syt_time end = 0;

	for (uint32_t t = 0; t < i->nr_threads; t++) {
		const struct syt_thread *thread = &i->threads[t];

		if (!thread->nr_rows)
			continue;
		syt_time out = syt_thread_row(thread, thread->nr_rows - 1)->out;

		end = out > end ? out : end;
	}
	return end;
}

syt_time syt_place_earliest(const struct syt_places *p, struct syt_place at)
{
	const struct syt_thread *t = p->threads[at.thread];
	const struct syt_row *r = syt_thread_row(t, at.row);

	if (r->in < r->out)
		return r->in;
	if (!at.row)
		return t->first < r->in && !t->base ? t->first : 0;

	const struct syt_row *before = syt_thread_row(t, at.row - 1);

	/* if a signal handler made this event inside of the previous one, only the begin of the previous one is
	 * earlier */
	return before->out < r->in ? before->out : before->in < r->in ? before->in : 0;
}

syt_time syt_place_latest(const struct syt_places *p, struct syt_place at)
{
	const struct syt_thread *t = p->threads[at.thread];
	const struct syt_row *r = syt_thread_row(t, at.row);
	syt_time after = UINT64_MAX;

	if (r->in < r->out)
		return r->out;
	/* the thread began a call that the sampler left out after the end of this event */
	if (syt_part_gap_after(t, at.row) > r->in)
		after = syt_part_gap_after(t, at.row);
	if (at.row + 1 >= t->nr_rows)
		return after;

	const struct syt_row *next = syt_thread_row(t, at.row + 1);

	/* if a signal handler made this event inside of the next one (a wait), only the end of this wait is
	 * later */
	if (next->in > r->in)
		return next->in < after ? next->in : after;
	return next->out > r->in && next->out < after ? next->out : after;
}

bool syt_row_succeeded(const struct syt_call_info *c, const struct syt_row *r)
{
	switch (c->shape) {
	case SYT_SHAPE_LOCK:
	case SYT_SHAPE_RDLOCK:
		return r->result == 0 || r->result == EOWNERDEAD;
	case SYT_SHAPE_BARRIER_WAIT: /* PTHREAD_BARRIER_SERIAL_THREAD is -1 */
		return r->result == 0 || r->result == -1;
	case SYT_SHAPE_CONNECT:
		return r->result == 0 || (r->result == -1 && r->err == EINPROGRESS);
	case SYT_SHAPE_SEND:
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_TRANSFER:
	case SYT_SHAPE_ACCEPT:
	case SYT_SHAPE_READY:
	case SYT_SHAPE_FORK:
	case SYT_SHAPE_REAP:
	case SYT_SHAPE_FUTEX_WAIT: /* futex_waitv() returns the index of the woken word */
	case SYT_SHAPE_FUTEX_WAKE:
	case SYT_SHAPE_FUTEX_REQUEUE:
		return r->result >= 0;
	default:
		return r->result == 0;
	}
}

bool syt_place_succeeded(const struct syt_places *p, struct syt_place at)
{
	return syt_row_succeeded(syt_place_call(p, at), syt_place_row(p, at));
}

bool syt_row_gave_mutex(const struct syt_call_info *c, const struct syt_row *r)
{
	if (c->shape == SYT_SHAPE_CANCELLED)
		return true;
	if (c->shape != SYT_SHAPE_COND_WAIT)
		return false;
	return r->result == 0 || r->result == ETIMEDOUT || r->result == EOWNERDEAD ||
	       (r->result == C11_TIMEDOUT && c->name && !strncmp(c->name, "cnd_", 4));
}

bool syt_place_gave_mutex(const struct syt_places *p, struct syt_place at)
{
	return syt_row_gave_mutex(syt_place_call(p, at), syt_place_row(p, at));
}

bool syt_place_is_point(const struct syt_places *p, struct syt_place at)
{
	return syt_row_is_point(syt_place_image(p, at), syt_place_row(p, at),
	                        syt_place_extra(p, at));
}
