/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Map files of perf: a program that generates code (a JIT) writes /tmp/perf-PID.map with a line "START SIZE NAME" for
 * each generated function. `syntrace record` copies the file into the trace. */
#ifndef SYT_DECODER_READ_PERF_MAP_H
#define SYT_DECODER_READ_PERF_MAP_H

#include "decoder/read/trace.h"

struct syt_perf_map;

/* Reads the map of the process of image I: the copy in the trace or, if the process ran on this machine since its last
 * start, the file in /tmp. Returns NULL if there is no map that belongs to the process. */
struct syt_perf_map *syt_perf_map_read(const struct syt_image *i);
void syt_perf_map_destroy(struct syt_perf_map *m); /* may be NULL */

/* Returns the name of the function at ADDRESS, or NULL. If several lines contain ADDRESS, the last one counts, because
 * a JIT reuses memory. */
const char *syt_perf_map_function(const struct syt_perf_map *m, uint64_t address);

/* Reads the map from memory: BYTES bytes of text. */
struct syt_perf_map *syt_perf_map_parse(const char *text, size_t bytes);

#endif
