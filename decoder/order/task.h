/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Leaf tasks: a leaf task is the work of one thread from the end of one synchronization event to the begin of
 * the thread's next one. The time that a thread waits inside of calls therefore belongs to no leaf task. The
 * leaf tasks of a thread are numbered in their order. The name of a leaf task is the name of the event after
 * which it begins. */
#ifndef SYT_DECODER_TASK_H
#define SYT_DECODER_TASK_H

#include "decoder/order/label.h"
#include "decoder/order/order.h"

#define SYT_CPU_UNKNOWN UINT64_MAX

struct syt_task {
	uint32_t thread;     /* trace-wide number of the thread */
	uint32_t begin, end; /* indices of the events before and after the leaf task */
	uint32_t label;
};

struct syt_tasks {
	const struct syt_places *places;
	uint64_t nr;
	size_t room;
	struct syt_task *all;      /* sorted by thread, then by time */
	uint64_t *first_of_thread; /* [thread], and one more: index of its first leaf task */
};

/* Collects the leaf tasks of all threads. If LABELS is NULL, all labels are 0. */
void syt_tasks_open(struct syt_tasks *t, const struct syt_places *places,
                    struct syt_labels *labels);
void syt_tasks_close(struct syt_tasks *t);

/* Return the begin and the length of a leaf task. The length is 0 if the event after the leaf task began inside of
 * the event before it, because one of the two events belongs to a signal handler. */
syt_time syt_task_begin(const struct syt_tasks *t, const struct syt_task *task);
syt_time syt_task_span(const struct syt_tasks *t, const struct syt_task *task);
/* Returns the CPU time of a leaf task in ns, or SYT_CPU_UNKNOWN unless the trace has it for the events at both
 * ends. */
uint64_t syt_task_cpu(const struct syt_tasks *t, const struct syt_task *task);

/* Return the leaf task that begins after the event AT, or that ends at the event AT, or SYT_NO_TASK if there is
 * none. */
#define SYT_NO_TASK UINT64_MAX
uint64_t syt_task_after(const struct syt_tasks *t, struct syt_place at);
uint64_t syt_task_before(const struct syt_tasks *t, struct syt_place at);

#endif
