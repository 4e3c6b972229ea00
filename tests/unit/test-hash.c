/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compares base/hash.h and counts.h with arrays that are searched linearly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/counts.h"
#include "base/hash.h"
#include "tests/lib/random.h"

#define NR_KEYS 3000u

/* KEYS[number]; all hashes are below NR_HASHES. */
static void check_numbers(uint32_t nr_hashes)
{
	static uint64_t keys[NR_KEYS];
	struct syt_random r = {nr_hashes};
	struct syt_hash t = {.nr = 0};
	size_t nr = 0;

	for (unsigned round = 0; round < 3 * NR_KEYS; round++) {
		uint64_t key = syt_random_below(&r, NR_KEYS);
		uint32_t hash = syt_hash_words(key, 0) % nr_hashes, expected = SYT_HASH_NONE;

		for (uint32_t i = 0; i < nr && expected == SYT_HASH_NONE; i++)
			if (keys[i] == key)
				expected = i;
		assert_int_equal(SYT_HASH_FIND(&t, hash, i, keys[i] == key), expected);
		if (expected != SYT_HASH_NONE)
			continue;
		keys[nr] = key;
		assert_int_equal(syt_hash_add(&t, hash, nr), nr);
		nr++;
		assert_int_equal(t.nr, nr);
		assert_true(2 * nr <= t.room);
	}
	syt_hash_close(&t);
	assert_int_equal(SYT_HASH_FIND(&t, 0, i, keys[i] == keys[0]), SYT_HASH_NONE);
}

static void test_numbers(void **state)
{
	(void)state;
	check_numbers(UINT32_MAX);
	check_numbers(7); /* keys with the hash of another key */
}

/* Slots of equal hashes go on at the front of the table, behind its end. */
static void test_last_slot(void **state)
{
	struct syt_hash t = {.nr = 0};

	(void)state;
	for (uint32_t n = 0; n < 10; n++)
		syt_hash_add(&t, UINT32_MAX, n);
	for (uint32_t n = 0; n < 10; n++)
		assert_int_equal(SYT_HASH_FIND(&t, UINT32_MAX, i, i == n), n);
	assert_int_equal(SYT_HASH_FIND(&t, UINT32_MAX, i, i == 10), SYT_HASH_NONE);
	syt_hash_close(&t);
}

static void test_counts(void **state)
{
	static uint64_t expected[50][50];
	struct syt_random r = {3};
	struct syt_counts c = {.nr = 0};
	size_t nr = 0;

	(void)state;
	assert_true(syt_counts_of(&c, 1, 2) == 0);
	for (unsigned round = 0; round < 5000; round++) {
		uint64_t a = syt_random_below(&r, 50), b = syt_random_below(&r, 50);

		nr += !expected[a][b]++;
		++*syt_counts_at(&c, a, b << 40);
	}
	assert_int_equal(c.nr, nr);
	for (uint64_t a = 0; a < 50; a++)
		for (uint64_t b = 0; b < 50; b++)
			assert_true(syt_counts_of(&c, a, b << 40) == expected[a][b]);
	syt_counts_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_last_slot),
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
