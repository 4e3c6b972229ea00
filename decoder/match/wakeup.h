/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * How many wake-ups sources (signals, wakes of a futex) can still give.
 *
 * Of several sources that may have woken somebody one has: from then on they are a set that counts
 * together, with one wake-up less.  A set with none left is out.  Sources have indices from 0 on, in
 * order of their begin; an array W has one element for each.
 */
#ifndef SYT_DECODER_WAKEUP_H
#define SYT_DECODER_WAKEUP_H

#include <stdint.h>

struct syt_wakeup {
	uint32_t live;  /* this one, or the nearest live one before it (path-compressed), plus one;
	                   0: none */
	uint32_t group; /* representative of its set */
	uint32_t next;  /* next member of the set, circular */
	uint64_t left;  /* of a representative: what the set can still give */
};

/* Source I, alone, can give NR, which is not 0. */
void syt_wakeup_init(struct syt_wakeup *w, uint32_t i, uint64_t nr);

/* The last source before index END that is not out, plus one; 0: none. */
uint32_t syt_wakeup_last(struct syt_wakeup *w, uint32_t end);

/* One of these NR sources, none of which is out, gives a wake-up. NR is not 0. */
void syt_wakeup_take(struct syt_wakeup *w, const uint32_t *of, uint32_t nr);

#endif
