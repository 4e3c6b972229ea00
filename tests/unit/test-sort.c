/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests order and stability of base/sort.c for input that is sorted, nearly sorted, and random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sort.h"
#include "tests/lib/random.h"

#define NR_MAX 3000u
#define NR_ITEMS_MAX 100003u /* items that several workers sort */

struct thing {
	uint32_t key, number;
	uint64_t same_as_key;
};

static int by_key(const void *a_, const void *b_)
{
	const struct thing *a = a_, *b = b_;

	return a->key < b->key ? -1 : a->key > b->key;
}

/* Sorts NR elements. One of IN_ORDER elements has a random key, and the other keys rise. */
static void check(struct syt_random *r, uint32_t nr, uint64_t in_order, uint64_t nr_keys)
{
	static struct thing things[NR_MAX + 1];

	for (uint32_t i = 0; i <= nr; i++) {
		uint32_t key =
			(uint32_t)(syt_random_below(r, in_order) ? i * nr_keys / NR_MAX
		                                                 : syt_random_below(r, nr_keys));

		things[i] = (struct thing){key, i, key};
	}
	struct thing behind = things[nr];

	syt_sort(things, nr, sizeof(*things), by_key);
	for (uint32_t i = 0; i < nr; i++) {
		assert_int_equal(things[i].key, things[i].same_as_key);
		if (!i)
			continue;
		assert_true(things[i - 1].key <= things[i].key);
		if (things[i - 1].key == things[i].key)
			assert_true(things[i - 1].number < things[i].number);
	}
	assert_memory_equal(&things[nr], &behind, sizeof(behind));
}

/* Larger than the sort's own moves, and compared with the help of a context. */
struct large {
	uint32_t key, number;
	uint8_t rest[248];
};

static int by_other_key(const void *a_, const void *b_, void *keys_)
{
	const struct large *a = a_, *b = b_;
	const uint32_t *keys = keys_;

	return keys[a->key] < keys[b->key] ? -1 : keys[a->key] > keys[b->key];
}

static void sorts_with(void **state)
{
	static struct large things[500];
	uint32_t keys[] = {7, 3, 3, 9, 0};
	struct syt_random r = {2};

	(void)state;
	for (uint32_t i = 0; i < 500; i++)
		things[i] = (struct large){.key = (uint32_t)syt_random_below(&r, 5), .number = i};
	syt_sort_with(things, 500, sizeof(*things), by_other_key, keys);
	for (uint32_t i = 1; i < 500; i++) {
		assert_true(keys[things[i - 1].key] <= keys[things[i].key]);
		if (keys[things[i - 1].key] == keys[things[i].key])
			assert_true(things[i - 1].number < things[i].number);
	}
}

static void sorts(void **state)
{
	struct syt_random r = {1};

	(void)state;
	syt_sort(NULL, 0, sizeof(struct thing), by_key);
	for (uint32_t nr = 0; nr < 20; nr++)
		check(&r, nr, 1, 5);
	for (unsigned i = 0; i < 200; i++)
		check(&r, (uint32_t)syt_random_below(&r, NR_MAX), 1 + syt_random_below(&r, 50),
		      1 + syt_random_below(&r, 2 * NR_MAX));
}

/* Sorts NR items with keys below MOST. */
static void check_items(struct syt_random *r, uint32_t nr, uint64_t most, unsigned nr_workers)
{
	static struct syt_sort_item items[NR_ITEMS_MAX];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nr; i++) {
		items[i] = (struct syt_sort_item){syt_random_below(r, most), i};
		sum += items[i].key;
	}
	syt_sort_items(items, nr, nr_workers);
	for (uint32_t i = 0; i < nr; i++)
		sum -= items[i].key;
	assert_int_equal(sum, 0);
	for (uint32_t i = 1; i < nr; i++)
		if (items[i - 1].key >= items[i].key &&
		    (items[i - 1].key != items[i].key || items[i - 1].value >= items[i].value))
			fail_msg("items %u and %u are not in order", i - 1, i);
}

/* Few and many items; keys of one and of several digits, with equal ones; several workers. */
static void sorts_items(void **state)
{
	static const uint64_t most[] = {1, 7, 5000, UINT64_C(1) << 40, UINT64_MAX};
	struct syt_random r = {3};

	(void)state;
	for (uint32_t n = 0; n < sizeof(most) / sizeof(most[0]); n++) {
		for (uint32_t nr = 0; nr <= NR_MAX; nr = nr * 3 + 1)
			check_items(&r, nr, most[n], 1);
		for (unsigned nr_workers = 0; nr_workers <= 3; nr_workers++)
			check_items(&r, NR_ITEMS_MAX, most[n], nr_workers);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts),
		cmocka_unit_test(sorts_with),
		cmocka_unit_test(sorts_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
