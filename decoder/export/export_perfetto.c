/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Writes a trace in Perfetto's protobuf format, for ui.perfetto.dev and trace_processor. Each process, thread and
 * barrier has a track. Leaf tasks and calls that took time are slices, other calls are instants. A happens-before
 * edge is a flow. The number of a flow is the position of the edge, from 1, in the output of the report edges. Each
 * process has a counter of its waiting threads. In a trace of several hosts, each host has a track, which contains the tracks of
 * its processes.
 *
 * Perfetto gets a process or a thread only if a viewer may identify it by pid and tid (decoder/export/known.h).
 * Other processes and threads have separate tracks, so Perfetto cannot confuse them. The same holds for all processes and threads
 * of several hosts, because only separate tracks can be inside of another track.
 */
#include <stdlib.h>

#include "base/err.h"
#include "decoder/export/known.h"
#include "decoder/export/pass.h"
#include "decoder/export/perfetto_intern.h"
#include "base/protobuf.h"
#include "decoder/export/words.h"
#include "decoder/host/summary.h"
#include "decoder/read/call.h"
#include "decoder/show/print.h"

/* The number of a track: its kind and an index. */
#define TRACK(of_, number_) ((uint64_t)(of_) << 32 | (number_))
enum { OF_PROCESS = 1, OF_THREAD, OF_WAITING, OF_BARRIER, OF_TRACE, OF_HOST };

#define NOTES_MAX 12u
#define EDGES_MAX 64u /* maximum of edges described in words at one event; all edges are flows */

struct event {
	Perfetto__TrackEvent event;
	uint64_t category;
	unsigned nr_notes;
	Perfetto__DebugAnnotation notes[NOTES_MAX], *pointers[NOTES_MAX];
	Perfetto__DebugAnnotation edges[EDGES_MAX], *edge_pointers[EDGES_MAX];
	char id[SYT_NODE_TEXT], edge_texts[EDGES_MAX][SYT_WORDS_EDGE];
};

struct writer {
	struct syt_perfetto p;
	const struct syt_export *x;
	struct event e;
	uint64_t *from, *to; /* flows that begin and end at the event */
	size_t room_from, room_to;
	uint64_t *waiting; /* [image]: number of waiting threads */
	bool *has_barrier; /* [object]: the barrier has a track */
	bool *has_host;    /* [host]: the host has a track; NULL: the trace has one host */
};

/* ---- tracks ---- */

static void put_track(struct writer *w, Perfetto__TrackDescriptor *track)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.track_descriptor = track;
	syt_perfetto_packet(&w->p, &packet);
}

static void name_track(Perfetto__TrackDescriptor *track, uint64_t uuid, uint64_t parent, char *name)
{
	perfetto__track_descriptor__init(track);
	SYT_PROTOBUF_SET(track, uuid, uuid);
	track->has_parent_uuid = parent != 0;
	track->parent_uuid = parent;
	track->name = name;
}

/* Writes the track of the host of IMAGE, if the trace has several hosts. Returns its number, or 0. */
static uint64_t put_host(struct writer *w, uint32_t image)
{
	const struct syt_hosts *h = w->x->order->places.trace->hosts;
	uint32_t host = syt_hosts_of(h, image);
	Perfetto__TrackDescriptor track;

	if (!w->has_host)
		return 0;
	if (syt_ids_mark(w->has_host, host)) {
		char *name = syt_words_clean(h->all[host].name);

		name_track(&track, TRACK(OF_HOST, host), 0, name);
		put_track(w, &track);
		free(name);
	}
	return TRACK(OF_HOST, host);
}

static void put_process(struct writer *w, uint32_t image, bool is_first)
{
	const struct syt_image *i = &w->x->order->places.trace->images[image];
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor track;
	char *exe = syt_words_process(i), *argv = syt_words_clean(i->argv);
	char *name = syt_asprintf("%s %u (P %u)", exe, i->file.pid, i->index);

	name_track(&track, TRACK(OF_PROCESS, image), put_host(w, image), is_first ? NULL : name);
	if (is_first) {
		SYT_PROTOBUF_SET(&process, pid, (int32_t)i->file.pid);
		process.process_name = exe;
		SYT_PROTOBUF_LIST(&process, cmdline, &argv, 1);
		track.process = &process;
	}
	put_track(w, &track);
	name_track(&track, TRACK(OF_WAITING, image), TRACK(OF_PROCESS, image),
	           (char *)(uintptr_t) "threads that wait");
	SYT_PROTOBUF_SET(&counter, unit, PERFETTO__COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT);
	track.counter = &counter;
	put_track(w, &track);
	free(name);
	free(exe);
	free(argv);
}

static void put_thread(struct writer *w, uint32_t number, bool is_first)
{
	const struct syt_thread *t = w->x->order->places.threads[number];
	uint32_t image = (uint32_t)(t->image - w->x->order->places.trace->images);
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor track;
	char *own = syt_words_thread(t);
	char *name = syt_asprintf("%s %u (%u.%u)", own, t->tid, t->image->index, t->index);

	name_track(&track, TRACK(OF_THREAD, number), TRACK(OF_PROCESS, image),
	           is_first ? NULL : name);
	if (is_first) {
		SYT_PROTOBUF_SET(&thread, pid, (int32_t)t->image->file.pid);
		SYT_PROTOBUF_SET(&thread, tid, (int32_t)t->tid);
		thread.thread_name = own;
		track.thread = &thread;
	}
	put_track(w, &track);
	free(name);
	free(own);
}

static void put_tracks(struct writer *w)
{
	const struct syt_places *p = &w->x->order->places;
	struct syt_known known;

	syt_known_open(&known, p);
	for (uint32_t n = 0; n < p->trace->nr_images; n++)
		if (syt_selection_has_image(&w->x->selection, p, n))
			put_process(w, n, known.images[n] && !w->has_host);
	for (uint32_t n = 0; n < p->nr_threads; n++)
		if (syt_selection_has_thread(&w->x->selection, n))
			put_thread(w, n, known.threads[n] && !w->has_host);
	syt_known_close(&known);
}

static void put_barrier(struct writer *w, uint32_t object)
{
	Perfetto__TrackDescriptor track;
	char *text;

	if (!syt_ids_mark(w->has_barrier, object))
		return;
	text = syt_words_object(w->x, object);
	name_track(&track, TRACK(OF_BARRIER, object), 0, text);
	put_track(w, &track);
	free(text);
}

/* ---- events ---- */

static struct event *begin_event(struct writer *w, Perfetto__TrackEvent__Type type, uint64_t track)
{
	struct event *e = &w->e;

	perfetto__track_event__init(&e->event);
	e->nr_notes = 0;
	SYT_PROTOBUF_SET(&e->event, type, type);
	SYT_PROTOBUF_SET(&e->event, track_uuid, track);
	return e;
}

static void end_event(struct writer *w, syt_time at)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	SYT_PROTOBUF_LIST(&w->e.event, debug_annotations, w->e.pointers, w->e.nr_notes);
	SYT_PROTOBUF_SET(&packet, timestamp, SYT_TIME_NS(at));
	packet.track_event = &w->e.event;
	syt_perfetto_packet(&w->p, &packet);
}

static Perfetto__DebugAnnotation *note(struct event *e, enum syt_perfetto_note name)
{
	Perfetto__DebugAnnotation *n = &e->notes[e->nr_notes];

	perfetto__debug_annotation__init(n);
	SYT_PROTOBUF_SET(n, name_iid, name);
	e->pointers[e->nr_notes++] = n;
	return n;
}

static void note_u64(struct event *e, enum syt_perfetto_note name, uint64_t value)
{
	Perfetto__DebugAnnotation *n = note(e, name);

	SYT_PROTOBUF_SET(n, uint_value, value);
}

static void note_object(struct writer *w, uint32_t object)
{
	if (object == SYT_NONE)
		return;
	uint64_t iid = syt_perfetto_object(&w->p, object);
	Perfetto__DebugAnnotation *n = note(&w->e, SYT_PERFETTO_OBJECT);

	SYT_PROTOBUF_SET(n, string_value_iid, iid);
}

static void note_id(struct writer *w, struct syt_place at)
{
	syt_order_node_text(w->x->order, at, w->e.id, sizeof(w->e.id));
	note(&w->e, SYT_PERFETTO_ID)->string_value = w->e.id;
}

static void categorize(struct writer *w, unsigned category)
{
	struct event *e = &w->e;

	e->category = syt_perfetto_category(&w->p, category);
	SYT_PROTOBUF_LIST(&e->event, category_iids, &e->category, 1);
}

static uint64_t *flows(const struct syt_step_edges *edges, uint64_t **ids, size_t *room)
{
	syt_grow(ids, room, edges->nr, sizeof(**ids));
	for (uint64_t n = 0; n < edges->nr; n++)
		(*ids)[n] = edges->all[n].edge + 1;
	return *ids;
}

/* Adds the edges of a step as flows, and describes the arriving edges in words. */
static void put_edges(struct writer *w, const struct syt_pass_step *s)
{
	struct event *e = &w->e;
	uint64_t nr = s->to.nr < EDGES_MAX ? s->to.nr : EDGES_MAX;

	SYT_PROTOBUF_LIST(&e->event, flow_ids, flows(&s->from, &w->from, &w->room_from),
	                  s->from.nr);
	SYT_PROTOBUF_LIST(&e->event, terminating_flow_ids, flows(&s->to, &w->to, &w->room_to),
	                  s->to.nr);
	if (!nr)
		return;
	for (uint64_t n = 0; n < nr; n++) {
		perfetto__debug_annotation__init(&e->edges[n]);
		syt_words_edge(w->x->order, &w->x->order->edges.all[s->to.all[n].edge],
		               e->edge_texts[n], sizeof(e->edge_texts[n]));
		e->edges[n].string_value = e->edge_texts[n];
		e->edge_pointers[n] = &e->edges[n];
	}

	Perfetto__DebugAnnotation *all = note(e, SYT_PERFETTO_EDGES);

	SYT_PROTOBUF_LIST(all, array_values, e->edge_pointers, nr);
}

static void put_stack(struct writer *w, uint32_t image, uint32_t stack)
{
	if (!w->x->has_stacks || !stack)
		return;
	uint64_t iid = syt_perfetto_stack(&w->p, image, stack);

	SYT_PROTOBUF_SET(&w->e.event, callstack_iid, iid);
	SYT_PROTOBUF_SET(&w->e.event, source_location_iid, iid);
}

static void put_call(struct writer *w, const struct syt_pass_step *s)
{
	const struct syt_order *o = w->x->order;
	const struct syt_row *r = syt_place_row(&o->places, s->of);
	const struct syt_extra *x = syt_place_extra(&o->places, s->of);
	const struct syt_call_info *c = syt_place_call(&o->places, s->of);
	uint32_t image = syt_place_image_idx(&o->places, s->of);
	struct event *e = begin_event(w,
	                              s->kind == SYT_STEP_ENTER
	                                      ? PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN
	                                      : PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT,
	                              TRACK(OF_THREAD, s->of.thread));
	uint32_t object = syt_object_of(&o->objects, image, r->object);

	categorize(w, object == SYT_NONE ? c->kind : syt_object_kind(&o->objects, object));
	SYT_PROTOBUF_SET(&e->event, name_iid, syt_perfetto_call(&w->p, s->of));
	note_id(w, s->of);
	note_object(w, object);
	Perfetto__DebugAnnotation *result = note(e, SYT_PERFETTO_RESULT);

	SYT_PROTOBUF_SET(result, int_value, r->result);
	if (r->result < 0 && syt_errno_name(r->err))
		note(e, SYT_PERFETTO_ERRNO)->string_value =
			(char *)(uintptr_t)syt_errno_name(r->err);
	if (x->bytes)
		note_u64(e, SYT_PERFETTO_BYTES, x->bytes);
	if (x->bytes && !(x->flags & SYT_EVENT_NOOFFSET))
		note_u64(e, SYT_PERFETTO_OFFSET, x->offset);
	put_stack(w, image, r->stack);
	put_edges(w, s);
	end_event(w, s->at);
}

static void put_task(struct writer *w, const struct syt_pass_step *s)
{
	struct event *e = begin_event(w, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
	                              TRACK(OF_THREAD, s->of.thread));
	uint64_t cpu = syt_task_cpu(w->x->tasks, s->task);

	char *name = NULL;

	categorize(w, SYT_PERFETTO_TASK);
	if (w->x->labels)
		SYT_PROTOBUF_SET(&e->event, name_iid, syt_perfetto_task(&w->p, s->task));
	else
		e->event.name = name = syt_words_task(w->x, s->task);
	note_id(w, s->of);
	if (cpu != SYT_CPU_UNKNOWN)
		note_u64(e, SYT_PERFETTO_CPU, cpu);
	put_edges(w, s);
	end_event(w, s->at);
	free(name);
}

static syt_time length(const struct writer *w, const struct syt_pass_step *s)
{
	const struct syt_row *r = syt_place_row(&w->x->order->places, s->of);

	return s->task ? syt_task_span(w->x->tasks, s->task) : r->out - r->in;
}

static void put_end(struct writer *w, const struct syt_pass_step *s)
{
	uint64_t track = TRACK(OF_THREAD, s->of.thread);
	struct event *e;

	e = begin_event(w, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, track);
	if (s->is_cut)
		note_u64(e, SYT_PERFETTO_DURATION, SYT_TIME_NS(length(w, s)));
	end_event(w, s->at);
	if (!s->to.nr)
		return;
	e = begin_event(w, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT, track);
	categorize(w, SYT_PERFETTO_TASK);
	/* the end of a slice has no flows, so none are written here */
	SYT_PROTOBUF_SET(&e->event, name_iid, syt_perfetto_call(&w->p, s->of));
	note_id(w, s->of);
	put_edges(w, s);
	end_event(w, s->at);
}

static void put_round(struct writer *w, const struct syt_pass_step *s)
{
	uint32_t object = w->x->order->edges.rounds[s->of.row].object;

	put_barrier(w, object);

	struct event *e = begin_event(w, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT,
	                              TRACK(OF_BARRIER, object));

	categorize(w, SYT_KIND_BARRIER);
	e->event.name = (char *)(uintptr_t) "round";
	note_id(w, s->of);
	put_edges(w, s);
	end_event(w, s->at);
}

static void count(struct writer *w, uint32_t image, syt_time at, int change)
{
	struct event *e =
		begin_event(w, PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER, TRACK(OF_WAITING, image));

	w->waiting[image] += (uint64_t)(int64_t)change;
	SYT_PROTOBUF_SET(&e->event, counter_value, (int64_t)w->waiting[image]);
	end_event(w, at);
}

static void put_step(struct writer *w, const struct syt_pass_step *s)
{
	const struct syt_places *p = &w->x->order->places;

	switch (s->kind) {
	case SYT_STEP_CALL:
	case SYT_STEP_ENTER:
		put_call(w, s);
		break;
	case SYT_STEP_TASK:
		put_task(w, s);
		break;
	case SYT_STEP_LEAVE:
	case SYT_STEP_TASK_END:
		put_end(w, s);
		break;
	case SYT_STEP_ROUND:
		put_round(w, s);
		break;
	}
	if ((s->kind == SYT_STEP_ENTER || s->kind == SYT_STEP_LEAVE) &&
	    !syt_place_call(p, s->of)->stamp_in) /* the call acquires something and took time */
		count(w, syt_place_image_idx(p, s->of), s->at, s->kind == SYT_STEP_ENTER ? 1 : -1);
}

/* Writes the calls that had not returned when the dump ended, as slices without an end. */
static void put_waiting(struct writer *w)
{
	const struct syt_places *p = &w->x->order->places;

	for (uint32_t n = 0; n < p->nr_threads; n++) {
		const struct syt_thread *t = p->threads[n];
		const struct syt_waiting_info *waiting = &t->waiting;
		uint32_t image = (uint32_t)(t->image - p->trace->images);

		if (!syt_selection_has_waiting(&w->x->selection, p, n))
			continue;
		uint32_t object = syt_object_of(&w->x->order->objects, image, waiting->object);
		struct event *e = begin_event(w, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
		                              TRACK(OF_THREAD, n));
		char *name = syt_words_clean(t->image->calls[waiting->call].name);

		e->event.name = name;
		note_object(w, object);
		put_stack(w, image, waiting->stack);
		end_event(w, waiting->since);
		free(name);
		count(w, image, waiting->since, 1);
	}
}

/* Writes the begin of the trace by its clock and by the wall clock, so that Perfetto can show both. */
static void put_clocks(struct writer *w)
{
	enum { OWN, WALL, NR };
	const struct syt_trace_data *t = w->x->order->places.trace;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__ClockSnapshot__Clock clocks[NR], *pointers[NR] = {&clocks[OWN], &clocks[WALL]};
	uint64_t begin = t->begin == UINT64_MAX ? 0 : SYT_TIME_NS(t->begin);
	bool has_wall_clock = t->wall_offset_ns != 0;

	for (unsigned n = 0; n < NR; n++)
		perfetto__clock_snapshot__clock__init(&clocks[n]);
	SYT_PROTOBUF_SET(&clocks[OWN], clock_id,
	                 PERFETTO__CLOCK_SNAPSHOT__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC);
	SYT_PROTOBUF_SET(&clocks[OWN], timestamp, begin);
	SYT_PROTOBUF_SET(&clocks[WALL], clock_id,
	                 PERFETTO__CLOCK_SNAPSHOT__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME);
	SYT_PROTOBUF_SET(&clocks[WALL], timestamp, begin + (uint64_t)t->wall_offset_ns);
	SYT_PROTOBUF_LIST(&snapshot, clocks, pointers, has_wall_clock ? NR : WALL);
	SYT_PROTOBUF_SET(&snapshot, primary_trace_clock,
	                 PERFETTO__CLOCK_SNAPSHOT__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC);
	packet.clock_snapshot = &snapshot;
	syt_perfetto_packet(&w->p, &packet);
}

/* Writes the coverage, before all other events. */
static void put_coverage(struct writer *w)
{
	const struct syt_trace_data *t = w->x->order->places.trace;
	Perfetto__TrackDescriptor track;
	char *coverage = syt_words_coverage(w->x->order);

	name_track(&track, TRACK(OF_TRACE, 0), 0, (char *)(uintptr_t) "syntrace");
	put_track(w, &track);

	struct event *e =
		begin_event(w, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT, TRACK(OF_TRACE, 0));

	e->event.name = (char *)(uintptr_t) "coverage";
	note(e, SYT_PERFETTO_COVERAGE)->legacy_json_value = coverage;
	end_event(w, t->begin == UINT64_MAX ? 0 : t->begin);
	free(coverage);
}

static int run(struct syt_export *x)
{
	struct writer *w = syt_calloc(1, sizeof(*w));
	const struct syt_pass_step *s;
	struct syt_pass *pass;

	w->x = x;
	w->waiting = syt_calloc(x->order->places.trace->nr_images, sizeof(*w->waiting));
	w->has_barrier = syt_calloc(x->order->objects.nr, sizeof(bool));
	if (syt_hosts_nr(x->order->places.trace) > 1)
		w->has_host = syt_calloc(syt_hosts_nr(x->order->places.trace), sizeof(bool));
	syt_perfetto_open(&w->p, x);
	put_clocks(w);
	put_tracks(w);
	put_coverage(w);
	pass = syt_pass_open(x);
	while (!x->out->is_closed && (s = syt_pass_next(pass)))
		put_step(w, s);
	syt_pass_close(pass);
	put_waiting(w);
	syt_perfetto_close(&w->p);
	free(w->from);
	free(w->to);
	free(w->waiting);
	free(w->has_barrier);
	free(w->has_host);
	free(w);
	return 0;
}

const struct syt_exporter syt_exporter_perfetto = {
	.name = "perfetto",
	.suffix = ".pftrace",
	.is_timeline = true,
	.run = run,
};
