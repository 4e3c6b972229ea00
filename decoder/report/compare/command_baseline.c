/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode baseline writes the common facts of several runs to a file, which the user commits. */
#include <stdlib.h>

#include "decoder/report/compare/baseline.h"
#include "decoder/report/compare/runs.h"
#include "decoder/report/compare/task_rules.h"

struct options {
	const char *function; /* function whose visits are the units of work; NULL: not given */
	const char *keep;     /* file of an older baseline; NULL: not given */
	const char *rename;   /* file with names of tasks; NULL: not given */
};

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"per", 0, "FUNCTION", 0, "divide the counts by the number of calls of FUNCTION (default: "
	                           "by the number of requests if a server answers requests, "
	                           "otherwise by the number of runs)", 0}, AT(function), syt_parse_word},
	{{"keep", 0, "OLD", 0, "keep the tasks of the baseline OLD, with their names, if they occur in the runs", 0}, AT(keep), syt_parse_text},
	{{"rename", 0, "FILE", SYT_OPTION_NOT_OF_PROJECT, "give the other tasks the names in FILE; each of its lines is NAME = NEW NAME", 0}, AT(rename), syt_parse_text},
	SYT_OPTION_END,
};
/* clang-format on */

static void write_json(struct syt_out *out, const struct syt_baseline *b)
{
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "baseline");
	syt_json_string(&j, "unit", syt_work_unit_texts[b->rule]);
	syt_json_string(&j, "function", b->function);
	syt_json_u64(&j, "runs", b->nr_runs);
	syt_json_u64(&j, "units", b->units);
	syt_json_u64(&j, "events", b->nr_events);
	syt_json_u64(&j, "lost", b->nr_lost);
	syt_json_string(&j, SYT_KEY("recorded", "recorded_at"), b->origin.recorded);
	syt_json_string(&j, "host", b->origin.host);
	syt_json_string(&j, "recorder", b->origin.recorder);
	syt_json_string(&j, "program", b->origin.program);
	syt_json_end_line(&j);
	for (size_t i = 0; i < b->builds.nr; i++) {
		syt_json_begin_line(&j, "build");
		syt_json_string(&j, SYT_KEY("name", "file_name"), b->builds.all[i].name);
		syt_json_string(&j, "build_id", b->builds.all[i].id);
		syt_json_string(&j, "names", b->builds.all[i].names);
		syt_json_end_line(&j);
	}
	for (size_t i = 0; i < b->nr && !out->is_closed; i++) {
		const struct syt_norm *norm = &b->norms[i];

		syt_json_begin_line(&j, "fact");
		syt_json_string(&j, "fact", syt_fact_type_text(norm->type));
		syt_json_begin(&j, "expected", '{');
		for (unsigned per = 0; per < SYT_NR_PERS; per++) {
			static const char *const pers[] = {"unit", "run", "second", "task"};
			const struct syt_count_model *model = &norm->models.of[per];

			if (model->kind == SYT_COUNT_MODEL_NONE)
				continue;
			syt_json_key(&j, pers[per]);
			syt_out_printf(out, "[%.6g,%.6g]", model->low, model->high);
		}
		syt_json_end(&j);
		syt_json_bool(&j, "must_occur", norm->models.must_occur);
		syt_json_string(&j, "name", norm->name);
		syt_json_end_line(&j);
	}
}

static void write_text(struct syt_out *out, const struct syt_baseline *b)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = syt_memstream(&text, &bytes);

	syt_baseline_write(f, b);
	fclose(f);
	syt_out_bytes(out, text, bytes);
	free(text);
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	struct syt_runs runs = {0};
	struct syt_baseline b, keep;
	bool is_good;

	if (o->keep && !syt_baseline_read(&keep, o->keep))
		return SYT_EXIT_UNREADABLE;
	for (size_t i = 0; i < c->nr_inputs; i++) {
		if (!syt_runs_add(&runs, c, c->inputs[i], o->function)) {
			enum syt_exit status = syt_runs_status(&runs);

			syt_runs_close(&runs);
			if (o->keep)
				syt_baseline_close(&keep);
			return status;
		}
	}
	if (runs.nr < SYT_RUNS_FEW)
		syt_warn("a baseline of fewer than three runs cannot show which counts vary "
		         "between runs; five runs are better");
	syt_baseline_learn(&b, runs.all, runs.nr, o->function);
	is_good = syt_task_rules_learn(&b, runs.all, runs.nr, o->keep ? &keep : NULL, o->rename);
	if (o->keep)
		syt_baseline_close(&keep);
	if (is_good && c->format == SYT_FORMAT_JSONL)
		write_json(c->out, &b);
	else if (is_good)
		write_text(c->out, &b);
	syt_baseline_close(&b);
	syt_runs_close(&runs);
	return is_good ? SYT_EXIT_OK : SYT_EXIT_UNREADABLE;
}

const struct syt_report syt_report_baseline = {
	.name = "baseline",
	.summary = "the counts of calls, locks and waits that several runs share, for comparison "
	           "with later runs",
	.doc = "Prints a baseline: a text file with the counts of calls, locks and waits that "
	       "several runs of a program have in common. 'syntrace-decode diff' and 'check "
	       "--against' compare later runs with this file. RUN is a trace, or a directory with "
	       "one trace for each run. Counts that vary between the runs are not compared.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.reads_itself = syt_always,
	.args_doc = "[RUN...]",
	.run = run,
};
