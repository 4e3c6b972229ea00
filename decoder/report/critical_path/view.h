/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the reports critical-path and why: a critical path (decoder/analysis/critical_path.h), or requests. */
#ifndef SYT_DECODER_REPORT_CRITICAL_PATH_VIEW_H
#define SYT_DECODER_REPORT_CRITICAL_PATH_VIEW_H

#include "decoder/analysis/path_sum.h"
#include "decoder/analysis/request.h"
#include "decoder/command/command.h"
#include "decoder/html/longest.h"
#include "decoder/show/host_error.h"
#include "decoder/show/print.h"

struct syt_request_report;

/* A critical path with its sums; the member `report` of a struct syt_view points to it. */
struct syt_path_report {
	struct syt_path path;
	struct syt_path_sum sum;
	struct syt_place from,
		to;      /* the events that the user named; the thread of `from` may be SYT_NONE */
	bool meets_from; /* the path begins in the event `from`, or after it in the same thread */
	/* length of the part of the path before a choice between several possible causes: this part may be wrong */
	syt_time unsure;
	const struct syt_request_report *request; /* request whose path this is, or NULL */
};

struct syt_request_report {
	const struct syt_requests *requests;
	uint64_t index;
	/* path of the time for which the request may have waited before its receive; NULL: none, or a short time */
	const struct syt_path_report *before;
	/* time that the request spent in the socket; undefined if `before` is NULL */
	struct syt_request_queue queue;
};

/* All requests; the member `report` of a struct syt_view points to it. */
struct syt_requests_report {
	const struct syt_requests *requests;
	/* also lists requests that do not count: without an answer, between two servers, or on connections with
	 * missing events */
	bool has_all;
};

typedef void syt_path_printer(const struct syt_view *v);

/* Runs the command critical-path or why: opens a view with all edges and calls PRINT. */
enum syt_exit syt_path_command(struct syt_command *c,
                               enum syt_exit (*print)(struct syt_view *v,
                                                      const struct syt_command *c));

/* Finds the event with the id ID, "P.T.N". Returns false after a message. */
bool syt_path_find_event(const struct syt_order *order, const char *id, struct syt_place *at);

/* Computes the path of R, from the time FROM to the end of the event R->to. Returns false after a message. */
bool syt_path_report_open(struct syt_path_report *r, const struct syt_view *v, syt_time from);
void syt_path_report_close(struct syt_path_report *r);

/* Prints the path from the time FROM to the end of the event R->to, by PRINT. */
enum syt_exit syt_path_run(const struct syt_view *v, struct syt_path_report *r, syt_time from,
                           syt_path_printer *print);

/* Returns the longest segments of path P in the order of time. The caller frees them by syt_store_free(). */
struct syt_html_span *syt_path_longest(const struct syt_path *p, uint64_t most, uint64_t *nr);

static inline uint64_t syt_path_segment_number(const struct syt_html_span *s)
{
	return (uint64_t)s->thread << 32 | s->row;
}

/* The user's choice of a request: its number, or its rank among the slowest requests. */
struct syt_request_choice {
	uint64_t number; /* number or rank from 1; 0: not given */
	uint64_t rank;   /* number or rank from 1; 0: not given */
};

/* Parses the choice of a request: "17", "slowest" or "slowest:3". */
syt_option_parser syt_request_choose;

static inline bool syt_request_is_chosen(const struct syt_request_choice *choice)
{
	return choice->number || choice->rank;
}

/* Prints the path of the chosen request. */
enum syt_exit syt_request_run(const struct syt_view *v, const struct syt_request_choice *choice,
                              syt_path_printer *print);

/* Writes a length of time with its unit. */
static inline void syt_path_put_time(struct syt_out *out, syt_time time)
{
	syt_print_span(out, SYT_TIME_NS(time));
}

/* Returns the error of the length of the segment S: only a hand-off has one. */
static inline struct syt_host_error syt_path_error(const struct syt_order *o,
                                                   const struct syt_path_segment *s)
{
	if (s->kind != SYT_PATH_HANDOVER)
		return (struct syt_host_error){0};
	return syt_host_error_of(&o->places, o->edges.all[s->edge].from, s->from, s->at, s->to);
}

/* Returns the error of the length of the whole path of R, which may begin and end on different hosts. */
struct syt_host_error syt_path_report_error(const struct syt_path_report *r);

/* These functions print the path to which V->report points. */
void syt_path_list(const struct syt_view *v);
void syt_path_headline(struct syt_out *out, const struct syt_view *v);
void syt_path_certainty(struct syt_out *out,
                        const struct syt_view *v); /* Writes how certain the path is. */
void syt_path_findings(struct syt_out *out, const struct syt_view *v);

/* Writes PART, a part of the sums of the path OF, such as "3 us between calls in f up to the call a;b;read". */
void syt_path_put_part(struct syt_out *out, const struct syt_view *v, const struct syt_path *of,
                       const struct syt_path_part *part);

/* Prints the sentences of the command why, or its JSON lines. */
void syt_why_list(const struct syt_view *v);

/* Print the sentences before the path of a request, and its JSON line. */
void syt_request_sentences(struct syt_out *out, const struct syt_view *v);
void syt_request_json(const struct syt_view *v);

/* Prints the requests of V->report. */
void syt_requests_list(const struct syt_view *v);
void syt_requests_headline(struct syt_out *out, const struct syt_view *v);

/* Computes the part of the report critical-path in diagnose and in the HTML page. */
void syt_path_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);

#endif
