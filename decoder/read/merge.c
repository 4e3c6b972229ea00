/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/merge.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/store.h"

static syt_time stamp_of(const struct syt_thread *t, uint64_t row)
{
	const struct syt_row *r = &t->rows[row];

	return syt_row_call(t->image, r)->stamp_in ? r->in : r->out;
}

static bool is_before(const struct syt_merge_head *a, const struct syt_merge_head *b)
{
	if (a->stamp != b->stamp)
		return a->stamp < b->stamp;
	if (a->thread->image != b->thread->image)
		return a->thread->image < b->thread->image;
	return a->thread->index < b->thread->index;
}

static void sift_down(struct syt_merge *m, size_t at)
{
	struct syt_merge_head moving = m->heap[at];

	for (size_t child = 2 * at + 1; child < m->nr; child = 2 * at + 1) {
		if (child + 1 < m->nr && is_before(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!is_before(&m->heap[child], &moving))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moving;
}

void syt_merge_open(struct syt_merge *m, const struct syt_trace_data *trace,
                    bool (*keep)(void *context, const struct syt_thread *t), void *context)
{
	size_t room = 0;

	*m = (struct syt_merge){NULL, 0, {0, NULL, 0}};
	for (uint32_t n = 0; n < trace->nr_images; n++) {
		const struct syt_image *i = &trace->images[n];

		for (uint32_t k = 0; k < i->nr_threads; k++) {
			const struct syt_thread *t = &i->threads[k];

			if (!t->nr_rows || (keep && !keep(context, t)))
				continue;
			*SYT_ADD(m->heap, m->nr, room) =
				(struct syt_merge_head){stamp_of(t, 0), t, 0};
		}
	}
	for (size_t n = m->nr / 2; n-- > 0;)
		sift_down(m, n);
}

void syt_merge_close(struct syt_merge *m)
{
	free(m->heap);
	m->heap = NULL;
}

bool syt_merge_next(struct syt_merge *m)
{
	if (!m->nr)
		return false;
	struct syt_merge_head *top = &m->heap[0];

	m->current = *top;
	if (!(top->row % SYT_STORE_STRIDE))
		syt_store_settle();
	if (++top->row < top->thread->nr_rows)
		top->stamp = stamp_of(top->thread, top->row);
	else
		*top = m->heap[--m->nr];
	if (m->nr)
		sift_down(m, 0);
	return true;
}
