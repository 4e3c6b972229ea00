/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The waits and holdings of one lock, by call path. Only their lengths are kept, because a lock may have millions of
 * them. */
#ifndef SYT_DECODER_REPORT_CONTENTION_PATHS_H
#define SYT_DECODER_REPORT_CONTENTION_PATHS_H

#include "base/sort.h"
#include "decoder/report/contention/contention.h"

/* The lengths of the waits or holdings of a lock: key is the length, value the call path. */
struct syt_contention_lengths {
	size_t nr, room;
	struct syt_sort_item *all;
};

/* The sums of one call path, with its longest wait and holding, and its first acquisition. */
struct syt_contention_sum {
	uint32_t side;
	uint64_t nr_acquired, nr_passed;
	syt_time longest_wait, longest_hold;
	struct syt_place wait, hold, acquired; /* thread SYT_NONE: none */
};

/* All zero before the first use. */
struct syt_contention_paths {
	struct syt_contention_lengths waits, holds;
	size_t nr_sums, room_sums, room_sides;
	struct syt_contention_sum *sums;
	uint32_t *sum_of; /* [call path]: index + 1 in `sums`, or 0 */
};

void syt_contention_add_acquired(struct syt_contention_paths *p, uint32_t side,
                                 struct syt_place at);
/* Adds a wait during which NR_PASSED other holdings began and ended. */
void syt_contention_add_wait(struct syt_contention_paths *p, uint32_t side, struct syt_place at,
                             syt_time length, uint32_t nr_passed);
void syt_contention_add_hold(struct syt_contention_paths *p, uint32_t side, struct syt_place at,
                             syt_time length);

/* Sets the waits, the holdings and the paths of the lock L, and removes them from P. */
void syt_contention_sum_paths(struct syt_contention_paths *p, struct syt_contention_lock *l);

void syt_contention_paths_close(struct syt_contention_paths *p);

#endif
