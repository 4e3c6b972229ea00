/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The expected counts of a fact, such as calls at one call path. These models are learnt from runs of one program:
 * doc/reports.md, "Runs compared".
 *
 * A count model is a number per unit of work, per run, per second, or per instance of a task. A count is no finding if one of the models of
 * the fact explains it. A model is exact if all runs agree. Otherwise it is a range. If the known runs show the
 * whole spread, one further run in a million leaves this range.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_COUNT_MODEL_H
#define SYT_DECODER_REPORT_COMPARE_COUNT_MODEL_H

#include <stdio.h>

#include "decoder/report/compare/fact.h"

enum syt_per { SYT_PER_UNIT, SYT_PER_RUN, SYT_PER_SECOND, SYT_PER_TASK, SYT_NR_PERS };
enum syt_count_model_kind {
	SYT_COUNT_MODEL_NONE,
	SYT_COUNT_MODEL_EXACT,
	SYT_COUNT_MODEL_ABOUT, /* the old runs nearly agree, as the averages of many random numbers do */
	SYT_COUNT_MODEL_RANGE
};

struct syt_count_model {
	enum syt_count_model_kind kind;
	double low, high; /* limits of the range; otherwise equal numbers */
};

struct syt_count_models {
	struct syt_count_model of[SYT_NR_PERS];
	bool must_occur; /* the fact has no count model, but occurs in each run */
};

/* With fewer runs than this, it is unknown which counts vary. */
#define SYT_RUNS_FEW 3u

/* Returns true if only the presence of facts of TYPE is compared, because their number depends on time. */
bool syt_count_model_is_presence(enum syt_fact_type type);

/* Returns true if facts of TYPE are counted for each instance of the task in their name. */
bool syt_count_model_is_per_task(enum syt_fact_type type);

/* The numbers by which the counts of one run are divided: units of work, runs, seconds and instances of the task. */
struct syt_size {
	double of[SYT_NR_PERS];
};

/* Learns the count models of a fact of TYPE. COUNTS are its counts in NR runs, SIZES the divisors. HAS_UNITS: the
 * unit of work is not the whole run. */
void syt_count_models_learn(struct syt_count_models *l, enum syt_fact_type type,
                            const uint64_t *counts, const struct syt_size *sizes, unsigned nr,
                            bool has_units);

/* Returns true if the models L exclude some counts, so that a run can contradict them. */
bool syt_count_models_demand(const struct syt_count_models *l);

/* Returns the number of events that may occur by chance in a new run, if AS_MUCH times as much old work contained
 * none of them. K events all fall into the new run with the probability (1 + AS_MUCH)^-K, which must be below one
 * in a million. */
double syt_count_model_chance(double as_much);

/* Sorts the NR values in X, at least one, and returns their median. */
double syt_median(double *x, size_t nr);

/* Returns the nearest number at or below X (IS_UP: at or above X) that is 1, 2 or 5 times a power of ten. Rounding
 * makes a varying count look the same when it is learnt again. */
double syt_count_model_rounded(double x, bool is_up);

/* Writes count models as text: "1/unit 1000/run", "~0.58/unit" (about), "12..40/run", "+" (must occur), or "*" (any count). */
void syt_count_models_write(FILE *f, const struct syt_count_models *l);
/* Parses a number, or a range such as "12..40", from TEXT. Returns false if TEXT does not have this form. */
bool syt_count_range_parse(const char *text, double *low, double *high);
/* Parses count models from TEXT, which ends at a tab. Returns false if TEXT does not have this form. */
bool syt_count_models_parse(struct syt_count_models *l, const char *text);

#endif
