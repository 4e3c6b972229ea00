/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Chooses the function of a call stack that reports name.
 *
 * The innermost function is often a wrapper of a library. The reports name the innermost function of the program
 * itself that does not belong to the library of its language. Without any function of the program (a thread of a
 * library), the reports name the innermost function.
 *
 * The returned strings belong to the symbols, and live as long as the symbols. One thread at a time.
 */
#ifndef SYT_DECODER_ANALYSIS_OWN_FRAME_H
#define SYT_DECODER_ANALYSIS_OWN_FRAME_H

#include "decoder/read/symbol.h"

/* Returns the function to name for STACK (0: none) of image I; NULL without frames or without SYMBOLS. */
const char *syt_own_frame_of(struct syt_symbols *symbols, const struct syt_image *i,
                             uint32_t stack);

/* Returns the function to name for the outer functions that the stacks A and B share, or NULL. The thread was in
 * this function from A to B, unless the thread left the function and came back. */
const char *syt_own_frame_common(struct syt_symbols *symbols, const struct syt_image *i, uint32_t a,
                                 uint32_t b);

/* Returns true if STACK contains a function with this NAME, with or without its parameters. */
bool syt_own_frame_has(struct syt_symbols *symbols, const struct syt_image *i, uint32_t stack,
                       const char *name);

#endif
