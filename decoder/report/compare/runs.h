/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The runs on a command line: traces, and directories that contain one trace for each run. */
#ifndef SYT_DECODER_REPORT_COMPARE_RUNS_H
#define SYT_DECODER_REPORT_COMPARE_RUNS_H

#include "decoder/report/compare/fact.h"
#include "decoder/command/command.h"

struct syt_runs {
	size_t nr, room;
	struct syt_run *all;
};

/* Reads and adds the runs of PATH. FUNCTION: counts visits of this function; or NULL. Returns false, after a
 * message, if a run cannot be read or if there is none. */
bool syt_runs_add(struct syt_runs *runs, struct syt_command *c, const char *path,
                  const char *function);
void syt_runs_close(struct syt_runs *runs);

#endif
