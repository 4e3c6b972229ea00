/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Pauses and resumes the recording of a trace (section "Pauses" of doc/internals.md). */
#ifndef SYT_TOOL_PAUSE_H
#define SYT_TOOL_PAUSE_H

#include <stdbool.h>

#include "tool/live.h"

/* Returns a pause that begins now and has no end. */
struct syt_pause syt_pause_now(void);

/* Pauses the recording of L, if L is not paused. Returns false after a message if a process uses an older
 * recorder that does not support pauses. */
bool syt_pause(struct syt_live *l);
void syt_resume(struct syt_live *l);

#endif
