/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests that base/ordered.c writes all items in their order, with any number of workers, also if their text exceeds a buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/ordered.h"

#define NR_ITEMS 5000u
#define WIDE_ITEM 700u /* the number of the item with a long text */

/* Writes the number of each item, and a line that is longer than a buffer after the item WIDE_ITEM. */
static void put(void *context, struct syt_out *out, size_t from, size_t to, unsigned worker)
{
	unsigned nr_workers = *(unsigned *)context;

	assert_true(worker < nr_workers);
	for (size_t n = from; n < to; n++) {
		syt_out_u64(out, n);
		syt_out_char(out, '\n');
		for (uint32_t i = 0; n == WIDE_ITEM && i < SYT_OUT_BYTES / 4 * 5; i++)
			syt_out_char(out, i % 100 ? 'x' : 'y');
	}
}

static char *write_items(unsigned nr_workers, size_t nr_items, size_t *nr)
{
	const struct syt_out like = {0};
	struct syt_out_memory memory = {0};
	struct syt_ordered ordered;
	struct syt_out out;

	syt_out_open_memory(&out, &like, &memory);
	syt_out_string(&out, "first\n");
	syt_ordered_open(&ordered, &out, nr_workers);
	syt_ordered_write(&ordered, nr_items, put, &nr_workers);
	syt_ordered_write(&ordered, 1, put, &nr_workers);
	syt_ordered_close(&ordered);
	syt_out_string(&out, "last\n");
	syt_out_close(&out);
	*nr = memory.nr;
	return memory.bytes;
}

static void check_order(void **state)
{
	size_t nr, nr_one;
	char *one = write_items(1, NR_ITEMS, &nr_one);

	(void)state;
	assert_true(nr_one > SYT_OUT_BYTES);
	assert_memory_equal(one, "first\n0\n1\n2\n", 12);
	assert_memory_equal(one + nr_one - 12, "4999\n0\nlast\n", 12);
	for (unsigned nr_workers = 2; nr_workers <= 5; nr_workers++) {
		char *all = write_items(nr_workers, NR_ITEMS, &nr);

		assert_int_equal(nr, nr_one);
		assert_memory_equal(all, one, nr);
		free(all);
	}
	free(one);
}

static void check_none(void **state)
{
	size_t nr;
	char *all = write_items(2, 0, &nr);

	(void)state;
	assert_int_equal(nr, 13);
	assert_memory_equal(all, "first\n0\nlast\n", 13);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_order),
		cmocka_unit_test(check_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
