/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A simulated sampler: turns a full trace in memory into the trace that a sampled recording of the same run would have produced
 * (doc/sampling.md). It selects parts of threads at random. */
#ifndef SYT_TESTS_ORACLE_MARK_H
#define SYT_TESTS_ORACLE_MARK_H

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

#endif
