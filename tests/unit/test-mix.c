/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/request/mix.c: known values of the chi-square distribution, shifts, errors of groupings, and synthetic mixes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/store.h"
#include "decoder/request/mix.h"
#include "tests/lib/random.h"

/* ---- chi-square distribution ---- */

static void is_near(double have, double wanted)
{
	if (!(fabs(have - wanted) <= 1e-9 * wanted))
		fail_msg("%.17g instead of %.17g", have, wanted);
}

/* Closed forms: erfc for one degree, and a finite sum of Poisson probabilities for even degrees. */
static void test_chi_square(void **state)
{
	(void)state;
	for (double x = 0.001; x < 600; x *= 1.3) {
		is_near(syt_chi_square_tail(x, 1), erfc(sqrt(x / 2)));
		is_near(syt_chi_square_tail(x, 2), exp(-x / 2));
		for (unsigned degrees = 4; degrees < 400; degrees += 46) {
			double term = exp(-x / 2), sum = term;

			for (unsigned k = 1; k < degrees / 2; k++)
				sum += term *= x / 2 / k;
			assert_float_equal(syt_chi_square_tail(x, degrees), sum, 1e-9);
		}
	}
	/* tables: the 5 %, 1 % and 0.1 % points */
	assert_float_equal(syt_chi_square_tail(3.841458820694124, 1), 0.05, 1e-12);
	assert_float_equal(syt_chi_square_tail(23.209251158954356, 10), 0.01, 1e-12);
	assert_float_equal(syt_chi_square_tail(149.44925277903886, 100), 0.001, 1e-12);
	assert_true(syt_chi_square_tail(0, 5) == 1);
	assert_true(syt_chi_square_tail(1e9, 5) == 0);
	assert_float_equal(syt_chi_square_tail(1e6, 1e6), 0.4998, 1e-4);
}

/* ---- shifts ---- */

static void test_shift(void **state)
{
	static const uint64_t model[] = {500, 300, 200, 0, 0}, same[] = {260, 140, 100, 0, 0},
			      changed[] = {30, 120, 50, 0, 0}, added[] = {80, 50, 30, 40, 0},
			      none[] = {0, 0, 0, 0, 0}, one[] = {10, 0, 0, 0, 0};
	struct syt_shift s;

	(void)state;
	s = syt_mix_shift(model, same, 5);
	assert_int_equal(s.degrees, 2);
	assert_float_equal(s.variation, 0.02, 1e-12);
	assert_true(s.p > 0.1 && !s.is_shift);
	s = syt_mix_shift(model, changed, 5);
	assert_true(s.is_shift && s.p < 1e-10);
	assert_float_equal(s.variation, 0.35, 1e-12);
	s = syt_mix_shift(model, added, 5);
	assert_true(s.is_shift);
	assert_int_equal(s.degrees, 3);
	assert_float_equal(s.variation, 0.2, 1e-12);
	assert_false(syt_mix_shift(model, none, 5).is_shift);
	assert_false(syt_mix_shift(none, model, 5).is_shift);
	assert_true(syt_mix_shift(one, one, 5).p == 1);
	assert_true(syt_mix_shift(none, none, 0).p == 1);
}

/* G of a table of two by two, by hand: 2 (30 ln(30/20) + 10 ln(10/20) + 10 ln(10/20) + 30 ln(30/20)) */
static void test_g(void **state)
{
	static const uint64_t model[] = {30, 10}, run[] = {10, 30};
	struct syt_shift s = syt_mix_shift(model, run, 2);

	(void)state;
	assert_float_equal(s.g, 2 * (60 * log(1.5) + 20 * log(0.5)), 1e-9);
	assert_float_equal(s.p, erfc(sqrt(s.g / 2)), 1e-12);
}

/* A significant change of 5 % is no shift. */
static void test_small_change(void **state)
{
	static const uint64_t model[] = {500000, 500000}, run[] = {450000, 550000};
	struct syt_shift s = syt_mix_shift(model, run, 2);

	(void)state;
	assert_true(s.p < 1e-100 && !s.is_shift);
}

#define NR_RARE 3000u

/* Each request of both mixes has its own group, or one of the few frequent groups: no shift. */
static void test_rare_groups(void **state)
{
	uint64_t model[2 + NR_RARE] = {5000, 5000}, run[2 + NR_RARE] = {5000, 5000};

	(void)state;
	for (unsigned i = 0; i < NR_RARE; i++)
		(i % 2 ? model : run)[2 + i] = 1;
	assert_false(syt_mix_shift(model, run, 2 + NR_RARE).is_shift);
}

/* p of equal mixes is uniform enough: p < 0.01 in about 1 % of the runs. */
static void test_equal_mixes(void **state)
{
	struct syt_random r = {7};
	unsigned nr_low = 0;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t model[12] = {0}, run[12] = {0};

		for (unsigned k = 0; k < 1200; k++) {
			uint64_t x = syt_random_below(&r, 12), y = syt_random_below(&r, 12);

			(k < 1000 ? model : run)[x < y ? x : y]++;
		}
		nr_low += syt_mix_shift(model, run, 12).p < 0.01;
	}
	assert_in_range(nr_low, 5, 45);
}

/* ---- errors ---- */

static struct syt_population p;

static void add_member(uint64_t cpu, uint64_t sent)
{
	struct syt_work_part part = {.component = 0};

	part.amounts[SYT_RESOURCE_CPU] = cpu;
	part.amounts[SYT_RESOURCE_SENT] = sent;
	syt_population_add(&p, syt_population_behaviour(&p, NULL, 0), &part, 1);
}

/* Two kinds with the work 10 and 30 under one label, and a label of its own. */
static void test_errors(void **state)
{
	static const uint32_t by_kind[] = {0, 0, 1, 1, 2}, by_label[] = {0, 0, 0, 0, 1};
	uint64_t *kinds, *labels;
	double *errors;

	(void)state;
	memset(&p, 0, sizeof(p));
	syt_text_set_add(&p.components, "shop", 4);
	add_member(10, 7);
	add_member(10, 7);
	add_member(30, 7);
	add_member(30, 7);
	add_member(20, 7);
	kinds = syt_mix_representatives(&p, by_kind, 4);
	assert_int_equal(kinds[0], 0);
	assert_int_equal(kinds[1], 2);
	assert_int_equal(kinds[2], 4);
	assert_true(kinds[3] == UINT64_MAX);
	errors = syt_mix_errors(&p, by_kind, kinds);
	assert_true(errors[SYT_RESOURCE_CPU] == 0 && errors[SYT_RESOURCE_SENT] == 0);
	assert_true(errors[SYT_RESOURCE_RECEIVED] < 0);
	free(errors);
	labels = syt_mix_representatives(&p, by_label, 2);
	assert_int_equal(labels[0], 0);
	errors = syt_mix_errors(&p, by_label, labels);
	assert_float_equal(errors[SYT_RESOURCE_CPU], sqrt(2 * 20 * 20 / 5.0) / 20, 1e-12);
	assert_true(errors[SYT_RESOURCE_SENT] == 0);
	free(errors);
	free(kinds);
	free(labels);
	syt_population_close(&p);
}

/* Unknown amounts, members without a group, and members without the component. */
static void test_errors_of_gaps(void **state)
{
	static const uint32_t of[] = {0, 0, 0, SYT_MIX_NO_GROUP, 0};
	uint64_t *representatives;
	double *errors;

	(void)state;
	memset(&p, 0, sizeof(p));
	syt_text_set_add(&p.components, "shop", 4);
	add_member(SYT_AMOUNT_UNKNOWN, 4);
	add_member(100, 4);
	add_member(300, 4);
	add_member(1000000, 4);
	syt_population_add(&p, 0, NULL, 0);
	representatives = syt_mix_representatives(&p, of, 1);
	assert_int_equal(representatives[0], 1); /* the means of members 1, 2 and 4: 133, 3 */
	errors = syt_mix_errors(&p, of, representatives);
	assert_float_equal(errors[SYT_RESOURCE_CPU],
	                   sqrt((200 * 200 + 100 * 100) / 3.0) / (400 / 3.0), 1e-12);
	assert_float_equal(errors[SYT_RESOURCE_SENT], sqrt(4 * 4 / 4.0) / 3, 1e-12);
	free(errors);
	free(representatives);
	syt_population_close(&p);
}

/* ---- synthetic mixes ---- */

static void test_draw_shares(void **state)
{
	struct syt_random r = {3};

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		uint64_t counts[40], total = 0, seen[40] = {0};
		uint32_t nr = 1 + (uint32_t)syt_random_below(&r, 40), *draws;

		for (uint32_t k = 0; k < nr; k++)
			total += counts[k] = syt_random_magnitude(&r) >> 6;
		if (!total)
			continue;
		draws = syt_mix_draw(counts, nr, 10000, i);
		for (uint32_t k = 0; k < 10000; k++)
			seen[draws[k]]++;
		for (uint32_t k = 0; k < nr; k++)
			assert_true(fabs((double)seen[k] -
			                 10000.0 * (double)counts[k] / (double)total) < 1.0001);
		syt_store_free(draws);
	}
}

/* The same seed gives the same draws; the draws are in no order. */
static void test_draw_seeds(void **state)
{
	static const uint64_t counts[] = {1, 1};
	uint32_t *one = syt_mix_draw(counts, 2, 10000, 1),
		 *again = syt_mix_draw(counts, 2, 10000, 1),
		 *other = syt_mix_draw(counts, 2, 10000, 2);
	unsigned nr_first = 0;

	(void)state;
	assert_memory_equal(one, again, 10000 * sizeof(*one));
	assert_memory_not_equal(one, other, 10000 * sizeof(*one));
	for (unsigned i = 0; i < 5000; i++)
		nr_first += !one[i];
	assert_in_range(nr_first, 2350, 2650);
	syt_store_free(one);
	syt_store_free(again);
	syt_store_free(other);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chi_square),  cmocka_unit_test(test_shift),
		cmocka_unit_test(test_g),           cmocka_unit_test(test_small_change),
		cmocka_unit_test(test_rare_groups), cmocka_unit_test(test_equal_mixes),
		cmocka_unit_test(test_errors),      cmocka_unit_test(test_errors_of_gaps),
		cmocka_unit_test(test_draw_shares), cmocka_unit_test(test_draw_seeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
