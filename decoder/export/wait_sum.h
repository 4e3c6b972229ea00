/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * How long threads waited, by call stack: what profiles are made of.  Either all time inside of calls
 * that acquire something and took time, or that for locks alone, divided by whom it is charged to
 * (decoder/report/contention/contention.h).
 */
#ifndef SYT_DECODER_WAIT_SUM_H
#define SYT_DECODER_WAIT_SUM_H

#include "decoder/export/exporter.h"

struct syt_wait_sum {
	uint32_t image;       /* index in trace->images */
	uint32_t stack, call; /* in it */
	uint32_t lock;        /* trace-wide object, or SYT_NONE: not by lock */
	/* sides of the labels: who held it, and who is to blame; or SYT_NONE */
	uint32_t holder, culprit;
	uint8_t kind; /* enum syt_blame_kind */
	uint64_t nr;  /* waits. Of one that is charged to several, the largest charge has it */
	uint64_t ns;
};

struct syt_wait_sums {
	size_t nr, room;
	struct syt_wait_sum *all;
};

/* By image, stack and call. Sums of ns are those of times rounded down once. */
void syt_wait_sums_open(struct syt_wait_sums *w, const struct syt_export *x);
void syt_wait_sums_close(struct syt_wait_sums *w);

#endif
