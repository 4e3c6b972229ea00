/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Call paths that compare between runs and between builds: "nginx: main;serve;read".
 *
 * The program's name, the functions, outermost first, and the intercepted call.  What a compiler
 * appends to a function's name is cut off, a recursion counts once, and code without a module is
 * "?".  One thread at a time.
 */
#ifndef SYT_DECODER_ANALYSIS_CALL_PATH_H
#define SYT_DECODER_ANALYSIS_CALL_PATH_H

#include "decoder/history/place.h"
#include "decoder/read/symbol.h"

struct syt_call_paths;

/* PLACES and SYMBOLS must outlive it. */
struct syt_call_paths *syt_call_paths_create(const struct syt_places *places,
                                             struct syt_symbols *symbols);
void syt_call_paths_destroy(struct syt_call_paths *p);

/* The number of the call path of the event AT; equal texts have equal numbers, from 0 on. */
uint32_t syt_call_path_of(struct syt_call_paths *p, struct syt_place at);
uint32_t syt_call_paths_nr(const struct syt_call_paths *p);
/* Without control characters. Lives as long as P. */
const char *syt_call_path_text(const struct syt_call_paths *p, uint32_t path);

/* Whether FUNCTION, with or without its parameters, is on PATH. */
bool syt_call_path_has(const struct syt_call_paths *p, uint32_t path, const char *function);

#endif
