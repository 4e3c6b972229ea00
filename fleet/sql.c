/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/sql.h"

#include <stdlib.h>

#include "base/err.h"
#include "fleet/rows.h"

static void put_cell(struct syt_fleet_rows *r, sqlite3_stmt *t, int column)
{
	const char *name = sqlite3_column_name(t, column);

	switch (sqlite3_column_type(t, column)) {
	case SQLITE_INTEGER:
		syt_row_integer(r, name, sqlite3_column_int64(t, column));
		return;
	case SQLITE_FLOAT:
		syt_row_number(r, name, sqlite3_column_double(t, column));
		return;
	case SQLITE_NULL:
		syt_row_text(r, name, NULL);
		return;
	default:
		syt_row_text(r, name, (const char *)sqlite3_column_text(t, column));
	}
}

/* Returns true if each name of a column is a JSON key that needs no escapes. */
static bool has_good_names(sqlite3_stmt *t)
{
	for (int n = 0; n < sqlite3_column_count(t); n++)
		for (const unsigned char *p = (const unsigned char *)sqlite3_column_name(t, n); *p;
		     p++)
			if (*p < 0x20 || *p == '"' || *p == '\\' || *p >= 0x7f)
				return false;
	return true;
}

int syt_fleet_sql(struct syt_fleet_store *s, const char *text, struct syt_out *out, bool is_json)
{
	struct syt_fleet_rows r;
	sqlite3_stmt *t = NULL;
	const char *rest, **titles;
	int status, nr;

	if (sqlite3_prepare_v2(s->db, text, -1, &t, &rest)) {
		syt_warn("%s", sqlite3_errmsg(s->db));
		return -1;
	}
	if (!t || rest[strspn(rest, " \t\n;")]) {
		syt_warn("sql takes one query");
		sqlite3_finalize(t);
		return -1;
	}
	if (!has_good_names(t)) {
		syt_warn("give each column a name of printable ASCII characters without quotes: AS "
		         "NAME");
		sqlite3_finalize(t);
		return -1;
	}
	nr = sqlite3_column_count(t);
	titles = syt_calloc((size_t)nr, sizeof(*titles));
	for (int n = 0; n < nr; n++)
		titles[n] = sqlite3_column_name(t, n);
	syt_rows_begin(&r, out, is_json, "row", titles, (size_t)nr);
	while ((status = sqlite3_step(t)) == SQLITE_ROW) {
		syt_row_begin(&r);
		for (int n = 0; n < nr; n++)
			put_cell(&r, t, n);
		syt_row_end(&r);
	}
	syt_rows_end(&r);
	if (status == SQLITE_INTERRUPT)
		syt_warn("the query took more than a minute");
	else if (status != SQLITE_DONE)
		syt_warn("%s", sqlite3_errmsg(s->db));
	sqlite3_finalize(t);
	free(titles);
	return status == SQLITE_DONE ? 0 : -1;
}
