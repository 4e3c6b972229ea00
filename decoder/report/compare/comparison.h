/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The differences between runs and a baseline. difference.h finds them, consequence.h finds their relations. */
#ifndef SYT_DECODER_REPORT_COMPARE_COMPARISON_H
#define SYT_DECODER_REPORT_COMPARE_COMPARISON_H

#include "base/counts.h"
#include "decoder/report/compare/baseline.h"

enum syt_change { SYT_CHANGE_NEW, SYT_CHANGE_GONE, SYT_CHANGE_MORE, SYT_CHANGE_LESS };

struct syt_difference {
	enum syt_fact_type type;
	enum syt_change change;
	const char *name;  /* name of the fact; the baseline or the first run owns it */
	enum syt_per per;  /* divisor of low, high and seen */
	double low, high;  /* expected range; 0 if the fact is new */
	double seen;       /* value in the first new run */
	uint64_t nr;       /* count in the first new run */
	bool is_undecided; /* undecided: the runs in which the fact occurs less often lack events */
	bool follows;      /* the difference follows from a finding about one of its call paths */
	bool is_moved; /* type PART: the number of all calls of the part does not differ, or the part is a task */
	const char *
		task; /* name of the task with most of the calls, of TASK_BYTES; NULL: no task has them */
	size_t task_bytes;
};

/* The code between two calls, where all new runs took longer per unit of work than all old runs, or all took
 * shorter. Such a difference of times is advice, not a finding. */
struct syt_slower {
	const char *name;
	double before_ns, after_ns; /* median times per unit of work */
};

struct syt_comparison {
	const struct syt_baseline *before;
	const struct syt_run *after;
	size_t nr_after;
	/* numbers of differences; `nr` counts all of them */
	size_t nr, room, nr_findings, nr_undecided, nr_following;
	struct syt_difference *all; /* all differences; findings come first */
	/* numbers of facts of the baseline that are compared, and that are too variable */
	size_t nr_compared, nr_varying;
	size_t nr_perhaps; /* number of differences that may be chance */
	struct syt_counts
		changed; /* call paths with a difference of their calls, for consequence.h */
	size_t nr_slower, room_slower;
	struct syt_slower *slower;
	bool has_times;           /* the numbers of runs are enough to compare times */
	struct syt_builds builds; /* builds of the new runs */
	const struct syt_matches
		*matches; /* NULL, or the matched call paths, for the output (match.h) */
};

#endif
