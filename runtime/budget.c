/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/budget.h"

#include <stddef.h>
#include <time.h>

#include "runtime/sys.h"

static struct syt_budget *budget;
static struct syt_sampler_options options;
static uint64_t cpu_at_ns,
	cpu_ns; /* time of the last reading of the process's CPU time, and the CPU time */

void syt_budget_start(struct syt_trace *t, const struct syt_sampler_options *o)
{
	struct syt_budget *b = syt_budget_of(t);
	uint64_t none = 0;

	if (!b->limit)
		return;
	options = *o;
	__atomic_compare_exchange_n(&b->value, &none, syt_budget_parameter(o), false,
	                            __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	budget = b;
}

bool syt_budget_is_on(void)
{
	return budget;
}

bool syt_budget_is_share(void)
{
	return budget && budget->is_share;
}

/* Adds the CPU time of this process, once in a second. */
static void add_cpu(uint64_t now)
{
	uint64_t at = __atomic_load_n(&cpu_at_ns, __ATOMIC_RELAXED), cpu;
	struct timespec t;

	if (now - at < SYT_SAMPLER_SECOND ||
	    !__atomic_compare_exchange_n(&cpu_at_ns, &at, now, false, __ATOMIC_RELAXED,
	                                 __ATOMIC_RELAXED) ||
	    SYT_SYS_2(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t) < 0)
		return;
	cpu = (uint64_t)t.tv_sec * SYT_SAMPLER_SECOND + (uint64_t)t.tv_nsec;
	/* a forked child begins at 0 */
	__atomic_fetch_add(&budget->cpu_ns, cpu > cpu_ns ? cpu - cpu_ns : cpu, __ATOMIC_RELAXED);
	cpu_ns = cpu;
}

uint64_t syt_budget_value(uint64_t now)
{
	uint64_t at = __atomic_load_n(&budget->at_ns, __ATOMIC_RELAXED);

	if (budget->is_share)
		add_cpu(now);
	if ((!at || (now > at && now - at >= SYT_SAMPLER_SECOND)) &&
	    __atomic_compare_exchange_n(&budget->at_ns, &at, now, false, __ATOMIC_RELAXED,
	                                __ATOMIC_RELAXED) &&
	    at) {
		uint64_t used = __atomic_exchange_n(&budget->used, 0, __ATOMIC_RELAXED);
		uint64_t ghosts = __atomic_exchange_n(&budget->ghosts, 0, __ATOMIC_RELAXED);
		uint64_t cpu = __atomic_exchange_n(&budget->cpu_ns, 0, __ATOMIC_RELAXED);

		syt_budget_change(budget, &options, now - at, used, ghosts, cpu);
	}
	return __atomic_load_n(&budget->value, __ATOMIC_RELAXED);
}

void syt_budget_skips(void)
{
	if (!budget->has_skipped)
		__atomic_store_n(&budget->has_skipped, 1, __ATOMIC_RELAXED);
}

void syt_budget_use(uint64_t used, uint64_t ghosts)
{
	__atomic_fetch_add(&budget->used, used, __ATOMIC_RELAXED);
	if (ghosts)
		__atomic_fetch_add(&budget->ghosts, ghosts, __ATOMIC_RELAXED);
}

void syt_budget_seal(uint64_t raw, uint64_t packed)
{
	__atomic_fetch_add(&budget->raw, raw, __ATOMIC_RELAXED);
	__atomic_fetch_add(&budget->packed, packed, __ATOMIC_RELAXED);
}
