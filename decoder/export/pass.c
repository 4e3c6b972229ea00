/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/pass.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"

/* maximum depth of nested calls; the recorder has three levels; deeper calls are shown without duration */
#define DEPTH_MAX 8u

/* ---- edges by the event where they begin or end ---- */

struct links {
	/* ends of edges, sorted by event, first those at its begin, then by edge; barrier rounds are last */
	struct syt_link *all;
	uint64_t nr;
	/* [thread]: index of its first element in `all`; then one for rounds, and one for the end */
	uint64_t *first;
};

static int by_place(const void *a_, const void *b_)
{
	const struct syt_link *a = a_, *b = b_;
	int c = syt_place_compare(a->at, b->at);

	if (c)
		return c;
	SYT_ORDER_BY(is_end);
	SYT_ORDER_BY(edge);
	return 0;
}

static void open_links(struct links *l, const struct syt_export *x, bool is_from)
{
	const struct syt_order *o = x->order;
	uint32_t nr_threads = o->places.nr_threads;
	uint64_t at = 0;

	l->all = syt_store_alloc(o->edges.nr, sizeof(*l->all));
	SYT_EACH_FAR(i, 0, o->edges.nr) {
		const struct syt_edge *e = &o->edges.all[i];

		if (syt_selection_has_edge(&x->selection, o, e))
			l->all[l->nr++] =
				(struct syt_link){.at = is_from ? e->from : e->to,
			                          .is_end = syt_edge_is_at_end(e, is_from),
			                          .edge = i};
	}
	syt_sort(l->all, l->nr, sizeof(*l->all), by_place);
	l->first = syt_calloc((size_t)nr_threads + 2, sizeof(*l->first));
	for (uint32_t n = 0; n <= nr_threads; n++) {
		l->first[n] = at;
		while (at < l->nr && (n == nr_threads || l->all[at].at.thread == n))
			at++;
	}
	l->first[nr_threads + 1] = l->nr;
}

static void close_links(struct links *l)
{
	syt_store_free(l->all);
	free(l->first);
}

/* Returns the ends of edges at event ROW of thread NUMBER; for barrier rounds, NUMBER is the number of threads.
 * *HINT is the position found by the previous call. */
static struct syt_step_edges find_links(const struct links *l, uint32_t number, uint32_t row,
                                        uint64_t *hint)
{
	uint64_t low = l->first[number], end = l->first[number + 1], high = end;

	/* a caller mostly asks for increasing rows, so the search begins at *HINT */
	if (*hint > low && *hint <= end && l->all[*hint - 1].at.row < row)
		low = *hint;
	for (unsigned n = 0; n < 16 && low < high; n++) {
		if (l->all[low].at.row >= row)
			high = low;
		else
			low++;
	}
	low = SYT_BISECT(i, low, high, l->all[i].at.row < row);
	struct syt_step_edges found = {0, l->all + low};

	while (low + found.nr < end && l->all[low + found.nr].at.row == row)
		found.nr++;
	*hint = low;
	return found;
}

/* ---- the steps of one thread ---- */

struct began {
	syt_time in;
	uint32_t row;
};

struct span {
	syt_time end;
	uint32_t row;
	const struct syt_task *task; /* leaf task of the span; NULL: the span is a call */
	bool is_cut;
};

struct stream {
	uint64_t row;        /* index of the next row, in `began` if it is not NULL */
	struct began *began; /* rows sorted by begin; NULL: thread->rows has this order */
	uint64_t task, task_end;
	uint32_t depth;
	struct span open[DEPTH_MAX];
	struct syt_pass_step step; /* next step of the thread */
	uint64_t hint_from, hint_to;
};

struct head {
	syt_time at;
	uint32_t rank;   /* RANK_* of the step */
	uint32_t thread; /* index of the thread; the number of threads stands for barrier rounds */
};

struct timed_round {
	syt_time at;
	uint32_t index;
};

struct syt_pass {
	const struct syt_order *order;
	const struct syt_tasks *tasks;
	const struct syt_selection *selection;
	struct links from, to;
	struct stream *streams;
	struct head *heap;
	size_t nr;
	uint64_t nr_rounds, round;
	struct timed_round *rounds;
	uint64_t hint_from, hint_to; /* position caches for the edges at barrier rounds */
	struct syt_pass_step step;
};

static int by_begin(const void *a_, const void *b_)
{
	const struct began *a = a_, *b = b_;

	return a->in < b->in ? -1 : a->in > b->in;
}

/* Returns the rows of T sorted by their begin; NULL if thread->rows is sorted so already. The row of a call comes
 * after the rows of a signal handler that interrupted it, because a call is recorded at its end. */
static struct began *sort_rows(const struct syt_thread *t)
{
	bool is_sorted = true;
	struct began *began;

	for (uint64_t row = 1; is_sorted && row < t->nr_rows; row++)
		is_sorted = t->rows[row - 1].in <= t->rows[row].in;
	if (is_sorted)
		return NULL;
	began = syt_store_alloc(t->nr_rows, sizeof(*began));
	SYT_EACH(row, 0, t->nr_rows)
		began[row] = (struct began){t->rows[row].in, (uint32_t)row};
	syt_sort(began, t->nr_rows, sizeof(*began), by_begin);
	return began;
}

static bool has_length(const struct syt_row *r)
{
	return SYT_TIME_NS(r->out) > SYT_TIME_NS(r->in);
}

/* The order of steps at the same instant: first ends without edges (other steps of the thread may follow), then
 * steps where edges leave, then barrier rounds, then steps where edges arrive. */
enum { RANK_END, RANK_FROM, RANK_ROUND, RANK_TO };

static uint32_t rank_of(const struct syt_pass_step *s)
{
	if (s->kind == SYT_STEP_TASK)
		return RANK_TO;
	if (s->kind == SYT_STEP_LEAVE || s->kind == SYT_STEP_TASK_END)
		return s->to.nr ? RANK_TO : RANK_END;
	return RANK_FROM;
}

/* Returns true if a leaf task with a duration begins after event ROW. The stream S is past the begin of ROW. */
static bool has_task_after(const struct syt_pass *p, const struct stream *s, uint32_t row)
{
	for (uint64_t i = s->task; i < s->task_end && p->tasks->all[i].begin <= row; i++)
		if (p->tasks->all[i].begin == row)
			return syt_task_span(p->tasks, &p->tasks->all[i]) > 0 &&
			       syt_selection_has_task(p->selection, p->tasks, &p->tasks->all[i]);
	return false;
}

enum side { BEGIN, END, BOTH };

static struct syt_step_edges arriving(struct syt_pass *p, struct stream *s, struct syt_place at,
                                      enum side side)
{
	struct syt_step_edges to = find_links(&p->to, at.thread, at.row, &s->hint_to);
	uint64_t nr_begin = 0;

	while (nr_begin < to.nr && !to.all[nr_begin].is_end)
		nr_begin++;
	if (side == END)
		return (struct syt_step_edges){to.nr - nr_begin, to.all + nr_begin};
	return (struct syt_step_edges){side == BEGIN ? nr_begin : to.nr, to.all};
}

static void close_span(struct syt_pass *p, uint32_t thread, struct stream *s)
{
	const struct span *top = &s->open[--s->depth];

	s->step = (struct syt_pass_step){.kind = top->task ? SYT_STEP_TASK_END : SYT_STEP_LEAVE,
	                                 .is_cut = top->is_cut,
	                                 .at = top->end,
	                                 .of = {thread, top->row},
	                                 .task = top->task};
	if (!top->task && !has_task_after(p, s, top->row))
		s->step.to = arriving(p, s, (struct syt_place){thread, top->row}, END);
}

static void open_span(struct stream *s, struct span span)
{
	if (s->depth && span.end > s->open[s->depth - 1].end) {
		span.end = s->open[s->depth - 1].end;
		span.is_cut = true;
	}
	s->open[s->depth++] = span;
}

static void begin_call(struct syt_pass *p, uint32_t thread, struct stream *s, uint32_t row)
{
	const struct syt_row *r = &p->order->places.threads[thread]->rows[row];
	const struct syt_place at = {thread, row};
	bool is_span = has_length(r) && s->depth < DEPTH_MAX;

	s->step = (struct syt_pass_step){.kind = is_span ? SYT_STEP_ENTER : SYT_STEP_CALL,
	                                 .at = r->in,
	                                 .of = at,
	                                 .from = find_links(&p->from, thread, row, &s->hint_from)};
	s->step.to = arriving(p, s, at, is_span || has_task_after(p, s, row) ? BEGIN : BOTH);
	if (is_span)
		open_span(s, (struct span){r->out, row, NULL, false});
}

static void begin_task(struct syt_pass *p, uint32_t thread, struct stream *s,
                       const struct syt_task *t)
{
	const struct syt_place at = {thread, t->begin};
	syt_time begin = syt_task_begin(p->tasks, t);

	s->step = (struct syt_pass_step){.kind = SYT_STEP_TASK, .at = begin, .of = at, .task = t};
	s->step.to = arriving(p, s, at, END);
	open_span(s, (struct span){begin + syt_task_span(p->tasks, t), t->begin, t, false});
}

/* Returns the next row of the stream S of thread T. */
static const struct syt_row *next_row(const struct syt_thread *t, const struct stream *s)
{
	return &t->rows[s->began ? s->began[s->row].row : s->row];
}

/* Finds the next step of THREAD. Returns false at its end. */
static bool advance(struct syt_pass *p, uint32_t thread)
{
	const struct syt_thread *t = p->order->places.threads[thread];
	struct stream *s = &p->streams[thread];

	while (s->task < s->task_end &&
	       (!syt_task_span(p->tasks, &p->tasks->all[s->task]) || s->depth == DEPTH_MAX ||
	        !syt_selection_has_task(p->selection, p->tasks, &p->tasks->all[s->task])))
		s->task++;
	while (s->row < t->nr_rows && !syt_selection_has_row(p->selection, next_row(t, s)))
		s->row++;

	const struct syt_task *task = s->task < s->task_end ? &p->tasks->all[s->task] : NULL;
	bool has_row = s->row < t->nr_rows;
	uint32_t row = has_row ? (uint32_t)(next_row(t, s) - t->rows) : 0;
	syt_time call_at = has_row ? t->rows[row].in : UINT64_MAX;
	syt_time task_at = task ? syt_task_begin(p->tasks, task) : UINT64_MAX;
	bool is_task = task_at < call_at || (task && task_at == call_at && row > task->begin);

	if (s->depth && s->open[s->depth - 1].end <= (is_task ? task_at : call_at)) {
		close_span(p, thread, s);
		return true;
	}
	if (is_task) {
		s->task++;
		begin_task(p, thread, s, task);
		return true;
	}
	if (!has_row)
		return false;

	struct span *top = s->depth ? &s->open[s->depth - 1] : NULL;

	if (top && top->task && t->rows[row].out > top->end) {
		top->end = call_at;
		top->is_cut = true;
		close_span(p, thread, s);
		return true;
	}
	s->row++;
	begin_call(p, thread, s, row);
	return true;
}

/* ---- all threads ---- */

static bool is_before(const struct head *a, const struct head *b)
{
	if (a->at != b->at)
		return a->at < b->at;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->thread < b->thread;
}

static void sift_down(struct syt_pass *p, size_t at)
{
	struct head moving = p->heap[at];

	for (size_t child = 2 * at + 1; child < p->nr; child = 2 * at + 1) {
		if (child + 1 < p->nr && is_before(&p->heap[child + 1], &p->heap[child]))
			child++;
		if (!is_before(&p->heap[child], &moving))
			break;
		p->heap[at] = p->heap[child];
		at = child;
	}
	p->heap[at] = moving;
}

static int by_time(const void *a_, const void *b_)
{
	const struct timed_round *a = a_, *b = b_;

	return a->at < b->at ? -1 : a->at > b->at;
}

/* Sets HEAD to the next step of the thread, or of the barrier rounds, from which its last step came. Returns false
 * if there is none. */
static bool refill(struct syt_pass *p, struct head *head)
{
	if (head->thread == p->order->places.nr_threads) {
		if (p->round == p->nr_rounds)
			return false;
		head->at = p->rounds[p->round].at;
		head->rank = RANK_ROUND;
		return true;
	}
	if (!advance(p, head->thread))
		return false;
	head->at = p->streams[head->thread].step.at;
	head->rank = rank_of(&p->streams[head->thread].step);
	return true;
}

static void open_rounds(struct syt_pass *p)
{
	uint64_t nr = p->order->edges.nr_rounds;

	p->rounds = syt_store_alloc(nr, sizeof(*p->rounds));
	for (uint64_t i = 0; i < nr; i++) {
		syt_time at = p->order->edges.rounds[i].at;

		if (at >= p->selection->from && at < p->selection->to)
			p->rounds[p->nr_rounds++] = (struct timed_round){at, (uint32_t)i};
	}
	syt_sort(p->rounds, p->nr_rounds, sizeof(*p->rounds), by_time);
}

struct syt_pass *syt_pass_open(const struct syt_export *x)
{
	const struct syt_order *order = x->order;
	const struct syt_tasks *tasks = x->tasks;
	struct syt_pass *p = syt_calloc(1, sizeof(*p));
	uint32_t nr_threads = order->places.nr_threads;

	p->order = order;
	p->tasks = tasks;
	p->selection = &x->selection;
	open_links(&p->from, x, true);
	open_links(&p->to, x, false);
	open_rounds(p);
	p->streams = syt_calloc(nr_threads, sizeof(*p->streams));
	p->heap = syt_calloc((size_t)nr_threads + 1, sizeof(*p->heap));
	for (uint32_t n = 0; n <= nr_threads; n++) {
		if (n < nr_threads && !syt_selection_has_thread(&x->selection, n))
			continue;
		if (n < nr_threads) {
			p->streams[n].began = sort_rows(order->places.threads[n]);
			p->streams[n].task = tasks->first_of_thread[n];
			p->streams[n].task_end = tasks->first_of_thread[n + 1];
		}
		p->heap[p->nr].thread = n;
		if (refill(p, &p->heap[p->nr]))
			p->nr++;
	}
	for (size_t n = p->nr / 2; n-- > 0;)
		sift_down(p, n);
	return p;
}

void syt_pass_close(struct syt_pass *p)
{
	close_links(&p->from);
	close_links(&p->to);
	for (uint32_t n = 0; n < p->order->places.nr_threads; n++)
		syt_store_free(p->streams[n].began);
	syt_store_free(p->rounds);
	free(p->streams);
	free(p->heap);
	free(p);
}

static void take_round(struct syt_pass *p)
{
	uint32_t rounds = p->order->places.nr_threads;
	uint32_t index = p->rounds[p->round++].index;

	p->step = (struct syt_pass_step){
		.kind = SYT_STEP_ROUND,
		.at = p->order->edges.rounds[index].at,
		.of = {SYT_NONE, index},
		.from = find_links(&p->from, rounds, index, &p->hint_from),
		.to = find_links(&p->to, rounds, index, &p->hint_to),
	};
}

const struct syt_pass_step *syt_pass_next(struct syt_pass *p)
{
	if (!p->nr)
		return NULL;
	struct head *top = &p->heap[0];

	syt_store_look();
	if (top->thread == p->order->places.nr_threads)
		take_round(p);
	else
		p->step = p->streams[top->thread].step;
	if (!refill(p, top))
		*top = p->heap[--p->nr];
	if (p->nr)
		sift_down(p, 0);
	return &p->step;
}
