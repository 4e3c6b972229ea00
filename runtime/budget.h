/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The budget of the recorder with a sampler (format/budget.h). The threads that use it change the value: no thread is created. */
#ifndef SYT_RUNTIME_BUDGET_H
#define SYT_RUNTIME_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "format/budget.h"

/* Begins to obey the budget of the trace T with the sampler O, if it has one. */
void syt_budget_start(struct syt_trace *t, const struct syt_sampler_options *o);

/* Returns true if the trace has a budget. */
bool syt_budget_is_on(void);
/* Returns true if the budget is a share of the CPU time. */
bool syt_budget_is_share(void);

/* Returns the value of the sampler's parameter at NOW (CLOCK_MONOTONIC in ns). Changes it once in a second. */
uint64_t syt_budget_value(uint64_t now);

/* Notes that the sampler has skipped a call. */
void syt_budget_skips(void);

/* Add to the use: bytes before the compression or ns, of which GHOSTS are for ghosts; bytes of a block. */
void syt_budget_use(uint64_t used, uint64_t ghosts);
void syt_budget_seal(uint64_t raw, uint64_t packed);

#endif
