/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A job is a run of consecutive events of one thread. The job adds the leaf tasks (the work between two
 * synchronization events) that lie within this run to the table of its worker. The leaf tasks that begin in one
 * job and end in another are added at the end. The sums therefore do not depend on the number of workers. */
#include "decoder/order/task_sum.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/work.h"
#include "decoder/read/call.h"
#include "decoder/read/sparse.h"

#define BLOCKS_PER_JOB 32u
#define ROWS_PER_JOB 524288u

struct table {
	struct syt_task_sum *sums;
	size_t nr, room;
	struct syt_hash index;
};

struct point {
	struct syt_label_key side;
	syt_time in, out;
	uint32_t row;
};

struct job {
	uint32_t thread;   /* trace-wide number of the thread */
	uint64_t from, to; /* range of events or, in a sparse trace, of compressed blocks */
	bool has_point;
	struct point first, last;
};

/* The memory of one worker. */
struct buffers {
	struct table table;
	uint8_t *scratch;
	struct syt_row *rows;
};

struct summing {
	const struct syt_places *places;
	const struct syt_task_filter *filter;
	struct job *jobs;
	size_t nr_jobs, room_jobs;
	struct buffers *buffers; /* [worker]: memory of the worker */
};

static bool is_same(const struct syt_task_sum *a, const struct syt_task_sum *b)
{
	return a->begin.stack == b->begin.stack && a->end.stack == b->end.stack &&
	       a->begin.call == b->begin.call && a->end.call == b->end.call && a->image == b->image;
}

static uint32_t hash(const struct syt_task_sum *s)
{
	return syt_hash_words((uint64_t)s->begin.stack << 32 | s->end.stack,
	                      (uint64_t)s->begin.call << 48 ^ (uint64_t)s->end.call << 32 ^
	                              s->image);
}

static void add(struct table *t, const struct syt_task_sum *more)
{
	uint32_t h = hash(more), n = SYT_HASH_FIND(&t->index, h, i, is_same(&t->sums[i], more));
	struct syt_task_sum *sum;

	if (n == SYT_HASH_NONE) {
		syt_grow(&t->sums, &t->room, t->nr + 1, sizeof(*t->sums));
		t->sums[syt_hash_add(&t->index, h, t->nr++)] = *more;
		return;
	}
	sum = &t->sums[n];
	sum->nr += more->nr;
	sum->total_ns += more->total_ns;
	if (more->max_ns > sum->max_ns)
		sum->max_ns = more->max_ns;
	if (syt_place_compare(more->first, sum->first) < 0)
		sum->first = more->first;
}

static inline void add_task(const struct summing *s, struct table *t, uint32_t thread,
                            const struct point *begin, const struct point *end)
{
	const struct syt_place at = {thread, begin->row};
	uint64_t ns = end->in > begin->out ? SYT_TIME_NS(end->in - begin->out) : 0;

	if (begin->out < s->filter->from || begin->out >= s->filter->to ||
	    !syt_part_is_one(s->places->threads[thread], begin->row, end->row))
		return;
	add(t, &(struct syt_task_sum){syt_place_image_idx(s->places, at), begin->side, end->side,
	                              at, 1, ns, ns});
}

static void meet_point(const struct summing *s, struct table *t, struct job *j,
                       const struct syt_row *r, uint64_t row)
{
	const struct point p = {{r->call, r->stack}, r->in, r->out, (uint32_t)row};

	if (j->has_point)
		add_task(s, t, j->thread, &j->last, &p);
	else
		j->first = p;
	j->has_point = true;
	j->last = p;
}

static void see_rows(const struct summing *s, struct table *t, struct job *j)
{
	const struct syt_thread *thread = s->places->threads[j->thread];

	SYT_EACH(row, j->from, j->to) {
		const struct syt_row *r = &thread->rows[row];

		if (syt_row_is_point(thread->image, r, syt_thread_extra(thread, r)))
			meet_point(s, t, j, r, row);
	}
}

static void see_block(const struct summing *s, struct buffers *buffers, struct job *j,
                      const struct syt_sparse_block *b)
{
	const struct syt_thread *thread = s->places->threads[j->thread];
	uint32_t nr = syt_sparse_unpack(b, buffers->scratch, buffers->rows);

	syt_store_settle();
	for (uint32_t n = 0; n < nr; n++) {
		const struct syt_row *r = &buffers->rows[n];

		if (syt_row_is_plain(thread->image, r)) {
			meet_point(s, &buffers->table, j, r, b->first_row + n);
			continue;
		}
		r = syt_kept_row(thread, b->first_row + n); /* event with its optional fields */
		if (syt_row_is_point(thread->image, r, syt_thread_extra(thread, r)))
			meet_point(s, &buffers->table, j, r, b->first_row + n);
	}
}

static void run_job(void *context, size_t number, unsigned worker)
{
	struct summing *s = context;
	struct job *j = &s->jobs[number];
	struct buffers *buffers = &s->buffers[worker];
	const struct syt_sparse *sparse = s->places->trace->sparse;

	if (sparse && !buffers->scratch) {
		buffers->scratch = syt_alloc(SYT_RAW_MAX, 1);
		buffers->rows = syt_alloc(sparse->nr_rows_max, sizeof(*buffers->rows));
	}
	if (!sparse)
		see_rows(s, &buffers->table, j);
	for (uint64_t n = j->from; sparse && n < j->to; n++)
		see_block(s, buffers, j, &sparse->blocks[n]);
	syt_progress_step();
}

static void plan_thread(struct summing *s, uint32_t thread)
{
	const struct syt_thread *t = s->places->threads[thread];
	uint64_t from = t->kept ? t->kept->first_block : 0;
	uint64_t to = from + (t->kept ? t->kept->nr_blocks : t->nr_rows);
	uint64_t step = t->kept ? BLOCKS_PER_JOB : ROWS_PER_JOB;

	for (; from < to; from += step) {
		*SYT_ADD(s->jobs, s->nr_jobs, s->room_jobs) = (struct job){
			.thread = thread, .from = from, .to = to - from < step ? to : from + step};
	}
}

/* Adds the leaf tasks that begin in one job and end in a later job of the same thread. */
static void add_between(const struct summing *s, struct table *t)
{
	const struct job *before = NULL;

	for (size_t n = 0; n < s->nr_jobs; n++) {
		const struct job *j = &s->jobs[n];

		if (!j->has_point)
			continue;
		if (before && before->thread == j->thread)
			add_task(s, t, j->thread, &before->last, &j->first);
		before = j;
	}
}

static int by_first(const void *a_, const void *b_)
{
	const struct syt_task_sum *a = a_, *b = b_;

	return syt_place_compare(a->first, b->first);
}

struct syt_task_sum *syt_task_sums(const struct syt_places *places,
                                   const struct syt_task_filter *filter, size_t *nr)
{
	unsigned nr_workers = places->trace->nr_workers ? places->trace->nr_workers : 1;
	struct summing s = {.places = places, .filter = filter};
	struct table all = {.nr = 0};

	s.buffers = syt_calloc(nr_workers, sizeof(*s.buffers));
	for (uint32_t n = 0; n < places->nr_threads; n++)
		if (!filter->has_pid || places->threads[n]->image->file.pid == filter->pid)
			plan_thread(&s, n);
	syt_progress_begin("summing up", s.nr_jobs);
	syt_work(s.nr_jobs, nr_workers, run_job, &s);
	syt_progress_end();
	add_between(&s, &all);
	for (unsigned n = 0; n < nr_workers; n++) {
		for (size_t i = 0; i < s.buffers[n].table.nr; i++)
			add(&all, &s.buffers[n].table.sums[i]);
		free(s.buffers[n].table.sums);
		syt_hash_close(&s.buffers[n].table.index);
		free(s.buffers[n].scratch);
		free(s.buffers[n].rows);
	}
	free(s.buffers);
	free(s.jobs);
	syt_hash_close(&all.index);
	if (all.nr)
		qsort(all.sums, all.nr, sizeof(*all.sums), by_first);
	*nr = all.nr;
	return all.sums;
}
