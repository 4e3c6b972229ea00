/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The options --request and --requests. */
#ifndef SYT_DECODER_REPORT_CRITICAL_PATH_REQUEST_COMMAND_H
#define SYT_DECODER_REPORT_CRITICAL_PATH_REQUEST_COMMAND_H

#include "decoder/report/critical_path/view.h"

/* A request: its number, or its rank among the slowest. */
struct syt_request_choice {
	uint64_t number; /* from 1; 0: none */
	uint64_t rank;   /* from 1; 0: none */
};

/* "17", "slowest", "slowest:3" */
syt_option_parser syt_request_choose;

static inline bool syt_request_is_chosen(const struct syt_request_choice *choice)
{
	return choice->number || choice->rank;
}

/* Prints the path of the chosen request. */
enum syt_exit syt_request_run(const struct syt_view *v, const struct syt_request_choice *choice,
                              syt_path_printer *print);

/* Prints the list of requests. */
enum syt_exit syt_requests_run(struct syt_view *v, bool has_all);

#endif
