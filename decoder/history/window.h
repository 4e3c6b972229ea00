/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Of a trace that was paused: the time in which nothing is missing, which rules that count rest on.
 *
 * Between two pauses is such a time.  It begins when all threads have returned from calls that the pause left out, and
 * ends when the next one begins.  Of several the one in which processes lived longest in all is taken, for all of
 * them: what comes before it is as if overwritten, and edges to what ends after it are not added where an event that
 * is missing could have been their source.
 */
#ifndef SYT_DECODER_WINDOW_H
#define SYT_DECODER_WINDOW_H

#include "decoder/history/place.h"

/* Where images were paused: raises complete_from, and sets complete_until and resumes. */
void syt_window_choose(struct syt_places *p);

#endif
