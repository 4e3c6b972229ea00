/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compares base/bisect.h with a linear search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bisect.h"
#include "tests/lib/random.h"

#define NR_MAX 40u

static uint32_t one_by_one(const uint32_t *all, uint32_t from, uint32_t to, uint32_t key)
{
	while (from < to && all[from] < key)
		from++;
	return from;
}

static void test_random(void **state)
{
	struct syt_random r = {.state = 7};
	uint32_t all[NR_MAX];

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		uint32_t nr = (uint32_t)syt_random_below(&r, NR_MAX + 1), value = 0;

		for (uint32_t i = 0; i < nr; i++)
			all[i] = value += (uint32_t)syt_random_below(&r, 3);
		uint32_t from = (uint32_t)syt_random_below(&r, nr + 1);
		uint32_t key = (uint32_t)syt_random_below(&r, value + 2);

		assert_int_equal(SYT_BISECT(i, from, nr, all[i] < key),
		                 one_by_one(all, from, nr, key));
		assert_int_equal(SYT_BISECT(i, from, nr, all[i] <= key),
		                 one_by_one(all, from, nr, key + 1));
	}
}

/* The middle of two numbers near the largest number must be computed without overflow of their sum. */
static void test_large(void **state)
{
	uint64_t low = UINT64_MAX - 9, high = UINT64_MAX;

	(void)state;
	for (uint64_t key = low; key < high; key++)
		assert_true(SYT_BISECT(i, low, high, i < key) == key);
	assert_true(SYT_BISECT(i, low, high, i <= high) == high);
}

static void test_empty(void **state)
{
	unsigned nr_asked = 0;

	(void)state;
	assert_int_equal(SYT_BISECT(i, 3u, 3u, (nr_asked++, true)), 3);
	/* begins behind its end: the last anchor of none */
	assert_int_equal(SYT_BISECT(i, 1u, 0u, (nr_asked++, true)), 1);
	assert_int_equal(nr_asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
