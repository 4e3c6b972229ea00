/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Counts how many wake-ups sources (signals, wakes of a futex) can still give.
 *
 * When one of several possible sources has woken a wait, these sources become a set that counts
 * together, with one wake-up less. A set without wake-ups is used up. Sources have indices from 0,
 * in order of their begin. An array W has one element for each.
 */
#ifndef SYT_DECODER_WAKEUP_H
#define SYT_DECODER_WAKEUP_H

#include <stdint.h>

struct syt_wakeup {
	/* index + 1 of this source, or of the nearest one before it that is not used up
	 * (path-compressed); 0: none */
	uint32_t live;
	uint32_t group; /* representative of its set */
	uint32_t next;  /* next member of the set, circular */
	uint64_t left;  /* in a representative: wake-ups that the set can still give */
};

/* Initializes source I as a set of its own with NR wake-ups, which is not 0. */
void syt_wakeup_init(struct syt_wakeup *w, uint32_t i, uint64_t nr);

/* Returns the index + 1 of the last source before END that is not used up; 0: none. */
uint32_t syt_wakeup_last(struct syt_wakeup *w, uint32_t end);

/* Takes a wake-up from these NR sources, none of which is used up. NR is not 0. */
void syt_wakeup_take(struct syt_wakeup *w, const uint32_t *of, uint32_t nr);

#endif
