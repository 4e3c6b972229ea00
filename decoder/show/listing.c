/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/listing.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decoder/analysis/holding.h"
#include "decoder/analysis/spread.h"
#include "decoder/read/call.h"
#include "decoder/read/perf.h"
#include "decoder/show/edge_print.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

#define MOST_PERF 3u   /* number of functions that are named from samples of perf */
#define LEAST_PERF 5.0 /* percentage of the samples that a further function needs */

void syt_listing_begin(struct syt_listing_writer *w, const struct syt_listing *l,
                       const struct syt_view *v)
{
	*w = (struct syt_listing_writer){.listing = l, .view = v};
	if (v->is_json)
		return;
	w->table = syt_table_create(NULL, NULL);
	for (size_t i = 0; i < l->nr_columns; i++)
		if (l->columns[i].title)
			syt_table_column(w->table, l->columns[i].title);
}

static struct syt_cell cell_of(const struct syt_column *column, const struct syt_view *v,
                               const void *row, const void *parent)
{
	const char *of = column->at & SYT_OF_PARENT ? parent : row;

	return (struct syt_cell){v, row, parent, of + (column->at & ~SYT_OF_PARENT)};
}

static void put_text(struct syt_table *t, const struct syt_column_type *type,
                     const struct syt_cell *c)
{
	uint64_t number;
	const char *word;

	if (type->text) {
		type->text(t, c);
	} else if (type->ns) {
		number = type->ns(c);
		syt_table_span(t, number == SYT_CELL_NONE ? 0 : number);
	} else if (type->percent) {
		syt_table_cell(t, "%.1f %%", type->percent(c));
	} else if (type->number && (number = type->number(c)) != SYT_CELL_NONE) {
		syt_table_cell(t, "%" PRIu64, number);
	} else {
		word = type->word ? type->word(c) : type->is && type->is(c) ? "yes" : NULL;
		syt_table_cell(t, "%s", word ? word : "");
	}
}

static void put_json(struct syt_json *j, const char *key, const struct syt_column_type *type,
                     const struct syt_cell *c)
{
	uint64_t number = SYT_CELL_NONE;
	const char *word = NULL;

	if (type->json) {
		type->json(j, key, c);
	} else if (type->is) {
		syt_json_bool(j, key, type->is(c));
	} else {
		if (type->word)
			word = type->word(c);
		else
			number = type->number ? type->number(c) : type->ns(c);
		if (number != SYT_CELL_NONE)
			syt_json_u64(j, key, number);
		else if (word || !type->is_optional)
			syt_json_string(j, key, word);
	}
}

void syt_listing_members(const struct syt_listing *l, const struct syt_view *v, struct syt_json *j,
                         const void *row, const void *parent)
{
	for (size_t i = 0; i < l->nr_columns; i++) {
		const struct syt_column *column = &l->columns[i];
		struct syt_cell c = cell_of(column, v, row, parent);

		if (column->key && syt_json_has(j, column->key))
			put_json(j, column->key, column->type, &c);
	}
}

static void put_row(struct syt_listing_writer *w, const void *row, const void *parent)
{
	const struct syt_listing *l = w->listing;
	struct syt_json j = {.out = w->view->out};

	w->nr++;
	if (!w->table) {
		syt_json_begin_line(&j, l->type);
		syt_listing_members(l, w->view, &j, row, parent);
		syt_json_end_line(&j);
		return;
	}
	syt_table_row(w->table);
	for (size_t i = 0; i < l->nr_columns; i++) {
		struct syt_cell c = cell_of(&l->columns[i], w->view, row, parent);

		if (l->columns[i].title)
			put_text(w->table, l->columns[i].type, &c);
	}
}

bool syt_listing_row(struct syt_listing_writer *w, const void *row, const void *parent)
{
	if (!w->view->limit || w->nr < w->view->limit)
		put_row(w, row, parent);
	return !w->view->limit || w->nr < w->view->limit;
}

void syt_listing_end(struct syt_listing_writer *w)
{
	if (w->table)
		syt_table_end(w->table, w->view->out);
}

void syt_listing_all(const struct syt_listing *l, const struct syt_view *v, const void *rows,
                     size_t nr, size_t stride, const void *parent)
{
	struct syt_listing_writer w;

	syt_listing_begin(&w, l, v);
	for (size_t i = 0; i < nr; i++)
		if (!syt_listing_row(&w, (const char *)rows + i * stride, parent))
			break;
	syt_listing_end(&w);
}

void syt_listing_one(const struct syt_listing *l, const struct syt_view *v, const void *row,
                     const void *parent)
{
	struct syt_listing_writer w;

	syt_listing_begin(&w, l, v);
	put_row(&w, row, parent);
	syt_listing_end(&w);
}

bool syt_view_shows(const struct syt_view *v, uint32_t object)
{
	return !v->object || syt_objects_matches(&v->order->objects, object, v->object);
}

const char *syt_view_path(const struct syt_view *v, uint32_t side)
{
	const char *path;

	if (side == SYT_NONE)
		return "";
	path = syt_label_distinguish(v->labels, side, SYT_VIEW_PATH_PARTS);
	if (v->symbols)
		syt_symbols_note_listed(v->symbols, path);
	return path;
}

void syt_view_put_wrapped(const struct syt_view *v,
                          void (*write)(struct syt_out *out, const struct syt_view *v))
{
	struct syt_out words;

	syt_wrap_begin(&words, v->out);
	write(&words, v);
	syt_wrap_end_lines(&words, v->out);
}

void syt_view_put_path(const struct syt_view *v, struct syt_out *out, uint32_t side)
{
	syt_print_colored(out, SYT_COLOR_CYAN, syt_view_path(v, side));
}

/* Returns the last function name of the call path PATH before *END, and moves *END to the begin of that
 * name. Returns NULL at the begin of PATH. */
static const char *part_before(const char *path, const char **end, size_t *bytes)
{
	const char *behind = *end, *from = behind;

	if (behind == path)
		return NULL;
	while (from > path && from[-1] != ';')
		from--;
	*bytes = (size_t)(behind - from);
	*end = from > path ? from - 1 : path;
	return from;
}

/* Writes " (FILE:LINE)" of the innermost frame of FUNCTION, if the line is known. The frame is from the
 * example stack of the call path SIDE. */
static void put_line(const struct syt_view *v, struct syt_out *out, uint32_t side,
                     const char *function, size_t bytes)
{
	struct syt_label_example e = syt_label_side_example(v->labels, side);
	const struct syt_image *i = &v->order->places.trace->images[e.image];

	for (uint32_t stack = e.stack; stack && stack < i->nr_stacks;
	     stack = i->stacks[stack].parent) {
		const struct syt_location *at = syt_symbol_locate(v->symbols, i, stack);

		for (uint32_t n = 0; n < at->nr_symbols; n++) {
			const struct syt_symbol *s = &at->symbols[n];

			if (!s->fn || !s->file || !s->line || strncmp(s->fn, function, bytes) ||
			    s->fn[bytes])
				continue;
			const char *slash = strrchr(s->file, '/');

			syt_out_string(out, " (");
			syt_out_safe(out, slash ? slash + 1 : s->file);
			syt_out_printf(out, ":%" PRIu32 ")", s->line);
			return;
		}
	}
}

static void put_call(const struct syt_view *v, struct syt_out *out, uint32_t side, const char *file)
{
	const char *path = syt_view_path(v, side), *end = path + strlen(path), *part;
	const char *link = " in ";
	size_t bytes;

	part = part_before(path, &end, &bytes);
	if (!part)
		return;
	syt_out_color(out, SYT_COLOR_CYAN);
	syt_out_safe_bytes(out, part, bytes);
	syt_out_color(out, SYT_COLOR_NONE);
	if (file) {
		syt_out_string(out, " of ");
		syt_out_safe(out, file);
	}
	while ((part = part_before(path, &end, &bytes))) {
		if (bytes == 3 && !memcmp(part, "...", 3))
			break; /* the recorder could not follow the stack further */
		if (bytes == 2 && !memcmp(part, "..", 2)) {
			link = ", called indirectly from ";
			continue;
		}
		syt_out_string(out, link);
		syt_out_safe_bytes(out, part, bytes);
		if (!strcmp(link, " in "))
			put_line(v, out, side, part, bytes);
		link = ", called from ";
	}
}

void syt_view_put_call(const struct syt_view *v, struct syt_out *out, uint32_t side)
{
	put_call(v, out, side, NULL);
}

const char *syt_view_file(const struct syt_view *v, struct syt_place at)
{
	const struct syt_image *i;
	uint32_t object;

	if (at.thread == SYT_NONE)
		return NULL;
	i = syt_place_image(&v->order->places, at);
	object = syt_place_row(&v->order->places, at)->object;
	return object != SYT_NONE && i->objects[object].kind == SYT_KIND_FILE
	               ? i->objects[object].name
	               : NULL;
}

void syt_view_put_call_on(const struct syt_view *v, struct syt_out *out, uint32_t side,
                          struct syt_place at)
{
	put_call(v, out, side, syt_view_file(v, at));
}

void syt_view_put_thread(const struct syt_view *v, struct syt_out *out, uint32_t thread)
{
	if (thread == SYT_NONE) {
		syt_out_string(out, "a thread");
		return;
	}
	const struct syt_thread *t = v->order->places.threads[thread];
	const char *program = syt_image_program(t->image);

	syt_out_safe(out, syt_image_component(t->image));
	if (!t->index) {
		syt_out_string(out, " (main thread)");
	} else if (t->name && strcmp(t->name, program)) {
		syt_out_string(out, " (thread ");
		syt_out_safe(out, t->name);
		syt_out_char(out, ')');
	} else {
		syt_out_printf(out, " (thread %" PRIu32 ".%" PRIu32 ")", t->image->index, t->index);
	}
}

void syt_view_put_object(const struct syt_view *v, struct syt_out *out, uint32_t object)
{
	syt_edge_text_object(out, v->order, object);
}

void syt_view_put_event(const struct syt_view *v, struct syt_out *out, struct syt_place at)
{
	syt_edge_text_node(out, v->symbols, v->order, at);
	if (at.thread == SYT_NONE)
		return;
	syt_out_string(out, " of ");
	syt_view_put_thread(v, out, at.thread);
}

void syt_view_put_stack(const struct syt_view *v, struct syt_out *out, const char *title,
                        struct syt_place at)
{
	const struct syt_places *p = &v->order->places;

	if (at.thread == SYT_NONE)
		return;
	if (title)
		syt_out_printf(out, "       %s\n", title);
	syt_print_stack(out, v->symbols, syt_place_image(p, at), syt_place_row(p, at)->stack,
	                "         ");
}

/* These macros define the column type NAME, for use by several reports, from an expression of the cell c. */
#define SHARED(name_, member_, type_, value_)                                                      \
	SYT_COLUMN_OF(, syt_column_##name_, member_, type_, false, void, value_)
#define SHARED_IF(name_, member_, type_, value_)                                                   \
	SYT_COLUMN_OF(, syt_column_##name_, member_, type_, true, void, value_)

static uint32_t u32(const struct syt_cell *c)
{
	return *(const uint32_t *)c->field;
}

static uint64_t u64(const struct syt_cell *c)
{
	return *(const uint64_t *)c->field;
}

static const char *string(const struct syt_cell *c)
{
	return *(const char *const *)c->field;
}

static const struct syt_object *object_of(const struct syt_cell *c)
{
	return u32(c) == SYT_NONE ? NULL : &c->view->order->objects.all[u32(c)];
}

static const struct syt_thread *thread_of(const struct syt_cell *c)
{
	return u32(c) == SYT_NONE ? NULL : c->view->order->places.threads[u32(c)];
}

static struct syt_place place(const struct syt_cell *c)
{
	return *(const struct syt_place *)c->field;
}

SHARED(u32, number, uint64_t, u32(c) == SYT_NONE ? SYT_CELL_NONE : u32(c));
SHARED(u64, number, uint64_t, u64(c));
SHARED_IF(u32_if, number, uint64_t, u32(c) == SYT_NONE ? SYT_CELL_NONE : u32(c));
SHARED_IF(u64_if, number, uint64_t, u64(c) ? u64(c) : SYT_CELL_NONE);
SHARED(size, number, uint64_t, *(const size_t *)c->field);
SHARED(bool, is, bool, *(const bool *)c->field);
SHARED(ns, ns, uint64_t, u64(c));
SHARED(time, ns, uint64_t, SYT_TIME_NS(u64(c)));
SHARED(length, ns, uint64_t, SYT_TIME_NS(((const syt_time *)c->field)[1]) - SYT_TIME_NS(u64(c)));
SHARED(spread_mean, ns, uint64_t, syt_spread_mean_ns(c->field));
SHARED(chars, word, const char *, c->field);
SHARED(string, word, const char *, string(c));
SHARED_IF(string_if, word, const char *, string(c));
SHARED_IF(object_name, word, const char *, syt_object_name_of(&c->view->order->objects, u32(c)));
SHARED_IF(thread_name, word, const char *, syt_thread_name(thread_of(c)));
SHARED(process, number, uint64_t,
       object_of(c) ? c->view->order->places.trace->images[object_of(c)->image].index
                    : SYT_CELL_NONE);
SHARED(thread_index, number, uint64_t, thread_of(c)->index);
SHARED(thread_process, number, uint64_t, thread_of(c)->image->index);
SHARED(pid, number, uint64_t, thread_of(c)->image->file.pid);
SHARED(tid, number, uint64_t, thread_of(c)->tid);

static void json_u64(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_u64(j, key, u64(c));
}

static void text_hex(struct syt_table *t, const struct syt_cell *c)
{
	syt_table_cell(t, "0x%" PRIx64, u64(c));
}

static void json_hex(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_hex(j, key, u64(c));
}

static void text_object(struct syt_table *t, const struct syt_cell *c)
{
	syt_table_cell(t, "%s",
	               object_of(c) ? syt_object_title_of(&c->view->order->objects, u32(c)) : "");
}

static void json_instant(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_time(j, key, SYT_TIME_NS(u64(c)));
}

static void json_object(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_object_of(j, key, c->view->order, u32(c));
}

static void json_object_if(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	if (object_of(c))
		json_object(j, key, c);
}

static void text_path(struct syt_table *t, const struct syt_cell *c)
{
	syt_table_cell(t, "%s", syt_view_path(c->view, u32(c)));
}

static void json_path(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_side(j, key, c->view->labels, u32(c));
}

static void text_named_thread(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_thread *thread = thread_of(c);
	const char *name = thread->index || thread->name ? syt_thread_name(thread)
	                                                 : syt_image_component(thread->image);

	syt_table_cell(t, "%u.%u%s%s", thread->image->index, thread->index, name ? " " : "",
	               name ? name : "");
}

static void put_piece(struct syt_out *out, const char *text)
{
	struct syt_json j = {.out = out};

	syt_json_piece(&j, text, strlen(text));
}

static void json_label(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_open_string(j, key);
	syt_label_text(c->view->labels, u32(c), j->out, put_piece);
	syt_json_close_string(j);
}

static const char *short_end(const struct syt_cell *c)
{
	const char *end = syt_label_own_end(c->view->labels, u32(c));

	return end ? syt_label_short(end, SYT_VIEW_PATH_PARTS) : "(all arrive)";
}

SHARED(label_begin, word, const char *,
       syt_label_short(syt_label_own_begin(c->view->labels, u32(c)), SYT_VIEW_PATH_PARTS));
SHARED(label_end, word, const char *, short_end(c));

static void text_thread(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_thread *thread = thread_of(c);

	if (thread)
		syt_table_cell(t, "%u.%u", thread->image->index, thread->index);
	else
		syt_table_cell(t, "%s", "");
}

static void json_thread(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_thread *thread = thread_of(c);
	char text[32];

	if (!thread) {
		syt_json_null(j, key);
		return;
	}
	snprintf(text, sizeof(text), "%u.%u", thread->image->index, thread->index);
	syt_json_string(j, key, text);
}

static void text_place(struct syt_table *t, const struct syt_cell *c)
{
	char id[SYT_NODE_TEXT] = "";

	if (place(c).thread != SYT_NONE)
		syt_order_node_text(c->view->order, place(c), id, sizeof(id));
	syt_table_cell(t, "%s", id);
}

static void json_place(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_place(j, key, &c->view->order->places, place(c));
}

static void json_stack(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	if (c->view->has_stacks)
		syt_json_place_stack(j, key, c->view->symbols, &c->view->order->places, place(c));
}

static void json_spread(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_spread *s = c->field;

	syt_json_begin(j, key, '{');
	syt_json_u64(j, "count", s->nr);
	syt_json_u64(j, "total_ns", SYT_TIME_NS(s->total));
	syt_json_u64(j, "mean_ns", syt_spread_mean_ns(s));
	syt_json_u64(j, "p50_ns", SYT_TIME_NS(s->p50));
	syt_json_u64(j, "p99_ns", SYT_TIME_NS(s->p99));
	syt_json_u64(j, "max_ns", SYT_TIME_NS(s->max));
	syt_json_end(j);
}

/* Writes the share of the CPU time, or its bounds if they differ by more than one percent. */
static void cpu_share(const struct syt_cpu_use *u, char *text, size_t bytes)
{
	double least = 100.0 * (double)u->least / (double)u->of;
	double most = 100.0 * (double)u->most / (double)u->of;

	if (most - least <= 1)
		snprintf(text, bytes, "%.0f", (least + most) / 2);
	else
		snprintf(text, bytes, "%.0f to %.0f", least, most);
}

void syt_view_put_cpu_use(struct syt_out *out, const struct syt_cpu_use *u)
{
	struct syt_cpu_use off = {.of = u->of, .least = u->of - u->most, .most = u->of - u->least};
	char on_cpu[32], off_cpu[32];

	if (!u->of || !syt_cpu_is_known(u))
		return;
	cpu_share(u, on_cpu, sizeof(on_cpu));
	cpu_share(&off, off_cpu, sizeof(off_cpu));
	syt_out_printf(out, " (%s %% on a CPU, %s %% off the CPU)", on_cpu, off_cpu);
}

void syt_view_put_functions(struct syt_out *out, struct syt_perf_sum *sum)
{
	uint64_t all = sum->nr, nr;
	const char *name;

	if (!all)
		return;
	syt_out_printf(out, "; %" PRIu64 " sample%s of perf:", all, all == 1 ? "" : "s");
	for (unsigned i = 0; i < MOST_PERF && (name = syt_perf_next(sum, &nr)); i++) {
		double share = 100.0 * (double)nr / (double)all;

		if (i && share < LEAST_PERF)
			break;
		syt_out_printf(out, "%s %.0f %% ", i ? "," : "", share);
		syt_out_safe(out, name);
	}
}

void syt_view_put_held_functions(const struct syt_view *v, struct syt_out *out, uint32_t object,
                                 uint32_t side)
{
	struct syt_perf_sum sum;
	struct syt_holdings h;

	syt_perf_sum_open(&sum, v->perf);
	syt_holdings_open(&h, v->order, object);
	SYT_EACH_FAR(i, 0, h.nr) {
		const struct syt_holding *x = &h.all[i];

		if (syt_label_side(v->labels, x->acquire) == side)
			syt_perf_add(&sum, v->order->places.threads[x->acquire.thread]->tid,
			             SYT_TIME_NS(x->from), SYT_TIME_NS(x->to));
	}
	syt_view_put_functions(out, &sum);
	syt_holdings_close(&h);
	syt_perf_sum_close(&sum);
}

static void text_cpu_use(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_cpu_use *u = c->field;
	char share[32] = "";

	if (u->of && syt_cpu_is_known(u))
		cpu_share(u, share, sizeof(share));
	syt_table_cell(t, "%s%s", share, *share ? " %" : "");
}

static void json_cpu_use(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_cpu_use *u = c->field;

	if (!u->of || !syt_cpu_is_known(u)) {
		syt_json_null(j, key);
		return;
	}
	syt_json_begin(j, key, '{');
	syt_json_u64(j, "of_ns", SYT_TIME_NS(u->of));
	syt_json_u64(j, "least_ns", SYT_TIME_NS(u->least));
	syt_json_u64(j, "most_ns", SYT_TIME_NS(u->most));
	syt_json_end(j);
}

const struct syt_column_type syt_column_cpu_use = {.text = text_cpu_use, .json = json_cpu_use};
const struct syt_column_type syt_column_count = {.number = syt_column_u64_if_value,
                                                 .json = json_u64};
const struct syt_column_type syt_column_hex = {.text = text_hex, .json = json_hex};
const struct syt_column_type syt_column_instant = {.json = json_instant};
const struct syt_column_type syt_column_object_if = {.text = text_object, .json = json_object_if};
const struct syt_column_type syt_column_object = {.text = text_object, .json = json_object};
const struct syt_column_type syt_column_path = {.text = text_path, .json = json_path};
const struct syt_column_type syt_column_label = {.json = json_label};
const struct syt_column_type syt_column_thread = {.text = text_thread, .json = json_thread};
const struct syt_column_type syt_column_named_thread = {.text = text_named_thread,
                                                        .json = json_thread};
const struct syt_column_type syt_column_place = {.text = text_place, .json = json_place};
const struct syt_column_type syt_column_stack = {.json = json_stack};
const struct syt_column_type syt_column_spread = {.json = json_spread};
