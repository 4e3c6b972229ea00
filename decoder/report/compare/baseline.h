/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A baseline: what runs of one commit have in common, as a text file that can be committed.
 *
 *	syntrace-baseline 1
 *	unit exchange
 *	runs 5
 *	...
 *	call	1/unit 1000/run	server: main;serve;pthread_mutex_lock
 *
 * One fact a line, sorted; what varies from run to run is rounded or "*", so learning it again gives
 * nearly the same file.  Such a file is trusted for nothing.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_BASELINE_H
#define SYT_DECODER_REPORT_COMPARE_BASELINE_H

#include "decoder/report/compare/count_model.h"
#include "decoder/report/compare/work_unit.h"

#define SYT_RARE 0.5 /* of what may be chance: what is met less often is not kept */

struct syt_norm {
	enum syt_fact_type type;
	char *name; /* as in struct syt_fact */
	struct syt_count_models models;
};

struct syt_baseline {
	enum syt_work_unit_rule rule;
	char *function; /* SYT_WORK_UNIT_VISIT: of which; else NULL */
	uint64_t nr_runs, units;
	uint64_t nr_events, nr_lost, nr_blind;
	double unattributed_percent, unmatched_percent; /* of acquires, of bytes received */
	size_t nr, room;
	struct syt_norm *norms; /* by type, then name */
};

/* What to divide counts of RUN by. */
struct syt_size syt_baseline_size(enum syt_work_unit_rule rule, const struct syt_run *run);

/* From NR runs, at least one. FUNCTION, whose visits they counted, or NULL: exchanges if all of them
 * had some. */
void syt_baseline_learn(struct syt_baseline *b, const struct syt_run *runs, size_t nr,
                        const char *function);
void syt_baseline_close(struct syt_baseline *b);

void syt_baseline_write(FILE *f, const struct syt_baseline *b);

/* Whether the file at PATH begins like one. */
bool syt_baseline_is_file(const char *path);
/* Reads one; false after having said what is wrong, and in which line. */
bool syt_baseline_read(struct syt_baseline *b, const char *path);

const struct syt_norm *syt_baseline_find(const struct syt_baseline *b, enum syt_fact_type type,
                                         const char *name);

#endif
