/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Prints tables of text. Control characters in text from dumps are escaped. On a terminal, a table that is too wide
 * leaves out its optional columns and breaks the texts of its left-aligned columns into lines.
 *
 *	struct syt_table *t = syt_table_create("CALL", ">COUNT", NULL);
 *		(> : to the right, never broken; ~ : broken at 50 columns; ? : optional)
 *	syt_table_row(t);  syt_table_cell(t, "%s", name);  syt_table_cell(t, "%u", n);
 *	syt_table_end(t, out);
 */
#ifndef SYT_BASE_TABLE_H
#define SYT_BASE_TABLE_H

#include "base/out.h"

struct syt_table;

struct syt_table *syt_table_create(const char *column, ...) __attribute__((sentinel));
/* Adds a column to the table. The caller adds all columns before the first row. */
void syt_table_column(struct syt_table *t, const char *title);
void syt_table_row(struct syt_table *t);
uint64_t syt_table_nr_rows(const struct syt_table *t);
/* Writes the next cell of the row. */
void syt_table_cell(struct syt_table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Writes a duration as the next cell; a duration of 0 becomes an empty cell. */
void syt_table_span(struct syt_table *t, uint64_t ns);
/* As syt_table_span(), with the text MARK before the duration. */
void syt_table_marked_span(struct syt_table *t, const char *mark, uint64_t ns);
/* Changes the order of the rows: the row with the index ORDER[i] becomes the row with the index i. ORDER has each index once. */
void syt_table_arrange(struct syt_table *t, const uint64_t *order);
/* Prints the table, unless it has no rows, and destroys it. */
void syt_table_end(struct syt_table *t, struct syt_out *o);

#endif
