/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Passes on the plain lock and unlock events of a sparse trace, which stores them in compressed blocks, window by
 * window.
 *
 * A window consists of the next few blocks, in the order of the time stamps of their first events. The window ends
 * at the first time stamp of the next block, so it contains all earlier uses of locks by events (touches). Touches
 * of its blocks that are later than its end wait for the next window.
 *
 * In each window, workers unpack the blocks, then sort the touches by lock and by time, and pass each lock its
 * touches. The memory of a window is reused for the next window. Events that the trace stores uncompressed (kept
 * events) have their touches in the histories, and are merged in by time: a wait for a condition variable releases
 * the mutex at the begin of the wait, long before the ordering time stamp of the wait.
 */
#include "decoder/order/locks.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/work.h"
#include "decoder/match/lock.h"
#include "decoder/read/plain.h"

#define PARTS_PER_WORKER 2u
#define TOUCHES_PER_JOB 16384u
#define TOUCHES_PER_HISTORY_JOB 65536u

/* A lock, and the next of its touches by uncompressed (kept) events. */
struct lock {
	uint32_t object;
	const struct syt_touch *kept, *kept_end;
};

struct touches {
	struct syt_touch *all; /* `part` is the index of the lock until the sort by lock */
	size_t nr, room;
};

/* A run of consecutive compressed blocks of a window, which one worker unpacks. */
struct part {
	struct touches due, waiting;
	uint64_t *next; /* [lock]: number of its touches in this window; then its next index */
	uint8_t *scratch;
};

struct lock_job {
	uint32_t from, to; /* range of locks */
};

struct window {
	const struct syt_locks_visit *v;
	const struct syt_sparse *sparse;
	struct lock *locks;
	uint32_t nr_locks;
	uint32_t *
		lock_of; /* [trace-wide object]: index of the lock; SYT_NONE: no lock, or not wanted */
	uint64_t *blocks; /* indices of this window's compressed blocks, by thread, then row */
	uint64_t nr_blocks, room_blocks;
	syt_time end; /* touches before this time belong to this window */
	bool is_last; /* this window is the last; all touches belong to it */
	struct part *parts;
	unsigned nr_parts;
	uint64_t *first; /* [lock], and one more: index of its first touch in `sorted` */
	struct touches sorted;
	struct lock_job *jobs;
	size_t nr_jobs, room_jobs;
	struct touches *spares; /* [worker]: merge buffer */
};

/* ---- unpacking of compressed blocks ---- */

static bool is_due(const struct window *w, syt_time at)
{
	return at < w->end || w->is_last;
}

/* What meet_event() needs for a block. */
struct unpacking {
	const struct window *w;
	const uint32_t *objects; /* [object of the image]: trace-wide object */
	struct syt_place first;  /* first event of the block */
	uint64_t *next;
	struct syt_touch *due, *waiting; /* the next elements */
};

static inline __attribute__((always_inline)) void meet_event(void *context,
                                                             const struct syt_plain *e)
{
	struct unpacking *u = context;
	uint32_t lock = u->w->lock_of[u->objects[e->object]];
	struct syt_touch *t;

	if (lock == SYT_NONE)
		return;
	if (is_due(u->w, e->at)) {
		t = u->due++;
		u->next[lock]++;
	} else {
		t = u->waiting++;
	}
	t->at = e->at;
	t->place = (struct syt_place){u->first.thread, u->first.row + e->number};
	t->part = lock;
	t->role = SYT_ROLE_SELF;
	t->is_acquire = e->shape == SYT_SHAPE_LOCK;
	t->shape = e->shape;
	t->has_succeeded = e->has_succeeded;
}

static void unpack_block(const struct window *w, struct part *p, const struct syt_sparse_block *b)
{
	const struct syt_places *places = w->v->places;
	uint64_t nr_due = p->due.nr, nr_waiting = p->waiting.nr;

	struct unpacking u = {
		.w = w,
		.objects = w->v->objects->of_image[b->image],
		.first = {places->first[b->image] + b->thread, (uint32_t)b->first_row},
		.next = p->next,
		.due = p->due.all + nr_due,
		.waiting = p->waiting.all + nr_waiting,
	};

	syt_plain_each(b, p->scratch, meet_event, &u);
	p->due.nr = (size_t)(u.due - p->due.all);
	p->waiting.nr = (size_t)(u.waiting - p->waiting.all);
}

/* Moves the touches that waited for a later window, and belong to this window, to p->due. */
static void take_waiting(const struct window *w, struct part *p)
{
	uint64_t nr = p->waiting.nr;

	p->waiting.nr = 0;
	for (uint64_t n = 0; n < nr; n++) {
		const struct syt_touch t = p->waiting.all[n];

		if (is_due(w, t.at)) {
			p->due.all[p->due.nr++] = t;
			p->next[t.part]++;
		} else {
			p->waiting.all[p->waiting.nr++] = t;
		}
	}
}

/* Makes room for the touches of the blocks from FROM to TO, and for those that waited. One large array has huge pages, unlike one
 * that grows. */
static void reserve(const struct window *w, struct part *p, uint64_t from, uint64_t to)
{
	uint64_t nr = p->waiting.nr;

	for (uint64_t n = from; n < to; n++)
		nr += w->sparse->blocks[w->blocks[n]].nr_rows;
	syt_store_widen(&p->due.all, &p->due.room, 0, nr, sizeof(*p->due.all));
	syt_store_widen(&p->waiting.all, &p->waiting.room, p->waiting.nr, nr,
	                sizeof(*p->waiting.all));
}

static void unpack_part(void *context, size_t number, unsigned worker)
{
	struct window *w = context;
	struct part *p = &w->parts[number];
	uint64_t from = w->nr_blocks * number / w->nr_parts;
	uint64_t to = w->nr_blocks * (number + 1) / w->nr_parts;

	(void)worker;
	if (!p->scratch)
		p->scratch = syt_alloc(SYT_RAW_MAX, 1);
	memset(p->next, 0, w->nr_locks * sizeof(*p->next));
	p->due.nr = 0;
	reserve(w, p, from, to);
	take_waiting(w, p);
	for (uint64_t n = from; n < to; n++) {
		syt_store_settle();
		unpack_block(w, p, &w->sparse->blocks[w->blocks[n]]);
	}
}

/* ---- sorting of touches by lock ---- */

/* Sorts jobs by their numbers of touches. If half of the touches belong to one lock, the other workers do all other jobs
 * meanwhile. */
static int largest_first(const void *a_, const void *b_, void *first_)
{
	const struct lock_job *a = a_, *b = b_;
	const uint64_t *first = first_;

	SYT_ORDER(first[b->to] - first[b->from], first[a->to] - first[a->from]);
	SYT_ORDER_BY(from);
	return 0;
}

static void place_parts(struct window *w)
{
	uint64_t nr = 0;
	uint32_t from = 0;

	w->nr_jobs = 0;
	for (uint32_t i = 0; i < w->nr_locks; i++) {
		w->first[i] = nr;
		for (unsigned n = 0; n < w->nr_parts; n++) {
			uint64_t of_part = w->parts[n].next[i];

			w->parts[n].next[i] = nr;
			nr += of_part;
		}
		if (nr - w->first[from] < TOUCHES_PER_JOB && i + 1 < w->nr_locks)
			continue;
		*SYT_ADD(w->jobs, w->nr_jobs, w->room_jobs) = (struct lock_job){from, i + 1};
		from = i + 1;
	}
	w->first[w->nr_locks] = nr;
	if (w->nr_jobs)
		qsort_r(w->jobs, w->nr_jobs, sizeof(*w->jobs), largest_first, w->first);
	w->sorted.nr = nr;
	syt_store_widen(&w->sorted.all, &w->sorted.room, 0, nr, sizeof(*w->sorted.all));
}

static void scatter_part(void *context, size_t number, unsigned worker)
{
	struct window *w = context;
	struct part *p = &w->parts[number];

	(void)worker;
	for (uint64_t n = 0; n < p->due.nr; n++) {
		const struct syt_touch *from = &p->due.all[n];
		struct syt_touch *to = &w->sorted.all[p->next[from->part]++];

		*to = *from;
		to->part = 0;
	}
}

/* ---- sorting of touches by time ---- */

/* Passes on the NR touches T of the lock L, and its kept touches that come before the last of them. */
static void meet_lock(const struct window *w, struct lock *l, const struct syt_touch *t,
                      uint64_t nr)
{
	const struct syt_locks_visit *v = w->v;
	uint64_t done = 0;

	while (done < nr) {
		const struct syt_touch *kept = l->kept;
		uint64_t n = done;

		while (l->kept < l->kept_end && !syt_touch_comes_first(&t[done], l->kept))
			l->kept++;
		if (l->kept > kept)
			v->meet(v->context, l->object, kept, (uint64_t)(l->kept - kept));
		if (l->kept == l->kept_end)
			n = nr;
		while (n < nr && syt_touch_comes_first(&t[n], l->kept))
			n++;
		v->meet(v->context, l->object, t + done, n - done);
		done = n;
	}
}

static void lock_job(void *context, size_t number, unsigned worker)
{
	struct window *w = context;
	const struct lock_job j = w->jobs[number];
	struct touches *spare = &w->spares[worker];

	for (uint32_t i = j.from; i < j.to; i++) {
		uint64_t nr = w->first[i + 1] - w->first[i];
		struct syt_touch *t = nr ? w->sorted.all + w->first[i] : NULL;

		syt_store_widen(&spare->all, &spare->room, 0, nr, sizeof(*spare->all));
		syt_touches_sort(t, nr, spare->all);
		meet_lock(w, &w->locks[i], t, nr);
	}
}

/* ---- windows ---- */

static int by_index(const void *a_, const void *b_)
{
	const uint64_t *a = a_, *b = b_;

	return *a < *b ? -1 : *a > *b;
}

/* Chooses the compressed blocks of the next window. Each worker's part gets at least one block. */
static uint64_t choose_blocks(struct window *w, uint64_t at)
{
	const struct syt_sparse *s = w->sparse;
	uint64_t nr_rows = 0;

	w->nr_blocks = 0;
	for (; at < s->nr_blocks && (nr_rows < s->window_rows || w->nr_blocks < w->nr_parts);
	     at++) {
		const struct syt_sparse_block *b = &s->blocks[s->by_time[at]];

		nr_rows += b->nr_rows;
		if (!b->nr_plain)
			continue;
		*SYT_ADD(w->blocks, w->nr_blocks, w->room_blocks) = s->by_time[at];
	}
	w->is_last = at == s->nr_blocks;
	w->end = w->is_last ? UINT64_MAX : s->blocks[s->by_time[at]].begin;
	if (w->nr_blocks)
		qsort(w->blocks, w->nr_blocks, sizeof(*w->blocks), by_index);
	return at;
}

static void find_locks(struct window *w)
{
	const struct syt_objects *objects = w->v->objects;

	w->lock_of = syt_alloc(objects->nr, sizeof(*w->lock_of));
	for (uint32_t i = 0; i < objects->nr; i++)
		w->lock_of[i] = syt_locks_have(syt_object_kind(objects, i)) &&
		                                (!w->v->is_wanted || w->v->is_wanted[i]) &&
		                                !w->v->histories->whole[i].touches
		                        ? w->nr_locks++
		                        : SYT_NONE;
	w->locks = syt_alloc(w->nr_locks, sizeof(*w->locks));
	for (uint32_t i = 0; i < objects->nr; i++) {
		struct syt_history h = syt_history_in_memory(w->v->histories, i);

		if (w->lock_of[i] != SYT_NONE)
			w->locks[w->lock_of[i]] = (struct lock){i, h.touches, h.touches + h.nr};
	}
}

static void open_parts(struct window *w, unsigned nr_workers)
{
	/* the counters of the parts should not need more memory than the touches */
	w->nr_parts = nr_workers * PARTS_PER_WORKER;
	while (w->nr_parts > 1 && (uint64_t)w->nr_locks * w->nr_parts > w->sparse->window_rows)
		w->nr_parts--;
	w->parts = syt_calloc(w->nr_parts, sizeof(*w->parts));
	for (unsigned n = 0; n < w->nr_parts; n++)
		w->parts[n].next = syt_alloc(w->nr_locks, sizeof(*w->parts[n].next));
	w->first = syt_alloc((size_t)w->nr_locks + 1, sizeof(*w->first));
	w->spares = syt_calloc(nr_workers, sizeof(*w->spares));
}

static void close_all(struct window *w, unsigned nr_workers)
{
	for (unsigned n = 0; n < w->nr_parts; n++) {
		syt_store_free(w->parts[n].due.all);
		syt_store_free(w->parts[n].waiting.all);
		free(w->parts[n].next);
		free(w->parts[n].scratch);
	}
	for (unsigned n = 0; n < nr_workers; n++)
		syt_store_free(w->spares[n].all);
	syt_store_free(w->sorted.all);
	free(w->spares);
	free(w->parts);
	free(w->first);
	free(w->jobs);
	free(w->blocks);
	free(w->lock_of);
	free(w->locks);
}

static void visit_windows(const struct syt_locks_visit *v, unsigned nr_workers)
{
	struct window w = {.v = v, .sparse = v->places->trace->sparse};

	find_locks(&w);
	open_parts(&w, nr_workers);
	syt_progress_begin("ordering", w.sparse->nr_blocks);
	for (uint64_t at = 0; w.nr_locks && at < w.sparse->nr_blocks;) {
		uint64_t next = choose_blocks(&w, at);

		syt_work(w.nr_parts, nr_workers, unpack_part, &w);
		place_parts(&w);
		syt_work(w.nr_parts, nr_workers, scatter_part, &w);
		syt_work(w.nr_jobs, nr_workers, lock_job, &w);
		for (; at < next; at++)
			syt_progress_step();
	}
	syt_progress_end();
	for (uint32_t i = 0; i < w.nr_locks; i++) {
		const struct lock *l = &w.locks[i];

		if (l->kept < l->kept_end)
			v->meet(v->context, l->object, l->kept, (uint64_t)(l->kept_end - l->kept));
	}
	close_all(&w, nr_workers);
}

/* ---- histories ---- */

struct histories {
	const struct syt_locks_visit *v;
	struct lock_job *jobs; /* ranges of objects */
};

/* Returns true if the history of OBJECT is complete. */
static bool is_whole(const struct syt_locks_visit *v, uint32_t object)
{
	return !v->places->trace->sparse || !syt_locks_have(syt_object_kind(v->objects, object)) ||
	       v->histories->whole[object].touches;
}

static void history_job(void *context, size_t number, unsigned worker)
{
	const struct histories *all = context;
	const struct syt_locks_visit *v = all->v;
	struct lock_job j = all->jobs[number];

	(void)worker;
	for (uint32_t i = j.from; i < j.to; i++) {
		struct syt_history h = syt_history_of(v->histories, i);

		if (h.nr && v->is_wanted[i] && is_whole(v, i))
			v->meet(v->context, i, h.touches, h.nr);
	}
}

static void visit_histories(const struct syt_locks_visit *v, unsigned nr_workers)
{
	struct histories all = {.v = v};
	uint64_t nr_touches = 0;
	size_t nr = 0, room = 0;

	for (uint32_t i = 0, from = 0; i < v->objects->nr; i++) {
		nr_touches += syt_history_of(v->histories, i).nr;
		if (nr_touches < TOUCHES_PER_HISTORY_JOB && i + 1 < v->objects->nr)
			continue;
		*SYT_ADD(all.jobs, nr, room) = (struct lock_job){from, i + 1};
		from = i + 1;
		nr_touches = 0;
	}
	syt_work(nr, nr_workers, history_job, &all);
	free(all.jobs);
}

void syt_locks_visit(const struct syt_locks_visit *v)
{
	unsigned nr_workers = v->places->trace->nr_workers ? v->places->trace->nr_workers : 1;

	/* first, because the visit may complete other histories */
	if (v->is_wanted)
		visit_histories(v, nr_workers);
	if (v->places->trace->sparse)
		visit_windows(v, nr_workers);
}

/* ---- complete histories ---- */

struct completing {
	struct syt_history *whole; /* [object] */
	size_t *room;              /* [object] */
};

static void complete(void *context, uint32_t object, const struct syt_touch *t, uint64_t nr)
{
	struct completing *all = context;
	struct syt_history *h = &all->whole[object];

	syt_store_widen(&h->touches, &all->room[object], h->nr, h->nr + nr, sizeof(*t));
	syt_store_move((void *)(uintptr_t)(h->touches + h->nr), t, nr * sizeof(*t));
	h->nr += nr;
}

void syt_locks_complete(const struct syt_places *places, const struct syt_objects *objects,
                        const struct syt_histories *histories, const bool *is_wanted)
{
	bool *is_new = syt_calloc(objects->nr, sizeof(*is_new)), is_any = false;
	struct completing all = {histories->whole, syt_calloc(objects->nr, sizeof(*all.room))};

	for (uint32_t i = 0; histories->whole && i < objects->nr; i++) {
		is_new[i] = is_wanted[i] && !histories->whole[i].touches &&
		            syt_locks_have(syt_object_kind(objects, i));
		is_any |= is_new[i];
	}
	if (is_any)
		syt_locks_visit(&(struct syt_locks_visit){.places = places,
		                                          .objects = objects,
		                                          .histories = histories,
		                                          .is_wanted = is_new,
		                                          .meet = complete,
		                                          .context = &all});
	free(is_new);
	free(all.room);
}

void syt_locks_complete_one(const struct syt_places *places, const struct syt_objects *objects,
                            const struct syt_histories *histories, uint32_t object)
{
	bool *is_wanted;

	if (!histories->whole || histories->whole[object].touches)
		return;
	is_wanted = syt_calloc(objects->nr, sizeof(*is_wanted));
	is_wanted[object] = true;
	syt_locks_complete(places, objects, histories, is_wanted);
	free(is_wanted);
}

/* ---- matching ---- */

struct matching {
	const struct syt_match *m;
	struct syt_lock *rules; /* [object] */
	bool *is_used;          /* [object] */
};

static void match(void *context, uint32_t object, const struct syt_touch *t, uint64_t nr)
{
	struct matching *all = context;

	if (!all->is_used[object])
		syt_lock_open(&all->rules[object], object);
	all->is_used[object] = true;
	for (uint64_t n = 0; n < nr; n++)
		syt_lock_meet(&all->rules[object], all->m, &t[n]);
}

void syt_locks_match(struct syt_match *m)
{
	uint32_t nr = m->objects->nr;
	struct matching all = {m, syt_store_alloc(nr, sizeof(*all.rules)),
	                       syt_calloc(nr, sizeof(*all.is_used))};

	syt_locks_visit(&(struct syt_locks_visit){.places = m->places,
	                                          .objects = m->objects,
	                                          .histories = m->histories,
	                                          .meet = match,
	                                          .context = &all});
	for (uint32_t i = 0; i < nr; i++)
		if (all.is_used[i])
			syt_lock_count(&all.rules[i], m);
	syt_store_free(all.rules);
	free(all.is_used);
}
