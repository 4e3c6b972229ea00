/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Checks expectations about the tasks of runs, and prints the results for people, programs, pull requests and CI servers. */
#ifndef SYT_DECODER_REPORT_CHECK_EXPECTED_H
#define SYT_DECODER_REPORT_CHECK_EXPECTED_H

#include "decoder/command/command.h"
#include "decoder/model/expect.h"
#include "decoder/report/compare/baseline.h"

/* An expectation and a run. The ids are "P.T.N". */
struct syt_expected {
	struct syt_expect_result result;
	/* the tasks of the run are those of the baseline, and the baseline has the task */
	bool is_of_baseline, is_in_baseline;
	char *run;
	/* the first occurrence that is not as expected: its id and its task; or two events in the wrong order */
	char *id, *task, *first, *second;
};

struct syt_expected_runs {
	const char *file; /* file of the expectations */
	struct syt_expect expect;
	const struct syt_baseline
		*baseline; /* its tasks, if there are any; NULL: the tasks of each run */
	bool has_more;     /* the output also contains a comparison */
	size_t nr, room, nr_runs, nr_failed;
	struct syt_expected *all;
};

/* Makes the model of TRACE, the run at PATH, and checks all expectations of CONTEXT, a struct syt_expected_runs. Returns false
 * after a message. */
bool syt_expected_runs_add(void *context, const char *path, const struct syt_trace_data *trace,
                           struct syt_symbols *symbols);
void syt_expected_runs_close(struct syt_expected_runs *r);

/* Prints the begin of a document that the comparison and the expectations share. */
void syt_expected_begin(struct syt_command *c, const struct syt_expected_runs *r);
/* Prints the results in C's format. Returns SYT_EXIT_FINDINGS if an expectation fails. */
enum syt_exit syt_expected_print(struct syt_command *c, const struct syt_expected_runs *r);

#endif
