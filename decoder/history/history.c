/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Collects the uses of each sync object by events (touches), with a counting sort by object, then a sort by time.
 * The touches of one thread are already nearly in time order, because only an event of a signal handler lies within
 * the call that it interrupted. The array of an object therefore consists of a few sorted runs.
 *
 * Several workers count the touches, then fill in the arrays. Each worker handles a range of the trace's events and
 * has a counter for every object. The counter becomes the worker's own position in the object's array.
 */
#include "decoder/history/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/work.h"
#include "decoder/read/sparse.h"

#define ROWS_PER_PART 65536u     /* a worker for fewer events costs more than it gains */
#define TOUCHES_PER_SORT 262144u /* one sorting job sorts at least so many touches */

/* One worker handles the events with the numbers from `from` to `to` - 1. Event numbers run through all threads. */
struct part {
	uint64_t from, to;
	uint64_t *next;   /* [object]: number of touches while counting; then next index to fill */
	uint64_t nr_life; /* number, then index, of events that begin or end threads or processes */
};

struct gather {
	const struct syt_places *places;
	const struct syt_objects *objects;
	struct syt_histories *h;
	struct part *parts;
	unsigned nr_parts;
};

#define BIT(shape_) (UINT64_C(1) << SYT_SHAPE_##shape_)
#define LIFE_SHAPES                                                                                \
	(BIT(CREATE) | BIT(JOIN) | BIT(FORK) | BIT(SPAWN) | BIT(EXEC) | BIT(REAP) | BIT(EXIT) |    \
	 BIT(CANCEL) | BIT(CANCELLED) | BIT(THREAD_END))

/* The values that are equal in all touches (uses of objects) of one event. */
struct event {
	const struct gather *g;
	struct part *p;
	struct syt_place place;
	uint32_t image;
	uint8_t shape;
	bool has_succeeded;
};

/* Adds a touch: the use of OBJECT by the event E. The code stores one member after another for speed: a struct that
 * is built from bytes and copied as a whole waits for the store of the bytes, which took a third of the time of
 * ordering. */
static inline __attribute__((always_inline)) void touch(const struct event *e, bool is_filling,
                                                        uint32_t object, enum syt_role role,
                                                        syt_time at, bool is_acquire, uint32_t part)
{
	uint32_t trace_wide = syt_object_of(e->g->objects, e->image, object);
	struct syt_touch *t;
	uint64_t number;

	if (trace_wide == SYT_NONE)
		return;
	number = e->p->next[trace_wide]++;
	if (!is_filling)
		return;
	t = &e->g->h->touches[number];
	t->at = at;
	t->place = e->place;
	t->part = part;
	t->role = (uint8_t)role;
	t->is_acquire = is_acquire;
	t->shape = e->shape;
	t->has_succeeded = e->has_succeeded;
}

static inline __attribute__((always_inline)) void
gather_extra(const struct event *e, bool is_filling, const struct syt_thread *t,
             const struct syt_row *r, syt_time stamp, bool is_acquire)
{
	const struct syt_extra *x = syt_thread_extra(t, r);

	if (x->object2 != SYT_NONE) {
		if (syt_place_gave_mutex(e->g->places, e->place))
			touch(e, is_filling, x->object2, SYT_ROLE_RELEASE2, r->in, false, 0);
		touch(e, is_filling, x->object2, SYT_ROLE_SECOND, stamp, is_acquire, 0);
	}
	for (uint32_t i = 0; i < x->nr_ready; i++)
		touch(e, is_filling, t->ready[x->ready + i].object, SYT_ROLE_READY, r->out, true,
		      i);
}

static inline __attribute__((always_inline)) void gather_row(const struct gather *g,
                                                             bool is_filling, struct part *p,
                                                             struct syt_place at, uint32_t image)
{
	const struct syt_thread *t = syt_place_thread(g->places, at);
	const struct syt_row *r = syt_thread_row(t, at.row);
	const struct syt_call_info *c = syt_row_call(t->image, r);
	const struct event e = {g, p, at, image, c->shape, is_filling && syt_row_succeeded(c, r)};
	syt_time stamp = syt_row_stamp(c, r);

	if (LIFE_SHAPES >> c->shape & 1) {
		if (is_filling)
			g->h->life[p->nr_life] = at;
		p->nr_life++;
	}
	touch(&e, is_filling, r->object, SYT_ROLE_SELF, stamp, !c->stamp_in, 0);
	if (r->extra != SYT_NONE)
		gather_extra(&e, is_filling, t, r, stamp, !c->stamp_in);
}

/* Returns true if the event at index ROW of the thread is collected. The history of a sparse trace (which stores
 * plain lock and unlock events compressed) omits the plain events. */
static inline bool is_gathered(const struct syt_thread *t, uint64_t row)
{
	return !t->kept ||
	       (syt_kept_has(t->kept, row) && !syt_row_is_plain(t->image, syt_kept_row(t, row)));
}

/* Counts the touches of the part P, or adds them (IS_FILLING). Each caller gets its own copy, because counting needs few members
 * of a row. */
static inline __attribute__((always_inline)) void gather_part(const struct gather *g,
                                                              struct part *p, bool is_filling)
{
	uint64_t before = 0; /* number of events in the threads before thread n */

	for (uint32_t n = 0; n < g->places->nr_threads && before < p->to; n++) {
		const struct syt_thread *t = g->places->threads[n];
		uint64_t nr = t->nr_rows;
		struct syt_place at = {n, 0};
		uint32_t image = syt_place_image_idx(g->places, at);
		uint64_t row = p->from > before ? p->from - before : 0;

		for (; row < nr && before + row < p->to; row++) {
			if (!(row % SYT_STORE_SPARSE)) /* the events' objects may lie far apart */
				syt_store_settle();
			if (t->kept && !(t->kept->words[row / 64] >> row % 64)) {
				row |= 63; /* skips the rest of a 64-bit word without kept events */
				continue;
			}
			at.row = (uint32_t)row;
			if (is_gathered(t, row))
				gather_row(g, is_filling, p, at, image);
		}
		before += nr;
	}
}

static void count_part(void *context, size_t number, unsigned worker)
{
	const struct gather *g = context;

	(void)worker;
	gather_part(g, &g->parts[number], false);
}

static void fill_part(void *context, size_t number, unsigned worker)
{
	const struct gather *g = context;

	(void)worker;
	gather_part(g, &g->parts[number], true);
}

struct sort_job {
	uint32_t from, to; /* range of objects to sort */
};

/* A merge buffer of one worker. Later jobs reuse the buffer because the first use of memory is expensive. */
struct spare {
	struct syt_touch *touches;
	size_t room;
};

struct sorting {
	struct syt_histories *h;
	struct sort_job *jobs;
	struct spare *spares; /* [worker]: merge buffer */
};

static void sort_job(void *context, size_t number, unsigned worker)
{
	const struct sorting *s = context;
	const uint64_t *first = s->h->first;
	struct sort_job j = s->jobs[number];
	struct spare *spare = &s->spares[worker];

	for (uint32_t i = j.from; i < j.to; i++) {
		uint64_t nr = first[i + 1] - first[i];

		syt_store_widen(&spare->touches, &spare->room, 0, nr, sizeof(*spare->touches));
		syt_touches_sort(s->h->touches + first[i], nr, spare->touches);
	}
}

static void sort_all(struct syt_histories *h, uint32_t nr_objects, unsigned nr_workers)
{
	struct sorting s = {h, NULL, syt_calloc(nr_workers, sizeof(struct spare))};
	size_t nr = 0, room = 0;

	for (uint32_t i = 0, from = 0; i < nr_objects; i++) {
		if (h->first[i + 1] - h->first[from] < TOUCHES_PER_SORT && i + 1 < nr_objects)
			continue;
		*SYT_ADD(s.jobs, nr, room) = (struct sort_job){from, i + 1};
		from = i + 1;
	}
	syt_work(nr, nr_workers, sort_job, &s);
	for (unsigned n = 0; n < nr_workers; n++)
		syt_store_free(s.spares[n].touches);
	free(s.spares);
	free(s.jobs);
}

/* Splits the events into one range per worker, or fewer if the counters would need more memory than the events. */
static void part_rows(struct gather *g, unsigned nr_workers)
{
	uint64_t nr_rows = 0;

	for (uint32_t n = 0; n < g->places->nr_threads; n++)
		nr_rows += g->places->threads[n]->nr_rows;
	g->nr_parts = nr_workers;
	while (g->nr_parts > 1 &&
	       (nr_rows / g->nr_parts < ROWS_PER_PART || g->objects->nr > nr_rows / g->nr_parts))
		g->nr_parts--;
	g->parts = syt_calloc(g->nr_parts, sizeof(*g->parts));
	for (unsigned n = 0; n < g->nr_parts; n++)
		g->parts[n] =
			(struct part){nr_rows * n / g->nr_parts, nr_rows * (n + 1) / g->nr_parts,
		                      syt_calloc(g->objects->nr, sizeof(uint64_t)), 0};
}

/* Turns the number of touches per worker and object into array indices. Returns the total number of touches. */
static uint64_t place_parts(struct gather *g)
{
	struct syt_histories *h = g->h;
	uint64_t nr = 0;

	for (unsigned n = 0; n < g->nr_parts; n++) {
		uint64_t of_part = g->parts[n].nr_life;

		g->parts[n].nr_life = h->nr_life;
		h->nr_life += of_part;
	}
	for (uint32_t i = 0; i < g->objects->nr; i++) {
		h->first[i] = nr;
		for (unsigned n = 0; n < g->nr_parts; n++) {
			uint64_t of_part = g->parts[n].next[i];

			g->parts[n].next[i] = nr;
			nr += of_part;
		}
	}
	h->first[g->objects->nr] = nr;
	return nr;
}

void syt_histories_open(struct syt_histories *h, const struct syt_places *places,
                        const struct syt_objects *objects)
{
	unsigned nr_workers = places->trace->nr_workers ? places->trace->nr_workers : 1;
	struct gather g = {.places = places, .objects = objects, .h = h};

	memset(h, 0, sizeof(*h));
	part_rows(&g, nr_workers);
	syt_work(g.nr_parts, nr_workers, count_part, &g);
	h->first = syt_store_alloc((size_t)objects->nr + 1, sizeof(*h->first));
	h->touches = syt_store_claim(place_parts(&g), sizeof(*h->touches));
	h->life = syt_store_claim(h->nr_life, sizeof(*h->life));
	syt_work(g.nr_parts, nr_workers, fill_part, &g);
	for (unsigned n = 0; n < g.nr_parts; n++)
		free(g.parts[n].next);
	free(g.parts);
	sort_all(h, objects->nr, nr_workers);
	h->nr_objects = objects->nr;
	if (places->trace->sparse)
		h->whole = syt_calloc(objects->nr, sizeof(*h->whole));
}

void syt_histories_close(struct syt_histories *h)
{
	for (uint32_t i = 0; h->whole && i < h->nr_objects; i++)
		syt_store_free((void *)(uintptr_t)h->whole[i].touches);
	free(h->whole);
	syt_store_free(h->first);
	syt_store_free(h->touches);
	syt_store_free(h->life);
	memset(h, 0, sizeof(*h));
}
