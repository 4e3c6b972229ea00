/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "decoder/analysis/call_rule.h"
#include "decoder/analysis/wait_walk.h"

/* CPU time is unknown if less than this percentage of the running time lies between two measurements. */
#define LEAST_MEASURED 90u
#define SHARE_ONE 65536u /* the share of a stretch on a CPU is in 1/65536 */

/* A stretch between two measurements of a thread's CPU time. */
struct stretch {
	syt_time until;
	uint32_t share;   /* of the running time on a CPU; SYT_NONE: unknown */
	uint32_t request; /* to which all of the running time belongs; SYT_NONE: there is none */
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
	bool *is_inferred;         /* [segment]: this segment, or one before it, is inferred */
	struct syt_work_shares shares;
	struct syt_work *all; /* the result */
};

/* ---- times ---- */

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

static uint8_t *wait_at(const struct syt_works *w, struct syt_place at)
{
	return &w->waits[w->first_event[at.thread] + at.row];
}

/* A time from FROM up to TO. TO may lie before FROM if the time is empty. */
struct span {
	syt_time from, to;
};

static syt_time length_of(struct span s)
{
	return s.to > s.from ? s.to - s.from : 0;
}

/* Returns the time in the call of the event AT, without the time before FROM. */
static struct span call_of(const struct syt_row *r, syt_time from)
{
	return (struct span){r->in > from ? r->in : from, r->out};
}

/* Returns the time after the event AT, up to the thread's next event, without the time before FROM. */
static struct span gap_of(const struct syt_works *w, struct syt_place at, const struct syt_row *r,
                          syt_time from)
{
	const struct syt_thread *t = w->order->places.threads[at.thread];
	syt_time begin = r->out > from ? r->out : from;

	return (struct span){begin,
	                     at.row + 1 < t->nr_rows ? syt_thread_row(t, at.row + 1)->in : 0};
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

/* ---- CPU time ---- */

/* The measurement of a thread while its events pass by. */
struct measure {
	bool is_measured;
	uint64_t cpu_ns;
	/* since the last measurement */
	syt_time ran;
	syt_time owned;   /* part of `ran` that belongs to `request` */
	uint32_t request; /* the first request for which the thread ran, or SYT_NONE */
};

static void end_stretch(struct syt_works *w, const struct measure *m, syt_time until,
                        uint64_t cpu_ns)
{
	bool is_known = m->is_measured && cpu_ns >= m->cpu_ns &&
	                cpu_ns - m->cpu_ns <= UINT64_MAX >> SYT_TIME_SHIFT;
	struct stretch s = {until, SYT_NONE, m->owned >= m->ran ? m->request : SYT_NONE};
	double share = 0;

	if (is_known && m->ran)
		share = (double)((cpu_ns - m->cpu_ns) << SYT_TIME_SHIFT) / (double)m->ran;
	if (is_known)
		s.share = (uint32_t)((share < 1 ? share : 1) * SHARE_ONE);
	*SYT_STORE_ADD(w->stretches, w->nr_stretches, w->room_stretches) = s;
}

/* Adds that a thread ran for RAN in the piece P. */
static void add_share(struct syt_works *w, struct measure *m, const struct syt_piece *p,
                      syt_time ran)
{
	uint32_t request = w->e->segments[p->segment].request;

	*(request == SYT_EXTENT_SEVERAL ? &w->shares.several
	  : w->is_inferred[p->segment]  ? &w->shares.inferred
	                                : &w->shares.certain) += ran;
	if (m->request == SYT_NONE && ran)
		m->request = request;
	if (m->request == request)
		m->owned += ran;
}

/* The pieces of a thread, while its events pass by. */
struct pieces {
	uint32_t nr, next;
	size_t room;
	uint32_t *all; /* last piece first */
};

static void list_pieces(const struct syt_works *w, uint32_t thread, struct pieces *p)
{
	p->nr = 0;
	for (uint32_t i = w->e->last_of_thread[thread]; i != SYT_NONE; i = w->e->pieces[i].before)
		*SYT_ADD(p->all, p->nr, p->room) = i;
	p->next = p->nr;
}

/* Returns the piece that contains ROW, or NULL. The rows of successive calls increase. */
static const struct syt_piece *piece_at(const struct syt_works *w, struct pieces *p, uint32_t row)
{
	while (p->next && w->e->pieces[p->all[p->next - 1]].end <= row)
		p->next--;
	return p->next && w->e->pieces[p->all[p->next - 1]].first <= row
	               ? &w->e->pieces[p->all[p->next - 1]]
	               : NULL;
}

/* Walks over the events of THREAD: finds the stretches, and adds the time that the thread ran to the shares. */
static void measure_thread(struct syt_works *w, uint32_t thread, struct pieces *pieces)
{
	const struct syt_thread *t = w->order->places.threads[thread];
	struct measure m = {.is_measured = t->nr_rows && syt_wait_walk_is_measured(t),
	                    .request = SYT_NONE};
	syt_time now = t->nr_rows ? syt_thread_row(t, 0)->in : 0;

	list_pieces(w, thread, pieces);
	SYT_EACH(row, 0, t->nr_rows) {
		struct syt_place at = {thread, (uint32_t)row};
		const struct syt_row *r = syt_thread_row(t, row);
		const struct syt_piece *p = piece_at(w, pieces, at.row);
		uint64_t cpu_ns = syt_place_extra(&w->order->places, at)->cpu;
		syt_time wait = *wait_at(w, at) ? r->out - r->in : 0;
		syt_time end = r->out > now ? r->out : now;
		syt_time ran = end - now > wait ? end - now - wait : 0;

		m.ran += ran;
		w->shares.ran += ran;
		now = end;
		if (p && !wait)
			add_share(w, &m, p, length_of(call_of(r, since(w->e, p))));
		if (cpu_ns) {
			end_stretch(w, &m, now, cpu_ns);
			m = (struct measure){true, cpu_ns, .request = SYT_NONE};
		}
		if (p)
			add_share(w, &m, p, length_of(gap_of(w, at, r, since(w->e, p))));
	}
}

static void measure_threads(struct syt_works *w)
{
	uint32_t nr = w->order->places.nr_threads;
	struct pieces pieces = {0};

	w->first_of_thread = syt_alloc((size_t)nr + 1, sizeof(*w->first_of_thread));
	for (uint32_t i = 0; i < nr; i++) {
		w->first_of_thread[i] = w->nr_stretches;
		measure_thread(w, i, &pieces);
	}
	w->first_of_thread[nr] = w->nr_stretches;
	free(pieces.all);
}

/* Adds to SUM that the thread of the piece P ran in the time SPAN. */
static void add_ran(const struct syt_works *w, struct syt_work *sum, const struct syt_piece *p,
                    struct span span)
{
	uint64_t first = w->first_of_thread[p->thread], last = w->first_of_thread[p->thread + 1];
	uint32_t request = w->e->segments[p->segment].request;
	uint64_t i;

	if (!length_of(span))
		return;
	sum->ran += length_of(span);
	i = SYT_BISECT(n, first, last, w->stretches[n].until <= span.from);
	for (; i < last && length_of(span); i++) {
		const struct stretch *s = &w->stretches[i];
		syt_time end = s->until < span.to ? s->until : span.to, cpu;

		if (s->share != SYT_NONE) {
			cpu = (syt_time)((double)(end - span.from) * s->share / SHARE_ONE);
			sum->measured += end - span.from;
			sum->cpu += cpu;
			sum->divided += s->request == request ? 0 : cpu;
		}
		span.from = end;
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

static bool is_file(enum syt_kind kind, const struct syt_call_info *c)
{
	return kind == SYT_KIND_FILE && !syt_call_opens_file(c) &&
	       (c->shape == SYT_SHAPE_SEND || c->shape == SYT_SHAPE_RECV ||
	        c->shape == SYT_SHAPE_TRANSFER || c->shape == SYT_SHAPE_BLOCK);
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
	const struct syt_call_info *call = syt_row_call(image, r);
	uint8_t shape = call->shape;
	enum syt_kind kind = kind_of(image, r->object), source = kind;
	bool is_peek = x->flags & SYT_EVENT_PEEK;

	if (r->result < 0)
		return;
	if (is_file(kind, call)) {
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

/* Adds the call of the event AT in the piece P, of which the time before FROM does not count. */
static void add_call(const struct syt_works *w, struct syt_work *sum, const struct syt_piece *p,
                     struct syt_place at, const struct syt_row *r, syt_time from)
{
	struct span call = call_of(r, from);
	uint8_t wait = *wait_at(w, at);

	add_bytes(w, sum, at, r);
	if (wait)
		add_wait(sum, (enum syt_waits_kind)(wait - 1), length_of(call));
	else
		add_ran(w, sum, p, call);
}

static void add_piece(const struct syt_works *w, struct syt_work *sum, const struct syt_piece *p)
{
	syt_time from = since(w->e, p);

	for (uint32_t row = p->first; row < p->end; row++) {
		struct syt_place at = {p->thread, row};
		const struct syt_row *r = syt_place_row(&w->order->places, at);

		add_call(w, sum, p, at, r, from);
		add_ran(w, sum, p, gap_of(w, at, r, from));
	}
}

struct syt_work_step syt_works_step(struct syt_works *w, uint32_t piece, struct syt_place at)
{
	const struct syt_row *r = syt_place_row(&w->order->places, at);
	const struct syt_piece *p = &w->e->pieces[piece];
	syt_time from = since(w->e, p);
	struct syt_work call = {0}, gap = {0};

	add_call(w, &call, p, at, r, from);
	add_ran(w, &gap, p, gap_of(w, at, r, from));
	return (struct syt_work_step){gap.ran, call.cpu + gap.cpu,
	                              call.file + call.lock + call.other};
}

/* Returns the sum of the component of THREAD, of NR sums. */
static struct syt_work *sum_of(struct syt_works *w, uint32_t thread, uint32_t *nr)
{
	const char *name = syt_image_component(w->order->places.threads[thread]->image);
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

/* ---- all work ---- */

/* Returns for each segment whether an inferred step led to it. */
static bool *find_inferred(const struct syt_extents *e)
{
	bool *is_inferred = syt_store_alloc(e->nr_segments, sizeof(*is_inferred));

	SYT_EACH(i, 0, e->nr_segments) {
		const struct syt_request_segment *s = &e->segments[i];

		is_inferred[i] =
			s->is_inferred || (s->parent != SYT_NONE && is_inferred[s->parent]);
	}
	return is_inferred;
}

struct syt_work_shares syt_works_shares(const struct syt_works *w)
{
	return w->shares;
}

struct syt_works *syt_works_create(const struct syt_extents *e, struct syt_text_set *set)
{
	struct syt_works *w = syt_calloc(1, sizeof(*w));

	w->e = e;
	w->order = e->order;
	w->set = set;
	classify_waits(w);
	w->is_inferred = find_inferred(e);
	measure_threads(w);
	syt_store_free(w->is_inferred);
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
