/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The part of a trace that is exported: some threads and a period. A call or leaf task that overlaps the period is
 * exported as a whole. A happens-before edge is exported if both its events are. */
#ifndef SYT_DECODER_EXPORT_SELECTION_H
#define SYT_DECODER_EXPORT_SELECTION_H

#include "decoder/order/task.h"

struct syt_selection {
	syt_time from, to; /* the period ends before `to` */
	bool *threads;     /* [trace-wide number]: the thread is exported; NULL: all threads */
};

static inline bool syt_selection_is_all(const struct syt_selection *s)
{
	return !s->threads && !s->from && s->to == UINT64_MAX;
}

static inline bool syt_selection_has_thread(const struct syt_selection *s, uint32_t thread)
{
	return !s->threads || s->threads[thread];
}

static inline bool syt_selection_has_row(const struct syt_selection *s, const struct syt_row *r)
{
	return r->out >= s->from && r->in < s->to;
}

bool syt_selection_has_task(const struct syt_selection *s, const struct syt_tasks *tasks,
                            const struct syt_task *t);
bool syt_selection_has_edge(const struct syt_selection *s, const struct syt_order *o,
                            const struct syt_edge *e);
/* Returns true if a thread of the process image with this index is exported. */
bool syt_selection_has_image(const struct syt_selection *s, const struct syt_places *p,
                             uint32_t image);
/* Returns true if the call in which the thread waited at the end of the trace is exported. */
bool syt_selection_has_waiting(const struct syt_selection *s, const struct syt_places *p,
                               uint32_t thread);

struct syt_selected {
	uint64_t events, tasks, edges;
};

/* Counts the exported parts. */
struct syt_selected syt_selection_count(const struct syt_selection *s, const struct syt_order *o,
                                        const struct syt_tasks *tasks);

#endif
