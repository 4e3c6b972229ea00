/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Pausing the recording of a trace, and going on with it. doc/internals.md, "Pauses". */
#ifndef SYT_TOOL_PAUSE_H
#define SYT_TOOL_PAUSE_H

#include <stdbool.h>

#include "tool/live.h"

/* A pause that begins now and goes on. */
struct syt_pause syt_pause_now(void);

/* False, after a message: some process of it is recorded by an older version. Nothing happens where it is paused. */
bool syt_pause(struct syt_live *l);
void syt_resume(struct syt_live *l);

#endif
