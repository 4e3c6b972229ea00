/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A baseline: the facts that several runs of one commit have in common, as a text file for the repository.
 *
 *	syntrace-baseline 2
 *	unit exchange
 *	runs 5
 *	...
 *	build	debug -O2	8aea65f1...	server
 *	call	1/unit 1000/run	server: main;serve;pthread_mutex_lock
 *	name	mutex:server.lock	server: main;serve;pthread_mutex_lock
 *
 *	part	1/task	get	server: worker;get;look_up;pthread_mutex_lock
 * The file has one fact per line, sorted. Findings print the names of objects; no fact depends on them. A number that varies
 * from run to run is rounded or "*", so a baseline learnt again is nearly the same. The file is untrusted input.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_BASELINE_H
#define SYT_DECODER_REPORT_COMPARE_BASELINE_H

#include "decoder/model/rules.h"
#include "decoder/report/compare/count_model.h"
#include "decoder/report/compare/work_unit.h"

#define SYT_RARE 0.5 /* part of a count that may be chance: rarer facts are not kept */

struct syt_norm {
	enum syt_fact_type type;
	char *name; /* name of the fact, as in struct syt_fact */
	struct syt_count_models models;
};

struct syt_baseline {
	enum syt_work_unit_rule rule;
	char *function; /* function whose visits are units of work; NULL: other units */
	uint64_t nr_runs, units;
	uint64_t nr_events, nr_lost, nr_blind;
	/* percentage of the acquires without a known source; of the received bytes without a known sender */
	double unattributed_percent, unmatched_percent;
	double wakes_low,
		wakes_high;       /* least and largest number of a run's wakes per unit of work */
	double seconds_low, seconds_high; /* least and largest duration of a run; low 0: unknown */
	struct syt_run_origin origin; /* origin of the first run; texts NULL: unknown */
	struct syt_builds builds; /* programs and libraries of the runs */
	size_t nr, room;
	struct syt_norm *norms; /* facts, sorted by type, then name */
	struct syt_path_objects objects; /* of the call paths in `norms` */
};

/* Returns the numbers by which the counts of RUN are divided: units of work, runs and seconds. */
struct syt_size syt_baseline_size(enum syt_work_unit_rule rule, const struct syt_run *run);

/* Sets the sizes and losses of baseline B, whose rule is set, to the sums over NR runs, and the units of work to
 * their mean. */
void syt_baseline_sum_up(struct syt_baseline *b, const struct syt_run *runs, size_t nr);
/* Learns baseline B from NR runs, at least one. The unit of work is the visit of FUNCTION; RUNS contain the numbers
 * of visits. If FUNCTION is NULL, the unit is the exchange (request and answer) if all runs have exchanges. B
 * contains no tasks (task_rules.h). */
void syt_baseline_learn(struct syt_baseline *b, const struct syt_run *runs, size_t nr,
                        const char *function);
/* Sorts the facts of B by type, then name. */
void syt_baseline_sort(struct syt_baseline *b);
/* Returns the type of rule of a fact about a task. */
enum syt_rule_type syt_baseline_rule_type(enum syt_fact_type type);
/* Returns true if the counts of a fact are so small that its absence from a run is no finding. The start of a
 * program alone may have thousands of such facts. */
bool syt_baseline_is_rare(enum syt_fact_type type, const uint64_t *counts, size_t nr);
void syt_baseline_close(struct syt_baseline *b);

void syt_baseline_write(FILE *f, const struct syt_baseline *b);

/* Returns true if the file at PATH begins like a baseline. */
bool syt_baseline_is_file(const char *path);
/* Reads baseline B from the file at PATH. Returns false after a message that names the line. */
bool syt_baseline_read(struct syt_baseline *b, const char *path);

const struct syt_norm *syt_baseline_find(const struct syt_baseline *b, enum syt_fact_type type,
                                         const char *name);

#endif
