/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command diagnose prints the findings of all reports, worst first. */
#include <string.h>

#include "decoder/command/view.h"
#include "decoder/report/diagnose/view.h"
#include "decoder/show/coverage_print.h"

/* Prints the part of a report: its findings, or only its headline if the causes contain the findings. Samples of perf
 * name functions in the findings only. */
static void print_text(const struct syt_view *v, const struct syt_finding *f)
{
	bool has_headline = f->source->is_detail || f->tone == SYT_TONE_BAD;
	bool has_findings = !f->source->is_detail || v->perf;

	syt_out_blank_line(v->out);
	syt_out_color(v->out, SYT_COLOR_BOLD);
	syt_out_string(v->out, f->source->title);
	syt_out_color(v->out, SYT_COLOR_NONE);
	if (strcmp(f->verb, "diagnose"))
		syt_out_printf(v->out, " (more: syntrace-decode %s)", f->verb);
	syt_out_char(v->out, '\n');
	if (has_findings) {
		syt_out_string(v->out, f->text);
		syt_out_char(v->out, '\n');
	}
	if (has_headline) {
		syt_out_color(v->out, SYT_COLOR_DIM);
		syt_out_string(v->out, f->headline);
		syt_out_color(v->out, SYT_COLOR_NONE);
		syt_out_char(v->out, '\n');
	}
}

static void print_json(const struct syt_view *v, const struct syt_finding *f)
{
	struct syt_json j = {.out = v->out};

	syt_json_begin_line(&j, "finding");
	syt_finding_json(&j, f);
	syt_json_end_line(&j);
}

struct options {
	const char *perf;
};

static const struct syt_option option_rows[] = {
	SYT_OPTION_PERF(offsetof(struct options, perf)),
	SYT_OPTION_END,
};

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	struct syt_finding all[SYT_NR_REPORTS];
	struct syt_order order;
	struct syt_view v;
	struct syt_causes causes;
	bool is_defect = false;
	size_t nr;

	if (syt_command_view_open(&v, &order, c,
	                          (struct syt_edges_wanted){SYT_EDGES_ALL, SYT_EDGES_ALL}))
		return SYT_EXIT_UNREADABLE;
	if (syt_command_view_perf(&v, o->perf)) {
		syt_command_view_close(&v, &order);
		return SYT_EXIT_UNREADABLE;
	}
	syt_causes_open(&causes, &order);
	v.causes = &causes;
	nr = syt_findings_gather(all, &order, &v, NULL);
	syt_coverage_begin(v.out, &order, v.is_json);
	if (v.is_json) {
		syt_diagnose_list(&v);
		for (size_t n = 0; n < nr; n++)
			print_json(&v, &all[n]);
	} else {
		size_t nr_shown = syt_findings_arrange(all, nr);

		for (size_t n = 0; n < nr_shown; n++)
			print_text(&v, &all[n]);
	}
	for (size_t n = 0; n < nr; n++) {
		is_defect |= all[n].is_defect;
		syt_finding_free(&all[n]);
	}
	syt_coverage_end(v.out, &order, v.is_json);
	syt_causes_close(&causes);
	syt_command_view_close(&v, &order);
	return is_defect ? SYT_EXIT_FINDINGS : SYT_EXIT_OK;
}

const struct syt_report syt_report_diagnose = {
	.name = "diagnose",
	.summary = "the reasons why a program is slow or stuck: the first lines of every report",
	.doc = "Prints threads that are blocked at the end of the trace, lock orders that can lead "
	       "to "
	       "a deadlock, and the causes of lost time, worst first, with the object, the call "
	       "path "
	       "and advice. The numbers of the other reports follow, with the verb of "
	       "syntrace-decode "
	       "that prints the details. The exit status is 1 if there is a deadlock or a possible "
	       "deadlock.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.run = run,
	.finding = {"Findings", "findings", 2, SYT_FINDING_EDGES_CAUSAL, syt_diagnose_find, false},
};
