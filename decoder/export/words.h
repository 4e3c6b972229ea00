/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Text that several formats write in the same words. */
#ifndef SYT_DECODER_WORDS_H
#define SYT_DECODER_WORDS_H

#include "decoder/export/exporter.h"

/* TEXT of a dump as UTF-8 without control characters, as in JSON: what is neither becomes U+FFFD.
 * To be freed; of NULL "". */
char *syt_words_clean(const char *text);

/* The line of type coverage as JSON without its newline. To be freed. */
char *syt_words_coverage(const struct syt_order *o);

/* "serve;read -> serve;write": between which functions and calls a leaf task ran; without stacks
 * "read -> write". Clean; to be freed. */
char *syt_words_task(const struct syt_export *x, const struct syt_task *t);

/* The functions of the call stack STACK of image I, innermost first, in *FRAMES of *ROOM; how many. */
size_t syt_words_frames(const struct syt_export *x, const struct syt_image *i, uint32_t stack,
                        const char ***frames, size_t *room);

/* "main;serve;fill" of the call stack STACK of the image with index IMAGE, outermost first. Clean; to be
 * freed. */
char *syt_words_path(const struct syt_export *x, uint32_t image, uint32_t stack);

/* "/usr/bin/redis-server", or "process 17". Clean; to be freed. */
char *syt_words_process(const struct syt_image *i);

/* "io_thd_1", or "thread 17". Clean; to be freed. */
char *syt_words_thread(const struct syt_thread *t);

/* "1.0.17 mutex run-after ambiguous": where an edge comes from, and what it is. */
#define SYT_WORDS_EDGE 160
void syt_words_edge(const struct syt_order *o, const struct syt_edge *e, char *text, size_t bytes);

#endif
