/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The JSON trace event format of Chrome, which many viewers read: the same as for Perfetto
 * (decoder/export/export_perfetto.c).
 *
 * Its times are microseconds, for JavaScript's numbers, which have 53 bits: so they count from the
 * trace's begin (`begin_ns`), with three decimals, which are nanoseconds.  Arrows belong to the slice that
 * is open where they are written, so every call is a slice, of no length, too.  Processes and threads that
 * cannot be told by pid and tid (decoder/export/known.h) have numbers that none of Linux's is as large as.
 */
#include <stdio.h>
#include <stdlib.h>

#include "decoder/base/err.h"
#include "decoder/base/json.h"
#include "decoder/base/store.h"
#include "decoder/export/known.h"
#include "decoder/export/pass.h"
#include "decoder/export/words.h"
#include "decoder/read/call.h"
#include "decoder/show/edge_print.h"
#include "decoder/show/print.h"

#define PID_BITS 22u /* Linux's numbers have no more */
#define BARRIERS 0u  /* the process in which barriers are threads */

struct writer {
	const struct syt_export *x;
	struct syt_json j;
	struct syt_known known;
	syt_time begin;
	bool **has_stack;  /* by image, by stack: it, and those it was called by, are to be told */
	uint64_t *waiting; /* threads, by image */
	bool *has_barrier; /* by object */
};

/* ---- what every event has ---- */

static uint64_t pid_of(const struct writer *w, const struct syt_image *i)
{
	bool is_known = w->known.images[i - w->x->order->places.trace->images];

	return is_known ? i->file.pid : (i->index + UINT64_C(1)) << PID_BITS | i->file.pid;
}

static uint64_t tid_of(const struct writer *w, uint32_t thread)
{
	const struct syt_thread *t = w->x->order->places.threads[thread];

	return w->known.threads[thread] ? t->tid : (t->index + UINT64_C(1)) << PID_BITS | t->tid;
}

static void put_time(struct writer *w, syt_time at)
{
	uint64_t begin = SYT_TIME_NS(w->begin), ns = SYT_TIME_NS(at);

	ns = ns > begin ? ns - begin : 0;
	syt_json_key(&w->j, "ts");
	syt_out_printf(w->j.out, "%llu.%03u", (unsigned long long)(ns / 1000),
	               (unsigned)(ns % 1000));
}

static void begin_event(struct writer *w, const char *phase, uint64_t pid, uint64_t tid)
{
	syt_out_string(w->j.out, "\n");
	syt_json_begin(&w->j, NULL, '{');
	syt_json_string(&w->j, "ph", phase);
	syt_json_u64(&w->j, "pid", pid);
	syt_json_u64(&w->j, "tid", tid);
}

static void begin_at(struct writer *w, const char *phase, uint32_t thread, syt_time at)
{
	begin_event(w, phase, pid_of(w, w->x->order->places.threads[thread]->image),
	            tid_of(w, thread));
	put_time(w, at);
}

/* ---- who there is ---- */

static void put_name(struct writer *w, const char *what, uint64_t pid, uint64_t tid, char *name)
{
	begin_event(w, "M", pid, tid);
	syt_json_string(&w->j, "name", what);
	syt_json_begin(&w->j, "args", '{');
	syt_json_string(&w->j, "name", name);
	syt_json_end(&w->j);
	syt_json_end(&w->j);
}

static void put_who(struct writer *w)
{
	const struct syt_places *p = &w->x->order->places;

	for (uint32_t n = 0; n < p->trace->nr_images; n++) {
		char *name = syt_words_process(&p->trace->images[n]);

		put_name(w, "process_name", pid_of(w, &p->trace->images[n]), 0, name);
		free(name);
	}
	for (uint32_t n = 0; n < p->nr_threads; n++) {
		char *name = syt_words_thread(p->threads[n]);

		put_name(w, "thread_name", pid_of(w, p->threads[n]->image), tid_of(w, n), name);
		free(name);
	}
}

/* ---- stacks: frames are told at the end ---- */

static void put_frame_id(struct writer *w, const char *key, uint32_t image, uint32_t stack,
                         uint32_t inlined)
{
	syt_json_key(&w->j, key);
	syt_out_printf(w->j.out, "\"%u.%u.%u\"", image, stack, inlined);
}

/* The nearest frame from STACK on that is the program's; 0: none. */
static uint32_t own_frame(const struct writer *w, const struct syt_image *i, uint32_t stack)
{
	while (stack && syt_symbol_locate(w->x->symbols, i, stack)->is_recorder)
		stack = i->stacks[stack].parent;
	return stack;
}

static void put_stack(struct writer *w, uint32_t image, uint32_t stack)
{
	const struct syt_image *i = &w->x->order->places.trace->images[image];

	stack = w->x->has_stacks ? own_frame(w, i, stack) : 0;
	if (!stack)
		return;
	if (!w->has_stack[image])
		w->has_stack[image] = syt_store_alloc(i->nr_stacks, sizeof(bool));
	for (uint32_t at = stack; at && !w->has_stack[image][at]; at = i->stacks[at].parent)
		w->has_stack[image][at] = true;
	put_frame_id(w, "sf", image, stack, 0);
}

static void put_frame(struct writer *w, uint32_t image, uint32_t stack, uint32_t n)
{
	const struct syt_image *i = &w->x->order->places.trace->images[image];
	const struct syt_location *l = syt_symbol_locate(w->x->symbols, i, stack);
	const struct syt_symbol *symbol = l->nr_symbols ? &l->symbols[n] : NULL;
	uint32_t parent = n + 1 < l->nr_symbols ? stack : own_frame(w, i, i->stacks[stack].parent);
	char key[48];

	syt_out_string(w->j.out, "\n");
	snprintf(key, sizeof(key), "%u.%u.%u", image, stack, n);
	syt_json_begin(&w->j, key, '{');
	syt_json_string(&w->j, "category", l->module ? l->module : "");
	syt_json_string(&w->j, "name", symbol && symbol->fn ? symbol->fn : l->label);
	if (symbol && symbol->file) {
		syt_json_string(&w->j, "file", symbol->file);
		syt_json_u64(&w->j, "line", symbol->line);
	}
	if (parent)
		put_frame_id(w, "parent", image, parent, parent == stack ? n + 1 : 0);
	syt_json_end(&w->j);
}

static void put_frames(struct writer *w)
{
	const struct syt_trace_data *t = w->x->order->places.trace;

	syt_json_begin(&w->j, "stackFrames", '{');
	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		for (uint32_t stack = 1; w->has_stack[n] && stack < i->nr_stacks; stack++) {
			if (!w->has_stack[n][stack])
				continue;
			const struct syt_location *l = syt_symbol_locate(w->x->symbols, i, stack);

			for (uint32_t k = 0;
			     !l->is_recorder && k < (l->nr_symbols ? l->nr_symbols : 1); k++)
				put_frame(w, n, stack, k);
		}
	}
	syt_json_end(&w->j);
}

/* ---- steps ---- */

static void put_id(struct writer *w, struct syt_place at)
{
	char id[SYT_NODE_TEXT];

	syt_order_node_text(w->x->order, at, id, sizeof(id));
	syt_json_string(&w->j, "id", id);
}

static void put_object(struct writer *w, uint32_t object)
{
	const struct syt_object_info *info;
	char text[SYT_OBJECT_TEXT];

	if (object == SYT_NONE)
		return;
	info = w->x->order->objects.all[object].info;
	syt_object_text(info, text, sizeof(text));
	syt_json_string(&w->j, "object", text);
	if (info->name)
		syt_json_string(&w->j, "object_name", info->name);
}

/* One end of an arrow, on the slice that is open there. */
static void put_arrow(struct writer *w, const struct syt_step *s, uint64_t number, bool is_from)
{
	const struct syt_edge *e = &w->x->order->edges.all[number];

	if (s->of.thread == SYT_NONE) {
		begin_event(w, is_from ? "s" : "f", BARRIERS,
		            w->x->order->edges.rounds[s->of.row].object + UINT64_C(1));
		put_time(w, s->at);
	} else {
		begin_at(w, is_from ? "s" : "f", s->of.thread, s->at);
	}
	syt_json_u64(&w->j, "id", number + 1);
	syt_json_string(&w->j, "name", syt_edge_kind_text(e->kind));
	syt_json_string(&w->j, "cat", "edge");
	if (!is_from)
		syt_json_string(&w->j, "bp", "e");
	if (is_from) {
		syt_json_begin(&w->j, "args", '{');
		syt_edge_json_members(&w->j, w->x->order, e);
		syt_json_end(&w->j);
	}
	syt_json_end(&w->j);
}

/* Those that arrive before those that leave. */
static void put_arrows(struct writer *w, const struct syt_step *s)
{
	for (uint64_t n = 0; n < s->to.nr; n++)
		put_arrow(w, s, s->to.all[n].edge, false);
	for (uint64_t n = 0; n < s->from.nr; n++)
		put_arrow(w, s, s->from.all[n].edge, true);
}

static void put_end(struct writer *w, const struct syt_step *s)
{
	begin_at(w, "E", s->of.thread, s->at);
	if (s->is_cut) {
		const struct syt_row *r = syt_place_row(&w->x->order->places, s->of);
		syt_time length = s->task ? syt_task_span(w->x->tasks, s->task) : r->out - r->in;

		syt_json_begin(&w->j, "args", '{');
		syt_json_u64(&w->j, "dur_ns", SYT_TIME_NS(length));
		syt_json_end(&w->j);
	}
	syt_json_end(&w->j);
}

static void put_call(struct writer *w, const struct syt_step *s)
{
	const struct syt_order *o = w->x->order;
	const struct syt_row *r = syt_place_row(&o->places, s->of);
	const struct syt_extra *x = syt_place_extra(&o->places, s->of);
	const struct syt_call_info *c = syt_place_call(&o->places, s->of);
	uint32_t image = syt_place_image_idx(&o->places, s->of);
	uint32_t object = syt_object_of(&o->objects, image, r->object);

	begin_at(w, "B", s->of.thread, s->at);
	syt_json_string(&w->j, "name", c->name ? c->name : "?");
	syt_json_string(
		&w->j, "cat",
		syt_kind_text(object == SYT_NONE ? c->kind : syt_object_kind(&o->objects, object)));
	put_stack(w, image, r->stack);
	syt_json_begin(&w->j, "args", '{');
	put_id(w, s->of);
	put_object(w, object);
	syt_json_i64(&w->j, "result", r->result);
	if (r->result < 0 && syt_errno_name(r->err))
		syt_json_string(&w->j, "errno", syt_errno_name(r->err));
	if (x->bytes)
		syt_json_u64(&w->j, "bytes", x->bytes);
	if (x->bytes && !(x->flags & SYT_EVENT_NOOFFSET))
		syt_json_u64(&w->j, "offset", x->offset);
	syt_json_end(&w->j);
	syt_json_end(&w->j);
	put_arrows(w, s);
	if (s->kind == SYT_STEP_CALL)
		put_end(w, s);
}

static void put_task(struct writer *w, const struct syt_step *s)
{
	char *name = syt_words_task(w->x, s->task);
	uint64_t cpu = syt_task_cpu(w->x->tasks, s->task);

	begin_at(w, "B", s->of.thread, s->at);
	syt_json_string(&w->j, "name", name);
	syt_json_string(&w->j, "cat", "task");
	syt_json_begin(&w->j, "args", '{');
	put_id(w, s->of);
	if (cpu != SYT_CPU_UNKNOWN)
		syt_json_u64(&w->j, "cpu_ns", cpu);
	syt_json_end(&w->j);
	syt_json_end(&w->j);
	put_arrows(w, s);
	free(name);
}

static void put_round(struct writer *w, const struct syt_step *s)
{
	uint32_t object = w->x->order->edges.rounds[s->of.row].object;
	uint64_t tid = object + UINT64_C(1);
	char text[SYT_OBJECT_TEXT];

	if (!w->has_barrier[object]) {
		w->has_barrier[object] = true;
		syt_object_text(w->x->order->objects.all[object].info, text, sizeof(text));
		put_name(w, "process_name", BARRIERS, 0, (char *)(uintptr_t) "barriers");
		put_name(w, "thread_name", BARRIERS, tid, text);
	}
	begin_event(w, "B", BARRIERS, tid);
	put_time(w, s->at);
	syt_json_string(&w->j, "name", "round");
	syt_json_string(&w->j, "cat", "barrier");
	syt_json_begin(&w->j, "args", '{');
	put_id(w, s->of);
	syt_json_end(&w->j);
	syt_json_end(&w->j);
	put_arrows(w, s);
	begin_event(w, "E", BARRIERS, tid);
	put_time(w, s->at);
	syt_json_end(&w->j);
}

/* ---- how many wait ---- */

static void count(struct writer *w, uint32_t image, syt_time at, int change)
{
	w->waiting[image] += (uint64_t)(int64_t)change;
	begin_event(w, "C", pid_of(w, &w->x->order->places.trace->images[image]), 0);
	put_time(w, at);
	syt_json_string(&w->j, "name", "threads that wait");
	syt_json_begin(&w->j, "args", '{');
	syt_json_u64(&w->j, "threads", w->waiting[image]);
	syt_json_end(&w->j);
	syt_json_end(&w->j);
}

static void put_step(struct writer *w, const struct syt_step *s)
{
	switch (s->kind) {
	case SYT_STEP_CALL:
	case SYT_STEP_ENTER:
		put_call(w, s);
		break;
	case SYT_STEP_TASK:
		put_task(w, s);
		break;
	case SYT_STEP_LEAVE:
		put_arrows(w, s);
		put_end(w, s);
		break;
	case SYT_STEP_TASK_END:
		put_end(w, s);
		break;
	case SYT_STEP_ROUND:
		put_round(w, s);
		break;
	}
	if (syt_step_is_wait(s, &w->x->order->places))
		count(w, syt_place_image_idx(&w->x->order->places, s->of), s->at,
		      s->kind == SYT_STEP_ENTER ? 1 : -1);
}

/* Calls that had not returned when the dump ended: slices without an end. */
static void put_waiting(struct writer *w)
{
	const struct syt_places *p = &w->x->order->places;

	for (uint32_t n = 0; n < p->nr_threads; n++) {
		const struct syt_image *i = p->threads[n]->image;
		const struct syt_waiting_info *waiting = &p->threads[n]->waiting;
		uint32_t image = (uint32_t)(i - p->trace->images);

		if (!waiting->since)
			continue;
		begin_at(w, "B", n, waiting->since);
		syt_json_string(&w->j, "name", i->calls[waiting->call].name);
		syt_json_string(&w->j, "cat", syt_kind_text(i->calls[waiting->call].kind));
		put_stack(w, image, waiting->stack);
		syt_json_begin(&w->j, "args", '{');
		put_object(w, syt_object_of(&w->x->order->objects, image, waiting->object));
		syt_json_end(&w->j);
		syt_json_end(&w->j);
		count(w, image, waiting->since, 1);
	}
}

/* ---- the file ---- */

static void put_metadata(struct writer *w)
{
	char *coverage = syt_words_coverage(w->x->order);

	syt_json_string(&w->j, "displayTimeUnit", "ns");
	syt_json_begin(&w->j, "otherData", '{');
	syt_json_string(&w->j, "producer", "syntrace");
	syt_json_string(&w->j, "clock", "CLOCK_MONOTONIC");
	syt_json_u64(&w->j, "begin_ns", SYT_TIME_NS(w->begin));
	syt_json_key(&w->j, "coverage");
	syt_out_string(w->j.out, coverage);
	syt_json_end(&w->j);
	free(coverage);
}

static int run(struct syt_export *x)
{
	const struct syt_trace_data *t = x->order->places.trace;
	struct writer w = {.x = x, .j = {.out = x->out}, .begin = t->begin};
	const struct syt_step *s;
	struct syt_pass *pass;

	w.has_stack = syt_calloc(t->nr_images, sizeof(*w.has_stack));
	w.waiting = syt_calloc(t->nr_images, sizeof(*w.waiting));
	w.has_barrier = syt_calloc(x->order->objects.nr, sizeof(bool));
	syt_known_open(&w.known, &x->order->places);
	syt_json_begin(&w.j, NULL, '{');
	put_metadata(&w);
	syt_json_begin(&w.j, "traceEvents", '[');
	put_who(&w);
	pass = syt_pass_open(x->order, x->tasks);
	while (!x->out->is_closed && (s = syt_pass_next(pass)))
		put_step(&w, s);
	syt_pass_close(pass);
	put_waiting(&w);
	syt_json_end(&w.j);
	put_frames(&w);
	syt_json_end(&w.j);
	syt_out_char(x->out, '\n');
	syt_known_close(&w.known);
	for (uint32_t n = 0; n < t->nr_images; n++)
		syt_store_free(w.has_stack[n]);
	free(w.has_stack);
	free(w.waiting);
	free(w.has_barrier);
	return 0;
}

const struct syt_exporter syt_exporter_chrome = {
	.name = "chrome",
	.suffix = ".json",
	.summary = "JSON trace events",
	.run = run,
};
