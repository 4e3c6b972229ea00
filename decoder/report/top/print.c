/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/top/print.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/analysis/own_frame.h"
#include "decoder/read/call.h"
#include "decoder/read/name.h"
#include "decoder/show/print.h"

#define NAME_COLUMNS                                                                               \
	32u /* space for the name of the lock, for which a narrow screen loses columns */

const struct syt_top_word syt_top_words[SYT_NR_TOP_KEYS] = {
	[SYT_TOP_WAITED] = {"waited", 'w'},     [SYT_TOP_WAITS] = {"waits", 'n'},
	[SYT_TOP_LONGEST] = {"longest", 'm'},   [SYT_TOP_HELD] = {"held", 'h'},
	[SYT_TOP_ACQUIRED] = {"acquired", 'a'},
};

static const bool is_count[SYT_NR_TOP_KEYS] = {[SYT_TOP_WAITS] = true, [SYT_TOP_ACQUIRED] = true};

#define CELL 9u /* width of a column, with the space before it */

/* The columns of numbers in the order of their importance: a narrow screen shows the first of them. The columns are
 * printed in the order of the table `places`. */
static const struct syt_top_order columns[] = {
	{SYT_TOP_WAITED, false},  {SYT_TOP_WAITS, false}, {SYT_TOP_HELD, false},
	{SYT_TOP_LONGEST, false}, {SYT_TOP_WAITED, true}, {SYT_TOP_ACQUIRED, false},
	{SYT_TOP_HELD, true},     {SYT_TOP_WAITS, true},  {SYT_TOP_LONGEST, true},
	{SYT_TOP_ACQUIRED, true},
};

#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

/* The lines of one screen. */
struct drawing {
	const struct syt_top_view *view;
	unsigned width;                      /* maximum width of a line; 0: any */
	bool has_column[2][SYT_NR_TOP_KEYS]; /* [is_total][key] */
	struct syt_out line;
	unsigned nr_lines, height; /* height: maximum number of lines, if the width is limited */
};

/* Writes the first COLUMNS characters of TEXT, or all for 0. */
static void put_cut(struct syt_out *o, const char *text, unsigned columns_)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
	uint32_t code;

	for (unsigned n = 0; p < end && (!columns_ || n < columns_); n++) {
		unsigned bytes = syt_utf8(p, end, &code);

		syt_out_bytes(o, p, bytes ? bytes : 1);
		p += bytes ? bytes : 1;
	}
}

/* Ends the line that d->line contains. On a screen, the rest of the row is erased. */
static void end_line(struct drawing *d, enum syt_color color)
{
	struct syt_out *o = d->view->out;
	char *text = syt_out_take(&d->line);

	if (d->width && d->nr_lines == d->height) {
		free(text);
		return;
	}
	if (d->width)
		syt_out_string(o, d->nr_lines ? "\r\n" : "\033[H");
	syt_out_color(o, color);
	put_cut(o, text, d->width);
	syt_out_color(o, SYT_COLOR_NONE);
	syt_out_string(o, d->width ? "\033[K" : "\n");
	d->nr_lines++;
	free(text);
}

static void put_span(struct syt_out *o, uint64_t ns)
{
	if (!ns)
		syt_out_printf(o, "%*s", CELL, "-");
	else if (ns < 1000000)
		syt_out_printf(o, "%*.1f us", CELL - 3, (double)ns / 1e3);
	else if (ns < 1000000000)
		syt_out_printf(o, "%*.1f ms", CELL - 3, (double)ns / 1e6);
	else
		syt_out_printf(o, "%*.*f s", CELL - 2, ns < UINT64_C(1000000000000) ? 2 : 0,
		               (double)ns / 1e9);
}

static void put_value(struct syt_out *o, const struct syt_top_lock *l, struct syt_top_order c)
{
	uint64_t value = syt_top_value(l, c);

	if (!is_count[c.key])
		put_span(o, value);
	else if (!value)
		syt_out_printf(o, "%*s", CELL, "-");
	else if (value < 100000000)
		syt_out_printf(o, "%*" PRIu64, CELL, value);
	else
		syt_out_printf(o, "%*" PRIu64 "M", CELL - 1, value / 1000000);
}

static void put_thread(struct syt_out *o, const struct syt_top_lock *l)
{
	const struct syt_image *i = &l->holder_image->loading.image;

	if (l->holder < i->nr_threads && i->threads[l->holder].name) {
		syt_out_safe(o, i->threads[l->holder].name);
		syt_out_printf(o, " (%" PRIu32 ".%" PRIu32 ")", i->index, l->holder);
	} else {
		syt_out_printf(o, "%" PRIu32 ".%" PRIu32, i->index, l->holder);
	}
}

static const char *function_of(const struct syt_top_view *v, const struct syt_tail_image *i,
                               uint32_t stack)
{
	return v->symbols && stack ? syt_own_frame_of(v->symbols, &i->loading.image, stack) : NULL;
}

/* Writes the name of the lock. A lock without a name gets the function that acquired it first. */
static void put_name(struct syt_out *o, const struct syt_top_view *v, const struct syt_top_lock *l)
{
	const struct syt_image *i = &l->image->loading.image;
	const char *function = function_of(v, l->image, l->first_read);
	char text[SYT_OBJECT_TEXT];

	if (!v->symbols) {
		syt_object_text(&i->objects[l->object], text, sizeof(text));
		syt_out_safe(o, text);
		return;
	}
	syt_print_object(o, i, l->object);
	if (function && !syt_object_name(i, l->object)) {
		syt_out_string(o, " of ");
		syt_out_safe(o, function);
	}
}

static void put_state(struct syt_out *o, const struct syt_top_view *v, const struct syt_top_lock *l)
{
	const char *function;

	if (l->nr_waiting)
		syt_out_printf(o, ", %u waiting", l->nr_waiting);
	if (!l->held_ns)
		return;
	function = function_of(v, l->holder_image, l->holder_read);
	syt_out_string(o, ", held by ");
	put_thread(o, l);
	syt_out_string(o, l->has_holder_ended ? ", which has ended, for " : " for ");
	syt_print_span(o, l->held_ns);
	if (function) {
		syt_out_string(o, " in ");
		syt_out_safe(o, function);
	}
}

static void put_row(struct drawing *d, const struct syt_top_lock *l)
{
	struct syt_out *o = &d->line;

	for (unsigned total = 0; total < 2; total++)
		for (unsigned k = 0; k < SYT_NR_TOP_KEYS; k++)
			if (d->has_column[total][k])
				put_value(o, l, (struct syt_top_order){(enum syt_top_key)k, total});
	syt_out_string(o, "  ");
	put_name(o, d->view, l);
	put_state(o, d->view, l);
	end_line(d, SYT_COLOR_NONE);
}

/* ---- the head ---- */

static unsigned nr_columns(const struct drawing *d, unsigned total)
{
	unsigned nr = 0;

	for (unsigned k = 0; k < SYT_NR_TOP_KEYS; k++)
		nr += d->has_column[total][k];
	return nr;
}

static void choose_columns(struct drawing *d)
{
	const struct syt_top_order order = d->view->locks->order;
	unsigned used = CELL;

	d->has_column[order.is_total][order.key] = true;
	for (size_t n = 0; n < NR_COLUMNS; n++) {
		bool *has = &d->has_column[columns[n].is_total][columns[n].key];

		if (*has)
			continue;
		if (d->width && used + CELL + NAME_COLUMNS > d->width)
			break;
		*has = true;
		used += CELL;
	}
}

/* Writes the program with the most threads among the processes that record, or among all if none records. */
static void put_programs(struct syt_out *o, const struct syt_top_locks *t)
{
	const struct syt_tail_image *most = NULL;
	unsigned nr = 0;

	for (size_t n = 0; n < t->tail.nr_images; n++) {
		const struct syt_tail_image *i = t->tail.images[n];

		if (!i->has_begun || (!i->is_live && t->nr_live))
			continue;
		nr++;
		if (!most || i->nr_threads > most->nr_threads)
			most = i;
	}
	const char *program = most ? syt_image_program(&most->loading.image) : NULL;

	syt_out_safe(o, program ? program : "?");
	if (most)
		syt_out_printf(o, " (pid %" PRIu32 ")", most->loading.image.file.pid);
	if (nr > 1)
		syt_out_printf(o, " and %u more process%s", nr - 1, nr == 2 ? "" : "es");
}

static void put_head(struct drawing *d)
{
	const struct syt_top_locks *t = d->view->locks;
	const struct syt_top_order order = t->order;
	double seconds = (double)t->last_ns / 1e9;
	struct syt_out *o = &d->line;
	unsigned nr_waiting = 0;

	put_programs(o, t);
	syt_out_printf(o, ", %u threads%s: %" PRIu64 " events", t->nr_threads,
	               t->nr_live ? "" : ", ended", t->nr_events);
	if (t->tail.is_behind)
		syt_out_printf(o, " read of %" PRIu64 ", older events are being read",
		               t->nr_recorded > t->nr_events ? t->nr_recorded : t->nr_events);
	else if (seconds > 0)
		syt_out_printf(o, ", %.0f/s", (double)t->nr_last / seconds);
	if (t->nr_gaps || t->nr_lost)
		syt_out_string(o, ", some are overwritten or lost");
	end_line(d, SYT_COLOR_BOLD);
	for (size_t n = 0; n < t->nr; n++)
		nr_waiting += t->all[n].nr_waiting;
	syt_out_printf(o, "%zu lock%s, %u thread%s waiting; sorted by %s %s", t->nr,
	               t->nr == 1 ? "" : "s", nr_waiting, nr_waiting == 1 ? "" : "s",
	               order.is_total ? "total" : "last", syt_top_words[order.key].name);
	if (d->width)
		syt_out_string(o, "; keys: q quit, w n m h a sort, W N M H A by total");
	end_line(d, SYT_COLOR_NONE);
}

static void put_titles(struct drawing *d)
{
	const struct syt_top_order order = d->view->locks->order;
	struct syt_out *o = &d->line;
	char last[32];

	snprintf(last, sizeof(last), "LAST %.1f s", (double)d->view->locks->last_ns / 1e9);
	for (unsigned total = 0; total < 2; total++)
		if (nr_columns(d, total))
			syt_out_printf(o, "%*s", (int)(CELL * nr_columns(d, total)),
			               total ? "TOTAL" : last);
	end_line(d, SYT_COLOR_DIM);
	for (unsigned total = 0; total < 2; total++) {
		for (unsigned k = 0; k < SYT_NR_TOP_KEYS; k++) {
			char title[CELL + 1] = "";
			bool is_sorted = order.key == k && order.is_total == total;

			if (!d->has_column[total][k])
				continue;
			for (size_t n = 0; n < CELL - 1 && syt_top_words[k].name[n]; n++)
				title[n] = (char)toupper((unsigned char)syt_top_words[k].name[n]);
			if (is_sorted && strlen(title) < CELL - 1)
				strcat(title, "*");
			syt_out_printf(o, "%*s", CELL, title);
		}
	}
	syt_out_string(o, "  LOCK");
	end_line(d, SYT_COLOR_BOLD);
}

static void print(const struct syt_top_view *v, unsigned width, unsigned height, uint64_t limit)
{
	const struct syt_top_lock **sorted = syt_top_sorted(v->locks);
	struct drawing d = {.view = v, .width = width, .height = height};

	syt_out_open(&d.line, -1, false);
	choose_columns(&d);
	put_head(&d);
	put_titles(&d);
	for (size_t n = 0; n < v->locks->nr && n < limit; n++)
		put_row(&d, sorted[n]);
	if (width)
		syt_out_string(v->out, "\033[J");
	syt_out_close(&d.line);
	free(sorted);
}

void syt_top_draw(const struct syt_top_view *v, const struct syt_screen *s)
{
	print(v, s->width, s->height, v->limit ? v->limit : s->height);
}

void syt_top_text(const struct syt_top_view *v)
{
	print(v, 0, 0, v->limit ? v->limit : UINT64_MAX);
}

/* ---- JSON ---- */

static void json_sums(struct syt_json *j, const char *key, const struct syt_top_lock *l, bool total)
{
	static const char *const keys[SYT_NR_TOP_KEYS] = {
		[SYT_TOP_WAITED] = "wait_ns",     [SYT_TOP_WAITS] = "waits",
		[SYT_TOP_LONGEST] = "longest_ns", [SYT_TOP_HELD] = "hold_ns",
		[SYT_TOP_ACQUIRED] = "acquired",
	};

	syt_json_begin(j, key, '{');
	for (unsigned k = 0; k < SYT_NR_TOP_KEYS; k++)
		syt_json_u64(j, keys[k],
		             syt_top_value(l, (struct syt_top_order){(enum syt_top_key)k, total}));
	syt_json_end(j);
}

static void json_lock(const struct syt_top_view *v, const struct syt_top_lock *l)
{
	const struct syt_image *i = &l->image->loading.image;
	const struct syt_image *h = l->held_ns ? &l->holder_image->loading.image : NULL;
	struct syt_json j = {.out = v->out};

	syt_json_begin_line(&j, "top_lock");
	syt_json_object(&j, "object", i, l->object);
	syt_json_string(&j, "function", function_of(v, l->image, l->first_read));
	syt_json_u64(&j, "process", i->index);
	json_sums(&j, SYT_KEY("last", "last_sums"), l, false);
	json_sums(&j, SYT_KEY("total", "total_sums"), l, true);
	syt_json_u64(&j, "waiting", l->nr_waiting);
	if (h) {
		syt_json_begin(&j, SYT_KEY("holder", "held_by"), '{');
		syt_json_u64(&j, "process", h->index);
		syt_json_u64(&j, SYT_KEY("thread", "thread_index"), l->holder);
		syt_json_string(&j, SYT_KEY("name", "thread_name"),
		                l->holder < h->nr_threads ? h->threads[l->holder].name : NULL);
		syt_json_u64(&j, "held_ns", l->held_ns);
		syt_json_string(&j, "function", function_of(v, l->holder_image, l->holder_read));
		syt_json_bool(&j, "thread_ended", l->has_holder_ended);
		syt_json_end(&j);
	} else {
		syt_json_null(&j, SYT_KEY("holder", "held_by"));
	}
	syt_json_end_line(&j);
}

void syt_top_json(const struct syt_top_view *v)
{
	const struct syt_top_locks *t = v->locks;
	const struct syt_top_lock **sorted = syt_top_sorted(t);
	struct syt_json j = {.out = v->out};

	syt_json_begin_line(&j, "top");
	syt_json_u64(&j, "interval_ns", t->last_ns);
	syt_json_u64(&j, "events", t->nr_events);
	syt_json_u64(&j, "last_events", t->nr_last);
	syt_json_u64(&j, "threads", t->nr_threads);
	syt_json_u64(&j, "live", t->nr_live);
	syt_json_u64(&j, "locks", t->nr);
	syt_json_u64(&j, "gaps", t->nr_gaps);
	syt_json_u64(&j, "lost", t->nr_lost);
	syt_json_end_line(&j);
	for (size_t n = 0; n < t->nr && (!v->limit || n < v->limit); n++)
		json_lock(v, sorted[n]);
	free(sorted);
}
