/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The sums of a critical path: first by the numbers of call stacks and calls, which are few, then by function. */
#include "decoder/analysis/path_sum.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "decoder/analysis/own_frame.h"

/* ---- single segments of the path ---- */

const char *syt_path_function(const struct syt_path *p, const struct syt_path_segment *s,
                              struct syt_symbols *symbols)
{
	const struct syt_places *places = &p->order->places;
	const struct syt_image *image = places->threads[s->at.thread]->image;
	const char *name = NULL;
	uint32_t stack;

	if (syt_path_is_unknown(s->kind))
		return NULL;
	stack = syt_place_row(places, s->at)->stack;
	if (s->kind == SYT_PATH_RUNNING)
		name = syt_own_frame_common(
			symbols, image, places->threads[s->at.thread]->rows[s->begin].stack, stack);
	return name ? name : syt_own_frame_of(symbols, image, stack);
}

struct syt_cpu_use syt_path_cpu_use(const struct syt_path_sum *s, const struct syt_path_segment *g)
{
	return g->kind == SYT_PATH_RUNNING ? syt_cpu_used(s->times, g->at.thread, g->from, g->to)
	                                   : (struct syt_cpu_use){0, 0, 0};
}

/* ---- sums by numbers of call stacks and calls ---- */

struct sum {
	uint8_t kind, edge_kind, edge_class;
	uint64_t nr;
	syt_time time, longest_time;
	struct syt_cpu_use cpu;
	uint64_t longest;
};

struct table {
	size_t nr, room;
	struct sum *sums;
	struct syt_counts
		numbers; /* from 1; the key has the process image, call, call stacks and kinds */
};

/* Returns the sum for segments with the same call, call stacks and kinds as S, or adds a new sum. */
static struct sum *sum_of(struct table *t, const struct syt_path *p,
                          const struct syt_path_segment *s)
{
	const struct syt_thread *thread = p->order->places.threads[s->at.thread];
	const struct syt_row *r = thread->nr_rows ? &thread->rows[s->at.row] : NULL;
	struct sum sum = {.kind = s->kind};
	uint64_t stacks = 0, *number;
	uint16_t call = 0;

	if (!syt_path_is_unknown(s->kind) && r) {
		stacks = r->stack;
		call = r->call;
		if (s->kind == SYT_PATH_RUNNING)
			stacks |= (uint64_t)thread->rows[s->begin].stack << 32;
		if (s->kind == SYT_PATH_HANDOVER) {
			sum.edge_kind = p->order->edges.all[s->edge].kind;
			sum.edge_class = p->order->edges.all[s->edge].class;
		}
	}
	number = syt_counts_at(
		&t->numbers, stacks,
		(uint64_t)syt_place_image_idx(&p->order->places, s->at) << 32 |
			(uint64_t)call << 16 |
			(uint64_t)(sum.edge_kind * SYT_NR_CLASSES + sum.edge_class) << 8 | s->kind);
	if (!*number) {
		*SYT_ADD(t->sums, t->nr, t->room) = sum;
		*number = t->nr;
	}
	return &t->sums[*number - 1];
}

/* ---- sums by activity and by function ---- */

/* Compares two names, either of which may be NULL, and sorts NULL first. */
static int compare_names(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !b - !a;
}

static int by_part(const struct syt_path_part *a, const struct syt_path_part *b)
{
	SYT_ORDER_BY(kind);
	SYT_ORDER_BY(edge_kind);
	SYT_ORDER_BY(edge_class);
	SYT_ORDER_BY(side);
	return compare_names(a->function, b->function);
}

static int same_part(const void *a_, const void *b_)
{
	const struct syt_path_part *a = a_, *b = b_;
	int order = by_part(a, b);

	if (order)
		return order;
	SYT_ORDER_BY(longest);
	return 0;
}

static int longest_part(const void *a_, const void *b_)
{
	const struct syt_path_part *a = a_, *b = b_;

	SYT_ORDER(b->time, a->time);
	return same_part(a, b);
}

static void make_parts(struct syt_path_sum *s, const struct syt_path *p, const struct table *t,
                       struct syt_labels *labels, struct syt_symbols *symbols)
{
	size_t nr = 0;

	s->parts = syt_calloc(t->nr, sizeof(*s->parts));
	for (size_t i = 0; i < t->nr; i++) {
		const struct sum *sum = &t->sums[i];
		const struct syt_path_segment *longest = &p->all[sum->longest];

		s->parts[s->nr_parts++] = (struct syt_path_part){
			.function = syt_path_function(p, longest, symbols),
			.kind = sum->kind,
			.edge_kind = sum->edge_kind,
			.edge_class = sum->edge_class,
			.side = syt_path_is_unknown(sum->kind)
		                        ? SYT_NONE
		                        : syt_label_side(labels, longest->at),
			.time = sum->time,
			.cpu = sum->cpu,
			.nr = sum->nr,
			.longest = sum->longest};
	}
	if (s->nr_parts)
		qsort(s->parts, s->nr_parts, sizeof(*s->parts), same_part);
	for (size_t i = 0; i < s->nr_parts; i++) {
		struct syt_path_part *last = nr ? &s->parts[nr - 1] : NULL, *part = &s->parts[i];

		if (last && !by_part(last, part)) {
			const struct syt_path_segment *a = &p->all[last->longest],
						      *b = &p->all[part->longest];

			if (b->to - b->from > a->to - a->from)
				last->longest = part->longest;
			last->time += part->time;
			syt_cpu_add(&last->cpu, part->cpu);
			last->nr += part->nr;
		} else {
			s->parts[nr++] = *part;
		}
	}
	s->nr_parts = nr;
}

static int by_name(const void *a_, const void *b_)
{
	const struct syt_path_function *a = a_, *b = b_;

	return compare_names(a->name, b->name);
}

static int longest_function(const void *a_, const void *b_)
{
	const struct syt_path_function *a = a_, *b = b_;

	SYT_ORDER(b->time, a->time);
	return by_name(a, b);
}

static void make_functions(struct syt_path_sum *s)
{
	size_t nr = 0;

	s->functions = syt_calloc(s->nr_parts, sizeof(*s->functions));
	for (size_t i = 0; i < s->nr_parts; i++) {
		const struct syt_path_part *p = &s->parts[i];
		bool is_doing = p->kind == SYT_PATH_RUNNING || p->kind == SYT_PATH_CALL;
		struct syt_path_function *f = &s->functions[i];

		*f = (struct syt_path_function){.name = is_doing ? p->function : NULL,
		                                .time = p->time,
		                                .cpu = p->cpu,
		                                .nr = p->nr};
		f->by_kind[p->kind] = p->time;
	}
	if (s->nr_parts)
		qsort(s->functions, s->nr_parts, sizeof(*s->functions), by_name);
	for (size_t i = 0; i < s->nr_parts; i++) {
		struct syt_path_function *last = nr ? &s->functions[nr - 1] : NULL,
					 *f = &s->functions[i];

		if (!last || by_name(last, f)) {
			s->functions[nr++] = *f;
			continue;
		}
		last->time += f->time;
		syt_cpu_add(&last->cpu, f->cpu);
		last->nr += f->nr;
		for (unsigned k = 0; k < SYT_NR_PATH_KINDS; k++)
			last->by_kind[k] += f->by_kind[k];
	}
	s->nr_functions = nr;
	if (nr)
		qsort(s->functions, nr, sizeof(*s->functions), longest_function);
}

/* ---- sums by thread ---- */

static int longest_thread(const void *a_, const void *b_)
{
	const struct syt_path_thread *a = a_, *b = b_;

	SYT_ORDER(b->time, a->time);
	SYT_ORDER_BY(thread);
	return 0;
}

static void pack_threads(struct syt_path_sum *s, uint32_t nr_threads)
{
	for (uint32_t n = 0; n < nr_threads; n++)
		if (s->threads[n].nr_visits)
			s->threads[s->nr_threads++] = s->threads[n];
	if (s->nr_threads)
		qsort(s->threads, s->nr_threads, sizeof(*s->threads), longest_thread);
}

void syt_path_sum_open(struct syt_path_sum *s, const struct syt_path *p,
                       const struct syt_cpu_times *times, struct syt_labels *labels,
                       struct syt_symbols *symbols)
{
	uint32_t nr_threads = p->order->places.nr_threads, thread = SYT_NONE;
	struct table t = {.nr = 0};

	memset(s, 0, sizeof(*s));
	s->threads = syt_calloc(nr_threads, sizeof(*s->threads));
	s->times = times;
	SYT_EACH_FAR(i, 0, p->nr) {
		const struct syt_path_segment *g = &p->all[i];
		struct syt_path_thread *of = &s->threads[g->at.thread];
		struct sum *sum = sum_of(&t, p, g);
		syt_time length = g->to - g->from;
		struct syt_cpu_use cpu = syt_path_cpu_use(s, g);

		if (!sum->nr++ || length > sum->longest_time) {
			sum->longest = i;
			sum->longest_time = length;
		}
		sum->time += length;
		of->thread = g->at.thread;
		of->time += length;
		of->by_kind[g->kind] += length;
		of->nr_visits += thread != g->at.thread;
		thread = g->at.thread;
		syt_cpu_add(&sum->cpu, cpu);
		syt_cpu_add(&of->cpu, cpu);
		syt_cpu_add(&s->cpu, cpu);
		if (syt_cpu_is_known(&cpu))
			syt_cpu_add(&s->known, cpu);
	}
	make_parts(s, p, &t, labels, symbols);
	make_functions(s);
	if (s->nr_parts)
		qsort(s->parts, s->nr_parts, sizeof(*s->parts), longest_part);
	pack_threads(s, nr_threads);
	free(t.sums);
	syt_counts_fini(&t.numbers);
}

void syt_path_sum_close(struct syt_path_sum *s)
{
	free(s->parts);
	free(s->functions);
	free(s->threads);
	memset(s, 0, sizeof(*s));
}

const struct syt_path_part *syt_path_sum_part(const struct syt_path_sum *s,
                                              const struct syt_path_function *f)
{
	const struct syt_path_part *unnamed = NULL;

	for (size_t i = 0; i < s->nr_parts; i++) {
		const struct syt_path_part *p = &s->parts[i];
		bool is_doing = p->kind == SYT_PATH_RUNNING || p->kind == SYT_PATH_CALL;

		if (f->name ? is_doing && p->function && !strcmp(p->function, f->name)
		            : p->kind == SYT_PATH_HANDOVER)
			return p;
		if (is_doing && !p->function && !unnamed)
			unnamed = p;
	}
	return f->name ? NULL : unnamed;
}

/* ---- the cause of the length of a request ---- */

/* Returns true if the segment G is the end of a wait for a lock. A wait for a condition variable does not count,
 * because it mostly waits for its signal. */
static bool is_lock_wait(const struct syt_path *p, const struct syt_path_segment *g)
{
	uint8_t shape;

	if (g->kind != SYT_PATH_HANDOVER ||
	    p->order->edges.all[g->edge].class != SYT_CLASS_RUN_AFTER)
		return false;
	shape = syt_place_call(&p->order->places, g->at)->shape;
	return shape != SYT_SHAPE_COND_WAIT && shape != SYT_SHAPE_CANCELLED;
}

struct syt_request_cause syt_request_cause_of(const struct syt_path *p,
                                              const struct syt_path_sum *s)
{
	struct syt_request_cause c = {NULL, NULL, NULL, 0};

	SYT_EACH_FAR(n, 0, p->nr) {
		const struct syt_path_segment *g = &p->all[n];
		syt_time from, wait;

		if (!is_lock_wait(p, g))
			continue;
		from = syt_place_row(&p->order->places, g->at)->in;
		wait = g->to - (from > p->from ? from : p->from);
		if (wait > c.lock_wait) {
			c.lock = g;
			c.lock_wait = wait;
		}
	}
	if (s->nr_functions && s->functions[0].time) {
		c.function = &s->functions[0];
		c.part = syt_path_sum_part(s, c.function);
	}
	return c;
}
