/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The critical path (decoder/analysis/critical_path.h) for people and as JSON lines, and the answer of `why`. */
#ifndef SYT_DECODER_REPORT_CRITICAL_PATH_VIEW_H
#define SYT_DECODER_REPORT_CRITICAL_PATH_VIEW_H

#include "base/out.h"
#include "decoder/read/symbol.h"
#include "decoder/analysis/path_sum.h"
#include "decoder/show/finding.h"

struct syt_request_view;

struct syt_path_view {
	const struct syt_path *path;
	const struct syt_path_sum *sum;
	struct syt_labels *labels;
	struct syt_symbols *symbols;
	struct syt_place from,
		to;     /* the events that were asked for; FROM's thread may be SYT_NONE */
	uint64_t limit; /* segments shown, the longest ones, and rows of each table; 0: all */
	bool has_stacks;
	/* the request that the path is of (decoder/report/critical_path/request_view.h), or NULL */
	const struct syt_request_view *request;
};

void syt_path_text(struct syt_out *out, const struct syt_path_view *v);
void syt_path_json(struct syt_out *out, const struct syt_path_view *v);

/* Of the text: of what the path consists, in a line; and which functions make most of it. */
void syt_path_headline(struct syt_out *out, const struct syt_path_view *v);
void syt_path_findings(struct syt_out *out, const struct syt_path_view *v);

/* The path from an event's begin to its end, or that of a request, in sentences, or as one line of
 * JSON and those of the path. */
void syt_why_text(struct syt_out *out, const struct syt_path_view *v);
void syt_why_json(struct syt_out *out, const struct syt_path_view *v);

/* Which function had most of the path, as a sentence. */
void syt_why_root(struct syt_out *out, const struct syt_path_view *v);

/* The length of what is not known to be on the path: it came before a choice. */
syt_time syt_path_unsure(const struct syt_path *p);

/* Whether the path came to the event FROM, or to what its thread did behind it. */
bool syt_path_meets(const struct syt_path *p, struct syt_place from);

/* The report's part of diagnose and of the HTML page. */
void syt_path_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);

#endif
