/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* base/table.h: the cells of rows, rows in another order, and the memory of many rows. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/store.h"
#include "base/table.h"

#define LIMIT (UINT64_C(1) << 20)
#define NR_ROWS 100000u
#define CELL_BYTES 9u /* of a large table: eight digits and a zero byte */

/* Ends the table T, and compares its text with EXPECTED. */
static void expect(struct syt_table *t, const char *expected)
{
	struct syt_out out;

	syt_out_open(&out, -1, false);
	syt_table_end(t, &out);
	syt_out_char(&out, '\0');
	assert_string_equal(out.buffer, expected);
	syt_out_close(&out);
}

static struct syt_table *make_table(void)
{
	struct syt_table *t = syt_table_create("NAME", ">NR", "LAST", NULL);

	syt_table_row(t);
	syt_table_cell(t, "%s", "a");
	syt_table_cell(t, "%d", 1);
	syt_table_row(t); /* without cells */
	syt_table_row(t);
	syt_table_cell(t, "%s", "long name");
	syt_table_cell(t, "%s", "");
	syt_table_cell(t, "%s", "z");
	syt_table_row(t);
	syt_table_cell(t, "%s", "b");
	return t;
}

static void test_cells(void **state)
{
	(void)state;
	expect(make_table(), "NAME      NR LAST\n"
	                     "a          1\n"
	                     "\n"
	                     "long name    z\n"
	                     "b\n");
	expect(syt_table_create("NAME", NULL), "");
}

static void test_order(void **state)
{
	const uint64_t order[] = {3, 2, 0, 1};
	struct syt_table *t = make_table();

	(void)state;
	assert_int_equal(syt_table_nr_rows(t), 4);
	syt_table_arrange(t, order);
	syt_table_row(t);
	syt_table_cell(t, "%s", "c");
	expect(t, "NAME      NR LAST\n"
	          "b\n"
	          "long name    z\n"
	          "a          1\n"
	          "\n"
	          "c\n");
}

/* All rows beyond the limit lie in files, and a row takes its text and the index of the text. Arrays grow by half. */
static void test_many_rows(void **state)
{
	struct syt_table *t = syt_table_create(">A", ">B", ">C", ">D", NULL);
	uint64_t least = NR_ROWS * (4 * CELL_BYTES + sizeof(uint64_t)), used;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct syt_out out;

	(void)state;
	for (unsigned row = 0; row < NR_ROWS; row++) {
		syt_table_row(t);
		for (unsigned n = 0; n < 4; n++)
			syt_table_cell(t, "%08u", row);
	}
	used = syt_store_spilled();
	assert_true(used + LIMIT >= least && used <= least + least / 2 + LIMIT);
	syt_out_open(&out, fd, false);
	syt_table_end(t, &out);
	assert_int_equal(syt_out_close(&out), 0);
	assert_int_equal(out.written, (NR_ROWS + 1) * UINT64_C(36));
	assert_int_equal(syt_store_spilled(), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_many_rows),
	};

	syt_store_limit(LIMIT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
