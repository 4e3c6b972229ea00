/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Texts that several formats share. */
#ifndef SYT_DECODER_WORDS_H
#define SYT_DECODER_WORDS_H

#include "decoder/export/exporter.h"

/* Returns TEXT of a dump as UTF-8 for free(). Control characters and other bytes become U+FFFD, NULL becomes "". */
char *syt_words_clean(const char *text);

/* Returns the line of type coverage as JSON without its newline. The caller frees it. */
char *syt_words_coverage(const struct syt_order *o);

/* Returns "serve;read -> serve;write", the call paths before and after a leaf task, or without stacks the calls.
 * The text is clean; the caller frees it. */
char *syt_words_task(const struct syt_export *x, const struct syt_task *t);

/* Stores the functions of STACK in *FRAMES of *ROOM, innermost first. Returns the number of functions. */
size_t syt_words_frames(const struct syt_export *x, const struct syt_image *i, uint32_t stack,
                        const char ***frames, size_t *room);

/* Returns "main;serve;fill", the call stack STACK of the image IMAGE. The text is clean; the caller frees it. */
char *syt_words_path(const struct syt_export *x, uint32_t image, uint32_t stack);

/* Returns "/usr/bin/redis-server", or "process 17". The text is clean; the caller frees it. */
char *syt_words_process(const struct syt_image *i);

/* Returns "io_thd_1", or "thread 17". The text is clean; the caller frees it. */
char *syt_words_thread(const struct syt_thread *t);

/* Writes the origin and the kind of an edge, as "1.0.17 mutex run-after ambiguous". */
#define SYT_WORDS_EDGE 160
void syt_words_edge(const struct syt_order *o, const struct syt_edge *e, char *text, size_t bytes);

#endif
