/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command check verifies the invariants of a trace, or with --against compares it with a baseline. */
#include <stdlib.h>

#include "base/work.h"
#include "decoder/report/check/expected.h"
#include "decoder/report/check/view.h"
#include "decoder/report/compare/match.h"
#include "decoder/report/compare/runs.h"
#include "decoder/report/compare/task_rules.h"
#include "decoder/report/compare/view.h"

#define DEFAULT_LIMIT 5u

struct options {
	uint64_t chosen; /* chosen checks, as bits 1 << index in syt_invariants; 0: all */
	uint64_t limit;
	const char *baseline; /* file of the baseline, or NULL */
	const char *expect;   /* file of the expectations, or NULL */
	bool has_all;
};

static void choose(uint64_t *chosen, const char *name, size_t bytes, struct argp_state *state)
{
	for (unsigned i = 0; i < syt_nr_invariants; i++) {
		if (strlen(syt_invariants[i].name) == bytes &&
		    !memcmp(syt_invariants[i].name, name, bytes)) {
			*chosen |= UINT64_C(1) << i;
			return;
		}
	}
	argp_error(state, "unknown invariant '%.*s'; --list prints their names", (int)bytes, name);
}

static void parse_list(void *field, const char *name, const char *arg, struct argp_state *state)
{
	(void)field, (void)name, (void)arg, (void)state;
	for (unsigned i = 0; i < syt_nr_invariants; i++)
		printf("%-12s %s\n", syt_invariants[i].name, syt_invariants[i].proves);
	exit(SYT_EXIT_OK);
}

static void parse_only(void *field, const char *name, const char *arg, struct argp_state *state)
{
	(void)name;
	for (const char *end; *arg; arg = end + (*end == ',')) {
		end = strchrnul(arg, ',');
		choose(field, arg, (size_t)(end - arg), state);
	}
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"only", 0, "NAME[,NAME...]", 0, "check only the invariants with these names", 0}, AT(chosen), parse_only},
	{{"list", 0, NULL, 0, "list the names and meanings of all invariants; no trace is needed", 0}, 0, parse_list},
	SYT_OPTION_LIMIT(AT(limit), "print at most N violations of each invariant (default: 5)"),
	{{"against", 0, "BASELINE", 0, "compare the runs with BASELINE, a file that 'syntrace-decode baseline' printed, instead of checking invariants", 0}, AT(baseline), syt_parse_text},
	{{"expect", 0, "FILE", SYT_OPTION_NOT_OF_PROJECT, "check the expectations in FILE about the tasks of the runs (the tasks of 'syntrace-decode model'), instead of checking invariants", 0}, AT(expect), syt_parse_text},
	{{"all", 0, NULL, 0, "with --against: also print the differences that are a consequence of another printed difference", 0}, AT(has_all), syt_parse_true},
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {.limit = DEFAULT_LIMIT};

static void check(void *options_, struct argp_state *state)
{
	const struct options *o = options_;

	if (o->chosen && (o->baseline || o->expect))
		argp_error(state, "--only and --%s exclude each other: --%s checks no invariant",
		           o->baseline ? "against" : "expect", o->baseline ? "against" : "expect");
	if (o->has_all && !o->baseline)
		argp_error(state, "--all needs --against");
}

/* Compares the runs AFTER with the baseline BEFORE, and prints the result. IS_PART: the output continues. */
static enum syt_exit compare(struct syt_command *c, struct syt_baseline *before,
                             struct syt_runs *after, bool is_part)
{
	const struct options *o = c->options;
	struct syt_comparison comparison;
	struct syt_sides sides = {.before = before, .after = after->all, .nr_after = after->nr};
	struct syt_matches matches;
	enum syt_exit status;

	syt_match(&matches, &sides);
	if (!matches.has_other_rules)
		syt_task_rules_count(before, after->all, after->nr);
	syt_comparison_open(&comparison, before, after->all, after->nr);
	comparison.matches = &matches;
	status = syt_difference_print(c, &(struct syt_difference_view){.c = &comparison,
	                                                               .has_all = o->has_all,
	                                                               .is_part = is_part});
	syt_comparison_close(&comparison);
	syt_matches_close(&matches);
	return status;
}

/* Examines the inputs, each of which is a run of a program or a directory of runs: compares them with the baseline, and
 * checks the expectations. */
static enum syt_exit examine(struct syt_command *c)
{
	const struct options *o = c->options;
	struct syt_expected_runs expected = {0};
	struct syt_baseline before = {0};
	struct syt_runs after = {.context = &expected,
	                         .examine = o->expect ? syt_expected_runs_add : NULL};
	enum syt_exit status = SYT_EXIT_OK;
	bool is_good = (!o->expect || syt_expect_read(&expected.expect, o->expect)) &&
	               (!o->baseline || syt_baseline_read(&before, o->baseline));

	expected.file = o->expect;
	expected.has_more = o->baseline;
	expected.baseline = o->baseline ? &before : NULL;
	for (size_t i = 0; i < c->nr_inputs && is_good; i++)
		is_good = syt_runs_add(&after, c, c->inputs[i], before.function);
	if (is_good && o->expect)
		syt_expected_begin(c, &expected);
	if (is_good && o->baseline)
		status = compare(c, &before, &after, o->expect);
	if (is_good && o->expect && syt_expected_print(c, &expected) != SYT_EXIT_OK)
		status = SYT_EXIT_FINDINGS;
	if (!is_good)
		status = syt_runs_status(&after);
	syt_runs_close(&after);
	syt_baseline_close(&before);
	syt_expected_runs_close(&expected);
	return status;
}

static bool reads_itself(const void *options)
{
	const struct options *o = options;

	return o->baseline || o->expect;
}

struct checking {
	const struct syt_order *order;
	uint64_t nr_examples;
	struct syt_checked *all;
};

static void run_one(void *context, size_t number, unsigned worker)
{
	const struct checking *k = context;
	struct syt_checked *one = &k->all[number];

	(void)worker;
	syt_check_run(&one->result, one->invariant, k->order, k->nr_examples);
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	enum syt_exit status = SYT_EXIT_OK;
	struct syt_order order;
	const struct syt_view v = {.out = c->out,
	                           .order = &order,
	                           .symbols = c->symbols,
	                           .is_json = c->format == SYT_FORMAT_JSONL};
	struct syt_checked *all;
	unsigned nr = 0, nr_kept = 0;

	if (reads_itself(o))
		return examine(c);
	if (c->format == SYT_FORMAT_MARKDOWN || c->format == SYT_FORMAT_JUNIT) {
		syt_warn("the formats markdown and junit need --against or --expect");
		return SYT_EXIT_USAGE;
	}
	if (syt_order_open(&order, c->trace))
		return SYT_EXIT_UNREADABLE;
	all = syt_calloc(syt_nr_invariants, sizeof(*all));
	for (unsigned i = 0; i < syt_nr_invariants; i++) {
		if (o->chosen && !(o->chosen >> i & 1))
			continue;
		all[nr++].invariant = &syt_invariants[i];
	}
	syt_work(nr, c->trace->nr_workers, run_one, &(struct checking){&order, o->limit, all});
	for (unsigned i = 0; i < nr; i++) {
		if (all[i].result.nr_violations)
			status = SYT_EXIT_FINDINGS;
		/* a void result has no memory */
		if (!all[i].result.is_void || o->chosen)
			all[nr_kept++] = all[i];
	}
	(v.is_json ? syt_check_json : syt_check_text)(&v, all, nr_kept);
	for (unsigned i = 0; i < nr_kept; i++)
		syt_check_close(&all[i].result);
	free(all);
	syt_order_close(&order);
	return status;
}

const struct syt_report syt_report_check = {
	.name = "check",
	.summary = "checks that the trace is consistent: events are complete, locks exclude each "
		   "other",
	.doc = "Checks the invariants of a trace, which are properties that every correct trace "
	       "has: all lost events are counted, the order of the events has no contradiction, "
	       "and locks exclude each other. The exit status is 1 if an invariant is violated. "
	       "With --against, compares each TRACE, which is a run or a directory of runs, with a "
	       "baseline, a file that 'syntrace-decode baseline' printed. With --expect, checks "
	       "the expectations in a file about the tasks of each TRACE.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL | 1u << SYT_FORMAT_MARKDOWN |
                   1u << SYT_FORMAT_JUNIT,
	.options = option_rows,
	.defaults = &defaults,
	.check = check,
	.options_bytes = sizeof(struct options),
	.reads_itself = reads_itself,
	.run = run,
};
