/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/report/watch/pace.c: simulated runs with known costs. The CPU time stays below the share, and the analyses use it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decoder/report/watch/pace.h"

#define INTERVAL_NS UINT64_C(100000000)
#define CONTEXT_S 5.0

struct load {
	double rate, event_ns, analysis_ns, begin_ns;
};

/* Simulates SECONDS. Returns the share of the events that the analyses read. */
static double run(const struct load *l, unsigned seconds)
{
	double cpu = l->begin_ns, seen = 0, until = 0;
	struct syt_pace p;

	syt_pace_begin(&p, 0);
	for (uint64_t now = 0; now <= seconds * UINT64_C(1000000000); now += INTERVAL_NS) {
		double s = (double)now / 1e9, begun = cpu, nr, from;
		uint64_t most = syt_pace_due(&p, now, (uint64_t)cpu);

		if (!most)
			continue;
		from = fmax(0, until - CONTEXT_S);
		nr = fmin((double)most, (s - from) * l->rate);
		cpu += l->analysis_ns + nr * l->event_ns;
		from = s - nr / l->rate;
		seen += (s - fmax(from, until)) * l->rate;
		syt_pace_end(&p, now, (uint64_t)begun, (uint64_t)cpu, (uint64_t)nr, from > until);
		until = s;
		/* the first analysis does not know its cost */
		if (cpu - begun < 2 * SYT_PACE_SHARE * (double)SYT_PACE_PERIOD_NS && s > 2)
			assert_true(cpu <= SYT_PACE_SHARE * (double)now + l->analysis_ns + 1e6);
	}
	assert_true(cpu <= SYT_PACE_SHARE * 1e9 * seconds + l->analysis_ns + 1e6);
	return seen / (l->rate * seconds);
}

static void test_low_load(void **state)
{
	(void)state;
	assert_true(run(&(struct load){1000, 2000, 5e6, 50e6}, 60) > 0.95);
	assert_true(run(&(struct load){10000, 2000, 5e6, 50e6}, 60) > 0.9);
}

/* The share of a processor suffices for a quarter or for a hundredth of the events. */
static void test_high_load(void **state)
{
	double share;

	(void)state;
	share = run(&(struct load){100000, 2000, 10e6, 50e6}, 120);
	assert_true(share > 0.2 && share <= 0.25);
	share = run(&(struct load){2500000, 2000, 10e6, 50e6}, 120);
	assert_true(share > 0.008 && share <= 0.01);
}

/* Analyses that cost more than the share in each second, even without events. */
static void test_constant_cost(void **state)
{
	(void)state;
	run(&(struct load){100, 2000, 300e6, 100e6}, 200);
	run(&(struct load){100, 2000, 0, 3e9}, 200);
}

/* Returns the number of events that an analysis may read after an idle time. */
static void test_idle(void **state)
{
	struct syt_pace p;

	(void)state;
	syt_pace_begin(&p, 0);
	assert_true(syt_pace_due(&p, UINT64_C(3600000000000), 0) <= syt_pace_last(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_low_load),
		cmocka_unit_test(test_high_load),
		cmocka_unit_test(test_constant_cost),
		cmocka_unit_test(test_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
