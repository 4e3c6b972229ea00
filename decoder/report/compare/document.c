/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes documents for other programs: Markdown and JUnit's XML. */
#include <stdlib.h>

#include "decoder/report/compare/view.h"

/* ---- Markdown ---- */

/* Only '|', '`' and control characters need escapes. */
void syt_difference_markdown_code(struct syt_out *out, const char *text, size_t bytes)
{
	syt_out_char(out, '`');
	for (size_t i = 0, from = 0; i <= bytes; i++) {
		if (i < bytes && text[i] != '|' && text[i] != '`')
			continue;
		syt_out_safe_bytes(out, text + from, i - from);
		if (i < bytes)
			syt_out_string(out, text[i] == '|' ? "\\|" : "'");
		from = i + 1;
	}
	syt_out_char(out, '`');
}

static void markdown_finding(struct syt_out *out, const struct syt_difference_view *v,
                             const struct syt_difference *f)
{
	syt_out_string(out, "| ");
	syt_difference_headline(out, v->c, f);
	if (f->is_undecided)
		syt_out_string(out, ", undecided: events are missing");
	else if (f->follows)
		syt_out_string(out, ", a consequence of another difference");
	syt_out_string(out, " | ");
	if (syt_difference_has_task(f)) {
		syt_out_string(out, "task ");
		syt_difference_markdown_code(out, f->task, f->task_bytes);
		syt_out_string(out, "<br>");
	}
	for (unsigned part = 0; syt_difference_role(f->type, part); part++) {
		size_t bytes;
		const char *text = syt_difference_part(f->name, part, &bytes), *object;

		if (!*syt_difference_role(f->type, part))
			continue;
		syt_out_printf(out, "%s%s ", part ? "<br>" : "",
		               syt_difference_role(f->type, part));
		syt_difference_markdown_code(out, text, bytes);
		object = syt_difference_object(v->c, text, bytes);
		if (object) {
			syt_out_string(out, " on ");
			syt_difference_markdown_code(out, object, strlen(object));
		}
	}
	syt_out_string(out, " |\n");
}

void syt_difference_markdown(struct syt_out *out, const struct syt_difference_view *v)
{
	const struct syt_comparison *c = v->c;
	unsigned nr_notes = 0;
	size_t nr = 0;

	syt_out_string(out, c->nr_findings || c->nr_following
	                            ? "### Synchronization changed\n\n"
	                            : "### Synchronization unchanged\n\n");
	syt_out_string(out, "| | |\n|---|---|\n| before | ");
	syt_difference_side_text(out, c, false);
	syt_out_string(out, " |\n| after | ");
	syt_difference_side_text(out, c, true);
	syt_out_printf(out,
	               " |\n| compared | %zu counts of calls, waits and objects |\n"
	               "| not compared | %zu counts that vary between the runs before, %zu "
	               "differences that may be chance |\n",
	               c->nr_compared, c->nr_varying, c->nr_perhaps);
	if (c->nr_undecided)
		syt_out_printf(out, "| undecided | %zu differences, because events are missing |\n",
		               c->nr_undecided);
	for (char *note; (note = syt_difference_note(c, nr_notes)); nr_notes++) {
		syt_out_string(out, "| note | ");
		syt_difference_markdown_code(out, note, strlen(note));
		syt_out_string(out, " |\n");
		free(note);
	}
	for (size_t i = 0; i < c->nr && !out->is_closed; i++) {
		if (!syt_difference_is_shown(v, &c->all[i]))
			continue;
		if (!nr++)
			syt_out_string(out, "\n| change | where |\n|---|---|\n");
		markdown_finding(out, v, &c->all[i]);
	}
	if (c->nr_following && !v->has_all)
		syt_out_printf(out, "\n%zu more differences follow from these.\n", c->nr_following);
}

/* ---- JUnit ---- */

static void junit_finding(struct syt_out *out, const struct syt_difference_view *v,
                          const struct syt_difference *f)
{
	size_t bytes;
	const char *text = syt_difference_part(f->name, syt_fact_type_parts(f->type) - 1, &bytes);
	const char *object;
	bool is_failure = !f->is_undecided;

	syt_out_printf(out, "  <testcase classname=\"syntrace.%s\" name=\"",
	               syt_fact_type_text(f->type));
	syt_out_xml(out, text, bytes);
	syt_out_printf(out, "\">\n    <%s message=\"", is_failure ? "failure" : "skipped");
	syt_difference_headline(out, v->c, f);
	syt_out_string(out, "\">");
	if (syt_difference_has_task(f)) {
		syt_out_string(out, "task ");
		syt_out_xml(out, f->task, f->task_bytes);
		syt_out_char(out, '\n');
	}
	for (unsigned part = 0; syt_difference_role(f->type, part); part++) {
		if (!*syt_difference_role(f->type, part))
			continue;
		text = syt_difference_part(f->name, part, &bytes);
		syt_out_printf(out, "%s ", syt_difference_role(f->type, part));
		syt_out_xml(out, text, bytes);
		object = syt_difference_object(v->c, text, bytes);
		if (object) {
			syt_out_string(out, " on ");
			syt_out_xml(out, object, strlen(object));
		}
		syt_out_char(out, '\n');
	}
	syt_out_printf(out, "</%s>\n  </testcase>\n", is_failure ? "failure" : "skipped");
}

void syt_difference_junit(struct syt_out *out, const struct syt_difference_view *v)
{
	const struct syt_comparison *c = v->c;
	size_t nr = 1, nr_failures = 0, nr_skipped = 0;
	unsigned nr_notes = 0;

	for (size_t i = 0; i < c->nr; i++) {
		if (!syt_difference_is_shown(v, &c->all[i]))
			continue;
		nr++;
		nr_failures += !c->all[i].is_undecided;
		nr_skipped += c->all[i].is_undecided;
	}
	if (!v->is_part)
		syt_out_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	syt_out_printf(out,
	               "<testsuite name=\"syntrace\" "
	               "tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n"
	               "  <testcase classname=\"syntrace\" name=\"%zu counts compared\">\n"
	               "    <system-out>before: ",
	               nr, nr_failures, nr_skipped, c->nr_compared);
	syt_difference_side_text(out, c, false);
	syt_out_string(out, "\nafter: ");
	syt_difference_side_text(out, c, true);
	for (char *note; (note = syt_difference_note(c, nr_notes)); nr_notes++) {
		syt_out_char(out, '\n');
		syt_out_xml(out, note, strlen(note));
		free(note);
	}
	syt_out_string(out, "</system-out>\n  </testcase>\n");
	for (size_t i = 0; i < c->nr && !out->is_closed; i++)
		if (syt_difference_is_shown(v, &c->all[i]))
			junit_finding(out, v, &c->all[i]);
	syt_out_string(out, "</testsuite>\n");
}
