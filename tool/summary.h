/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * After a recording: gives back what the dumps of ended processes do not use, and counts what is in
 * the trace from headers only.  Trusts no byte of a dump; what does not look like one is counted as
 * unreadable and left alone.
 */
#ifndef SYT_TOOL_SUMMARY_H
#define SYT_TOOL_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/format.h"

struct syt_summary {
	unsigned nr_dumps;      /* process images */
	unsigned nr_unreadable; /* files named like dumps that are none */
	unsigned nr_live;       /* dumps whose process still runs */
	bool has_pid;           /* one of them is of the process asked for */
	uint64_t nr_threads, nr_events;
	uint64_t nr_overwritten; /* of nr_events, no longer in the ring */
	uint64_t bytes;          /* on disk, the whole directory */
	unsigned nr_pauses;
	bool is_paused; /* the last one is not */
	uint64_t lost[SYT_NR_LOSSES];
};

/* Reads DIR. 0, or -errno when there is no such directory. */
int syt_summary_read(struct syt_summary *s, const char *dir, pid_t pid);

/* Is there a dump of PID in DIR? Cheap. */
bool syt_summary_has(const char *dir, pid_t pid);

/* Returns how many process images of the trace in DIR could open no dump; R: why the first could not. */
uint32_t syt_summary_refused(const char *dir, struct syt_refusal *r);

/* What LOSS means, for a person. */
const char *syt_loss_text(enum syt_loss loss);

#endif
