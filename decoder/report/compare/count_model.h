/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * How often a fact is to be expected, learnt from runs of one program: doc/reports.md, "Runs
 * compared".
 *
 * A law says: so many per unit of work, per run, or per second.  A count that one of a fact's laws
 * explains is no finding.  A law is exact, when all runs agree, or a range in which a further run
 * would lie but for one in a million, if the runs' spread is all that there is.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_COUNT_MODEL_H
#define SYT_DECODER_REPORT_COMPARE_COUNT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "decoder/report/compare/fact.h"

enum syt_per { SYT_PER_UNIT, SYT_PER_RUN, SYT_PER_SECOND, SYT_NR_PERS };
enum syt_count_model_kind { SYT_COUNT_MODEL_NONE, SYT_COUNT_MODEL_EXACT, SYT_COUNT_MODEL_RANGE };

struct syt_count_model {
	enum syt_count_model_kind kind;
	double low, high; /* equal when it is exact */
};

struct syt_count_models {
	struct syt_count_model of[SYT_NR_PERS];
	bool must_occur; /* without a law: how often is not known, but that it does is */
};

/* Fewer runs than this do not know what varies. */
#define SYT_RUNS_FEW 3u

/* Whether facts of TYPE are compared only by whether there are any: their number is a matter of
 * time. */
bool syt_count_model_is_presence(enum syt_fact_type type);

/* What a count of one run is divided by. */
struct syt_size {
	double of[SYT_NR_PERS];
};

/* What is expected of a fact of TYPE which had COUNTS in NR runs of SIZES; HAS_UNITS: a unit is not
 * the run. */
void syt_count_models_learn(struct syt_count_models *l, enum syt_fact_type type,
                            const uint64_t *counts, const struct syt_size *sizes, unsigned nr,
                            bool has_units);

/* Whether some count would not be what L expects. */
bool syt_count_models_demand(const struct syt_count_models *l);

/* How many events that were never seen in work AS_MUCH times as large as a run's may be chance:
 * that K of them all fall into the new run has the probability (1 + AS_MUCH)^-K, and that shall be
 * less than one in a million. */
double syt_count_model_chance(double as_much);

/* The next number at or below (or, IS_UP, above) X that is 1, 2 or 5 times a power of ten: what
 * varies shall look the same when it is learnt again. */
double syt_count_model_rounded(double x, bool is_up);

/* "1/unit 1000/run", "12..40/run", "+" (must occur), "*" (anything). */
void syt_count_models_write(FILE *f, const struct syt_count_models *l);
/* False when TEXT, which ends at a tab, is none. */
bool syt_count_models_parse(struct syt_count_models *l, const char *text);

#endif
