/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The summary after a recording, and the reasons why processes have no dump. Truncates the dumps of ended processes
 * after the last used byte, and counts the contents of the trace. Counts a file that does not look like a dump as
 * unreadable, and does not change the file. */
#ifndef SYT_TOOL_SUMMARY_H
#define SYT_TOOL_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/format.h"

struct syt_summary {
	unsigned nr_dumps;      /* number of dumps, one for each process image */
	unsigned nr_unreadable; /* number of files with the name of a dump that are not dumps */
	unsigned nr_live;       /* number of dumps of processes that still run */
	bool has_pid;           /* the process PID has a dump */
	uint64_t nr_threads, nr_events;
	uint64_t nr_overwritten; /* number of overwritten events, which nr_events includes */
	uint64_t bytes;          /* disk space in bytes of the whole trace directory */
	unsigned nr_pauses;
	bool is_paused; /* true if the last pause has not ended */
	uint64_t lost[SYT_NR_LOSSES];
};

/* Reads the trace in DIR into S. Sets has_pid if PID has a dump. Returns -errno if DIR cannot be opened, otherwise
 * 0. */
int syt_summary_read(struct syt_summary *s, const char *dir, pid_t pid);

/* Returns whether DIR contains a file with the name of a dump of PID. */
bool syt_summary_has(const char *dir, pid_t pid);

/* Returns the description of LOSS for users. */
const char *syt_loss_text(enum syt_loss loss);

/* Prints why no process could record into the trace directory DIR. Returns false, without a message, if the
 * reason is unknown. */
bool syt_refusal_explain(const char *dir);

/* Prints the reason in the shared file of the trace in DIR. Returns false if the file contains no reason. */
bool syt_refusal_explain_noted(const char *dir);

#endif
