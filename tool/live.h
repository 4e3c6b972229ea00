/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Opens a trace that is being recorded, and maps its shared file. */
#ifndef SYT_TOOL_LIVE_H
#define SYT_TOOL_LIVE_H

#include <argp.h>
#include <stdbool.h>

#include "format/format.h"

struct syt_live {
	char *dir; /* absolute path of the trace directory */
	int fd;    /* file descriptor of the trace directory */
	/* The part of the shared file before `endpoints`. The traced processes also map this file. */
	struct syt_trace *trace;
};

/* Parses the only argument of a verb into *WHAT, for syt_live_open(). The default is ./syntrace.data. */
error_t syt_live_parse(int key, char *argument, struct argp_state *state, const char **what);

/* Opens the trace WHAT: a process id, a directory, or the name of a process. Returns false after a message.
 * syt_live_close() frees L also after a failure. */
bool syt_live_open(struct syt_live *l, const char *what);
/* Opens the trace in the directory DIR like syt_live_open(). */
bool syt_live_open_directory(struct syt_live *l, const char *dir);
void syt_live_close(struct syt_live *l);

/* Locks the trace against other runs of this tool, until L is unlocked or closed. The traced processes ignore the lock. */
void syt_live_lock(struct syt_live *l);
void syt_live_unlock(struct syt_live *l);

#endif
