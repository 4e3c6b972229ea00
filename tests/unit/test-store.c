/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* base/store.h: loops over the elements, and arrays that grow beyond the limit into files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/store.h"

#define LIMIT (UINT64_C(64) << 20)

static void test_loops(void **state)
{
	uint32_t nr = 3 * SYT_STORE_STRIDE, expected = 5;
	uint64_t sum = 0;

	(void)state;
	SYT_EACH(i, 5, nr) {
		assert_int_equal(i, expected++);
		assert_int_equal(sizeof(i), sizeof(nr));
	}
	assert_int_equal(expected, nr);
	SYT_EACH_FAR(i, 0, nr) {
		if (i % 2)
			continue;
		if (i == 100)
			break;
		sum += i;
	}
	assert_int_equal(sum, 49 * 50);
	SYT_EACH(i, nr, nr)
		fail();
	SYT_EACH(i, nr, expected - nr)
		fail();
}

/* A grown array keeps its elements, and new elements are 0, in memory and in files. */
static void test_growth(void **state)
{
	uint64_t *all = NULL, nr = 0;
	size_t room = 0;

	(void)state;
	while (nr * sizeof(*all) < 2 * LIMIT) {
		uint64_t more = nr / 2 + 100;

		syt_store_grow(&all, &room, nr, nr + more, sizeof(*all));
		assert_true(room >= nr + more);
		for (uint64_t i = nr; i < nr + more; i++) {
			assert_true(all[i] == 0);
			all[i] = i + 1;
		}
		nr += more;
	}
	assert_true(syt_store_spilled() > LIMIT);
	SYT_EACH(i, 0, nr)
		assert_true(all[i] == i + 1);
	syt_store_free(all);
	assert_true(syt_store_spilled() == 0);
}

static void fill(uint8_t *p, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		p[i] = 0xa5;
}

static bool is_zero(const uint8_t *p, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (p[i])
			return false;
	return true;
}

/* An array in the memory of a freed one is zeroed, and so are the elements by which it grows. */
static void test_spares(void **state)
{
	const size_t sizes[] = {1000, LIMIT / 64, LIMIT / 16};

	(void)state;
	for (size_t n = 0; n < sizeof(sizes) / sizeof(*sizes); n++) {
		size_t nr = sizes[n], room = nr;
		uint8_t *old = syt_store_claim(nr, 1), *again;

		fill(old, nr);
		syt_store_free(old);
		again = syt_store_alloc(nr, 1);
		assert_true(is_zero(again, nr));
		fill(again, nr);
		syt_store_free(again);
		again = syt_store_claim(nr - 10, 1);
		fill(again, nr - 10);
		room = nr - 10;
		syt_store_grow(&again, &room, nr - 10, nr, 1);
		assert_true(is_zero(again + nr - 10, room - (nr - 10)));
		assert_int_equal(again[nr - 11], 0xa5);
		syt_store_free(again);
	}
}

/* With a limit that allows huge pages, the pages of freed arrays move to larger and smaller arrays, and to growing ones. */
static void test_moved_pages(void **state)
{
	const size_t huge = 2 << 20;
	size_t room = 9 * huge;
	uint8_t *a, *b, *c;

	(void)state;
	syt_store_limit(UINT64_C(256) << 20);
	a = syt_store_claim(3 * huge - 64, 1);
	b = syt_store_claim(2 * huge - 64, 1);
	fill(a, 3 * huge - 64);
	fill(b, 2 * huge - 64);
	syt_store_free(a);
	syt_store_free(b);
	c = syt_store_alloc(4 * huge - 64, 1); /* has pages of both, and leaves one of the other */
	assert_true(is_zero(c, 4 * huge - 64));
	fill(c, 4 * huge - 64);
	a = syt_store_alloc(room, 1);
	assert_true(is_zero(a, room));
	fill(a, room);
	syt_store_free(c);
	syt_store_grow(&a, &room, room, room + huge, 1);
	for (size_t i = 0; i < 9 * huge; i++)
		assert_int_equal(a[i], 0xa5);
	assert_true(is_zero(a + 9 * huge, room - 9 * huge));
	syt_store_grow(&a, &room, room, 4 * room, 1); /* moves pages of several mappings */
	for (size_t i = 0; i < 9 * huge; i++)
		assert_int_equal(a[i], 0xa5);
	assert_true(is_zero(a + 9 * huge, room - 9 * huge));
	syt_store_shrink(a, 10, 1);
	assert_int_equal(a[9], 0xa5);
	syt_store_free(a);
	syt_store_limit(LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_spares),
		cmocka_unit_test(test_moved_pages),
	};

	syt_store_limit(LIMIT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
