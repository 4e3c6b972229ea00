/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A client of ClickHouse by its HTTP interface. It trusts no byte of an answer, and bounds the size and the time of each request.
 * Values are never part of an SQL text unless syt_clickhouse_quote() wrote them.
 */
#ifndef SYT_FLEET_CLICKHOUSE_H
#define SYT_FLEET_CLICKHOUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SYT_CLICKHOUSE_SHARDS 256u

struct syt_clickhouse;

/* Opens clickhouse://[USER@]HOST:PORT[,HOST:PORT]/DATABASE. Sends no request. The password of USER is the first line of the file that
 * the environment variable SYNTRACE_FLEET_PASSWORD_FILE names. Returns NULL after a message. */
struct syt_clickhouse *syt_clickhouse_open(const char *path);
void syt_clickhouse_close(struct syt_clickhouse *c);
size_t syt_clickhouse_shards(const struct syt_clickhouse *c);
/* Sets the seconds of each further request; 0: five minutes. */
void syt_clickhouse_set_timeout(struct syt_clickhouse *c, long s);
const char *syt_clickhouse_database(const struct syt_clickhouse *c);

/* Sends SQL to a shard. SETTINGS is "" or begins with '&'. The NR bytes at BODY are the data of an INSERT; without one, BODY is NULL.
 * The caller frees *ANSWER, a text, unless ANSWER is NULL. Returns 0, or -1 after a message. */
int syt_clickhouse_send(struct syt_clickhouse *c, size_t shard, const char *settings,
                        const char *sql, const void *body, size_t nr, char **answer);
/* Returns the number that SQL, which selects one, finds on the shard, or -1 after a message. */
int64_t syt_clickhouse_count(struct syt_clickhouse *c, size_t shard, const char *sql);

/* Writes TEXT as an SQL string, which has only letters, digits, and harmless punctuation and escapes. */
void syt_clickhouse_quote(FILE *f, const char *text);

/* The rows of an answer in the format TabSeparatedWithNamesAndTypes. All zero: empty. */
struct syt_tab_rows {
	char *at; /* of the next line; NULL: none */
	size_t nr;
	char **names, **types, **cells;
};

/* Reads the names and types of the columns at the begin of TEXT, which the caller frees after the last row. Returns false if the text
 * is malformed. */
bool syt_tab_open(struct syt_tab_rows *t, char *text);
/* Reads a row. A cell is NULL for the value NULL. Returns 1, 0 after the last row, or -1 if the text is malformed. */
int syt_tab_next(struct syt_tab_rows *t);
void syt_tab_close(struct syt_tab_rows *t);

#endif
