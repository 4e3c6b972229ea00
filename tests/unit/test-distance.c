/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/request/distance.c against a plain edit distance, and against the formula of the distance of the work. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/request/distance.h"
#include "tests/lib/random.h"

#define MOST_SYMBOLS 80u

/* ---- edit distance ---- */

/* The table of all prefixes, row by row. */
static uint32_t plain_distance(const uint32_t *a, uint32_t nr_a, const uint32_t *b, uint32_t nr_b)
{
	uint32_t row[2 * MOST_SYMBOLS + 1];

	for (uint32_t k = 0; k <= nr_b; k++)
		row[k] = k;
	for (uint32_t i = 1; i <= nr_a; i++) {
		uint32_t diagonal = row[0];

		row[0] = i;
		for (uint32_t k = 1; k <= nr_b; k++) {
			uint32_t best = diagonal + (a[i - 1] != b[k - 1]);

			diagonal = row[k];
			best = row[k] + 1 < best ? row[k] + 1 : best;
			row[k] = row[k - 1] + 1 < best ? row[k - 1] + 1 : best;
		}
	}
	return row[nr_b];
}

static uint32_t random_string(struct syt_random *r, uint32_t *s, uint32_t nr_letters)
{
	uint32_t nr = (uint32_t)syt_random_below(r, MOST_SYMBOLS);

	for (uint32_t i = 0; i < nr; i++)
		s[i] = UINT32_MAX - (uint32_t)syt_random_below(r, nr_letters);
	return nr;
}

/* Copies A with about NR_EDITS random edits. */
static uint32_t edit_string(struct syt_random *r, const uint32_t *a, uint32_t nr, uint32_t *b,
                            uint32_t nr_edits)
{
	memcpy(b, a, nr * sizeof(*a));
	while (nr_edits--) {
		uint32_t at = (uint32_t)syt_random_below(r, nr + 1);
		uint32_t symbol = UINT32_MAX - (uint32_t)syt_random_below(r, 4);

		switch (syt_random_below(r, 3)) {
		case 0:
			if (at < nr)
				b[at] = symbol;
			break;
		case 1:
			memmove(b + at + 1, b + at, (nr - at) * sizeof(*b));
			b[at] = symbol;
			nr++;
			break;
		default:
			if (at == nr)
				break;
			memmove(b + at, b + at + 1, (nr - at - 1) * sizeof(*b));
			nr--;
		}
	}
	return nr;
}

/* Compares the results for bounds below, at and above the distance. */
static void compare_all_bounds(const uint32_t *a, uint32_t nr_a, const uint32_t *b, uint32_t nr_b)
{
	uint32_t distance = plain_distance(a, nr_a, b, nr_b);

	for (uint32_t most = 0; most <= distance + 2; most++) {
		uint32_t expected = distance <= most ? distance : most + 1;

		assert_int_equal(syt_edit_distance(a, nr_a, b, nr_b, most), expected);
		assert_int_equal(syt_edit_distance(b, nr_b, a, nr_a, most), expected);
	}
	assert_int_equal(syt_edit_distance(a, nr_a, b, nr_b, UINT32_MAX), distance);
}

static void test_random_strings(void **state)
{
	uint32_t a[MOST_SYMBOLS], b[2 * MOST_SYMBOLS];
	struct syt_random r = {1};

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		uint32_t nr_a = random_string(&r, a, 1 + (uint32_t)syt_random_below(&r, 6));
		uint32_t nr_b =
			i % 2 ? random_string(&r, b, 6) : edit_string(&r, a, nr_a, b, i % 40);

		compare_all_bounds(a, nr_a, b, nr_b);
	}
}

/* A band that does not fit on the stack. */
static void test_long_strings(void **state)
{
	const uint32_t nr = 20000;
	uint32_t *a = calloc(nr, sizeof(*a)), *b = calloc(nr, sizeof(*b));

	(void)state;
	for (uint32_t i = 0; i < nr; i++)
		a[i] = b[i] = i;
	for (uint32_t i = 0; i < 1000; i++)
		b[i * 20] = nr;
	assert_int_equal(syt_edit_distance(a, nr, b, nr, nr), 1000);
	assert_int_equal(syt_edit_distance(a, nr, b, nr, 1000), 1000);
	assert_int_equal(syt_edit_distance(a, nr, b, nr, 999), 1000);
	assert_int_equal(syt_edit_distance(a, nr, b, 0, UINT32_MAX), nr);
	free(a);
	free(b);
}

/* ---- work ---- */

static struct syt_population p;

static void add_member(uint64_t cpu, uint64_t sent)
{
	struct syt_work_part part = {.component = 1};

	part.amounts[SYT_RESOURCE_CPU] = cpu;
	part.amounts[SYT_RESOURCE_SENT] = sent;
	part.amounts[SYT_RESOURCE_RECEIVED] = 100;
	syt_population_add(&p, syt_population_behaviour(&p, NULL, 0), &part, 1);
}

#define CPU_UNIT 100000u /* ns: unit of the logarithm of CPU times */

static void open_population(void)
{
	memset(&p, 0, sizeof(p));
	syt_text_set_add(&p.components, "nginx", 5);
	syt_text_set_add(&p.components, "shop", 4);
}

static void test_scale(void **state)
{
	double *scale;

	(void)state;
	open_population();
	add_member(0, 1000);
	add_member(SYT_AMOUNT_UNKNOWN, 10);
	add_member(999 * CPU_UNIT, 0);
	add_member(99 * CPU_UNIT, 1000);
	scale = syt_work_scale(&p);
	for (unsigned i = 0; i < SYT_NR_RESOURCES; i++)
		assert_true(scale[i] == 0);
	/* log(1 + amount / unit): 0, log 1000, log 100 */
	double mean = (log(1000) + log(100)) / 3,
	       squares = (log(1000) * log(1000) + log(100) * log(100)) / 3;
	assert_float_equal(scale[SYT_NR_RESOURCES + SYT_RESOURCE_CPU], sqrt(squares - mean * mean),
	                   1e-5);
	assert_true(scale[SYT_NR_RESOURCES + SYT_RESOURCE_SENT] > 0);
	assert_true(scale[SYT_NR_RESOURCES + SYT_RESOURCE_RECEIVED] == 0);
	free(scale);
	syt_population_close(&p);
}

/* A member without parts has the amounts 0 in a scale. */
static void test_scale_without_parts(void **state)
{
	double *scale;

	(void)state;
	open_population();
	add_member(0, 0);
	syt_population_add(&p, 0, NULL, 0);
	scale = syt_work_scale(&p);
	assert_float_equal(scale[SYT_NR_RESOURCES + SYT_RESOURCE_RECEIVED], log(101) / 2, 1e-5);
	free(scale);
	syt_population_close(&p);
}

static void test_work_distance(void **state)
{
	double scale[2 * SYT_NR_RESOURCES] = {0};
	struct syt_work_part a[2] = {{.component = 0}, {.component = 1}}, b = {.component = 1};

	(void)state;
	scale[SYT_RESOURCE_SENT] = 2;
	scale[SYT_NR_RESOURCES + SYT_RESOURCE_CPU] = 0.5;
	scale[SYT_NR_RESOURCES + SYT_RESOURCE_SENT] = 1;
	a[0].amounts[SYT_RESOURCE_SENT] = 99;   /* b: 0 */
	a[0].amounts[SYT_RESOURCE_CPU] = 12345; /* no scale */
	a[1].amounts[SYT_RESOURCE_CPU] = 9 * CPU_UNIT;
	b.amounts[SYT_RESOURCE_CPU] = 99 * CPU_UNIT;
	a[1].amounts[SYT_RESOURCE_SENT] = b.amounts[SYT_RESOURCE_SENT] = 7;
	double sent = log(100) / 2, cpu = (log(100) - log(10)) / 0.5;
	assert_float_equal(syt_work_distance(scale, 2, a, 2, &b, 1),
	                   sqrt((sent * sent + cpu * cpu) / 3), 1e-6);
	assert_float_equal(syt_work_distance(scale, 2, &b, 1, a, 2),
	                   sqrt((sent * sent + cpu * cpu) / 3), 1e-6);
	b.amounts[SYT_RESOURCE_CPU] = SYT_AMOUNT_UNKNOWN;
	assert_float_equal(syt_work_distance(scale, 2, a, 2, &b, 1), sqrt(sent * sent / 2), 1e-6);
	assert_true(syt_work_distance(scale, 2, NULL, 0, NULL, 0) == 0);
	assert_true(syt_amount_log(SYT_RESOURCE_CPU, SYT_AMOUNT_UNKNOWN) < 0);
	memset(scale, 0, sizeof(scale));
	assert_true(syt_work_distance(scale, 2, a, 2, &b, 1) == 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_strings), cmocka_unit_test(test_long_strings),
		cmocka_unit_test(test_scale),          cmocka_unit_test(test_scale_without_parts),
		cmocka_unit_test(test_work_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
