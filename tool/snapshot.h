/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A copy of a trace that is being recorded. */
#ifndef SYT_TOOL_SNAPSHOT_H
#define SYT_TOOL_SNAPSHOT_H

#include <stdbool.h>

#include "tool/live.h"

/* Copies the trace L as it is now into DIR (tool/directory.h), and says so if not IS_QUIET. False after a message. */
bool syt_snapshot(struct syt_live *l, const char *dir, bool is_quiet);

#endif
