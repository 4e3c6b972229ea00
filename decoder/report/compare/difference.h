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

#include "decoder/report/compare/comparison.h"

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
