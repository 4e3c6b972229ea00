/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command blocked: the calls that had not returned when the trace ended. */
#include "decoder/command/view.h"
#include "decoder/report/blocked/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/wrap.h"

struct options {
	uint64_t limit;
};

/* clang-format off */
static const struct syt_option option_rows[] = {
	SYT_OPTION_LIMIT(offsetof(struct options, limit), "at most N calls and N groups (default: 10 as text, all in JSON)"),
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {.limit = SYT_LIMIT_AUTO};

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	struct syt_blocked blocked;
	struct syt_order order;
	struct syt_view v;
	bool is_defect;

	/* an edge of mutual exclusion explains no call that has not returned */
	if (syt_command_view_open(&v, &order, c,
	                          (struct syt_edges_wanted){SYT_EDGES_ALL, 1u << SYT_CLASS_CAUSAL}))
		return SYT_EXIT_UNREADABLE;
	v.limit = syt_limit_of(o->limit, !v.is_json);
	v.report = &blocked;
	syt_blocked_open(&blocked, &order);
	syt_coverage_begin(v.out, &order, v.is_json);
	if (!v.is_json) {
		syt_view_put_wrapped(&v, syt_blocked_headline);
		syt_out_char(v.out, '\n');
		syt_view_put_wrapped(&v, syt_blocked_findings);
	}
	syt_blocked_list(&v);
	syt_coverage_end(v.out, &order, v.is_json);
	is_defect = blocked.nr_groups && blocked.groups[0].state != SYT_BLOCKED_FREE_END;
	syt_blocked_close(&blocked);
	syt_command_view_close(&v, &order);
	return is_defect ? SYT_EXIT_FINDINGS : SYT_EXIT_OK;
}

const struct syt_report syt_report_blocked = {
	.name = "blocked",
	.summary = "the calls that had not returned at the end, and why no thread ends them",
	.doc = "Prints the calls that had not returned when the trace ended: their duration, their "
	       "object and the reason why they had not returned. Begins with the threads that wait "
	       "for each other (deadlock) or for a thread that cannot go on. The exit status is 1 "
	       "if "
	       "a thread hangs or may hang.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.defaults = &defaults,
	.is_sparse = syt_always,
	.run = run,
	.finding = {"Blocked at the end", "blocked", 0, SYT_FINDING_EDGES_CAUSAL, syt_blocked_find,
                    false},
};
