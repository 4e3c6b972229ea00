/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Determines the meaning of the calls of a dump. This build's call table has precedence; a call whose
 * name it lacks has the meaning that the dump defines. */
#ifndef SYT_DECODER_CALL_H
#define SYT_DECODER_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/read/trace.h"

/* Fills INFO with the meaning of the call NAME. INFO then owns NAME. SHAPE and KIND are the meaning
 * according to the dump, for a call that this build does not know. */
void syt_call_resolve(struct syt_call_info *info, char *name, uint8_t shape, uint8_t kind);

/* Returns the shape of the call NAME, or SYT_SHAPE_INFO if this build does not know the call. */
enum syt_shape syt_call_shape(const char *name);

/* Returns true if the event R can be the source or target of a happens-before edge. These events separate leaf
 * tasks (the work of a thread between two of them). X holds the optional fields of R, or is NULL. */
bool syt_row_is_point(const struct syt_image *i, const struct syt_row *r,
                      const struct syt_extra *x);

/* Returns true if C takes a lock or joins a thread and waits without a time limit: it is no trylock
 * and no timed call. */
bool syt_call_may_wait_for_ever(const struct syt_call_info *c);

/* Return the name of a call's shape, such as "lock", or of an object's kind, such as "mutex". Both functions return
 * "unknown" if the number is out of range. */
const char *syt_shape_text(unsigned shape);
const char *syt_kind_text(unsigned kind);

/* Writes the name of an object, such as "mutex:0x55..#2", with a NUL. Returns the length of the name. BYTES should
 * be SYT_OBJECT_TEXT. */
#define SYT_OBJECT_TEXT 64
int syt_object_text(const struct syt_object_info *info, char *text, size_t bytes);

#endif
