/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Chooses the period of a paused trace in which no event is missing. Matching rules that count operations use only
 * this period.
 *
 * The period lies between two pauses of the recording. The period begins when all threads have returned from the
 * calls that the first pause left out, and ends when the next pause begins. The decoder chooses the period in which
 * the lifetimes of all processes have the largest sum, or the last period if the caller asks for it. The decoder treats
 * earlier events as overwritten. To a later event, it adds no happens-before edge if a missing event could be the
 * source.
 *
 * A pause concerns the recordings of one host, so each host has its own period. An edge between hosts must lie in the periods
 * of both.
 */
#ifndef SYT_DECODER_WINDOW_H
#define SYT_DECODER_WINDOW_H

#include "decoder/history/place.h"

/* Chooses the analysed period of each host of a paused trace: raises complete_from, and sets the windows, in P. IS_LAST
 * selects the last period. */
void syt_window_choose(struct syt_places *p, bool is_last);

#endif
