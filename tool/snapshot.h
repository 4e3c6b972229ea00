/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Copies a trace that is being recorded. */
#ifndef SYT_TOOL_SNAPSHOT_H
#define SYT_TOOL_SNAPSHOT_H

#include <stdbool.h>

#include "tool/live.h"

/* Copies the trace L into the directory DIR; if IS_WINDOW, without blocks of events before the last resume. Prints the
 * result unless IS_QUIET. Returns false after a message. */
bool syt_snapshot(struct syt_live *l, const char *dir, bool is_window, bool is_quiet);

#endif
