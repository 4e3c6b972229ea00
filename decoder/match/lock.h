/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The rule for mutexes (match_mutex.c) as something that meets one touch after the other: of a
 * sparse trace they are never all in memory.
 */
#ifndef SYT_DECODER_LOCK_H
#define SYT_DECODER_LOCK_H

#include "decoder/match/match.h"

struct syt_lock {
	uint32_t object;
	uint32_t holder; /* trace-wide thread, or SYT_NONE */
	uint32_t depth;  /* of a recursive mutex */
	bool is_begun;
	bool is_complete; /* no event on it is missing */
	bool is_foreign;  /* was freed by a thread that had not taken it: orders nothing */
	bool has_release;
	uint64_t nr_resumes; /* pauses that were over before the last touch */
	struct syt_touch release; /* the last one that freed it */
	/* acquisitions: with no release before, after one by the same thread, after another's; by a
	 * thread that has it already */
	uint64_t nr_first, nr_same, nr_after, nr_again;
};

void syt_lock_open(struct syt_lock *l, uint32_t object);

/* The next touch of its history.  Returns the release that T came after, when T is an acquisition
 * and another thread's release came before; it is valid until the next call. */
const struct syt_touch *syt_lock_meet(struct syt_lock *l, const struct syt_match *m,
                                      const struct syt_touch *t);

/* After the last one: whether what syt_lock_meet() returned were edges. */
bool syt_lock_is_ordered(const struct syt_lock *l, const struct syt_match *m);

/* After the last one: counts acquisitions, and the edges where edges of that kind are not held. */
void syt_lock_count(const struct syt_lock *l, struct syt_match *m);

#endif
