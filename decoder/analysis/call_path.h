/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Call paths that are comparable between runs and between builds: "nginx: main;serve;read".
 *
 * The text of a call path consists of the name of the program or of the component, the functions with the outermost first, and the
 * intercepted call. Suffixes that a compiler appends to function names are cut off. Repeated cycles of a recursion
 * count once. Code outside of any module is "?". Only one thread at a time may use a struct syt_call_paths.
 */
#ifndef SYT_DECODER_ANALYSIS_CALL_PATH_H
#define SYT_DECODER_ANALYSIS_CALL_PATH_H

#include "decoder/history/place.h"
#include "decoder/read/symbol.h"

struct syt_call_paths;

/* Creates an empty set of call paths. PLACES and SYMBOLS must outlive the result, which is never NULL. */
struct syt_call_paths *syt_call_paths_create(const struct syt_places *places,
                                             struct syt_symbols *symbols);
void syt_call_paths_destroy(struct syt_call_paths *p);
/* Begins the texts with the component: call paths of a program on two hosts then differ. Call this function before
 * syt_call_path_of(). */
void syt_call_paths_begin_at_components(struct syt_call_paths *p);

/* Returns the number of the call path of the event AT. Call paths with equal texts have equal numbers, from 0
 * on. */
uint32_t syt_call_path_of(struct syt_call_paths *p, struct syt_place at);
/* The same for CALL, the index of a call, with the call stack STACK of the process image trace->images[IMAGE]. */
uint32_t syt_call_path_at(struct syt_call_paths *p, uint32_t image, uint32_t stack, uint32_t call);
/* Returns the text of the call path PATH, without control characters. The text lives as long as P. */
const char *syt_call_path_text(const struct syt_call_paths *p, uint32_t path);

/* Returns the number of the call path with the text TEXT, or SYT_NONE if P has no such call path. */
uint32_t syt_call_path_find(const struct syt_call_paths *p, const char *text);

/* Returns true if the call path PATH contains FUNCTION, with or without its parameters, other than as the
 * intercepted call. */
bool syt_call_path_has(const struct syt_call_paths *p, uint32_t path, const char *function);

#endif
