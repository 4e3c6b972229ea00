/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/finding.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/wrap.h"

/* Returns the output of the function WRITE as text. The caller frees the text. */
static char *text_of(const struct syt_view *v, bool is_unwrapped, syt_finding_part *write)
{
	struct syt_out words, lines;
	char *text;

	syt_out_open(&words, -1, v->has_colors);
	words.is_unwrapped = is_unwrapped;
	write(&words, v);
	syt_out_open(&lines, -1, v->has_colors);
	lines.is_unwrapped = is_unwrapped;
	lines.columns = v->out ? v->out->columns : 0; /* a page has no terminal */
	syt_wrap_end_lines(&words, &lines);
	text = syt_out_take(&lines);
	free(lines.buffer);
	return text;
}

void syt_finding_write(struct syt_finding *f, const struct syt_view *v, bool is_unwrapped,
                       syt_finding_part *headline, syt_finding_part *findings)
{
	f->headline = text_of(v, is_unwrapped, headline);
	f->text = text_of(v, is_unwrapped, findings);
}

void syt_finding_begin_report(const struct syt_view *v, syt_finding_part *headline,
                              syt_finding_part *findings)
{
	syt_coverage_begin(v->out, v->order, v->is_json);
	if (v->is_json)
		return;
	headline(v->out, v);
	syt_out_char(v->out, '\n');
	findings(v->out, v);
	syt_out_char(v->out, '\n');
}

enum { FIRST, OTHER, DETAIL, REFUTED };

static unsigned place_of(const struct syt_finding *f, bool has_problem)
{
	if (f->source->is_detail)
		return DETAIL;
	if (f->tone == SYT_TONE_BAD)
		return FIRST;
	if (strcmp(f->verb, "diagnose") != 0)
		return OTHER;
	return has_problem ? REFUTED : FIRST;
}

static int first_place_first(const void *a_, const void *b_)
{
	const struct syt_finding *a = a_, *b = b_;

	SYT_ORDER_BY(place);
	SYT_ORDER_BY(tone);
	SYT_ORDER_BY(source->rank);
	return 0;
}

size_t syt_findings_arrange(struct syt_finding *all, size_t nr)
{
	bool has_problem = false;
	size_t nr_refuted = 0;

	for (size_t n = 0; n < nr; n++)
		has_problem |= all[n].tone == SYT_TONE_BAD && !all[n].source->is_detail;
	for (size_t n = 0; n < nr; n++) {
		all[n].place = place_of(&all[n], has_problem);
		nr_refuted += all[n].place == REFUTED;
	}
	qsort(all, nr, sizeof(*all), first_place_first);
	return nr - nr_refuted;
}

void syt_finding_free(struct syt_finding *f)
{
	free(f->headline);
	free(f->text);
}

void syt_finding_json(struct syt_json *j, const struct syt_finding *f)
{
	static const char *const tones[] = {
		[SYT_TONE_BAD] = "bad", [SYT_TONE_NOTE] = "note", [SYT_TONE_GOOD] = "good"};

	syt_json_string(j, "report", f->verb);
	syt_json_string(j, "title", f->source->title);
	syt_json_string(j, "tone", tones[f->tone]);
	syt_json_string(j, "headline", f->headline);
	syt_json_string(j, "text", f->text);
}
