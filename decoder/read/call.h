/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The meaning of the calls of a dump: from this build's call table by name, otherwise from the
 * dump's own definitions. */
#ifndef SYT_DECODER_CALL_H
#define SYT_DECODER_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/read/trace.h"

/* Fills INFO for the call NAME. INFO then owns NAME. SHAPE and KIND come from the dump. */
void syt_call_resolve(struct syt_call_info *info, char *name, uint8_t shape, uint8_t kind);

/* Returns true if an event like R can be the end of an edge, that is, a boundary of leaf tasks. X
 * holds the optional fields of R, or is NULL. */
bool syt_row_is_point(const struct syt_image *i, const struct syt_row *r,
                      const struct syt_extra *x);

/* Returns true if a call that takes a lock or joins a thread has no deadline and is no try variant. */
bool syt_call_may_wait_for_ever(const struct syt_call_info *c);

/* Returns "lock", "mutex", ...; "unknown" if the number is out of range. */
const char *syt_shape_text(unsigned shape);
const char *syt_kind_text(unsigned kind);

/* Writes "mutex:0x55..#2" with a NUL and returns its length. BYTES should be SYT_OBJECT_TEXT. */
#define SYT_OBJECT_TEXT 64
int syt_object_text(const struct syt_object_info *info, char *text, size_t bytes);

#endif
