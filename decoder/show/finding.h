/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Findings: the headline and the main results of a report. The verb diagnose and the HTML page show
 * the findings of several reports. One thread at a time. */
#ifndef SYT_DECODER_SHOW_FINDING_H
#define SYT_DECODER_SHOW_FINDING_H

#include "decoder/show/listing.h"

struct syt_html;

#define SYT_FINDING_SENTENCES 5u /* most findings of one report */

enum syt_tone {
	SYT_TONE_BAD,  /* a finding stands out */
	SYT_TONE_NOTE, /* information, or the report could not examine all data */
	SYT_TONE_GOOD, /* no finding stands out */
};

/* The happens-before edges that a report reads. The caller removes edges in this order, so reports run
 * in this order. */
enum syt_finding_edges {
	SYT_FINDING_EDGES_ALL,
	SYT_FINDING_EDGES_BUT_LOCKS,
	SYT_FINDING_EDGES_CAUSAL, /* without mutual exclusion, whose order is chance */
	SYT_NR_FINDING_EDGES
};

struct syt_finding {
	const struct syt_finding_source *source;
	const char *verb; /* name of the report that shows more */
	enum syt_tone tone;
	bool is_defect; /* a defect of the program: diagnose ends with SYT_EXIT_FINDINGS */
	char *headline; /* the amount of examined data */
	char *text;     /* some lines: the findings, or that there are none */
};

/* A report's part of diagnose and of the page. */
struct syt_finding_source {
	const char *title;
	const char *section; /* name of the section of the HTML page */
	unsigned rank;       /* order among findings of one tone; 0 is first */
	enum syt_finding_edges edges;
	/* Fills tone, is_defect, headline and text of F, unless the report does not apply to this trace.
	 * Writes the report's members of the page's data (decoder/html/write.h) unless PAGE is NULL. */
	void (*find)(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);
};

/* Writes a part of a report's text. */
typedef void syt_finding_part(struct syt_out *out, const struct syt_view *v);

/* Fills F's headline and text with the output of the two functions. IS_UNWRAPPED: for a page or JSON. */
void syt_finding_write(struct syt_finding *f, const struct syt_view *v, bool is_unwrapped,
                       syt_finding_part *headline, syt_finding_part *findings);
/* Begins the output of a report: the coverage and, as text, the headline and the findings. */
void syt_finding_begin_report(const struct syt_view *v, syt_finding_part *headline,
                              syt_finding_part *findings);
void syt_finding_free(struct syt_finding *f);

/* Writes the members of F into an open object. */
void syt_finding_json(struct syt_json *j, const struct syt_finding *f);

#endif
