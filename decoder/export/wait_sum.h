/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The waiting time of threads by call stack, which is the data of a profile: the time in all acquiring calls that
 * took time, or the waiting time for locks only, divided by the call paths to blame
 * (decoder/report/contention/contention.h).
 */
#ifndef SYT_DECODER_WAIT_SUM_H
#define SYT_DECODER_WAIT_SUM_H

#include "decoder/export/exporter.h"

struct syt_wait_sum {
	uint32_t image;           /* index in trace->images */
	uint32_t stack, call;     /* in the image */
	uint32_t lock;            /* trace-wide object, or SYT_NONE: not by lock */
	uint32_t holder, culprit; /* call paths of the holder and to blame (label.h), or SYT_NONE */
	uint8_t kind;             /* enum syt_blame_kind */
	uint64_t nr; /* waits; if a waiter has several charges, the largest charge has all waits */
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
