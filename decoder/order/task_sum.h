/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Sums of leaf tasks (decoder/order/task.h) by their call paths, computed without storing all leaf tasks. The
 * code uses all processors. In a sparse trace (decoder/read/sparse.h), it unpacks the compressed events. */
#ifndef SYT_DECODER_TASK_SUM_H
#define SYT_DECODER_TASK_SUM_H

#include "decoder/order/label.h"

struct syt_task_sum {
	uint32_t image; /* index of the process image in trace->images */
	struct syt_label_key begin, end;
	struct syt_place first; /* event before the first leaf task, by thread, then row */
	uint64_t nr, total_ns, max_ns;
};

/* The choice of the leaf tasks that are summed up. */
struct syt_task_filter {
	syt_time from, to; /* only leaf tasks that begin in [from, to) */
	bool has_pid;
	uint64_t pid;
};

/* Returns an array of sums in the order of the member `first`, and its length in *NR. The caller frees it with
 * free(). */
struct syt_task_sum *syt_task_sums(const struct syt_places *places,
                                   const struct syt_task_filter *filter, size_t *nr);

#endif
