/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* --request and --requests: which request is meant, and what is printed of it. */
#ifndef SYT_DECODER_REPORT_CRITICAL_PATH_REQUESTS_H
#define SYT_DECODER_REPORT_CRITICAL_PATH_REQUESTS_H

#include "decoder/report/critical_path/run.h"

/* A number; or the RANK-th slowest. */
struct syt_request_choice {
	uint64_t number; /* from 1; 0: none */
	uint64_t rank;   /* from 1; 0: none */
};

/* "17", "slowest", "slowest:3". A wrong one ends the program, with what is right. */
syt_option_parser syt_request_choose;

static inline bool syt_request_is_chosen(const struct syt_request_choice *choice)
{
	return choice->number || choice->rank;
}

/* The path of the chosen one; V says how. */
enum syt_exit syt_request_run(struct syt_command *c, const struct syt_order *order,
                              const struct syt_request_choice *choice, struct syt_path_view *v,
                              syt_path_printer *text, syt_path_printer *json);

/* The list of them. */
enum syt_exit syt_requests_run(struct syt_command *c, const struct syt_order *order, uint64_t limit,
                               bool has_all);

#endif
