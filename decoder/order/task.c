/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/order/task.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/err.h"

static void collect(struct syt_tasks *t, uint32_t thread, struct syt_labels *labels)
{
	struct syt_place last = {SYT_NONE, 0};

	SYT_EACH(row, 0, t->places->threads[thread]->nr_rows) {
		struct syt_place at = {thread, (uint32_t)row};
		struct syt_task task = {thread, last.row, at.row, 0};

		if (!syt_place_is_point(t->places, at))
			continue;
		if (last.thread != SYT_NONE &&
		    syt_part_is_one(t->places->threads[thread], last.row, at.row)) {
			if (labels)
				task.label = syt_label_of(labels, last, at);
			*SYT_STORE_ADD(t->all, t->nr, t->room) = task;
		}
		last = at;
	}
}

void syt_tasks_open(struct syt_tasks *t, const struct syt_places *places, struct syt_labels *labels)
{
	memset(t, 0, sizeof(*t));
	t->places = places;
	t->first_of_thread = syt_calloc((size_t)places->nr_threads + 1, sizeof(uint64_t));
	for (uint32_t n = 0; n < places->nr_threads; n++) {
		collect(t, n, labels);
		t->first_of_thread[n + 1] = t->nr;
	}
}

void syt_tasks_close(struct syt_tasks *t)
{
	syt_store_free(t->all);
	free(t->first_of_thread);
	memset(t, 0, sizeof(*t));
}

syt_time syt_task_begin(const struct syt_tasks *t, const struct syt_task *task)
{
	return t->places->threads[task->thread]->rows[task->begin].out;
}

syt_time syt_task_span(const struct syt_tasks *t, const struct syt_task *task)
{
	syt_time begin = syt_task_begin(t, task);
	syt_time end = t->places->threads[task->thread]->rows[task->end].in;

	return end > begin ? end - begin : 0;
}

uint64_t syt_task_cpu(const struct syt_tasks *t, const struct syt_task *task)
{
	uint64_t begin =
		syt_place_extra(t->places, (struct syt_place){task->thread, task->begin})->cpu;
	uint64_t end = syt_place_extra(t->places, (struct syt_place){task->thread, task->end})->cpu;

	return begin && end >= begin ? end - begin : SYT_CPU_UNKNOWN;
}

/* Returns the leaf task that begins after (IS_END: ends at) the event AT, or SYT_NO_TASK. */
static uint64_t find(const struct syt_tasks *t, struct syt_place at, bool is_end)
{
	uint64_t end = t->first_of_thread[at.thread + 1];
	uint64_t low = SYT_BISECT(i, t->first_of_thread[at.thread], end,
	                          (is_end ? t->all[i].end : t->all[i].begin) < at.row);

	if (low == end || (is_end ? t->all[low].end : t->all[low].begin) != at.row)
		return SYT_NO_TASK;
	return low;
}

uint64_t syt_task_after(const struct syt_tasks *t, struct syt_place at)
{
	return find(t, at, false);
}

uint64_t syt_task_before(const struct syt_tasks *t, struct syt_place at)
{
	return find(t, at, true);
}
