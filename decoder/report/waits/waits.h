/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Where the wall time of each thread went: on a processor, off it between calls, or waiting; for
 * what, and whether somebody's work waited for that (decoder/report/waits/service.h, doc/reports.md).
 *
 * The parts of a thread's time are disjoint and add up to it, always.
 */
#ifndef SYT_DECODER_REPORT_WAITS_WAITS_H
#define SYT_DECODER_REPORT_WAITS_WAITS_H

#include "decoder/order/label.h"
#include "decoder/order/order.h"
#include "decoder/analysis/blame.h"
#include "decoder/report/waits/classify.h"

/* Where time went. wall: on_cpu + off_cpu + unmeasured + all by_class; as much by kind, by reason. */
struct syt_waits_sums {
	syt_time wall;
	syt_time on_cpu;  /* between calls, in short ones, and in the long one that ended it */
	syt_time off_cpu; /* between calls: ready and not running, or in a call that is not seen */
	syt_time unmeasured; /* between calls, before the first and after the last measurement */
	syt_time by_kind[SYT_NR_WAITS_KINDS][SYT_NR_WAITS_CLASSES];
	syt_time by_class[SYT_NR_WAITS_CLASSES];
	syt_time by_reason[SYT_NR_WAITS_REASONS];
	uint64_t nr_waits;
};

/* Waits at one call path, for one reason; of a group: ended by one call path, and charged to one. */
struct syt_waits_group {
	uint8_t kind, reason; /* enum syt_waits_kind, _reason */
	uint8_t blame;        /* enum syt_blame_kind, of `culprit`, or SYT_NR_BLAMES */
	uint32_t waiter;      /* side */
	uint32_t ender;       /* side of who ended it, or of who held the lock; SYT_NONE: unknown */
	uint32_t culprit;     /* side of what let it last; SYT_NONE: that is no call path */
	uint32_t nr_threads;
	uint64_t nr;         /* waits that have a part in it; of a path: waits */
	syt_time time, most; /* in all, and the largest part */
	syt_time of_wall;    /* wall time of the threads that waited so */
	/* the wait with the largest part; thread SYT_NONE: one that had not ended */
	struct syt_place at;
	struct syt_place by; /* what is `culprit` there, or ended it; thread SYT_NONE: unknown */
	uint32_t thread;     /* trace-wide, of the largest part */
};

struct syt_waits {
	const struct syt_order *order;
	struct syt_labels *labels;
	struct syt_waits_sums all;
	struct syt_waits_sums *threads; /* by trace-wide number; wall 0: without events */
	size_t nr_paths,
		nr_groups; /* harmful ones, undecided ones, idle ones; each longest first */
	struct syt_waits_group *paths; /* without who ended them, and what they are charged to */
	struct syt_waits_group *groups;
};

/* Which threads to look at. */
struct syt_waits_filter {
	bool has_pid, has_tid, has_number;
	uint64_t pid, tid;      /* as the kernel numbers them */
	uint64_t image, thread; /* P and T */
};

/* ORDER must hold its causal edges. FILTER may be NULL. */
void syt_waits_open(struct syt_waits *w, const struct syt_order *order, struct syt_labels *labels,
                    const struct syt_waits_filter *filter);
void syt_waits_close(struct syt_waits *w);

/* So much of its threads' time; harmful, too, so that it stands out. */
bool syt_waits_is_large(const struct syt_waits_group *path, unsigned least_thousandths);
bool syt_waits_stands_out(const struct syt_waits_group *path, unsigned least_thousandths);

#endif
