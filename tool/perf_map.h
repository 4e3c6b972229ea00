/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#ifndef SYT_TOOL_PERF_MAP_H
#define SYT_TOOL_PERF_MAP_H

/* Copies the map files of perf, /tmp/perf-PID.map, of the processes of the trace in the directory FROM into the
 * directory TO, which may be FROM. The decoder then names generated code (of a JIT) also after the files in /tmp are
 * gone. Prints a message if a file cannot be copied. */
void syt_perf_maps_keep(int from, int to);

#endif
