/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* format/budget.h: the text of budgets, and the change of a sampler's value in simulated seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/budget.h"

#define NR_CALLS 20000u /* of each of the sites in a simulated second */
#define NR_SITES 8u
#define CALL_BYTES 40u /* of an accepted call and the rest of its turn */

static void test_text(void **state)
{
	static const struct {
		const char *text;
		uint64_t limit;
		uint32_t is_share;
	} good[] = {
		{"1/s", 1, 0},        {"65536/s", 65536, 0}, {"64K/s", 65536, 0}, {"1.9/s", 1, 0},
		{"3M/s", 3 << 20, 0}, {"1G/s", 1 << 30, 0},  {"2%", 20000, 1},    {"0.0001%", 1, 1},
		{"100%", 1000000, 1}, {"12.5%", 125000, 1},
	};
	static const char *const bad[] = {
		"",     "2",    "64K",   "64k/s",         "0/s",    "0%",
		"101%", "2%%",  "-1/s",  "nan/s",         "64KK/s", "64K/s ",
		"/s",   "2%/s", "64K/m", "9999999999G/s", " 2%"};
	struct syt_budget b;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		if (!syt_budget_parse(&b, good[i].text))
			fail_msg("%s is refused", good[i].text);
		assert_int_equal(b.limit, good[i].limit);
		assert_int_equal(b.is_share, good[i].is_share);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (syt_budget_parse(&b, bad[i]))
			fail_msg("%s is taken", bad[i]);
}

static void test_step(void **state)
{
	(void)state;
	/* the quotient is between 1/2 and 2, and half of the difference is taken */
	assert_int_equal(syt_budget_step(1000, 500, 500), 1000);
	assert_int_equal(syt_budget_step(1000, 1000, 0), 1500);
	assert_int_equal(syt_budget_step(1000, 1000, 1), 1500);
	assert_int_equal(syt_budget_step(1000, 0, 1), 750);
	assert_int_equal(syt_budget_step(1000, 800, 1000), 899); /* rounded down */
	assert_int_equal(syt_budget_step(1000, 1500, 1000), 1250);
	assert_int_equal(syt_budget_step(1000, UINT64_MAX, UINT64_MAX), 1000);
	assert_in_range(syt_budget_step(1000000000, UINT64_C(3) << 50, UINT64_C(4) << 50),
	                874000000, 876000000);
}

/* Calls the sites of a thread for a second with the value of B. Returns the number of accepted calls. */
static uint64_t second_of(const struct syt_budget *b, const struct syt_sampler_options *o,
                          struct syt_sites *t, uint64_t second)
{
	struct syt_sampler_options own = *o;
	struct syt_sampler s;
	uint64_t nr = 0;

	syt_budget_apply(&own, b->value);
	syt_sampler_init(&s, &own);
	for (uint64_t n = 0; n < NR_CALLS * NR_SITES; n++) {
		struct syt_site *site = syt_sites_find(t, n % NR_SITES * UINT64_C(0x100000001));

		nr += !syt_site_skips(site) &&
		      syt_sampler_accepts(&s, t, site, 1,
		                          second * SYT_SAMPLER_SECOND +
		                                  n * SYT_SAMPLER_SECOND / NR_CALLS / NR_SITES);
	}
	return nr;
}

/* After at most 20 simulated seconds, the mean of 10 seconds is within 20 % of the budget. */
static void follow(const char *sampler, const char *text, uint64_t cpu)
{
	struct syt_sampler_options o;
	struct syt_budget b;
	struct syt_sites t;
	uint64_t sum = 0, allowed;

	assert_non_null(syt_sampler_parse(&o, sampler));
	assert_true(syt_budget_parse(&b, text));
	b.value = syt_budget_parameter(&o);
	syt_sites_init(&t, 7, 0);
	allowed = b.is_share ? b.limit * (cpu / 1000000) : b.limit;
	for (uint64_t second = 1; second <= 30; second++) {
		uint64_t used = second_of(&b, &o, &t, second) * CALL_BYTES;

		sum += second > 20 ? used : 0;
		b.has_skipped = 1;
		syt_budget_change(&b, &o, SYT_SAMPLER_SECOND, used, 0, cpu);
	}
	if (sum < allowed * 8 || sum > allowed * 12)
		fail_msg("%s, %s: %llu instead of %llu", sampler, text,
		         (unsigned long long)sum / 10, (unsigned long long)allowed);
	assert_int_equal(b.nr_seconds, 30);
	assert_int_equal(b.nr_ghosts, 0);
}

static void test_follow(void **state)
{
	(void)state;
	follow("bump", "64K/s", 0);
	follow("bump", "8K/s", 0);
	follow("bump:floor=0", "16K/s", 0);
	follow("bucket", "16K/s", 0);
	follow("bucket:size=8,rate=500", "4K/s", 0);
	follow("p:1", "64K/s", 0);
	follow("p:0.0001", "64K/s", 0);
	follow("bump", "0.005%", SYT_SAMPLER_SECOND);
}

static void test_limits(void **state)
{
	struct syt_sampler_options o;
	struct syt_budget b;

	(void)state;
	assert_non_null(syt_sampler_parse(&o, "bump"));
	assert_true(syt_budget_parse(&b, "1K/s"));
	b.value = o.lambda;
	/* an idle program does not raise the value, except if calls were skipped */
	syt_budget_change(&b, &o, SYT_SAMPLER_SECOND, 0, 0, 0);
	assert_int_equal(b.value, o.lambda);
	for (unsigned i = 0; i < 100; i++) {
		b.has_skipped = 1;
		syt_budget_change(&b, &o, SYT_SAMPLER_SECOND, 0, 0, 0);
	}
	assert_int_equal(b.value, SYT_SAMPLER_MOST);
	/* ghosts above the budget are counted, and the value stays valid */
	for (unsigned i = 0; i < 100; i++)
		syt_budget_change(&b, &o, SYT_SAMPLER_SECOND, 1 << 20, 1 << 19, 0);
	assert_int_equal(b.value, syt_budget_least(&o));
	assert_int_equal(b.nr_ghosts, 100);
	assert_in_range(b.nr_least, 1, 99);
	/* two seconds have twice the budget, and blocks are compressed */
	b.value = 4000000;
	b.raw = 1 << 20;
	b.packed = 1 << 19;
	syt_budget_change(&b, &o, 2 * SYT_SAMPLER_SECOND, 4096, 0, 0);
	assert_int_equal(b.value, 4000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
