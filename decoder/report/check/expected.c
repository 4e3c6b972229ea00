/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/check/expected.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/model/profile.h"
#include "decoder/model/start.h"
#include "decoder/report/compare/task_rules.h"
#include "decoder/report/compare/view.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

/* ---- the check ---- */

static char *id_of(const struct syt_model *m, uint32_t node)
{
	char id[SYT_NODE_TEXT];

	syt_order_node_text(m->in->order, syt_model_place(m, node), id, sizeof(id));
	return syt_asprintf("%s", id);
}

/* Returns true if B has a task with the name NAME; NULL: any task. */
static bool has_task(const struct syt_baseline *b, const char *name)
{
	size_t bytes = name ? strlen(name) : 0;

	for (size_t i = 0; i < b->nr && b->norms[i].type == SYT_FACT_TASK; i++)
		if (!name ||
		    (!strncmp(b->norms[i].name, name, bytes) && b->norms[i].name[bytes] == '\t'))
			return true;
	return false;
}

static void add(struct syt_expected_runs *r, const struct syt_model *m,
                const struct syt_expectation *e, const struct syt_model_profile *profiles,
                const char *path, bool is_of_baseline)
{
	struct syt_expected x = {.result = syt_expect_check(e, m, profiles),
	                         .is_of_baseline = is_of_baseline,
	                         .run = syt_asprintf("%s", path)};

	if (x.result.nr_failed) {
		x.id = id_of(m, x.result.node);
		x.task = syt_asprintf("%s",
		                      syt_model_part_text(m, syt_model_what(m, x.result.node)));
	}
	if (x.result.nr_failed && e->what == SYT_EXPECT_BEFORE) {
		x.first = id_of(m, x.result.first);
		x.second = id_of(m, x.result.second);
	}
	x.is_in_baseline = x.result.verdict == SYT_EXPECT_NO_TASK && r->baseline &&
	                   has_task(r->baseline, e->subject);
	r->nr_failed += x.result.verdict != SYT_EXPECT_HOLDS;
	*SYT_ADD(r->all, r->nr, r->room) = x;
}

/* Makes the model M of IN: with the tasks of the baseline, if the run contains them, because they have known names. */
static bool open_model(struct syt_model *m, const struct syt_expected_runs *r,
                       const struct syt_model_input *in, bool *is_of_baseline)
{
	struct syt_model_options options = {.least = SYT_MODEL_LEAST};
	struct syt_model_forest forest;

	*is_of_baseline = r->baseline && syt_task_rules_apply(r->baseline, in, &forest);
	if (!*is_of_baseline)
		return !syt_model_open(m, in, &options);
	syt_model_build(m, in, &options, &forest);
	return true;
}

bool syt_expected_runs_add(void *context, const char *path, const struct syt_trace_data *trace,
                           struct syt_symbols *symbols)
{
	struct syt_expected_runs *r = context;
	struct syt_model_input in;
	struct syt_model m;
	struct syt_order order;
	struct syt_tasks tasks;
	bool is_good = false, is_of_baseline;

	if (syt_order_open_for(&order, trace, syt_model_edges))
		return false;
	syt_tasks_open(&tasks, &order.places, NULL);
	if (!syt_model_input_open(&in, &order, &tasks, symbols)) {
		if (open_model(&m, r, &in, &is_of_baseline)) {
			struct syt_model_profile *profiles =
				syt_expect_needs_profiles(&r->expect)
					? syt_model_profile_instances(&m)
					: NULL;

			for (size_t i = 0; i < r->expect.nr; i++)
				add(r, &m, &r->expect.all[i], profiles, path, is_of_baseline);
			syt_store_free(profiles);
			syt_model_close(&m);
			r->nr_runs++;
			is_good = true;
		}
		syt_model_input_close(&in);
	}
	syt_tasks_close(&tasks);
	syt_order_close(&order);
	return is_good;
}

void syt_expected_runs_close(struct syt_expected_runs *r)
{
	for (size_t i = 0; i < r->nr; i++) {
		free(r->all[i].run);
		free(r->all[i].id);
		free(r->all[i].task);
		free(r->all[i].first);
		free(r->all[i].second);
	}
	free(r->all);
	syt_expect_close(&r->expect);
}

/* ---- parts that the formats share ---- */

static bool holds(const struct syt_expected *x)
{
	return x->result.verdict == SYT_EXPECT_HOLDS;
}

static void put_value(struct syt_out *out, const struct syt_expect_result *r)
{
	switch (r->e->what) {
	case SYT_EXPECT_LATENCY:
	case SYT_EXPECT_RAN:
	case SYT_EXPECT_CPU:
	case SYT_EXPECT_WAIT:
		syt_print_span(out, r->value);
		break;
	case SYT_EXPECT_SENT:
	case SYT_EXPECT_RECEIVED:
		syt_out_printf(out, "%" PRIu64 " bytes", r->value);
		break;
	case SYT_EXPECT_COUNT:
	case SYT_EXPECT_BEFORE:
	case SYT_EXPECT_THREADS:
		syt_out_u64(out, r->value);
		break;
	}
}

/* Writes why the expectation X fails: "3 of 992 occurrences are not as expected; the first, 0.3.17 of commit, has 2". */
static void put_reason(struct syt_out *out, const struct syt_expected *x)
{
	const struct syt_expect_result *r = &x->result;

	switch (r->verdict) {
	case SYT_EXPECT_HOLDS:
		break;
	case SYT_EXPECT_NO_TASK:
		syt_out_printf(out, "the %s has no ",
		               x->is_in_baseline   ? "run"
		               : x->is_of_baseline ? "baseline"
		                                   : "model");
		syt_out_string(out, r->e->subject ? "task " : "task");
		syt_out_safe(out, r->e->subject ? r->e->subject : "");
		syt_out_string(out, x->is_in_baseline   ? ", but the baseline has"
		                    : x->is_of_baseline ? "; the lines 'task' of its file name its tasks"
		                                        : "; syntrace-decode model prints the tasks");
		return;
	case SYT_EXPECT_NO_PART:
		syt_out_string(out, "no occurrence contains ");
		syt_out_safe(out, r->missing ? r->missing : "both");
		return;
	case SYT_EXPECT_NO_VALUE:
		syt_out_string(out, "the trace lacks these values");
		return;
	case SYT_EXPECT_FAILS:
		break;
	}
	syt_out_printf(out, "%" PRIu64 " of %" PRIu64 " occurrences %s not as expected",
	               r->nr_failed, r->nr, r->nr_failed == 1 ? "is" : "are");
	if (!r->nr_failed)
		return;
	syt_out_printf(out, "; %s %s of ", x->first ? "in the first," : "the first,", x->id);
	syt_out_safe(out, x->task);
	syt_out_string(out, x->first ? ", " : ", has ");
	if (x->first)
		syt_out_printf(out, "%s does not happen before %s", x->first, x->second);
	else
		put_value(out, r);
}

/* Returns the reason as a text that the caller frees. */
static char *reason_text(const struct syt_expected *x)
{
	struct syt_out words;
	char *text;

	syt_out_open(&words, -1, false);
	put_reason(&words, x);
	text = syt_out_take(&words);
	syt_out_close(&words);
	return text;
}

static const char *plural(size_t nr)
{
	return nr == 1 ? "" : "s";
}

/* ---- text ---- */

static void put_text(struct syt_out *out, const struct syt_expected_runs *r)
{
	struct syt_out words;
	size_t nr = 0;

	if (r->has_more)
		syt_out_char(out, '\n');
	syt_wrap_begin(&words, out);
	syt_out_printf(&words, "%zu expectation%s about %zu run%s: %zu hold%s, %zu fail%s.",
	               r->expect.nr, plural(r->expect.nr), r->nr_runs, plural(r->nr_runs),
	               r->nr - r->nr_failed, r->nr - r->nr_failed == 1 ? "s" : "", r->nr_failed,
	               r->nr_failed == 1 ? "s" : "");
	syt_wrap_end(&words, out, 0);
	for (size_t i = 0; i < r->nr && !out->is_closed; i++) {
		const struct syt_expected *x = &r->all[i];

		if (holds(x))
			continue;
		syt_out_char(out, '\n');
		syt_wrap_begin(&words, out);
		syt_out_printf(&words, "%zu. ", ++nr);
		syt_out_color(&words, SYT_COLOR_BOLD);
		syt_out_safe(&words, x->result.e->text);
		syt_out_color(&words, SYT_COLOR_NONE);
		syt_out_string(&words, "\n   ");
		put_reason(&words, x);
		syt_out_string(&words, "\n   in ");
		syt_out_safe(&words, x->run);
		syt_out_string(&words, ", expected in ");
		syt_out_safe(&words, r->file);
		syt_out_printf(&words, ":%" PRIu32 "\n", x->result.e->line);
		syt_wrap_end_lines(&words, out);
	}
}

/* ---- JSON ---- */

static void put_json(struct syt_out *out, const struct syt_expected_runs *r)
{
	static const char *const outcomes[] = {[SYT_EXPECT_HOLDS] = "holds",
	                                       [SYT_EXPECT_FAILS] = "fails",
	                                       [SYT_EXPECT_NO_TASK] = "no_task",
	                                       [SYT_EXPECT_NO_PART] = "no_part",
	                                       [SYT_EXPECT_NO_VALUE] = "no_value"};

	for (size_t i = 0; i < r->nr && !out->is_closed; i++) {
		const struct syt_expected *x = &r->all[i];
		struct syt_json j = {.out = out};

		syt_json_begin_line(&j, "expectation");
		syt_json_string(&j, "expectation", x->result.e->text);
		syt_json_u64(&j, "expectation_line", x->result.e->line);
		syt_json_string(&j, "run", x->run);
		syt_json_string(&j, "outcome", outcomes[x->result.verdict]);
		syt_json_u64(&j, "occurrences", x->result.nr);
		syt_json_u64(&j, "unexpected", x->result.nr_failed);
		if (x->id) {
			syt_json_string(&j, "task", x->task);
			syt_json_string(&j, "id", x->id);
		}
		if (x->id && !x->first)
			syt_json_u64(&j, "found_value", x->result.value);
		if (x->first) {
			syt_json_begin(&j, "wrong_order", '[');
			syt_json_string(&j, NULL, x->first);
			syt_json_string(&j, NULL, x->second);
			syt_json_end(&j);
		}
		syt_json_end_line(&j);
	}
}

/* ---- Markdown ---- */

static void put_markdown(struct syt_out *out, const struct syt_expected_runs *r)
{
	syt_out_printf(out, "%s### Expectations %s\n\n%zu expectation%s, %zu run%s, %zu failed.\n",
	               r->has_more ? "\n" : "", r->nr_failed ? "failed" : "hold", r->expect.nr,
	               plural(r->expect.nr), r->nr_runs, plural(r->nr_runs), r->nr_failed);
	if (r->nr_failed)
		syt_out_string(out, "\n| expectation | result |\n|---|---|\n");
	for (size_t i = 0; i < r->nr && !out->is_closed; i++) {
		const struct syt_expected *x = &r->all[i];
		char *reason;

		if (holds(x))
			continue;
		reason = reason_text(x);
		syt_out_string(out, "| ");
		syt_difference_markdown_code(out, x->result.e->text, strlen(x->result.e->text));
		syt_out_string(out, " | ");
		syt_difference_markdown_code(out, reason, strlen(reason));
		syt_out_string(out, "<br>in ");
		syt_difference_markdown_code(out, x->run, strlen(x->run));
		syt_out_string(out, " |\n");
		free(reason);
	}
}

/* ---- JUnit ---- */

static void put_junit(struct syt_out *out, const struct syt_expected_runs *r)
{
	syt_out_printf(out,
	               "<testsuite name=\"syntrace expectations\" tests=\"%zu\" failures=\"%zu\" "
	               "errors=\"0\" skipped=\"0\">\n",
	               r->nr, r->nr_failed);
	for (size_t i = 0; i < r->nr && !out->is_closed; i++) {
		const struct syt_expected *x = &r->all[i];
		char *reason = reason_text(x);

		syt_out_string(out, "  <testcase classname=\"syntrace.expectation\" name=\"");
		syt_out_xml(out, x->result.e->text, strlen(x->result.e->text));
		if (holds(x)) {
			syt_out_string(out, "\"/>\n");
		} else {
			syt_out_string(out, "\">\n    <failure message=\"");
			syt_out_xml(out, reason, strlen(reason));
			syt_out_string(out, "\">in ");
			syt_out_xml(out, x->run, strlen(x->run));
			syt_out_string(out, "</failure>\n  </testcase>\n");
		}
		free(reason);
	}
	syt_out_string(out, "</testsuite>\n");
	if (r->has_more)
		syt_out_string(out, "</testsuites>\n");
}

void syt_expected_begin(struct syt_command *c, const struct syt_expected_runs *r)
{
	if (c->format == SYT_FORMAT_JUNIT)
		syt_out_printf(c->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n%s",
		               r->has_more ? "<testsuites>\n" : "");
}

enum syt_exit syt_expected_print(struct syt_command *c, const struct syt_expected_runs *r)
{
	static void (*const put[])(struct syt_out *, const struct syt_expected_runs *) = {
		[SYT_FORMAT_TEXT] = put_text,
		[SYT_FORMAT_JSONL] = put_json,
		[SYT_FORMAT_MARKDOWN] = put_markdown,
		[SYT_FORMAT_JUNIT] = put_junit};

	put[c->format](c->out, r);
	return r->nr_failed ? SYT_EXIT_FINDINGS : SYT_EXIT_OK;
}
