/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A baseline: the common facts of several runs of one commit, as a text file for the repository.
 *
 *	syntrace-baseline 1
 *	unit exchange
 *	runs 5
 *	...
 *	call	1/unit 1000/run	server: main;serve;pthread_mutex_lock
 *
 * One fact a line, sorted.  Numbers that vary from run to run are rounded or "*", so learning the baseline again gives
 * nearly the same file.  The file is untrusted input.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_BASELINE_H
#define SYT_DECODER_REPORT_COMPARE_BASELINE_H

#include "decoder/report/compare/count_model.h"
#include "decoder/report/compare/work_unit.h"

#define SYT_RARE 0.5 /* share of the count that may be chance: rarer facts are not kept */

struct syt_norm {
	enum syt_fact_type type;
	char *name; /* the name of the fact, as in struct syt_fact */
	struct syt_count_models models;
};

struct syt_baseline {
	enum syt_work_unit_rule rule;
	char *function; /* the function of SYT_WORK_UNIT_VISIT, otherwise NULL */
	uint64_t nr_runs, units;
	uint64_t nr_events, nr_lost, nr_blind;
	double unattributed_percent, unmatched_percent; /* of the acquires; of the received bytes */
	size_t nr, room;
	struct syt_norm *norms; /* the facts, sorted by type, then name */
};

/* Returns the divisors of the counts of RUN. */
struct syt_size syt_baseline_size(enum syt_work_unit_rule rule, const struct syt_run *run);

/* Sets the sizes and the losses of B, which has a rule, to the sums of NR runs, and the units to their mean. */
void syt_baseline_sum_up(struct syt_baseline *b, const struct syt_run *runs, size_t nr);
/* Learns B from NR runs, at least one. The unit is the visit of FUNCTION, which the runs counted. If FUNCTION is NULL,
 * the unit is the exchange if all runs have exchanges. */
void syt_baseline_learn(struct syt_baseline *b, const struct syt_run *runs, size_t nr,
                        const char *function);
void syt_baseline_close(struct syt_baseline *b);

void syt_baseline_write(FILE *f, const struct syt_baseline *b);

/* Returns true if the file at PATH begins like a baseline. */
bool syt_baseline_is_file(const char *path);
/* Reads a baseline. Returns false after a message that names the line. */
bool syt_baseline_read(struct syt_baseline *b, const char *path);

const struct syt_norm *syt_baseline_find(const struct syt_baseline *b, enum syt_fact_type type,
                                         const char *name);

#endif
