/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The outputs of the verb requests. */
#ifndef SYT_DECODER_REPORT_REQUESTS_VIEW_H
#define SYT_DECODER_REPORT_REQUESTS_VIEW_H

#include "decoder/request/cluster.h"
#include "decoder/request/gather.h"
#include "decoder/report/requests/odd.h"
#include "decoder/show/finding.h"
#include "decoder/show/host_error.h"

enum syt_request_sort {
	SYT_REQUEST_BY_TIME,
	SYT_REQUEST_BY_CPU,
	SYT_REQUEST_BY_RAN,
	SYT_REQUEST_BY_IN,
	SYT_REQUEST_BY_OUT,
	SYT_REQUEST_BY_FILES,
	SYT_REQUEST_BY_LOCK,
	SYT_REQUEST_BY_QUEUE,
	SYT_REQUEST_BY_OTHER,
	SYT_REQUEST_BY_ODD,
	SYT_NR_REQUEST_SORTS
};
extern const char *const syt_request_sorts[]; /* the words of --sort */

struct syt_requests_view {
	const struct syt_view *of;
	struct syt_gathered *g;
	const struct syt_clusters *clusters;
	struct syt_odd_judge *judge; /* NULL: requests are not compared with a model */
	bool is_against;             /* the model comes from another run */
	enum syt_request_sort sort;
	uint64_t limit;       /* number of requests; 0: all */
	const char *function; /* whose calls are listed; NULL: requests from the outside */
	bool has_all; /* also requests without an end, and requests on connections with missing events */
};

/* Returns the length of the request R, or 0 if it has no end. */
syt_time syt_requests_length(const struct syt_gathered *g, uint64_t r);

void syt_requests_print_list(const struct syt_requests_view *v);
void syt_requests_print_json(const struct syt_requests_view *v);
/* Print the requests that depart from the model, oddest first, or count them. Return their number. */
uint64_t syt_requests_print_findings(const struct syt_requests_view *v);
uint64_t syt_requests_nr_findings(const struct syt_requests_view *v);
/* Prints the audit trail of the request with the index R: its steps in the order of the event string. */
void syt_requests_print_trail(const struct syt_requests_view *v, uint64_t r);
/* Writes the members cpu and cpu_divided of W. */
void syt_requests_put_cpu(struct syt_json *j, const struct syt_work *w);
/* Writes the JSON line of the request R. */
void syt_requests_put_json(const struct syt_requests_view *v, uint64_t r);

/* Returns true if the step S of an event string is a bracket, or an opening bracket. */
bool syt_trail_is_bracket(const struct syt_request_step *s);
bool syt_trail_opens(const struct syt_gathered *g, const struct syt_request_step *s);
/* Returns a word for the way on which the work came to the thread of the segment S. */
const char *syt_trail_by(const struct syt_request_segment *s);

/* Returns the error of the time in which THREAD got the work of the segment S from another thread. */
struct syt_host_error syt_trail_error(const struct syt_places *p,
                                      const struct syt_request_segment *s, uint32_t thread);

/* Writes the part of the HTML page. */
void syt_requests_find_page(const struct syt_view *of, struct syt_finding *f,
                            struct syt_html *page);

/* Returns the requests to list, in the order of the list, and their number in *NR. The caller frees the array. */
uint64_t *syt_requests_order(const struct syt_requests_view *v, uint64_t *nr);

#endif
