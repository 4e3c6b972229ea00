/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/runs.h"

#include <stdlib.h>

#include "decoder/command/runs.h"
#include "decoder/model/merge.h"
#include "decoder/model/start.h"

/* Keeps a copy of the leaves of the run, from which its tasks are found. */
static bool add_graph(struct syt_run *run, struct syt_order *order, struct syt_symbols *symbols)
{
	struct syt_model_input in;
	const struct syt_model_input *only = &in;
	struct syt_tasks tasks;
	bool is_good;

	syt_tasks_open(&tasks, &order->places, NULL);
	is_good = !syt_model_input_open(&in, order, &tasks, symbols);
	if (is_good) {
		is_good = !syt_model_merge(&run->graph, &only, 1);
		syt_model_input_close(&in);
	}
	syt_tasks_close(&tasks);
	return is_good;
}

/* What syt_runs_each() passes to add_run(). */
struct adding {
	struct syt_runs *runs;
	const char *function;
};

static bool add_run(void *context, const char *path, const struct syt_trace_data *trace,
                    struct syt_symbols *symbols)
{
	const struct adding *a = context;
	struct syt_runs *runs = a->runs;
	struct syt_order order;
	bool is_good;

	runs->is_refused = syt_trace_is_sampled(trace);
	if (runs->is_refused) {
		syt_warn("%s: the trace is sampled, so it does not tell which calls are new or "
		         "gone; compare the call paths with 'syntrace-decode sampling --against'",
		         path);
		return false;
	}
	if (syt_order_open_for(&order, trace, syt_model_edges))
		return false;
	syt_grow(&runs->all, &runs->room, runs->nr + 1, sizeof(*runs->all));
	syt_run_open(&runs->all[runs->nr], path, &order, symbols, a->function);
	is_good = add_graph(&runs->all[runs->nr++], &order, symbols);
	syt_order_close(&order);
	if (is_good && runs->examine)
		is_good = runs->examine(runs->context, path, trace, symbols);
	return is_good;
}

bool syt_runs_add(struct syt_runs *runs, struct syt_command *c, const char *path,
                  const char *function)
{
	return syt_runs_each(c, path, add_run, &(struct adding){runs, function});
}

void syt_runs_close(struct syt_runs *runs)
{
	for (size_t i = 0; i < runs->nr; i++)
		syt_run_close(&runs->all[i]);
	free(runs->all);
	*runs = (struct syt_runs){0};
}
