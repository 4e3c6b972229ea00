/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Leaf tasks summed up by what their labels are made of, without ever having them all: on all
 * processors, and of a sparse trace (decoder/read/sparse.h), too.
 */
#ifndef SYT_DECODER_TASK_SUM_H
#define SYT_DECODER_TASK_SUM_H

#include "decoder/order/label.h"

struct syt_task_sum {
	uint32_t image; /* index in trace->images */
	struct syt_label_key begin, end;
	struct syt_place first; /* begin of the first one, by thread, then row */
	uint64_t nr, total_ns, max_ns;
};

/* Which tasks count. */
struct syt_task_filter {
	syt_time from, to; /* begin in [from, to) */
	bool has_pid;
	uint64_t pid;
};

/* The sums, to be freed with free(), by FIRST; *NR: how many. */
struct syt_task_sum *syt_task_sums(const struct syt_places *places,
                                   const struct syt_task_filter *filter, size_t *nr);

#endif
