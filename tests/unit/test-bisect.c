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
		for (uint32_t near = 0; near < NR_MAX + 2; near++)
			assert_int_equal(SYT_BISECT_NEAR(i, from, nr, near, all[i] < key),
			                 one_by_one(all, from, nr, key));
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
	for (uint64_t key = low; key < high; key++)
		assert_true(SYT_BISECT_NEAR(i, low, high, low + 3, i < key) == key);
}

/* A search near its result looks at few elements near it, however many there are. */
static void test_near(void **state)
{
	const uint64_t nr = UINT64_C(1) << 40, key = nr / 3;
	uint64_t farthest = 0;
	unsigned nr_asked = 0;

	(void)state;
	for (uint64_t near = key - 100; near <= key + 100; near++) {
		nr_asked = 0;
		assert_true(SYT_BISECT_NEAR(i, (uint64_t)0, nr, near,
		                            (nr_asked++,
		                             farthest = i > key + farthest ? i - key : farthest,
		                             farthest = key > i + farthest ? key - i : farthest,
		                             i < key)) == key);
		assert_true(nr_asked <= 16 && farthest <= 300);
	}
	for (uint64_t near = 0; near < 2; near++) {
		nr_asked = 0;
		assert_true(SYT_BISECT_NEAR(i, (uint64_t)0, nr, near * nr, (nr_asked++, i < key)) ==
		            key);
		assert_true(nr_asked <= 80);
	}
}

static void test_empty(void **state)
{
	unsigned nr_asked = 0;

	(void)state;
	assert_int_equal(SYT_BISECT(i, 3u, 3u, (nr_asked++, true)), 3);
	/* begins behind its end: the last anchor of none */
	assert_int_equal(SYT_BISECT(i, 1u, 0u, (nr_asked++, true)), 1);
	assert_int_equal(SYT_BISECT_NEAR(i, 3u, 3u, 7u, (nr_asked++, true)), 3);
	assert_int_equal(SYT_BISECT_NEAR(i, 1u, 0u, 0u, (nr_asked++, true)), 1);
	assert_int_equal(nr_asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_near),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
