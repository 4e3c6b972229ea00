/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Makes the first pass over a sparse trace (sparse.h). Each job unpacks consecutive blocks of events into buffers
 * that its worker reuses, and copies the rows to keep into its own array. After the last job of a thread, these
 * arrays are joined. */
#include "decoder/read/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/progress.h"
#include "base/store.h"
#include "base/work.h"
#include "decoder/read/call.h"
#include "decoder/read/unpack.h"

#define BLOCKS_PER_JOB 32u
/* number of rows before a signal of a condition variable that match_cond.c may read, also in the next block */
#define NR_BEFORE_SIGNAL 32u
#define KEPT_MIN (UINT64_C(1) << 19) /* with fewer kept rows, the survey never gives up */
#define NR_SAMPLES 8u                /* number of blocks that are examined before the survey */

/* The synchronization points of a job. */
struct points {
	bool has_point;
	syt_time first, last;     /* begin of the first and end of the last one, if has_point */
	struct syt_leaves leaves; /* leaf tasks (the work of the thread) between them */
};

struct job {
	struct syt_loading *loading;
	struct syt_thread *thread;
	uint64_t first_block, nr_blocks;
	struct syt_unpack unpack; /* decoder state of the job, with its extras and ready lists */
	struct syt_row *rows;     /* the rows that this job keeps in memory */
	size_t nr_rows, room_rows;
	syt_time begin, end; /* first begin and last end of all rows of the job */
	struct points points;
	struct syt_tally use;
};

struct thread_jobs {
	struct syt_thread *thread;
	struct job *jobs;
	size_t nr_jobs;
	uint64_t nr_rows, nr_kept;
	syt_time begin, end;
	struct syt_leaves leaves;
	struct syt_tally use;
};

/* The buffers with which one worker unpacks any block. */
struct buffers {
	uint8_t *scratch, *marks;
	struct syt_row *rows;
	struct syt_tally *calls;
};

struct survey {
	struct syt_sparse *sparse;
	struct job *jobs;
	size_t nr_jobs, room_jobs;
	struct thread_jobs *threads;
	size_t nr_threads, room_threads;
	size_t room_blocks;
	struct buffers *buffers;   /* [worker]: the buffers of each worker */
	pthread_mutex_t lock;      /* mutex that protects the counters of the images */
	bool is_unfit;             /* atomic */
	/* parts of the rows that will be kept, and that have optional fields, according to is_dense(); 0: unknown */
	double density, extra_density;
	uint64_t nr_kept, nr_seen; /* atomic */
};

static void add_use(struct syt_tally *u, const struct syt_tally *more)
{
	u->nr += more->nr;
	u->nr_waited += more->nr_waited;
	u->wait_ns += more->wait_ns;
	u->bytes += more->bytes;
	if (more->max_wait_ns > u->max_wait_ns)
		u->max_wait_ns = more->max_wait_ns;
}

/* ---- one block ---- */

/* Counts the leaf task (the work of the thread) between the previous synchronization point and R. */
static inline void meet_point(struct points *p, const struct syt_row *r)
{
	if (!p->has_point) {
		p->first = r->in;
		p->has_point = true;
	} else {
		p->leaves.nr++;
		if (r->in > p->last)
			p->leaves.ns += SYT_TIME_NS(r->in - p->last);
	}
	p->last = r->out;
}

/* Marks the rows to keep for R, the row N of NR rows, which is not plain. */
static void mark(const struct syt_image *i, const struct syt_row *r, uint32_t n, uint32_t nr,
                 uint8_t *marks)
{
	const struct syt_call_info *c = syt_row_call(i, r);
	bool is_signal = c->shape == SYT_SHAPE_COND_SIGNAL || c->shape == SYT_SHAPE_COND_BROADCAST;
	uint32_t before = is_signal ? NR_BEFORE_SIGNAL : 1;
	uint32_t from = n > before ? n - before : 0;

	memset(marks + from, 1, n - from + (n + 1 < nr ? 2 : 1));
}

static void add_row_use(const struct syt_row *r, const struct syt_extra *x, struct syt_tally *to)
{
	uint64_t wait_ns = SYT_TIME_NS(r->out) - SYT_TIME_NS(r->in);
	const struct syt_tally use = {1, wait_ns != 0, wait_ns, wait_ns, x ? x->bytes : 0};

	add_use(to, &use);
}

/* Examines all rows of a block, and marks the rows to keep in memory. Returns false if rows are out of order. */
static bool look(struct job *j, struct syt_sparse_block *b, const struct buffers *buffers)
{
	const struct syt_image *i = &j->loading->image;
	const struct syt_row *rows = buffers->rows;
	uint32_t nr = b->nr_rows, tail = nr < NR_BEFORE_SIGNAL ? nr : NR_BEFORE_SIGNAL;
	uint32_t nr_plain = 0;
	uint8_t *marks = buffers->marks;
	struct points points = j->points;
	syt_time last = 0, begin = j->begin, end = j->end;

	memset(marks, 0, nr);
	for (uint32_t n = 0; n < nr; n++) {
		const struct syt_row *r = &rows[n];
		syt_time stamp = i->calls[r->call].stamp_in ? r->in : r->out;
		bool is_plain = syt_row_is_plain(i, r);

		if (stamp < last)
			return false;
		last = stamp;
		begin = r->in < begin ? r->in : begin;
		end = r->out > end ? r->out : end;
		if (is_plain && r->in == r->out) {
			buffers->calls[r->call].nr++;
			meet_point(&points, r);
			nr_plain++;
			continue;
		}

		struct syt_extra extra;
		const struct syt_extra *x = NULL;

		if (r->extra != SYT_NONE) {
			extra = syt_extra_unpack(j->unpack.extras, j->unpack.wide, r->extra);
			x = &extra;
		}
		add_row_use(r, x, &buffers->calls[r->call]);
		if (is_plain || syt_row_is_point(i, r, x))
			meet_point(&points, r);
		nr_plain += is_plain;
		if (!is_plain)
			mark(i, r, n, nr, marks);
	}
	marks[0] = 1;
	memset(marks + nr - tail, 1, tail);
	b->nr_plain = nr_plain;
	b->begin = i->calls[rows[0].call].stamp_in ? rows[0].in : rows[0].out;
	b->end = last;
	j->points = points;
	j->begin = begin;
	j->end = end;
	return true;
}

static void keep(struct job *j, const struct syt_sparse_block *b, const struct buffers *buffers)
{
	uint64_t *words = j->thread->kept->words;
	uint64_t at = b->first_row, word = 0;

	for (uint32_t n = 0; n < b->nr_rows; n++, at++) {
		if (buffers->marks[n]) {
			word |= UINT64_C(1) << at % 64;
			*SYT_STORE_ADD(j->rows, j->nr_rows, j->room_rows) = buffers->rows[n];
		}
		if (at % 64 == 63 || n + 1 == b->nr_rows) {
			/* the job of the previous or of the next block may write bits of the same word */
			__atomic_fetch_or(&words[at / 64], word, __ATOMIC_RELAXED);
			word = 0;
		}
	}
}

static bool survey_block(struct job *j, struct syt_sparse_block *b, const struct buffers *buffers)
{
	const struct syt_segment *s = b->segment;
	const uint8_t *raw = syt_segment_raw(s, buffers->scratch);

	if (!raw || syt_unpack_rows(&j->unpack, s, raw, buffers->rows) != s->nr_events ||
	    j->unpack.nr_unknown || !look(j, b, buffers))
		return false;
	keep(j, b, buffers);
	return true;
}

/* ---- all blocks ---- */

static void make_buffers(const struct survey *v, struct buffers *buffers)
{
	uint32_t nr_calls = 0;

	if (buffers->scratch)
		return;
	for (size_t n = 0; n < v->nr_jobs; n++)
		if (v->jobs[n].loading->image.nr_calls > nr_calls)
			nr_calls = v->jobs[n].loading->image.nr_calls;
	buffers->scratch = syt_alloc(SYT_RAW_MAX, 1);
	buffers->rows = syt_alloc(v->sparse->nr_rows_max, sizeof(*buffers->rows));
	buffers->marks = syt_alloc(v->sparse->nr_rows_max, 1);
	buffers->calls = syt_calloc(nr_calls, sizeof(*buffers->calls));
}

/* Gives up the survey if most rows would be kept: reading the whole trace is then faster. */
static void watch_density(struct survey *v, uint64_t nr_kept, uint64_t nr_seen)
{
	nr_kept = __atomic_add_fetch(&v->nr_kept, nr_kept, __ATOMIC_RELAXED);
	nr_seen = __atomic_add_fetch(&v->nr_seen, nr_seen, __ATOMIC_RELAXED);
	if (nr_kept > KEPT_MIN && nr_kept > nr_seen / 2)
		__atomic_store_n(&v->is_unfit, true, __ATOMIC_RELAXED);
}

static void free_buffers(struct buffers *b)
{
	free(b->scratch);
	free(b->marks);
	free(b->rows);
	free(b->calls);
}

/* Returns true if the survey would give up, according to a few blocks from all parts of the trace. Sets V->density. */
static bool is_dense(struct survey *v)
{
	uint64_t nr_kept = 0, nr_seen = 0, nr_rows = 0, nr_blocks = v->sparse->nr_blocks;
	uint64_t nr_extras = 0;
	struct buffers buffers = {0};

	for (size_t n = 0; n < v->nr_threads; n++)
		nr_rows += v->threads[n].nr_rows;
	if (nr_rows <= KEPT_MIN || nr_blocks < NR_SAMPLES)
		return false;
	make_buffers(v, &buffers);
	for (unsigned n = 0; n < NR_SAMPLES; n++) {
		struct syt_sparse_block b =
			v->sparse->blocks[(2 * n + 1) * nr_blocks / (2 * NR_SAMPLES)];
		struct job j = {
			.loading = (struct syt_loading *)(uintptr_t)b.loading,
			.unpack = {.image = &b.loading->image, .clock = b.loading->clock},
		};
		const uint8_t *raw = syt_segment_raw(b.segment, buffers.scratch);

		if (raw &&
		    syt_unpack_rows(&j.unpack, b.segment, raw, buffers.rows) ==
		            b.segment->nr_events &&
		    look(&j, &b, &buffers)) {
			nr_seen += b.nr_rows;
			nr_extras += j.unpack.nr_extras;
			for (uint32_t row = 0; row < b.nr_rows; row++)
				nr_kept += buffers.marks[row];
		}
		syt_unpack_fini(&j.unpack);
	}
	free_buffers(&buffers);
	v->density = (double)nr_kept / (double)(nr_seen + 1);
	v->extra_density = (double)nr_extras / (double)(nr_seen + 1);
	return nr_kept > nr_seen / 4 * 3 && nr_kept * (nr_rows / (nr_seen + 1)) > KEPT_MIN;
}

/* Makes room for the rows that J will probably keep, and for its optional fields. One large array is not copied while it grows,
 * and has huge pages. */
static void reserve(const struct survey *v, struct job *j)
{
	const struct syt_sparse_block *b = &v->sparse->blocks[j->first_block];
	struct syt_unpack *u = &j->unpack;
	double nr = (double)(b[j->nr_blocks - 1].first_row + b[j->nr_blocks - 1].nr_rows -
	                     b->first_row) *
	            1.25;

	syt_store_widen(&j->rows, &j->room_rows, 0, (uint64_t)(nr * v->density), sizeof(*j->rows));
	syt_store_widen(&u->extras, &u->room_extras, 0, (uint64_t)(nr * v->extra_density),
	                sizeof(*u->extras));
}

static void run_job(void *context, size_t number, unsigned worker)
{
	struct survey *v = context;
	struct job *j = &v->jobs[number];
	struct syt_image *i = &j->loading->image;
	struct buffers *buffers = &v->buffers[worker];
	bool is_fit = !__atomic_load_n(&v->is_unfit, __ATOMIC_RELAXED);
	uint64_t nr_seen = 0;

	make_buffers(v, buffers);
	reserve(v, j);
	j->begin = UINT64_MAX;
	for (uint64_t n = 0; n < j->nr_blocks && is_fit; n++) {
		syt_store_settle();
		is_fit = survey_block(j, &v->sparse->blocks[j->first_block + n], buffers);
		nr_seen += v->sparse->blocks[j->first_block + n].nr_rows;
	}
	if (!is_fit)
		__atomic_store_n(&v->is_unfit, true, __ATOMIC_RELAXED);
	syt_store_shrink(j->rows, j->nr_rows, sizeof(*j->rows));
	j->room_rows = j->nr_rows;
	watch_density(v, j->nr_rows, nr_seen);
	pthread_mutex_lock(&v->lock);
	for (uint32_t n = 0; n < i->nr_calls; n++) {
		add_use(&i->call_uses[n], &buffers->calls[n]);
		add_use(&j->use, &buffers->calls[n]);
		buffers->calls[n] = (struct syt_tally){0, 0, 0, 0, 0};
	}
	pthread_mutex_unlock(&v->lock);
	syt_progress_step();
}

static void add_job_leaves(struct thread_jobs *t, const struct job *j, const struct job *before)
{
	t->leaves.nr += j->points.leaves.nr + !!before;
	t->leaves.ns += j->points.leaves.ns;
	if (before && j->points.first > before->points.last)
		t->leaves.ns += SYT_TIME_NS(j->points.first - before->points.last);
}

static void fini_job(struct job *j)
{
	syt_store_free(j->rows);
	j->rows = NULL;
	syt_unpack_fini(&j->unpack);
	j->unpack.extras = NULL;
	j->unpack.wide = NULL;
	j->unpack.ready = NULL;
}

static bool is_in_order(const struct survey *v, const struct syt_kept *k)
{
	const struct syt_sparse_block *b = &v->sparse->blocks[k->first_block];

	for (uint64_t n = 1; n < k->nr_blocks; n++)
		if (b[n].begin < b[n - 1].end)
			return false;
	return true;
}

static void finish_thread(void *context, size_t number, unsigned worker)
{
	struct survey *v = context;
	struct thread_jobs *t = &v->threads[number];
	struct syt_thread *thread = t->thread;
	struct syt_kept *k = thread->kept;
	const struct job *before = NULL;
	uint64_t nr = 0, nr_extras = 0, nr_wide = 0, nr_ready = 0;

	(void)worker;
	if (!is_in_order(v, k)) {
		__atomic_store_n(&v->is_unfit, true, __ATOMIC_RELAXED);
		return;
	}
	for (uint64_t n = 0; n <= t->nr_rows / 64; n++) {
		k->before[n] = nr;
		nr += (uint64_t)__builtin_popcountll(k->words[n]);
	}
	for (size_t n = 0; n < t->nr_jobs; n++) {
		nr_extras += t->jobs[n].unpack.nr_extras;
		nr_wide += t->jobs[n].unpack.nr_wide;
		nr_ready += t->jobs[n].unpack.nr_ready;
	}
	thread->rows = syt_store_claim(nr, sizeof(*thread->rows));
	syt_unpack_reserve(thread, nr_extras, nr_wide, nr_ready);
	t->begin = UINT64_MAX;
	for (size_t n = 0; n < t->nr_jobs; n++) {
		struct job *j = &t->jobs[n];
		struct syt_row *to = thread->rows + t->nr_kept;

		syt_store_move(to, j->rows, j->nr_rows * sizeof(*to));
		syt_unpack_append(&j->unpack, thread, to, j->nr_rows);
		t->nr_kept += j->nr_rows;
		t->begin = j->begin < t->begin ? j->begin : t->begin;
		t->end = j->end > t->end ? j->end : t->end;
		add_use(&t->use, &j->use);
		if (j->points.has_point) {
			add_job_leaves(t, j, before);
			before = j;
		}
		fini_job(j);
	}
}

/* ---- the jobs ---- */

static void plan_blocks(struct survey *v, struct syt_loading *l, uint32_t image, size_t from,
                        size_t to)
{
	struct syt_sparse *s = v->sparse;
	uint64_t nr_rows = 0;

	syt_grow(&s->blocks, &v->room_blocks, s->nr_blocks + (to - from), sizeof(*s->blocks));
	for (size_t n = from; n < to; n++) {
		const struct syt_segment *g = &l->segments[n];
		uint32_t nr = g->nr_events - g->skip;

		s->blocks[s->nr_blocks++] = (struct syt_sparse_block){
			.segment = g,
			.loading = l,
			.image = image,
			.thread = g->thread,
			.nr_rows = nr,
			.first_row = nr_rows,
		};
		nr_rows += nr;
		s->nr_rows_max = nr > s->nr_rows_max ? nr : s->nr_rows_max;
		v->is_unfit |= g->lane || !g->payload || !nr;
	}
	v->threads[v->nr_threads - 1].nr_rows = nr_rows;
}

static void plan_thread(struct survey *v, struct syt_loading *l, uint32_t image, size_t from,
                        size_t to)
{
	struct syt_thread *t = &l->image.threads[l->segments[from].thread];
	struct syt_kept *k = syt_calloc(1, sizeof(*k));
	struct thread_jobs *of;

	of = SYT_ADD(v->threads, v->nr_threads, v->room_threads);
	*of = (struct thread_jobs){.thread = t};
	*k = (struct syt_kept){
		.sparse = v->sparse,
		.first_block = v->sparse->nr_blocks,
		.nr_blocks = to - from,
		.late = syt_calloc(to - from, sizeof(*k->late)),
	};
	plan_blocks(v, l, image, from, to);
	k->words = syt_store_alloc(of->nr_rows / 64 + 1, sizeof(*k->words));
	k->before = syt_store_alloc(of->nr_rows / 64 + 1, sizeof(*k->before));
	t->kept = k;
	for (uint64_t n = 0; n < k->nr_blocks; n += BLOCKS_PER_JOB) {
		uint64_t left = k->nr_blocks - n;

		*SYT_ADD(v->jobs, v->nr_jobs, v->room_jobs) = (struct job){
			.loading = l,
			.thread = t,
			.first_block = k->first_block + n,
			.nr_blocks = left < BLOCKS_PER_JOB ? left : BLOCKS_PER_JOB,
			.unpack = {.image = &l->image, .clock = l->clock},
		};
		of->nr_jobs++;
	}
}

static void plan_image(struct survey *v, struct syt_loading *l, uint32_t image)
{
	struct syt_image *i = &l->image;

	i->call_uses = syt_calloc(i->nr_calls, sizeof(*i->call_uses));
	i->thread_uses = syt_calloc(i->nr_threads, sizeof(*i->thread_uses));
	for (uint32_t n = 0; n < i->nr_threads; n++)
		i->threads[n].image = i;
	for (size_t from = 0, to; from < l->nr_segments; from = to) {
		to = syt_segments_of_thread(l, from);
		plan_thread(v, l, image, from, to);
	}
}

/* ---- the result ---- */

/* Restores the state of the dumps before the survey. */
static void undo(struct survey *v, struct syt_loading **loadings, size_t nr)
{
	for (size_t n = 0; n < v->nr_jobs; n++)
		fini_job(&v->jobs[n]);
	for (size_t n = 0; n < v->nr_threads; n++) {
		struct syt_thread *t = v->threads[n].thread;

		syt_kept_destroy(t->kept);
		syt_store_free(t->rows);
		syt_store_free(t->extras);
		syt_store_free(t->wide);
		syt_store_free(t->ready);
		t->kept = NULL;
		t->rows = NULL;
		t->extras = NULL;
		t->wide = NULL;
		t->ready = NULL;
		t->nr_extras = t->nr_wide = t->nr_ready = 0;
	}
	for (size_t n = 0; n < nr; n++) {
		struct syt_image *i = &loadings[n]->image;

		free(i->call_uses);
		free(i->thread_uses);
		i->call_uses = i->thread_uses = NULL;
	}
	syt_sparse_destroy(v->sparse);
	v->sparse = NULL;
}

static void set_result(struct survey *v, struct syt_loading **loadings, size_t nr)
{
	for (size_t n = 0; n < nr; n++) {
		loadings[n]->image.begin = UINT64_MAX;
		loadings[n]->image.end = 0;
	}
	for (size_t n = 0; n < v->nr_threads; n++) {
		const struct thread_jobs *t = &v->threads[n];
		struct syt_image *i = t->thread->image;

		t->thread->nr_rows = t->nr_rows;
		t->thread->last = t->end;
		i->nr_decoded += t->nr_rows;
		i->thread_uses[t->thread->index] = t->use;
		i->leaves.nr += t->leaves.nr;
		i->leaves.ns += t->leaves.ns;
		i->begin = t->begin < i->begin ? t->begin : i->begin;
		i->end = t->end > i->end ? t->end : i->end;
	}
}

struct syt_sparse *syt_sparse_survey(struct syt_loading **loadings, size_t nr, unsigned nr_workers)
{
	struct survey v = {.lock = PTHREAD_MUTEX_INITIALIZER};

	v.sparse = syt_calloc(1, sizeof(*v.sparse));
	v.buffers = syt_calloc(nr_workers, sizeof(*v.buffers));
	for (size_t n = 0; n < nr; n++) {
		v.is_unfit |= loadings[n]->problems.nr || loadings[n]->image.nr_pauses ||
		              loadings[n]->image.is_sampled;
		plan_image(&v, loadings[n], (uint32_t)n);
	}
	for (size_t n = 0, at = 0; n < v.nr_threads; at += v.threads[n++].nr_jobs)
		v.threads[n].jobs = &v.jobs[at];
	if (!v.is_unfit)
		v.is_unfit = is_dense(&v);
	if (!v.is_unfit) {
		syt_progress_begin("reading", v.nr_jobs);
		syt_work(v.nr_jobs, nr_workers, run_job, &v);
		syt_progress_end();
	}
	if (!v.is_unfit)
		syt_work(v.nr_threads, nr_workers, finish_thread, &v);
	if (v.is_unfit)
		undo(&v, loadings, nr);
	else
		set_result(&v, loadings, nr);
	for (unsigned n = 0; n < nr_workers; n++)
		free_buffers(&v.buffers[n]);
	free(v.buffers);
	free(v.jobs);
	free(v.threads);
	return v.sparse;
}
