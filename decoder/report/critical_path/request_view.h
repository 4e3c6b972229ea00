/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Requests (decoder/analysis/request.h) for people and as JSON lines: all of them, or one with its path. */
#ifndef SYT_DECODER_REPORT_CRITICAL_PATH_REQUEST_VIEW_H
#define SYT_DECODER_REPORT_CRITICAL_PATH_REQUEST_VIEW_H

#include "decoder/analysis/request.h"
#include "decoder/analysis/request_cause.h"
#include "decoder/report/critical_path/view.h"

/* One request, of which there is the path. */
struct syt_request_view {
	const struct syt_requests *requests;
	uint64_t index;
	/* what determined that it was not seen earlier, or NULL where nothing is to be told */
	const struct syt_path_view *before;
	struct syt_request_queue queue; /* if BEFORE */
};

/* All of them. */
struct syt_requests_view {
	const struct syt_requests *requests;
	struct syt_symbols *symbols;
	struct syt_labels *labels;
	uint64_t limit; /* of those shown; 0: all */
	bool has_all;   /* also those that are not counted */
};

/* The sentences before its path; V->request is it. */
void syt_request_text(struct syt_out *out, const struct syt_path_view *v);
/* The line of type "request". */
void syt_request_json(struct syt_out *out, const struct syt_path_view *v);

void syt_requests_text(struct syt_out *out, const struct syt_requests_view *v);
void syt_requests_json(struct syt_out *out, const struct syt_requests_view *v);

/* Of so many, the first ones, it is told where their time went: a path may be as long as the trace. */
#define SYT_REQUEST_PATHS 100u
/* How many are shown. */
uint64_t syt_requests_shown(const struct syt_requests_view *v);

/* The cause of R, with the path from which it comes; PATH and SUM are to be closed. False: it has no end,
 * or there are too many edges. */
bool syt_request_explain(const struct syt_requests_view *v, const struct syt_request_info *r,
                         struct syt_path *path, struct syt_path_sum *sum,
                         struct syt_request_cause *cause);

/* Who is at the other end: its address, or the name of the server's end; BYTES should be that of TEXT's array. */
char *syt_request_client(const struct syt_requests *rs, const struct syt_request_info *r,
                         char *text, size_t bytes);

#endif
