/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads the runs that the command line names: traces, and directories that contain one trace for each run. */
#ifndef SYT_DECODER_COMMAND_RUNS_H
#define SYT_DECODER_COMMAND_RUNS_H

#include "decoder/command/command.h"

/* Examines one run. TRACE and SYMBOLS exist during the call only. Returns false after a message. */
typedef bool syt_run_taker(void *context, const char *path, const struct syt_trace_data *trace,
                           struct syt_symbols *symbols);

/* Reads the runs at PATH one after the other, in the order of their names, and calls TAKE with each. Sets the members of C that tell of lost
 * data. Returns false, after a message, if a run cannot be read, if there is none, or if TAKE returns false. */
bool syt_runs_each(struct syt_command *c, const char *path, syt_run_taker *take, void *context);

#endif
