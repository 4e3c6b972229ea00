/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Sums of leaf tasks (decoder/order/task.h) by their labels, without all tasks in memory. Runs on all processors,
 * and on sparse traces (decoder/read/sparse.h).
 */
#ifndef SYT_DECODER_TASK_SUM_H
#define SYT_DECODER_TASK_SUM_H

#include "decoder/order/label.h"

struct syt_task_sum {
	uint32_t image; /* index in trace->images */
	struct syt_label_key begin, end;
	struct syt_place first; /* begin of the first task, in the order of threads, then rows */
	uint64_t nr, total_ns, max_ns;
};

/* Selects the tasks that count. */
struct syt_task_filter {
	syt_time from, to; /* tasks that begin in [from, to) */
	bool has_pid;
	uint64_t pid;
};

/* Returns the sums in the order of FIRST, and their number in *NR. Free them with free(). */
struct syt_task_sum *syt_task_sums(const struct syt_places *places,
                                   const struct syt_task_filter *filter, size_t *nr);

#endif
