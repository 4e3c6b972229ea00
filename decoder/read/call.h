/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What the calls of a dump mean: by their names in this build's table, else as the dump itself
 * says. */
#ifndef SYT_DECODER_CALL_H
#define SYT_DECODER_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/read/trace.h"

/* Fills INFO for the call NAME (which INFO then owns). SHAPE and KIND: the dump's. */
void syt_call_resolve(struct syt_call_info *info, char *name, uint8_t shape, uint8_t kind);

/* An event like R can be an edge's end: a boundary of leaf tasks. X: its optional fields, or NULL. */
bool syt_row_is_point(const struct syt_image *i, const struct syt_row *r,
                      const struct syt_extra *x);

/* Of a call for a lock or a thread's end: it does not only try, nor has it a deadline. */
bool syt_call_may_wait_for_ever(const struct syt_call_info *c);

/* "lock", "mutex", ... ; "unknown" when out of range. */
const char *syt_shape_text(unsigned shape);
const char *syt_kind_text(unsigned kind);

/* "mutex:0x55..#2", with NUL; returns its length. BYTES should be SYT_OBJECT_TEXT. */
#define SYT_OBJECT_TEXT 64
int syt_object_text(const struct syt_object_info *info, char *text, size_t bytes);

#endif
