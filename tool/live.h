/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Opens a trace that is being recorded, and its shared file. The user names a process id, the name of a process or
 * a directory. */
#ifndef SYT_TOOL_LIVE_H
#define SYT_TOOL_LIVE_H

#include <argp.h>
#include <stdbool.h>

#include "format/format.h"

struct syt_live {
	char *dir; /* absolute */
	int fd;    /* of the directory */
	/* shared with its processes; only the part before `endpoints` is mapped */
	struct syt_trace *trace;
};

/* Parses the argument of a verb with one argument: WHAT of syt_live_open(). */
error_t syt_live_parse(int key, char *argument, struct argp_state *state, const char **what);

/* Opens the trace WHAT: a process id, a directory, or the name of a process. Returns false after a message. In both
 * cases, syt_live_close() frees L. */
bool syt_live_open(struct syt_live *l, const char *what);
/* Opens the trace in the directory DIR. */
bool syt_live_open_directory(struct syt_live *l, const char *dir);
void syt_live_close(struct syt_live *l);

/* Locks the trace against other runs of this tool, until L is closed. The traced processes ignore the lock. */
void syt_live_lock(struct syt_live *l);

#endif
