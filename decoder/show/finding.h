/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Findings: the headline and the main results of a report. The verb diagnose and the HTML page show the
 * findings of several reports. Only one thread at a time may use these functions. */
#ifndef SYT_DECODER_SHOW_FINDING_H
#define SYT_DECODER_SHOW_FINDING_H

#include "decoder/show/listing.h"

struct syt_html;

#define SYT_FINDING_SENTENCES 5u /* maximum number of findings of one report */

enum syt_tone {
	SYT_TONE_BAD,  /* the report found a serious problem */
	SYT_TONE_NOTE, /* the report gives information, or could not examine all data */
	SYT_TONE_GOOD, /* the report found no problem */
};

/* The happens-before edges that a report reads. The caller removes edges of the order in the sequence of
 * this enum, so the reports run in this sequence. */
enum syt_finding_edges {
	SYT_FINDING_EDGES_ALL,
	SYT_FINDING_EDGES_BUT_LOCKS,
	/* without edges of mutual exclusion, because chance decides their direction */
	SYT_FINDING_EDGES_CAUSAL,
	SYT_NR_FINDING_EDGES
};

struct syt_finding {
	const struct syt_finding_source *source;
	const char *verb; /* name of the report that shows more details */
	enum syt_tone tone;
	unsigned place; /* syt_findings_arrange() sorts by this number first */
	/* the finding is a defect of the traced program: diagnose ends with SYT_EXIT_FINDINGS */
	bool is_defect;
	char *headline; /* one line with the amount of examined data */
	char *text;     /* lines with the findings, or a line that there are none */
};

/* The part of a report in the output of diagnose and in the HTML page. */
struct syt_finding_source {
	const char *title;
	const char *section; /* name of the section of the HTML page */
	unsigned rank;       /* position among findings of equal tone; 0 is first */
	enum syt_finding_edges edges;
	/* Sets tone, is_defect, headline and text of F. If the report does not apply to this trace, F is unchanged.
	 * Writes the report's members of the page's data (decoder/html/write.h) unless PAGE is NULL. */
	void (*find)(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);
	/* diagnose and the summary of the page show the headline only: the causes (decoder/analysis/cause.h)
	 * contain the findings */
	bool is_detail;
	/* Begins and ends a part of the HTML page that needs the whole trace and takes long. Another thread makes it beside the other
	 * parts. NULL: there is none */
	void (*begin_page)(struct syt_html *page);
	void (*end_page)(struct syt_html *page);
};

/* Writes a part of a report's text. */
typedef void syt_finding_part(struct syt_out *out, const struct syt_view *v);

/* Sets the headline and the text of F to the output of HEADLINE and FINDINGS. IS_UNWRAPPED: lines are
 * not broken, for a page or JSON. */
void syt_finding_write(struct syt_finding *f, const struct syt_view *v, bool is_unwrapped,
                       syt_finding_part *headline, syt_finding_part *findings);
/* Begins the output of a report: the coverage and, as text, the headline and the findings. */
void syt_finding_begin_report(const struct syt_view *v, syt_finding_part *headline,
                              syt_finding_part *findings);
void syt_finding_free(struct syt_finding *f);

/* Sorts the NR findings ALL for a reader: problems, or the line that nothing stands out; then other findings; then the
 * numbers of the reports with is_detail. Returns the number of findings to show. The line "Nothing stands out" comes
 * after them if the program has a problem, such as a deadlock. */
size_t syt_findings_arrange(struct syt_finding *all, size_t nr);

/* Writes the members of F into a JSON object that the caller has begun. */
void syt_finding_json(struct syt_json *j, const struct syt_finding *f);

#endif
