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
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/export/sqlite_schema.h"
#include "decoder/export/words.h"
#include "decoder/read/call.h"

struct writer {
	const struct syt_export *x;
	sqlite3 *db;
	bool is_failed;   /* writing failed, and the error was reported */
	uint64_t *events; /* [thread]: number of the last event before the thread's first event */
	uint64_t *frames; /* [number of a stack]: number of its innermost frame; 0: not written */
	uint64_t nr_frames;
	sqlite3_stmt *frame, *stack;
	struct syt_ids ids;
};

static void fail(struct writer *w, const char *what)
{
	if (!w->is_failed)
		syt_warn("%s: %s: %s", w->x->path, what, sqlite3_errmsg(w->db));
	w->is_failed = true;
}

static void execute(struct writer *w, const char *sql)
{
	if (!w->is_failed && sqlite3_exec(w->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(w, "SQL");
}

/* ---- a row ---- */

struct row {
	sqlite3_stmt *statement; /* prepared statement of the row; NULL after a failure */
	int at;                  /* position of the last value in the row */
};

static sqlite3_stmt *prepare(struct writer *w, const char *table, int nr_columns)
{
	char sql[128] = "", *to = sql;
	sqlite3_stmt *s = NULL;

	to += snprintf(to, sizeof(sql), "INSERT INTO %s VALUES (?", table);
	while (--nr_columns > 0)
		to = stpcpy(to, ",?");
	strcpy(to, ")");
	if (!w->is_failed && sqlite3_prepare_v2(w->db, sql, -1, &s, NULL) != SQLITE_OK)
		fail(w, table);
	return s;
}

/* Binds V to the next column, or NULL if V does not fit into SQLite's 63 bits. V is then an unknown value, or a
 * value of a damaged dump. */
static void put_u64(struct row *r, uint64_t v)
{
	if (v > INT64_MAX)
		sqlite3_bind_null(r->statement, ++r->at);
	else
		sqlite3_bind_int64(r->statement, ++r->at, (sqlite3_int64)v);
}

/* Binds V to the next column if IS_KNOWN, otherwise NULL. */
static void put_if(struct row *r, bool is_known, uint64_t v)
{
	put_u64(r, is_known ? v : UINT64_MAX);
}

/* Binds a count to the next column, which is NOT NULL. A value that does not fit therefore becomes INT64_MAX. */
static void put_count(struct row *r, uint64_t v)
{
	put_u64(r, v > INT64_MAX ? INT64_MAX : v);
}

static void put_i64(struct row *r, int64_t v)
{
	sqlite3_bind_int64(r->statement, ++r->at, v);
}

static void put_text(struct row *r, const char *text)
{
	char *clean = text ? syt_words_clean(text) : NULL;

	sqlite3_bind_text(r->statement, ++r->at, clean, -1, SQLITE_TRANSIENT);
	free(clean);
}

/* Binds TEXT, which is valid UTF-8 already, to the next column. */
static void put_word(struct row *r, const char *text)
{
	sqlite3_bind_text(r->statement, ++r->at, text, -1, SQLITE_TRANSIENT);
}

static void end_row(struct writer *w, struct row *r)
{
	if (!w->is_failed && sqlite3_step(r->statement) != SQLITE_DONE)
		fail(w, sqlite3_sql(r->statement));
	sqlite3_reset(r->statement);
	r->at = 0;
}

/* ---- processes, threads, objects ---- */

static void put_meta(struct writer *w)
{
	struct row r = {prepare(w, "meta", 2), 0};
	char *coverage = syt_words_coverage(w->x->order), offset[24];
	const char *const rows[][2] = {{"version", SYT_SQLITE_VERSION},
	                               {"clock", "CLOCK_MONOTONIC"},
	                               {"wall_offset_ns", offset},
	                               {"coverage", coverage}};

	snprintf(offset, sizeof(offset), "%" PRId64, w->x->order->places.trace->wall_offset_ns);
	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		put_word(&r, rows[n][0]);
		put_word(&r, rows[n][1]);
		end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
	free(coverage);
}

static void put_processes(struct writer *w)
{
	const struct syt_trace_data *t = w->x->order->places.trace;
	struct row r = {prepare(w, "processes", 10), 0};

	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		put_u64(&r, n);
		put_u64(&r, i->index);
		put_u64(&r, i->file.pid);
		put_text(&r, i->exe);
		put_text(&r, i->argv);
		put_count(&r, i->nr_decoded);
		put_count(&r, i->nr_lost);
		put_count(&r, i->nr_overwritten);
		put_count(&r, i->nr_missing);
		put_u64(&r, i->is_damaged);
		end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

static void put_threads(struct writer *w)
{
	const struct syt_places *p = &w->x->order->places;
	struct row r = {prepare(w, "threads", 5), 0};

	for (uint32_t n = 0; n < p->nr_threads; n++) {
		const struct syt_thread *t = p->threads[n];

		put_u64(&r, n);
		put_u64(&r, (uint64_t)(t->image - p->trace->images));
		put_u64(&r, t->index);
		put_u64(&r, t->tid);
		put_text(&r, syt_thread_name(t));
		end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

static void put_objects(struct writer *w)
{
	const struct syt_objects *o = &w->x->order->objects;
	struct row r = {prepare(w, "objects", 6), 0};
	char text[SYT_OBJECT_TEXT];

	for (uint32_t n = 0; n < o->nr && !w->is_failed; n++) {
		const struct syt_object *object = &o->all[n];

		syt_object_text(object->info, text, sizeof(text));
		put_u64(&r, n);
		put_word(&r, text);
		put_word(&r, syt_kind_text(object->info->kind));
		put_text(&r, syt_object_name_of(o, n));
		put_u64(&r, object->image);
		put_if(&r, object->peer != SYT_NONE, object->peer);
		end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

/* ---- stacks ---- */

/* Writes the functions at one frame, outermost first. Returns the number of the innermost function. */
static uint64_t put_frames(struct writer *w, const struct syt_location *l, uint64_t caller)
{
	uint32_t nr = l->nr_symbols ? l->nr_symbols : 1;

	for (uint32_t n = nr; n-- > 0;) {
		const struct syt_symbol *s = l->nr_symbols ? &l->symbols[n] : NULL;
		struct row r = {w->frame, 0};

		put_u64(&r, ++w->nr_frames);
		put_if(&r, caller, caller);
		put_text(&r, s && s->fn ? s->fn : l->label);
		put_text(&r, l->module);
		put_u64(&r, l->offset);
		put_text(&r, s ? s->file : NULL);
		put_if(&r, s && s->file, s ? s->line : 0);
		put_u64(&r, s && s->is_inlined);
		end_row(w, &r);
		caller = w->nr_frames;
	}
	return caller;
}

/* Writes the frames of STACK. Returns the number of the innermost frame; 0: no frame belongs to the program. */
static uint64_t put_nodes(struct writer *w, uint32_t image, uint32_t stack)
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
static uint64_t put_stack(struct writer *w, uint32_t image, uint32_t stack)
{
	uint64_t number = w->ids.stacks[image] + stack, frame;

	if (!stack || !w->x->has_stacks)
		return 0;
	if (!syt_ids_mark(w->ids.has_stack, number))
		return w->frames[number] ? number : 0;
	frame = put_nodes(w, image, stack);
	if (!frame)
		return 0;

	struct row r = {w->stack, 0};
	char *path = syt_words_path(w->x, image, stack);

	put_u64(&r, number);
	put_u64(&r, frame);
	put_word(&r, path);
	end_row(w, &r);
	free(path);
	return number;
}

/* ---- events, tasks, edges ---- */

/* Binds the number of the event AT to the next column; NULL for a round of a barrier. */
static void put_number(const struct writer *w, struct row *r, struct syt_place at)
{
	bool is_event = at.thread != SYT_NONE;

	put_if(r, is_event, is_event ? w->events[at.thread] + at.row + 1 : 0);
}

static void put_object(struct writer *w, struct row *r, uint32_t image, uint32_t object)
{
	uint32_t number = syt_object_of(&w->x->order->objects, image, object);

	put_if(r, number != SYT_NONE, number);
}

static void put_event(struct writer *w, struct row *to, struct syt_place at)
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
	put_number(w, to, at);
	put_word(to, id);
	put_u64(to, at.thread);
	put_u64(to, in);
	put_u64(to, out);
	put_u64(to, out - in);
	put_u64(to, c->stamp_in ? in : out);
	put_u64(to, !c->stamp_in);
	put_text(to, c->name ? c->name : "?");
	put_object(w, to, image, r->object);
	put_object(w, to, image, x->object2);
	put_i64(to, r->result);
	put_u64(to, r->result < 0 ? r->err : 0);
	put_if(to, x->bytes, x->bytes);
	put_if(to, x->bytes && !(x->flags & SYT_EVENT_NOOFFSET), x->offset);
	put_if(to, stack, stack);
	end_row(w, to);
}

static void put_events(struct writer *w)
{
	const struct syt_places *p = &w->x->order->places;
	struct row r = {prepare(w, "events", 16), 0};

	w->frame = prepare(w, "frames", 8);
	w->stack = prepare(w, "stacks", 3);
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

static void put_labels(struct writer *w)
{
	uint32_t nr = w->x->labels ? syt_labels_nr(w->x->labels) : 0;
	struct row r = {prepare(w, "labels", 3), 0};

	for (uint32_t n = 0; n < nr && !w->is_failed; n++) {
		put_u64(&r, n);
		put_text(&r, syt_label_begin(w->x->labels, n));
		put_text(&r, syt_label_end(w->x->labels, n));
		end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

static void put_tasks(struct writer *w)
{
	const struct syt_tasks *tasks = w->x->tasks;
	struct row r = {prepare(w, "tasks", 9), 0};
	char id[SYT_NODE_TEXT];

	SYT_EACH_FAR(n, 0, tasks->nr) {
		if (w->is_failed)
			break;
		const struct syt_task *t = &tasks->all[n];
		const struct syt_place begin = {t->thread, t->begin}, end = {t->thread, t->end};
		uint64_t cpu = syt_task_cpu(tasks, t);

		syt_order_node_text(w->x->order, begin, id, sizeof(id));
		put_u64(&r, n + 1);
		put_word(&r, id);
		put_u64(&r, t->thread);
		put_number(w, &r, begin);
		put_number(w, &r, end);
		put_u64(&r, SYT_TIME_NS(syt_task_begin(tasks, t)));
		put_u64(&r, SYT_TIME_NS(syt_task_span(tasks, t)));
		put_u64(&r, cpu); /* an unknown CPU time exceeds 63 bits and becomes NULL */
		put_if(&r, w->x->labels, t->label);
		end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

static void put_edges(struct writer *w)
{
	const struct syt_edges *edges = &w->x->order->edges;
	struct row r = {prepare(w, "edges", 13), 0};
	char from[SYT_NODE_TEXT], to[SYT_NODE_TEXT];

	SYT_EACH_FAR(n, 0, edges->nr) {
		if (w->is_failed)
			break;
		const struct syt_edge *e = &edges->all[n];
		bool moves_bytes = e->kind == SYT_EDGE_STREAM || e->kind == SYT_EDGE_DATAGRAM ||
		                   e->kind == SYT_EDGE_QUEUE;

		syt_order_node_text(w->x->order, e->from, from, sizeof(from));
		syt_order_node_text(w->x->order, e->to, to, sizeof(to));
		put_u64(&r, n + 1);
		put_word(&r, from);
		put_word(&r, to);
		put_number(w, &r, e->from);
		put_number(w, &r, e->to);
		put_word(&r, syt_edge_kind_text(e->kind));
		put_word(&r, syt_edge_class_text(e->class));
		put_if(&r, e->object != SYT_NONE, e->object);
		put_if(&r, moves_bytes, e->bytes);
		put_u64(&r, SYT_TIME_NS(syt_edge_begin(edges, e)));
		put_u64(&r, SYT_TIME_NS(syt_edge_end(edges, e)));
		put_u64(&r, (e->flags & SYT_EDGE_AMBIGUOUS) != 0);
		put_u64(&r, (e->flags & SYT_EDGE_INFERRED) != 0);
		end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

/* ---- the database ---- */

static void number(struct writer *w)
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

static void fill(struct writer *w)
{
	execute(w, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 8192;");
	execute(w, "BEGIN;" SYT_SQLITE_TABLES);
	put_meta(w);
	put_processes(w);
	put_threads(w);
	put_objects(w);
	put_events(w);
	put_labels(w);
	put_tasks(w);
	put_edges(w);
	execute(w, SYT_SQLITE_VIEWS "COMMIT;");
}

static int run(struct syt_export *x)
{
	struct writer w = {.x = x};

	if (sqlite3_open(x->path, &w.db) == SQLITE_OK) {
		number(&w);
		fill(&w);
		syt_ids_close(&w.ids);
	} else {
		fail(&w, "cannot be made");
	}
	if (sqlite3_close(w.db) != SQLITE_OK)
		fail(&w, "cannot be closed");
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
