/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads the runs that the command line names: traces, and directories that contain one trace for each run. */
#ifndef SYT_DECODER_REPORT_COMPARE_RUNS_H
#define SYT_DECODER_REPORT_COMPARE_RUNS_H

#include "decoder/report/compare/fact.h"
#include "decoder/command/runs.h"

struct syt_runs {
	size_t nr, room;
	struct syt_run *all;
	bool is_refused; /* a run is sampled: how often a call occurs is then unknown */
	/* if not NULL: called with each run while its trace is open; returns false after a message */
	syt_run_taker *examine;
	void *context;
};

/* Returns the exit status after syt_runs_add() failed for RUNS. */
static inline enum syt_exit syt_runs_status(const struct syt_runs *runs)
{
	return runs->is_refused ? SYT_EXIT_USAGE : SYT_EXIT_UNREADABLE;
}

/* Reads the runs at PATH and adds them to RUNS. Also counts visits of FUNCTION, unless it is NULL. Returns false,
 * after a message, if a run cannot be read or if there is none. */
bool syt_runs_add(struct syt_runs *runs, struct syt_command *c, const char *path,
                  const char *function);
void syt_runs_close(struct syt_runs *runs);

#endif
