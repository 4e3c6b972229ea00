/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Chooses the function of a call stack that reports name.
 *
 * The innermost function is often a wrapper of a library. The reports name the innermost function of the program
 * itself that does not belong to the library of its language. If the call stack has no function of the program (a
 * thread of a library), the reports name the innermost function.
 *
 * The returned strings live as long as the symbols. Only one thread at a time may use these functions.
 */
#ifndef SYT_DECODER_ANALYSIS_OWN_FRAME_H
#define SYT_DECODER_ANALYSIS_OWN_FRAME_H

#include "decoder/read/symbol.h"

/* Returns the function that reports name for the call stack STACK (0: none) of the process image I. Returns NULL if
 * the call stack has no frames or SYMBOLS is NULL. */
const char *syt_own_frame_of(struct syt_symbols *symbols, const struct syt_image *i,
                             uint32_t stack);

/* Returns the functions of the program itself on the call stack STACK, the outermost first, each followed by ';', without
 * parameters. The result is from malloc, and empty if SYMBOLS is NULL. */
char *syt_own_frame_path(struct syt_symbols *symbols, const struct syt_image *i, uint32_t stack);

/* Returns the call stack at the begin of the call B, which follows the call A in the same thread: B, and the function
 * that made B by a tail call, if there was one. A and B are call stacks. A tail call leaves the call stack of its
 * caller: the innermost return address of B then is where the tail-calling function returns to, which A has as an
 * outer frame. A direct call from there would have another return address. */
uint32_t syt_own_frame_tail(const struct syt_image *i, uint32_t a, uint32_t b);

/* Returns the function that reports name, among the outer functions that the call stacks A and B have in common, or
 * NULL. The thread was in this function from A to B, unless it left the function and came back. */
const char *syt_own_frame_common(struct syt_symbols *symbols, const struct syt_image *i, uint32_t a,
                                 uint32_t b);

/* Returns true if the call stack STACK contains a function NAME, with or without its parameters. */
bool syt_own_frame_has(struct syt_symbols *symbols, const struct syt_image *i, uint32_t stack,
                       const char *name);

/* Returns true if the call stack STACK contains a function of an allocator: the lock or wait at its end protects the
 * allocator's data. The state of the allocator decides whether such a call occurs, so equal work makes different calls. */
bool syt_own_frame_is_allocator(struct syt_symbols *symbols, const struct syt_image *i,
                                uint32_t stack);

#endif
