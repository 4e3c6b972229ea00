/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Makes texts that several export formats use. */
#ifndef SYT_DECODER_WORDS_H
#define SYT_DECODER_WORDS_H

#include "decoder/export/exporter.h"

/* Returns a copy of TEXT, a text from a dump, as valid UTF-8. Control characters and invalid bytes become U+FFFD.
 * NULL becomes "". The caller frees the copy with free(). */
char *syt_words_clean(const char *text);

/* Returns the coverage as a JSON line without its newline. The caller frees it. */
char *syt_words_coverage(const struct syt_order *o);

/* Returns the name of a leaf task: the call paths before and after it, for example "serve;read -> serve;write".
 * Without stacks, the name has the calls. */
char *syt_words_task(const struct syt_export *x, const struct syt_task *t);

/* Stores the names of the functions of STACK in the array *FRAMES, innermost first. The array has *ROOM elements, and
 * is enlarged if necessary. Returns the number of functions. */
size_t syt_words_frames(const struct syt_export *x, const struct syt_image *i, uint32_t stack,
                        const char ***frames, size_t *room);

/* Returns the call stack STACK of the process image IMAGE, for example "main;serve;fill". */
char *syt_words_path(const struct syt_export *x, uint32_t image, uint32_t stack);

/* Returns the title of an object, for example "mutex:server.lock". Without stacks, the title is independent of
 * symbols: "mutex:0x55..#0". The caller frees it. */
char *syt_words_object(const struct syt_export *x, uint32_t object);

/* Returns the name of a process, for example "/usr/bin/redis-server" or "process 17". */
char *syt_words_process(const struct syt_image *i);

/* Returns the name of a thread, for example "io_thd_1" or "thread 17". */
char *syt_words_thread(const struct syt_thread *t);

/* Writes the source event and the kind of an edge, as "1.0.17 mutex run-after ambiguous". */
#define SYT_WORDS_EDGE 160
void syt_words_edge(const struct syt_order *o, const struct syt_edge *e, char *text, size_t bytes);

#endif
