/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Merges the events of all threads of a trace into one stream, in the order of their stamps. Events
 * with equal stamps are ordered by process image, then by thread. */
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

/* Opens the stream M. The function KEEP selects threads; NULL selects all threads. The trace must
 * outlive the merge. */
void syt_merge_open(struct syt_merge *m, const struct syt_trace_data *trace,
                    bool (*keep)(void *context, const struct syt_thread *t), void *context);
void syt_merge_close(struct syt_merge *m);

/* Sets m->current to the next event of the stream. Returns false at the end. */
bool syt_merge_next(struct syt_merge *m);

#endif
