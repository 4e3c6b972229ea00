/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/critical_path/run.h"

bool syt_path_find_event(const struct syt_order *order, const char *id, struct syt_place *at)
{
	if (syt_place_find(&order->places, id, at))
		return true;
	syt_warn("there is no event '%s': ids are P.T.N, as events prints them", id);
	return false;
}

enum syt_exit syt_path_run(struct syt_command *c, const struct syt_order *order,
                           struct syt_path_view *v, syt_time from, syt_path_printer *text,
                           syt_path_printer *json)
{
	struct syt_path path;
	struct syt_path_sum sum;

	if (syt_path_open(&path, order, from, v->to))
		return SYT_EXIT_UNREADABLE;
	v->symbols = c->symbols;
	v->labels = syt_labels_create(&order->places, c->symbols, 0);
	v->path = &path;
	v->sum = &sum;
	syt_path_sum_open(&sum, &path, v->labels, c->symbols);
	(c->format == SYT_FORMAT_JSONL ? json : text)(c->out, v);
	syt_path_sum_close(&sum);
	syt_labels_destroy(v->labels);
	syt_path_close(&path);
	return SYT_EXIT_OK;
}
