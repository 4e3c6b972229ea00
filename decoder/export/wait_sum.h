/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Sums the waiting time of threads by call stack, for profiles. The sum contains either the time in all acquiring
 * calls that took time, or only the waits for locks, divided by the call paths to blame
 * (decoder/report/contention/contention.h). */
#ifndef SYT_DECODER_WAIT_SUM_H
#define SYT_DECODER_WAIT_SUM_H

#include "decoder/export/exporter.h"

struct syt_wait_sum {
	uint32_t image;           /* index in trace->images */
	uint32_t stack, call;     /* call stack and call of the waiter, indices in the image */
	uint32_t lock;            /* trace-wide index of the lock, or SYT_NONE: not by lock */
	uint32_t holder, culprit; /* call paths: of the holder, and to blame; or SYT_NONE */
	uint8_t kind;             /* enum syt_blame_kind */
	/* number of waits; if the waits of one call path have several causes, the sum of the largest cause has all
	 * of them */
	uint64_t nr;
	uint64_t ns;
};

struct syt_wait_sums {
	size_t nr, room;
	struct syt_wait_sum *all;
};

/* Computes the sums, sorted by image, stack and call. Each time is rounded down to ns once. */
void syt_wait_sums_open(struct syt_wait_sums *w, const struct syt_export *x);
void syt_wait_sums_close(struct syt_wait_sums *w);

#endif
