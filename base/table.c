/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/store.h"

#define WRAP_WIDTH 50u /* greatest width of a column whose title begins with ~ */
/* A column of text becomes narrower than this only if all optional columns are left out, and never narrower than
 * LEAST_WIDTH. */
#define GOOD_WIDTH 24u
#define LEAST_WIDTH 10u

struct column {
	const char *title;
	bool is_right, is_optional, is_left_out;
	unsigned widest;         /* width of the widest cell, or of the title */
	unsigned natural, least; /* width that needs no further line for a cell, and minimum */
	unsigned width;
};

struct syt_table {
	struct column *columns;
	size_t nr_columns, room_columns;
	/* a table may have millions of rows, so rows and texts are in the store */
	uint64_t *rows; /* [row]: index in `texts` of its first cell; the other cells follow */
	char *texts;    /* each ends with a zero byte */
	uint64_t nr_rows, nr_bytes;
	size_t room_rows, room_bytes;
	size_t next; /* index of the next cell of the last row */
};

struct syt_table *syt_table_create(const char *column, ...)
{
	struct syt_table *t = syt_calloc(1, sizeof(*t));
	va_list args;

	va_start(args, column);
	for (; column; column = va_arg(args, const char *))
		syt_table_column(t, column);
	va_end(args);
	return t;
}

void syt_table_column(struct syt_table *t, const char *title)
{
	struct column c = {.natural = UINT32_MAX};

	for (; *title && strchr(">~?", *title); title++) {
		c.is_right |= *title == '>';
		c.is_optional |= *title == '?';
		if (*title == '~')
			c.natural = WRAP_WIDTH;
	}
	c.title = title;
	c.widest = syt_out_columns(title, strlen(title));
	*SYT_ADD(t->columns, t->nr_columns, t->room_columns) = c;
}

static void put_text(struct syt_table *t, const char *text, size_t bytes)
{
	syt_store_grow(&t->texts, &t->room_bytes, t->nr_bytes, t->nr_bytes + bytes + 1, 1);
	memcpy(t->texts + t->nr_bytes, text, bytes);
	t->texts[t->nr_bytes + bytes] = '\0';
	t->nr_bytes += bytes + 1;
}

/* Ends the last row: cells that were not written are empty. */
static void end_row(struct syt_table *t)
{
	for (; t->nr_rows && t->next < t->nr_columns; t->next++)
		put_text(t, "", 0);
}

void syt_table_row(struct syt_table *t)
{
	end_row(t);
	*SYT_STORE_ADD(t->rows, t->nr_rows, t->room_rows) = t->nr_bytes;
	t->next = 0;
}

uint64_t syt_table_nr_rows(const struct syt_table *t)
{
	return t->nr_rows;
}

void syt_table_arrange(struct syt_table *t, const uint64_t *order)
{
	uint64_t *rows = syt_store_alloc(t->nr_rows, sizeof(*rows));

	end_row(t);
	SYT_EACH_FAR(row, (uint64_t)0, t->nr_rows)
		rows[row] = t->rows[order[row]];
	syt_store_free(t->rows);
	t->rows = rows;
	t->room_rows = t->nr_rows;
}

static void add_text(struct syt_table *t, const char *text, size_t bytes)
{
	struct column *c = &t->columns[t->next++];
	unsigned width = syt_out_columns(text, bytes);

	c->widest = width > c->widest ? width : c->widest;
	put_text(t, text, bytes);
}

void syt_table_cell(struct syt_table *t, const char *format, ...)
{
	struct syt_out safe;
	const char *end;
	char *text;
	va_list args;

	va_start(args, format);
	int n = vasprintf(&text, format, args);

	va_end(args);
	if (n < 0)
		syt_die_of_memory(1, 1);
	for (end = text; *end >= ' ' && *end < 0x7f; end++)
		;
	if (!*end) {
		add_text(t, text, (size_t)(end - text));
	} else {
		syt_out_open(&safe, -1, false);
		syt_out_safe(&safe, text);
		add_text(t, safe.buffer, safe.used);
		free(safe.buffer);
	}
	free(text);
}

void syt_table_marked_span(struct syt_table *t, const char *mark, uint64_t ns)
{
	if (!ns)
		syt_table_cell(t, "%s", "");
	else if (ns < 1000000)
		syt_table_cell(t, "%s%.1f us", mark, (double)ns / 1e3);
	else if (ns < 1000000000)
		syt_table_cell(t, "%s%.1f ms", mark, (double)ns / 1e6);
	else
		syt_table_cell(t, "%s%.3f s", mark, (double)ns / 1e9);
}

void syt_table_span(struct syt_table *t, uint64_t ns)
{
	syt_table_marked_span(t, "", ns);
}

/* Returns the number of bytes of the next line of TEXT, which fits WIDTH columns. Breaks at a space or behind the end
 * of a word, otherwise between two characters. */
static size_t line_bytes(const char *text, unsigned width)
{
	size_t bytes = syt_out_fitting(text, width), at = bytes;

	if (!text[bytes])
		return bytes;
	while (at && text[at] != ' ' && !strchr(";/,", text[at - 1]))
		at--;
	return at ? at : bytes ? bytes : strlen(text);
}

static void measure(struct syt_table *t, size_t n)
{
	struct column *c = &t->columns[n];
	unsigned word = LEAST_WIDTH;

	for (const char *title = c->title; *title; title += strspn(title, " ")) {
		unsigned bytes = (unsigned)strcspn(title, " ");

		word = bytes > word ? bytes : word;
		title += bytes;
	}
	c->natural = c->widest < c->natural ? c->widest : c->natural;
	c->least = c->is_right || word > c->natural ? c->natural : word;
	c->width = c->natural;
}

/* Returns the width of the table if no column of text is wider than MOST. */
static unsigned width_of(const struct syt_table *t, unsigned most)
{
	unsigned width = 0;

	for (size_t n = 0; n < t->nr_columns; n++) {
		const struct column *c = &t->columns[n];
		unsigned of = c->natural > most && !c->is_right ? most : c->natural;

		if (!c->is_left_out)
			width += (width > 0) + (of > c->least ? of : c->least);
	}
	return width;
}

/* Makes the table as narrow as LIMIT, if possible: leaves out optional columns, last ones first, then wraps the widest
 * columns of text. */
static void fit(struct syt_table *t, unsigned limit)
{
	unsigned most = limit;

	for (size_t n = t->nr_columns; n-- && width_of(t, GOOD_WIDTH) > limit;)
		t->columns[n].is_left_out = t->columns[n].is_optional;
	while (most > LEAST_WIDTH && width_of(t, most) > limit)
		most--;
	for (size_t n = 0; n < t->nr_columns; n++) {
		struct column *c = &t->columns[n];

		if (c->width > most && !c->is_right)
			c->width = most > c->least ? most : c->least;
	}
}

static void put_spaces(struct syt_out *o, unsigned nr)
{
	while (nr--)
		syt_out_char(o, ' ');
}

/* The text of a cell that is not yet written. The indent is that of the cell's first line. */
struct rest {
	const char *text;
	unsigned indent;
};

static bool has_text(const struct syt_table *t, const struct rest *rests)
{
	for (size_t n = 0; n < t->nr_columns; n++)
		if (*rests[n].text && !t->columns[n].is_left_out)
			return true;
	return false;
}

/* Writes the next line of each cell. A line has no spaces at its end. */
static void put_line(const struct syt_table *t, struct rest *rests, struct syt_out *o)
{
	unsigned missing = 0; /* spaces before the next text */

	for (size_t n = 0; n < t->nr_columns; n++) {
		const struct column *c = &t->columns[n];
		struct rest *r = &rests[n];
		size_t bytes =
			c->is_right ? strlen(r->text) : line_bytes(r->text, c->width - r->indent);
		unsigned width = r->indent + syt_out_columns(r->text, bytes);
		unsigned pad = c->width > width ? c->width - width : 0;

		if (c->is_left_out)
			continue;
		if (bytes) {
			put_spaces(o, missing + r->indent + (c->is_right ? pad : 0));
			syt_out_bytes(o, r->text, bytes);
			missing = (c->is_right ? 0 : pad) + 1;
		} else {
			missing += c->width + 1;
		}
		r->text += bytes + strspn(r->text + bytes, " ");
	}
	syt_out_char(o, '\n');
}

/* Writes the row whose first cell is TEXT, or the titles if TEXT is NULL, with as many lines as the longest cell needs. RESTS has
 * an element for each column. */
static void put_row(const struct syt_table *t, const char *text, struct rest *rests,
                    struct syt_out *o)
{
	for (size_t n = 0; n < t->nr_columns; n++) {
		const char *cell = text ? text : t->columns[n].title;
		size_t indent = strspn(cell, " ");

		text = text ? text + strlen(text) + 1 : NULL;
		if (indent >= t->columns[n].width)
			indent = 0;
		rests[n] = (struct rest){cell + indent, (unsigned)indent};
	}
	do
		put_line(t, rests, o);
	while (has_text(t, rests));
}

static void put_left_out(const struct syt_table *t, struct syt_out *o)
{
	const char *separator = "(no space for ";

	for (size_t n = 0; n < t->nr_columns; n++)
		if (t->columns[n].is_left_out) {
			syt_out_printf(o, "%s%s", separator, t->columns[n].title);
			separator = ", ";
		}
	if (*separator == ',')
		syt_out_string(o, ")\n");
}

void syt_table_end(struct syt_table *t, struct syt_out *o)
{
	struct rest *rests = syt_calloc(t->nr_columns, sizeof(*rests));

	end_row(t);
	for (size_t n = 0; n < t->nr_columns; n++)
		measure(t, n);
	if (o->columns)
		fit(t, o->columns);
	if (t->nr_rows)
		put_row(t, NULL, rests, o);
	SYT_EACH_FAR(row, (uint64_t)0, t->nr_rows)
		put_row(t, t->texts + t->rows[row], rests, o);
	if (t->nr_rows)
		put_left_out(t, o);
	syt_store_free(t->rows);
	syt_store_free(t->texts);
	free(t->columns);
	free(rests);
	free(t);
}
