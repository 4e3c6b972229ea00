/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Counts how many wake-ups the sources (signals on a condition variable, wake calls on a futex) can still give.
 *
 * When one of several possible sources has woken a wait, these sources become a set with one common count, which is
 * one wake-up less than their sum. A set without wake-ups is used up. Sources have indices from 0, in the order of
 * their begin. The array W has one element for each source.
 */
#ifndef SYT_DECODER_WAKEUP_H
#define SYT_DECODER_WAKEUP_H

#include <stdint.h>

struct syt_wakeup {
	/* index + 1 of this source or, if it is used up, of the nearest earlier source that is not
	 * (path-compressed); 0 if no such source exists */
	uint32_t live;
	uint32_t group; /* index of the source that represents its set */
	uint32_t next;  /* index of the next member of the set (circular) */
	uint64_t left;  /* in a representative: wake-ups that the set can still give */
};

/* Initializes source I as a set of its own with NR wake-ups. NR must not be 0. */
void syt_wakeup_init(struct syt_wakeup *w, uint32_t i, uint64_t nr);

/* Returns the index + 1 of the last source before END that is not used up, or 0 if all are used up. */
uint32_t syt_wakeup_last(struct syt_wakeup *w, uint32_t end);

/* Takes one wake-up from the NR sources OF, none of which is used up. NR must not be 0. */
void syt_wakeup_take(struct syt_wakeup *w, const uint32_t *of, uint32_t nr);

#endif
