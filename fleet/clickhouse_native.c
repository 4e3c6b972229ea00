/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/clickhouse_native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static const char *const type_names[] = {"String", "Int64", "Float64", "UInt64", "UInt8"};

char *syt_native_columns(const struct syt_native_table *t)
{
	size_t bytes;
	char *text;
	FILE *f = syt_memstream(&text, &bytes);

	for (size_t n = 0; n < t->nr; n++)
		fprintf(f, "%s%s %s", n ? ", " : "", t->columns[n].name,
		        type_names[t->columns[n].type]);
	fclose(f);
	return text;
}

static void put(struct syt_native_bytes *b, const void *bytes, size_t nr)
{
	syt_grow(&b->all, &b->room, b->nr + nr, 1);
	if (nr)
		memcpy(b->all + b->nr, bytes, nr);
	b->nr += nr;
}

static void put_size(struct syt_native_bytes *b, uint64_t v)
{
	do {
		unsigned char byte = (unsigned char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));

		put(b, &byte, 1);
		v >>= 7;
	} while (v);
}

static void put_number(struct syt_native_bytes *b, uint64_t v)
{
	unsigned char bytes[8];

	for (unsigned n = 0; n < 8; n++)
		bytes[n] = (unsigned char)(v >> 8 * n);
	put(b, bytes, 8);
}

static void put_text(struct syt_native_bytes *b, const char *text)
{
	size_t bytes = strlen(text);

	put_size(b, bytes);
	put(b, text, bytes);
}

static struct syt_native_bytes *next_column(struct syt_native *b, enum syt_native_type type)
{
	struct syt_native_bytes *column = &b->columns[b->at];

	if (b->table->columns[b->at].type != type)
		abort();
	b->at = (b->at + 1) % b->table->nr;
	b->nr += !b->at;
	return column;
}

void syt_native_text(struct syt_native *b, const char *text)
{
	put_text(next_column(b, SYT_NATIVE_TEXT), text);
}

void syt_native_integer(struct syt_native *b, int64_t v)
{
	put_number(next_column(b, SYT_NATIVE_INTEGER), (uint64_t)v);
}

void syt_native_key(struct syt_native *b, uint64_t v)
{
	put_number(next_column(b, SYT_NATIVE_KEY), v);
}

void syt_native_number(struct syt_native *b, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	put_number(next_column(b, SYT_NATIVE_NUMBER), bits);
}

void syt_native_rank(struct syt_native *b, unsigned v)
{
	const unsigned char rank = (unsigned char)v;

	put(next_column(b, SYT_NATIVE_RANK), &rank, 1);
}

void syt_native_pack(struct syt_native_bytes *to, struct syt_native *b)
{
	put_size(to, b->table->nr);
	put_size(to, b->nr);
	for (size_t n = 0; n < b->table->nr; n++) {
		put_text(to, b->table->columns[n].name);
		put_text(to, type_names[b->table->columns[n].type]);
		put(to, b->columns[n].all, b->columns[n].nr);
		free(b->columns[n].all);
	}
	*b = (struct syt_native){.table = b->table};
}
