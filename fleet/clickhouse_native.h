/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The rows of a table of ClickHouse in its format Native: the columns one after the other. A server refuses a block if a part is
 * missing. The program ends if memory is missing. One thread at a time may use a block.
 */
#ifndef SYT_FLEET_CLICKHOUSE_NATIVE_H
#define SYT_FLEET_CLICKHOUSE_NATIVE_H

#include <stddef.h>
#include <stdint.h>

/* String, Int64, Float64, UInt64, UInt8 */
enum syt_native_type {
	SYT_NATIVE_TEXT,
	SYT_NATIVE_INTEGER,
	SYT_NATIVE_NUMBER,
	SYT_NATIVE_KEY,
	SYT_NATIVE_RANK
};

struct syt_native_column {
	const char *name;
	enum syt_native_type type;
};

#define SYT_NATIVE_COLUMNS 32u /* most columns of a table */

struct syt_native_table {
	const char *name;
	size_t nr;
	const struct syt_native_column *columns;
	const char *engine; /* as in CREATE TABLE */
};

struct syt_native_bytes {
	unsigned char *all; /* the owner frees it */
	size_t nr, room;
};

struct syt_native {
	const struct syt_native_table *table; /* the only member that the user sets */
	uint64_t nr;
	size_t at; /* the column of the next value */
	struct syt_native_bytes columns[SYT_NATIVE_COLUMNS];
};

/* Returns the names and types of the columns, as in CREATE TABLE. The caller frees the text. */
char *syt_native_columns(const struct syt_native_table *t);

/* Add the next value of the row, whose column must have this type. The value after the last column begins a row. */
void syt_native_text(struct syt_native *b, const char *text);
void syt_native_integer(struct syt_native *b, int64_t v);
void syt_native_number(struct syt_native *b, double v);
void syt_native_key(struct syt_native *b, uint64_t v);
void syt_native_rank(struct syt_native *b, unsigned v); /* at most 255 */

/* Appends the block to TO, and empties it. */
void syt_native_pack(struct syt_native_bytes *to, struct syt_native *b);

#endif
