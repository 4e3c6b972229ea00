/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The file that all processes of a trace share: creates it, maps it, and checks whether a process
 * still records. */
#ifndef SYT_RUNTIME_TRACE_FILE_H
#define SYT_RUNTIME_TRACE_FILE_H

#include <stdbool.h>

#include "format/format.h"
#include "runtime/env.h"

/* Creates the shared file in the directory DIR, unless another process was faster. ENV tells
 * whether the trace begins with a pause, and its sampler. Returns 0 or -errno. */
int syt_trace_file_create(long dir, const struct syt_env *env);

/* Maps the shared file FD. Returns NULL if FD is no shared file, or has another format version. */
struct syt_trace *syt_trace_file_map(long fd);

/* Returns whether the trace with the shared file FD is finished: at least one process has
 * recorded, and none of them runs now. */
bool syt_trace_file_is_finished(long fd);

#endif
