/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The runs that a command line names: traces, and directories that hold one trace for each run. */
#ifndef SYT_DECODER_REPORT_COMPARE_RUNS_H
#define SYT_DECODER_REPORT_COMPARE_RUNS_H

#include "decoder/report/compare/fact.h"
#include "decoder/command/command.h"

struct syt_runs {
	size_t nr, room;
	struct syt_run *all;
};

/* Adds the runs of PATH, read one after the other. FUNCTION: whose visits are counted, or NULL.
 * False when one cannot be read, or there is none: that is told. */
bool syt_runs_add(struct syt_runs *runs, struct syt_command *c, const char *path,
                  const char *function);
void syt_runs_close(struct syt_runs *runs);

#endif
