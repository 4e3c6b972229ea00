/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Which function of a call stack is to be named to a person.
 *
 * The innermost one says which call it was, e.g. a wrapper of a library.  The one that matters is the
 * innermost one that belongs to the program itself and not to its language's library; where there is
 * none (a library's own thread), the innermost one.
 *
 * Strings live as long as the symbols.  One thread at a time.
 */
#ifndef SYT_DECODER_ANALYSIS_OWN_FRAME_H
#define SYT_DECODER_ANALYSIS_OWN_FRAME_H

#include "decoder/read/symbol.h"

/* Of a stack of I, or 0; NULL when it has no frames. SYMBOLS may be NULL: there are none then. */
const char *syt_own_frame_of(struct syt_symbols *symbols, const struct syt_image *i,
                             uint32_t stack);

/* Of what A and B, outermost functions first, have in common: what a thread was in from the one to the
 * other, if it did not leave it in between and come again.  NULL when they have nothing. */
const char *syt_own_frame_common(struct syt_symbols *symbols, const struct syt_image *i, uint32_t a,
                                 uint32_t b);

/* Whether a function of the stack is called NAME, with or without its parameters. */
bool syt_own_frame_has(struct syt_symbols *symbols, const struct syt_image *i, uint32_t stack,
                       const char *name);

#endif
