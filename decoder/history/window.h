/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Chooses the time of a paused trace in which no event is missing. Rules that count operations use only this time.
 *
 * This time lies between two pauses. It begins when all threads have returned from calls that the pause left out,
 * and ends when the next pause begins. The decoder chooses the time in which the lifetimes of all processes have
 * the largest sum. The decoder treats earlier events as overwritten, and adds no edge to a later event if a missing
 * event could be the source.
 */
#ifndef SYT_DECODER_WINDOW_H
#define SYT_DECODER_WINDOW_H

#include "decoder/history/place.h"

/* In a paused trace, raises complete_from and sets complete_until and resumes. */
void syt_window_choose(struct syt_places *p);

#endif
