/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds how runs differ from a baseline: doc/reports.md, "Runs compared".
 *
 * A finding is a difference that all new runs have. No count model of the fact explains it, and it is too large to
 * be chance.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_DIFFERENCE_H
#define SYT_DECODER_REPORT_COMPARE_DIFFERENCE_H

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
	size_t nr_slower, room_slower;
	struct syt_slower *slower;
	bool has_times;           /* the numbers of runs are enough to compare times */
	struct syt_builds builds; /* builds of the new runs */
	const struct syt_matches
		*matches; /* NULL, or the matched call paths, for the output (match.h) */
};

/* Compares the runs AFTER with the baseline BEFORE, and stores the result in C. Both must outlive C. */
void syt_comparison_open(struct syt_comparison *c, const struct syt_baseline *before,
                         const struct syt_run *after, size_t nr_after);
/* Compares the times of the new runs with the runs BEFORE, from which the baseline was learnt. */
void syt_comparison_times(struct syt_comparison *c, const struct syt_run *before, size_t nr_before);
/* Returns true if the COUNTS of a fact of TYPE in the new runs of C are no difference to MODELS. */
bool syt_comparison_is_usual(const struct syt_comparison *c, enum syt_fact_type type,
                             const struct syt_count_models *models, const uint64_t *counts);
void syt_comparison_close(struct syt_comparison *c);

#define SYT_TIMES_RUNS 4u /* least number of old runs, and of new runs, for a comparison of times */

const char *syt_change_text(enum syt_change change);

#endif
