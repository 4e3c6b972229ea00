/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/against.h"

#include "decoder/report/compare/view.h"

enum syt_exit syt_against_print(struct syt_command *c, const struct syt_comparison *comparison,
                                bool has_all)
{
	const struct syt_difference_view v = {comparison, has_all};

	if (c->format == SYT_FORMAT_JSONL)
		syt_difference_json(c->out, &v);
	else if (c->format == SYT_FORMAT_MARKDOWN)
		syt_difference_markdown(c->out, &v);
	else if (c->format == SYT_FORMAT_JUNIT)
		syt_difference_junit(c->out, &v);
	else
		syt_difference_text(c->out, &v);
	return comparison->nr_findings || comparison->nr_following ? SYT_EXIT_FINDINGS
	                                                           : SYT_EXIT_OK;
}

enum syt_exit syt_against_check(struct syt_command *c, const char *path, bool has_all)
{
	struct syt_comparison comparison;
	struct syt_baseline before;
	struct syt_order order;
	struct syt_run after;
	enum syt_exit status;

	if (!syt_baseline_read(&before, path))
		return SYT_EXIT_UNREADABLE;
	if (syt_order_open_for(&order, c->trace, syt_run_edges)) {
		syt_baseline_close(&before);
		return SYT_EXIT_UNREADABLE;
	}
	syt_run_open(&after, "", &order, c->symbols, before.function);
	syt_comparison_open(&comparison, &before, &after, 1);
	status = syt_against_print(c, &comparison, has_all);
	syt_comparison_close(&comparison);
	syt_run_close(&after);
	syt_order_close(&order);
	syt_baseline_close(&before);
	return status;
}
