/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/report/compare/count_model.c, on counts that are made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/report/compare/count_model.h"

#define MOST_RUNS 8u

static struct syt_size sizes[MOST_RUNS];
static struct syt_count_models models;

/* Sets the size of run N. */
static void run(unsigned n, double units, double seconds)
{
	sizes[n] = (struct syt_size){{units, 1, seconds}};
}

/* NR runs of 1000 units and 2 seconds. */
static void same_runs(unsigned nr)
{
	for (unsigned n = 0; n < nr; n++)
		run(n, 1000, 2);
}

static void learn(enum syt_fact_type type, unsigned nr, const uint64_t *counts)
{
	syt_count_models_learn(&models, type, counts, sizes, nr, true);
}

#define LEARN(type_, ...)                                                                          \
	learn(type_, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),                         \
	      (uint64_t[]){__VA_ARGS__})

/* Compares the learned models with TEXT, in the format of a baseline. */
static void expect(const char *text)
{
	char *written;
	size_t bytes;
	FILE *f = open_memstream(&written, &bytes);

	assert_non_null(f);
	syt_count_models_write(f, &models);
	fclose(f);
	assert_string_equal(written, text);
	free(written);
}

/* ---- exact ---- */

/* The number of calls follows the units, and not the runs or the seconds. */
static void the_same_number_per_unit_is_exact(void **state)
{
	(void)state;
	run(0, 1000, 1);
	run(1, 2000, 9);
	run(2, 3000, 4);
	LEARN(SYT_FACT_CALL, 3000, 6000, 9000);
	expect("3/unit");
	assert_true(syt_count_models_demand(&models));
}

static void the_same_number_per_run_is_exact(void **state)
{
	(void)state;
	run(0, 1000, 1);
	run(1, 2000, 9);
	run(2, 3000, 4);
	LEARN(SYT_FACT_CALL, 7, 7, 7);
	expect("7/run");
}

/* The begin and the end of a run make up to 0.1 % of a count, or two events. Up to 0.5 %, the count is known about. */
static void an_exact_count_tolerates_half_a_percent(void **state)
{
	(void)state;
	run(0, 1000, 1);
	run(1, 1000, 9);
	LEARN(SYT_FACT_CALL, 1000, 1004);
	assert_int_equal(models.of[SYT_PER_UNIT].kind, SYT_COUNT_MODEL_EXACT);
	LEARN(SYT_FACT_CALL, 1000, 1008);
	assert_int_equal(models.of[SYT_PER_UNIT].kind, SYT_COUNT_MODEL_ABOUT);
	expect("~1/unit ~1004/run");
	LEARN(SYT_FACT_CALL, 1000, 1012);
	assert_int_equal(models.of[SYT_PER_UNIT].kind, SYT_COUNT_MODEL_NONE);
	LEARN(SYT_FACT_CALL, 7, 9);
	assert_int_equal(models.of[SYT_PER_RUN].kind, SYT_COUNT_MODEL_EXACT);
	LEARN(SYT_FACT_CALL, 7, 10);
	assert_int_equal(models.of[SYT_PER_RUN].kind, SYT_COUNT_MODEL_NONE);
}

/* In a single run, only a whole number per unit, with at least 20 units, cannot be chance. */
static void one_run_knows_whole_numbers_per_unit(void **state)
{
	(void)state;
	run(0, 1000, 2);
	LEARN(SYT_FACT_CALL, 2000);
	expect("2/unit");
	LEARN(SYT_FACT_CALL, 2500);
	expect("+");
	run(0, 19, 2);
	LEARN(SYT_FACT_CALL, 38);
	expect("*");
}

static void one_run_knows_the_threads_that_it_made(void **state)
{
	(void)state;
	run(0, 1000, 2);
	LEARN(SYT_FACT_MAKE, 4);
	expect("4/run");
	LEARN(SYT_FACT_CALL, 4);
	expect("*");
}

/* Fewer than 20 events are modelled as a number per run, and not as a rate. */
static void few_events_have_no_rate(void **state)
{
	(void)state;
	run(0, 10, 1);
	run(1, 20, 2);
	run(2, 19, 2);
	LEARN(SYT_FACT_CALL, 10, 20, 19);
	assert_int_equal(models.of[SYT_PER_UNIT].kind, SYT_COUNT_MODEL_NONE);
	LEARN(SYT_FACT_CALL, 20, 40, 38);
	assert_int_equal(models.of[SYT_PER_UNIT].kind, SYT_COUNT_MODEL_EXACT);
}

/* ---- ranges ---- */

/* Six runs vary by a few percent. The bounds are 1, 2 or 5 times a power of ten. */
static void counts_that_vary_have_a_range(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 6; n++)
		run(n, 1000 + 137 * n, 1 + n * n);
	LEARN(SYT_FACT_CALL, 1000, 1020, 980, 1010, 990, 1005);
	assert_int_equal(models.of[SYT_PER_RUN].kind, SYT_COUNT_MODEL_RANGE);
	assert_true(models.of[SYT_PER_RUN].low < 980 && models.of[SYT_PER_RUN].high > 1020);
	expect("500..2000/run");
}

static void two_runs_have_no_range(void **state)
{
	(void)state;
	run(0, 1000, 1);
	run(1, 1700, 5);
	LEARN(SYT_FACT_CALL, 1000, 1020);
	assert_int_equal(models.of[SYT_PER_RUN].kind, SYT_COUNT_MODEL_NONE);
}

/* A range whose end is more than four times its begin predicts nothing. */
static void a_wide_range_is_no_model(void **state)
{
	(void)state;
	same_runs(6);
	LEARN(SYT_FACT_CALL, 1000, 1030, 970, 1026, 974, 1000); /* 227 to 1773 */
	expect("+");
}

static void an_exact_model_excludes_ranges(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 6; n++)
		run(n, 1000 + 10 * n, 2 + 0.01 * n);
	LEARN(SYT_FACT_CALL, 3000, 3030, 3060, 3090, 3120, 3150);
	assert_int_equal(models.of[SYT_PER_UNIT].kind, SYT_COUNT_MODEL_EXACT);
	assert_int_equal(models.of[SYT_PER_RUN].kind, SYT_COUNT_MODEL_NONE);
}

/* The order of calls, and the number of objects, are compared only if they are exact. */
static void order_and_objects_have_no_ranges(void **state)
{
	static const enum syt_fact_type types[] = {SYT_FACT_NEXT, SYT_FACT_OBJECT};

	(void)state;
	for (unsigned n = 0; n < 6; n++)
		run(n, 1000 + 137 * n, 1 + n * n);
	for (unsigned n = 0; n < 2; n++) {
		LEARN(types[n], 1000, 1020, 980, 1010, 990, 1005);
		expect("*");
		assert_false(syt_count_models_demand(&models));
	}
}

/* A machine may be slower, so a rate per second alone is no model. */
static void a_rate_per_second_needs_another_model(void **state)
{
	(void)state;
	run(0, 1000, 1);
	run(1, 1000, 20);
	run(2, 1000, 400);
	LEARN(SYT_FACT_CALL, 100, 2000, 40000);
	assert_int_equal(models.of[SYT_PER_SECOND].kind, SYT_COUNT_MODEL_NONE);
	run(1, 1000, 1);
	run(2, 1000, 1);
	LEARN(SYT_FACT_CALL, 100, 100, 100);
	assert_int_equal(models.of[SYT_PER_SECOND].kind, SYT_COUNT_MODEL_EXACT);
}

/* ---- presence ---- */

/* The number of waits and edges depends on time. A baseline expects only that there are some. */
static void waits_and_edges_have_only_presence(void **state)
{
	static const enum syt_fact_type types[] = {SYT_FACT_WAIT, SYT_FACT_EDGE};

	(void)state;
	assert_false(syt_count_model_is_presence(SYT_FACT_CALL));
	same_runs(3);
	for (unsigned n = 0; n < 2; n++) {
		assert_true(syt_count_model_is_presence(types[n]));
		LEARN(types[n], 1000, 1000, 1000);
		expect("+");
		LEARN(types[n], 1000, 1000); /* too few runs */
		expect("*");
	}
}

static void a_fact_that_one_run_lacks_is_not_demanded(void **state)
{
	(void)state;
	same_runs(3);
	LEARN(SYT_FACT_CALL, 1000, 0, 1000);
	expect("*");
	LEARN(SYT_FACT_CALL, 1, 0, 1);
	expect("*");
	assert_false(syt_count_models_demand(&models));
}

/* Presence needs four times the count that may be chance, and one event in four units. */
static void presence_needs_many_events(void **state)
{
	double sure = 4 * syt_count_model_chance(3);

	(void)state;
	for (unsigned n = 0; n < 3; n++)
		run(n, 100, 2);
	LEARN(SYT_FACT_WAIT, (uint64_t)sure - 1, 1000, 1000);
	expect("*");
	LEARN(SYT_FACT_WAIT, (uint64_t)sure, 1000, 1000);
	expect("+");
	same_runs(3);
	LEARN(SYT_FACT_WAIT, 249, 1000, 1000);
	expect("*");
	LEARN(SYT_FACT_WAIT, 250, 1000, 1000);
	expect("+");
}

/* ---- chance ---- */

/* K events that all fall into the new run have the probability (1 + RATIO)^-K. */
static void events_that_may_be_chance(void **state)
{
	static const double ratios[] = {0.1, 1, 3, 10};

	(void)state;
	for (unsigned n = 0; n < 4; n++) {
		double k = syt_count_model_chance(ratios[n]);

		assert_true(pow(1 + ratios[n], -k) <= 1e-6);
		assert_true(pow(1 + ratios[n], -(k - 1)) > 1e-6);
	}
	assert_int_equal((int)syt_count_model_chance(1), 20);
	assert_true(isinf(syt_count_model_chance(0)));
}

/* ---- numbers and text ---- */

static void numbers_are_rounded_outwards(void **state)
{
	(void)state;
	assert_true(syt_count_model_rounded(37, true) == 50);
	assert_true(syt_count_model_rounded(37, false) == 20);
	assert_true(syt_count_model_rounded(50, true) == 50);
	assert_true(syt_count_model_rounded(50, false) == 50);
	assert_true(syt_count_model_rounded(99, true) == 100);
	assert_true(syt_count_model_rounded(0, true) == 0);
}

static void text_is_parsed_as_it_was_written(void **state)
{
	static const char *const good[] = {"1/unit 1000/run", "12..40/run", "+", "*",
	                                   "0.5/unit 3/s", "~0.58/unit 5/run"};
	static const char *const bad[] = {
		"",       "1",       "1/day",    "40..12/run", "1/run 2/run",
		"-1/run", "+ 1/run", "12../run", "x..2/run",   "1/runs",
		"~1..2/run", "~/run", "~~1/run", "1~/run"};

	(void)state;
	for (unsigned n = 0; n < sizeof(good) / sizeof(*good); n++) {
		char text[64];

		snprintf(text, sizeof(text), "%s\tname", good[n]);
		assert_true(syt_count_models_parse(&models, text));
		expect(good[n]);
	}
	for (unsigned n = 0; n < sizeof(bad) / sizeof(*bad); n++) {
		char text[64];

		snprintf(text, sizeof(text), "%s\tname", bad[n]);
		assert_false(syt_count_models_parse(&models, text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_number_per_unit_is_exact),
		cmocka_unit_test(the_same_number_per_run_is_exact),
		cmocka_unit_test(an_exact_count_tolerates_half_a_percent),
		cmocka_unit_test(one_run_knows_whole_numbers_per_unit),
		cmocka_unit_test(one_run_knows_the_threads_that_it_made),
		cmocka_unit_test(few_events_have_no_rate),
		cmocka_unit_test(counts_that_vary_have_a_range),
		cmocka_unit_test(two_runs_have_no_range),
		cmocka_unit_test(a_wide_range_is_no_model),
		cmocka_unit_test(an_exact_model_excludes_ranges),
		cmocka_unit_test(order_and_objects_have_no_ranges),
		cmocka_unit_test(a_rate_per_second_needs_another_model),
		cmocka_unit_test(waits_and_edges_have_only_presence),
		cmocka_unit_test(a_fact_that_one_run_lacks_is_not_demanded),
		cmocka_unit_test(presence_needs_many_events),
		cmocka_unit_test(events_that_may_be_chance),
		cmocka_unit_test(numbers_are_rounded_outwards),
		cmocka_unit_test(text_is_parsed_as_it_was_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
