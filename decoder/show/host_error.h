/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The error of a time between events of two hosts, which two clocks measured (doc/clocks.md, "The error of a step"). */
#ifndef SYT_DECODER_SHOW_HOST_ERROR_H
#define SYT_DECODER_SHOW_HOST_ERROR_H

#include "base/json.h"
#include "base/table.h"
#include "decoder/analysis/request.h"

struct syt_host_error {
	bool is_between; /* the two events are on different hosts; false: the time has no such error */
	uint64_t ns;     /* the true time differs by at most this; UINT64_MAX: no limit is known */
};

/* Returns the error of the time from BEGIN on the host of the event FROM to END on the host of the event TO. A round of a
 * barrier (thread SYT_NONE) has no host. */
struct syt_host_error syt_host_error_of(const struct syt_places *p, struct syt_place from,
                                        syt_time begin, struct syt_place to, syt_time end);

/* Return the error of the length of the request R, and of the time until its receipt. */
struct syt_host_error syt_host_error_of_request(const struct syt_places *p,
                                                const struct syt_request_info *r);
struct syt_host_error syt_host_error_of_receipt(const struct syt_places *p,
                                                const struct syt_request_info *r);

/* Writes " ±22": the error of a time of NS nanoseconds, in the unit of syt_print_span(), rounded up. Writes " ±?" if no limit
 * is known, and no text if the time has no error. */
void syt_host_error_put(struct syt_out *out, uint64_t ns, struct syt_host_error e);
/* Writes a time of NS nanoseconds with its error: "43 us ±22". */
void syt_host_error_put_span(struct syt_out *out, uint64_t ns, struct syt_host_error e);
void syt_host_error_cell(struct syt_table *t, uint64_t ns, struct syt_host_error e);

/* Writes the error as the member KEY: a number, or null if no limit is known. Writes no member if the time has no error. */
#define SYT_HOST_ERROR_KEY "host_error_ns" /* for the main time of a line */
void syt_host_error_json(struct syt_json *j, const char *key, struct syt_host_error e);

#endif
