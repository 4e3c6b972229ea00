/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes rows into the tables of an SQLite database. A row binds its values one after the other, in the order of the
 * columns. */
#ifndef SYT_DECODER_EXPORT_SQLITE_ROW_H
#define SYT_DECODER_EXPORT_SQLITE_ROW_H

#include <sqlite3.h>

#include "decoder/export/exporter.h"

struct syt_sqlite {
	const struct syt_export *x;
	sqlite3 *db;
	bool is_failed;   /* writing failed, and the error was reported */
	uint64_t *events; /* [thread]: number of the last event before the thread's first event */
	uint64_t *frames; /* [number of a stack]: number of its innermost frame; 0: not written */
	uint64_t nr_frames;
	sqlite3_stmt *frame, *stack;
	struct syt_ids ids;
};

/* Reports the error WHAT, unless an error was reported before. */
void syt_sqlite_fail(struct syt_sqlite *w, const char *what);
void syt_sqlite_execute(struct syt_sqlite *w, const char *sql);

struct syt_sqlite_row {
	sqlite3_stmt *statement; /* prepared statement of the row; NULL after a failure */
	int at;                  /* position of the last value in the row */
};

/* Prepares the rows of TABLE. The caller frees the statement with sqlite3_finalize(). */
sqlite3_stmt *syt_sqlite_prepare(struct syt_sqlite *w, const char *table, int nr_columns);

/* Binds V to the next column, or NULL if V does not fit into SQLite's 63 bits. V is then an unknown value, or a
 * value of a damaged dump. */
void syt_sqlite_u64(struct syt_sqlite_row *r, uint64_t v);
/* Binds V to the next column if IS_KNOWN, otherwise NULL. */
void syt_sqlite_if(struct syt_sqlite_row *r, bool is_known, uint64_t v);
/* Binds a count to the next column, which is NOT NULL. A value that does not fit therefore becomes INT64_MAX. */
void syt_sqlite_count(struct syt_sqlite_row *r, uint64_t v);
void syt_sqlite_i64(struct syt_sqlite_row *r, int64_t v);
/* Binds TEXT to the next column. NULL stays NULL. TEXT must live until syt_sqlite_end_row(). */
void syt_sqlite_text(struct syt_sqlite_row *r, const char *text);
/* The same for a TEXT that is valid UTF-8 without control characters already. */
void syt_sqlite_word(struct syt_sqlite_row *r, const char *text);
/* Binds the key of the trace-wide object, or NULL for SYT_NONE. */
void syt_sqlite_object(struct syt_sqlite_row *r, uint32_t object);
/* Binds the key of the event AT, or NULL if AT.thread is SYT_NONE. */
void syt_sqlite_event(const struct syt_sqlite *w, struct syt_sqlite_row *r, struct syt_place at);

/* Writes the row. */
void syt_sqlite_end_row(struct syt_sqlite *w, struct syt_sqlite_row *r);

/* Fills the tables contention, holdings, requests and critical_path, and the tables of syt_sqlite_put_requests(), from the
 * same facts as the reports. */
void syt_sqlite_put_facts(struct syt_sqlite *w);
/* Fills the table requests and the tables request_cluster, request_component, request_step and request_symbol. */
void syt_sqlite_put_requests(struct syt_sqlite *w);

#endif
