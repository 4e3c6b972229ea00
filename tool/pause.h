/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes instants into a trace: the pauses of its recording (section "Pauses" of doc/internals.md), and the end of a
 * process that was killed. */
#ifndef SYT_TOOL_PAUSE_H
#define SYT_TOOL_PAUSE_H

#include <stdbool.h>

#include "tool/live.h"

/* Reads the clocks as close together as possible. `ticks` is of the time-stamp counter. */
struct syt_clock_pair syt_clock_pair_now(void);

/* Returns a pause that begins now and has no end. */
struct syt_pause syt_pause_now(void);

/* Pauses the recording of L, if L is not paused. IS_DEEP: bytes are not counted in the pause, also if it has begun, nor in pauses
 * that the recorder begins itself. Returns false after a message if a process uses an older
 * recorder that does not support pauses. */
bool syt_pause(struct syt_live *l, bool is_deep);
/* Resumes the recording of L. With FOR_NS, the recorder begins the next pause itself, about FOR_NS later; without, an earlier
 * deadline of this kind has no effect any more. Returns false after a message like syt_pause(). */
bool syt_resume(struct syt_live *l, uint64_t for_ns);

/* Stores NOW as the latest clock pair in the dump of the process PID, which does not exist any more, unless the process
 * recorded its end itself. A killed process cannot do this, and the calls that had not returned have lasted until NOW.
 * Returns false if the trace has no such dump. */
bool syt_live_mark_end(const struct syt_live *l, uint32_t pid, const struct syt_clock_pair *now);

#endif
