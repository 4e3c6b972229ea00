/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The pieces of the work of threads on requests, and the look-up of the piece that contains an event.
 *
 * The pieces of all threads share one array, in the order of time. The pieces of a thread form a list from the last piece
 * back to the first one, in which their first rows never increase. A thread may have millions of pieces, and the search
 * for an old event must not pass them all. So each piece has a second link, `far`, over many pieces (the skew-binary lists of
 * E. W. Myers, "An applicative random-access stack"). A look-up visits O(log n) of n pieces, also while the
 * list grows.
 */
#ifndef SYT_DECODER_REQUEST_PIECE_H
#define SYT_DECODER_REQUEST_PIECE_H

#include <stdint.h>

struct syt_piece {
	uint32_t segment;
	uint32_t thread;     /* trace-wide number */
	uint32_t first, end; /* rows from `first` up to, not including, `end` */
	uint32_t before;     /* previous piece of the thread, or SYT_NONE */
	uint32_t far;        /* an earlier piece of the thread, or SYT_NONE */
	uint32_t number;     /* number of pieces of the thread before this one */
};

/* Sets `far` and `number` of P, which follows the piece P->before of the array ALL. */
void syt_piece_link(const struct syt_piece *all, struct syt_piece *p);

/* Returns the piece at which the search for ROW goes on after the piece P, which begins behind ROW, or SYT_NONE. */
uint32_t syt_piece_back(const struct syt_piece *all, uint32_t p, uint32_t row);

/* Returns the piece of ALL that contains ROW of a thread whose last piece is LAST, or SYT_NONE. LAST may be SYT_NONE. */
uint32_t syt_piece_find(const struct syt_piece *all, uint32_t last, uint32_t row);

#endif
