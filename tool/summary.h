/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The summary after a recording. Cuts off the unused ends of the dumps of ended processes, and counts the contents
 * of the trace from the headers. A dump may contain any bytes: a file that does not look like a dump is counted as
 * unreadable and not changed. */
#ifndef SYT_TOOL_SUMMARY_H
#define SYT_TOOL_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/format.h"

struct syt_summary {
	unsigned nr_dumps;      /* process images */
	unsigned nr_unreadable; /* files with the name of a dump that are not dumps */
	unsigned nr_live;       /* dumps of processes that still run */
	bool has_pid;           /* there is a dump of the process PID */
	uint64_t nr_threads, nr_events;
	uint64_t nr_overwritten; /* events that are no longer in the ring; part of nr_events */
	uint64_t bytes;          /* disk space of the whole directory */
	unsigned nr_pauses;
	bool is_paused; /* the last pause has not ended */
	uint64_t lost[SYT_NR_LOSSES];
};

/* Fills S from the directory DIR. PID: the process for has_pid. Returns 0, or -errno if DIR cannot be opened. */
int syt_summary_read(struct syt_summary *s, const char *dir, pid_t pid);

/* Returns whether DIR contains a dump of PID. Only looks at file names. */
bool syt_summary_has(const char *dir, pid_t pid);

/* Returns the description of LOSS for users. */
const char *syt_loss_text(enum syt_loss loss);

#endif
