/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* All threads of a trace as one stream in the order of the events' stamps; equal ones by image and
 * thread. */
#ifndef SYT_DECODER_MERGE_H
#define SYT_DECODER_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/read/trace.h"

struct syt_merge_head {
	syt_time stamp;
	const struct syt_thread *thread;
	uint64_t row;
};

struct syt_merge {
	struct syt_merge_head *heap;
	size_t nr;
	struct syt_merge_head current;
};

/* KEEP says which threads take part; NULL: all. The trace must outlive the merge. */
void syt_merge_open(struct syt_merge *m, const struct syt_trace_data *trace,
                    bool (*keep)(void *context, const struct syt_thread *t), void *context);
void syt_merge_close(struct syt_merge *m);

/* The next event as m->current; false at the end. */
bool syt_merge_next(struct syt_merge *m);

#endif
