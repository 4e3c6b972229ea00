/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Writes an SQLite database. The database contains the whole trace as tables, and views as a starting point
 * (doc/sqlite.md).
 *
 * Events are numbered thread by thread, so that edges and tasks can refer to events without a lookup. Every table
 * is filled in the order of its key: a B-tree that only grows at its end needs no more than the library's page
 * cache. There is no journal, because an unfinished database is deleted.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/export/sqlite_row.h"
#include "decoder/export/sqlite_schema.h"
#include "decoder/export/words.h"
#include "decoder/host/summary.h"
#include "decoder/read/call.h"
#include "decoder/show/edge_print.h"

/* ---- processes, threads, objects ---- */

static void put_meta(struct syt_sqlite *w)
{
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "meta", 2), 0};
	char *coverage = syt_words_coverage(w->x->order), offset[24];
	const char *const rows[][2] = {{"version", SYT_SQLITE_VERSION},
	                               {"clock", "CLOCK_MONOTONIC"},
	                               {"wall_offset_ns", offset},
	                               {"coverage", coverage}};

	snprintf(offset, sizeof(offset), "%" PRId64, w->x->order->places.trace->wall_offset_ns);
	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		syt_sqlite_word(&r, rows[n][0]);
		syt_sqlite_word(&r, rows[n][1]);
		syt_sqlite_end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
	free(coverage);
}

static void put_limit(struct syt_sqlite_row *r, bool is_known, double ns)
{
	is_known = is_known && isfinite(ns);
	syt_sqlite_if(r, is_known, is_known ? (uint64_t)ceil(ns) : 0);
}

static void put_host(struct syt_sqlite *w, struct syt_sqlite_row *r, uint32_t host,
                     const struct syt_image *first)
{
	const struct syt_host_summary s = syt_host_summary_of(w->x->order->places.trace, host);
	bool is_placed = s.component || s.is_reference;
	char boot[2 * sizeof(first->file.boot_id) + 1];

	for (size_t n = 0; n < sizeof(first->file.boot_id); n++)
		snprintf(boot + 2 * n, 3, "%02x", first->file.boot_id[n]);
	syt_sqlite_u64(r, host);
	syt_sqlite_text(r, s.name);
	syt_sqlite_word(r, boot);
	syt_sqlite_word(r, s.clock);
	syt_sqlite_word(r, s.is_reference ? "reference" : is_placed ? "joined" : "apart");
	syt_sqlite_if(r, is_placed, s.component_index);
	put_limit(r, is_placed, s.early_ns);
	put_limit(r, is_placed, s.late_ns);
	syt_sqlite_end_row(w, r);
}

static void put_hosts(struct syt_sqlite *w)
{
	const struct syt_trace_data *t = w->x->order->places.trace;
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "hosts", 8), 0};
	uint32_t nr = 0;

	/* hosts are numbered in the order of their first process images */
	for (uint32_t n = 0; n < t->nr_images; n++)
		if (syt_hosts_of(t->hosts, n) == nr)
			put_host(w, &r, nr++, &t->images[n]);
	sqlite3_finalize(r.statement);
}

static void put_processes(struct syt_sqlite *w)
{
	const struct syt_trace_data *t = w->x->order->places.trace;
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "processes", 11), 0};

	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		syt_sqlite_u64(&r, n);
		syt_sqlite_u64(&r, i->index);
		syt_sqlite_u64(&r, i->file.pid);
		syt_sqlite_text(&r, i->exe);
		syt_sqlite_text(&r, i->argv);
		syt_sqlite_count(&r, i->nr_decoded);
		syt_sqlite_count(&r, i->nr_lost);
		syt_sqlite_count(&r, i->nr_overwritten);
		syt_sqlite_count(&r, i->nr_missing);
		syt_sqlite_u64(&r, i->is_damaged);
		syt_sqlite_u64(&r, syt_hosts_of(t->hosts, n));
		syt_sqlite_end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

static void put_threads(struct syt_sqlite *w)
{
	const struct syt_places *p = &w->x->order->places;
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "threads", 5), 0};

	for (uint32_t n = 0; n < p->nr_threads; n++) {
		const struct syt_thread *t = p->threads[n];

		syt_sqlite_u64(&r, n);
		syt_sqlite_u64(&r, (uint64_t)(t->image - p->trace->images));
		syt_sqlite_u64(&r, t->index);
		syt_sqlite_u64(&r, t->tid);
		syt_sqlite_text(&r, syt_thread_name(t));
		syt_sqlite_end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

static void put_objects(struct syt_sqlite *w)
{
	const struct syt_objects *o = &w->x->order->objects;
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "objects", 6), 0};
	char text[SYT_OBJECT_TEXT];

	for (uint32_t n = 0; n < o->nr && !w->is_failed; n++) {
		const struct syt_object *object = &o->all[n];

		syt_object_text(object->info, text, sizeof(text));
		syt_sqlite_u64(&r, n);
		syt_sqlite_word(&r, text);
		syt_sqlite_word(&r, syt_kind_text(object->info->kind));
		syt_sqlite_text(&r, syt_object_name_of(o, n));
		syt_sqlite_u64(&r, object->image);
		syt_sqlite_if(&r, object->peer != SYT_NONE, object->peer);
		syt_sqlite_end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

/* ---- stacks ---- */

/* Writes the functions at one frame, outermost first. Returns the number of the innermost function. */
static uint64_t put_frames(struct syt_sqlite *w, const struct syt_location *l, uint64_t caller)
{
	uint32_t nr = l->nr_symbols ? l->nr_symbols : 1;

	for (uint32_t n = nr; n-- > 0;) {
		const struct syt_symbol *s = l->nr_symbols ? &l->symbols[n] : NULL;
		struct syt_sqlite_row r = {w->frame, 0};

		syt_sqlite_u64(&r, ++w->nr_frames);
		syt_sqlite_if(&r, caller, caller);
		syt_sqlite_text(&r, s && s->fn ? s->fn : l->label);
		syt_sqlite_text(&r, l->module);
		syt_sqlite_u64(&r, l->offset);
		syt_sqlite_text(&r, s ? s->file : NULL);
		syt_sqlite_if(&r, s && s->file, s ? s->line : 0);
		syt_sqlite_u64(&r, s && s->is_inlined);
		syt_sqlite_end_row(w, &r);
		caller = w->nr_frames;
	}
	return caller;
}

/* Writes the frames of STACK. Returns the number of the innermost frame; 0: no frame belongs to the program. */
static uint64_t put_nodes(struct syt_sqlite *w, uint32_t image, uint32_t stack)
{
	const struct syt_image *i = &w->x->order->places.trace->images[image];
	uint32_t *nodes = NULL;
	size_t nr = 0, room = 0;
	uint64_t frame = 0;

	for (uint32_t at = stack; at; at = i->stacks[at].parent) {
		frame = w->frames[w->ids.stacks[image] + at];
		if (frame)
			break;
		*SYT_ADD(nodes, nr, room) = at;
	}
	while (nr-- > 0) {
		const struct syt_location *l = syt_symbol_locate(w->x->symbols, i, nodes[nr]);

		if (!l->is_recorder)
			frame = put_frames(w, l, frame);
		w->frames[w->ids.stacks[image] + nodes[nr]] = frame;
	}
	free(nodes);
	return frame;
}

/* Writes a call stack, unless it is written already. Returns its number; 0: the event has no stack. */
static uint64_t put_stack(struct syt_sqlite *w, uint32_t image, uint32_t stack)
{
	uint64_t number = w->ids.stacks[image] + stack, frame;

	if (!stack || !w->x->has_stacks)
		return 0;
	if (!syt_ids_mark(w->ids.has_stack, number))
		return w->frames[number] ? number : 0;
	frame = put_nodes(w, image, stack);
	if (!frame)
		return 0;

	struct syt_sqlite_row r = {w->stack, 0};
	char *path = syt_words_path(w->x, image, stack);

	syt_sqlite_u64(&r, number);
	syt_sqlite_u64(&r, frame);
	syt_sqlite_word(&r, path);
	syt_sqlite_end_row(w, &r);
	free(path);
	return number;
}

/* ---- events, tasks, edges ---- */

static void put_object(struct syt_sqlite *w, struct syt_sqlite_row *r, uint32_t image,
                       uint32_t object)
{
	syt_sqlite_object(r, syt_object_of(&w->x->order->objects, image, object));
}

static void put_event(struct syt_sqlite *w, struct syt_sqlite_row *to, struct syt_place at)
{
	const struct syt_places *p = &w->x->order->places;
	const struct syt_row *r = syt_place_row(p, at);
	const struct syt_extra *x = syt_place_extra(p, at);
	const struct syt_call_info *c = syt_place_call(p, at);
	uint32_t image = syt_place_image_idx(p, at);
	uint64_t in = SYT_TIME_NS(r->in), out = SYT_TIME_NS(r->out);
	uint64_t stack = put_stack(w, image, r->stack);
	char id[SYT_NODE_TEXT];

	syt_order_node_text(w->x->order, at, id, sizeof(id));
	syt_sqlite_event(w, to, at);
	syt_sqlite_word(to, id);
	syt_sqlite_u64(to, at.thread);
	syt_sqlite_u64(to, in);
	syt_sqlite_u64(to, out);
	syt_sqlite_u64(to, out - in);
	syt_sqlite_u64(to, c->stamp_in ? in : out);
	syt_sqlite_u64(to, !c->stamp_in);
	syt_sqlite_text(to, c->name ? c->name : "?");
	put_object(w, to, image, r->object);
	put_object(w, to, image, x->object2);
	syt_sqlite_i64(to, r->result);
	syt_sqlite_u64(to, r->result < 0 ? r->err : 0);
	syt_sqlite_if(to, x->bytes, x->bytes);
	syt_sqlite_if(to, x->bytes && !(x->flags & SYT_EVENT_NOOFFSET), x->offset);
	syt_sqlite_if(to, stack, stack);
	syt_sqlite_end_row(w, to);
}

static void put_events(struct syt_sqlite *w)
{
	const struct syt_places *p = &w->x->order->places;
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "events", 16), 0};

	w->frame = syt_sqlite_prepare(w, "frames", 8);
	w->stack = syt_sqlite_prepare(w, "stacks", 3);
	for (uint32_t n = 0; n < p->nr_threads; n++) {
		SYT_EACH_FAR(row, 0, p->threads[n]->nr_rows) {
			if (w->is_failed)
				break;
			put_event(w, &r, (struct syt_place){n, (uint32_t)row});
		}
	}
	sqlite3_finalize(r.statement);
	sqlite3_finalize(w->frame);
	sqlite3_finalize(w->stack);
}

static void put_labels(struct syt_sqlite *w)
{
	uint32_t nr = w->x->labels ? syt_labels_nr(w->x->labels) : 0;
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "labels", 3), 0};

	for (uint32_t n = 0; n < nr && !w->is_failed; n++) {
		syt_sqlite_u64(&r, n);
		syt_sqlite_text(&r, syt_label_begin(w->x->labels, n));
		syt_sqlite_text(&r, syt_label_end(w->x->labels, n));
		syt_sqlite_end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

static void put_tasks(struct syt_sqlite *w)
{
	const struct syt_tasks *tasks = w->x->tasks;
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "tasks", 9), 0};
	char id[SYT_NODE_TEXT];

	SYT_EACH_FAR(n, 0, tasks->nr) {
		if (w->is_failed)
			break;
		const struct syt_task *t = &tasks->all[n];
		const struct syt_place begin = {t->thread, t->begin}, end = {t->thread, t->end};
		uint64_t cpu = syt_task_cpu(tasks, t);

		syt_order_node_text(w->x->order, begin, id, sizeof(id));
		syt_sqlite_u64(&r, n + 1);
		syt_sqlite_word(&r, id);
		syt_sqlite_u64(&r, t->thread);
		syt_sqlite_event(w, &r, begin);
		syt_sqlite_event(w, &r, end);
		syt_sqlite_u64(&r, SYT_TIME_NS(syt_task_begin(tasks, t)));
		syt_sqlite_u64(&r, SYT_TIME_NS(syt_task_span(tasks, t)));
		syt_sqlite_u64(&r, cpu); /* an unknown CPU time exceeds 63 bits and becomes NULL */
		syt_sqlite_if(&r, w->x->labels, t->label);
		syt_sqlite_end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

/* An error without a limit exceeds 63 bits and becomes NULL. */
static void put_error(struct syt_sqlite_row *r, struct syt_host_error e)
{
	syt_sqlite_if(r, e.is_between, e.ns);
}

static void put_edges(struct syt_sqlite *w)
{
	const struct syt_edges *edges = &w->x->order->edges;
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "edges", 14), 0};
	char from[SYT_NODE_TEXT], to[SYT_NODE_TEXT];

	SYT_EACH_FAR(n, 0, edges->nr) {
		if (w->is_failed)
			break;
		const struct syt_edge *e = &edges->all[n];
		bool moves_bytes = e->kind == SYT_EDGE_STREAM || e->kind == SYT_EDGE_DATAGRAM ||
		                   e->kind == SYT_EDGE_QUEUE;

		syt_order_node_text(w->x->order, e->from, from, sizeof(from));
		syt_order_node_text(w->x->order, e->to, to, sizeof(to));
		syt_sqlite_u64(&r, n + 1);
		syt_sqlite_word(&r, from);
		syt_sqlite_word(&r, to);
		syt_sqlite_event(w, &r, e->from);
		syt_sqlite_event(w, &r, e->to);
		syt_sqlite_word(&r, syt_edge_kind_text(e->kind));
		syt_sqlite_word(&r, syt_edge_class_text(e->class));
		syt_sqlite_if(&r, e->object != SYT_NONE, e->object);
		syt_sqlite_if(&r, moves_bytes, e->bytes);
		syt_sqlite_u64(&r, SYT_TIME_NS(syt_edge_begin(edges, e)));
		syt_sqlite_u64(&r, SYT_TIME_NS(syt_edge_end(edges, e)));
		syt_sqlite_u64(&r, (e->flags & SYT_EDGE_AMBIGUOUS) != 0);
		syt_sqlite_u64(&r, (e->flags & SYT_EDGE_INFERRED) != 0);
		put_error(&r, syt_edge_host_error(w->x->order, e));
		syt_sqlite_end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

/* ---- the database ---- */

static void number(struct syt_sqlite *w)
{
	const struct syt_places *p = &w->x->order->places;
	uint64_t nr = 0;

	w->events = syt_calloc(p->nr_threads, sizeof(*w->events));
	for (uint32_t n = 0; n < p->nr_threads; n++) {
		w->events[n] = nr;
		nr += p->threads[n]->nr_rows;
	}
	syt_ids_open(&w->ids, w->x->order);
	w->frames = syt_store_alloc(w->ids.nr_stacks, sizeof(*w->frames));
}

static void fill(struct syt_sqlite *w)
{
	syt_sqlite_execute(
		w, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 8192;");
	syt_sqlite_execute(w, "BEGIN;" SYT_SQLITE_TABLES);
	put_meta(w);
	put_hosts(w);
	put_processes(w);
	put_threads(w);
	put_objects(w);
	put_events(w);
	put_labels(w);
	put_tasks(w);
	put_edges(w);
	syt_sqlite_put_facts(w);
	syt_sqlite_execute(w, SYT_SQLITE_VIEWS "COMMIT;");
}

static int run(struct syt_export *x)
{
	struct syt_sqlite w = {.x = x};

	/* one thread uses the database, so SQLite needs no lock for each row */
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

	if (sqlite3_open_v2(x->path, &w.db, flags, NULL) == SQLITE_OK) {
		number(&w);
		fill(&w);
		syt_ids_close(&w.ids);
	} else {
		syt_sqlite_fail(&w, "cannot be made");
	}
	if (sqlite3_close(w.db) != SQLITE_OK)
		syt_sqlite_fail(&w, "cannot be closed");
	free(w.events);
	syt_store_free(w.frames);
	return w.is_failed ? -1 : 0;
}

const struct syt_exporter syt_exporter_sqlite = {
	.name = "sqlite",
	.suffix = ".sqlite",
	.is_file = true,
	.run = run,
};
