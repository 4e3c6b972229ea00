/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/table.h"

#include <libsmartcols.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

#define WRAP_WIDTH 50u /* width of a column whose long texts are wrapped */

struct syt_table {
	struct libscols_table *table;
	struct libscols_line *line;
	size_t next; /* index of the next cell */
};

static void must(bool ok)
{
	if (!ok)
		syt_die_of_memory(1, 1);
}

struct syt_table *syt_table_create(const char *column, ...)
{
	struct syt_table *t = syt_calloc(1, sizeof(*t));
	va_list args;

	t->table = scols_new_table();
	must(t->table);
	scols_table_set_termforce(t->table, SCOLS_TERMFORCE_NEVER);
	va_start(args, column);
	for (; column; column = va_arg(args, const char *))
		syt_table_column(t, column);
	va_end(args);
	return t;
}

void syt_table_column(struct syt_table *t, const char *title)
{
	bool is_right = title[0] == '>', is_wrapped = title[0] == '~';
	struct libscols_column *column =
		scols_table_new_column(t->table, title + (is_right || is_wrapped), 0,
	                               is_right     ? SCOLS_FL_RIGHT
	                               : is_wrapped ? SCOLS_FL_WRAP
	                                            : 0);

	must(column != NULL);
	if (!is_wrapped)
		return;
	scols_column_set_safechars(column, "\n");
	scols_column_set_wrapfunc(column, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL);
}

/* Breaks a long line of TEXT at the last space before WRAP_WIDTH, by a newline. */
static void wrap(char *text)
{
	char *begin = text, *space = NULL;

	for (char *p = text; *p; p++) {
		if (p - begin >= (ptrdiff_t)WRAP_WIDTH && space) {
			*space = '\n';
			begin = space + 1;
			space = NULL;
		}
		if (*p == ' ')
			space = p;
	}
}

void syt_table_row(struct syt_table *t)
{
	t->line = scols_table_new_line(t->table, NULL);
	must(t->line);
	t->next = 0;
}

void syt_table_cell(struct syt_table *t, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	int n = vasprintf(&text, format, args);

	va_end(args);
	must(n >= 0);
	if (scols_column_is_wrap(scols_table_get_column(t->table, t->next)))
		wrap(text);
	must(scols_line_refer_data(t->line, t->next++, text) == 0);
}

void syt_table_span(struct syt_table *t, uint64_t ns)
{
	if (!ns)
		syt_table_cell(t, "%s", "");
	else if (ns < 1000000)
		syt_table_cell(t, "%.1f us", (double)ns / 1e3);
	else if (ns < 1000000000)
		syt_table_cell(t, "%.1f ms", (double)ns / 1e6);
	else
		syt_table_cell(t, "%.3f s", (double)ns / 1e9);
}

void syt_table_end(struct syt_table *t, struct syt_out *o)
{
	char *text = NULL;

	if (scols_table_get_nlines(t->table)) {
		must(scols_print_table_to_string(t->table, &text) == 0);
		syt_out_string(o, text);
		syt_out_char(o, '\n');
		free(text);
	}
	scols_unref_table(t->table);
	free(t);
}
