/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/sqlite_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/export/words.h"

void syt_sqlite_fail(struct syt_sqlite *w, const char *what)
{
	if (!w->is_failed)
		syt_warn("%s: %s: %s", w->x->path, what, sqlite3_errmsg(w->db));
	w->is_failed = true;
}

void syt_sqlite_execute(struct syt_sqlite *w, const char *sql)
{
	if (!w->is_failed && sqlite3_exec(w->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		syt_sqlite_fail(w, "SQL");
}

sqlite3_stmt *syt_sqlite_prepare(struct syt_sqlite *w, const char *table, int nr_columns)
{
	char sql[128] = "", *to = sql;
	sqlite3_stmt *s = NULL;

	to += snprintf(to, sizeof(sql), "INSERT INTO %s VALUES (?", table);
	while (--nr_columns > 0)
		to = stpcpy(to, ",?");
	strcpy(to, ")");
	if (!w->is_failed && sqlite3_prepare_v2(w->db, sql, -1, &s, NULL) != SQLITE_OK)
		syt_sqlite_fail(w, table);
	return s;
}

void syt_sqlite_u64(struct syt_sqlite_row *r, uint64_t v)
{
	if (v > INT64_MAX)
		sqlite3_bind_null(r->statement, ++r->at);
	else
		sqlite3_bind_int64(r->statement, ++r->at, (sqlite3_int64)v);
}

void syt_sqlite_if(struct syt_sqlite_row *r, bool is_known, uint64_t v)
{
	syt_sqlite_u64(r, is_known ? v : UINT64_MAX);
}

void syt_sqlite_count(struct syt_sqlite_row *r, uint64_t v)
{
	syt_sqlite_u64(r, v > INT64_MAX ? INT64_MAX : v);
}

void syt_sqlite_i64(struct syt_sqlite_row *r, int64_t v)
{
	sqlite3_bind_int64(r->statement, ++r->at, v);
}

static bool is_plain(const char *text)
{
	while (*text >= ' ' && *text < 0x7f)
		text++;
	return !*text;
}

void syt_sqlite_text(struct syt_sqlite_row *r, const char *text)
{
	if (!text || is_plain(text))
		syt_sqlite_word(r, text);
	else
		sqlite3_bind_text(r->statement, ++r->at, syt_words_clean(text), -1, free);
}

void syt_sqlite_word(struct syt_sqlite_row *r, const char *text)
{
	sqlite3_bind_text(r->statement, ++r->at, text, -1, SQLITE_STATIC);
}

void syt_sqlite_end_row(struct syt_sqlite *w, struct syt_sqlite_row *r)
{
	if (!w->is_failed && sqlite3_step(r->statement) != SQLITE_DONE)
		syt_sqlite_fail(w, sqlite3_sql(r->statement));
	sqlite3_reset(r->statement);
	r->at = 0;
}

void syt_sqlite_object(struct syt_sqlite_row *r, uint32_t object)
{
	syt_sqlite_if(r, object != SYT_NONE, object);
}

void syt_sqlite_event(const struct syt_sqlite *w, struct syt_sqlite_row *r, struct syt_place at)
{
	bool is_event = at.thread != SYT_NONE;

	syt_sqlite_if(r, is_event, is_event ? w->events[at.thread] + at.row + 1 : 0);
}
