/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The waiting time of threads by call stack, which is the data of a profile.  It is either the time
 * inside of all acquiring calls that took time, or the waiting time for locks only.  The waiting
 * time for locks is divided by the call paths to blame (decoder/report/contention/contention.h).
 */
#ifndef SYT_DECODER_WAIT_SUM_H
#define SYT_DECODER_WAIT_SUM_H

#include "decoder/export/exporter.h"

struct syt_wait_sum {
	uint32_t image;       /* index in trace->images */
	uint32_t stack, call; /* in the image */
	uint32_t lock;        /* trace-wide object, or SYT_NONE: not by lock */
	/* sides of the labels: the holder, and the call path to blame; or SYT_NONE */
	uint32_t holder, culprit;
	uint8_t kind; /* enum syt_blame_kind */
	uint64_t nr;  /* waits. If a waiter has several charges, the largest charge has them all */
	uint64_t ns;
};

struct syt_wait_sums {
	size_t nr, room;
	struct syt_wait_sum *all;
};

/* Sums the waits, sorted by image, stack and call. Times are rounded down once to ns. */
void syt_wait_sums_open(struct syt_wait_sums *w, const struct syt_export *x);
void syt_wait_sums_close(struct syt_wait_sums *w);

#endif
