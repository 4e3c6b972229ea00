/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* format/sampler.h and format/sampler_text.h: logarithms, the countdown against independent random decisions, buckets, the
 * table of sites, and the text of samplers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/request/mix.h"
#include "format/sampler_text.h"
#include "tests/lib/random.h"

#define ONE (double)(1u << SYT_SAMPLER_POINT)
#define SITE UINT64_C(0x123456789abcdef)

static struct syt_sampler parsed(const char *text)
{
	struct syt_sampler_options o;
	struct syt_sampler s;
	const char *end = syt_sampler_parse(&o, text);

	if (!end || *end)
		fail_msg("%s is not parsed", text);
	syt_sampler_init(&s, &o);
	return s;
}

/* Returns true if the sampler accepts the call of the site HASH at the time NOW_NS. */
static bool asks(const struct syt_sampler *s, struct syt_sites *t, uint64_t hash, bool is_root,
                 uint64_t now_ns)
{
	struct syt_site *site = syt_sites_find(t, hash);

	return !syt_site_skips(site) && syt_sampler_accepts(s, t, site, is_root, now_ns);
}

/* ---- logarithms ---- */

static void test_minus_ln(void **state)
{
	struct syt_random r = {1};

	(void)state;
	for (unsigned i = 0; i < 100000; i++) {
		uint64_t v = syt_random_magnitude(&r) | 1;

		assert_float_equal((double)syt_minus_ln(v) / ONE, 64 * log(2) - log((double)v),
		                   5e-5);
	}
	assert_float_equal((double)syt_minus_ln(0) / ONE, 64 * log(2), 5e-5);
	assert_true(syt_minus_ln(UINT64_MAX) <= 1);
	for (uint64_t p = 0; p < SYT_SAMPLER_UNIT; p += 1 + p / 10)
		assert_float_equal((double)syt_sampler_hazard_of(p) / ONE, -log1p(-(double)p / 1e6),
		                   1e-6);
	assert_true(syt_sampler_hazard_of(SYT_SAMPLER_UNIT) > syt_minus_ln(0));
}

/* ---- the countdown against independent decisions ---- */

/* The probability with which an independent decision accepts the call number K of a site. */
static double probability(const struct syt_sampler *s, bool is_root, uint64_t k)
{
	double lambda = (double)s->options.lambda / 1e6 / (is_root ? 1 : 8);
	double floor = is_root ? (double)s->options.floor / 1e6 : 0;

	if (s->options.kind == SYT_SAMPLER_P)
		return (double)s->options.p / 1e6;
	return k ? fmax(floor, -expm1(-lambda * lambda / ((double)k * (double)k))) : 1;
}

#define CALLS 3000u /* of the site in a second */
#define MOST_GAP 3000u

struct seconds {
	uint64_t accepted[CALLS]; /* [number of a call]: seconds in which the call was accepted */
	uint64_t gaps[MOST_GAP + 1]; /* distances of consecutive accepted calls in a second */
	uint64_t nr;
};

static void count(struct seconds *all, unsigned k, int *last)
{
	all->accepted[k]++;
	if (*last >= 0)
		all->gaps[(int)k - *last]++;
	*last = (int)k;
	all->nr++;
}

/* Returns the probability of at least this difference between two histograms by chance. Columns with few counts form one. */
static double tail(const double *wanted, const uint64_t *have, unsigned nr, double sum)
{
	double chi = 0, rest_wanted = 0, rest_have = 0;
	unsigned degrees = 0;

	for (unsigned i = 0; i < nr; i++) {
		rest_wanted += wanted[i];
		rest_have += (double)have[i];
		if (rest_wanted < 30 && i + 1 < nr)
			continue;
		if (rest_wanted > 0) {
			double variance = rest_wanted;

			/* the number of accepted seconds of one call is binomial */
			if (sum > 0 && rest_wanted == wanted[i])
				variance *= 1 - rest_wanted / sum;
			if (variance < 1e-9)
				assert_float_equal(rest_have, rest_wanted, 1e-9);
			else
				chi += (rest_have - rest_wanted) * (rest_have - rest_wanted) /
				       variance;
			degrees += variance >= 1e-9;
		}
		rest_wanted = rest_have = 0;
	}
	return syt_chi_square_tail(chi, degrees);
}

static void compare(const char *text, bool is_root, unsigned nr_seconds)
{
	struct syt_sampler s = parsed(text);
	struct seconds *countdown = calloc(2, sizeof(*countdown)), *independent = countdown + 1;
	double *wanted = calloc(MOST_GAP + 1, sizeof(*wanted)), tails[2];
	struct syt_random r = {7};
	struct syt_sites t;

	assert_non_null(countdown);
	assert_non_null(wanted);
	syt_sites_init(&t, 5, 0);
	for (unsigned second = 0; second < nr_seconds; second++) {
		int last = -1, last_independent = -1;

		/* a countdown may reach over the end of a second: a new site reads the clock */
		asks(&s, &t, (SITE + 1) ^ (uint64_t)second << 40, true,
		     second * SYT_SAMPLER_SECOND);
		for (unsigned k = 0; k < CALLS; k++) {
			if (asks(&s, &t, SITE, is_root, second * SYT_SAMPLER_SECOND + k))
				count(countdown, k, &last);
			if ((double)(syt_random_u64(&r) >> 11) * 0x1p-53 <
			    probability(&s, is_root, k))
				count(independent, k, &last_independent);
		}
	}
	for (unsigned k = 0; k < CALLS; k++)
		wanted[k] = probability(&s, is_root, k) * nr_seconds;
	tails[0] = tail(wanted, countdown->accepted, CALLS, nr_seconds);
	/* gaps: two samples of one distribution; twice the mean is the variance of their difference */
	double chi = 0;
	unsigned degrees = 0;
	for (unsigned g = 0, a = 0, b = 0; g <= MOST_GAP; g++) {
		a += (unsigned)countdown->gaps[g];
		b += (unsigned)independent->gaps[g];
		if (a + b < 60)
			continue;
		chi += ((double)a - b) * ((double)a - b) / (a + b);
		degrees++;
		a = b = 0;
	}
	tails[1] = syt_chi_square_tail(chi, degrees);
	print_message("%s, %s: %.3f calls per second, independently %.3f; p %.3f, gaps %.3f\n",
	              text, is_root ? "root" : "other site", (double)countdown->nr / nr_seconds,
	              (double)independent->nr / nr_seconds, tails[0], tails[1]);
	if (tails[0] < 1e-4 || tails[1] < 1e-4)
		fail_msg("the countdown of %s differs from independent decisions", text);
	free(countdown);
	free(wanted);
}

static void test_countdown(void **state)
{
	(void)state;
	compare("bump", true, 20000);
	compare("bump", false, 20000);
	compare("bump:lambda=0.1,floor=0", true, 20000);
	compare("bump:lambda=100,floor=0.001", true, 5000);
	compare("bump:lambda=100,floor=0", false, 5000);
	compare("bump:lambda=1,floor=0.5", true, 500);
	compare("p:0.01", true, 5000);
	compare("p:0.001", true, 20000);
}

/* The number of samples of a second: lambda * root of pi + 1/2 + floor * calls. */
static void test_number_of_samples(void **state)
{
	struct syt_sampler s = parsed("bump:lambda=4,floor=0");
	struct syt_sites t;
	unsigned nr = 0;

	(void)state;
	syt_sites_init(&t, 1, 0);
	for (unsigned second = 0; second < 2000; second++)
		for (unsigned k = 0; k < 10000; k++)
			nr += asks(&s, &t, SITE, true, second * SYT_SAMPLER_SECOND + 1000 * k);
	assert_float_equal(nr / 2000.0, 4 * sqrt(M_PI) + 0.5, 0.2);
	s = parsed("p:1");
	syt_sites_init(&t, 1, 0);
	for (unsigned k = 0; k < 1000; k++)
		assert_true(asks(&s, &t, SITE, true, k));
	s = parsed("p:0");
	syt_sites_init(&t, 1, 0);
	for (unsigned k = 0; k < 1000000; k++)
		assert_false(asks(&s, &t, SITE, true, k));
}

/* ---- buckets ---- */

/* Returns the number of accepted calls of NR calls, one every STEP_NS from FROM_NS on. */
static unsigned nr_accepted(const struct syt_sampler *s, struct syt_sites *t, unsigned nr,
                            uint64_t from_ns, uint64_t step_ns)
{
	unsigned accepted = 0;

	for (unsigned i = 0; i < nr; i++)
		accepted += asks(s, t, SITE, true, from_ns + i * step_ns);
	return accepted;
}

static void test_bucket(void **state)
{
	struct syt_sampler s = parsed("bucket:size=5,rate=2");
	const uint64_t begin = UINT64_C(12345678901234567), second = SYT_SAMPLER_SECOND;
	struct syt_sites t;
	unsigned nr;

	(void)state;
	syt_sites_init(&t, 1, begin);
	assert_int_equal(nr_accepted(&s, &t, 1000, begin, 10), 5);
	/* 2 tokens in a second; a countdown delays a token by half of the rest of the wait at most */
	nr = nr_accepted(&s, &t, 100000, begin + 10000, 100000);
	assert_in_range(nr, 18, 20);
	/* the bucket fills again, but not beyond its size */
	assert_int_equal(nr_accepted(&s, &t, 1000, begin + 1000 * second, 10), 5);
	/* rare calls are all accepted */
	syt_sites_init(&t, 1, begin);
	assert_int_equal(nr_accepted(&s, &t, 1000, begin + 2000 * second, second * 51 / 100), 1000);
	/* so it is for a site that sleeps for longer than the ticks have numbers: 2^32 * 4.096 us are 4.9 hours */
	for (unsigned hours = 1; hours < 50; hours++)
		assert_true(asks(&s, &t, SITE, true, begin + hours * 3600 * second * 3));
	/* fractions of a token, and a slow bucket */
	s = parsed("bucket:size=1.5,rate=0.1");
	syt_sites_init(&t, 1, begin);
	assert_int_equal(nr_accepted(&s, &t, 100, begin, second), 1 + 10);
	s = parsed("bucket:size=1000,rate=1000");
	syt_sites_init(&t, 1, begin);
	assert_int_equal(nr_accepted(&s, &t, 100000, begin, 1), 1000);
}

/* No other site reads the clock here: a countdown has less calls than the wait for the next token. */
static void test_bucket_of_fast_site(void **state)
{
	struct syt_sampler s = parsed("bucket:size=1,rate=100");
	struct syt_sites t;

	(void)state;
	syt_sites_init(&t, 1, 0);
	assert_in_range(nr_accepted(&s, &t, 10000000, 0, 1000), 950, 1001);
}

/* ---- the table ---- */

/* The sum of the calls of a site is exact, whatever the countdown is. */
static void test_calls(void **state)
{
	static const char *const texts[] = {"bump", "bucket", "p:0.3"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct syt_sampler s = parsed(texts[i]);
		struct syt_site *site;
		struct syt_sites t;

		syt_sites_init(&t, 3, 0);
		for (unsigned k = 1; k < 5000; k++) {
			asks(&s, &t, SITE, true, k * 1000);
			site = syt_sites_find(&t, SITE);
			assert_int_equal(
				site->calls + (site->drawn ? site->drawn - 1 - site->countdown : 0),
				k);
		}
		/* another site begins a new second */
		asks(&s, &t, SITE + 1, true, SYT_SAMPLER_SECOND);
		assert_int_equal(syt_sites_find(&t, SITE)->calls, 0);
	}
}

/* The sampler keeps few calls even if each call has another site. */
static void test_many_sites(void **state)
{
	struct syt_sampler s = parsed("bump:floor=0");
	struct syt_random r = {11};
	struct syt_sites t;
	unsigned nr = 0;

	(void)state;
	syt_sites_init(&t, 1, 0);
	for (unsigned k = 0; k < 100000; k++)
		nr += asks(&s, &t, syt_random_u64(&r), true, k);
	assert_in_range(nr, SYT_NR_SITES, 20 * SYT_NR_SITES);
	assert_in_range(t.nr_displaced, 99000, 100000 - SYT_NR_SITES);
	/* a frequent site keeps its entry among rare ones */
	syt_sites_init(&t, 1, 0);
	for (unsigned k = 0; k < 1000; k++)
		asks(&s, &t, SITE, true, k);
	nr = syt_sites_find(&t, SITE)->calls;
	for (unsigned k = 0; k < 1000; k++)
		asks(&s, &t, syt_random_u64(&r), true, 1000 + k);
	assert_int_equal(syt_sites_find(&t, SITE)->calls, nr);
}

/* Of 72 sites, hardly one displaces another one, in any table. They are called in turn, and their hashes are as in the recorder. */
static void test_sites_have_places(void **state)
{
	struct syt_sampler s = parsed("p:0");
	struct syt_random r = {17};
	uint64_t displaced = 0;

	(void)state;
	for (unsigned n = 0; n < 100; n++) {
		uint64_t hashes[72];
		struct syt_sites t;

		syt_sites_init(&t, 1, 0);
		for (unsigned i = 0; i < 72; i++) {
			uint64_t number = syt_random_below(&r, 1 << 24);

			hashes[i] = (number >> 8) << 32 | ((number >> 3 ^ number >> 11) & 31);
		}
		for (unsigned k = 0; k < 100; k++)
			for (unsigned i = 0; i < 72; i++)
				asks(&s, &t, hashes[i], false, k);
		displaced += t.nr_displaced;
	}
	/* with one set for each site: above 100,000 */
	assert_in_range(displaced, 0, 100 * 100);
}

static void test_seeds(void **state)
{
	struct syt_sampler s = parsed("p:0.5");
	unsigned same = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct syt_sites a, b, c;

		syt_sites_init(&a, seed, 0);
		syt_sites_init(&b, seed, 0);
		syt_sites_init(&c, seed + 1, 0);
		for (unsigned k = 0; k < 10; k++) {
			bool is_accepted = asks(&s, &a, SITE, true, k);

			assert_int_equal(is_accepted, asks(&s, &b, SITE, true, k));
			same += is_accepted == asks(&s, &c, SITE, true, k);
		}
	}
	assert_in_range(same, 4700, 5300);
}

/* ---- text ---- */

static void test_text(void **state)
{
	static const char *const wrong[] = {
		"",
		"p",
		"p:",
		"p:x",
		"p:1.1",
		"p:-0.1",
		"p:nan",
		"p:0.1,at=site",
		"bump:",
		"bump:lambda=0.09",
		"bump:lambda=1000.1",
		"bump:lambda=nan",
		"bump:lambda=99999999999999999999",
		"bump:floor=1.01",
		"bump:lambda=4,",
		"bump:size=1",
		"bump,lambda=4x",
		"bucket:size=0.9",
		"bucket:rate=0",
		"bucket:rate=1;",
		"bucket:hops=1.5",
		"bucket:hops=65",
		"bucket:lambda=4",
		"bumper",
		"always",
	};
	struct syt_sampler s = parsed("bump");
	struct syt_sampler_options o;
	const char *end;

	(void)state;
	assert_int_equal(s.options.lambda, 4000000);
	assert_int_equal(s.options.floor, 10000);
	assert_int_equal(s.options.at_root, 0);
	assert_int_equal(s.options.hops, 2);
	s = parsed("bump:lambda=0.125,floor=0.000001,at=root,hops=0");
	assert_int_equal(s.options.lambda, 125000);
	assert_int_equal(s.options.floor, 1);
	assert_int_equal(s.options.at_root, 1);
	assert_int_equal(s.options.hops, 0);
	s = parsed("bucket:size=8.7,rate=4.8");
	assert_int_equal(s.options.size, 8700000);
	assert_int_equal(s.options.rate, 4800000);
	s = parsed("p:.01,hops=8");
	assert_int_equal(s.options.p, 10000);
	assert_int_equal(s.options.hops, 8);
	assert_int_equal(s.options.at_root, 1);
	end = syt_sampler_parse(&o, "bump:floor=0,at=root,bucket");
	assert_non_null(end);
	assert_string_equal(end, ",bucket");
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		end = syt_sampler_parse(&o, wrong[i]);
		if (end && !*end)
			fail_msg("\"%s\" is accepted", wrong[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_minus_ln),
		cmocka_unit_test(test_countdown),
		cmocka_unit_test(test_number_of_samples),
		cmocka_unit_test(test_bucket),
		cmocka_unit_test(test_bucket_of_fast_site),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_many_sites),
		cmocka_unit_test(test_sites_have_places),
		cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
