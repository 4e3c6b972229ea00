/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/selection.h"

#include "base/store.h"

bool syt_selection_has_task(const struct syt_selection *s, const struct syt_tasks *tasks,
                            const struct syt_task *t)
{
	syt_time begin = syt_task_begin(tasks, t);

	return syt_selection_has_thread(s, t->thread) && begin < s->to &&
	       begin + syt_task_span(tasks, t) >= s->from;
}

static bool has_end(const struct syt_selection *s, const struct syt_order *o, struct syt_place at)
{
	if (at.thread == SYT_NONE)
		return o->edges.rounds[at.row].at >= s->from && o->edges.rounds[at.row].at < s->to;
	return syt_selection_has_thread(s, at.thread) &&
	       syt_selection_has_row(s, syt_place_row(&o->places, at));
}

bool syt_selection_has_edge(const struct syt_selection *s, const struct syt_order *o,
                            const struct syt_edge *e)
{
	return syt_selection_is_all(s) || (has_end(s, o, e->from) && has_end(s, o, e->to));
}

bool syt_selection_has_image(const struct syt_selection *s, const struct syt_places *p,
                             uint32_t image)
{
	uint32_t nr = p->trace->images[image].nr_threads;

	for (uint32_t n = 0; n < nr; n++)
		if (syt_selection_has_thread(s, p->first[image] + n))
			return true;
	return !s->threads;
}

bool syt_selection_has_waiting(const struct syt_selection *s, const struct syt_places *p,
                               uint32_t thread)
{
	syt_time since = p->threads[thread]->waiting.since;

	return since && since < s->to && syt_selection_has_thread(s, thread);
}

struct syt_selected syt_selection_count(const struct syt_selection *s, const struct syt_order *o,
                                        const struct syt_tasks *tasks)
{
	const struct syt_places *p = &o->places;
	struct syt_selected nr = {0, 0, 0};

	for (uint32_t n = 0; n < p->nr_threads; n++) {
		if (!syt_selection_has_thread(s, n))
			continue;
		SYT_EACH(row, 0, p->threads[n]->nr_rows)
			nr.events += syt_selection_has_row(s, &p->threads[n]->rows[row]);
	}
	SYT_EACH_FAR(n, 0, tasks->nr)
		nr.tasks += syt_selection_has_task(s, tasks, &tasks->all[n]);
	SYT_EACH_FAR(n, 0, o->edges.nr)
		nr.edges += syt_selection_has_edge(s, o, &o->edges.all[n]);
	return nr;
}
