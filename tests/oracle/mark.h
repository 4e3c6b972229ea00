/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A simulated sampler turns a full trace in memory into the trace that a sampled recording of the same run would have produced
 * (doc/sampling.md). It selects parts of threads at random. A simulated wrong recorder changes a sampled trace. */
#ifndef SYT_TESTS_ORACLE_MARK_H
#define SYT_TESTS_ORACLE_MARK_H

#include "base/counts.h"
#include "decoder/order/order.h"

/* Errors of a recorder or of a rule, which the comparison must detect. */
enum mutant {
	MUTANT_NONE,
	MUTANT_HALF, /* sections count although their lock and their unlock are in different parts */
	MUTANT_CROSSED, /* a call does not tell that it crossed others */
	MUTANT_GHOST,   /* ghosts are left out */
	NR_MUTANTS
};

/* Changes TRACE, whose events have the order FULL, with the random numbers of SEED. The recorder selects a call with a probability of
 * PER_MILLE, and then records about LENGTH events. */
void mark(struct syt_trace_data *trace, const struct syt_order *full, uint64_t seed,
          unsigned per_mille, unsigned length, enum mutant mutant);

/* Stores in CROSSED how far other calls moved the counter during each event of SAMPLED, by (thread, begin of the event). */
void note_crossed(struct syt_counts *crossed, struct syt_trace_data *sampled,
                  const struct syt_order *full);

/* Turns SAMPLED, a sampled trace whose full trace has the order FULL, into the trace of a wrong recorder, or lets the rules
 * read it wrongly. */
void spoil(struct syt_trace_data *sampled, const struct syt_order *full, enum mutant mutant);

#endif
