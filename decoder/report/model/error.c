/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The errors of the latencies of tasks that begin on one host and end on another. */
#include "decoder/report/model/view.h"

struct syt_host_error syt_model_error(const struct syt_model *m, struct syt_model_span s)
{
	return syt_host_error_of(&m->in->order->places, (struct syt_place){s.first, 0}, s.begin,
	                         (struct syt_place){s.last, 0}, s.end);
}

struct syt_host_error syt_model_task_error(const struct syt_model *m, uint32_t task)
{
	const struct syt_model_task *t = &m->tasks[task];
	struct syt_host_error most = {0};

	if (!m->in->order || !m->in->order->places.trace->hosts)
		return most;
	for (uint64_t i = 0; i < t->count; i++) {
		struct syt_model_span s = syt_model_span(m, m->instances[t->first_instance + i]);
		struct syt_host_error e = syt_model_error(m, s);

		if (e.is_between && (!most.is_between || e.ns > most.ns))
			most = e;
	}
	return most;
}
