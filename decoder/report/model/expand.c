/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The model expanded to the graph of all leaf tasks, as the verb graph prints it. */
#include <stdlib.h>

#include "decoder/report/graph/view.h"
#include "decoder/report/model/view.h"

/* Copies the leaf tasks of NODE and of all nodes below it from ALL to FOUND, with their labels. */
static void collect(const struct syt_model *m, uint32_t node, struct syt_labels *labels,
                    struct syt_task *found)
{
	struct syt_model_walk w = syt_model_walk_of(node);

	for (uint32_t n; (n = syt_model_walk_next(m, &w)) != SYT_NONE;) {
		uint64_t nr = syt_model_is_leaf(m, n) ? syt_model_leaf_tasks(m->in, n) : 0;

		for (uint64_t i = 0; i < nr; i++) {
			uint64_t task = m->in->leaves[n].task + i;

			found[task] = m->in->tasks->all[task];
			found[task].label = syt_label_of(
				labels, (struct syt_place){found[task].thread, found[task].begin},
				(struct syt_place){found[task].thread, found[task].end});
		}
	}
}

void syt_model_expand(const struct syt_model_view *v, struct syt_order *order,
                      struct syt_labels *labels, bool is_json)
{
	const struct syt_model *m = v->m;
	struct syt_tasks tasks = *m->in->tasks;
	struct syt_graph single, sums;

	tasks.all = syt_store_alloc(tasks.nr, sizeof(*tasks.all));
	SYT_EACH(i, 0, tasks.nr) {
		tasks.all[i] = m->in->tasks->all[i];
		/* a leaf task that is in no tree stays without a label, and the graph omits it */
		tasks.all[i].label = SYT_NONE;
	}
	SYT_EACH(node, 0, m->nr_nodes)
		if (m->up[node] == SYT_NONE)
			collect(m, node, labels, tasks.all);
	syt_edges_narrow(&order->edges,
	                 (struct syt_edges_wanted){SYT_EDGES_ALL, 1u << SYT_CLASS_CAUSAL});
	syt_graph_open(&single, order, &tasks, labels, false);
	syt_graph_aggregate(&sums, &single, syt_labels_nr(labels));
	struct syt_graph_view view = {&sums, order, labels, true};

	if (is_json)
		syt_graph_json(v->out, &view);
	else
		syt_graph_text(v->out, &view);
	syt_graph_close(&sums);
	syt_graph_close(&single);
	syt_store_free(tasks.all);
}
