/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A trace that is being recorded, found by one of its processes, their name, or its directory, and its shared file.
 */
#ifndef SYT_TOOL_LIVE_H
#define SYT_TOOL_LIVE_H

#include <argp.h>
#include <stdbool.h>

#include "format/format.h"

struct syt_live {
	char *dir; /* absolute */
	int fd;    /* of the directory */
	/* shared with its processes; only what stands before `endpoints` is mapped */
	struct syt_trace *trace;
};

/* For the parsers of verbs whose one argument is WHAT, below. */
error_t syt_live_parse(int key, char *argument, struct argp_state *state, const char **what);

/* WHAT: a process id, a directory, or the name of a process. False after a message. */
bool syt_live_open(struct syt_live *l, const char *what);
/* DIR itself. */
bool syt_live_open_directory(struct syt_live *l, const char *dir);
void syt_live_close(struct syt_live *l);

/* Locks the trace against others of this tool, until it is closed. The traced processes know nothing of it. */
void syt_live_lock(struct syt_live *l);

#endif
