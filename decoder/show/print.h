/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints ids, objects, times, stacks and addresses in the form that all reports share. */
#ifndef SYT_DECODER_PRINT_H
#define SYT_DECODER_PRINT_H

#include "base/json.h"
#include "decoder/read/name.h"

/* Prints the id "P.T.N" of the event with row number ROW in thread T. */
void syt_print_id(struct syt_out *o, const struct syt_thread *t, uint64_t row);
void syt_json_id(struct syt_json *j, const char *key, const struct syt_thread *t, uint64_t row);

/* Prints the title of an object, for example "mutex:server.lock" (decoder/read/name.h). OBJECT is an index in the
 * objects of I. In JSON, the member KEY has the text "mutex:0x55..#2", and the member KEY_name has the object's name, if
 * there is one. KEY is NULL in arrays. For SYT_NONE, these functions print no text, or null in JSON. */
void syt_print_object(struct syt_out *o, const struct syt_image *i, uint32_t object);
void syt_json_object(struct syt_json *j, const char *key, const struct syt_image *i,
                     uint32_t object);

/* Print a time of the trace as seconds with nine decimals, with --wall-clock also as wall-clock time; or print a
 * length of time with a unit ("1.25 ms"). */
void syt_print_seconds(struct syt_out *o, uint64_t ns);
void syt_print_span(struct syt_out *o, uint64_t ns);
/* Returns the unit of syt_print_span(), in ns. */
uint64_t syt_print_span_unit(uint64_t ns);

/* Prints that no NOUN matches the options of the command, and the number NR of all NOUNs in the trace T: "No leaf task
 * matches the options. The trace has 30 leaf tasks ...". */
void syt_print_no_match(struct syt_out *o, const struct syt_trace_data *t, const char *noun,
                        uint64_t nr);

/* Prints TEXT in COLOR. */
void syt_print_colored(struct syt_out *o, enum syt_color color, const char *text);

/* Prints the call stack STACK as text, one indented line per function, innermost first, or as a JSON array. */
void syt_print_stack(struct syt_out *o, struct syt_symbols *s, const struct syt_image *i,
                     uint32_t stack, const char *indent);
void syt_json_stack(struct syt_json *j, const char *key, struct syt_symbols *s,
                    const struct syt_image *i, uint32_t stack);

/* Returns the name of the error number ERR, such as "EAGAIN", or NULL if it has no name. */
const char *syt_errno_name(unsigned err);

/* Writes a socket address as text with a NUL, at most BYTES bytes: "127.0.0.1:6379", "unix:/path",
 * "unix:@name" or "family 16". Returns TEXT. */
char *syt_address_text(const uint8_t *address, unsigned address_bytes, char *text, size_t bytes);
#define SYT_ADDRESS_TEXT 160

#endif
