/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* How the things of a trace are written, the same in all verbs. */
#ifndef SYT_DECODER_PRINT_H
#define SYT_DECODER_PRINT_H

#include "base/json.h"
#include "base/out.h"
#include "decoder/read/symbol.h"
#include "decoder/read/trace.h"

/* "P.T.N" of row ROW of T. */
void syt_print_id(struct syt_out *o, const struct syt_thread *t, uint64_t row);
void syt_json_id(struct syt_json *j, const char *key, const struct syt_thread *t, uint64_t row);

/* "mutex:0x55..#2"; OBJECT is an index in I's objects. Nothing, or null, for SYT_NONE. */
void syt_print_object(struct syt_out *o, const struct syt_image *i, uint32_t object);
void syt_json_object(struct syt_json *j, const char *key, const struct syt_image *i,
                     uint32_t object);

/* Seconds with nine decimals; and a length of time with a fitting unit ("1.25 ms"). */
void syt_print_seconds(struct syt_out *o, uint64_t ns);
void syt_print_span(struct syt_out *o, uint64_t ns);

/* The call stack STACK: one indented line per function, innermost first; or the JSON array. */
void syt_print_stack(struct syt_out *o, struct syt_symbols *s, const struct syt_image *i,
                     uint32_t stack, const char *indent);
void syt_json_stack(struct syt_json *j, const char *key, struct syt_symbols *s,
                    const struct syt_image *i, uint32_t stack);

/* "EAGAIN", or NULL when it has no name. */
const char *syt_errno_name(unsigned err);

/* A socket address for people: "127.0.0.1:6379", "unix:/path", "unix:@name", "family 16"; with NUL,
 * at most BYTES. Returns TEXT. */
char *syt_address_text(const uint8_t *address, unsigned address_bytes, char *text, size_t bytes);
#define SYT_ADDRESS_TEXT 160

#endif
