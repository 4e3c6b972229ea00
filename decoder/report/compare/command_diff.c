/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode diff prints the differences between earlier and later runs of a program. */

#include "decoder/report/compare/match.h"
#include "decoder/report/compare/runs.h"
#include "decoder/report/compare/task_rules.h"
#include "decoder/report/compare/view.h"

struct options {
	const char *function; /* the unit is a visit of this function; NULL: not given */
	bool has_all;
};

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"per", 0, "FUNCTION", 0, "divide the counts by the number of calls of FUNCTION (default: "
	                           "by the number of requests if a server answers requests, "
	                           "otherwise by the number of runs)", 0}, AT(function), syt_parse_word},
	{{"all", 0, NULL, 0, "also print the differences that are a consequence of another printed difference", 0}, AT(has_all), syt_parse_true},
	SYT_OPTION_END,
};
/* clang-format on */

/* Reads the old runs, or a baseline, into BEFORE. A baseline itself names the unit of work of its counts. */
static bool read_before(struct syt_command *c, struct syt_baseline *before, struct syt_runs *runs)
{
	const struct options *o = c->options;

	if (!syt_baseline_is_file(c->inputs[0])) {
		if (!syt_runs_add(runs, c, c->inputs[0], o->function))
			return false;
		syt_baseline_learn(before, runs->all, runs->nr, o->function);
		syt_task_rules_learn(before, runs->all, runs->nr, NULL, NULL);
		return true;
	}
	if (!syt_baseline_read(before, c->inputs[0]))
		return false;
	if (o->function && (!before->function || strcmp(before->function, o->function) != 0)) {
		syt_warn("%s: the counts in this baseline are not divided by the number of calls "
		         "of %s",
		         c->inputs[0], o->function);
		syt_baseline_close(before);
		return false;
	}
	return true;
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	struct syt_runs runs = {0}, after = {0};
	enum syt_exit status = SYT_EXIT_UNREADABLE;
	struct syt_comparison comparison;
	struct syt_baseline before;

	if (c->nr_inputs != 2) {
		syt_warn("diff takes two arguments: BEFORE and AFTER");
		return SYT_EXIT_USAGE;
	}
	if (!read_before(c, &before, &runs)) {
		status = syt_runs_status(&runs);
		syt_runs_close(&runs);
		return status;
	}
	if (syt_runs_add(&after, c, c->inputs[1], before.function)) {
		struct syt_sides sides = {&before, runs.all, runs.nr, after.all, after.nr};
		struct syt_matches matches;

		syt_match(&matches, &sides);
		if (!matches.has_other_rules)
			syt_task_rules_count(&before, after.all, after.nr);
		syt_comparison_open(&comparison, &before, after.all, after.nr);
		comparison.matches = &matches;
		if (runs.nr)
			syt_comparison_times(&comparison, runs.all, runs.nr);
		status = syt_difference_print(
			c, &(struct syt_difference_view){.c = &comparison, .has_all = o->has_all});
		syt_comparison_close(&comparison);
		syt_matches_close(&matches);
	} else {
		status = syt_runs_status(&after);
	}
	syt_baseline_close(&before);
	syt_runs_close(&runs);
	syt_runs_close(&after);
	return status;
}

const struct syt_report syt_report_diff = {
	.name = "diff",
	.summary = "the differences between runs of a program: calls, locks, and wake-ups between "
		   "threads",
	.doc = "Compares runs of a program. BEFORE is a trace, a directory with one trace for each "
	       "run, or a baseline, a file that 'syntrace-decode baseline' printed. AFTER is a "
	       "trace, or a directory with one trace for each run. Without arguments, compares "
	       "the last two traces of 'syntrace record'. Prints the calls, locks, and "
	       "wake-ups between threads that are new, gone, more or fewer for each request or "
	       "run. The exit status is 1 if there is a difference.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL | 1u << SYT_FORMAT_MARKDOWN |
                   1u << SYT_FORMAT_JUNIT,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.reads_itself = syt_always,
	.compares = true,
	.args_doc = "[BEFORE [AFTER]]",
	.run = run,
};
