/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * How runs differ from a baseline: doc/reports.md, "Runs compared".
 *
 * A finding is a difference that all new runs have.  No count model of the fact explains it, and it is too large to be
 * chance.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_DIFFERENCE_H
#define SYT_DECODER_REPORT_COMPARE_DIFFERENCE_H

#include "decoder/report/compare/baseline.h"

enum syt_change { SYT_CHANGE_NEW, SYT_CHANGE_GONE, SYT_CHANGE_MORE, SYT_CHANGE_LESS };

struct syt_difference {
	enum syt_fact_type type;
	enum syt_change change;
	const char *name;  /* name of the fact; the baseline or the first run owns it */
	enum syt_per per;  /* the divisor of low, high and seen */
	double low, high;  /* the expected range; 0 if the fact is new */
	double seen;       /* the value in the first new run */
	uint64_t nr;       /* the count in the first new run */
	bool is_undecided; /* the runs with less of the fact lack events */
	bool follows;      /* the difference follows from a finding about one of its call paths */
};

/* The code between two calls. Each new run took longer there per unit of work than all old runs, or each took shorter.
 * This is advice, not a finding. */
struct syt_slower {
	const char *name;
	double before_ns, after_ns; /* medians */
};

struct syt_comparison {
	const struct syt_baseline *before;
	const struct syt_run *after;
	size_t nr_after;
	size_t nr, room, nr_findings, nr_undecided, nr_following; /* NR counts all differences */
	struct syt_difference *all;     /* the differences; findings come first */
	size_t nr_compared, nr_varying; /* facts of the baseline: compared, or too variable */
	size_t nr_perhaps;              /* number of differences that may be chance */
	size_t nr_slower, room_slower;
	struct syt_slower *slower;
	bool has_times; /* the runs are enough to compare times */
};

/* Compares the runs AFTER with BEFORE. Both must outlive C. */
void syt_comparison_open(struct syt_comparison *c, const struct syt_baseline *before,
                         const struct syt_run *after, size_t nr_after);
/* Compares times with the runs that the baseline was learnt from. */
void syt_comparison_times(struct syt_comparison *c, const struct syt_run *before, size_t nr_before);
void syt_comparison_close(struct syt_comparison *c);

#define SYT_TIMES_RUNS 4u /* least number of runs before, and of runs after */

const char *syt_change_text(enum syt_change change);

#endif
