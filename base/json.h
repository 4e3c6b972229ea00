/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * JSON, streamed.  Commas are this module's work, balance is the caller's.  Output is always valid
 * UTF-8 and free of control characters: text from a dump may be any bytes, and what is no UTF-8
 * becomes U+FFFD.
 *
 *	struct syt_json j = {.out = out};
 *	syt_json_begin_line(&j, "coverage");
 *	syt_json_u64(&j, "acquires", 3);
 *	syt_json_end_line(&j);
 *
 * KEY is trusted text, and NULL for an element of an array.
 */
#ifndef SYT_BASE_JSON_H
#define SYT_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

struct syt_json {
	struct syt_out *out;
	uint64_t has_member; /* bit per depth: a comma is due */
	uint64_t is_array;   /* bit per depth */
	unsigned depth;      /* at most 64 */
	bool is_in_markup; /* inside of HTML: strings hold no '<', '>' and '&' but as escapes */
};

void syt_json_begin(struct syt_json *j, const char *key, char bracket); /* '{' or '[' */
void syt_json_end(struct syt_json *j);

/* A line of its own, an object of the JSON contract's version; of TYPE, where the verb has several. */
void syt_json_begin_line(struct syt_json *j, const char *type);
void syt_json_end_line(struct syt_json *j);

/* The next member's key; its value is then written to j->out as it is. */
void syt_json_key(struct syt_json *j, const char *key);

void syt_json_u64(struct syt_json *j, const char *key, uint64_t v);
void syt_json_i64(struct syt_json *j, const char *key, int64_t v);
void syt_json_thousandths(struct syt_json *j, const char *key, unsigned v); /* 1250: 1.250 */
void syt_json_bool(struct syt_json *j, const char *key, bool v);
void syt_json_null(struct syt_json *j, const char *key);
void syt_json_hex(struct syt_json *j, const char *key, uint64_t v);          /* "0x…", a string */
void syt_json_string(struct syt_json *j, const char *key, const char *text); /* NULL: null */

/* A string in pieces: open, then any number of pieces, then close. */
void syt_json_open_string(struct syt_json *j, const char *key);
void syt_json_piece(struct syt_json *j, const char *text, size_t bytes); /* whole characters */
void syt_json_close_string(struct syt_json *j);

#endif
