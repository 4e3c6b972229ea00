/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Counting sort by object, then each object's touches by time.  Every thread's touches are already
 * in time order (nearly: a signal handler's event stands inside of the call that it interrupted),
 * so an object's array is a few sorted runs, which merging finds and uses.
 */
#include "decoder/history.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/err.h"

struct gather {
	const struct syt_places *places;
	const struct syt_objects *objects;
	struct syt_histories *h;
	uint64_t *next; /* [object]: while counting, how many; while filling, where the next one
	                   goes */
	bool is_filling;
};

static bool is_life(uint8_t shape)
{
	switch (shape) {
	case SYT_SHAPE_CREATE:
	case SYT_SHAPE_JOIN:
	case SYT_SHAPE_FORK:
	case SYT_SHAPE_SPAWN:
	case SYT_SHAPE_EXEC:
	case SYT_SHAPE_REAP:
	case SYT_SHAPE_EXIT:
	case SYT_SHAPE_CANCEL:
	case SYT_SHAPE_CANCELLED:
	case SYT_SHAPE_THREAD_END:
		return true;
	default:
		return false;
	}
}

static void touch(struct gather *g, uint32_t object, struct syt_touch t)
{
	if (object == SYT_NONE)
		return;
	if (g->is_filling)
		g->h->touches[g->next[object]] = t;
	g->next[object]++;
}

static void gather_row(struct gather *g, struct syt_place at, uint32_t image)
{
	const struct syt_thread *t = syt_place_thread(g->places, at);
	const struct syt_row *r = &t->rows[at.row];
	const struct syt_call_info *c = syt_row_call(t->image, r);
	const struct syt_extra *x = syt_thread_extra(t, r);
	syt_time stamp = syt_row_stamp(c, r);

	if (is_life(c->shape)) {
		if (g->is_filling)
			g->h->life[g->h->nr_life] = at;
		g->h->nr_life++;
	}
	touch(g, syt_object_of(g->objects, image, r->object),
	      (struct syt_touch){stamp, at, 0, SYT_ROLE_SELF, !c->stamp_in});
	if (r->extra == SYT_NONE)
		return;
	if (x->object2 != SYT_NONE) {
		uint32_t second = syt_object_of(g->objects, image, x->object2);

		if (syt_place_gave_mutex(g->places, at))
			touch(g, second,
			      (struct syt_touch){r->in, at, 0, SYT_ROLE_RELEASE2, false});
		touch(g, second, (struct syt_touch){stamp, at, 0, SYT_ROLE_SECOND, !c->stamp_in});
	}
	for (uint32_t i = 0; i < x->nr_ready; i++)
		touch(g, syt_object_of(g->objects, image, t->ready[x->ready + i].object),
		      (struct syt_touch){r->out, at, i, SYT_ROLE_READY, true});
}

static void gather_all(struct gather *g)
{
	g->h->nr_life = 0;
	for (uint32_t n = 0; n < g->places->nr_threads; n++) {
		struct syt_place at = {n, 0};
		uint32_t image = syt_place_image_idx(g->places, at);

		for (; at.row < g->places->threads[n]->nr_rows; at.row++)
			gather_row(g, at, image);
	}
}

static bool comes_first(const struct syt_touch *a, const struct syt_touch *b)
{
	if (a->at != b->at)
		return a->at < b->at;
	if (a->is_acquire != b->is_acquire)
		return b->is_acquire;
	if (a->place.thread != b->place.thread)
		return a->place.thread < b->place.thread;
	if (a->place.row != b->place.row)
		return a->place.row < b->place.row;
	if (a->role != b->role)
		return a->role < b->role;
	return a->part < b->part;
}

static void merge(const struct syt_touch *a, uint64_t nr_a, const struct syt_touch *b,
                  uint64_t nr_b, struct syt_touch *to)
{
	while (nr_a && nr_b) {
		if (comes_first(b, a)) {
			*to++ = *b++;
			nr_b--;
		} else {
			*to++ = *a++;
			nr_a--;
		}
	}
	memcpy(to, a, nr_a * sizeof(*a));
	memcpy(to + nr_a, b, nr_b * sizeof(*b));
}

static uint64_t run_length(const struct syt_touch *t, uint64_t nr)
{
	uint64_t i = 1;

	while (i < nr && !comes_first(&t[i], &t[i - 1]))
		i++;
	return i;
}

/* Merges neighbouring runs until one is left; SPARE has room for NR. */
static void sort(struct syt_touch *t, uint64_t nr, struct syt_touch *spare)
{
	struct syt_touch *from = t, *to = spare;

	while (nr && run_length(from, nr) < nr) {
		for (uint64_t i = 0; i < nr;) {
			uint64_t a = run_length(from + i, nr - i);
			uint64_t b = i + a < nr ? run_length(from + i + a, nr - i - a) : 0;

			merge(from + i, a, from + i + a, b, to + i);
			i += a + b;
		}
		struct syt_touch *other = from;

		from = to;
		to = other;
	}
	if (from != t)
		memcpy(t, from, nr * sizeof(*t));
}

void syt_histories_open(struct syt_histories *h, const struct syt_places *places,
                        const struct syt_objects *objects)
{
	struct gather g = {places, objects, h, syt_calloc(objects->nr, sizeof(uint64_t)), false};
	uint64_t nr = 0, most = 0;
	struct syt_touch *spare;

	memset(h, 0, sizeof(*h));
	gather_all(&g);
	h->life = syt_calloc(h->nr_life, sizeof(*h->life));
	h->first = syt_calloc((size_t)objects->nr + 1, sizeof(*h->first));
	for (uint32_t i = 0; i < objects->nr; i++) {
		uint64_t of_object = g.next[i];

		h->first[i] = g.next[i] = nr;
		nr += of_object;
		most = of_object > most ? of_object : most;
	}
	h->first[objects->nr] = nr;
	h->touches = syt_calloc(nr, sizeof(*h->touches));
	g.is_filling = true;
	gather_all(&g);
	free(g.next);
	spare = syt_calloc(most, sizeof(*spare));
	for (uint32_t i = 0; i < objects->nr; i++)
		sort(h->touches + h->first[i], h->first[i + 1] - h->first[i], spare);
	free(spare);
}

void syt_histories_close(struct syt_histories *h)
{
	free(h->first);
	free(h->touches);
	free(h->life);
	memset(h, 0, sizeof(*h));
}
