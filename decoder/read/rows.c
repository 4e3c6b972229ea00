/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Decodes all events in parallel. A job decodes consecutive segments (blocks of events) of one thread and lane. A
 * lane is the thread itself or its signal handlers at one nesting depth. A job writes its rows, one per event, to
 * their final place, which the event numbers in the block headers determine. All jobs of a thread write optional fields to
 * one array. A job appends its ready lists to those of the thread. After the last job of a thread, finish_thread() sorts the
 * rows by time. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/progress.h"
#include "base/store.h"
#include "decoder/read/part.h"
#include "decoder/read/unpack.h"
#include "base/work.h"

#define SEGMENTS_PER_JOB 64u
#define MOVES_PER_ROW 8u

struct job {
	struct syt_loading *loading;
	struct syt_thread *thread;
	const struct syt_segment *segments;
	size_t nr_segments;
	unsigned lane;
	struct syt_row *rows; /* place of the first row of the job */
	uint64_t nr_rows;     /* number of decoded rows; less than planned if a block is damaged */
	uint64_t nr_planned;
	syt_time begin, end;      /* first begin and last end of the rows */
	syt_time first, last;     /* stamps of the first and of the last row */
	bool is_unsorted;         /* some row has a smaller stamp than the one before */
	struct syt_unpack unpack; /* decoder state of the job, with its own ready lists */
};

struct thread_jobs {
	struct syt_thread *thread;
	struct job *jobs;
	size_t nr_jobs;
	syt_time begin, end;        /* first begin and last end of all events of the thread */
	uint64_t nr_stripped;       /* number of events that are left out as a sampler would have */
	struct syt_counts stripped; /* (call stack, call) -> number of these events */
};

struct decode {
	struct job *jobs;
	struct thread_jobs *threads;
	uint8_t **scratch;    /* [worker]: buffer for unpacking a block */
	pthread_mutex_t lock; /* protects the ready lists of the threads */
};

/* ---- sorting ---- */

static inline syt_time stamp_of(const struct syt_image *i, const struct syt_row *r)
{
	return i->calls[r->call].stamp_in ? r->in : r->out;
}

/* Sorts rows by insertion. In most unsorted input, events of a signal handler stand a few places
 * too early, before the release that the handler interrupted. Returns false if more moves are
 * needed than allowed; ROWS is then still a permutation of the input. */
static bool insertion_sort(const struct syt_image *i, struct syt_row *r, uint64_t nr)
{
	uint64_t budget = nr * MOVES_PER_ROW + 1024;

	SYT_EACH(n, 1, nr) {
		struct syt_row row = r[n];
		syt_time stamp = stamp_of(i, &row);
		uint64_t at = n;

		while (at && stamp_of(i, &r[at - 1]) > stamp && budget) {
			r[at] = r[at - 1];
			at--;
			budget--;
		}
		r[at] = row;
		if (!budget)
			return false;
	}
	return true;
}

/* Merges the sorted runs [0, middle) and [middle, nr) of the rows R. ROOM is spare memory for the second run. */
static void merge(const struct syt_image *i, struct syt_row *r, uint64_t middle, uint64_t nr,
                  struct syt_row *room)
{
	uint64_t a = middle, b = nr - middle, to = nr;

	if (!a || !b || stamp_of(i, &r[middle - 1]) <= stamp_of(i, &r[middle]))
		return;
	syt_store_move(room, r + middle, b * sizeof(*r));
	while (b) {
		if (a && stamp_of(i, &r[a - 1]) > stamp_of(i, &room[b - 1]))
			r[--to] = r[--a];
		else
			r[--to] = room[--b];
	}
}

static void merge_sort(const struct syt_image *i, struct syt_row *r, uint64_t nr,
                       struct syt_row *room)
{
	for (uint64_t width = 1; width < nr; width *= 2)
		for (uint64_t at = 0; at + width < nr; at += 2 * width)
			merge(i, r + at, width, nr - at < 2 * width ? nr - at : 2 * width, room);
}

/* Sorts ROWS stably by the ordering stamp of the events. ROWS holds NR_RUNS consecutive runs, one
 * for each lane (the thread, and signal handlers at each nesting depth). Run k has RUNS[k] rows.
 * Nearly sorted runs are fast. Other input takes more memory, and O(n log n) time. */
static void sort_rows(const struct syt_image *i, struct syt_row *rows, const uint64_t *runs,
                      unsigned nr_runs)
{
	uint64_t done = 0;

	for (unsigned k = 0; k < nr_runs; k++) {
		struct syt_row *run = rows + done;
		struct syt_row *room = NULL;

		if (!insertion_sort(i, run, runs[k])) {
			room = syt_store_claim(runs[k], sizeof(*room));
			merge_sort(i, run, runs[k], room);
		}
		if (done && runs[k]) {
			if (!room)
				room = syt_store_claim(runs[k], sizeof(*room));
			merge(i, rows, done, done + runs[k], room);
		}
		syt_store_free(room);
		done += runs[k];
	}
}

/* ---- decoding ---- */

/* Takes the times of the NR new rows of job J, which are still in the cache. */
static void meet_rows(struct job *j, uint64_t nr)
{
	const struct syt_row *r = j->rows + j->nr_rows;

	for (uint64_t n = 0; n < nr; n++) {
		syt_time stamp = stamp_of(&j->loading->image, &r[n]);

		if (!j->nr_rows && !n)
			j->first = stamp;
		j->is_unsorted |= stamp < j->last;
		j->last = stamp;
		j->begin = r[n].in < j->begin ? r[n].in : j->begin;
		j->end = r[n].out > j->end ? r[n].out : j->end;
	}
	j->nr_rows += nr;
}

/* Decodes segment S to the next rows of job J. Returns the number of events that could be read. */
static uint32_t decode_segment(struct job *j, const struct syt_segment *s, uint8_t *scratch)
{
	const uint8_t *raw = syt_segment_raw(s, scratch);
	uint32_t nr;

	if (!s->payload) /* the damage was already reported when the checksum was found wrong */
		return 0;
	if (!raw) {
		syt_problem(&j->loading->problems, s->byte,
		            "thread %" PRIu32 ", block %" PRIu32 ", byte 0x%" PRIx64
		            ": the block cannot be unpacked, or the recorder overwrote it; %" PRIu32
		            " events are lost",
		            s->thread, s->number, s->byte, s->nr_events);
		return 0;
	}
	nr = syt_unpack_rows(&j->unpack, s, raw, j->rows + j->nr_rows);
	meet_rows(j, nr > s->skip ? nr - s->skip : 0);
	return nr;
}

static void run_job(void *context, size_t number, unsigned worker)
{
	struct decode *d = context;
	struct job *j = &d->jobs[number];

	if (!d->scratch[worker])
		d->scratch[worker] = syt_alloc(SYT_RAW_MAX, 1);
	for (size_t n = 0; n < j->nr_segments; n++) {
		const struct syt_segment *s = &j->segments[n];

		syt_store_settle();

		uint32_t nr = decode_segment(j, s, d->scratch[worker]);

		if (nr < s->nr_events && nr)
			syt_problem(&j->loading->problems, s->byte,
			            "thread %" PRIu32 ", %s, byte 0x%" PRIx64 ": event %" PRIu32
			            " of %" PRIu32 " is damaged; the events before it are kept",
			            s->thread, s->is_sealed ? "sealed block" : "current block",
			            s->byte, nr, s->nr_events);
	}
	if (j->unpack.nr_unknown)
		syt_problem(&j->loading->problems, j->unpack.first_unknown,
		            "thread %" PRIu32 ", from byte 0x%" PRIx64 ": %" PRIu64
		            " references to objects, stacks or calls that the dump does not "
		            "define",
		            j->thread->index, j->unpack.first_unknown, j->unpack.nr_unknown);
	pthread_mutex_lock(&d->lock);
	syt_unpack_publish(&j->unpack, j->rows, j->nr_rows);
	pthread_mutex_unlock(&d->lock);
	syt_unpack_fini(&j->unpack);
	syt_progress_step();
}

/* Returns true if the rows of all jobs of T are one sorted run. */
static bool is_sorted(const struct thread_jobs *t)
{
	syt_time last = 0;

	for (size_t n = 0; n < t->nr_jobs; n++) {
		const struct job *j = &t->jobs[n];

		if (!j->nr_rows)
			continue;
		if (j->is_unsorted || j->first < last)
			return false;
		last = j->last;
	}
	return true;
}

/* Removes the events that a sampler would have left out, and finds the parts of the thread. */
static void find_parts(struct thread_jobs *t)
{
	struct syt_thread *thread = t->thread;

	t->nr_stripped = syt_parts_strip(thread, &t->stripped);
	syt_parts_find(thread);
	if (!t->nr_stripped)
		return;
	t->begin = UINT64_MAX;
	t->end = 0;
	SYT_EACH(n, 0, thread->nr_rows) {
		const struct syt_row *r = &thread->rows[n];

		t->begin = r->in < t->begin ? r->in : t->begin;
		t->end = r->out > t->end ? r->out : t->end;
	}
}

/* Joins the results of all jobs of a thread. */
static void finish_thread(void *context, size_t number, unsigned worker)
{
	struct decode *d = context;
	struct thread_jobs *t = &d->threads[number];
	struct syt_thread *thread = t->thread;
	uint64_t runs[SYT_NR_LANES] = {0}; /* [lane]: number of rows */
	unsigned nr_lanes = 0;             /* with rows */

	(void)worker;
	t->begin = UINT64_MAX;
	for (size_t n = 0; n < t->nr_jobs; n++) {
		struct job *j = &t->jobs[n];
		struct syt_row *to = thread->rows + thread->nr_rows;

		if (to != j->rows)
			syt_store_move(to, j->rows, j->nr_rows * sizeof(*to));
		thread->nr_rows += j->nr_rows;
		thread->missing += j->nr_planned - j->nr_rows;
		runs[j->lane] += j->nr_rows;
		t->begin = j->begin < t->begin ? j->begin : t->begin;
		t->end = j->end > t->end ? j->end : t->end;
	}
	syt_store_shrink(thread->extras, thread->nr_extras, sizeof(*thread->extras));
	if (!is_sorted(t))
		sort_rows(thread->image, thread->rows, runs, SYT_NR_LANES);
	if (thread->image->is_sampled)
		find_parts(t);
	for (unsigned lane = 0; lane < SYT_NR_LANES; lane++)
		nr_lanes += runs[lane] != 0;
	thread->is_uneven =
		nr_lanes > 1 && thread->nr_rows && thread->rows[0].in < thread->complete_from;
}

struct plan {
	struct job *jobs;
	size_t nr_jobs, room_jobs;
	struct thread_jobs *threads;
	size_t nr_threads, room_threads;
};

static void plan_thread(struct plan *p, struct syt_loading *l, size_t from, size_t to)
{
	struct syt_thread *t = &l->image.threads[l->segments[from].thread];
	uint64_t nr_rows = 0;

	for (size_t n = from; n < to; n++)
		nr_rows += l->segments[n].nr_events - l->segments[n].skip;
	t->rows = syt_store_claim(nr_rows, sizeof(*t->rows));
	*SYT_ADD(p->threads, p->nr_threads, p->room_threads) = (struct thread_jobs){.thread = t};
	nr_rows = 0;
	for (size_t n = from; n < to;) {
		struct job j = {
			.loading = l,
			.thread = t,
			.segments = &l->segments[n],
			.lane = l->segments[n].lane,
			.rows = t->rows + nr_rows,
			.begin = UINT64_MAX,
			.unpack = {.image = &l->image,
		                   .clock = l->clock,
		                   .is_as_sampled = l->is_as_sampled,
		                   .sharer = t},
		};

		for (; n < to && j.nr_segments < SEGMENTS_PER_JOB && l->segments[n].lane == j.lane;
		     n++, j.nr_segments++)
			j.nr_planned += l->segments[n].nr_events - l->segments[n].skip;
		nr_rows += j.nr_planned;
		*SYT_ADD(p->jobs, p->nr_jobs, p->room_jobs) = j;
		p->threads[p->nr_threads - 1].nr_jobs++;
	}
}

static void plan_image(struct plan *p, struct syt_loading *l)
{
	for (uint32_t n = 0; n < l->image.nr_threads; n++)
		l->image.threads[n].image = &l->image;
	for (size_t from = 0, to; from < l->nr_segments; from = to) {
		to = syt_segments_of_thread(l, from);
		plan_thread(p, l, from, to);
	}
}

static void share_extras(const struct thread_jobs *t)
{
	uint64_t nr_rows = 0;

	for (size_t n = 0; n < t->nr_jobs; n++)
		nr_rows += t->jobs[n].nr_planned;
	syt_unpack_share(t->thread, nr_rows, t->nr_jobs);
}

/* Adds the events that T left out to the numbers of the image I, as if a sampler had left them out. */
static void add_stripped(struct syt_image *i, struct thread_jobs *t)
{
	t->thread->numbered -= t->nr_stripped;
	i->nr_recorded -= t->nr_stripped;
	i->left_out =
		syt_realloc(i->left_out, i->nr_left_out + t->stripped.nr, sizeof(*i->left_out));
	for (size_t n = 0; n < t->stripped.nr; n++) {
		const struct syt_count *c = &t->stripped.all[n];

		i->left_out[i->nr_left_out++] = (struct syt_left_out_info){
			t->thread->index, (uint32_t)c->a, (uint32_t)c->b, c->nr};
	}
	syt_counts_fini(&t->stripped);
}

void syt_rows_decode(struct syt_loading **loadings, size_t nr, unsigned nr_workers)
{
	struct plan p = {NULL, 0, 0, NULL, 0, 0};

	for (size_t n = 0; n < nr; n++)
		plan_image(&p, loadings[n]);
	for (size_t n = 0, at = 0; n < p.nr_threads; at += p.threads[n++].nr_jobs)
		p.threads[n].jobs = &p.jobs[at];
	/* after the rows, because these arrays are mostly much too large: the rows come into memory first */
	for (size_t n = 0; n < p.nr_threads; n++)
		share_extras(&p.threads[n]);

	struct decode d = {p.jobs, p.threads, syt_calloc(nr_workers, sizeof(uint8_t *)),
	                   PTHREAD_MUTEX_INITIALIZER};

	syt_progress_begin("reading", p.nr_jobs);
	syt_work(p.nr_jobs, nr_workers, run_job, &d);
	syt_progress_end();
	syt_work(p.nr_threads, nr_workers, finish_thread, &d);
	for (unsigned w = 0; w < nr_workers; w++)
		free(d.scratch[w]);
	free(d.scratch);
	free(p.jobs);
	for (size_t n = 0; n < nr; n++)
		loadings[n]->image.begin = UINT64_MAX;
	for (size_t n = 0; n < p.nr_threads; n++) {
		struct syt_image *i = p.threads[n].thread->image;

		p.threads[n].thread->last = p.threads[n].end;
		if (p.threads[n].nr_stripped)
			add_stripped(i, &p.threads[n]);
		i->begin = p.threads[n].begin < i->begin ? p.threads[n].begin : i->begin;
		i->end = p.threads[n].end > i->end ? p.threads[n].end : i->end;
	}
	free(p.threads);
	for (size_t n = 0; n < nr; n++) {
		struct syt_image *i = &loadings[n]->image;

		for (uint32_t t = 0; t < i->nr_threads; t++) {
			i->nr_decoded += i->threads[t].nr_rows;
			i->nr_missing += i->threads[t].missing;
		}
	}
}
