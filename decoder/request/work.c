/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "decoder/analysis/wait_walk.h"

/* CPU time is unknown if less than this percentage of the running time lies between two measurements. */
#define LEAST_MEASURED 90u
#define SHARE_ONE 65536u /* the share of a stretch on a CPU is in 1/65536 */

/* A stretch between two measurements of a thread's CPU time. */
struct stretch {
	syt_time until;
	uint32_t share; /* of the running time on a CPU; SYT_NONE: unknown */
};

struct syt_works {
	const struct syt_extents *e;
	const struct syt_order *order;
	struct syt_text_set *set;
	/* The wait in the call of each event: enum syt_waits_kind + 1; 0: none. The event AT is
	 * waits[first_event[AT.thread] + AT.row]. */
	uint8_t *waits;
	uint64_t *first_event;
	uint64_t nr_stretches;
	size_t room_stretches, room;
	struct stretch *stretches;
	uint64_t *first_of_thread; /* [thread], and one more: its first stretch */
	syt_time all_ran;          /* of all threads */
	struct syt_work *all;      /* the result */
};

/* ---- CPU time ---- */

/* The measurement of a thread while its events pass by. */
struct measure {
	bool is_measured;
	uint64_t cpu_ns;
	syt_time ran; /* since the last measurement */
};

static void end_stretch(struct syt_works *w, const struct measure *m, syt_time until,
                        uint64_t cpu_ns)
{
	bool is_known = m->is_measured && cpu_ns >= m->cpu_ns &&
	                cpu_ns - m->cpu_ns <= UINT64_MAX >> SYT_TIME_SHIFT;
	double share = 0;

	if (is_known && m->ran)
		share = (double)((cpu_ns - m->cpu_ns) << SYT_TIME_SHIFT) / (double)m->ran;
	*SYT_STORE_ADD(w->stretches, w->nr_stretches, w->room_stretches) = (struct stretch){
		until, is_known ? (uint32_t)((share < 1 ? share : 1) * SHARE_ONE) : SYT_NONE};
}

static uint8_t *wait_at(const struct syt_works *w, struct syt_place at)
{
	return &w->waits[w->first_event[at.thread] + at.row];
}

/* Returns the time that the thread waited in the call of the event AT. */
static syt_time waited(const struct syt_works *w, struct syt_place at, const struct syt_row *r)
{
	return *wait_at(w, at) ? r->out - r->in : 0;
}

static void find_waits(struct syt_works *w, const struct syt_blamer *blamer, uint32_t thread)
{
	const struct syt_thread *t = w->order->places.threads[thread];

	SYT_EACH(row, 0, t->nr_rows) {
		struct syt_place at = {thread, (uint32_t)row};
		const struct syt_row *r = syt_thread_row(t, row);
		struct syt_wait_reason why;

		if (r->in < r->out && syt_wait_classify(&why, blamer, &w->e->services, at))
			*wait_at(w, at) = (uint8_t)(why.kind + 1);
	}
}

static void classify_waits(struct syt_works *w)
{
	const struct syt_places *p = &w->order->places;
	struct syt_labels *labels = syt_labels_create(p, NULL, 1);
	struct syt_blamer blamer;
	uint64_t nr = 0;

	w->first_event = syt_alloc(p->nr_threads, sizeof(*w->first_event));
	for (uint32_t i = 0; i < p->nr_threads; i++) {
		w->first_event[i] = nr;
		nr += p->threads[i]->nr_rows;
	}
	w->waits = syt_store_alloc(nr, sizeof(*w->waits));
	syt_blamer_open(&blamer, w->order, labels);
	for (uint32_t i = 0; i < p->nr_threads; i++)
		find_waits(w, &blamer, i);
	syt_blamer_close(&blamer);
	syt_labels_destroy(labels);
}

static void measure_thread(struct syt_works *w, uint32_t thread)
{
	const struct syt_thread *t = w->order->places.threads[thread];
	struct measure m = {.is_measured = t->nr_rows && syt_wait_walk_is_measured(t)};
	syt_time now = t->nr_rows ? syt_thread_row(t, 0)->in : 0;

	SYT_EACH(row, 0, t->nr_rows) {
		struct syt_place at = {thread, (uint32_t)row};
		const struct syt_row *r = syt_place_row(&w->order->places, at);
		uint64_t cpu_ns = syt_place_extra(&w->order->places, at)->cpu;
		syt_time wait = waited(w, at, r), end = r->out > now ? r->out : now;
		syt_time ran = end - now > wait ? end - now - wait : 0;

		m.ran += ran;
		w->all_ran += ran;
		now = end;
		if (!cpu_ns)
			continue;
		end_stretch(w, &m, now, cpu_ns);
		m = (struct measure){true, cpu_ns, 0};
	}
}

static void measure_threads(struct syt_works *w)
{
	uint32_t nr = w->order->places.nr_threads;

	w->first_of_thread = syt_alloc((size_t)nr + 1, sizeof(*w->first_of_thread));
	for (uint32_t i = 0; i < nr; i++) {
		w->first_of_thread[i] = w->nr_stretches;
		measure_thread(w, i);
	}
	w->first_of_thread[nr] = w->nr_stretches;
}

/* Adds to SUM that THREAD ran from FROM up to TO. */
static void add_ran(const struct syt_works *w, struct syt_work *sum, uint32_t thread, syt_time from,
                    syt_time to)
{
	uint64_t first = w->first_of_thread[thread], last = w->first_of_thread[thread + 1];
	uint64_t i;

	if (from >= to)
		return;
	sum->ran += to - from;
	i = SYT_BISECT(n, first, last, w->stretches[n].until <= from);
	for (; i < last && from < to; i++) {
		const struct stretch *s = &w->stretches[i];
		syt_time end = s->until < to ? s->until : to;

		if (s->share != SYT_NONE) {
			sum->measured += end - from;
			sum->cpu += (syt_time)((double)(end - from) * s->share / SHARE_ONE);
		}
		from = end;
	}
}

uint64_t syt_work_cpu(const struct syt_work *w)
{
	if (!w->ran)
		return 0;
	return 100 * (w->measured / LEAST_MEASURED) < w->ran ? SYT_AMOUNT_UNKNOWN
	                                                     : SYT_TIME_NS(w->cpu);
}

struct syt_work_part syt_work_part_of(const struct syt_work *w)
{
	struct syt_work_part p = {.component = w->component};

	p.amounts[SYT_RESOURCE_CPU] = syt_work_cpu(w);
	p.amounts[SYT_RESOURCE_RECEIVED] = w->received;
	p.amounts[SYT_RESOURCE_SENT] = w->sent;
	p.amounts[SYT_RESOURCE_FILE_CALLS] = w->file_calls;
	p.amounts[SYT_RESOURCE_FILE_BYTES] = w->file_bytes;
	return p;
}

/* ---- segments ---- */

/* Returns true if the thread of the piece P worked on the same request just before. */
static bool goes_on(const struct syt_extents *e, const struct syt_piece *p)
{
	const struct syt_piece *before = p->before == SYT_NONE ? NULL : &e->pieces[p->before];

	return before && before->end == p->first &&
	       e->segments[p->segment].by != SYT_EDGE_HANDOFF &&
	       e->segments[before->segment].request == e->segments[p->segment].request;
}

/* Returns the time from which the work in the piece P belongs to its request. */
static syt_time since(const struct syt_extents *e, const struct syt_piece *p)
{
	return goes_on(e, p) ? 0 : e->segments[p->segment].since;
}

static bool is_file(enum syt_kind kind, uint8_t shape)
{
	return kind == SYT_KIND_FILE && (shape == SYT_SHAPE_SEND || shape == SYT_SHAPE_RECV ||
	                                 shape == SYT_SHAPE_TRANSFER || shape == SYT_SHAPE_BLOCK);
}

static enum syt_kind kind_of(const struct syt_image *image, uint32_t object)
{
	return object == SYT_NONE ? SYT_KIND_OTHER : image->objects[object].kind;
}

static bool has_bytes(enum syt_kind kind)
{
	return kind == SYT_KIND_STREAM || kind == SYT_KIND_PIPE || kind == SYT_KIND_DGRAM ||
	       kind == SYT_KIND_QUEUE;
}

/* Adds the bytes that the event AT moved. */
static void add_bytes(const struct syt_works *w, struct syt_work *sum, struct syt_place at,
                      const struct syt_row *r)
{
	const struct syt_image *image = syt_place_image(&w->order->places, at);
	const struct syt_extra *x = syt_place_extra(&w->order->places, at);
	uint8_t shape = syt_row_call(image, r)->shape;
	enum syt_kind kind = kind_of(image, r->object), source = kind;
	bool is_peek = x->flags & SYT_EVENT_PEEK;

	if (r->result < 0)
		return;
	if (is_file(kind, shape)) {
		sum->file_calls++;
		sum->file_bytes += shape == SYT_SHAPE_BLOCK ? 0 : x->bytes;
	}
	if (shape == SYT_SHAPE_TRANSFER) {
		source = kind_of(image, x->object2);
		if (kind != SYT_KIND_FILE && source == SYT_KIND_FILE) {
			sum->file_calls++;
			sum->file_bytes += x->bytes;
		}
	}
	if ((shape == SYT_SHAPE_SEND || shape == SYT_SHAPE_TRANSFER) && has_bytes(kind))
		sum->sent += x->bytes;
	if ((shape == SYT_SHAPE_RECV || shape == SYT_SHAPE_TRANSFER) && has_bytes(source) &&
	    !is_peek)
		sum->received += x->bytes;
}

static void add_wait(struct syt_work *sum, enum syt_waits_kind kind, syt_time time)
{
	switch (kind) {
	case SYT_WAITS_FOR_LOCK:
		sum->lock += time;
		break;
	case SYT_WAITS_FOR_FILE:
		sum->file += time;
		break;
	default:
		sum->other += time;
		break;
	}
}

/* Adds the call of the event AT, of which the time before FROM does not count. */
static void add_call(const struct syt_works *w, struct syt_work *sum, struct syt_place at,
                     const struct syt_row *r, syt_time from)
{
	syt_time begin = r->in > from ? r->in : from;
	uint8_t wait = *wait_at(w, at);

	add_bytes(w, sum, at, r);
	if (wait) {
		if (begin < r->out)
			add_wait(sum, (enum syt_waits_kind)(wait - 1), r->out - begin);
	} else {
		add_ran(w, sum, at.thread, begin, r->out);
	}
}

/* Adds the time after the event AT, up to the thread's next event. */
static void add_gap(const struct syt_works *w, struct syt_work *sum, struct syt_place at,
                    const struct syt_row *r, syt_time from)
{
	const struct syt_thread *t = w->order->places.threads[at.thread];

	if (at.row + 1 < t->nr_rows)
		add_ran(w, sum, at.thread, r->out > from ? r->out : from,
		        syt_place_row(&w->order->places, (struct syt_place){at.thread, at.row + 1})
		                ->in);
}

static void add_piece(const struct syt_works *w, struct syt_work *sum, const struct syt_piece *p)
{
	syt_time from = since(w->e, p);

	for (uint32_t row = p->first; row < p->end; row++) {
		struct syt_place at = {p->thread, row};
		const struct syt_row *r = syt_place_row(&w->order->places, at);

		add_call(w, sum, at, r, from);
		add_gap(w, sum, at, r, from);
	}
}

struct syt_work_step syt_works_step(struct syt_works *w, uint32_t piece, struct syt_place at)
{
	const struct syt_row *r = syt_place_row(&w->order->places, at);
	syt_time from = since(w->e, &w->e->pieces[piece]);
	struct syt_work call = {0}, gap = {0};

	add_call(w, &call, at, r, from);
	add_gap(w, &gap, at, r, from);
	return (struct syt_work_step){gap.ran, call.cpu + gap.cpu,
	                              call.file + call.lock + call.other};
}

/* Returns the sum of the component of THREAD, of NR sums. */
static struct syt_work *sum_of(struct syt_works *w, uint32_t thread, uint32_t *nr)
{
	const char *name = syt_image_program(w->order->places.threads[thread]->image);
	uint32_t component = syt_text_set_add(w->set, name, strlen(name));

	for (uint32_t i = 0; i < *nr; i++)
		if (w->all[i].component == component)
			return &w->all[i];
	*SYT_ADD(w->all, *nr, w->room) = (struct syt_work){.component = component};
	return &w->all[*nr - 1];
}

static int by_name(const void *a_, const void *b_, void *set)
{
	const struct syt_work *a = a_, *b = b_;
	char **names = ((struct syt_text_set *)set)->all;

	return strcmp(names[a->component], names[b->component]);
}

const struct syt_work *syt_works_of(struct syt_works *w, uint64_t r, uint32_t *nr)
{
	const struct syt_extents *e = w->e;

	*nr = 0;
	for (uint32_t i = e->first_of_request[r]; i < e->first_of_request[r + 1]; i++) {
		uint32_t segment = e->by_request[i];
		const struct syt_request_segment *s = &e->segments[segment];

		for (uint32_t n = e->first_of_segment[segment];
		     n < e->first_of_segment[segment + 1]; n++) {
			const struct syt_piece *p = &e->pieces[e->by_segment[n]];
			struct syt_work *sum = sum_of(w, p->thread, nr);
			syt_time begun = syt_place_row(&w->order->places,
			                               (struct syt_place){p->thread, s->taken})
			                         ->out;

			if (n == e->first_of_segment[segment] && s->by == SYT_EDGE_HANDOFF &&
			    s->parent != SYT_NONE && begun > s->since)
				sum->queue += begun - s->since;
			add_piece(w, sum, p);
		}
	}
	if (*nr)
		qsort_r(w->all, *nr, sizeof(*w->all), by_name, w->set);
	return w->all;
}

/* ---- shares ---- */

/* Returns the time that the thread ran in the segment. */
static syt_time ran_in(const struct syt_works *w, uint32_t segment)
{
	struct syt_work sum = {0};

	for (uint32_t n = w->e->first_of_segment[segment]; n < w->e->first_of_segment[segment + 1];
	     n++)
		add_piece(w, &sum, &w->e->pieces[w->e->by_segment[n]]);
	return sum.ran;
}

struct syt_work_shares syt_works_shares(struct syt_works *w)
{
	struct syt_work_shares shares = {.ran = w->all_ran};
	const struct syt_extents *e = w->e;
	bool *is_inferred = syt_store_alloc(e->nr_segments, sizeof(*is_inferred));

	SYT_EACH(i, 0, e->nr_segments) {
		const struct syt_request_segment *s = &e->segments[i];
		syt_time ran = ran_in(w, i);

		is_inferred[i] =
			s->is_inferred || (s->parent != SYT_NONE && is_inferred[s->parent]);
		*(s->request == SYT_EXTENT_SEVERAL ? &shares.several
		  : is_inferred[i]                 ? &shares.inferred
		                                   : &shares.certain) += ran;
	}
	syt_store_free(is_inferred);
	return shares;
}

struct syt_works *syt_works_create(const struct syt_extents *e, struct syt_text_set *set)
{
	struct syt_works *w = syt_calloc(1, sizeof(*w));

	w->e = e;
	w->order = e->order;
	w->set = set;
	classify_waits(w);
	measure_threads(w);
	return w;
}

void syt_works_destroy(struct syt_works *w)
{
	syt_store_free(w->waits);
	free(w->first_event);
	syt_store_free(w->stretches);
	free(w->first_of_thread);
	free(w->all);
	free(w);
}
