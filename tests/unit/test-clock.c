/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests the conversion of clock ticks to time: exact for an exact clock, smooth for noisy readings, and
 * always strictly monotone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/read/clock.h"
#include "tests/lib/random.h"

#define TSC_HZ UINT64_C(2999998765)
#define NR_PAIRS 500u

static struct syt_clock_pair pairs[NR_PAIRS];

/* Makes NR pairs of readings of a counter of TSC_HZ, 20 ms apart; readings are up to NOISE_NS late. */
static void make_pairs(unsigned nr, unsigned noise_ns, uint64_t seed)
{
	struct syt_random r = {seed};

	for (unsigned n = 0; n < nr; n++) {
		uint64_t ns = UINT64_C(5000000000) + n * UINT64_C(20000000);

		pairs[n].ticks = UINT64_C(1) << 50 | (uint64_t)((double)ns * TSC_HZ / 1e9);
		pairs[n].mono_ns = ns + (noise_ns ? syt_random_below(&r, noise_ns) : 0);
		pairs[n].real_ns = pairs[n].mono_ns + UINT64_C(1700000000123456789);
	}
}

static double true_ns(uint64_t ticks)
{
	return (double)(ticks & ~(UINT64_C(1) << 50)) * 1e9 / (double)TSC_HZ;
}

static void check_monotone(const struct syt_clock_map *map, uint64_t around)
{
	uint32_t hint = 0;
	syt_time before = syt_clock_time(map, around - 1000, &hint);

	for (uint64_t t = around - 999; t < around + 1000; t++) {
		syt_time now = syt_clock_time(map, t, &hint);

		assert_true(now > before);
		before = now;
	}
}

static void a_clock_of_nanoseconds_is_taken_as_it_is(void **state)
{
	struct syt_clock_map map;
	uint32_t hint = 0;

	(void)state;
	syt_clock_fit(&map, SYT_CLOCK_MONOTONIC, 0, NULL, 0);
	assert_int_equal(syt_clock_time(&map, 123456789, &hint), UINT64_C(123456789) << 4);
	assert_int_equal(syt_clock_time(&map, 0, &hint), 0);
	assert_true(syt_clock_time(&map, UINT64_MAX, &hint) == UINT64_MAX);
	syt_clock_fini(&map);
}

static void follows_the_pairs(void **state)
{
	struct syt_clock_map map;
	uint32_t hint = 0;

	(void)state;
	for (unsigned noise = 0; noise <= 400; noise += 200) {
		make_pairs(NR_PAIRS, noise, noise);
		uint64_t first = pairs[0].ticks, last = pairs[NR_PAIRS - 1].ticks;

		syt_clock_fit(&map, SYT_CLOCK_TSC, 0, pairs, NR_PAIRS);
		assert_false(map.is_guess);
		assert_true(map.hz / (double)TSC_HZ > 0.99999 && map.hz / (double)TSC_HZ < 1.00001);
		assert_in_range(map.real_offset_ns, INT64_C(1700000000123456000),
		                INT64_C(1700000000123457000));
		for (uint64_t t = first; t < last; t += (last - first) / 1000) {
			double ns = (double)syt_clock_time(&map, t, &hint) / 16;

			assert_true(ns - true_ns(t) < noise + 300.0);
			assert_true(true_ns(t) - ns < 300.0);
		}
		for (uint32_t n = 0; n < map.nr_anchors; n++)
			check_monotone(&map, map.anchors[n].ticks);
		syt_clock_fini(&map);
	}
}

static void leaves_out_impossible_pairs(void **state)
{
	struct syt_clock_map map;
	uint32_t hint = 0;

	(void)state;
	make_pairs(NR_PAIRS, 100, 7);
	uint64_t first = pairs[0].ticks, last = pairs[NR_PAIRS - 1].ticks;

	pairs[3].mono_ns += UINT64_C(5000000000); /* torn */
	pairs[50].ticks = 12;
	pairs[51].mono_ns = 1;
	pairs[200].mono_ns += 40000000; /* the recorder was preempted between two readings */
	pairs[NR_PAIRS - 2].mono_ns = UINT64_MAX;
	syt_clock_fit(&map, SYT_CLOCK_TSC, TSC_HZ, pairs, NR_PAIRS);
	assert_true(map.nr_outliers >= 3);
	for (uint64_t t = first; t < last; t += (last - first) / 1000) {
		double ns = (double)syt_clock_time(&map, t, &hint) / 16;

		assert_true(ns - true_ns(t) < 1000 && true_ns(t) - ns < 1000);
	}
	syt_clock_fini(&map);
}

static void follows_slewing(void **state)
{
	struct syt_clock_map map;
	uint32_t hint = 0;

	(void)state;
	/* the kernel slews by 400 ppm in the second half: up to 2 ms off a straight line */
	make_pairs(NR_PAIRS, 0, 0);
	for (unsigned n = NR_PAIRS / 2; n < NR_PAIRS; n++)
		pairs[n].mono_ns += (uint64_t)((n - NR_PAIRS / 2) * 20000000 * 400e-6);
	struct syt_clock_pair last = pairs[NR_PAIRS - 1], middle = pairs[NR_PAIRS / 2];

	syt_clock_fit(&map, SYT_CLOCK_TSC, 0, pairs, NR_PAIRS);
	assert_true(llabs((int64_t)(SYT_TIME_NS(syt_clock_time(&map, last.ticks, &hint)) -
	                            last.mono_ns)) < 50000);
	assert_true(llabs((int64_t)(SYT_TIME_NS(syt_clock_time(&map, middle.ticks, &hint)) -
	                            middle.mono_ns)) < 50000);
	syt_clock_fini(&map);
}

static void a_short_run_takes_the_nominal_rate(void **state)
{
	struct syt_clock_map map;
	struct syt_clock_pair two[2];
	uint32_t hint = 0;

	(void)state;
	make_pairs(2, 0, 0);
	memcpy(two, pairs, sizeof(two));
	two[1].ticks = two[0].ticks + 3000; /* pairs 1 us apart, the second read 500 ns late */
	two[1].mono_ns = two[0].mono_ns + 1500;
	syt_clock_fit(&map, SYT_CLOCK_TSC, TSC_HZ, two, 2);
	syt_time a = syt_clock_time(&map, two[0].ticks, &hint);
	syt_time b = syt_clock_time(&map, two[0].ticks + TSC_HZ, &hint);

	assert_in_range(SYT_TIME_NS(b - a), 999999990, 1000000010);
	syt_clock_fini(&map);
}

static void reports_a_guessed_rate(void **state)
{
	struct syt_clock_map map;
	struct syt_clock_pair one = {1000, 5000, 0};

	(void)state;
	syt_clock_fit(&map, SYT_CLOCK_TSC, 0, &one, 1);
	assert_true(map.is_guess);
	check_monotone(&map, 5000);
	syt_clock_fini(&map);
	syt_clock_fit(&map, SYT_CLOCK_TSC, TSC_HZ, &one, 1);
	assert_false(map.is_guess);
	syt_clock_fini(&map);
}

/* Random pairs of readings must give a conversion that is monotone and does not overflow. */
static void random_pairs_do_no_harm(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct syt_random r = {seed};
		size_t nr = syt_random_below(&r, 30);
		struct syt_clock_map map;
		uint32_t hint = 0;
		syt_time before = 0;

		for (size_t n = 0; n < nr; n++)
			pairs[n] = (struct syt_clock_pair){syt_random_magnitude(&r),
			                                   syt_random_magnitude(&r),
			                                   syt_random_magnitude(&r)};
		syt_clock_fit(&map, SYT_CLOCK_TSC, syt_random_magnitude(&r), pairs, nr);
		for (unsigned bit = 0; bit < 64; bit++) {
			syt_time now = syt_clock_time(&map, UINT64_C(1) << bit, &hint);

			assert_true(now >= before);
			before = now;
		}
		syt_clock_fini(&map);
	}
}

/* Compares the header's last pair with an earlier pair and the header's first pair, as in a short run. */
static void names_pairs_that_do_not_fit(void **state)
{
	struct syt_clock_reference r;
	struct syt_clock_pair latest;

	(void)state;
	make_pairs(NR_PAIRS, 300, 5);
	r = syt_clock_refer(pairs, 2);
	assert_null(syt_clock_misfit(&r, &pairs[1]));
	for (unsigned n = 2; n < NR_PAIRS; n++) {
		assert_null(syt_clock_misfit(&r, &pairs[n]));
		latest = pairs[n];
		latest.ticks ^= UINT64_C(1) << 33; /* 3 s */
		assert_string_equal(syt_clock_misfit(&r, &latest), "ticks");
		latest.ticks = 1;
		assert_string_equal(syt_clock_misfit(&r, &latest), "ticks");
		latest = pairs[n];
		latest.mono_ns ^= UINT64_C(1) << 32;
		assert_string_equal(syt_clock_misfit(&r, &latest), "mono_ns");
		latest.real_ns = 0;
		assert_string_equal(syt_clock_misfit(&r, &latest), "ticks or mono_ns");
		/* a process may set CLOCK_REALTIME, so a jump of it is no damage */
		latest = pairs[n];
		latest.real_ns += UINT64_C(3600000000000);
		assert_null(syt_clock_misfit(&r, &latest));
	}
	/* one pair, or two pairs at nearly the same instant, do not determine the clock's rate */
	latest = pairs[9];
	latest.ticks ^= UINT64_C(1) << 40;
	r = syt_clock_refer(pairs, 1);
	assert_null(syt_clock_misfit(&r, &latest));
	pairs[1].ticks = pairs[0].ticks + 3000;
	pairs[1].mono_ns = pairs[0].mono_ns + 1300;
	r = syt_clock_refer(pairs, 2);
	assert_null(syt_clock_misfit(&r, &latest));
}

/* The bent map is the function of the straight map, at knots, between them, before the first and after the last. */
static void bends(void **state)
{
	static const struct syt_clock_knot knots[] = {
		{UINT64_C(6000000000) * 16, UINT64_C(16000000000) * 16},
		{UINT64_C(8000000000) * 16, UINT64_C(18000060000) * 16},
		{UINT64_C(9000000000) * 16, UINT64_C(18999960000) * 16},
	};
	struct syt_clock_map straight, map;

	(void)state;
	for (unsigned first = 0; first < 100; first += 99) {
		uint32_t hint = 0, hint2 = 0;

		make_pairs(NR_PAIRS, 0, 1);
		syt_clock_fit(&straight, SYT_CLOCK_TSC, TSC_HZ, pairs + first, NR_PAIRS - first);
		make_pairs(NR_PAIRS, 0, 1);
		syt_clock_fit(&map, SYT_CLOCK_TSC, TSC_HZ, pairs + first, NR_PAIRS - first);
		syt_clock_straighten(&straight);
		syt_clock_straighten(&map);
		syt_clock_bend(&map, knots, 3);
		check_monotone(&map, pairs[200].ticks);
		for (uint64_t ns = UINT64_C(5000000000); ns < UINT64_C(20000000000); ns += 999983) {
			uint64_t ticks = UINT64_C(1) << 50 | (uint64_t)((double)ns * TSC_HZ / 1e9);
			double at = (double)syt_clock_time(&straight, ticks, &hint) / 16;
			const struct syt_clock_knot *k = &knots[at < 8e9 ? 0 : 1];
			double rate = ((double)k[1].to - (double)k[0].to) /
			              ((double)k[1].from - (double)k[0].from);
			double wanted = (double)k->to / 16 + (at - (double)k->from / 16) * rate;
			double now = (double)syt_clock_time(&map, ticks, &hint2) / 16;

			assert_true(fabs(now - wanted) < 1);
		}
		syt_clock_fini(&straight);
		syt_clock_fini(&map);
	}
}

/* A clock of nanoseconds that began long before the origin of the new times. */
static void bends_a_clock_that_began_before_the_origin(void **state)
{
	static const struct syt_clock_knot knots[] = {
		{UINT64_C(67958000000000) * 16, UINT64_C(500000000) * 16},
		{UINT64_C(67959000000000) * 16, UINT64_C(1500100000) * 16},
	};
	struct syt_clock_map map;
	uint32_t hint = 0;

	(void)state;
	syt_clock_fit(&map, SYT_CLOCK_MONOTONIC, 0, NULL, 0);
	syt_clock_bend(&map, knots, 2);
	check_monotone(&map, UINT64_C(67958000000000));
	for (int64_t ns = -400000000; ns < 3000000000; ns += 99991) {
		uint64_t ticks = UINT64_C(67958000000000) + (uint64_t)ns;
		double now = (double)syt_clock_time(&map, ticks, &hint) / 16;

		assert_true(fabs(now - (5e8 + (double)ns * 1.0001)) < 1);
	}
	assert_int_equal(syt_clock_time(&map, 1000, &hint), 0);
	syt_clock_fini(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_of_nanoseconds_is_taken_as_it_is),
		cmocka_unit_test(follows_the_pairs),
		cmocka_unit_test(leaves_out_impossible_pairs),
		cmocka_unit_test(follows_slewing),
		cmocka_unit_test(a_short_run_takes_the_nominal_rate),
		cmocka_unit_test(reports_a_guessed_rate),
		cmocka_unit_test(names_pairs_that_do_not_fit),
		cmocka_unit_test(random_pairs_do_no_harm),
		cmocka_unit_test(bends),
		cmocka_unit_test(bends_a_clock_that_began_before_the_origin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
