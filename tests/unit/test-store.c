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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_growth),
	};

	syt_store_limit(LIMIT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
