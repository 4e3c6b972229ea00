/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Writes JSON as a stream. This module writes the commas; the caller balances the brackets. The output is always
 * valid UTF-8 without control characters: text from a dump may be any bytes, and invalid bytes become U+FFFD.
 *
 *	struct syt_json j = {.out = out};
 *	syt_json_begin_line(&j, "coverage");
 *	syt_json_u64(&j, "acquires", 3);
 *	syt_json_end_line(&j);
 *
 * The parameter KEY is written without checks: it must be valid text. KEY is NULL for an element of an array.
 *
 * The output has version 1 or 2 of the JSON format (out->json_version). In version 2, each key has one meaning
 * (doc/json.md). A key that has another name in version 1 is SYT_KEY(NAME_IN_1, NAME_IN_2).
 */
#ifndef SYT_BASE_JSON_H
#define SYT_BASE_JSON_H

#include "base/out.h"

/* A key with two names: a mark, the name in version 1 of the JSON format, NUL, the name in version 2. */
#define SYT_KEY_MARK '\1'
#define SYT_KEY(v1_, v2_) "\1" v1_ "\0" v2_
/* A key of version 1 only. The caller leaves the member out if syt_json_has() returns false. */
#define SYT_KEY_1(v1_) SYT_KEY(v1_, "")

struct syt_json {
	struct syt_out *out;
	uint64_t has_member; /* bit per nesting depth: the next value needs a comma */
	uint64_t is_array;   /* bit per nesting depth: the bracket is '[' */
	unsigned depth;      /* present nesting depth, at most 64 */
	bool is_in_markup;   /* inside HTML: strings contain '<', '>' and '&' only as escapes */
};

/* Returns true if the version of the output has the member KEY. */
bool syt_json_has(const struct syt_json *j, const char *key);

/* Begins an object '{' or an array '['. */
void syt_json_begin(struct syt_json *j, const char *key, char bracket);
void syt_json_end(struct syt_json *j);

/* Begins a JSON line: an object with the version of the JSON format and the member "type" with the value TYPE. */
void syt_json_begin_line(struct syt_json *j, const char *type);
void syt_json_end_line(struct syt_json *j);

/* Writes the next member's key. The caller then writes its value to j->out. */
void syt_json_key(struct syt_json *j, const char *key);

void syt_json_u64(struct syt_json *j, const char *key, uint64_t v);
void syt_json_i64(struct syt_json *j, const char *key, int64_t v);
void syt_json_thousandths(struct syt_json *j, const char *key, unsigned v); /* 1250 becomes 1.250 */
void syt_json_bool(struct syt_json *j, const char *key, bool v);
void syt_json_null(struct syt_json *j, const char *key);
/* Writes a time of the trace in ns. If the output has wall-clock times, also writes this time as the member
 * KEY_wall, an ISO 8601 string in UTC: an integer of 19 digits would lose digits in jq and JavaScript. */
void syt_json_time(struct syt_json *j, const char *key, uint64_t ns);
void syt_json_hex(struct syt_json *j, const char *key, uint64_t v); /* the string "0x…" */
void syt_json_string(struct syt_json *j, const char *key, const char *text); /* NULL becomes null */

/* Writes a string in pieces: open, then any number of pieces, then close. */
void syt_json_open_string(struct syt_json *j, const char *key);
void syt_json_piece(struct syt_json *j, const char *text, size_t bytes); /* whole characters */
void syt_json_close_string(struct syt_json *j);

#endif
