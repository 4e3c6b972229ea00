/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/analysis/spread.h"
#include "decoder/analysis/wait_walk.h"
#include "decoder/model/shape.h"

/* CPU time is unknown if less than this percentage of the running time lies between two measurements. */
#define LEAST_MEASURED 90u

/* The sums of a task, or of the work outside of tasks. Times have the type syt_time. */
struct sums {
	syt_time ran, measured, cpu;
	uint64_t sent, received;
	syt_time waited[SYT_NR_WAITS_KINDS], own_waited[SYT_NR_WAITS_KINDS];
};

/* The time that a leaf ran since the last measurement of CPU time. */
struct ran {
	uint32_t leaf;
	syt_time time;
};

struct work {
	const struct syt_model *m;
	const struct syt_order *order;
	struct syt_blamer blamer;
	struct syt_services services;
	bool is_by_instance; /* `sums` has elements for instances, not for tasks */
	/* [task], or [instance - number of leaves], and one more for the work outside of tasks */
	struct sums *sums;
	/* without is_by_instance: (outer task, task) -> index of the part, plus 1; and the waits of parts */
	struct syt_counts part_of;
	syt_time (*part_waited)[SYT_NR_WAITS_KINDS];
	uint32_t thread;
	uint32_t before, after; /* the leaves before and after the present event, or SYT_NONE */
	uint32_t next; /* the first leaf of the thread that begins after the present event */
	size_t nr_ran, room_ran;
	struct ran *ran;
	syt_time all_ran; /* sum of `ran` */
	bool is_measured;
	uint64_t cpu_ns;
	syt_time slept; /* waits inside of the present leaf task */
	/* the thread's waits in the order of time */
	size_t nr_waits, room_waits;
	struct syt_wait *waits;
};

/* Returns the sums of INSTANCE or of its task, or the sums outside of tasks if INSTANCE is SYT_NONE. */
static struct sums *sums_of(const struct work *w, uint32_t instance)
{
	if (w->is_by_instance)
		return &w->sums[(instance == SYT_NONE ? w->m->nr_nodes : instance) -
		                w->m->in->nr_leaves];
	return &w->sums[instance == SYT_NONE ? w->m->nr_tasks
	                                     : w->m->task_of[instance - w->m->in->nr_leaves]];
}

/* ---- running time and CPU time ---- */

/* Adds the running time R of a leaf, of which CPU is CPU time, to the tasks that contain the leaf. */
static void add_ran(struct work *w, const struct ran *r, bool is_measured, syt_time cpu)
{
	uint32_t up = w->m->up[r->leaf];

	do {
		struct sums *s = sums_of(w, up);

		s->ran += r->time;
		s->measured += is_measured ? r->time : 0;
		s->cpu += cpu;
		up = up == SYT_NONE ? SYT_NONE : w->m->up[up];
	} while (up != SYT_NONE);
}

/* Divides the CPU time since the last measurement among the leaves that ran since then, in proportion to their time. */
static void flush(struct work *w, bool is_known, syt_time cpu)
{
	double share = w->all_ran ? (double)cpu / (double)w->all_ran : 0;

	for (size_t i = 0; i < w->nr_ran; i++)
		add_ran(w, &w->ran[i], is_known,
		        is_known ? (syt_time)((double)w->ran[i].time * (share < 1 ? share : 1))
		                 : 0);
	w->nr_ran = 0;
	w->all_ran = 0;
}

static void measure(struct work *w, uint64_t cpu_ns)
{
	bool is_known = w->is_measured && cpu_ns >= w->cpu_ns &&
	                cpu_ns - w->cpu_ns <= UINT64_MAX >> SYT_TIME_SHIFT;

	flush(w, is_known, is_known ? (cpu_ns - w->cpu_ns) << SYT_TIME_SHIFT : 0);
	w->is_measured = true;
	w->cpu_ns = cpu_ns;
}

/* Adds the time of a leaf task to its leaf, which ends at the present event. */
static void end_leaf_task(struct work *w, uint64_t task)
{
	const struct syt_tasks *t = w->m->in->tasks;
	syt_time span = syt_task_span(t, &t->all[task]);
	struct ran r = {w->before, span > w->slept ? span - w->slept : 0};

	w->slept = 0;
	*SYT_ADD(w->ran, w->nr_ran, w->room_ran) = r;
	w->all_ran += r.time;
}

/* ---- bytes ---- */

static bool has_messages(enum syt_kind kind)
{
	return kind != SYT_KIND_FILE && kind != SYT_KIND_EVENTFD && kind != SYT_KIND_TIMERFD &&
	       kind != SYT_KIND_SIGNALFD && kind != SYT_KIND_OTHER;
}

static void add_bytes(struct work *w, struct syt_place at, uint32_t leaf)
{
	const struct syt_row *r = syt_place_row(&w->order->places, at);
	const struct syt_image *image = syt_place_image(&w->order->places, at);
	uint8_t shape = syt_row_call(image, r)->shape;
	bool sends = shape == SYT_SHAPE_SEND || shape == SYT_SHAPE_TRANSFER;
	bool receives = shape == SYT_SHAPE_RECV || shape == SYT_SHAPE_TRANSFER;
	uint64_t bytes;
	uint32_t up;

	if (!(sends || receives) || r->result <= 0 || r->object == SYT_NONE ||
	    !has_messages(image->objects[r->object].kind))
		return;
	bytes = syt_place_extra(&w->order->places, at)->bytes;
	up = leaf == SYT_NONE ? SYT_NONE : w->m->up[leaf];
	do {
		struct sums *s = sums_of(w, up);

		s->sent += sends ? bytes : 0;
		s->received += receives ? bytes : 0;
		up = up == SYT_NONE ? SYT_NONE : w->m->up[up];
	} while (up != SYT_NONE);
}

/* ---- waits ---- */

static void note_wait(void *context, const struct syt_wait *wait)
{
	struct work *w = context;

	*SYT_ADD(w->waits, w->nr_waits, w->room_waits) = *wait;
}

static void find_parts(struct work *w)
{
	w->part_waited = syt_calloc(w->m->nr_parts, sizeof(*w->part_waited));
	for (uint32_t i = 0; i < w->m->nr_parts; i++)
		if (w->m->parts[i].what.is_task)
			*syt_counts_at(&w->part_of, w->m->parts[i].task,
			               w->m->parts[i].what.number) = i + 1;
}

/* Adds TIME to the waits of the part that NODE is in the instance UP. */
static void add_to_part(struct work *w, uint32_t up, uint32_t node, uint8_t kind, syt_time time)
{
	uint32_t nr_leaves = w->m->in->nr_leaves;
	uint64_t part = syt_counts_of(&w->part_of, w->m->task_of[up - nr_leaves],
	                              w->m->task_of[node - nr_leaves]);

	if (part)
		w->part_waited[part - 1][kind] += time;
}

/* Adds a wait between the leaves BEFORE and AFTER to the least instance that contains both, and to all above it. */
static void add_wait(struct work *w, const struct syt_wait *wait, uint32_t before, uint32_t after)
{
	uint32_t up = SYT_NONE, node;

	if (before != SYT_NONE && after != SYT_NONE) {
		if (before != after)
			syt_model_meet(w->m->up, &before, &after);
		up = w->m->up[before];
	}
	sums_of(w, up)->own_waited[wait->why.kind] += wait->to - wait->from;
	do {
		sums_of(w, up)->waited[wait->why.kind] += wait->to - wait->from;
		node = up;
		up = up == SYT_NONE ? SYT_NONE : w->m->up[up];
		if (up != SYT_NONE)
			add_to_part(w, up, node, wait->why.kind, wait->to - wait->from);
	} while (up != SYT_NONE);
}

static int by_event(const void *a_, const void *b_)
{
	const struct syt_wait *a = a_, *b = b_;

	SYT_ORDER_BY(at.row);
	return SYT_COMPARE(a->from, b->from);
}

/* ---- threads ---- */

static void add_thread(struct work *w)
{
	const struct syt_model_input *in = w->m->in;
	const struct syt_tasks *t = in->tasks;
	const struct syt_thread *thread = w->order->places.threads[w->thread];
	uint64_t task = t->first_of_thread[w->thread], last = t->first_of_thread[w->thread + 1];
	struct syt_wait_walk walk = {.order = w->order,
	                             .blamer = &w->blamer,
	                             .services = &w->services,
	                             .add = note_wait,
	                             .context = w};
	size_t wait = 0;

	if (!thread->nr_rows)
		return;
	w->nr_waits = 0;
	syt_wait_walk(&walk, w->thread);
	/* a wait that had not returned has the row 0, and comes last */
	while (w->nr_waits && w->waits[w->nr_waits - 1].at.thread == SYT_NONE)
		add_wait(w, &w->waits[--w->nr_waits], SYT_NONE, SYT_NONE);
	if (w->nr_waits)
		qsort(w->waits, w->nr_waits, sizeof(*w->waits), by_event);
	w->before = w->after = SYT_NONE;
	w->is_measured = syt_wait_walk_is_measured(thread);
	w->cpu_ns = 0;
	w->slept = 0;
	SYT_EACH(row, 0, thread->nr_rows) {
		struct syt_place at = {w->thread, (uint32_t)row};
		bool is_begin = task < last && t->all[task].begin == row;
		bool is_end = w->after != SYT_NONE && t->all[task - 1].end == row;
		uint64_t cpu_ns = syt_place_extra(&w->order->places, at)->cpu;

		w->before = w->after;
		if (is_begin) {
			if (w->next < in->nr_leaves && in->leaves[w->next].task == task)
				w->after = w->next++;
		}
		if (is_end) {
			end_leaf_task(w, task - 1);
			w->after = is_begin ? w->after : SYT_NONE;
		}
		task += is_begin;
		for (; wait < w->nr_waits && w->waits[wait].at.row == row; wait++) {
			const struct syt_wait *x = &w->waits[wait];

			if (!is_begin && !is_end)
				w->slept += x->to - x->from;
			add_wait(w, x, w->before, w->after);
		}
		add_bytes(w, at, w->after != SYT_NONE ? w->after : w->before);
		if (cpu_ns)
			measure(w, cpu_ns);
	}
	flush(w, false, 0);
}

/* ---- latency ---- */

SYT_COMPARATOR(by_length, syt_time)
{
	return SYT_COMPARE(*a, *b);
}

/* Computes the latency of each instance from the begin and the end of each leaf. The caller frees the array. */
static syt_time *find_latencies(const struct syt_model *m)
{
	uint32_t nr_leaves = m->in->nr_leaves, nr = m->nr_nodes - nr_leaves;
	syt_time *begin = syt_store_alloc(nr, sizeof(*begin));
	syt_time *end = syt_store_alloc(nr, sizeof(*end));

	SYT_EACH(i, 0, m->nr_nodes) {
		uint32_t up = m->up[i];
		struct syt_model_span s;

		if (up == SYT_NONE)
			continue;
		if (i < nr_leaves)
			s = syt_model_span(m, i);
		else
			s = (struct syt_model_span){.begin = begin[i - nr_leaves],
			                            .end = end[i - nr_leaves]};
		up -= nr_leaves;
		begin[up] = !begin[up] || s.begin < begin[up] ? s.begin : begin[up];
		end[up] = s.end > end[up] ? s.end : end[up];
	}
	for (uint32_t i = 0; i < nr; i++)
		end[i] -= begin[i];
	syt_store_free(begin);
	return end;
}

/* Computes the latencies of all tasks. */
static void add_latencies(struct syt_model *m)
{
	syt_time *latencies = find_latencies(m);

	for (uint32_t t = 0; t < m->nr_tasks; t++) {
		struct syt_model_task *task = &m->tasks[t];
		syt_time *lengths = syt_store_alloc(task->count, sizeof(*lengths));
		struct syt_spread spread;

		for (uint32_t i = 0; i < task->count; i++) {
			uint32_t at = m->instances[task->first_instance + i] - m->in->nr_leaves;

			lengths[i] = latencies[at];
		}
		syt_sort(lengths, task->count, sizeof(*lengths), by_length);
		spread = syt_spread_of(lengths, task->count, sizeof(*lengths));
		task->profile.latency_p50 = SYT_TIME_NS(spread.p50);
		task->profile.latency_p99 = SYT_TIME_NS(spread.p99);
		task->profile.latency_max = SYT_TIME_NS(spread.max);
		syt_store_free(lengths);
	}
	syt_store_free(latencies);
}

static void take_sums(struct syt_model_profile *p, const struct sums *s)
{
	p->ran = SYT_TIME_NS(s->ran);
	p->cpu = 100 * (s->measured / LEAST_MEASURED) < s->ran || !s->ran ? SYT_CPU_UNKNOWN
	                                                                  : SYT_TIME_NS(s->cpu);
	p->sent = s->sent;
	p->received = s->received;
	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++) {
		p->waited[i] = SYT_TIME_NS(s->waited[i]);
		p->own_waited[i] = SYT_TIME_NS(s->own_waited[i]);
	}
}

/* Adds the resources of all threads to the NR sums of W. */
static void add_threads(struct work *w, size_t nr)
{
	struct syt_labels *labels = syt_labels_create(&w->order->places, NULL, 1);

	w->sums = syt_store_alloc(nr, sizeof(*w->sums));
	syt_blamer_open(&w->blamer, w->order, labels);
	syt_services_open(&w->services, w->order);
	for (w->thread = 0; w->thread < w->order->places.nr_threads; w->thread++)
		add_thread(w);
	syt_services_close(&w->services);
	syt_blamer_close(&w->blamer);
	syt_labels_destroy(labels);
	free(w->ran);
	free(w->waits);
}

void syt_model_profile(struct syt_model *m)
{
	struct work w = {.m = m, .order = m->in->order};

	find_parts(&w);
	add_threads(&w, (size_t)m->nr_tasks + 1);
	for (uint32_t t = 0; t < m->nr_tasks; t++)
		take_sums(&m->tasks[t].profile, &w.sums[t]);
	take_sums(&m->outside, &w.sums[m->nr_tasks]);
	for (uint32_t i = 0; i < m->nr_parts; i++)
		for (unsigned kind = 0; kind < SYT_NR_WAITS_KINDS; kind++)
			m->parts[i].waited[kind] = SYT_TIME_NS(w.part_waited[i][kind]);
	add_latencies(m);
	syt_counts_fini(&w.part_of);
	free(w.part_waited);
	syt_store_free(w.sums);
}

struct syt_model_profile *syt_model_profile_instances(const struct syt_model *m)
{
	struct work w = {.m = m, .order = m->in->order, .is_by_instance = true};
	uint32_t nr = m->nr_nodes - m->in->nr_leaves;
	syt_time *latencies = find_latencies(m);
	struct syt_model_profile *all = syt_store_alloc(nr, sizeof(*all));

	add_threads(&w, (size_t)nr + 1);
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t ns = SYT_TIME_NS(latencies[i]);

		take_sums(&all[i], &w.sums[i]);
		all[i].latency_p50 = all[i].latency_p99 = all[i].latency_max = ns;
	}
	syt_store_free(w.sums);
	syt_store_free(latencies);
	return all;
}
