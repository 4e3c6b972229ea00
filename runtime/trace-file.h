/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The file that all processes of a trace share: made, mapped, and asked whether a process still records. */
#ifndef SYT_RUNTIME_TRACE_FILE_H
#define SYT_RUNTIME_TRACE_FILE_H

#include <stdbool.h>

#include "format/format.h"

/* Puts a new shared file into the directory DIR, unless another process was faster. Returns 0 or -errno. */
int syt_trace_file_create(long dir);

/* Maps the shared file FD. Returns NULL where FD is none, or one of another version. */
struct syt_trace *syt_trace_file_map(long fd);

/* Returns whether the trace with the shared file FD is finished: processes have recorded, and none of them runs. */
bool syt_trace_file_is_finished(long fd);

#endif
